"""A text is left out only where both catalogues read it alike."""

from __future__ import annotations

import pytest

from bot.difference.reached import reached_by
from bot.difference.sides import changed_rules
from bot.difference.texts import Item, diagnosed
from bot.difference.verdicts import rows_of
from bot.knowledge import Known, load_known
from signatures.loader import SHIPPED, SignatureFile, catalogue_of, load_file, signature_files
from signatures.model import IssueText, Post, Role

FILES = [f for path in signature_files(SHIPPED) if isinstance(f := load_file(path, check=False), SignatureFile)]


@pytest.fixture(scope="module")
def known() -> Known:
    return load_known(newer=False)


def items(*ids: str) -> list[Item]:
    found = [(f.signature.id, e) for f in FILES for e in f.examples if f.signature.id in ids]
    return [
        Item("example", id_, IssueText("", (Post(Role.REPORTER, e.text, markdown=False),)), e.facts) for id_, e in found
    ]


def without(known: Known, *, signature: str = "", problem: str = "") -> Known:
    kept = tuple(s for s in known.catalogue.signatures if s.id != signature)
    problems = tuple(p for p in known.knowledge.problems if p.id != problem)
    catalogue = catalogue_of(kept, known.catalogue.lines)
    return known._replace(catalogue=catalogue, knowledge=known.knowledge._replace(problems=problems))


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"signature": "duplicate-ep-tensor-name"}, "duplicate-ep-tensor-name"),
        ({"problem": "webgpu-recurrent-state-buffer-aliasing"}, "webgpu-buffer-usage-conflict"),
    ],
)
def test_what_is_left_out_reads_alike(known: Known, change: dict[str, str], touched: str) -> None:
    after = without(known, **change)
    reaches = reached_by(changed_rules(known, after), known, after)
    texts = items(touched, "duplicate-ep-name-in-file", "webgpu-buffer-usage-conflict", "software-adapter-selected")
    differing = [i for i in texts if rows_of(i, diagnosed(i, known), diagnosed(i, after))]

    assert differing
    assert [i for i in differing if not reaches(i)] == []
    assert any(not reaches(i) for i in texts)


def test_a_change_of_words_for_facts_reaches_everything(known: Known) -> None:
    fewer = known.vocabulary._replace(unknown=known.vocabulary.unknown[1:])
    after = known._replace(vocabulary=fewer)
    reaches = reached_by(changed_rules(known, after), known, after)
    assert all(map(reaches, items("software-adapter-selected")))
