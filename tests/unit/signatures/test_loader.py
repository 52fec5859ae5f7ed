"""Signature files: what is read, what is refused, and how the refusal names the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from signatures.loader import LoadError, SignatureFile, from_plain, load_catalogue, load_file, to_plain
from signatures.model import When

GOOD = """
schema = 1
id = "a-failure"
title = "A failure"
[match]
all = ["some printed words"]
none = ["other words"]
[when]
os = ["windows"]
ep = { none = ["CUDAExecutionProvider"] }
[[example]]
match = true
text = "some printed words"
from = "owner/repo#1"
"""


def write(folder: Path, text: str, name: str = "a-failure.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def errors(folder: Path, text: str) -> list[LoadError]:
    loaded = load_file(write(folder, text))
    assert isinstance(loaded, list)
    return loaded


def test_a_file_gives_its_signature_and_examples(tmp_path: Path) -> None:
    loaded = load_file(write(tmp_path, GOOD))

    assert isinstance(loaded, SignatureFile)
    assert (When("os", ("windows",)), When("ep", (), ("CUDAExecutionProvider",))) == loaded.signature.when
    assert (loaded.examples[0].text, loaded.examples[0].origin) == ("some printed words", "owner/repo#1")


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        (("[match]", "[mach]"), "mach", "did you mean `match`?"),
        (("none =", "nune ="), "match.nune", "did you mean `none`?"),
        (('id = "a-failure"', 'id = "A Failure"'), "id", "should match pattern"),
        (("schema = 1", "schema = 2"), "schema", "schema 1"),
        (('all = ["some printed words"]', ""), "match", "neither `all` nor `regex`"),
        (('all = ["some printed words"]', "regex = ['(?=x)y']"), "match.regex[0]", "linear-time engine"),
        (("match = true", 'match = "yes"'), "example[0].match", "boolean"),
        (("none = [", "none = [1, "), "match.none[0]", "string"),
    ],
)
def test_a_wrong_file_is_named_with_key_and_reason(
    tmp_path: Path, change: tuple[str, str], key: str, words: str
) -> None:
    found = errors(tmp_path, GOOD.replace(*change))

    assert any(e.key == key and words in e.message for e in found), found
    assert all(e.file.endswith("a-failure.toml") for e in found)


def test_an_unknown_key_is_named_with_its_line(tmp_path: Path) -> None:
    (error,) = errors(tmp_path, GOOD.replace('none = ["other', 'nune = ["other'))

    assert error.line == 7
    assert str(error).startswith(error.file + ":7: match.nune: ")


def test_a_file_that_is_no_toml_is_named_with_its_line(tmp_path: Path) -> None:
    (error,) = errors(tmp_path, GOOD.replace('title = "A failure"', 'title = "A failure'))

    assert (error.line, "not valid TOML" in error.message) == (4, True)


def test_bytes_that_are_no_utf8_are_named_with_their_offset(tmp_path: Path) -> None:
    path = tmp_path / "a-failure.toml"
    path.write_bytes(b"schema = 1\n# \xff\n")

    loaded = load_file(str(path))

    assert isinstance(loaded, list)
    assert "byte 13" in loaded[0].message


def test_a_broken_file_does_not_stop_the_rest(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, "[match", "broken.toml")
    write(tmp_path, 'schema = 1\nid = "no-match"\ntitle = "t"', "no-match.toml")

    for check in (True, False):
        catalogue, found = load_catalogue((str(tmp_path),), check=check)

        assert [s.id for s in catalogue.signatures] == ["a-failure"]
        assert sorted({Path(e.file).name for e in found}) == ["broken.toml", "no-match.toml"]


def test_a_later_folder_replaces_an_id_and_a_folder_may_not_repeat_one(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    write(first, GOOD)
    write(first, GOOD, "b.toml")
    write(second, GOOD.replace("A failure", "My own words"))

    catalogue, found = load_catalogue((str(first), str(second)))

    assert [s.title for s in catalogue.signatures] == ["My own words"]
    assert [e.message[:27] for e in found] == ["a-failure is also the id of"]


def test_a_withdrawn_signature_keeps_its_file_and_matches_nothing(tmp_path: Path) -> None:
    write(tmp_path, GOOD.replace("[match]", 'withdrawn = "merged into another"\n[match]'))

    assert (load_catalogue((str(tmp_path),))[0].signatures, load_catalogue((str(tmp_path),))[1]) == ((), ())


def test_a_catalogue_survives_its_plain_form() -> None:
    import json

    catalogue, found = load_catalogue()

    assert found == ()
    assert catalogue == from_plain(json.loads(json.dumps(to_plain(catalogue))))
