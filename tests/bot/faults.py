"""What can go wrong under the client: answers that never come, refusals, and a process that ends between two steps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
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


class Remembering:
    """What the emulator lacks of GitHub's memory, beside it: reactions, and comments that were deleted. Logins are read
    from the tests' tokens; whatever else writes is the bot."""

    def __init__(self, own: str) -> None:
        self.own = own
        self.reactions: dict[int, list[dict[str, Any]]] = {}
        self.deleted: list[dict[str, Any]] = []

    def answered(self, connection: Any, real: Callable[[Any], Any]) -> Any:
        path = connection.url.partition("?")[0]
        who = self._who(connection)
        if path.endswith("/reactions"):
            given = self.reactions.setdefault(int(path.split("/")[-2]), [])
            if connection.verb == "POST":
                given.append({"content": json.loads(connection.input)["content"], "user": {"login": who}})
                return Refusal(201, {}, json.dumps(given[-1]))
            return Refusal(200, {}, json.dumps(given))
        answer = real(connection)
        if connection.verb == "DELETE" and "/issues/comments/" in path and answer.status == 204:
            at = datetime.now(UTC).isoformat()
            self.deleted.append({"event": "comment_deleted", "actor": {"login": who}, "created_at": at})
        if connection.verb != "GET" or not path.endswith(("/timeline", "/comments")):
            return answer
        rows = json.loads(answer.read())
        if path.endswith("/timeline"):
            rows += self.deleted
        else:
            for row in rows:
                row["reactions"] = {"total_count": len(self.reactions.get(row["id"], []))}
        return Refusal(answer.status, dict(answer.getheaders()), json.dumps(rows))

    def _who(self, connection: Any) -> str:
        token = str(connection.headers.get("Authorization", "")).rpartition(" ")[2]
        return token.removeprefix("token-of-") if token.startswith("token-of-") else self.own


@contextmanager
def remembering(patch: pytest.MonkeyPatch, own: str) -> Iterator[Remembering]:
    memory = Remembering(own)
    real: Callable[[Any], Any] = bounded._answered
    with patch.context() as changed:
        changed.setattr(bounded, "_answered", lambda connection: memory.answered(connection, real))
        yield memory
