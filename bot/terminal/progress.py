"""A sign of life on stderr for work that takes over a second; nothing in a pipe, nothing for quick work."""

from __future__ import annotations

import sys

from bot.terminal import is_terminal
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import Event, Thread

_WORTH_A_LOOK = 200_000  # characters; shorter input is done before anybody wonders
_PATIENCE = 1.0  # seconds


class progress:  # noqa: N801 - reads as the statement it is
    """Show that something is being done with `size` characters, if it is still going on after a second."""

    def __init__(self, size: int, doing: str) -> None:
        self._words = f"{doing} {size / 1e6:.1f} million characters"
        self._wanted = size >= _WORTH_A_LOOK and is_terminal(sys.stderr)
        self._running: tuple[Event, Thread] | None = None

    def __enter__(self) -> None:
        if self._wanted:
            from threading import Event, Thread

            done = Event()
            watcher = Thread(target=_watch, args=(done, self._words), daemon=True)
            watcher.start()
            self._running = done, watcher

    def __exit__(self, *_: object) -> None:
        if self._running is not None:
            done, watcher = self._running
            done.set()
            watcher.join()


def _watch(done: Event, words: str) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console

    with Console(stderr=True).status(words):
        done.wait()
