"""`triage status`: a board of problems and their fixes, in the terminal."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from typing import Any

from bot.arguments import add_json, add_layers
from bot.commands.explain import nearest
from bot.commands.trace import spelled
from bot.errors import InputError
from bot.storage import keep, present
from bot.terminal import BOLD, DIM, YELLOW, Paper, paper, say, say_machine
from bot.upstream.asking import add_as_of, add_mirrors, checked_day, known_knowledge, read_mirrors, repositories
from kb.disputes import known_on
from kb.graph.board import BoardRow, ChangeRow, ProductRow, ReleaseRow, board, change_rows
from kb.graph.trace import split_change
from kb.model import Knowledge
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.store import Store

EXAMPLES = """\
  triage status
  triage status webgpu-recurrent-state-buffer-aliasing
  triage status microsoft/onnxruntime-genai#2191 --product foundry-local-cli --as-of 2026-06-11
  triage status --mirror ~/src/onnxruntime-genai --mirror ~/src/foundry-local --json

exit code: 0 shown, also where nothing is known; 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", nargs="?", metavar="PROBLEM|OWNER/REPO#N", help="a problem, or one change")
    parser.add_argument("--product", metavar="ID", help="only this product")
    add_as_of(parser)
    add_mirrors(parser)
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    day = checked_day(arguments.as_of)
    with present(arguments.layers) as store:
        knowledge = known_knowledge(arguments.layers)
        return _run(arguments, knowledge, day, store)


def _run(arguments: argparse.Namespace, knowledge: Knowledge, day: str | None, store: Store | None) -> int:
    product = known_product(knowledge, arguments.product) if arguments.product else None
    subject = arguments.subject
    today = datetime.now(UTC).date().isoformat()
    if subject is not None and ("#" in subject or "@" in subject or subject.startswith("https://")):
        change = spelled(subject, repositories(knowledge))
        graph = read_mirrors(knowledge, arguments.mirrors, split_change(change)[0], change=change).graph
        keep(store, graph, arguments.layers, change)
        rows = change_rows(graph.trace(change, day), product, day or today)
        named = [p.id for p in knowledge.problems if any(change in f.all for f in p.fixes)]
        doubted = tuple(d for d in known_on(knowledge, day).observed.disputes if d.problem in named)
        table: tuple[BoardRow, ...] = (BoardRow(", ".join(named), "", "", rows, (), (), doubted),)
    else:
        problems = knowledge.problems
        if subject is not None:
            problems = tuple(p for p in problems if p.id == subject)
            if not problems:
                ids = [p.id for p in knowledge.problems]
                raise InputError(f"there is no problem {subject!r}{nearest(subject, ids)}.")
        graph = read_mirrors(knowledge, arguments.mirrors).graph
        keep(store, graph, arguments.layers)
        table = board(graph, problems, product, day, today, store.open_sightings() if store is not None else None)
        if product is not None and subject is None:
            table = tuple(r for r in table if any(c.products for c in r.changes) or any(x.products for x in r.releases))
    if arguments.json:
        say_machine(json.dumps({"schema": 1, "as_of": day, "board": [_json(r) for r in table]}, indent=2))
        return 0
    page = paper()
    for row in table:
        _row(page, row, day)
    if not table:
        page.text("No problem with a known remedy." if subject is None else f"No remedy of {subject} is known.")
    say(str(page).rstrip("\n"))
    return 0


def known_product(knowledge: Knowledge, name: str) -> str:
    """The id of a product by its id, title or one of its aliases. Raises InputError."""
    wanted = " ".join(name.casefold().split())
    for p in knowledge.products:
        if wanted in (p.id, p.title.casefold(), *(a.casefold() for a in p.aliases)):
            return p.id
    raise InputError(f"there is no product {name!r}{nearest(name, [p.id for p in knowledge.products])}.")


def _json(row: BoardRow) -> dict[str, Any]:
    return {
        "problem": row.problem or None,
        "title": row.title,
        "status": row.status,
        "changes": [c._asdict() | {"products": [p._asdict() for p in c.products]} for c in row.changes],
        "releases": [r._asdict() | {"products": [p._asdict() for p in r.products]} for r in row.releases],
        "remedies": list(row.remedies),
        "disputes": [
            {"product": d.product, "version": d.version, "why": d.why, "since": d.since} for d in row.disputes
        ],
        "open_sightings": row.open_sightings,
    }


def _row(page: Paper, row: BoardRow, day: str | None) -> None:
    page.blank()
    if row.problem:
        page.text(row.problem, BOLD)
    if row.title:
        page.text(row.title, DIM, indent=2)
    for change in row.changes:
        _change(page, change, day)
    for release in row.releases:
        _release(page, release, day)
    for words in row.remedies:
        page.field("remedy", words)
    for dispute in row.disputes:
        page.field("disputed", f"{dispute.product} {dispute.version}: {dispute.why}", codes=(YELLOW,))
    if row.open_sightings:
        page.field("sightings", f"{row.open_sightings} open issue{'' if row.open_sightings == 1 else 's'}")


def _change(page: Paper, change: ChangeRow, day: str | None) -> None:
    when = f" on {change.merged_at[:10]}" if change.merged_at else ""
    page.field("change", f"{change.change}: {change.state}{when}")
    if change.component:
        page.field("component", f"{change.component} {_first(change, day)}")
    for p in change.products:
        page.field(p.product, _product(p, day), column=max(15, len(p.product) + 2))


def _release(page: Paper, release: ReleaseRow, day: str | None) -> None:
    when = f" ({release.released_at})" if release.released_at else ""
    by = f", by {release.ref}" if release.ref else ""
    page.field("release", f"{release.component} {release.first_release}{when} is said to have the fix{by}")
    for p in release.products:
        page.field(p.product, _product(p, day), column=max(15, len(p.product) + 2))


def _first(change: ChangeRow, day: str | None) -> str:
    if change.first_release:
        by = "by " if change.bound else ""
        return f"{change.first_release}{f' ({by}{change.released_at})' if change.released_at else ''}"
    if change.at_latest:
        return f"unknown, at the latest in {change.at_latest}"
    return f"in no release{f' on {day}' if day else ' yet'}"


def _product(p: ProductRow, day: str | None) -> str:
    waited = f", {p.waited} day{'' if p.waited == 1 else 's'} after the merge" if p.waited is not None else ""
    if p.first_fixed:
        head = f"fixed in {p.first_fixed}{f' ({p.first_fixed_at}{waited})' if p.first_fixed_at else ''}"
    elif p.at_latest:
        head = f"fixed at the latest in {p.at_latest}; what came before is unknown"
    else:
        head = f"not yet{f' on {day}' if day else ''}{f', waiting {p.waited} days' if p.waited is not None else ''}"
    parts = [head]
    for label, versions in (("affected", p.affected), ("unknown", p.unknown)):
        if versions:
            parts.append(f"{label}: {', '.join(versions)}")
    return "; ".join(parts)
