"""The program as people run it: child processes that talk to the emulated GitHub."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.bot.conftest import APP, SECRET, GitHub


def environment(github: GitHub, folder: Path) -> dict[str, str]:
    """That of a fresh account with the App's settings."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "app.pem").write_text(github.key)
    (folder / "hook").write_text(SECRET)
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "SYSTEMROOT") or k.startswith("COV_")}
    return kept | {
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "PYTHONUTF8": "1",
        "GITHUB_API_URL": github.url,
        "TRIAGE_CACHE_DIR": str(folder / "cache"),
        "TRIAGE_DATABASE_URL": f"sqlite:///{folder / 'triage.db'}",
        "TRIAGE_GITHUB_APP_ID": str(APP),
        "TRIAGE_GITHUB_APP_KEY_FILE": str(folder / "app.pem"),
        "TRIAGE_WEBHOOK_SECRET_FILE": str(folder / "hook"),
    }


def with_token(environment: dict[str, str], token: str = "") -> dict[str, str]:
    """The same without the App; "" is nobody."""
    rest = {k: v for k, v in environment.items() if not k.startswith("TRIAGE_GITHUB_APP")}
    return rest | ({"TRIAGE_GITHUB_TOKEN": token} if token else {})


def triage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """One command, run to its end; a traceback fails at once."""
    done = subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    return done


class Service(NamedTuple):
    process: subprocess.Popen[str]
    listening: str  # what it said when it was ready

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code, negative for the signal that ended it."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(30)


@contextmanager
def serving(environment: dict[str, str], *arguments: str) -> Iterator[Service]:
    """`triage serve`, from the moment that it listens on."""
    command = [sys.executable, "-m", "bot", "serve", *arguments]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        service = Service(process, process.stdout.readline())
        try:
            yield service
        finally:
            service.end(signal.SIGKILL)


def until(holds: Callable[[], object], seconds: float = 30) -> bool:
    """Whether something comes to hold in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False


def rows(environment: dict[str, str], query: str) -> list[tuple[object, ...]]:
    """What the store of a process holds, read from outside."""
    with closing(sqlite3.connect(environment["TRIAGE_DATABASE_URL"].removeprefix("sqlite:///"))) as database:
        return database.execute(query).fetchall()
