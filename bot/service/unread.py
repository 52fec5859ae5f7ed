"""What could not be read of a report: asked for again while that may help, and never a reason for a worse answer.

A server that is in trouble for a minute says nothing about a report. So an answer waits for what may still come; what
stands is kept where it says more than could be said without what is missing.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import NamedTuple

from bot.forge import ForgeError
from bot.service.answering import Answer, Told, Unread
from bot.service.desk import Desk
from kb.model import Verdict
from kb.records import Remembered
from kb.store.conversations import Talk
from signatures.model import Certainty

MOST_TRIES = 4  # of one issue, the first included; what is missing then is said to be
_LEAST = timedelta(minutes=5)  # that the tries take together, since several events may come at once


class NotYet(ForgeError):
    """The issue, or something of it, may be read later: GitHub may not show at once what it has told of."""


class _Memory(NamedTuple):
    """Of one issue: how often in a row something was missing that may come, and since when; what was missing when the
    answer was given that stands, and the problems that it was certain of."""

    tries: int = 0
    since: str = ""
    missing: tuple[str, ...] = ()
    certain: tuple[str, ...] = ()


def is_held_back(desk: Desk, talk: Talk, found: Answer, unread: tuple[Unread, ...]) -> bool:
    """Whether what was found is not to be said, since more was known when the answer was given that stands. Raises
    NotYet where what is missing may come."""
    memory = _remembered(desk, talk)
    coming = [u for u in unread if u.for_now]
    now = desk.now()
    memory = memory._replace(since=memory.since if coming and memory.since else now.isoformat() if coming else "")
    hasty = bool(memory.since) and now - datetime.fromisoformat(memory.since) < _LEAST
    if coming and (memory.tries + 1 < MOST_TRIES or hasty):
        _remember(desk, talk, memory._replace(tries=memory.tries + 1))
        raise NotYet(f"{'; '.join(u.why for u in coming[:3])}; it is tried again")
    missing = tuple(u.what for u in unread)
    if talk.comment is not None and set(missing) - set(memory.missing) and _says_less(talk, found, memory):
        _remember(desk, talk, memory._replace(tries=memory.tries + bool(coming)))
        return True
    certain = tuple(k.problem.id for k in found.diagnosis.known if k.certainty is Certainty.CERTAIN)
    _remember(desk, talk, _Memory(memory.tries + 1 if coming else 0, memory.since, missing, certain))
    return False


def _says_less(talk: Talk, found: Answer, memory: _Memory) -> bool:
    """Whether a problem is gone that nobody refused, or its version, or how sure it is."""
    now = {told.problem: told for told in found.said}
    sure = {k.problem.id for k in found.diagnosis.known if k.certainty is Certainty.CERTAIN}
    for told in Told.read(talk.said):
        if told.problem in talk.refused:
            continue
        after = now.get(told.problem)
        unsure = told.problem in memory.certain and told.problem not in sure
        if after is None or unsure or (after.verdict == Verdict.VERSION_UNKNOWN != told.verdict):
            return True
    return False


def _remembered(desk: Desk, talk: Talk) -> _Memory:
    kept = desk.store.etag_of(_key(talk))
    if kept is None or not kept.cursor:
        return _Memory()
    tries, since, missing, certain = json.loads(kept.cursor)
    return _Memory(tries, since, tuple(missing), tuple(certain))


def _remember(desk: Desk, talk: Talk, memory: _Memory) -> None:
    if memory != _remembered(desk, talk):
        desk.store.remember_etag(_key(talk), Remembered(None, None, json.dumps(memory)), desk.now())


def _key(talk: Talk) -> str:
    return f"unread {talk.issue}"
