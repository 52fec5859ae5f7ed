"""`triage diff`: what a change of the catalogue does to answers, before anybody gets them."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable

from bot.arguments import add_json, add_layers, words
from bot.difference.reached import reached_by
from bot.difference.report import Difference, difference_json, write_difference
from bot.difference.sides import Rule, Side, changed_rules, sides
from bot.difference.texts import MOST_REPORTS, Item, case_items, diagnosed, own_items, sighting_items
from bot.difference.verdicts import Row, by_rule, rows_of
from bot.storage import present, refused
from bot.terminal import is_terminal, paper, say, say_machine

EXAMPLES = """\
  triage diff HEAD                             # in a checkout: what the edits at hand change
  triage diff v0.3.0 --cases cases.yaml
  triage diff HEAD~1 --json
  triage diff main --catalogue my-triage       # a folder of your own, in a git repository

Both catalogues, that of the revision and that of the files here, are tried on every example, near miss and quiet text
of either, on what the store keeps of reports, and on the cases given, by the same program. Nothing is checked out.
A file of the revision that this program cannot read is left out and named; a broken one of the working tree is refused.
exit code: 0 compared, whatever changed; 2 bad revision or input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("revision", metavar="REV", type=words, help="a commit, branch or tag, such as HEAD~1")
    parser.add_argument(
        "--cases",
        metavar="CASES.yaml",
        action="append",
        default=[],
        help="reports as `triage eval` takes them; may be repeated",
    )
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="triage-diff-") as home:
        revision, before, after = sides(tuple(arguments.layers), arguments.revision, home)
        files = os.path.join(home, "files")
        left_out = tuple(f"at {revision}: {e._replace(file=os.path.relpath(e.file, files))}" for e in before.errors)
    changed = changed_rules(before.known, after.known)
    items = _items(before, after, arguments.cases)
    rows = _rows(items, before, after, changed) if changed else []
    problems = (*before.known.knowledge.problems, *after.known.knowledge.problems)
    read = Counter(item.kind for item in items)
    found = Difference(revision, changed, read, by_rule(rows, changed, problems), left_out)
    if arguments.json:
        say_machine(json.dumps(difference_json(found), indent=2, ensure_ascii=False))
        return 0
    page = paper()
    write_difference(page, found)
    say(str(page))
    return 0


def _items(before: Side, after: Side, case_files: list[str]) -> tuple[Item, ...]:
    items = list(own_items(before, after))
    with present() as store:
        if store is not None:
            with refused():
                items += sighting_items(store.kept_reports(MOST_REPORTS))
    if case_files:
        from bot.evaluation.cases import read_cases

        known = [p.id for side in (before, after) for p in side.known.knowledge.problems]
        for file in case_files:
            items += case_items(read_cases(file, known))
    return tuple(items)


def _rows(items: tuple[Item, ...], before: Side, after: Side, changed: tuple[Rule, ...]) -> list[Row]:
    reaches = reached_by(changed, before.known, after.known)
    return [
        row
        for item in _shown(items)
        if reaches(item)
        for row in rows_of(item, diagnosed(item, before.known), diagnosed(item, after.known))
    ]


def _shown(items: tuple[Item, ...]) -> Iterable[Item]:
    """The texts, with a bar on a terminal."""
    from rich.console import Console
    from rich.progress import track

    quiet = not is_terminal(sys.stderr)
    return track(items, "Reading with both", console=Console(stderr=True), transient=True, disable=quiet)
