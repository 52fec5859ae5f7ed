"""Whether the worker of a process is seen to be alive."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.fetch import Fetcher
from bot.fetch.guard import policy_of
from bot.forge import Threads
from bot.knowledge import load_known
from bot.service.desk import Desk
from bot.service.runner_local import Runner
from bot.watched.attachments import Attachment
from kb.store import Store, upgrade


def desk_at(store: Store, now: Callable[[], datetime]) -> Desk:
    return Desk(
        store,
        lambda repo, installation: Threads(None, "http://127.0.0.1:9"),
        "",
        load_known,
        now,
        lambda url: Attachment(url, ""),
        lambda: Fetcher(policy_of("http://127.0.0.1:9", ()), "http://127.0.0.1:9"),
    )


def soon(runner: Runner, holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold while the worker takes its turns."""
    until = time.monotonic() + 30
    while not holds() and time.monotonic() < until:
        runner.wake()
        time.sleep(0.05)
    return holds()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path / 'triage.db'}"
    upgrade(url)
    with closing(Store.at(url)) as opened, opened.kept_open():
        yield opened


def test_a_worker_that_has_nothing_to_do_for_long_is_alive(store: Store) -> None:
    begun, idle = datetime.now(UTC), [timedelta(0)]
    runner = Runner(desk_at(store, lambda: begun + idle[0]))
    assert runner.trouble()
    runner.start()
    try:
        idle[0] = timedelta(hours=1)
        assert runner.trouble()
        assert soon(runner, lambda: not runner.trouble())
    finally:
        runner.stop()
    assert runner.trouble()


def test_a_store_that_is_gone_for_a_while_is_told_in_one_line_and_found_again(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, away = tmp_path / "triage.db", tmp_path / "away"
    away.mkdir()
    begun, later = datetime.now(UTC), [timedelta(0)]
    runner = Runner(desk_at(store, lambda: begun + later[0]))
    runner.start()
    try:
        assert soon(runner, lambda: not runner.trouble())
        found = [f for f in tmp_path.glob("triage.db*") if f.is_file()]
        for one in found:
            one.rename(away / one.name)
        assert soon(runner, lambda: runner.trouble() == "nothing gets done; the log says why")
        assert f"the database {file} is gone; put it back" in runner.ails
        assert not file.exists()
        later[0] = timedelta(seconds=3)
        assert soon(runner, lambda: len(caplog.records) > 1)
        for one in found:
            (away / one.name).rename(one)
        later[0] = timedelta(seconds=10)
        assert soon(runner, lambda: not runner.trouble())
    finally:
        runner.stop()
    *told, well = (record.getMessage() for record in caplog.records if record.name == "triage")
    assert [line.rpartition("; ")[2] for line in told] == [f"it is tried again in {n} seconds" for n in (2, 4)]
    assert well == "the work goes on again"
    assert not any(record.exc_info for record in caplog.records)


def test_a_store_that_can_merely_be_read_is_told(store: Store, tmp_path: Path) -> None:
    begun, later = datetime.now(UTC), [timedelta(0)]
    runner = Runner(desk_at(store, lambda: begun + later[0]))
    with closing(sqlite3.connect(tmp_path / "triage.db", isolation_level=None)) as other:
        runner.start()
        try:
            assert soon(runner, lambda: not runner.trouble())
            other.execute("ALTER TABLE remembered RENAME TO elsewhere")
            later[0] = timedelta(seconds=30)
            assert soon(runner, lambda: "no such table: remembered" in runner.ails)
            other.execute("ALTER TABLE elsewhere RENAME TO remembered")
            later[0] = timedelta(seconds=40)
            assert soon(runner, lambda: not runner.trouble())
        finally:
            runner.stop()
