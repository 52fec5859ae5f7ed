"""`triage similar`: what is nearest to a text by its words: similar, and no claim that it is the same."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_input, add_json
from bot.errors import InputError
from bot.input.issue_file import read_input
from bot.storage import absence, present, refused
from bot.terminal import BOLD, DIM, Paper, paper, say, say_machine
from kb.records import Similar

EXAMPLES = """\
  triage similar "buffer is bound as both readable and writable"
  triage similar error.log --json

It looks through problems, recorded issues, and lines that nothing explained. `triage sync` and `triage record` fill it.
exit code: 0 done, also where nothing is similar; 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument("--most", metavar="N", type=int, default=5, help="how many to show, 5 by default, 50 at most")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.most <= 50:
        raise InputError("--most takes a number from 1 to 50.")
    given = read_input(arguments.input, text=arguments.text)
    words = "\n".join((given.issue.title, *(p.text for p in given.issue.posts)))
    found = nearest(words, arguments.most)
    if found is None:
        raise InputError(absence("`triage sync` makes one"))
    if arguments.json:
        say_machine(json.dumps({"schema": 1, "similar": [s._asdict() for s in found]}, indent=2, ensure_ascii=False))
    else:
        page = paper()
        write_similar(page, found)
        say(str(page).rstrip("\n"))
    return 0


def nearest(words: str, most: int = 5) -> tuple[Similar, ...] | None:
    """The nearest to a text; None where there is no store. Raises InputError where it cannot be read."""
    with present() as store:
        if store is None:
            return None
        with refused():
            return store.similar(words, most)


def write_similar(page: Paper, found: tuple[Similar, ...]) -> None:
    if not found:
        page.text("Nothing similar is known.", BOLD)
        return
    page.text("Similar by its words, which does not make it the same:", BOLD)
    for s in found:
        page.blank()
        page.text(s.title or s.ref)
        page.text(f"{_KINDS[s.kind]} {s.ref}", DIM, indent=2)
        if s.excerpt:
            page.field("says", s.excerpt, column=6)


_KINDS = {"problem": "problem", "sighting": "recorded issue", "unexplained": "lines that nothing explained in"}
