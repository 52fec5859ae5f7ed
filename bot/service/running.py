"""The one worker of a process: it handles what the inbox holds, then writes what is due, one thing after another.

GitHub asks for a second between writes, so that more hands would only wait; and one worker needs no lock between what
is read of a conversation and what is kept of it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from bot.forge import Limited
from bot.knowledge import digest_of
from bot.service.desk import Desk, trouble
from bot.service.handling import REVISIT, event_of, handle, payload
from bot.service.writing import write_due
from bot.watched.events import Event, Kind
from kb.records import Remembered

_LEASE = timedelta(minutes=10)
_FIRST_RETRY = timedelta(seconds=15)
_KNOWN = "known"  # under which the store keeps what was known last


def ingest(desk: Desk, delivery: str, event: Event) -> bool:
    """Write an event down; False for one that came already, or that nothing is done about."""
    if event.kind is Kind.IGNORED:
        return False
    return desk.store.receive(delivery, event.kind.value, payload(event), desk.now()) is not None


def revisit(desk: Desk, stamp: str) -> int:
    """Have every issue read again that is open and shows something, since what is known has changed; how many. `stamp`
    names the change, so that one that is told twice is one."""
    count = 0
    for talk in desk.store.talks(most=10_000):
        if talk.off or not (talk.said or talk.comment):
            continue
        repo, number = talk.ref.rsplit("#", 1)
        repo_id = int(talk.issue.partition("#")[0])
        event = Event(Kind.IGNORED, REVISIT, repo, repo_id, int(number), installation=talk.installation)
        delivery = f"revisit {talk.issue} {stamp}"
        count += desk.store.receive(delivery, REVISIT, payload(event), desk.now()) is not None
    return count


def notice(desk: Desk) -> int:
    """Have issues read again where what is known differs from what it was when this was asked last; how many.

    The store holds the stamp, so that one change is noticed once, by whichever process asks first.
    """
    known = desk.known()
    if known is desk.noticed:
        return 0
    digest = digest_of(known)
    kept = desk.store.etag_of(_KNOWN)
    count, _, before = (kept.cursor or "").partition(" ") if kept is not None else ("", "", "")
    found = 0
    if digest != before:
        stamp = f"{int(count or 0) + 1} {digest}"  # what is known may come to be as it was
        found = revisit(desk, stamp)
        desk.store.remember_etag(_KNOWN, Remembered(None, None, stamp), desk.now())
    desk.noticed = known
    return found


def work(desk: Desk, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Handle everything that is due, and write everything that is due; how much that was. `goes_on` is asked before
    each piece, and ends it."""
    done = 0
    for id_ in desk.store.unfinished(desk.now()):
        if not goes_on():
            return done
        done += _handled(desk, id_)
    return done + write_due(desk, goes_on)


def _handled(desk: Desk, id_: int) -> int:
    """One event. What goes wrong with it is kept beside it, and never stops the others."""
    taken = desk.store.claim(id_, desk.now(), _LEASE)
    if taken is None:
        return 0
    event = event_of(taken.payload)
    try:
        handle(desk, taken.kind, event)
    except Exception as e:
        again = e.until if isinstance(e, Limited) else desk.now() + _FIRST_RETRY * 2**taken.attempts
        desk.store.put_back(id_, trouble(e), again)
        desk.log(event.repo, f"{event.repo}#{event.number}" if event.number else "", "failed", detail=trouble(e))
    else:
        desk.store.finish(id_)
    return 1
