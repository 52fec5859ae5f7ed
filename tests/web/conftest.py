"""A real server on loopback, asked over a real connection."""

from __future__ import annotations

import hmac
import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
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


@pytest.fixture
def serve() -> Iterator[Callable[[Starlette], int]]:
    """Serves an application on a free port until the test is over."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def _serve(app: Starlette) -> int:
        listening = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        running.append((server, thread))
        while not server.started:
            time.sleep(0.01)
        return int(listening.getsockname()[1])

    yield _serve
    for server, thread in running:
        server.should_exit = True
        thread.join(10)


def post(port: int, body: bytes, headers: dict[str, str]) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", "/webhook", body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return Answer(answer.status, text)
