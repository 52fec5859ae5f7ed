"""When each repository is looked at: at its interval, later after a failure, and never two looks at once.

Jobs live in memory: two processes that share a scheduler's store run each job twice (APScheduler#129).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import SchedulerNotRunningError

from bot.watching.look import Looked
from bot.watching.told import told
from kb.records import JobRecord
from kb.store import Store, StoreError

LONGEST = timedelta(days=1)
_TOLD = timedelta(seconds=15)  # between two questions whether there are news
_PAUSE = timedelta(minutes=1)  # at least, between two looks at a repository because of news
_AT_ONCE = 3  # repositories
SETTLING = timedelta(seconds=5)
Say = Callable[[str], None]


class Stopping(Exception):
    """Asked to stop, in the middle of a look."""


class Schedule:
    def __init__(
        self,
        store: Store,
        look: Callable[[str, Callable[[str], None]], Looked],
        recompute: Callable[[Callable[[str], None]], tuple[str, ...]],
        *,
        every: timedelta,
        moment: Callable[[], datetime],
        say: Say,
        settling: timedelta = SETTLING,
        stop: Event | None = None,
    ) -> None:
        """`look` looks at one repository, `recompute` computes answers anew and gives what went wrong. After a find,
        `settling` passes before that, so that several finds make one computation; `stop` ends it all."""
        self._store = store
        self._look = look
        self._recompute = recompute
        self._every = every
        self._moment = moment
        self._say = say
        self._failures: dict[str, int] = {}
        self._owed = False  # whether what was found last is still to be computed
        self._settling = settling
        self._began: dict[str, datetime] = {}  # when each repository was looked at last
        self.stop = stop or Event()

    def once(self, repos: tuple[str, ...]) -> int:
        """One look at each, one after another, and one computation; the number of things that went wrong."""
        wrong = sum(len(self._one(repo).trouble) for repo in repos)
        return wrong + len(self._computed())

    def run(self, repos: tuple[str, ...]) -> None:
        """Look until `stop` is set. What is under way then is broken off."""
        executors = {"default": ThreadPoolExecutor(_AT_ONCE), "answers": ThreadPoolExecutor(1)}
        settings = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        scheduler = BackgroundScheduler(executors=executors, job_defaults=settings, timezone="UTC")

        def look(repo: str) -> None:
            looked = self._one(repo)
            at = self.next_look(repo, looked)
            if self.stop.is_set():
                return
            scheduler.add_job(look, "date", run_date=at, args=(repo,), id=repo, replace_existing=True)
            if looked.found or self._owed:
                soon = self._moment() + self._settling
                scheduler.add_job(
                    self._computed, "date", run_date=soon, id="answers", executor="answers", replace_existing=True
                )

        for n, repo in enumerate(repos):
            start = self._moment() + timedelta(seconds=n)
            scheduler.add_job(look, "date", run_date=start, args=(repo,), id=repo)
        scheduler.start()
        asked = self._moment()
        try:
            while not self.stop.wait(1.0):
                if self._moment() - asked < _TOLD:
                    continue
                asked = self._moment()
                for repo in self.news(repos):
                    scheduler.add_job(look, "date", run_date=asked, args=(repo,), id=repo, replace_existing=True)
        finally:
            self.stop.set()
            try:
                scheduler.shutdown()
            except SchedulerNotRunningError:
                self._say("the scheduler had ended already")

    def news(self, repos: tuple[str, ...]) -> tuple[str, ...]:
        """The repositories of which somebody told that something new is there since the last look at them began."""
        now = self._moment()
        found: list[str] = []
        for repo in repos:
            began = self._began.get(repo)
            try:
                since = told(self._store, repo)
            except StoreError as e:
                self._say(f"the store does not say what is new: {e}")
                break
            if began is not None and since is not None and since >= began and now - began > _PAUSE:
                found.append(repo)
        return tuple(found)

    def next_look(self, repo: str, looked: Looked) -> datetime:
        """At the interval; twice as late after each failure in a row, up to a day; not before a limit has passed.

        Spread at random, so that repositories that failed together are not asked together again.
        """
        failures = self._failures.get(repo, 0) + 1 if looked.trouble else 0
        self._failures[repo] = failures
        wait = min(self._every * 2 ** min(failures, 16), max(LONGEST, self._every))
        at: datetime = self._moment() + wait * random.uniform(0.8, 1.2)  # noqa: S311 - spreads requests, hides nothing
        return max(at, looked.until + timedelta(seconds=random.uniform(1, 60))) if looked.until else at  # noqa: S311

    def _one(self, repo: str) -> Looked:
        started = self._began[repo] = self._moment()
        try:
            looked = self._look(repo, self._tick)
        except Stopping:
            return Looked(0, ("broken off",))
        except Exception as e:  # one repository never stops the others
            looked = Looked(0, (f"{repo}: {type(e).__name__}: {e}",))
        for words in looked.trouble:
            self._say(words)
        outcome = "failed" if looked.trouble else "ok"
        detail = "; ".join(looked.trouble)
        self._record(JobRecord(f"look {repo}", started, self._moment(), outcome, detail, looked.found))
        return looked

    def _computed(self) -> tuple[str, ...]:
        started = self._moment()
        try:
            trouble = self._recompute(self._tick)
        except Stopping:
            return ("broken off",)
        except Exception as e:  # the next look computes them anew
            trouble = (f"answers were not computed: {type(e).__name__}: {e}",)
        for words in trouble:
            self._say(words)
        self._owed = bool(trouble)
        outcome = "failed" if trouble else "ok"
        self._record(JobRecord("answers", started, self._moment(), outcome, "; ".join(trouble), 0))
        return trouble

    def _record(self, run: JobRecord) -> None:
        """Write a run down. A database that is away just then ends no watching."""
        try:
            self._store.record_job_run(run)
        except StoreError as e:
            self._say(f"{run.name} is not recorded: {e}")

    def _tick(self, words: str) -> None:
        """Called while something takes its time."""
        if self.stop.is_set():
            raise Stopping(words)
