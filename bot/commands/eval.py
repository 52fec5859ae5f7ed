"""`triage eval`: the whole pipeline over reports with known answers, and how often it is right.

Exit code 0: run, and nothing is worse than the scorecard or below a least share; 2: bad input, or something is.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bot.arguments import add_layers, words
from bot.errors import InputError
from bot.knowledge import load_known
from bot.pipeline import diagnose_issue
from bot.terminal import is_terminal, paper, say, say_machine, warn

if TYPE_CHECKING:
    from bot.evaluation.cases import Case

WORSE = 2

EXAMPLES = """\
  triage eval cases.yaml
  triage eval cases.yaml --least precision=0.97 --least recall=0.85    # exit 2 below
  triage eval cases.yaml --scorecard scorecard.json            # exit 2 if anything is worse
  triage eval cases.yaml --scorecard scorecard.json --write    # store this run
  triage eval cases.yaml --html > scorecard.html
  triage eval cases.yaml --json --catalogue my-triage

A case file holds `cases`, a list of {source, title, log, env, artifacts, expected_signature, also_acceptable};
expected_signature is the id of a problem, or none where nothing should be claimed. What also_acceptable lists counts as
right in every figure: ids of problems, and none where it is right to claim nothing.

A scorecard is compared by source: one that shares no case is refused, and where cases came or went a note says so.
exit code: 0 run, 2 bad input, below --least or worse than the scorecard
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cases", metavar="CASES.yaml", help="reports with the answers expected of them")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON for programs")
    form.add_argument("--html", action="store_true", help="print a page")
    parser.add_argument("--scorecard", metavar="FILE", help="compare with what is stored here")
    parser.add_argument("--write", action="store_true", help="store this run as the scorecard")
    parser.add_argument(
        "--least",
        metavar="FIGURE=SHARE",
        action="append",
        default=[],
        type=words,
        help="the least share of a figure, such as recall=0.85; may be repeated",
    )
    parser.add_argument("--as-of", metavar="DATE", help="answer as on this date, such as 2026-06-11")
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    from bot.commands.lookup import iso_date
    from bot.evaluation.cases import read_cases
    from bot.evaluation.report import html, write_score
    from bot.evaluation.scorecard import (
        below,
        certain_and_false,
        drops,
        floors,
        other_cases,
        read_scorecard,
        score_json,
        scorecard_text,
        write_scorecard,
    )
    from bot.evaluation.scoring import result_of, score

    if arguments.write and not arguments.scorecard:
        raise InputError("--write stores a scorecard; name its file with --scorecard FILE.")
    least = floors(arguments.least)
    stored = read_scorecard(arguments.scorecard) if arguments.scorecard and not arguments.write else None
    as_of = iso_date(arguments.as_of) if arguments.as_of is not None else None
    known = load_known(tuple(arguments.layers))
    for error in known.errors:
        warn(f"triage: {error}")
    cases = read_cases(arguments.cases, [p.id for p in known.knowledge.problems])
    whole = score(result_of(case, diagnose_issue(case.issue, known, as_of=as_of), known) for case in _shown(cases))
    name = os.path.basename(arguments.cases)
    if arguments.json:
        say_machine(json.dumps(score_json(whole, name), indent=2, ensure_ascii=False))
    elif arguments.html:
        say_machine(html(whole, name).rstrip("\n"))
    else:
        page = paper()
        write_score(page, whole, name)
        say(str(page).rstrip("\n"))
    for false in certain_and_false(whole):
        warn(f"triage: {false}.")
    short = below(whole, least)
    if arguments.write:
        write_scorecard(arguments.scorecard, scorecard_text(whole, name))
    elif stored is not None:
        differs = other_cases(whole, stored)
        if differs is not None:
            warn(f"triage: {differs}.")
        short += drops(whole, stored)
    for sentence in short:
        warn(f"triage: {sentence}.")
    return WORSE if short else 0


def _shown(cases: tuple[Case, ...]) -> Iterable[Case]:
    """The cases, with a bar on a terminal."""
    from rich.console import Console
    from rich.progress import track

    quiet = not is_terminal(sys.stderr)
    return track(cases, "Reading reports", console=Console(stderr=True), transient=True, disable=quiet)
