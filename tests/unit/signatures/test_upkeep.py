"""Who answers for a signature and when it is due, from its own file and from its folder's upkeep.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from signatures.loader import SHIPPED, SignatureFile, from_plain, load_catalogue, load_file, signature_files, to_plain
from signatures.model import Stage
from signatures.upkeep import Upkeep, check_owners, load_upkeep, owners_of, review_due

FILE = """\
schema = 1
id     = "torn-belt"
title  = "The belt is torn"
{life}
[match]
all = ["the conveyor belt is torn"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "signatures" / "belts").mkdir(parents=True)
    return tmp_path / "signatures"


def written(folder: Path, life: str = "") -> SignatureFile:
    path = folder / "belts" / "torn-belt.toml"
    path.write_text(FILE.format(life=life), encoding="utf-8")
    loaded = load_file(str(path))
    assert isinstance(loaded, SignatureFile), loaded
    return loaded


def upkeep(folder: Path, text: str) -> Upkeep:
    (folder.parent / "upkeep.toml").write_text(text, encoding="utf-8")
    found, errors = load_upkeep(str(folder))
    assert errors == ()
    return found


def test_an_owner_of_its_own_comes_before_that_of_its_family_and_of_all(folder: Path) -> None:
    file = written(folder)
    rest = '[owners]\n"*" = ["all"]\n'
    assert owners_of(file, Upkeep()) == ()
    assert owners_of(file, upkeep(folder, rest)) == ("all",)
    assert owners_of(file, upkeep(folder, f'{rest}belts = ["jo", "@acme/belts"]\n')) == ("jo", "@acme/belts")
    assert owners_of(file, upkeep(folder, f'{rest}belts = ["jo"]\ntorn-belt = ["ann"]\n')) == ("ann",)


@pytest.mark.parametrize(
    ("life", "of_folder", "due"),
    [
        ("", "", None),
        ("", "reviewed = 2026-01-01\n", "2027-01-01"),
        ("", "reviewed = 2026-01-01\nreview_days = 31\n", "2026-02-01"),
        ('reviewed = { on = 2026-03-01, by = "jo" }', "reviewed = 2026-01-01\n", "2027-03-01"),
        ('reviewed = { on = 2025-03-01, by = "jo" }', "reviewed = 2026-01-01\n", "2027-01-01"),
        ("review_by = 2026-06-30", "reviewed = 2026-01-01\n", "2026-06-30"),
        ('stage = "shadow"', "reviewed = 2026-01-01\n", None),  # nobody has stood up for it yet
    ],
)
def test_it_is_due_a_period_after_the_last_look(folder: Path, life: str, of_folder: str, due: str | None) -> None:
    assert review_due(written(folder, life), upkeep(folder, of_folder)) == due


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("owner = 1\n", "owner", "did you mean `owners`?"),
        ('[owners]\n"*" = "jo"\n', "owners.*", "list"),
        ("review_days = 0\n", "review_days", "greater than or equal to 1"),
        ('reviewed = "2026-02-31"\n', "reviewed", "day is out of range"),
        ("reviewed = \n", "", "is not valid TOML"),
    ],
)
def test_what_is_broken_is_named_and_the_defaults_hold(folder: Path, text: str, key: str, words: str) -> None:
    (folder.parent / "upkeep.toml").write_text(text, encoding="utf-8")
    found, (error, *_) = load_upkeep(str(folder))
    assert found == Upkeep()
    assert error.key == key
    assert words in error.message


def test_an_owner_of_what_is_not_there_is_an_error(folder: Path) -> None:
    file = written(folder)
    stated = upkeep(folder, '[owners]\nbelts = ["jo"]\ntorn-bolt = ["ann"]\n')
    (error,) = check_owners(str(folder), [file], stated)
    assert error.key == "owners.torn-bolt"


def test_every_shipped_signature_has_an_owner_and_a_day() -> None:
    stated, errors = load_upkeep()
    files = [f for path in signature_files(SHIPPED) if isinstance(f := load_file(path), SignatureFile)]
    assert errors == ()
    assert check_owners(SHIPPED, files, stated) == []
    assert all(owners_of(f, stated) for f in files)
    assert all(review_due(f, stated) for f in files if f.signature.stage is Stage.PROMOTED)


@pytest.mark.parametrize(
    ("life", "key"),
    [
        ('stage = "promoted"', "stage"),  # one spelling: what is promoted says nothing
        ('reviewed = { on = "2026-13-01", by = "jo" }', "reviewed.on"),
        ("reviewed = { on = 2026-01-01 }", "reviewed.by"),
        ('review_by = "soon"', "review_by"),
    ],
)
def test_a_wrong_life_is_refused_with_its_key(folder: Path, life: str, key: str) -> None:
    path = folder / "belts" / "torn-belt.toml"
    path.write_text(FILE.format(life=life), encoding="utf-8")
    errors = load_file(str(path))
    assert isinstance(errors, list)
    assert [e.key for e in errors] == [key]


def test_a_stage_outlives_the_cache(folder: Path) -> None:
    written(folder, 'stage = "shadow"')
    catalogue, errors = load_catalogue((str(folder),))
    assert errors == ()
    assert from_plain(to_plain(catalogue)).signatures[0].stage is Stage.SHADOW
