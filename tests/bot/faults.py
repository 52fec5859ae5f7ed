"""What can go wrong under the client: answers that never come, refusals, and a process that ends between two steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from requests.exceptions import ReadTimeout
from sqlalchemy import event
from sqlalchemy.engine import Engine

from bot.forge import bounded


class Refusal(NamedTuple):
    """An answer in place of the real one; `after`: the request is carried out all the same."""

    status: int
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    body: str = '{"message": "no"}'
    after: bool = False

    def getheaders(self) -> list[tuple[str, str]]:
        return list(self.headers.items())

    def read(self) -> str:
        return self.body


class Killed(BaseException):
    """The process ends here."""


Fault = Refusal | type[ReadTimeout]


@contextmanager
def faults(patch: pytest.MonkeyPatch, verb: str, path: str, *planned: Fault) -> Iterator[list[Fault]]:
    """The next requests of this kind meet these faults, one each; gives those that are left."""
    left = list(planned)
    real: Callable[[Any], Any] = bounded._answered

    def answered(connection: Any) -> Any:
        if not left or connection.verb != verb or path not in connection.url:
            return real(connection)
        fault = left.pop(0)
        if isinstance(fault, Refusal):
            if fault.after:
                real(connection)
            return fault
        real(connection)
        raise fault("no answer")

    with patch.context() as changed:
        changed.setattr(bounded, "_answered", answered)
        yield left


@contextmanager
def ends_at(patch: pytest.MonkeyPatch, engine: Engine, step: int) -> Iterator[list[int]]:
    """The process ends at the `step`-th of its commits and requests: before a commit is made, behind a request that was
    carried out. Gives the number of steps taken."""
    taken = [0]
    real: Callable[[Any], Any] = bounded._answered

    def count() -> None:
        taken[0] += 1
        if taken[0] == step:
            raise Killed

    def answered(connection: Any) -> Any:
        answer = real(connection)
        count()
        return answer

    def committing(_: Any) -> None:
        count()

    event.listen(engine, "commit", committing)
    try:
        with patch.context() as changed:
            changed.setattr(bounded, "_answered", answered)
            yield taken
    finally:
        event.remove(engine, "commit", committing)
