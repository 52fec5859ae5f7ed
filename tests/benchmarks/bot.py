"""How soon the bot answers, how it drains a thousand issues, and how much memory it takes.

Real processes and a real database on the emulated GitHub; the thousand issues run on a simulated clock, on which a
write takes the second that GitHub asks for. It is no test: `python -m tests.benchmarks.bot [ROUNDS [ISSUES]]` runs it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from github.Repository import Repository

from bot.fetch import Fetcher
from bot.fetch.guard import policy_of
from bot.forge import Threads
from bot.knowledge import load_known
from bot.service.desk import Desk
from bot.service.running import ingest, work
from bot.watched.attachments import Attachment
from bot.watched.events import Event, Kind
from kb.store import Store, upgrade
from tests.bot.conftest import INSTALLATION, LOGIN, GitHub, emulated
from tests.bot.harness import ALIASING, VERSION
from tests.bot.processes import environment, rows, serving, until
from tests.cli.test_artifact import REPORT, hub

LOG_ONLY, WITH_CHECK, MEMORY = 10.0, 60.0, 300  # seconds, seconds, MB
A_MINUTE, AN_HOUR = 80, 500  # writes
REPOSITORIES = 10
POLICY = (
    'mode = "comment"\nproducts = ["foundry-local-cli"]\n[budget]\ncomments_per_hour = 200\ncomments_per_day = 2000\n'
)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    issues = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    kept = True
    with emulated() as github, tempfile.TemporaryDirectory() as folder:
        kept &= _answers(github, Path(folder), rounds)
        kept &= _drain(github, Path(folder), issues)
    say(f"\n{'every limit kept' if kept else 'A LIMIT IS BROKEN'}")
    return 0 if kept else 1


def _answers(github: GitHub, folder: Path, rounds: int) -> bool:
    """First comments of a real process: by the log alone, and with a model that is checked on a loopback hub."""
    repository = _repository(github, "answers")
    with hub() as models:
        settings = environment(github, folder / "serve") | {"HF_ENDPOINT": models.url}
        with serving(settings, "--port", str(github.hook)) as service:
            by_log = [_first(github, repository, ALIASING + VERSION) for _ in range(rounds)]
            with_check = [_first(github, repository, REPORT) for _ in range(rounds)]
            checked = until(lambda: rows(settings, "select 1 from finding_seen"), 60)
            memory = _peak(service.process.pid)
    kept = _say("first comment, log only", by_log, LOG_ONLY)
    kept &= _say("first comment, model on a hub", with_check, WITH_CHECK)
    say(f"{'model checked':<34}{'yes' if checked else 'NO'}, {len(models.asked)} requests to the hub")
    say(f"{'memory of serve, at most':<34}{memory:>6.0f} MB, limit {MEMORY}")
    return kept and checked and memory < MEMORY


def _first(github: GitHub, repository: Repository, body: str) -> float:
    """Seconds from the moment an issue is opened, which is when its webhook is sent, to its comment."""
    theirs = github.user("reporter").get_repo(repository.full_name)
    began = time.monotonic()
    issue = theirs.create_issue("it stops", body)
    if not until(lambda: any(c.user.login == LOGIN for c in issue.get_comments()), 120):
        return float("inf")
    return time.monotonic() - began


def _peak(pid: int) -> float:
    """The most memory that a process ever had, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


class _Spaced(Threads):
    """On a clock that a request moves on by what GitHub asks for: a second for a write, a quarter for a reading."""

    def __init__(self, github: GitHub, spend: Callable[[float], None], written: Callable[[str], None]) -> None:
        super().__init__(github.app().access(INSTALLATION), github.url, spacing=0, write_spacing=0)
        self._spend, self._written = spend, written

    def get(self, *args: Any, **more: Any) -> Any:
        self._spend(0.25)
        return super().get(*args, **more)

    def send(self, verb: str, *args: Any, **more: Any) -> Any:
        self._spend(1)
        self._written(verb)
        return super().send(verb, *args, **more)


def _drain(github: GitHub, folder: Path, issues: int) -> bool:
    """Issues that are all waiting at once, until each has its comment."""
    url = f"sqlite:///{folder / 'drain.db'}"
    upgrade(url)
    with closing(Store.at(url)) as store, store.kept_open():
        return _drained(github, store, issues)


def _drained(github: GitHub, store: Store, issues: int) -> bool:
    clock = [datetime.now(UTC)]
    writes: list[datetime] = []

    def spend(seconds: float) -> None:
        clock[0] += timedelta(seconds=seconds)

    hours: dict[int, _Spaced] = {}  # a token for each simulated hour: the emulator counts requests on the real clock

    def threads(*_: object) -> _Spaced:
        hour = int(clock[0].timestamp() // 3600)
        return hours.get(hour) or hours.setdefault(hour, _Spaced(github, spend, lambda _: writes.append(clock[0])))

    known = load_known()
    desk = Desk(
        store,
        threads,
        LOGIN,
        lambda: known,
        lambda: clock[0],
        lambda address: Attachment(address, ""),
        lambda: Fetcher(policy_of("http://127.0.0.1:9", ()), "http://127.0.0.1:9"),
    )
    for n in range(REPOSITORIES):
        repository = _repository(github, f"drain{n}")
        theirs = github.user("reporter").get_repo(repository.full_name)
        for _ in range(issues // REPOSITORIES):
            number = theirs.create_issue("it stops", ALIASING + VERSION).number
            event = Event(Kind.ISSUE, "opened", repository.full_name, repository.id, number, installation=INSTALLATION)
            ingest(desk, f"{n} {number}", event)
    began, wall = clock[0], time.monotonic()
    wanted = issues // REPOSITORIES * REPOSITORIES
    while store.done_since(began - timedelta(days=1), "posted") < wanted and clock[0] - began < timedelta(days=1):
        if not work(desk):
            spend(10)
    posted = store.done_since(began - timedelta(days=1), "posted")
    minute, hour = _most(writes, timedelta(minutes=1)), _most(writes, timedelta(hours=1))
    say(f"{'issues drained':<34}{posted} of {wanted}, {len(writes)} writes, in {clock[0] - began} (simulated)")
    say(f"{'writes in a minute, an hour':<34}{minute}, {hour}; limits {A_MINUTE}, {AN_HOUR}")
    say(f"{'work for an issue':<34}{(time.monotonic() - wall) / wanted * 1000:.0f} ms")
    memory = _peak(os.getpid())
    say(f"{'memory while draining, at most':<34}{memory:>6.0f} MB, limit {MEMORY}")
    return posted == len(writes) == wanted and minute <= A_MINUTE and hour <= AN_HOUR and memory < MEMORY


def _most(moments: list[datetime], span: timedelta) -> int:
    """The most of them that fall into any such span."""
    most, first = 0, 0
    for last, at in enumerate(moments):
        while at - moments[first] >= span:
            first += 1
        most = max(most, last - first + 1)
    return most


def _repository(github: GitHub, name: str) -> Repository:
    made = github.user("maintainer").get_user().create_repo(name, auto_init=True)  # type: ignore[union-attr]
    made.create_file(".github/triage.toml", "policy", POLICY)
    return made


def _say(what: str, seconds: list[float], limit: float) -> bool:
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    say(f"{what:<34}{ordered[len(ordered) // 2]:>6.1f} s median, {p95:.1f} s p95, limit {limit:.0f} s")
    return p95 < limit


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
