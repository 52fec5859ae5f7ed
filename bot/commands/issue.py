"""`triage issue`: reads one issue of GitHub's and does with it what its repository's policy says."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from bot.arguments import add_layers
from bot.errors import InputError
from bot.forge import ForgeError, Threads
from bot.publishing.decide import Standing
from bot.service.answering import answer, issue_text
from bot.service.desk import Desk
from bot.service.hearing import RETRACTING
from bot.service.inbox import ASKED, key_of
from bot.service.opening import desk
from bot.service.running import ingest, work_off
from bot.terminal import paper, say, say_machine
from bot.watched.events import Event, Kind
from kb.store.conversations import Talk
from signatures.linear import linear

EXAMPLES = """\
  triage issue owner/repo#12             # answer it as the policy of owner/repo says
  triage issue owner/repo#12 --preview   # print the comment it would get; nothing is written to GitHub

The account is a GitHub App (TRIAGE_GITHUB_APP_ID, TRIAGE_GITHUB_APP_KEY_FILE), a token (TRIAGE_GITHUB_TOKEN), or
nobody, who can only read. `triage doctor` checks it.
exit code: 0 done, 2 bad input, or it failed, which is said
"""
FAILED = 2
_STANDS = {
    Standing.NONE: "no comment",
    Standing.STANDS: "a comment stands",
    Standing.TAKEN: "a person's comment by now",
    Standing.DELETED: "no comment any more",
    Standing.RETRACTED: "withdrawn",
    RETRACTING: "to be withdrawn",
}
_REF = r"^(?:https://github\.com/)?([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})(?:#|/issues/)([1-9]\d{0,11})/?(?:[?#]\S*)?$"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("issue", metavar="OWNER/REPO#N")
    parser.add_argument("--preview", action="store_true", help="print the comment, and write nothing")
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    repo, number = split_issue(arguments.issue)
    began = datetime.now(UTC)
    with desk(tuple(arguments.layers), at_once=True, reads=arguments.preview) as at:
        try:
            threads = at.threads(repo, None)
            place = at.place(threads, repo)
            if arguments.preview:
                return _preview(at, threads, place.repo, number)
            event = Event(Kind.ISSUE, ASKED, place.repo, place.id, number)
            ingest(at, f"asked {place.id}#{number} {at.now().isoformat()}", event)
        except ForgeError as e:
            raise InputError(f"{repo}#{number}: {e}.") from None
        work_off(at, key_of(place, number))
        return told(at, key_of(place, number), f"{place.repo}#{number}", began)


def told(at: Desk, key: str, ref: str, began: datetime) -> int:
    """Say what became of an issue since a moment; an exit code."""
    page = paper()
    own = at.store.deeds(issue=ref, most=20)
    about = at.store.deeds(repo=ref.partition("#")[0], issue="", most=20)  # what holds for the repository as a whole
    deeds = sorted((deed for deed in (*own[::-1], *about[::-1]) if deed.at >= began), key=lambda deed: deed.at)
    stopped = at.braked()
    for deed in deeds:
        if not stopped or deed.detail != stopped:
            page.field(deed.what, deed.detail)
    talk = at.store.talk(key)
    if talk is not None and talk.why and talk.why != stopped:
        page.field("now", f"{_STANDS.get(talk.standing, talk.standing)}: {talk.why}")
    if stopped:
        page.field("paused", paused(at))
    say(str(page) or f"{ref}: nothing is done here; the repository's policy says off, or it is a pull request.")
    return FAILED if any(deed.what == "failed" for deed in deeds) else 0


def paused(at: Desk) -> str:
    """What a person reads where writing is stopped."""
    return f"{at.braked()}; what is due is kept, and written once that is over"


def _preview(at: Desk, threads: Threads, repo: str, number: int) -> int:
    read = threads.read(repo, number)
    issue, remarks = issue_text(read, at.attachment, at.policy(threads, at.place(threads, repo)).products)
    found = answer(issue, Talk("", issue.ref or ""), at.known(), at.now().date().isoformat(), remarks=remarks)
    if found.comment is None:
        say("The bot would stay silent.")
        return 0
    say_machine(found.comment.body)
    return 0


def split_issue(text: str) -> tuple[str, int]:
    """(owner/repo, number). Raises InputError."""
    found = linear(_REF).match(text)
    if found is None:
        raise InputError(f"{text!r} is no issue; write owner/repo#123.")
    return found.group(1), int(found.group(2))
