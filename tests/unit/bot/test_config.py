"""What the environment decides."""

from __future__ import annotations

import os

import pytest

from bot import config
from bot.cli import main


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    names = "TRIAGE_CACHE_DIR XDG_CACHE_HOME LOCALAPPDATA HOME NO_COLOR FORCE_COLOR TERM COLUMNS"
    for name in names.split():
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_the_cache_folder_follows_each_system(bare: pytest.MonkeyPatch) -> None:
    bare.setattr("sys.platform", "linux")
    assert config.cache_folder() is None
    bare.setenv("HOME", "/home/someone")
    assert config.cache_folder() == "/home/someone/.cache/ondevice-triage"
    bare.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert config.cache_folder() == "/home/someone/.cache/ondevice-triage"
    bare.setenv("XDG_CACHE_HOME", "/fast/cache")
    assert config.cache_folder() == "/fast/cache/ondevice-triage"
    bare.setattr("sys.platform", "darwin")
    assert config.cache_folder() == "/home/someone/Library/Caches/ondevice-triage"
    bare.setattr("sys.platform", "win32")
    assert config.cache_folder() is None
    bare.setenv("LOCALAPPDATA", "/local")
    assert config.cache_folder() == os.path.join("/local", "ondevice-triage")


def test_a_chosen_cache_folder_wins_and_an_empty_one_switches_it_off(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("TRIAGE_CACHE_DIR", "/chosen")
    assert config.cache_folder() == "/chosen"
    bare.setenv("TRIAGE_CACHE_DIR", "")
    assert config.cache_folder() is None


def test_colour_is_for_terminals_unless_told_otherwise(bare: pytest.MonkeyPatch) -> None:
    assert config.wants_colour(terminal=True)
    assert not config.wants_colour(terminal=False)
    bare.setenv("FORCE_COLOR", "1")
    assert config.wants_colour(terminal=False)
    bare.setenv("NO_COLOR", "1")
    assert not config.wants_colour(terminal=True)
    bare.delenv("NO_COLOR")
    bare.delenv("FORCE_COLOR")
    bare.setenv("TERM", "dumb")
    assert not config.wants_colour(terminal=True)


@pytest.mark.parametrize(("columns", "width"), [("", None), ("80", 80), ("-3", None), ("wide", None), ("0", None)])
def test_columns_sets_the_width(bare: pytest.MonkeyPatch, columns: str, width: int | None) -> None:
    bare.setenv("COLUMNS", columns)
    assert config.columns() == width


@pytest.mark.parametrize("address", ["nonsense", "ftp://example.org", "https://", "https://host:port", "http://[::1"])
def test_an_address_of_no_server_is_refused_in_a_sentence(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    bare.setenv("GITHUB_API_URL", address)
    for command in ("poll a/b", "issue a/b#1"):
        assert main(command.split()) == 2
        said = capsys.readouterr().err
        assert (
            said
            == f"triage: GITHUB_API_URL is {address!r}, and no address of a server such as https://api.github.com.\n"
        )
    bare.setenv("GITHUB_API_URL", "https://github.example.org/api/v3/")
    assert config.github_api() == "https://github.example.org/api/v3"
