"""From a reference to a package: hub, URL, folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot import config
from bot.errors import InputError
from bot.fetch import Caps, Fetcher
from bot.fetch.guard import ForNow, policy_of
from bot.fetch.listings import Listings
from bot.fetch.opening import fetcher
from signatures.artifact.source import LimitReached, SourceError
from tests.loopback import COMMIT, Answer, Asked, Handler, Hub, Server, files, serving

MODEL = bytes(range(256)) * 2000
CONFIG = b'{"model": {"type": "phi"}}'
REPOSITORY = {
    "README.md": b"# A model",
    "cpu/genai_config.json": CONFIG,
    "cpu/model.onnx": MODEL,
    "cpu/model.onnx.data": b"weights",
    "gpu/model.onnx": b"other",
}
LFS = ("cpu/model.onnx", "cpu/model.onnx.data", "gpu/model.onnx")


@contextmanager
def hub(answer: Answer | None = None, *, sizes: bool = True, **caps: int) -> Iterator[tuple[Fetcher, Server]]:
    with (
        serving(answer or Hub("owner/name", REPOSITORY, lfs=LFS, sizes=sizes)) as server,
        Fetcher(policy_of(server.url, ()), server.url, caps=Caps(**caps)) as fetcher,
    ):
        yield fetcher, server


def test_a_repository_is_listed_in_one_request_without_a_download() -> None:
    with hub() as (fetcher, server):
        opened = fetcher.open("hf:owner/name")
        package = opened.package
        assert package.revision == COMMIT
        assert set(package.names) == set(REPOSITORY)
        assert package.size("cpu/model.onnx") == len(MODEL)
        assert package.entries["cpu/model.onnx"].sha256 == hashlib.sha256(MODEL).hexdigest()
        assert package.entries["README.md"].sha256 is None
        assert package.complete
        assert len(server.asked) == opened.requests == 1
        assert "authorization" not in server.asked[0].headers


def test_bytes_come_by_range_from_behind_the_redirect() -> None:
    with hub() as (fetcher, server):
        opened = fetcher.open(f"hf:owner/name@{COMMIT}")
        source = opened.package.open("cpu/model.onnx")
        assert source.read(1000, 10) == MODEL[1000:1010]
        assert source.read(5000, 10) == MODEL[5000:5010]
        assert [asked.method for asked in server.asked] == ["GET"] * 4
        assert server.asked[2].path.startswith("/cdn/cpu/model.onnx?signature=")
        assert opened.requests == 4
        assert opened.bytes_read < 4000


def test_a_folder_of_a_repository_is_a_package_of_its_own() -> None:
    with hub() as (fetcher, _):
        package = fetcher.open("hf:owner/name/cpu").package
        assert set(package.names) == {"genai_config.json", "model.onnx", "model.onnx.data"}
        assert package.open("genai_config.json").read(0, 1000) == CONFIG


def test_a_file_of_a_repository_is_seen_with_its_neighbours() -> None:
    with hub() as (fetcher, server):
        package = fetcher.open(f"{server.url}/owner/name/blob/main/cpu/model.onnx").package
        assert package.names == ("model.onnx",)
        assert "model.onnx.data" in package.entries


def test_sizes_are_asked_for_where_the_listing_has_none() -> None:
    with hub(sizes=False) as (fetcher, server):
        package = fetcher.open("hf:owner/name/cpu").package
        assert package.size("model.onnx") == len(MODEL)
        assert package.entries["model.onnx"].sha256 == hashlib.sha256(MODEL).hexdigest()
        assert package.size("genai_config.json") == len(CONFIG)
        assert [asked.method for asked in server.asked] == ["GET", "POST"]


@pytest.mark.parametrize(
    ("ref", "why"),
    [
        ("hf:owner/missing", "owner/missing is not on the hub, or is private"),
        ("hf:owner/name@nowhere", "owner/name has no revision nowhere"),
        ("hf:owner/name/gone.onnx", r"owner/name has no file or folder gone\.onnx"),
        ("hf:owner/name/cp", "no file or folder cp"),
    ],
)
def test_what_is_not_there_is_said(ref: str, why: str) -> None:
    with hub() as (fetcher, _), pytest.raises(SourceError, match=why):
        fetcher.open(ref)


def test_a_gated_repository_is_said() -> None:
    def gated(handler: Handler, asked: Asked) -> None:
        handler.give(403, b"{}", X_Error_Code="GatedRepo")

    with hub(gated) as (fetcher, _), pytest.raises(SourceError, match="asks for an agreement first"):
        fetcher.open("hf:owner/name")


DEEP = b"[" * 100_000
ODD = (
    b"", b"<html>", b"[]", b"null", b"{}", b'{"sha": 7}', b'{"sha": "abc", "siblings": 3}', DEEP,
    b'{"sha": "abc", "siblings": [{}]}', b'{"sha": "../..", "siblings": []}',
    b'{"sha": "abc", "siblings": [{"rfilename": "x", "size": -1}]}',
    b'{"sha": "abc", "siblings": [{"rfilename": "x", "size": "big"}]}',
    b'{"sha": "abc", "siblings": [{"rfilename": ["x"], "size": 1}]}',
    b'{"sha": "abc", "siblings": [{"rfilename": "x", "size": 1, "lfs": {}}]}', b"\xff\xfe\x00",
)  # fmt: skip


@pytest.mark.parametrize("body", ODD)
def test_a_hub_that_answers_nonsense_is_said(body: bytes) -> None:
    def nonsense(handler: Handler, asked: Asked) -> None:
        handler.give(200, body, Content_Type="application/json")

    with hub(nonsense) as (fetcher, _), pytest.raises(SourceError, match="not understood"):
        fetcher.open("hf:owner/name")


def test_a_hub_that_never_stops_answering_is_stopped() -> None:
    def endless(handler: Handler, asked: Asked) -> None:
        handler.give(200, Transfer_Encoding="chunked")
        while True:
            handler.wfile.write(b"10000\r\n" + b" " * 65536 + b"\r\n")

    with hub(endless, max_bytes=1_000_000) as (fetcher, _), pytest.raises(LimitReached):
        fetcher.open("hf:owner/name")


@pytest.mark.parametrize("location", ["http://127.0.0.1:1/x", "https://169.254.169.254/", "https://example.com/"])
def test_redirects_of_the_hub_itself_are_guarded_too(location: str) -> None:
    with hub(lambda handler, asked: handler.give(307, Location=location)) as (fetcher, server):
        with pytest.raises(SourceError):
            fetcher.open("hf:owner/name")
        assert len(server.asked) == 1


def test_a_renamed_repository_is_followed() -> None:
    inner = Hub("new/name", REPOSITORY)

    def renamed(handler: Handler, asked: Asked) -> None:
        if asked.path.startswith("/api/models/old/name"):
            handler.give(307, Location=asked.path.replace("old", "new"))
        else:
            inner(handler, asked)

    with hub(renamed) as (fetcher, _):
        assert fetcher.open("hf:old/name").package.revision == COMMIT


def test_a_redirect_to_a_host_that_the_operator_names_is_followed() -> None:
    with (
        serving(Hub("owner/name", REPOSITORY)) as cdn,
        serving(Hub("owner/name", REPOSITORY, lfs=LFS, cdn=cdn.url)) as server,
    ):
        with Fetcher(policy_of(server.url, ()), server.url) as fetcher:
            source = fetcher.open("hf:owner/name").package.open("cpu/model.onnx")
            with pytest.raises(SourceError, match="bare address"):
                source.read(0, 10)
        with Fetcher(policy_of(server.url, (cdn.url,)), server.url) as fetcher:
            source = fetcher.open("hf:owner/name").package.open("cpu/model.onnx")
            assert source.read(0, 10) == MODEL[:10]


def test_one_file_behind_a_url_says_nothing_of_its_neighbours() -> None:
    with (
        serving(files({"a/model one.onnx": MODEL})) as server,
        hub(files({})) as (fetcher, _),
        pytest.raises(SourceError, match="bare address"),
    ):
        fetcher.open(f"{server.url}/a/model%20one.onnx")
    with hub(files({"a/model one.onnx": MODEL})) as (fetcher, server):
        opened = fetcher.open(f"{server.url}/a/model%20one.onnx?x=1")
        package = opened.package
        assert package.names == ("model one.onnx",)
        assert not package.complete
        assert package.size("model one.onnx") == len(MODEL)
        assert package.window("model one.onnx").read(0, 100) == MODEL[:100]
        assert opened.requests == 1
        with pytest.raises(SourceError, match="HTTP 404"):
            fetcher.open(f"{server.url}/a/gone.onnx")


def test_what_anybody_may_have_written_reaches_no_origin_that_the_operator_trusts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(files({"a/model.onnx": MODEL})) as inner, serving(Hub("owner/name", REPOSITORY)) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("TRIAGE_FETCH_HOSTS", inner.url)
        with fetcher(public=True) as opening:
            for address in (f"{inner.url}/a/model.onnx", f"{server.url}/internal/model.onnx?x=1"):
                with pytest.raises(SourceError, match="bare address"):
                    opening.open(address, local=False)
            assert inner.asked == server.asked == []
            assert opening.open("hf:owner/name", local=False).package.revision == COMMIT
            assert opening.open(f"{server.url}/owner/name", local=False).package.revision == COMMIT
        with fetcher() as opening:
            assert opening.open(f"{inner.url}/a/model.onnx").package.names == ("model.onnx",)


def test_the_budget_of_an_artifact_covers_all_of_its_files() -> None:
    with hub(max_requests=4) as (fetcher, _):
        package = fetcher.open("hf:owner/name").package
        package.open("cpu/genai_config.json").read(0, 100)
        package.open("cpu/model.onnx").read(0, 10)
        with pytest.raises(LimitReached):
            package.open("gpu/model.onnx").read(0, 10)


def test_a_name_that_no_address_can_hold_is_not_understood() -> None:
    def listing(handler: Handler, asked: Asked) -> None:
        siblings = [{"rfilename": "\ud800.onnx", "size": 1, "blobId": "0" * 40}]
        handler.give(200, json.dumps({"id": "owner/name", "sha": COMMIT, "siblings": siblings}).encode())

    with hub(listing) as (fetcher, _), pytest.raises(SourceError, match="not understood"):
        fetcher.open("hf:owner/name")


def test_an_address_that_is_no_text_is_said() -> None:
    with hub() as (fetcher, server), pytest.raises(SourceError, match="broken address"):
        fetcher.open(f"{server.url}/a\udcff.onnx")


def test_a_local_folder_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(MODEL)
    with Fetcher(policy_of("https://huggingface.co", ()), "https://huggingface.co") as fetcher:
        opened = fetcher.open(str(tmp_path))
        assert opened.package.names == ("model.onnx",)
        assert opened.requests == 0
        with pytest.raises(SourceError):
            fetcher.open(str(tmp_path), local=False)


def test_the_environment_names_the_hub_and_further_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_ENDPOINT", "TRIAGE_FETCH_HOSTS"):
        monkeypatch.delenv(name, raising=False)
    assert config.hub_endpoint() == "https://huggingface.co"
    assert config.fetch_hosts() == ()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:8080/ ")
    monkeypatch.setenv("TRIAGE_FETCH_HOSTS", "a.example, http://10.0.0.1:80 b.example")
    assert config.hub_endpoint() == "http://127.0.0.1:8080"
    assert config.fetch_hosts() == ("a.example", "http://10.0.0.1:80", "b.example")
    with fetcher():
        pass
    monkeypatch.setenv("HF_ENDPOINT", "nowhere")
    with pytest.raises(InputError, match="HF_ENDPOINT"):
        fetcher()


def test_a_commit_that_is_looked_at_again_is_not_asked_about_again(tmp_path: Path) -> None:
    listings = Listings()
    with serving(Hub("owner/name", REPOSITORY, lfs=LFS)) as server:
        for revision, requests in ((COMMIT, 3), (COMMIT, 0), ("main", 1), ("main", 1)):
            server.asked.clear()
            policy, cache = policy_of(server.url, ()), str(tmp_path)
            with Fetcher(policy, server.url, cache=cache, listings=listings) as fetcher:
                source = fetcher.open(f"hf:owner/name@{revision}").package.open("cpu/model.onnx")
                assert source.read(1000, 10) == MODEL[1000:1010]
            assert len(server.asked) == requests, revision


def test_a_hub_in_trouble_is_told_from_one_that_says_no() -> None:
    with hub(lambda handler, _: handler.give(503)) as (fetcher, _), pytest.raises(ForNow):
        fetcher.open("hf:owner/name")
    with hub(lambda handler, _: handler.give(404)) as (fetcher, _), pytest.raises(SourceError) as refused:
        fetcher.open("hf:owner/name")
    assert not isinstance(refused.value, ForNow)
