"""How a signature has done, from sightings and maintainers' words: fit to leave shadow, or stale."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime, timedelta

import pytest

from kb.model import Knowledge, Observed, Problem, Status, Symptom
from kb.proposals import AuthoredFile
from kb.records import ANSWER, Judged, RuleSeen, Word
from kb.toml_edit import NotEdited
from kb.upkeep import (
    Tally,
    asked_promotion,
    promote,
    promotion_proposals,
    stale_problems,
    stale_signature,
    tallies,
)
from signatures.loader import Review, SignatureFile
from signatures.model import Signature, Stage
from signatures.upkeep import Upkeep

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
CAUSE = Problem("worn-belt", "t", "c", Status.REPORTED, (), (Symptom("torn-belt"),))
OTHER = CAUSE._replace(id="cut-belt")
KNOWN = Knowledge((CAUSE, OTHER), (), Observed())
SHADOW = Signature("torn-belt", "t", all=("the belt is torn",), stage=Stage.SHADOW)
FILE = SignatureFile(SHADOW, (), (), "belts/torn-belt.toml")
TEXT = """\
# why this is so
schema = 1
id     = "torn-belt"
title  = "t"
stage  = "shadow"  # for now
overlaps = [
  "a",
]

[match]  # the words
all = ["the belt is torn"]
"""


def judged(*words: Word, problem: str | None = None, issue: str = "a/b#1") -> Judged:
    return Judged(issue, "torn-belt", problem, NOW, words)


def right_wrong(*rows: Judged) -> tuple[int, int]:
    tally = tallies(KNOWN, [RuleSeen("torn-belt", 9, NOW)], rows)["torn-belt"]
    return len(tally.right), len(tally.wrong)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (judged(Word("worn-belt", True)), (1, 0)),
        (judged(Word("worn-belt", False)), (0, 1)),
        (judged(Word("torn-belt", True)), (1, 0)),  # a cause that nobody knows: of the signature itself
        (judged(Word("rusty-belt", False)), (0, 0)),  # of something else in that issue
        (judged(Word("", True)), (1, 0)),
        (judged(Word("", False), Word("worn-belt", True)), (1, 0)),  # the closer word counts
        (judged(Word("", True), Word("", False)), (0, 1)),  # people differ
        (judged(Word("worn-belt", True), Word("worn-belt", False)), (0, 1)),
        (judged(Word("worn-belt", False), Word("cut-belt", True)), (1, 0)),  # right, of its other cause
        (judged(Word(ANSWER, False)), (0, 0)),  # what is in shadow was no part of the answer
        (judged(Word(ANSWER, False), problem="worn-belt"), (0, 1)),
        (judged(Word("cut-belt", False), problem="worn-belt"), (0, 0)),
    ],
)
def test_a_maintainers_word_counts_for_what_it_is_about(row: Judged, expected: tuple[int, int]) -> None:
    assert right_wrong(row) == expected


def test_an_issue_counts_once_whatever_causes_it_shows() -> None:
    rows = (
        judged(Word("worn-belt", True), Word("cut-belt", False), problem="worn-belt"),
        judged(Word("worn-belt", True), Word("cut-belt", False), problem="cut-belt"),
        judged(Word("", False), issue="a/b#2"),
    )
    assert right_wrong(*rows) == (1, 1)


def edited(**life: object) -> SignatureFile:
    return FILE._replace(signature=SHADOW._replace(stage=Stage.PROMOTED), review=Review(**life))  # type: ignore[arg-type]


def days_ago(days: int) -> datetime:
    return NOW - timedelta(days=days)


@pytest.mark.parametrize(
    ("file", "tally", "since", "words"),
    [
        (edited(on="2026-01-01"), Tally(1, days_ago(3)), days_ago(900), ()),
        (edited(on="2025-01-01"), Tally(1, days_ago(3)), days_ago(900), ("was to be looked at by 2026-01-01",)),
        (edited(again="2026-07-01"), None, None, ()),  # due today is in time
        (edited(again="2026-06-30"), None, None, ("was to be looked at by 2026-06-30",)),
        (edited(), Tally(1, days_ago(366)), days_ago(900), ("not seen for 366 days",)),
        (edited(), None, days_ago(900), ("never seen in the 900 days that reports are kept",)),
        (edited(), None, days_ago(100), ()),  # the store is too young to tell
        (edited(), None, None, ()),  # and without one nobody knows
    ],
)
def test_what_is_overdue_or_unseen_is_stale_and_says_why(
    file: SignatureFile, tally: Tally | None, since: datetime | None, words: tuple[str, ...]
) -> None:
    stale = stale_signature(file, ("jo",), Upkeep(), tally, NOW, since)
    assert (stale.why if stale is not None else ()) == words
    assert stale is None or stale.owners == ("jo",)


def test_a_problem_is_stale_by_its_own_day_alone() -> None:
    due = CAUSE._replace(review_by="2026-06-30", owner="ann")
    gone = due._replace(id="gone", withdrawn="it was never so")
    (stale,) = stale_problems(Knowledge((due, OTHER, gone), (), Observed()), "2026-07-01")
    assert (stale.id, stale.owners) == ("worn-belt", ("ann",))


def test_a_promotion_takes_the_stage_away_and_leaves_every_other_line() -> None:
    made = promote(TEXT, "2026-07-01", 'jo "the \\ belt" ü', None)
    said = tomllib.loads(made)["reviewed"]
    assert (str(said["on"]), said["by"]) == ("2026-07-01", 'jo "the \\ belt" ü')
    old, new = TEXT.splitlines(), made.splitlines()
    assert [(a, b) for a, b in zip(old, new, strict=True) if a != b] == [(old[4], new[4])]


def test_a_second_look_replaces_the_first_and_one_without_either_is_added_above_the_tables() -> None:
    once = promote(TEXT, "2026-07-01", "jo", "seen thrice")
    twice = promote(once, "2027-07-01", "ann", None)
    assert "jo" not in twice
    assert twice.count("reviewed") == 1
    bare = TEXT.replace('stage  = "shadow"  # for now\n', "")
    assert promote(bare, "2026-07-01", "jo", None).index("reviewed") < bare.index("[match]") + len('reviewed = ""')
    again = once.replace("\n\n[match]", '\nstage = "shadow"\n\n[match]')  # put back by hand
    assert "stage" not in tomllib.loads(promote(again, "2027-07-01", "jo", None))


@pytest.mark.parametrize(
    "text", ['x = """\nstage = "shadow"\n"""\nstage = "shadow"\n', "[a]\nb = 1\n[reviewed]\non = 1\n"]
)
def test_what_cannot_be_edited_in_a_line_is_left_alone(text: str) -> None:
    with pytest.raises(NotEdited):
        promote(text, "2026-07-01", "jo", None)


def test_enough_right_words_and_no_wrong_one_propose_a_promotion() -> None:
    files = [(FILE, AuthoredFile("signatures/belts/torn-belt.toml", TEXT))]
    right = ("a/b#1", "a/b#2", "a/b#3")
    tally = Tally(5, NOW, right, (), NOW - timedelta(days=40))

    (proposal,) = promotion_proposals(files, {"torn-belt": tally}, 3)
    assert proposal.key == "promote torn-belt"
    assert '-stage  = "shadow"' in proposal.diff
    assert '+reviewed = { on = 2026-05-22, by = "reviewed sightings"' in proposal.diff
    assert "a/b#1, a/b#2, a/b#3" in proposal.why
    for less in (tally._replace(right=right[:2]), tally._replace(wrong=("a/b#4",))):
        assert promotion_proposals(files, {"torn-belt": less}, 3) == ()
    promoted = [(edited(), AuthoredFile("x", TEXT))]
    assert promotion_proposals(promoted, {"torn-belt": tally}, 3) == ()


def test_a_promotion_that_somebody_asked_for_is_the_edit_of_the_command() -> None:
    proposal = asked_promotion("torn-belt", AuthoredFile("x.toml", TEXT), "2026-07-01", "jo", "seen it")
    assert proposal is not None
    added = [line[1:] for line in proposal.diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert added == ['reviewed = { on = 2026-07-01, by = "jo", why = "seen it" }']
    assert set(added) <= set(promote(TEXT, "2026-07-01", "jo", "seen it").splitlines())
    broken = AuthoredFile("x.toml", "[a]\nb = 1\n[reviewed]\non = 1\n")
    by_hand = asked_promotion("torn-belt", broken, "2026-07-01", "jo", None)
    assert by_hand is not None
    assert (by_hand.diff, by_hand.why.startswith("edit it by hand: ")) == ("", True)
