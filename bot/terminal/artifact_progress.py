"""A bar on stderr while a remote artifact is read: which check is at work, what has been transferred. Nothing in a
pipe, and nothing for work that is done within a second."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.terminal import is_terminal, one_line

if TYPE_CHECKING:
    from threading import Event

    from bot.fetch.budget import Budget

_PATIENCE = 1.0  # seconds
_REFRESH = 0.1


class Reading:
    """What is going on: the budget once something remote is opened, and the checks that were started, of `checks`."""

    def __init__(self, ref: str, checks: int) -> None:
        self.checks = checks
        self.begin(ref)

    def begin(self, ref: str) -> None:
        """Another artifact's turn."""
        self.ref = ref
        self.done = 0
        self.doing = "looking it up"
        self.budget: Budget | None = None

    def started(self, budget: Budget) -> None:
        self.budget = budget

    def check(self, id_: str) -> None:
        self.done += 1
        self.doing = id_

    def __str__(self) -> str:
        cost = f"{self.budget.bytes / 1e6:.1f} MB in {self.budget.requests} requests" if self.budget else ""
        return f"{self.doing}  {cost}"


@contextmanager
def watching(reading: Reading) -> Iterator[None]:
    """Show `reading` on a terminal until it is over."""
    if not is_terminal(sys.stderr):
        yield
        return
    from threading import Event, Thread

    over = Event()
    watcher = Thread(target=_watch, args=(over, reading), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(over: Event, reading: Reading) -> None:
    if over.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    words = [TextColumn("{task.description}", markup=False), TextColumn("{task.fields[doing]}", markup=False)]
    with Progress(words[0], BarColumn(), words[1], console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(one_line(reading.ref, 40), total=reading.checks, doing=str(reading))
        while not over.wait(_REFRESH):
            bar.update(task, description=one_line(reading.ref, 40), completed=reading.done, doing=str(reading))
