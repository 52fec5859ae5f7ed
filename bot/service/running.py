"""The one worker of a process: it handles what the inbox holds, then writes what is due, one thing after another.

GitHub asks for a second between writes, so that more hands would only wait. Other processes may work on the same
store: an issue is in one's hands at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from bot.forge import ForgeError, Limited
from bot.knowledge import digest_of
from bot.service.desk import Desk, trouble
from bot.service.handling import handle
from bot.service.holding import LEASE, held
from bot.service.inbox import CHECK, OWED, REVISIT, Came, about, event_of, payload
from bot.service.pacing import PAUSE
from bot.service.unread import NotYet
from bot.service.writing import write_due
from bot.watched.events import Event, Kind
from kb.records import Remembered
from kb.store import work as inbox
from kb.store.conversations import Overtaken

_FIRST_RETRY = timedelta(seconds=30)
_LONGEST_RETRY = timedelta(hours=1)
_MOST_TRIES = 50  # while GitHub is in the way: two days
_PATIENCE, _LOOK = 60.0, 0.5  # seconds that one waits for another process, and between two looks
_KNOWN = "known"  # under which the store keeps a count and the digests of what was known
_DIGESTS = 20  # that are kept


def ingest(desk: Desk, delivery: str, event: Event) -> bool:
    """Write an event down; False for one that came already, or that nothing is done about."""
    if event.kind is Kind.IGNORED:
        return False
    return desk.store.receive(delivery, about(event), event.kind.value, payload(event), desk.now()) is not None


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
        count += desk.store.receive(delivery, talk.issue, REVISIT, payload(event), desk.now()) is not None
    return count


def notice(desk: Desk) -> int:
    """Have issues read again where what is known was never known to any process of this store; how many.

    The store holds the digests, so that one change is noticed once, by whichever process asks first, and processes that
    know different things, as while a release is rolled out, do not undo each other's answers in turn.
    """
    known = desk.known()
    if known is desk.noticed:
        return 0
    digest = digest_of(known)
    kept = desk.store.etag_of(_KNOWN)
    count, *seen = (kept.cursor or "0").split() if kept is not None else ("0",)
    found = 0
    if digest not in seen:
        stamp = str(int(count) + 1)
        found = revisit(desk, f"{stamp} {digest}")
        cursor = " ".join((stamp, *seen[-_DIGESTS + 1 :], digest))
        desk.store.remember_etag(_KNOWN, Remembered(None, None, cursor), desk.now())
    desk.noticed = known
    return found


def work(desk: Desk, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Handle everything that is due, and write everything that is due; how much that was. `goes_on` is asked before
    each piece, and ends it."""
    done = 0
    for issue in desk.store.issues_due(desk.now()):
        if not goes_on():
            return done
        done += _handled(desk, issue)
    return done + write_due(desk, goes_on)


def work_off(desk: Desk, issue: str, sleep: Callable[[float], object] = time.sleep) -> None:
    """Work until nothing is due, and wait for what another process does about this issue meanwhile."""
    for _ in range(int(_PATIENCE / _LOOK)):
        while work(desk):
            pass
        if not desk.store.is_taken(issue, desk.now(), LEASE) and desk.store.wanted(issue, desk.now()) is None:
            return
        sleep(_LOOK)


def _handled(desk: Desk, issue: str) -> int:
    """The events of one issue that are due; how many. What goes wrong with them is kept beside them, and never stops
    others."""
    with held(desk, issue) as hold:
        events = desk.store.events_due(issue, desk.now()) if hold is not None else ()
        # a check of models takes its time, and comes behind what else there is to say; so does what is owed
        events = tuple(e for e in events if e.kind not in (CHECK, OWED)) or events
        braked = desk.braked() if any(e.kind == OWED for e in events) else ""
        if braked:
            desk.store.put_off([e.id for e in events if e.kind == OWED], braked, desk.now() + PAUSE)
            events = tuple(e for e in events if e.kind != OWED)
        if events:
            _tried(desk, events)
        return len(events)


def _tried(desk: Desk, events: tuple[inbox.Event, ...]) -> None:
    ids, tries = [e.id for e in events], events[-1].attempts
    try:
        came = [Came(e.kind, event_of(e.payload), e.received_at) for e in events]
    except (TypeError, ValueError, KeyError) as e:  # another version of this program wrote it
        desk.store.put_back(ids, trouble(e), desk.now(), most=0)
        return
    last = came[-1].event
    limit = desk.limited(last.installation)
    if limit is not None:
        desk.store.put_off(ids, trouble(limit), limit.until)
        return
    # what ends the program comes again later each time, so that the others have their turn
    desk.store.begin(ids, desk.now() + LEASE * 2 ** min(tries, 7))
    try:
        handle(desk, came)
    except Limited as e:
        desk.limited(last.installation, e)
        desk.store.put_back(ids, trouble(e), e.until, counts=False)
        _log_failure(desk, last, e)
    except Overtaken:
        return  # they are for whoever has the issue
    except Exception as e:
        most = _MOST_TRIES if isinstance(e, ForgeError) else inbox.MOST_ATTEMPTS
        again = desk.now() + min(_FIRST_RETRY * 2 ** min(tries, 20), _LONGEST_RETRY)
        desk.store.put_back(ids, trouble(e), again, most=most)
        _log_failure(desk, last, e)
    else:
        desk.store.finish(ids)


def _log_failure(desk: Desk, event: Event, e: Exception) -> None:
    ref = f"{event.repo}#{event.number}" if event.number else ""
    desk.log(event.repo, ref, "wait" if isinstance(e, NotYet) else "failed", detail=trouble(e))
