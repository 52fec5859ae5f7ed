"""`triage trace`: the whole chain of one change, from the commit that landed to the product releases that have it."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_json, add_layers
from bot.errors import InputError
from bot.storage import keep, present
from bot.terminal import BOLD, DIM, Paper, paper, say, say_machine
from bot.upstream.asking import (
    add_as_of,
    add_mirrors,
    add_online,
    checked_day,
    known_knowledge,
    read_mirrors,
    repositories,
)
from bot.upstream.trace_json import trace_json
from kb.graph.model import Carriage, ComponentTrace, ProductTrace, Trace
from kb.graph.trace import split_change

EXAMPLES = """\
  triage trace microsoft/onnxruntime-genai#2191
  triage trace microsoft/onnxruntime-genai#2191 --mirror ~/src/onnxruntime-genai --mirror ~/src/foundry-local
  triage trace microsoft/onnxruntime-genai#2191 --mirror microsoft/onnxruntime-genai=/srv/genai.git --json
  triage trace microsoft/onnxruntime-genai#2191 --online
  triage trace microsoft/onnxruntime-genai@5fa5ec592 --mirror ~/src/onnxruntime-genai --as-of 2026-06-11

exit code: 0 answered, be it that nothing is known of it; 2 bad input
"""

_STATES = {
    "merged": "merged on {}",
    "reverted": "merged on {}, and reverted since",
    "not-merged": "not merged on that day",
    "open": "open, not merged",
    "draft": "a draft, not merged",
    "closed": "closed without a merge",
    "unknown": "no commit that was read names it",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("change", metavar="OWNER/REPO#N", help="a pull request, or OWNER/REPO@SHA for a commit")
    add_mirrors(parser)
    add_online(parser)
    add_as_of(parser)
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    day = checked_day(arguments.as_of)
    with present(arguments.layers) as store:
        knowledge = known_knowledge(arguments.layers)
        change = spelled(arguments.change, repositories(knowledge))
        repo = split_change(change)[0]
        graph = read_mirrors(knowledge, arguments.mirrors, repo, change=change, online=arguments.online).graph
        keep(store, graph, arguments.layers, change)
    trace = graph.trace(change, day)
    if arguments.json:
        say_machine(json.dumps(trace_json(trace), indent=2, ensure_ascii=False))
    else:
        page = paper()
        write_trace(page, trace)
        say(str(page).rstrip("\n"))
    return 0


def spelled(change: str, repos: tuple[str, ...]) -> str:
    """A change with its repository spelled as it is known, whatever its case. Raises InputError for no change."""
    change = change.removeprefix("https://github.com/").replace("/pull/", "#").replace("/commit/", "@")
    try:
        repo, _, _ = split_change(change)
    except ValueError as e:
        raise InputError(f"{e}.") from None
    known = next((r for r in repos if r.casefold() == repo.casefold()), repo)
    return known + change[len(repo) :]


def write_trace(page: Paper, trace: Trace) -> None:
    page.text(trace.change, BOLD)
    if trace.title:
        page.field("title", trace.title)
    page.field("state", _STATES[trace.state].format(trace.merged_at or "an unknown day"))
    for where in trace.commits:
        verb = " (takes it out)" if where.sign < 0 else ""
        page.field("commit", f"{where.sha[:9]} on {where.branch}: {where.how}{verb}, {where.date[:10]}")
    for component in trace.components:
        _component(page, component)
    for product in trace.products:
        _product(page, product)
    if trace.notes:
        page.blank()
        for note in trace.notes:
            page.field("note", note)


def _day(c: ComponentTrace) -> str:
    return f" ({'by ' if c.bound else ''}{c.released_at})" if c.released_at else ""


def _component(page: Paper, c: ComponentTrace) -> None:
    page.blank()
    page.text(c.id, BOLD)
    if c.first_release:
        page.field("first release", f"{c.first_release}{_day(c)}, {c.confidence}")
    page.field("how", c.how)
    if c.releases:
        page.field("releases", ", ".join(c.releases))
    if c.unknown:
        page.field("undecided", ", ".join(c.unknown))
    if c.candidates:
        page.field("not released", f"{', '.join(c.candidates)}: a branch has it, nothing shows a release")
    same: dict[str, list[Carriage]] = {}
    for row in c.carriages:
        if row.evidence or row.carried:
            same.setdefault(_evidence(row), []).append(row)
    for words, rows in same.items():
        label = rows[0].point.version if len(rows) == 1 else f"{rows[0].point.version} +{len(rows) - 1}"
        page.field(label, words, codes=(DIM,) if rows[0].carried is False else ())
    truth = c.first_release or c.at_latest
    if c.naive and c.naive != truth:
        page.field("git tag", f"`git tag --contains` says {c.naive}, and is wrong: {truth or 'no release is sure'}")
    for words in c.contradictions:
        page.field("contradiction", words)


def _evidence(row: Carriage) -> str:
    head = {True: "has it", False: "has it not", None: "unknown"}[row.carried]
    shown = next((e for e in row.evidence if e.source == row.why), None)
    also = f", also by {' and '.join(shown.also)}" if shown is not None and shown.also else ""
    note = f" [{row.point.note}]" if row.point.note else ""
    return f"{head}: {row.why}{also} ({row.confidence}){note}"


def _product(page: Paper, p: ProductTrace) -> None:
    page.blank()
    page.text(p.product, BOLD)
    if p.first_fixed:
        page.field("first fixed", f"{p.first_fixed}{f' ({p.first_fixed_at})' if p.first_fixed_at else ''}")
    elif p.at_latest:
        page.field("first fixed", f"unknown, at the latest in {p.at_latest}")
    else:
        page.field("first fixed", "not yet")
    page.field("how", p.how)
    for label, versions in (
        ("fixed", p.fixed),
        ("affected", p.affected),
        ("before", p.before),
        ("unknown", p.unknown),
    ):
        if versions:
            page.field(label, ", ".join(versions))
    for words in p.contradictions:
        page.field("contradiction", words)
