"""Old issues, read and recorded, and never answered: what the bot would say of them is a digest for their maintainers.

An issue that was read this way is marked as old. Whatever happens to it later, it gets a comment only where a
maintainer asks for that.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from bot.errors import InputError
from bot.forge import ForgeError, NotThere, Read, Threads
from bot.forge.items import IssueItem
from bot.publishing.decide import Standing
from bot.service.answering import Told, answer, issue_text
from bot.service.desk import Desk, Place
from bot.service.handling import record
from bot.service.holding import held
from bot.service.inbox import key_of
from bot.service.recalling import remembered
from bot.watched.policy import Mode, Policy
from kb.records import Remembered
from kb.store.conversations import Talk

SPARE = 0.5  # of GitHub's hourly limit is left to the bot's other work
_WHY = "the issue is old, and nobody asked"
_SEVERAL = 100_000  # conversations of a store


class Progress(NamedTuple):
    """`read`: issues that this run read. `stopped` says why it ended before the last one, "" where it did not;
    `failed`: since GitHub did not answer."""

    read: int
    stopped: str = ""
    failed: bool = False


class Entry(NamedTuple):
    """One old issue and the problems that it shows. `comment`: whether there would be something to post."""

    number: int
    told: tuple[Told, ...]
    comment: bool


def backfill(desk: Desk, repo: str, since: str, *, most: int) -> Progress:
    """Read issues of owner/repo that changed since a day, oldest change first, from where an earlier run ended.

    Raises ForgeError, InputError where the repository's policy says off.
    """
    threads = desk.threads(repo, None)
    place = desk.place(threads, repo)
    policy = desk.policy(threads, place)
    if policy.mode is Mode.OFF:
        raise InputError(f"the policy of {place.repo} says off, so nothing is recorded of it.")
    read = 0
    while items := _left(desk, threads, place, since):
        for item in items:
            try:
                why = _stops(desk, threads, place, item, policy) if read < most else "more were not asked for"
            except ForgeError as e:
                return Progress(read, str(e), failed=True)
            if why:
                return Progress(read, why)
            read += 1
            done = Remembered(None, None, f"{item.updated_at} {item.number}")
            desk.store.remember_etag(_cursor(place, since), done, desk.now())
    return Progress(read)


def entries(desk: Desk, place: Place) -> tuple[Entry, ...]:
    """What is known of a repository's old issues, by number."""
    found = []
    for talk in desk.store.talks(most=_SEVERAL):
        repo, _, number = talk.ref.rpartition("#")
        if repo == place.repo and talk.old:
            found.append(Entry(int(number), Told.read(talk.said), bool(talk.suggestion)))
    return tuple(sorted(found))


def digest(repo: str, since: str, found: tuple[Entry, ...], titles: dict[str, str]) -> str:
    """The digest as Markdown; `titles` of problems. It holds no word of an issue."""
    would, show = sum(e.comment for e in found), sum(bool(e.told) for e in found)
    one = len(found) == 1
    read = f"{len(found)} {'issue' if one else 'issues'} that changed since {since} {'was' if one else 'were'}"
    lines = [
        f"# Known failures in old issues of {repo}",
        "",
        f"{read} read; {show} {'shows' if show == 1 else 'show'} a known failure, and {would} would get a comment. "
        "Nothing was posted; `/triage post` by a maintainer posts one.",
    ]
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for entry in found:
        for told in entry.told:
            groups[told.problem][told.verdict].append(f"#{entry.number}{'' if entry.comment else ' (no comment)'}")
    for problem, verdicts in sorted(groups.items(), key=lambda g: (-sum(map(len, g[1].values())), g[0])):
        lines += ["", f"## {titles.get(problem, problem)}", "", f"`{problem}`", ""]
        lines += (f"- {verdict}: {', '.join(issues)}" for verdict, issues in sorted(verdicts.items()))
    return "\n".join(lines)


def _left(desk: Desk, threads: Threads, place: Place, since: str) -> list[IssueItem]:
    """The next issues behind the last one that was read."""
    kept = desk.store.etag_of(_cursor(place, since))
    moment, _, number = (kept.cursor if kept is not None and kept.cursor else f"{since}T00:00:00Z 0").partition(" ")
    items, _ = threads.changed_issues(place.repo, moment, None)
    return sorted(
        (i for i in items if (i.updated_at, i.number) > (moment, int(number))), key=lambda i: (i.updated_at, i.number)
    )


def _stops(desk: Desk, threads: Threads, place: Place, item: IssueItem, policy: Policy) -> str:
    """Read one issue; why reading ends there, "" where it goes on. Raises ForgeError."""
    key = key_of(place, item.number)
    with held(desk, key) as hold:
        talk = desk.store.talk(key)
        new = hold is None or desk.store.is_waiting(key) or (talk is not None and not talk.old)
        if new:
            return ""  # the bot deals with it as it comes
        if threads.share_left < SPARE:
            return "half of GitHub's hourly limit is used, and the rest is for new issues"
        try:
            read = threads.read(place.repo, item.number)
            if not desk.store.is_waiting(key):  # its event may have come while it was read
                _recorded(desk, threads, read, talk or Talk(key, ""), policy)
        except NotThere:
            return ""
        return ""


def _recorded(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy) -> None:
    known = talk._replace(ref=f"{read.repo}#{read.item.number}", installation=threads.installation, old=True)
    recalled = remembered(desk, threads, read, known, policy)
    if recalled is None:
        return
    talk = recalled
    issue, remarks = issue_text(read, desk.attachment, policy.products)
    found = answer(issue, talk, desk.known(), desk.now().date().isoformat(), remarks=remarks)
    record(desk, read, talk.ref, found.diagnosis)
    if talk.standing == Standing.NONE:
        said, body = "\n".join(map(str, found.said)), found.comment.body if found.comment is not None else ""
        talk = talk._replace(said=said, suggestion=body, why=_WHY)
    desk.store.keep_talk(talk, desk.now())


def _cursor(place: Place, since: str) -> str:
    return f"backfill {place.id} {since}"
