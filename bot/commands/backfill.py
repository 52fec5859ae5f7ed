"""`triage backfill`: reads old issues of a repository, records what they show, and posts nothing."""

from __future__ import annotations

import argparse
from datetime import date

from bot.arguments import add_layers
from bot.errors import InputError
from bot.forge import ForgeError
from bot.refs import repository
from bot.service.backfill import backfill, digest, entries
from bot.service.opening import desk
from bot.terminal import say_machine, warn

EXAMPLES = """\
  triage backfill owner/repo --since 2026-01-01 > digest.md
  triage backfill owner/repo --since 2026-01-01 --most 200   # in pieces: each run goes on where the last one ended

The digest is Markdown. A maintainer who wants one of the comments writes `/triage post` in its issue.

exit code: 0 read as far as --most says, and stderr says where there is more; 2 bad input, or GitHub did not answer
"""
FAILED = 2
_MOST = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repo", metavar="OWNER/REPO")
    parser.add_argument("--since", required=True, metavar="DATE", help="issues that changed since this day")
    parser.add_argument("--most", type=int, default=1000, metavar="N", help="read at most so many issues (1000)")
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    repo, since = repository(arguments.repo), arguments.since
    if not _is_day(since):
        raise InputError(f"--since {since!r} is no date; write it as 2026-01-31.")
    if not 1 <= arguments.most <= _MOST:
        raise InputError(f"--most {arguments.most} is none of 1 to {_MOST:,}.")
    with desk(tuple(arguments.layers)) as at:
        try:
            progress = backfill(at, repo, since, most=arguments.most)
            place = at.place(at.threads(repo, None), repo)
        except ForgeError as e:
            raise InputError(f"{repo}: {e}; the same command goes on where this one ended.") from None
        titles = {p.id: p.title for p in at.known().knowledge.problems}
        say_machine(digest(place.repo, since, entries(at, place), titles))
    if progress.stopped:
        warn(f"triage: {progress.read} issues read; {progress.stopped}. The same command goes on from there.")
    return FAILED if progress.failed else 0


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
