"""Old issues, read and recorded, and never answered: what the bot would say of them is a digest for their maintainers.

An issue that was read this way is marked as old. Whatever happens to it later, it gets a comment only where a
maintainer asks for that.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from bot.errors import InputError
from bot.forge import ForgeError, NotThere, Threads
from bot.forge.threads import IssueItem
from bot.publishing.decide import Standing
from bot.service.answering import Told, answer, issue_text
from bot.service.desk import Desk, Place
from bot.service.handling import key_of, record
from bot.watched.policy import Mode, Policy
from kb.records import Remembered
from kb.store.conversations import Talk

SPARE = 0.5  # of GitHub's hourly limit is left to the bot's other work
_WHY = "the issue is old, and nobody asked"
_SEVERAL = 100_000  # conversations of a store


class Progress(NamedTuple):
    """`read`: issues that this run read. `stopped` says why it ended before the last one, "" where it did not."""

    read: int
    stopped: str = ""


class Entry(NamedTuple):
    """One old issue and the problems that it shows. `comment`: whether there would be something to post."""

    number: int
    told: tuple[Told, ...]
    comment: bool


def is_old(desk: Desk, issue: str) -> bool:
    return desk.store.etag_of(_mark(issue)) is not None


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
            why = _stops(desk, threads, place, item, policy) if read < most else "more were not asked for"
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
        if repo == place.repo and is_old(desk, talk.issue):
            found.append(Entry(int(number), Told.read(talk.said), bool(talk.suggestion)))
    return tuple(sorted(found))


def digest(repo: str, since: str, found: tuple[Entry, ...], titles: dict[str, str]) -> str:
    """The digest as Markdown; `titles` of problems. It holds no word of an issue."""
    would = sum(e.comment for e in found)
    lines = [
        f"# Known failures in old issues of {repo}",
        "",
        f"{len(found)} issues that changed since {since} were read; {sum(bool(e.told) for e in found)} show a known "
        f"failure, and {would} would get a comment. Nothing was posted; `/triage post` by a maintainer posts one.",
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
    """Read one issue; why reading ends there, "" where it goes on."""
    key = key_of(place, item.number)
    talk = desk.store.talk(key)
    if talk is not None and not is_old(desk, key):
        return ""  # the bot has dealt with it as it came
    if threads.share_left < SPARE:
        return "half of GitHub's hourly limit is used, and the rest is for new issues"
    try:
        read = threads.read(place.repo, item.number)
    except NotThere:
        return ""
    except ForgeError as e:
        return str(e)
    talk = (talk or Talk(key, ""))._replace(ref=f"{place.repo}#{item.number}", installation=threads.installation)
    issue, remarks = issue_text(read, desk.attachment, policy.products)
    found = answer(issue, talk, desk.known(), desk.now().date().isoformat(), remarks=remarks)
    record(desk, read, talk.ref, found.diagnosis)
    said, body = "\n".join(map(str, found.said)), found.comment.body if found.comment is not None else ""
    desk.store.remember_etag(_mark(key), Remembered(None), desk.now())
    if talk.standing == Standing.NONE:
        desk.store.keep_talk(talk._replace(said=said, suggestion=body, why=_WHY), desk.now())
    return ""


def _mark(issue: str) -> str:
    return f"old {issue}"


def _cursor(place: Place, since: str) -> str:
    return f"backfill {place.id} {since}"
