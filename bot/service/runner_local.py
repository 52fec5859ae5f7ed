"""The work of one process, on APScheduler's threads: one worker, polls, and what is forgotten after its time."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from bot.forge import ForgeError
from bot.service.desk import Desk
from bot.service.polling import poll
from bot.service.running import notice, work

_LOG = logging.getLogger("triage")
_EVERY = 2  # seconds between two looks at the inbox; a webhook wakes the worker at once
_POLL = 5  # minutes
_NOTICE = 30  # seconds between two looks at what is known
_DEAD = timedelta(minutes=5)  # a worker that has not come back for so long is none


class Runner:
    """Start it, wake it when something came in, stop it. Jobs are kept in memory: the store says what is to be done.
    One after another, since a connection to GitHub is nothing for several threads."""

    def __init__(self, desk: Desk, repos: Sequence[str] = ()) -> None:
        self._desk = desk
        self._alive: datetime = desk.now()
        self._ending = False
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

    def is_alive(self) -> bool:
        return self._jobs.running and self._desk.now() - self._alive < _DEAD

    def _turn(self) -> None:
        if self._goes_on():  # where nothing is due as well: a worker without work is alive
            work(self._desk, self._goes_on)

    def _goes_on(self) -> bool:
        self._alive = self._desk.now()
        return not self._ending

    def _notice(self) -> None:
        if notice(self._desk):
            self.wake()

    def _poll(self, repo: str) -> None:
        if not self._goes_on():
            return
        try:
            poll(self._desk, repo)
        except ForgeError as e:
            _LOG.warning("%s cannot be asked: %s", repo, e)

    def _forget(self) -> None:
        self._desk.store.forget(self._desk.now())
