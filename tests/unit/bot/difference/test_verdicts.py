"""What counts as gained, lost or moved between two readings, and which changed rule it is put down to."""

from __future__ import annotations

import pytest

from bot.difference.report import change_words
from bot.difference.sides import Rule
from bot.difference.texts import Item
from bot.difference.verdicts import Change, Row, State, by_rule, compared
from kb.model import Problem, Status, Symptom
from signatures.model import IssueText

WORN = State("problem", "worn-belt", "torn-belt", "likely", "upgrade")
CUT = State("problem", "cut-belt", "torn-belt", "likely", "none")
BARE = State("signature", "torn-belt", "torn-belt", "certain", None)
COUNTED = State("shadow", "torn-belt", "torn-belt", "certain", None)
NOISE = State("signature", "odd-noise", "odd-noise", "certain", None)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((), (), ()),
        ((WORN, BARE), (BARE, WORN), ()),
        ((), (WORN,), (Change("gained", None, WORN),)),
        ((WORN,), (), (Change("lost", WORN, None),)),
        ((WORN,), (CUT,), (Change("moved", WORN, CUT),)),
        ((BARE,), (WORN,), (Change("moved", BARE, WORN),)),  # its cause is known by now
        ((NOISE, WORN), (CUT,), (Change("lost", NOISE, None), Change("moved", WORN, CUT))),  # rather of the same words
        ((WORN,), (WORN._replace(certainty="certain"),), (Change("raised", WORN, WORN._replace(certainty="certain")),)),
        ((WORN,), (WORN._replace(certainty="possible", fix="none"),), "lowered"),
        ((WORN,), (WORN._replace(fix="none"),), (Change("fix", WORN, WORN._replace(fix="none")),)),
        ((COUNTED,), (WORN,), (Change("gained", COUNTED, WORN),)),  # promoted
        ((WORN,), (COUNTED,), (Change("lost", WORN, COUNTED),)),
        ((), (COUNTED,), (Change("shadow", None, COUNTED),)),
        ((COUNTED,), (COUNTED,), ()),
        ((COUNTED,), (), (Change("shadow", COUNTED, None),)),
    ],
)
def test_one_text_read_twice(before: tuple[State, ...], after: tuple[State, ...], expected: object) -> None:
    found = compared(before, after)
    assert (found[0].kind if isinstance(expected, str) else found) == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Change("gained", None, WORN), "worn-belt: likely, upgrade"),
        (Change("gained", COUNTED, BARE), "torn-belt (cause unknown): certain, out of shadow"),
        (Change("lost", WORN, COUNTED), "worn-belt: likely, upgrade, into shadow"),
        (Change("moved", WORN, CUT), "worn-belt: likely, upgrade -> cut-belt: likely, none"),
        (Change("fix", WORN, WORN._replace(fix="none")), "worn-belt: likely, upgrade -> likely, none"),
        (Change("shadow", None, COUNTED), "torn-belt (in shadow): certain, anew"),
        (Change("shadow", COUNTED, None), "torn-belt (in shadow): certain, no more"),
    ],
)
def test_a_change_in_words(change: Change, words: str) -> None:
    assert change_words(change) == words


SIGNATURE, PROBLEM = Rule("signature", "torn-belt", "changed"), Rule("problem", "worn-belt", "changed")
SIBLING, FAR = Rule("problem", "cut-belt", "added"), Rule("problem", "far-off", "changed")
OBSERVED = Rule("observed", "", "changed")
PROBLEMS = [Problem(id_, "t", "c", Status.REPORTED, (), (Symptom("torn-belt"),)) for id_ in ("worn-belt", "cut-belt")]


@pytest.mark.parametrize(
    ("changed", "to"),
    [
        ((SIGNATURE, PROBLEM, OBSERVED), SIGNATURE),
        ((FAR, PROBLEM, OBSERVED), PROBLEM),
        ((FAR, SIBLING, OBSERVED), SIBLING),
        ((FAR, OBSERVED), OBSERVED),
        ((FAR,), FAR),
        ((FAR, FAR._replace(id="further")), None),
        ((OBSERVED, Rule("vocabulary", "", "changed")), None),
    ],
)
def test_a_change_is_put_down_to_the_nearest_rule(changed: tuple[Rule, ...], to: Rule | None) -> None:
    row = Row(Item("example", "x", IssueText("", ())), Change("fix", WORN, WORN._replace(fix="none")), "")
    assert by_rule([row], changed, PROBLEMS) == {to: [row]}
