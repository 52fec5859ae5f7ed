"""Claims of problems and the references they rest on."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest

from bot.refs import address
from bot.terminal import Paper
from bot.terminal.known import write_problem
from kb.cross_check import cross_check
from kb.loader import load_knowledge
from kb.statements import statements

HEAD = """\
schema = 1
id     = "torn-sail"
title  = "The sail is torn"
cause  = "The wind was too strong."
status = "reported"
"""
SYMPTOM = '\n[[symptom]]\nsignature = "sail-torn"\n'
LINKED = {"Cause", "Affected", "Fix", "Delivered", "Workaround", "Not the same", "Ruled out"}
SHIPPED = load_knowledge(check=False)[0].problems


@pytest.mark.parametrize("problem", SHIPPED, ids=lambda p: p.id)
def test_every_claim_that_ships_has_a_link(problem: object) -> None:
    claims = statements(problem)  # type: ignore[arg-type]

    assert claims
    assert [(c.key, r) for c in claims for r in (c.refs or ("",)) if address(r) is None] == []


def test_whoever_reads_a_problem_sees_the_link_of_every_claim() -> None:
    knowledge = load_knowledge(check=False)[0]
    for problem in knowledge.problems:
        page = Paper(width=400)
        write_problem(page, problem, knowledge)
        shown = "\n".join(page.lines)
        for claim in statements(problem):
            assert any(address(r) in shown for r in claim.refs), (problem.id, claim.key)  # type: ignore[operator]


def test_every_line_about_ranges_and_releases_ends_with_a_link() -> None:
    knowledge = load_knowledge(check=False)[0]
    for problem in knowledge.problems:
        page = Paper(width=4000)
        write_problem(page, problem, knowledge)
        labels = accumulate((line[:17].strip() for line in page.lines[2:]), lambda last, label: label or last)
        told = [line for label, line in zip(labels, page.lines[2:], strict=True) if label in LINKED]
        assert told
        assert [line for line in told if "https://" not in line and "no observed release" not in line] == []


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("refs = []\n", "refs"),
        ('refs = ["a/b#1"]\nworkarounds = ["Reef the sail."]\n', "workaround[0].ref"),
        ('refs = ["a/b#1"]\n\n[[affected]]\ncomponent = "model:sail"\n', "affected[0].ref"),
        ('refs = ["a/b#1"]\n\n[[fix]]\nkind = "config"\nstate = "released"\nnote = "Sew it."\n', "fix[0].ref"),
    ],
)
def test_a_claim_without_a_reference_is_named(tmp_path: Path, more: str, key: str) -> None:
    assert _complaints(tmp_path, more) == [key]


def test_a_claim_with_its_reference_is_well(tmp_path: Path) -> None:
    more = 'refs = ["a/b#1"]\n\n[[workaround]]\ntext = "Reef the sail."\nref  = "a/b#2"\n'

    assert _complaints(tmp_path, more) == []
    (problem,) = load_knowledge((str(tmp_path),), check=False)[0].problems
    assert [(s.key, s.refs) for s in statements(problem)] == [("cause", ("a/b#1",)), ("workaround[0]", ("a/b#2",))]


def _complaints(folder: Path, more: str) -> list[str]:
    (folder / "problems").mkdir()
    (folder / "problems" / "torn-sail.toml").write_text(HEAD + more + SYMPTOM)
    knowledge, errors = load_knowledge((str(folder),), check=True)
    assert errors == ()
    found = cross_check(knowledge, frozenset({"sail-torn"}), frozenset())
    return [e.key or "" for e in found]
