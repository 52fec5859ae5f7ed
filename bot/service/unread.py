"""What could not be read of a report: asked for again while that may help, and never a reason for a worse answer.

A server that is in trouble for a minute says nothing about a report. So an answer waits for what may still come; what
stands is kept where it says more than could be said without what is missing.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import NamedTuple

from bot.forge import ForgeError
from bot.service.answering import Answer, Told, is_disowned
from bot.service.attached import Unread
from bot.service.desk import Desk
from kb.model import PUBLIC, Verdict
from kb.records import Remembered
from kb.store.conversations import Talk
from signatures.model import Certainty

MOST_TRIES = 4  # of one issue, the first included; what is missing then is said to be
_LEAST = timedelta(minutes=5)  # that the tries take together, since several events may come at once


class NotYet(ForgeError):
    """The issue, or something of it, may be read later: GitHub may not show at once what it has told of."""


class _Memory(NamedTuple):
    """Of one issue: how often in a row something was missing that may come, and since when; the problems of the answer
    that stands which it was certain of, and those whose versions contradicted each other; what was ever read of it,
    None where that is not known."""

    tries: int = 0
    since: str = ""
    certain: tuple[str, ...] = ()
    torn: tuple[str, ...] = ()
    read: tuple[str, ...] | None = None


def is_held_back(desk: Desk, talk: Talk, found: Answer, unread: tuple[Unread, ...], read: frozenset[str]) -> bool:
    """Whether what was found is not to be said, since the answer that stands may rest on what is `unread` now and says
    more, or something else. `read`: names of what was read. Raises NotYet where what is missing may come."""
    memory = _remembered(desk, talk)
    coming = [u for u in unread if u.for_now]
    now = desk.now()
    memory = memory._replace(since=memory.since if coming and memory.since else now.isoformat() if coming else "")
    hasty = bool(memory.since) and now - datetime.fromisoformat(memory.since) < _LEAST
    if coming and (memory.tries + 1 < MOST_TRIES or hasty):
        _remember(desk, talk, memory._replace(tries=memory.tries + 1))
        raise NotYet(f"{'; '.join(u.why for u in coming[:3])}; it is tried again")
    if talk.comment is not None and _rests_on(memory, unread) and _says_less(desk, talk, found, memory):
        _remember(desk, talk, memory._replace(tries=memory.tries + bool(coming)))
        return True
    certain = tuple(k.problem.id for k in found.diagnosis.known if k.certainty is Certainty.CERTAIN)
    torn = tuple(k.problem.id for k in found.diagnosis.known if k.fix.contradictions)
    # of an answer that stands and is not remembered, nobody knows what it rests on until all can be read
    is_known = memory.read is not None or talk.comment is None or not unread
    ever = tuple(sorted({*(memory.read or ()), *read})) if is_known else None
    _remember(desk, talk, _Memory(memory.tries + 1 if coming else 0, memory.since, certain, torn, ever))
    return False


def _rests_on(memory: _Memory, unread: tuple[Unread, ...]) -> bool:
    """Whether the answer that stands may rest on what cannot be read now."""
    return any(memory.read is None or u.what in memory.read for u in unread)


def _says_less(desk: Desk, talk: Talk, found: Answer, memory: _Memory) -> bool:
    """Whether a problem is gone, or less sure, or read with other versions, without a maintainer's word or a change of
    what is known being the reason."""
    before = Told.read(talk.said)
    if any(is_disowned(talk, told.problem) for told in before):
        return False  # a maintainer's word comes before what else may be lost by it
    if not before and not talk.history:
        return True  # nothing is remembered of what stands there
    now = {told.problem: told for told in found.said}
    sure = {k.problem.id for k in found.diagnosis.known if k.certainty is Certainty.CERTAIN}
    public = {p.id for p in desk.known().knowledge.problems if p.status in PUBLIC and p.withdrawn is None}
    for told in before:
        if told.problem not in public:
            continue
        after = now.get(told.problem)
        if after is None or (told.problem in memory.certain and told.problem not in sure):
            return True
        was_open = told.verdict == Verdict.VERSION_UNKNOWN and told.problem not in memory.torn
        same = (after.verdict, after.who) == (told.verdict, told.who)
        # with the same versions, another verdict comes of what is known
        by_knowledge = after.who == told.who and Verdict.VERSION_UNKNOWN not in (after.verdict, told.verdict)
        if not (was_open or same or by_knowledge):
            return True
    return False


def _remembered(desk: Desk, talk: Talk) -> _Memory:
    kept = desk.store.etag_of(_key(talk))
    if kept is None or not kept.cursor:
        return _Memory()
    held = json.loads(kept.cursor)
    if isinstance(held, list):  # as an earlier version kept it, which did not know what was read
        tries, since, _, certain = held
        return _Memory(tries, since, tuple(certain))
    ever = held["read"]
    certain, torn = tuple(held["certain"]), tuple(held["torn"])
    return _Memory(held["tries"], held["since"], certain, torn, None if ever is None else tuple(ever))


def _remember(desk: Desk, talk: Talk, memory: _Memory) -> None:
    if memory != _remembered(desk, talk):
        desk.store.remember_etag(_key(talk), Remembered(None, None, json.dumps(memory._asdict())), desk.now())


def _key(talk: Talk) -> str:
    return f"unread {talk.issue}"
