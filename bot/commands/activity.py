"""`triage activity`: what the bot did, would have done, or was told, and why."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_json
from bot.errors import InputError
from bot.storage import absence, present
from bot.terminal import DIM, one_line, paper, say, say_machine

EXAMPLES = """\
  triage activity
  triage activity owner/repo
  triage activity owner/repo#12 --json
  triage activity --what refused

exit code: 0 shown, 2 bad input, or there is no store
"""


_MOST = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("of", nargs="?", metavar="OWNER/REPO[#N]", help="only of this repository or issue")
    parser.add_argument(
        "--what", metavar="WORD", help="only these deeds: posted, edited, silent, command, refused, failed, ..."
    )
    parser.add_argument("--most", type=int, default=50, metavar="N", help="at most so many, the newest first (50)")
    add_json(parser)


def _of(text: str | None) -> tuple[str | None, str | None]:
    """(repository, issue), at most one of which is asked for. Raises InputError."""
    if text is None:
        return None, None
    repo, hash_, number = text.partition("#")
    if repo.count("/") != 1 or not all(repo.split("/")) or (hash_ and not number.isdecimal()):
        raise InputError(f"{text!r} is no repository or issue; write owner/repo or owner/repo#12.")
    return (None, text) if hash_ else (repo, None)


def run(arguments: argparse.Namespace) -> int:
    repo, issue = _of(arguments.of)
    if not 1 <= arguments.most <= _MOST:
        raise InputError(f"--most {arguments.most} is none of 1 to {_MOST:,}.")
    with present() as store:
        if store is None:
            raise InputError(absence("`triage db upgrade` makes one"))
        deeds = store.deeds(repo=repo, issue=issue, what=arguments.what, most=arguments.most)
        others = () if deeds else store.deeds(repo=repo, issue=issue, most=_MOST)
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
    there = ", ".join(sorted({d.what for d in others}))
    say(str(page) or (f"Nothing of that kind; there is: {there}." if there else "Nothing yet."))
    return 0
