"""A catalogue folder that a stranger filled: each bad file is named, none stops the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from signatures.loader import LoadError, load_catalogue, read_toml

GOOD = 'schema = 1\nid = "good"\ntitle = "t"\n[match]\nall = ["some printed words"]\n'


def refused(file: Path) -> str:
    error = read_toml(str(file))
    assert isinstance(error, LoadError)
    return error.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a=" + "[" * 3000, "nested too deeply"),
        ("a=" + "1" * 100_000, "not valid TOML"),
        ("# " + "x" * (1 << 20), "at most 1048576"),
        ("", ""),
    ],
)
def test_a_hostile_text_is_refused_with_a_reason(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    (tmp_path / "good.toml").write_text(GOOD)

    catalogue, errors = load_catalogue((str(tmp_path),))

    assert [s.id for s in catalogue.signatures] == ["good"]
    assert errors
    assert words in errors[0].message


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")
def test_what_is_no_regular_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "endless.toml").symlink_to("/dev/zero")
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "up").symlink_to(tmp_path)

    assert "no regular file" in refused(tmp_path / "pipe.toml")
    assert "no regular file" in refused(tmp_path / "endless.toml")
    assert "cannot be read" in refused(tmp_path / "loop.toml")
    assert load_catalogue((str(tmp_path),))[0].signatures == ()
