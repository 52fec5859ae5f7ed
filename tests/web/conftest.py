"""A real server on loopback, asked over a real connection."""

from __future__ import annotations

import hmac
import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import NamedTuple

import pytest
import uvicorn
from starlette.applications import Starlette

SECRET = "a secret of this test"  # noqa: S105


class Answer(NamedTuple):
    status: int
    text: str


def signed(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, sha256).hexdigest()


@contextmanager
def serve_on(app: Starlette, port: int = 0) -> Iterator[int]:
    """Serves an application on a port of the loopback, 0 for a free one."""
    listening = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield int(listening.getsockname()[1])
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def serve() -> Iterator[Callable[[Starlette], int]]:
    """Serves an application on a free port until the test is over."""
    with ExitStack() as running:
        yield lambda app: running.enter_context(serve_on(app))


def post(port: int, body: bytes, headers: dict[str, str]) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", "/webhook", body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return Answer(answer.status, text)
