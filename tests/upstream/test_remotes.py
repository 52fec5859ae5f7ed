"""Remotes that are real, gone, silent or endless: clear words, bounded time and disk, and what was there stays."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.upstream.git import GitFailed
from bot.upstream.mirrors import kept_mirrors, mirror_folder, refresh
from bot.upstream.reading import read_graph
from tests.upstream.conftest import known
from tests.upstream.story import Story

_SHA = "1" * 40
_TEN_GIB = 10 << 30


def _story() -> Story:
    story = Story(VERSION_INFO="1.0.0\n")
    story.tag("v1.0.0", story.change(7, day="2026-01-05"))
    return story


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def _daemon(folder: Path) -> Iterator[str]:
    """git's own server over a folder of repositories."""
    port = _free_port()
    command = ["git", "daemon", "--reuseaddr", "--export-all", "--listen=127.0.0.1", f"--port={port}"]
    command.append(f"--base-path={folder}")
    with subprocess.Popen([*command, str(folder)], stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            for _ in range(200):
                with socket.socket() as s:
                    if s.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            yield f"git://127.0.0.1:{port}"
        finally:
            os.killpg(process.pid, 15)


@contextmanager
def _server(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server of one's own for each connection."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.1)

        def accept() -> None:
            while not done.is_set():
                try:
                    connection, _ = listening.accept()
                except TimeoutError:
                    continue
                threading.Thread(target=handle, args=(connection,), daemon=True).start()

        def handle(connection: socket.socket) -> None:
            with connection:
                connection.settimeout(10)
                try:
                    serve(connection)
                    while not done.is_set() and connection.recv(4096):
                        pass
                except OSError:
                    pass  # the client was ended, which is what the tests are about

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"git://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            done.set()
            thread.join()


def _packet(data: bytes) -> bytes:
    return f"{len(data) + 4:04x}".encode() + data


def _endless(objects: int, most: int | None = None) -> Callable[[socket.socket], None]:
    """A remote whose first object says that it has ten gigabytes, and which sends them; `most` bytes, then silence."""

    def serve(connection: socket.socket) -> None:
        connection.recv(4096)
        abilities = b"side-band-64k ofs-delta filter symref=HEAD:refs/heads/main"
        connection.sendall(_packet(_SHA.encode() + b" HEAD\0" + abilities + b"\n"))
        connection.sendall(_packet(_SHA.encode() + b" refs/heads/main\n") + b"0000")
        asked = b""
        while b"done" not in asked:
            piece = connection.recv(4096)
            if not piece:
                return
            asked += piece
        connection.sendall(_packet(b"NAK\n"))
        size, head = _TEN_GIB, [0x30 | (_TEN_GIB & 15)]
        size >>= 4
        while size:
            head[-1] |= 0x80
            head.append(size & 0x7F)
            size >>= 7
        pack = b"PACK" + struct.pack(">II", 2, objects) + bytes(head) + b"\x78\x01"
        connection.sendall(_packet(b"\x01" + pack))
        noise = os.urandom(32_768)
        block = _packet(b"\x01\x00" + struct.pack("<HH", len(noise), len(noise) ^ 0xFFFF) + noise)
        sent = 0
        while most is None or sent < most:
            connection.sendall(block)
            sent += len(noise)

    return serve


def _size(path: Path) -> int:
    return sum(f.stat().st_size for f in path.rglob("*") if f.is_file())


def test_a_real_server_is_fetched_from_and_what_it_served_outlives_it(folder: Path) -> None:
    story = _story()
    (folder / "acme").mkdir()
    path = story.write(folder / "acme" / "engine.git")
    subprocess.run(["git", "-C", str(path), "config", "uploadpack.allowFilter", "true"], check=True)
    with _daemon(folder) as url:
        mirror = refresh("acme/engine", f"{url}/acme/engine.git")
        story.change(8, day="2026-01-09")
        story.write(path)
        assert refresh("acme/engine", f"{url}/acme/engine.git") == mirror
    with pytest.raises(GitFailed, match=r"git://127.* cannot be fetched"):
        refresh("acme/engine", f"{url}/acme/engine.git")
    read = read_graph(known(), {"acme/engine": mirror})
    assert read.graph.trace("acme/engine#8").state == "merged"


@pytest.mark.parametrize(
    "serve", [lambda connection: None, _endless(1, 200_000), _endless(500, 200_000)], ids=["silent", "object", "pack"]
)
def test_a_server_that_falls_silent_is_given_up(folder: Path, serve: Callable[[socket.socket], None]) -> None:
    with _server(serve) as url, pytest.raises(GitFailed, match="fetching acme/engine took longer than 1 seconds"):
        refresh("acme/engine", f"{url}/acme/engine.git", patience=1.0)
    assert kept_mirrors(("acme/engine",)) == {}
    assert list(Path(str(mirror_folder("acme/engine"))).parent.iterdir()) == []


@pytest.mark.parametrize("objects", [1, 500])
def test_a_remote_of_ten_gigabytes_is_ended_at_its_bound_and_leaves_nothing(folder: Path, objects: int) -> None:
    with _server(_endless(objects)) as url, pytest.raises(GitFailed, match="larger than the 32 MiB"):
        refresh("acme/engine", f"{url}/acme/engine.git", largest=32 << 20)
    assert kept_mirrors(("acme/engine",)) == {}
    assert _size(Path(str(mirror_folder("acme/engine"))).parent) == 0


@pytest.mark.parametrize("objects", [1, 500])
def test_a_mirror_whose_remote_becomes_endless_stays_as_it_was(folder: Path, objects: int) -> None:
    path = _story().write(folder / "engine.git")
    mirror = Path(refresh("acme/engine", f"file://{path}"))
    before = _size(mirror)
    with _server(_endless(objects)) as url, pytest.raises(GitFailed, match="larger than"):
        refresh("acme/engine", f"{url}/acme/engine.git", largest=32 << 20)
    assert _size(mirror) < before + (1 << 20)
    assert read_graph(known(), {"acme/engine": str(mirror)}).graph.trace("acme/engine#7").state == "merged"
    assert Path(refresh("acme/engine", f"file://{path}")) == mirror


@pytest.mark.parametrize(
    "url", ["git://example.org/x.git", "http://example.org/x.git", "ext::sh -c touch% x", "ssh://127.0.0.1/x"]
)
def test_no_other_protocol_is_spoken_to_others(folder: Path, url: str) -> None:
    with pytest.raises(GitFailed, match="not allowed"):
        refresh("acme/engine", url, patience=5.0)
    assert list(Path(str(mirror_folder("acme/engine"))).parent.iterdir()) == []
