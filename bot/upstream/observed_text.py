"""observed.toml as text: sorted and stable, so that reading the same repositories again changes no byte."""

from __future__ import annotations

from bot.authoring.toml_text import inline_table, string
from kb.graph.observed import ObservedRows
from kb.model import Delivery, Dispute, Release

HEAD = "# What manifests and git histories say, with the place it was read. Dates are UTC. Newer database rows win.\n"


def observed_text(rows: ObservedRows) -> str:
    """The whole file."""
    releases = (_release(r, rows.remarks.get((r.product, r.version), "")) for r in rows.rows.releases)
    return HEAD + "".join((*releases, *map(_delivery, rows.rows.deliveries), *map(_dispute, rows.rows.disputes)))


def _release(r: Release, remark: str) -> str:
    lines = [
        "\n[[release]]",
        f"product = {string(r.product)}",
        f"version = {string(r.version)}",
        *([f"date    = {r.date}"] if r.date else []),
        *([f"by      = {r.by}"] if r.by else []),
        f"bundles = {inline_table(r.bundles) if r.bundles else '{}'}",
        f"source  = {string(r.source)}",
        *([f"unsettled = [{', '.join(map(_statement, r.unsettled))}]"] if r.unsettled else []),
    ]
    if remark:
        lines.insert(1, f"# {' '.join(remark.split())}")
    return "\n".join(lines) + "\n"


def _statement(said: tuple[str, str, str]) -> str:
    return inline_table(zip(("component", "version", "source"), said, strict=True))


def _delivery(d: Delivery) -> str:
    lines = [
        "\n[[delivery]]",
        f"change    = {string(d.change)}",
        f"component = {string(d.component)}",
        f"releases  = {_texts(d.releases)}",
        *([f"unknown   = {_texts(d.unknown)}"] if d.unknown else []),
        *([f"absent    = {_texts(d.absent)}"] if d.absent else []),
        f"how       = {string(d.how)}",
    ]
    return "\n".join(lines) + "\n"


def _dispute(d: Dispute) -> str:
    lines = [f"{key:<7} = {string(value)}" for key, value in d._asdict().items() if value and key != "since"]
    lines += [f"since   = {d.since}"] if d.since else []
    return "\n".join(("\n[[dispute]]", *lines)) + "\n"


def _texts(versions: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(string, versions)) + "]"
