"""Validation says which file, which key, and what to do, for each way a signature can break its promises."""

from __future__ import annotations

import os

import pytest

from bot.knowledge import load_known
from signatures.loader import SHIPPED, Known, SignatureFile, catalogue_of
from signatures.model import Example, Signature, When
from signatures.validate import Reading, validate

TEXT = "Widget loader could not map its frobnicated segment: code 7"
GOOD = SignatureFile(
    Signature("widget-segment", "t", regex=(r"could not map its frobnicated segment: code (?P<code>\d+)",)),
    (
        Example(True, TEXT, expect=(("code", "7"),)),
        Example(False, "Widget loader could not map its ordinary segment: code 7", why="regex[0]: another segment"),
        Example(False, "frobnicated segment mapped", why="regex[0]: no failure"),
    ),
    (),
    "catalogue/widget-segment.toml",
)
OTHER = Signature("other", "t", all=("could not map its frobnicated segment",))


@pytest.fixture(scope="module")
def reading() -> Reading:
    known = load_known()
    return Reading(known.vocabulary, known.names)


def complaints(
    reading: Reading, file: SignatureFile, *others: Signature, quiet: tuple[str, ...] = ("all is well",)
) -> dict[str, str]:
    lines = (Known("the envelope of every failure in this program", True),)
    found = validate([file], catalogue_of((file.signature, *others), lines), reading, list(quiet))
    said: dict[str, str] = {}
    for e in found:
        said[e.key] = f"{said.get(e.key, '')}\n{e.message}".strip()
    return said


def test_a_good_file_has_no_complaints(reading: Reading) -> None:
    assert complaints(reading, GOOD) == {}


def test_the_file_is_called_like_the_signature(reading: Reading) -> None:
    assert "give both one name" in complaints(reading, GOOD._replace(file="other-name.toml"))["id"]


@pytest.mark.parametrize(
    ("signature", "key", "words"),
    [
        (
            GOOD.signature._replace(regex=(r"\w+ segment: code (?P<code>\d+)", *GOOD.signature.regex)),
            "match.regex[0]",
            "",
        ),
        (
            Signature("widget-segment", "t", regex=(r"code (?P<code>\d+)",)),
            "match.regex[0]",
            "no literal of 8 characters",
        ),
        (
            Signature("widget-segment", "t", regex=(r"Widget loader.*code (?P<code>7)",)),
            "match.regex[0]",
            "unbounded gap",
        ),
        (Signature("widget-segment", "t", all=("code 7",)), "match.all", "8 characters"),
        (GOOD.signature._replace(when=(When("osx", ("windows",)),)), "when.osx", "no key of the vocabulary"),
        (GOOD.signature._replace(when=(When("os", ("Win11",)),)), "when.os", "'windows'"),
        (GOOD.signature._replace(none=("never there",)), "match.none[0]", "not needed by any near miss"),
        (GOOD.signature._replace(when=(When("os", ("windows",)),)), "when.os", "not needed by any near miss"),
    ],
)
def test_a_weak_clause_is_named(reading: Reading, signature: Signature, key: str, words: str) -> None:
    assert words in complaints(reading, GOOD._replace(signature=signature))[key]


def test_an_example_that_does_not_do_what_it_says_is_named_with_the_clause(reading: Reading) -> None:
    wrong = (
        Example(True, "Widget loader could not map its ordinary segment"),
        Example(False, TEXT, why="all"),
        Example(False, "x", facts=(("colour", "red"),), why="all"),
        Example(True, TEXT, expect=(("code", "8"),)),
        Example(False, "y"),
    )

    found = complaints(reading, GOOD._replace(examples=wrong))

    assert "regex[0] fails" in found["example[0]"]
    assert "must not match and does" in found["example[1]"]
    assert "colour" in found["example[2].facts"]
    assert "{'code': '7'}, not {'code': '8'}" in found["example[3].expect"]
    assert "say which clause" in found["example[4].why"]


def test_a_file_needs_one_positive_and_two_near_misses(reading: Reading) -> None:
    found = list(validate([GOOD._replace(examples=())], catalogue_of((GOOD.signature,)), reading, []))

    said = [e.message for e in found if e.key == "example"]
    assert "no positive example" in said[0]
    assert "two near misses" in said[1]


def test_a_shipped_signature_needs_two_positives_and_three_near_misses(reading: Reading) -> None:
    shipped = GOOD._replace(file=os.path.join(SHIPPED, "widget", "widget-segment.toml"))
    said = complaints(reading, shipped)["example"]
    assert "fewer than two positive examples" in said
    assert "fewer than three near misses" in said


def test_a_positive_example_may_not_show_another_signature_unless_declared(reading: Reading) -> None:
    assert "also fires other" in complaints(reading, GOOD, OTHER)["example[0]"]
    assert complaints(reading, GOOD._replace(overlaps=("other",)), OTHER) == {}


def test_firing_in_the_quiet_corpus_or_on_an_envelope_is_refused(reading: Reading) -> None:
    assert "quiet corpus" in complaints(reading, GOOD, quiet=(TEXT,))["match"]
    envelope = Signature("widget-segment", "t", all=("the envelope of every failure",))
    assert "an envelope alone" in complaints(reading, GOOD._replace(signature=envelope))["match"]


def test_an_anchor_that_healthy_logs_print_all_the_time_is_refused(reading: Reading) -> None:
    noisy = tuple(f"line {i}: could not map its frobnicated segment: code x" for i in range(3))

    assert "rarest text" in complaints(reading, GOOD, quiet=noisy)["match"]
