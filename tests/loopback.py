"""Servers on this computer that answer as hubs, CDNs and misbehaving hosts do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


Answer = Callable[["Handler", Asked], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits for a delayed acknowledgement
    wbufsize = 1 << 16

    def log_message(self, *_: Any) -> None:
        pass

    def _any(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, self.rfile.read(length))
        server = self.server
        assert isinstance(server, Server)
        server.asked.append(asked)
        try:
            server.answer(self, asked)
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_HEAD = _any  # noqa: N815  # names that http.server looks for

    def give(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if not any(name.lower() in ("content-length", "transfer-encoding") for name in given):
            self.send_header("Content-Length", str(len(body)))
        for name, value in given.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def give_range(self, data: bytes, asked: Asked, **headers: str) -> None:
        """As a server that knows ranges."""
        span = asked.headers.get("range")
        if span is None:
            self.give(200, data, **headers)
            return
        first, _, last = span.removeprefix("bytes=").partition("-")
        start, end = int(first), min(int(last), len(data) - 1)
        if start >= len(data):
            self.give(416, b"", Content_Range=f"bytes */{len(data)}", **headers)
            return
        self.give(206, data[start : end + 1], Content_Range=f"bytes {start}-{end}/{len(data)}", **headers)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked: list[Asked] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: Any) -> None:
        pass  # a client that went away is what several tests are about


@contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    server = Server(answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def files(data: dict[str, bytes], *, tag: bool = True) -> Answer:
    """A host of plain files that knows ranges."""

    def answer(handler: Handler, asked: Asked) -> None:
        body = data.get(unquote(urlsplit(asked.path).path).lstrip("/"))
        if body is None:
            handler.give(404, b"no such file")
            return
        if tag:
            handler.give_range(body, asked, ETag=f'"{hashlib.sha256(body).hexdigest()[:16]}"')
        else:
            handler.give_range(body, asked)

    return answer


COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """As much of the hub's API as reading a public model takes. Files of `lfs` stand behind a redirect to `cdn`."""

    def __init__(
        self,
        repo: str,
        data: dict[str, bytes],
        *,
        lfs: tuple[str, ...] = (),
        sizes: bool = True,
        cdn: str | None = None,
    ) -> None:
        self.repo = repo
        self.data = data
        self.lfs = lfs
        self.sizes = sizes
        self.cdn = cdn

    def __call__(self, handler: Handler, asked: Asked) -> None:
        parts = urlsplit(asked.path)
        path = unquote(parts.path)
        api, files_at = f"/api/models/{self.repo}", f"/{self.repo}/resolve/{COMMIT}/"
        if path in (api, f"{api}/revision/main", f"{api}/revision/{COMMIT}"):
            self._json(handler, self._info("blobs" in parts.query))
        elif path == f"{api}/paths-info/{COMMIT}" and asked.method == "POST":
            wanted = parse_qs(asked.body.decode())["paths"]
            self._json(handler, [self._path(name) for name in wanted if name in self.data])
        elif path.startswith(files_at):
            self._file(handler, asked, path.removeprefix(files_at))
        elif path.startswith("/cdn/"):
            name = path.removeprefix("/cdn/")
            handler.give_range(self.data[name], asked, ETag=f'"{self._sha(name)}"')
        elif path.startswith(f"{api}/revision/"):
            handler.give(404, b"{}", X_Error_Code="RevisionNotFound")
        else:
            handler.give(401, b'{"error":"Invalid username or password."}', X_Error_Code="RepoNotFound")

    def _file(self, handler: Handler, asked: Asked, name: str) -> None:
        if name not in self.data:
            handler.give(404, b"", X_Error_Code="EntryNotFound")
        elif name in self.lfs:
            handler.give(302, b"Found. Redirecting", Location=f"{self.cdn or ''}/cdn/{name}?signature=s3cret")
        else:
            handler.give_range(self.data[name], asked, ETag=f'"{self._blob(name)}"')

    def _info(self, blobs: bool) -> dict[str, Any]:
        siblings = [self._sibling(name) if blobs and self.sizes else {"rfilename": name} for name in self.data]
        return {"_id": "1", "id": self.repo, "modelId": self.repo, "sha": COMMIT, "siblings": siblings}

    def _sibling(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {"rfilename": name, "size": len(self.data[name]), "blobId": self._blob(name)}
        if name in self.lfs:
            found["lfs"] = {"sha256": self._sha(name), "size": len(self.data[name]), "pointerSize": 134}
        return found

    def _path(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "file", "path": name, "size": len(self.data[name]), "oid": self._blob(name)}
        if name in self.lfs:
            found["lfs"] = {"oid": self._sha(name), "size": len(self.data[name]), "pointerSize": 134}
        return found

    def _sha(self, name: str) -> str:
        return hashlib.sha256(self.data[name]).hexdigest()

    def _blob(self, name: str) -> str:
        data = self.data[name]
        return hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()

    def _json(self, handler: Handler, value: object) -> None:
        handler.give(200, json.dumps(value).encode(), Content_Type="application/json")
