"""Reading ranges from servers, well and badly behaved."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.fetch.budget import Budget
from bot.fetch.client import Client
from bot.fetch.guard import policy_of
from bot.fetch.ranges import Ranges, Store
from bot.fetch.remote import RemoteFile, content_range
from signatures.artifact.source import LimitReached, SourceError, Window
from tests.loopback import Answer, Asked, Handler, Server, files, serving

DATA = bytes(range(256)) * 4096  # 1 MiB


@contextmanager
def reading(answer: Answer, *, store: Store | None = None, **caps: float) -> Iterator[tuple[RemoteFile, Server]]:
    budget = Budget(int(caps.get("max_bytes", 1 << 26)), int(caps.get("max_requests", 400)), caps.get("seconds", 20))
    with serving(answer) as server:
        client = Client(policy_of(server.url, ()), budget)
        source = RemoteFile(client, f"{server.url}/model.onnx", "model.onnx", store=store, sleep=lambda seconds: None)
        try:
            yield source, server
        finally:
            source.close()
            client.close()


def test_a_range_is_read_and_no_more_than_that() -> None:
    with reading(files({"model.onnx": DATA})) as (source, server):
        assert source.read(1000, 64) == DATA[1000:1064]
        assert source.size == len(DATA)
        assert source.read(len(DATA) - 5, 100) == DATA[-5:]
        assert source.read(len(DATA) + 5, 100) == b""
        assert (source.requests, source.bytes_read) == (2, 69)
        assert server.asked[0].headers["range"] == "bytes=1000-1063"


def test_what_was_read_is_not_asked_for_again() -> None:
    with reading(files({"model.onnx": DATA})) as (source, server):
        source.read(0, 4096)
        assert source.read(100, 50) == DATA[100:150]
        assert len(server.asked) == 1


def test_a_window_reads_ahead_over_it() -> None:
    with reading(files({"model.onnx": DATA})) as (source, _):
        source.probe()
        window = Window(source)
        assert window.size == len(DATA)
        assert b"".join(window.read(at, 1000) for at in range(0, len(DATA), 1000)) == DATA
        assert source.requests < 10


def test_reading_behind_the_end_of_a_file_of_unknown_size_shows_its_size() -> None:
    with reading(files({"model.onnx": b"short"})) as (source, _):
        assert source.read(100, 10) == b""
        assert source.size == 5


def test_an_empty_file_is_empty() -> None:
    with reading(files({"model.onnx": b""})) as (source, _):
        source.probe()
        assert source.size == 0
        assert source.read(0, 10) == b""


def test_a_server_that_ignores_ranges_is_read_once_from_the_start() -> None:
    with reading(lambda handler, asked: handler.give(200, DATA)) as (source, server):
        assert source.read(0, 100) == DATA[:100]
        assert source.read(200_000, 100) == DATA[200_000:200_100]
        assert source.size == len(DATA)
        assert source.bytes_read < 300_000
        assert len(server.asked) == 1
        assert source.read(len(DATA) - 4, 100) == DATA[-4:]


def test_a_server_that_ignores_ranges_is_stopped_at_the_cap() -> None:
    def endless(handler: Handler, asked: Asked) -> None:
        handler.give(200, Transfer_Encoding="chunked")
        while True:
            handler.wfile.write(b"10000\r\n" + bytes(65536) + b"\r\n")

    with reading(endless, max_bytes=1_000_000) as (source, _):
        assert source.read(0, 10) == bytes(10)
        with pytest.raises(LimitReached, match="ignores ranges"):
            source.read(5_000_000, 10)
        with pytest.raises(LimitReached, match="1000000 bytes"):
            source.read(990_000, 10_000)
        assert source._client.budget.bytes < 1_200_000


def answering(content_range: str, body: bytes = b"x" * 10) -> Answer:
    return lambda handler, asked: handler.give(206, body, Content_Range=content_range)


@pytest.mark.parametrize(
    "said",
    ["bytes 0-9/100", "bytes 11-20/100", "bytes 10-29/100", "bytes 10-5/100", "bytes 10-12/100", "bytes */100", "",
     "items 10-19/100", "bytes 10-19", "bytes -1--2/-3", "bytes 10-19/x", "bytes ١٠-19/100".encode().decode("latin-1")],
)  # fmt: skip
def test_a_range_that_was_not_asked_for_is_not_taken(said: str) -> None:
    body = b"x" * (10 if said != "bytes 10-19/x" else 3)
    with reading(answering(said, body)) as (source, _), pytest.raises(SourceError):
        source.read(10, 10)


def test_a_body_longer_or_shorter_than_its_range_is_not_taken() -> None:
    with reading(answering("bytes 10-19/100", b"x" * 11)) as (source, _):
        with pytest.raises(SourceError, match="more than it announced") as caught:
            source.read(10, 10)
        assert (caught.value.offset, caught.value.name) == (10, "model.onnx")
    with (
        reading(answering("bytes 10-19/100", b"x" * 9)) as (source, _),
        pytest.raises(SourceError, match="ended early"),
    ):
        source.read(10, 10)


def test_a_range_without_a_total_is_taken() -> None:
    with reading(answering("bytes 10-19/*")) as (source, _):
        assert source.read(10, 10) == b"x" * 10
        assert source.size is None


def test_a_short_range_without_a_total_is_asked_on_until_the_end_is_said() -> None:
    def ten_at_a_time(handler: Handler, asked: Asked) -> None:
        first = int(asked.headers["range"].removeprefix("bytes=").partition("-")[0])
        if first >= 25:
            handler.give(416, Content_Range="bytes */25")
            return
        part = DATA[first : min(first + 10, 25)]
        handler.give(206, part, Content_Range=f"bytes {first}-{first + len(part) - 1}/*")

    with reading(ten_at_a_time) as (source, _):
        assert source.read(0, 100) == DATA[:25]
        assert source.size == 25


@pytest.mark.parametrize("total", ["99999999999999999999", "x", ""])
def test_a_total_that_is_no_number_is_no_end_of_the_file(total: str) -> None:
    with reading(answering(f"bytes 0-9/{total}")) as (source, _), pytest.raises(SourceError):
        source.read(0, 100)


def test_a_body_that_ends_with_the_connection_may_be_cut() -> None:
    def unsaid(handler: Handler, asked: Asked) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n" + DATA[:1000])
        handler.close_connection = True

    with reading(unsaid) as (source, _):
        for _ in range(2):
            with pytest.raises(SourceError, match="ended at byte 1000, and the server never said how long"):
                source.read(0, 4096)
        assert source.read(0, 1000) == DATA[:1000]
        assert source.size is None


def test_a_body_that_broke_off_is_no_whole_one_when_it_is_asked_again() -> None:
    def broken(handler: Handler, asked: Asked) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n" + DATA[:1000] + b"\r\n")
        handler.close_connection = True

    with reading(broken) as (source, _):
        for _ in range(3):
            with pytest.raises(SourceError, match="failed"):
                source.read(0, 4096)
        assert source.size is None


def test_a_body_in_chunks_has_an_end() -> None:
    def chunked(handler: Handler, asked: Asked) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n" + DATA[:1000])
        handler.wfile.write(b"\r\n0\r\n\r\n")

    with reading(chunked) as (source, _):
        assert source.read(0, 4096) == DATA[:1000]
        assert source.size == 1000


def test_bytes_that_are_here_count_against_the_time_too() -> None:
    now = 0.0
    with serving(files({"m.onnx": DATA})) as server:
        budget = Budget(seconds=5, clock=lambda: now)
        client = Client(policy_of(server.url, ()), budget)
        source = RemoteFile(client, f"{server.url}/m.onnx", "m.onnx")
        assert source.read(0, 10) == DATA[:10]
        now = 6.0
        with pytest.raises(LimitReached, match="longer than 5 seconds") as caught:
            source.read(0, 10)
        assert caught.value.name == "m.onnx"
        client.close()


@pytest.mark.parametrize("status", [403, 404, 418, 500])
def test_a_refusal_is_one_sentence(status: int) -> None:
    with (
        reading(lambda handler, asked: handler.give(status, b"<html>")) as (source, _),
        pytest.raises(SourceError, match=f"HTTP {status}"),
    ):
        source.read(0, 10)


def test_a_server_that_is_busy_for_a_moment_is_asked_again() -> None:
    def busy(handler: Handler, asked: Asked) -> None:
        server = handler.server
        assert isinstance(server, Server)
        if len(server.asked) < 3:
            handler.give(503)
        else:
            handler.give_range(DATA, asked)

    with reading(busy) as (source, server):
        assert source.read(5, 5) == DATA[5:10]
        assert len(server.asked) == 3


def test_a_connection_that_breaks_once_is_made_again() -> None:
    def broken(handler: Handler, asked: Asked) -> None:
        server = handler.server
        assert isinstance(server, Server)
        if len(server.asked) == 1:
            handler.give(206, DATA[:50], Content_Range=f"bytes 0-99/{len(DATA)}", Content_Length="100")
            handler.close_connection = True
        else:
            handler.give_range(DATA, asked)

    with reading(broken) as (source, server):
        assert source.read(0, 100) == DATA[:100]
        assert len(server.asked) == 2


def test_a_slow_server_is_given_up_at_the_deadline() -> None:
    def trickle(handler: Handler, asked: Asked) -> None:
        handler.give(206, Content_Range="bytes 0-9999/10000", Content_Length="10000")
        for _ in range(200):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.05)

    def silent(handler: Handler, asked: Asked) -> None:
        time.sleep(3)

    for answer in (trickle, silent):
        with reading(answer, seconds=0.5) as (source, _):
            start = time.monotonic()
            with pytest.raises(LimitReached, match=r"longer than 0\.5 seconds"):
                source.read(0, 10000)
            assert time.monotonic() - start < 2


def test_a_file_that_changes_while_it_is_read_is_not_mixed() -> None:
    def changing(handler: Handler, asked: Asked) -> None:
        server = handler.server
        assert isinstance(server, Server)
        handler.give_range(DATA, asked, ETag=f'"{len(server.asked)}"')

    with reading(changing) as (source, _):
        source.read(0, 10)
        with pytest.raises(SourceError, match="changed while"):
            source.read(1000, 10)


def test_a_size_that_changes_is_said() -> None:
    def shrinking(handler: Handler, asked: Asked) -> None:
        server = handler.server
        assert isinstance(server, Server)
        handler.give_range(DATA[: -len(server.asked)], asked)

    with reading(shrinking) as (source, _):
        source.read(0, 10)
        with pytest.raises(SourceError, match="its size is"):
            source.read(1000, 10)


def test_huge_headers_are_refused() -> None:
    def huge(handler: Handler, asked: Asked) -> None:
        handler.give(206, b"", **{f"X-{i}": "y" * 60_000 for i in range(40)})

    with reading(huge) as (source, _), pytest.raises(SourceError):
        source.read(0, 10)


def test_endless_interim_answers_are_stopped_at_the_cap() -> None:
    def interim(handler: Handler, asked: Asked) -> None:
        while True:
            handler.wfile.write(b"HTTP/1.1 102 Processing\r\n\r\n" * 1000)

    with reading(interim, max_bytes=500_000) as (source, _), pytest.raises(LimitReached):
        source.read(0, 10)


def test_what_is_compressed_unasked_is_not_unpacked() -> None:
    bomb = gzip.compress(bytes(50_000_000))

    def compressed(handler: Handler, asked: Asked) -> None:
        handler.give(200, bomb, Content_Encoding="gzip")

    with reading(compressed) as (source, _), pytest.raises(SourceError, match="compressed"):
        source.read(0, 10)


@pytest.mark.parametrize(
    "junk", [b"", b"\x00\x01\x02", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 200\r\n", b"HTTP/9.9 x y\r\n\r\n"]
)
def test_what_is_no_http_is_said(junk: bytes) -> None:
    def other(handler: Handler, asked: Asked) -> None:
        handler.wfile.write(junk)
        handler.close_connection = True

    with reading(other) as (source, _), pytest.raises(SourceError):
        source.read(0, 10)


def test_the_number_of_requests_is_capped() -> None:
    with reading(files({"model.onnx": DATA}), max_requests=3) as (source, server):
        for at in range(3):
            source.read(at * 10_000, 10)
        with pytest.raises(LimitReached, match="more than 3 requests"):
            source.read(50_000, 10)
        assert len(server.asked) == 3


def test_a_redirect_is_followed_once_and_again_when_it_has_expired() -> None:
    def answer(handler: Handler, asked: Asked) -> None:
        server = handler.server
        assert isinstance(server, Server)
        if asked.path == "/model.onnx":
            handler.give(302, Location=f"/signed?{len(server.asked)}")
        elif asked.path == "/signed?1" and len(server.asked) > 4:
            handler.give(403)
        else:
            handler.give_range(DATA, asked)

    with reading(answer) as (source, server):
        for at in range(5):
            assert source.read(at * 1000, 10) == DATA[at * 1000 : at * 1000 + 10]
        paths = [asked.path for asked in server.asked]
        assert paths == ["/model.onnx", *["/signed?1"] * 4, "/model.onnx", "/signed?6", "/signed?6"]


def test_what_was_read_is_kept_for_the_next_run_under_its_entity_tag(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    content = {"model.onnx": DATA}
    with serving(files(content)) as server:

        def run() -> int:
            client = Client(policy_of(server.url, ()), Budget())
            source = RemoteFile(client, f"{server.url}/model.onnx", "model.onnx", store=store)
            for at in (0, 70_000, 200_000):
                assert source.read(at, 10) == content["model.onnx"][at : at + 10]
            source.close()
            client.close()
            return source.requests

        assert run() == 3
        assert run() == 1  # which asks whether it is still the same
        content["model.onnx"] = DATA[::-1]
        assert run() == 3
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert all(file.stat().st_mode & 0o077 == 0 for file in folder.iterdir())


def test_a_weak_entity_tag_keeps_nothing(tmp_path: Path) -> None:
    with reading(lambda h, a: h.give_range(DATA, a, ETag='W/"1"'), store=Store(str(tmp_path))) as (source, _):
        source.read(0, 10)
    assert not list(tmp_path.iterdir())


def test_a_kept_file_that_is_broken_or_writable_by_others_is_not_used(tmp_path: Path) -> None:
    store, ranges = Store(str(tmp_path)), Ranges()
    ranges.add(10, b"abc")
    store.save("key", ranges)
    kept = store.load("key")
    assert kept is not None
    assert kept.get(11, 2) == b"bc"
    assert store.load("other key") is None
    (file,) = (tmp_path / "artifacts").iterdir()
    good = file.read_bytes()
    for bad in (
        b"",
        good[:-1],
        good[:-1] + b"x",
        good.replace(b"[[10,3]]", b'[["a",3]]'),
        b"triage-ranges 1\n{}\n",
        good[:20],
    ):
        file.write_bytes(bad)
        assert store.load("key") is None
    file.write_bytes(good)
    file.chmod(0o622)
    assert store.load("key") is None
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_bytes(good)
    assert store.load("key") is None


def test_stretches_that_touch_become_one() -> None:
    ranges = Ranges()
    ranges.add(10, b"abc")
    ranges.add(20, b"xyz")
    assert ranges.get(10, 13) is None
    ranges.add(12, b"c4567890xy")
    assert ranges.get(10, 13) == b"abc4567890xyz"
    assert ranges.get(9, 2) is None
    assert ranges.get(22, 2) is None
    ranges.add(0, b"0123456789abc4567890xyz-")
    assert ranges.get(0, 24) == b"0123456789abc4567890xyz-"
    assert ranges.held == 24


def test_the_cache_folder_is_kept_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.fetch.ranges.FOLDER_LIMIT", 25_000)
    store = Store(str(tmp_path))
    for name in "abcde":
        ranges = Ranges()
        ranges.add(0, bytes(10_000))
        store.save(name, ranges)
        time.sleep(0.01)
    assert [store.load(name) is not None for name in "abcde"] == [False, False, False, True, True]


def test_content_range_is_read_as_the_rfc_writes_it() -> None:
    assert content_range("bytes 0-499/1234") == (0, 499, 1234)
    assert content_range("Bytes 42-1233/*") == (42, 1233, None)
    assert content_range("bytes */47022") == (None, None, 47022)
    assert content_range("bytes 1-2") == (None, None, None)
