"""Deliveries over a real connection: what is written down, and what is refused without a trace."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from bot.service.inbox import payload
from bot.watched.events import Kind
from bot.web.webhook import Delivery, webhook
from kb.store import Store, StoreError, upgrade
from tests.web.conftest import SECRET, Answer, post, signed

Serve = Callable[[Starlette], int]
BODY = json.dumps(
    {
        "action": "opened",
        "sender": {"login": "reporter", "type": "User"},
        "repository": {"id": 7, "full_name": "owner/repo"},
        "issue": {"number": 3, "title": "Größe"},
    },
    ensure_ascii=False,
).encode()


class Hooked:
    """A served endpoint that keeps what it is told, once per id."""

    def __init__(self, serve: Serve, *, secrets: tuple[str, ...] = (SECRET,), largest: int = 10_000) -> None:
        self.kept: dict[str, Delivery] = {}
        endpoint = webhook(secrets, self._receive, own="triage[bot]", largest=largest)
        self.port = serve(Starlette(routes=[Route("/webhook", endpoint, methods=["POST"])]))

    def _receive(self, delivery: Delivery) -> bool:
        new = delivery.id not in self.kept
        self.kept[delivery.id] = delivery
        return new

    def post(self, body: bytes = BODY, **changes: str) -> Answer:
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "issues",
            "X-GitHub-Delivery": "d-1",
            "X-Hub-Signature-256": signed(body),
        }
        named = {name.replace("_", "-"): value for name, value in changes.items()}
        return post(self.port, body, {k: v for k, v in (headers | named).items() if v != "-"})


def test_a_delivery_is_written_down_once(serve: Serve) -> None:
    hooked = Hooked(serve)

    assert hooked.post().status == 202
    assert hooked.post() == (200, "known already")
    assert [d.event.kind for d in hooked.kept.values()] == [Kind.ISSUE]


def test_each_of_several_secrets_is_accepted(serve: Serve) -> None:
    hooked = Hooked(serve, secrets=("the next one", SECRET))

    assert hooked.post().status == 202
    assert hooked.post(X_GitHub_Delivery="d-2", X_Hub_Signature_256=signed(BODY, "the next one")).status == 202


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"X_Hub_Signature_256": "-"}, 401),
        ({"X_Hub_Signature_256": signed(BODY, "another")}, 401),
        ({"X_Hub_Signature_256": signed(BODY + b" ")}, 401),
        ({"X_Hub_Signature_256": signed(BODY).removeprefix("sha256=")}, 401),
        ({"X_Hub_Signature_256": "sha256=\xe9\xe8"}, 401),
        ({"X_GitHub_Delivery": "-"}, 400),
        ({"X_GitHub_Delivery": "x" * 200}, 400),
        ({"X_GitHub_Event": "-"}, 400),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_what_is_not_github_is_refused_without_a_trace(serve: Serve, changes: dict[str, str], status: int) -> None:
    hooked = Hooked(serve)

    assert hooked.post(**changes).status == status
    assert hooked.kept == {}


def test_without_a_secret_everything_is_refused(serve: Serve) -> None:
    hooked = Hooked(serve, secrets=("",))

    assert hooked.post(X_Hub_Signature_256=signed(BODY, "")).status == 503
    assert hooked.kept == {}


def test_a_signed_body_that_is_no_payload_is_named(serve: Serve) -> None:
    hooked = Hooked(serve)

    assert hooked.post(b"[]") == (400, "the payload is no JSON object")
    assert hooked.post(b'{"action": 3}').status == 400


def test_the_echo_of_the_bot_itself_is_nothing_to_do(serve: Serve) -> None:
    hooked = Hooked(serve)
    echo = BODY.replace(b'"reporter"', b'"triage[bot]"')

    assert hooked.post(echo) == (200, "nothing to do: a bot did it")
    assert hooked.kept == {}


def test_a_body_beyond_the_limit_is_not_read_to_its_end(serve: Serve) -> None:
    hooked = Hooked(serve, largest=1000)

    assert hooked.post(b" " * 1001).status == 413
    with socket.create_connection(("127.0.0.1", hooked.port), timeout=10) as endless:
        endless.sendall(
            b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for _ in range(20):
            endless.sendall(b"100\r\n" + b" " * 256 + b"\r\n")
        assert b" 413 " in endless.recv(100)


def test_a_store_that_is_locked_for_long_is_said_before_github_goes(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"sqlite:///{tmp_path / 'triage.db'}"
    upgrade(url)
    told: list[str] = []
    with closing(Store.at(url)) as store, store.kept_open():

        def receive(delivery: Delivery) -> bool:
            event = delivery.event
            return store.receive(delivery.id, "7#3", event.kind.value, payload(event), datetime.now(UTC)) is not None

        endpoint = webhook((SECRET,), receive, patience=0.3, failed=told.append)
        port = serve(Starlette(routes=[Route("/webhook", endpoint, methods=["POST"])]))
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "issues",
            "X-GitHub-Delivery": "d-1",
            "X-Hub-Signature-256": signed(BODY),
        }
        with closing(sqlite3.connect(tmp_path / "triage.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert post(port, BODY, headers) == (503, f"not written down: {told[0]}")
            other.execute("ROLLBACK")
        assert told == ["the store does not answer within 0.3 seconds"]
        assert [r.getMessage() for r in caplog.records] == [f"delivery d-1 is not written down: {told[0]}"]
        # the hand that came too late may write it down before it is sent again
        assert post(port, BODY, headers).status in (200, 202)


def test_what_fails_behind_a_delivery_is_no_traceback(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    def gone(_: Delivery) -> bool:
        raise StoreError("the database cannot be used: connection refused")

    def broken(_: Delivery) -> bool:
        raise ZeroDivisionError

    for receive, words in ((gone, "connection refused"), (broken, "ZeroDivisionError")):
        port = serve(Starlette(routes=[Route("/webhook", webhook((SECRET,), receive), methods=["POST"])]))
        headers = {"Content-Type": "application/json", "X-GitHub-Event": "issues", "X-GitHub-Delivery": "d-1"}
        answer = post(port, BODY, headers | {"X-Hub-Signature-256": signed(BODY)})
        assert (answer.status, words in answer.text) == (503, True)
    assert len(caplog.records) == 2
    assert not any(r.exc_info for r in caplog.records)
