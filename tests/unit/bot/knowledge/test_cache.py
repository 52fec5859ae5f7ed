"""The compiled knowledge between runs: used only where it is surely right, never needed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from bot.knowledge import cache as knowledge_cache
from bot.knowledge.cache import load, store

COMPILED: dict[str, object] = {"catalogue": {"signatures": []}}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    folder = tmp_path / "layer" / "signatures" / "own"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text("schema = 1\n")
    return tmp_path / "layer"


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_what_is_stored_is_found_again(cache: Path) -> None:
    assert load(()) is None
    store((), COMPILED)
    assert load(()) == COMPILED


@pytest.mark.skipif(os.name != "posix", reason="other systems keep no such permissions")
def test_only_its_owner_can_read_it(cache: Path) -> None:
    store((), COMPILED)
    assert stat.S_IMODE(only_file(cache).stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_each_set_of_folders_has_its_own(cache: Path, layer: Path) -> None:
    store((), COMPILED)
    assert load((str(layer),)) is None
    store((str(layer),), {"other": 1})
    assert load(()) == COMPILED
    assert load((str(layer),)) == {"other": 1}


def test_a_changed_added_or_removed_file_makes_it_stale(cache: Path, layer: Path) -> None:
    layers = (str(layer),)
    mine = layer / "signatures" / "own" / "mine.toml"
    store(layers, COMPILED)
    os.utime(mine, ns=(1, 1))
    assert load(layers) is None
    store(layers, COMPILED)
    (layer / "problems").mkdir()
    (layer / "problems" / "new.toml").write_text("")
    assert load(layers) is None
    store(layers, COMPILED)
    mine.unlink()
    assert load(layers) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format": 1}', b"[" * 100_000])
def test_a_broken_file_is_as_good_as_none(cache: Path, content: bytes) -> None:
    store((), COMPILED)
    only_file(cache).write_bytes(content)
    assert load(()) is None
    store((), COMPILED)
    assert load(()) == COMPILED


def test_a_file_of_another_format_is_as_good_as_none(cache: Path) -> None:
    store((), COMPILED)
    file = only_file(cache)
    whole = file.read_bytes()
    for broken in (whole.replace(b"triage known", b"triage other"), whole[:-1], whole[:-1] + b"\0", b"", whole + b"x"):
        file.write_bytes(broken)
        assert load(()) is None
    file.write_bytes(whole)
    assert load(()) == COMPILED


def test_a_file_of_another_interpreter_is_as_good_as_none(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store((), COMPILED)
    monkeypatch.setattr(knowledge_cache, "MAGIC", b"triage known 2 cpython-399\n")
    assert load(()) is None


@pytest.mark.skipif(os.name != "posix", reason="other systems keep no such permissions")
def test_a_file_that_others_can_write_or_own_is_not_trusted(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store((), COMPILED)
    only_file(cache).chmod(0o622)
    assert load(()) is None
    only_file(cache).chmod(0o600)
    assert load(()) == COMPILED
    monkeypatch.setattr("os.getuid", lambda: 12345678)
    assert load(()) is None


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such links")
def test_a_link_is_not_followed(cache: Path, tmp_path: Path) -> None:
    store((), COMPILED)
    file = only_file(cache)
    elsewhere = tmp_path / "elsewhere.json"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert load(()) is None


def test_a_folder_that_cannot_be_made_or_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    for folder in (blocked, blocked / "below", Path("/proc/none")):
        monkeypatch.setenv("TRIAGE_CACHE_DIR", str(folder))
        store((), COMPILED)
        assert load(()) is None
    monkeypatch.setenv("TRIAGE_CACHE_DIR", "")
    store((), COMPILED)
    assert load(()) is None


def test_a_write_that_fails_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_replace(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", no_replace)
    store((), COMPILED)
    assert list(cache.iterdir()) == []
