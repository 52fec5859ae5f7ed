"""Whether the worker of a process is seen to be alive."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.fetch import Fetcher
from bot.fetch.guard import policy_of
from bot.forge import Threads
from bot.knowledge import load_known
from bot.service.desk import Desk
from bot.service.runner_local import Runner
from bot.watched.attachments import Attachment
from kb.store import Store, upgrade


def test_a_worker_that_has_nothing_to_do_for_long_is_alive(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'triage.db'}"
    upgrade(url)
    store, begun, idle = Store.at(url), datetime.now(UTC), [timedelta(0)]
    desk = Desk(
        store,
        lambda repo, installation: Threads(None, "http://127.0.0.1:9"),
        "",
        load_known,
        lambda: begun + idle[0],
        lambda url: Attachment(url, ""),
        lambda: Fetcher(policy_of("http://127.0.0.1:9", ()), "http://127.0.0.1:9"),
    )
    runner = Runner(desk)
    assert runner.trouble()
    runner.start()
    try:
        idle[0] = timedelta(hours=1)
        assert runner.trouble()
        until = time.monotonic() + 30
        while runner.trouble() and time.monotonic() < until:
            runner.wake()
            time.sleep(0.05)
        assert runner.trouble() == ""
    finally:
        runner.stop()
        store.close()
    assert runner.trouble()
