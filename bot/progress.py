"""A sign of life on stderr for work that takes over a second; nothing in a pipe, nothing for quick work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.terminal import is_terminal

if TYPE_CHECKING:
    from threading import Event

_WORTH_A_LOOK = 200_000  # characters; shorter input is done before anybody wonders
_PATIENCE = 1.0  # seconds


@contextmanager
def progress(size: int, doing: str) -> Iterator[None]:
    """Show that something is being done with `size` characters, if it is still going on after a second."""
    if size < _WORTH_A_LOOK or not is_terminal(sys.stderr):
        yield
        return
    from threading import Event, Thread

    done = Event()
    watcher = Thread(target=_watch, args=(done, f"{doing} {size / 1e6:.1f} million characters"), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(done: Event, words: str) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console

    with Console(stderr=True).status(words):
        done.wait()
