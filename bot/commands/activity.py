"""`triage activity`: what the bot did, would have done, or was told, and why."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_json
from bot.errors import InputError
from bot.storage import present
from bot.terminal import DIM, one_line, paper, say, say_machine

EXAMPLES = """\
  triage activity
  triage activity owner/repo
  triage activity owner/repo#12 --json
  triage activity --what refused
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("of", nargs="?", metavar="OWNER/REPO[#N]", help="only of this repository or issue")
    parser.add_argument("--what", metavar="WORD", help="only these deeds: posted, edited, silent, refused, failed, ...")
    parser.add_argument("--most", type=int, default=50, metavar="N", help="at most so many, the newest first (50)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    of = arguments.of or ""
    with present() as store:
        if store is None:
            raise InputError("there is no store yet; `triage db upgrade` makes one.")
        repo, issue = (None, of) if "#" in of else (of or None, None)
        deeds = store.deeds(repo=repo, issue=issue, what=arguments.what, most=max(1, min(arguments.most, 10_000)))
    if arguments.json:
        rows = [{**d._asdict(), "at": d.at.isoformat()} for d in deeds]
        say_machine(json.dumps({"schema": 1, "deeds": rows}, indent=2, ensure_ascii=False))
        return 0
    page = paper()
    for deed in deeds:
        page.text(
            f"{deed.at:%Y-%m-%d %H:%M}  {deed.what:<9} {deed.issue or deed.repo}{f'  {deed.who}' if deed.who else ''}"
        )
        if deed.detail:
            page.text(one_line(deed.detail, 300), DIM, indent=18)
    say(str(page) or "Nothing yet.")
    return 0
