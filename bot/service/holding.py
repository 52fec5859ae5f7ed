"""An issue in one process's hands: nobody else answers or writes there until it is let go.

The lease is short and renewed while the work goes on, so that what a killed process held is free again soon. A process
that comes late all the same, since it was suspended or its clock is off, learns that at `Hold.check`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread

from bot.service.desk import Desk
from kb.store import StoreError
from kb.store.conversations import Overtaken

LEASE = timedelta(seconds=30)
_BEAT = 10.0  # seconds between two renewals
_MOST_BEATS = 120  # what takes longer than this hangs, and holds nothing any more


class Hold:
    """An issue that is held."""

    def __init__(self, desk: Desk, issue: str) -> None:
        self._desk, self._issue = desk, issue

    def check(self) -> None:
        """For right before a write. Raises Overtaken where somebody else has the issue by now."""
        if not self.renew():
            raise Overtaken(f"another process has taken {self._issue}")

    def renew(self) -> bool:
        return self._desk.store.keep_lease(self._issue, self._desk.owner, self._desk.now(), LEASE)


@contextmanager
def held(desk: Desk, issue: str) -> Iterator[Hold | None]:
    """The issue in hand; None where somebody else has it. What ends the process leaves the lease to run out."""
    if not desk.store.take_lease(issue, desk.owner, desk.now(), LEASE):
        yield None
        return
    hold, over = Hold(desk, issue), Event()
    beating = Thread(target=_beat, args=(hold, over), daemon=True)
    beating.start()
    try:
        yield hold
    except (Exception, KeyboardInterrupt):
        _end(beating, over)
        desk.store.end_lease(issue, desk.owner)
        raise
    else:
        _end(beating, over)
        desk.store.end_lease(issue, desk.owner)
    finally:
        over.set()


def _end(beating: Thread, over: Event) -> None:
    over.set()
    beating.join()


def _beat(hold: Hold, over: Event) -> None:
    for _ in range(_MOST_BEATS):
        if over.wait(_BEAT):
            return
        try:
            if not hold.renew():
                return
        except StoreError:
            continue  # the next beat is in time as well; without any, `check` tells
