"""The catalogue that ships: every file keeps its promises, and every clause is needed."""

from __future__ import annotations

import pytest

from bot.knowledge import load_known
from signatures.literals import anchors
from signatures.loader import SHIPPED, SignatureFile, load_catalogue, load_file, signature_files
from signatures.matcher import match_report
from signatures.model import Example
from signatures.text import fold
from signatures.validate import Reading, drop_each_clause, quiet_corpus, shows, validate

FILES = [f for path in signature_files(SHIPPED) if isinstance(f := load_file(path), SignatureFile)]
EXAMPLES = [(f, i, e) for f in FILES for i, e in enumerate(f.examples)]


@pytest.fixture(scope="module")
def reading() -> Reading:
    known = load_known()
    return Reading(known.vocabulary, known.names)


def ids(value: object) -> str | None:
    return value.signature.id if isinstance(value, SignatureFile) else None


def test_every_file_loads_and_validates(reading: Reading) -> None:
    catalogue, errors = load_catalogue()

    assert errors == ()
    assert len(FILES) == len(signature_files(SHIPPED))
    assert [str(e) for e in validate(FILES, catalogue, reading)] == []


@pytest.mark.parametrize(("file", "index", "example"), EXAMPLES, ids=ids)
def test_every_example_matches_or_does_not_as_it_says(
    reading: Reading, file: SignatureFile, index: int, example: Example
) -> None:
    matches = shows(file.signature, reading.example(example))

    assert bool(matches) is example.match, f"{file.file} example[{index}]: {example.why or 'should match'}"
    if example.match:
        assert any(dict(example.expect).items() <= dict(m.captures).items() for m in matches)


@pytest.mark.parametrize("file", FILES, ids=ids)
def test_without_any_one_clause_a_near_miss_fires(reading: Reading, file: SignatureFile) -> None:
    misses = [reading.example(e) for e in file.examples if not e.match]

    assert (len(file.examples) - len(misses) >= 2, len(misses) >= 3) == (True, True)
    for clause, without in drop_each_clause(file.signature):
        assert any(shows(without, m) for m in misses), f"{file.file}: {clause} is needed by no near miss"


@pytest.mark.parametrize("file", FILES, ids=ids)
def test_a_text_that_a_pattern_matches_holds_one_of_its_anchors(file: SignatureFile) -> None:
    positives = [fold(e.text).lower() for e in file.examples if e.match]
    for pattern in file.signature.regex:
        assert all(
            any(a in text or a.replace(" ", "") in text.replace(" ", "") for a in anchors(pattern))
            for text in positives
        )


def test_nothing_fires_on_the_quiet_corpus(reading: Reading) -> None:
    catalogue, _ = load_catalogue()
    fired = {t: [m.signature for m in match_report(reading.report(t), catalogue)] for t in quiet_corpus()}

    assert {t: s for t, s in fired.items() if s} == {}
    assert len(fired) > 50
