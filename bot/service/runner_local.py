"""The work of one process, on APScheduler's threads: one worker, polls, and what is forgotten after its time.

A store that cannot be used, since it is gone, full, locked or read-only, is asked again later and later, and told in
one line; each turn writes a mark there once in a while, so that one that can merely be read is noticed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from bot.forge import ForgeError
from bot.service.desk import Desk, trouble
from bot.service.polling import poll
from bot.service.running import notice, work
from kb.records import Remembered
from kb.store import StoreError

_LOG = logging.getLogger("triage")
_EVERY = 2  # seconds between two looks at the inbox; a webhook wakes the worker at once
_POLL = 5  # minutes
_NOTICE = 30  # seconds between two looks at what is known
_MARK, _MARK_EVERY = "alive", timedelta(seconds=20)
_FIRST_WAIT, _LONGEST_WAIT = timedelta(seconds=2), timedelta(seconds=30)
_DEAD = timedelta(minutes=5)  # a worker that has not come back for so long is none


class Runner:
    """Start it, wake it when something came in, stop it. Jobs are kept in memory: the store says what is to be done.
    One after another, since a connection to GitHub is nothing for several threads."""

    def __init__(self, desk: Desk, repos: Sequence[str] = ()) -> None:
        self._desk = desk
        self._alive: datetime = desk.now()
        self._ending = False
        self.ails = ""  # why the last turn failed, in full
        self._wait, self._again = _FIRST_WAIT, self._alive
        self._marked: datetime | None = None
        logging.getLogger("apscheduler").setLevel(logging.ERROR)  # a turn that outlasts its interval is no trouble
        self._jobs = BackgroundScheduler(
            timezone="UTC",
            executors={"default": ThreadPoolExecutor(1)},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        self._work = self._jobs.add_job(self._turn, "interval", seconds=_EVERY, id="work")
        for repo in repos:
            self._jobs.add_job(self._poll, "interval", minutes=_POLL, args=[repo], id=f"poll {repo}", jitter=30)
        self._jobs.add_job(self._notice, "interval", seconds=_NOTICE, id="notice", next_run_time=datetime.now(UTC))
        self._jobs.add_job(self._forget, "interval", hours=24, id="forget")

    def start(self) -> None:
        self._jobs.start()

    def stop(self) -> None:
        """Ends after the issue that is being worked on; what is left is done by whoever starts next."""
        self._ending = True
        self._jobs.shutdown(wait=True)

    def wake(self) -> None:
        self._work.modify(next_run_time=datetime.now(self._jobs.timezone))

    def trouble(self) -> str:
        """Why nothing gets done at this moment, "" where it does; anybody may read it, so that it names no address."""
        if not self._jobs.running or self._desk.now() - self._alive >= _DEAD:
            return "the worker does not come back"
        return "nothing gets done; the log says why" if self.ails else ""

    def falters(self, why: str) -> None:
        """What kept anybody here from using the store; it counts until a turn goes well."""
        self.ails = why

    def _turn(self) -> None:
        if self._tried(self._work_off) and self.ails:
            _LOG.warning("the work goes on again")
            self.ails, self._wait = "", _FIRST_WAIT

    def _work_off(self) -> None:
        now = self._desk.now()
        if self.ails or self._marked is None or now - self._marked > _MARK_EVERY:
            self._desk.store.remember_etag(_MARK, Remembered(None, None, now.isoformat()), now)
            self._marked = now
        work(self._desk, self._goes_on)

    def _tried(self, act: Callable[[], object]) -> bool:
        """Whether a piece of work was done. One that fails is told, and holds up the next one."""
        # a worker without work is alive, and so is one that waits
        if not self._goes_on() or self._desk.now() < self._again:
            return False
        try:
            act()
        except Exception as e:
            if isinstance(e, StoreError | OSError):
                why = str(e)
                _LOG.warning("nothing gets done: %s; it is tried again in %d seconds", why, self._wait.seconds)
            else:
                why = trouble(e)
                _LOG.exception("nothing gets done; it is tried again in %d seconds", self._wait.seconds)
            self.ails, self._again = why, self._desk.now() + self._wait
            self._wait = min(self._wait * 2, _LONGEST_WAIT)
            return False
        return True

    def _goes_on(self) -> bool:
        self._alive = self._desk.now()
        return not self._ending

    def _notice(self) -> None:
        def look() -> None:
            if notice(self._desk):
                self.wake()

        self._tried(look)

    def _poll(self, repo: str) -> None:
        def ask() -> None:
            try:
                poll(self._desk, repo)
            except ForgeError as e:
                _LOG.warning("%s cannot be asked: %s", repo, e)

        self._tried(ask)

    def _forget(self) -> None:
        self._tried(lambda: self._desk.store.forget(self._desk.now()))
