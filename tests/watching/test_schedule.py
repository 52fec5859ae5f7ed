"""When repositories are looked at, and that none of them holds up the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.storage import moment, writable
from bot.watching.look import Looked
from bot.watching.schedule import Schedule
from bot.watching.told import tell
from kb.store import Store, StoreError
from tests.loopback import Asked, Handler, serving

NOW = datetime(2026, 12, 1, tzinfo=UTC)
Tick = Callable[[str], None]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("TRIAGE_DATABASE_URL", f"sqlite:///{tmp_path}/triage.db")
    with writable() as opened:
        yield opened


class _Noted:
    def __init__(self, store: Store, look: Callable[[str, Tick], Looked], every: timedelta, now: bool = False) -> None:
        self.said: list[str] = []
        self.computed = 0
        self.schedule = Schedule(
            store,
            look,
            self._recompute,
            every=every,
            moment=(lambda: NOW) if now else moment,
            say=self.said.append,
            settling=timedelta(seconds=3.5),
        )

    def _recompute(self, tick: Tick) -> tuple[str, ...]:
        self.computed += 1
        return ()


def _until(wanted: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not wanted():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def test_failures_in_a_row_put_a_look_off_further_and_further_up_to_a_day(store: Store) -> None:
    schedule = _Noted(store, lambda repo, tick: Looked(0), timedelta(hours=1), now=True).schedule
    wrong, right = Looked(0, ("no",)), Looked(0)
    for n in range(1, 12):
        hours = min(2**n, 24)
        wait = (schedule.next_look("a/b", wrong) - NOW) / timedelta(hours=1)
        assert 0.8 * hours <= wait <= 1.2 * hours
    assert schedule.next_look("c/d", wrong) - NOW <= timedelta(hours=2.4)  # each repository for itself
    assert schedule.next_look("a/b", right) - NOW <= timedelta(hours=1.2)
    assert schedule.next_look("a/b", wrong) - NOW <= timedelta(hours=2.4)


def test_a_limit_is_waited_for_and_repositories_do_not_come_back_together(store: Store) -> None:
    schedule = _Noted(store, lambda repo, tick: Looked(0), timedelta(minutes=5), now=True).schedule
    until = NOW + timedelta(hours=3)
    moments = {schedule.next_look(f"a/b{n}", Looked(0, ("limit",), until)) for n in range(20)}
    assert min(moments) > until
    assert max(moments) <= until + timedelta(minutes=1)
    assert len(moments) == 20


def test_one_that_breaks_or_fails_is_named_and_recorded_and_the_others_are_looked_at(store: Store) -> None:
    def look(repo: str, tick: Tick) -> Looked:
        if repo == "acme/broken":
            raise ZeroDivisionError("by nobody")
        return Looked(1, ("acme/failing: no",)) if repo == "acme/failing" else Looked(2)

    noted = _Noted(store, look, timedelta(hours=1))
    assert noted.schedule.once(("acme/broken", "acme/failing", "acme/good")) == 2
    assert noted.said == ["acme/broken: ZeroDivisionError: by nobody", "acme/failing: no"]
    assert noted.computed == 1
    runs = {r.name: (r.outcome, r.found) for r in store.job_runs()}
    assert runs == {
        "look acme/broken": ("failed", 0),
        "look acme/failing": ("failed", 1),
        "look acme/good": ("ok", 2),
        "answers": ("ok", 0),
    }


def test_looks_go_on_while_one_of_them_hangs_and_never_two_at_one_repository(store: Store) -> None:
    """The interval is short, so that many looks are due at once."""
    running: dict[str, int] = {}
    seen: list[str] = []
    lock = threading.Lock()
    noted: _Noted

    def look(repo: str, tick: Tick) -> Looked:
        with lock:
            running[repo] = running.get(repo, 0) + 1
            assert running[repo] == 1
        try:
            while repo == "acme/hanging":
                tick("still at it")
                time.sleep(0.02)
        finally:
            with lock:
                running[repo] -= 1
                seen.append(repo)
        return Looked(1)

    noted = _Noted(store, look, timedelta(milliseconds=50))
    thread = threading.Thread(target=noted.schedule.run, args=(("acme/hanging", "acme/good"),))
    thread.start()
    _until(lambda: seen.count("acme/good") >= 3)
    assert "acme/hanging" not in seen
    noted.schedule.stop.set()
    thread.join(20)
    assert not thread.is_alive()  # what hung was broken off
    assert noted.said == []


def test_what_was_found_leads_to_one_computation(store: Store) -> None:
    noted = _Noted(store, lambda repo, tick: Looked(1), timedelta(hours=1))
    repos = tuple(f"acme/r{n}" for n in range(3))
    thread = threading.Thread(target=noted.schedule.run, args=(repos,))
    thread.start()
    _until(lambda: noted.computed == 1)
    noted.schedule.stop.set()
    thread.join(20)
    assert noted.computed == 1


def test_a_database_that_is_away_for_a_time_ends_no_watching(store: Store) -> None:
    looks: list[int] = []

    def look(repo: str, tick: Tick) -> Looked:
        looks.append(1)
        with store.engine.begin() as connection:
            if len(looks) == 1:
                connection.exec_driver_sql("ALTER TABLE job_run RENAME TO elsewhere")
            elif len(looks) == 3:
                connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO job_run")
        return Looked(0)

    noted = _Noted(store, look, timedelta(milliseconds=50))
    thread = threading.Thread(target=noted.schedule.run, args=(("acme/good",),))
    thread.start()
    _until(lambda: any(r.name == "look acme/good" for r in store.job_runs()) if len(looks) > 4 else False)
    noted.schedule.stop.set()
    thread.join(20)
    assert [w.partition(":")[0] for w in noted.said] == ["look acme/good is not recorded"] * 2


def test_answers_that_could_not_be_computed_are_computed_after_the_next_look(store: Store) -> None:
    looks: list[int] = []

    def look(repo: str, tick: Tick) -> Looked:
        looks.append(1)
        return Looked(found=len(looks) == 1)

    tried: list[int] = []

    def recompute(tick: Tick) -> tuple[str, ...]:
        tried.append(1)
        if len(tried) == 1:
            raise StoreError("the database cannot be used")
        return ()

    said: list[str] = []
    schedule = Schedule(
        store,
        look,
        recompute,
        every=timedelta(milliseconds=300),
        moment=moment,
        say=said.append,
        settling=timedelta(0),
    )
    thread = threading.Thread(target=schedule.run, args=(("acme/good",),))
    thread.start()
    _until(lambda: len(tried) == 2)
    schedule.stop.set()
    thread.join(20)
    assert said == ["answers were not computed: StoreError: the database cannot be used"]


def test_the_watcher_ends_at_a_signal_although_a_remote_hangs(tmp_path: Path) -> None:
    asked = threading.Event()

    def silent(handler: Handler, _: Asked) -> None:
        asked.set()
        time.sleep(30)

    with serving(silent) as server:
        server.daemon_threads = True
        server.block_on_close = False
        kept = {k: v for k, v in os.environ.items() if k == "PATH" or k.startswith("COV_")}
        variables = kept | {
            "HOME": str(tmp_path),
            "TRIAGE_CACHE_DIR": str(tmp_path / "cache"),
            "TRIAGE_DATABASE_URL": f"sqlite:///{tmp_path}/triage.db",
            "GITHUB_API_URL": server.url,
            "GITHUB_SERVER_URL": server.url,
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        }
        command = [sys.executable, "-m", "bot", "watch", "microsoft/onnxruntime-genai"]
        with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert asked.wait(30)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=20)
    assert process.returncode == 0, err.decode()
    assert b"Traceback" not in err
    assert b"watching 1 repositories" in out


def test_what_github_told_of_is_looked_at_before_its_turn(store: Store) -> None:
    now = NOW
    looks: list[str] = []

    def look(repo: str, tick: Tick) -> Looked:
        looks.append(repo)
        return Looked(0)

    schedule = Schedule(
        store, look, lambda tick: (), every=timedelta(hours=1), moment=lambda: now, say=lambda words: None
    )
    tell(store, "a/b", now - timedelta(minutes=5))
    schedule.once(("a/b", "c/d"))
    now += timedelta(minutes=10)
    assert schedule.news(("a/b", "c/d")) == ()  # it was looked at since

    tell(store, "a/b", now)
    assert schedule.news(("a/b", "c/d")) == ("a/b",)
    schedule.once(("a/b",))
    tell(store, "a/b", now)  # in the middle of the look
    assert schedule.news(("a/b",)) == ()
    now += timedelta(minutes=2)
    assert schedule.news(("a/b",)) == ("a/b",)
