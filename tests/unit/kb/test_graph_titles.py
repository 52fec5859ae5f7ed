"""What the words of commits say about other changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.graph.titles import is_round, read_body, read_title


@pytest.mark.parametrize(
    ("subject", "own", "says", "undoes"),
    [
        ("Fix webgpu shared buffer issue (#2191)", 2191, (), 1),
        ("[Java] Add a dependency on onnxruntime (#2030) (#2040)", 2040, ((2030, 1),), 1),
        ('Revert "Generate type info" (#1805)', 1805, (), -1),
        ('Revert "Generate type info (#1790)" (#1805)', 1805, ((1790, -1),), -1),
        ('Revert "Revert "Generate type info (#1)" (#2)" (#3)', 3, ((2, -1), (1, 1)), 1),
        ('Reland "Generate type info (#1)" (#3)', 3, ((1, 1),), 1),
        ('Reapply "Generate type info (#1)" (#3)', 3, ((1, 1),), 1),
        ("Revert #12: it breaks the build (#13)", 13, ((12, -1),), -1),
        ("Partially revert #12 (#13)", 13, ((12, 0),), 0),
        ("Revert part of #12 (#13)", 13, ((12, 0),), 0),
        ("Back out #12 (#13)", 13, ((12, -1),), -1),
        ("[rel-1.0] Cherry-pick #11 and #12 (#15)", 15, ((11, 1), (12, 1)), 1),
        ("Merge pull request #60 from ann/topic", 60, (), 1),
        ("Fix the crash of #12", None, (), 1),
        ("Reverting is now possible (#9)", 9, (), -1),
        ("", None, (), 1),
    ],
)
def test_a_title_is_read(subject: str, own: int | None, says: tuple[tuple[int, int], ...], undoes: int) -> None:
    title = read_title(subject)
    assert (title.own, title.says, title.undoes) == (own, says, undoes)


def test_titles_compare_by_their_core() -> None:
    cores = {
        read_title(t).core
        for t in (
            "Fix a crash (#1)",
            "[rel-1.0] Fix a crash (#1) (#2)",
            'Revert "Fix a crash (#1)" (#3)',
            "fix  A crash",
        )
    }
    assert cores == {"fix a crash"}


def test_a_body_lists_the_picks_of_a_round() -> None:
    body = read_body(
        "Update the version and cherry pick these changes:\n\n#1435 update settings\n- #1434 make a name consistent\n"
        "Address comments of #1470 (#1473)\nPersist options where\npossible (#1454)\n\nIt fixes #9 as well.\n",
        "acme/engine",
    )
    assert body.listed == (1435, 1434, 1473, 1454)


def test_a_body_names_what_it_reverts_and_what_it_was_picked_from() -> None:
    body = read_body(
        "This reverts commit 0123456789abcdef.\nReverts acme/engine#12\nReverts other/engine#13\n"
        "(cherry picked from commit fedcba9876543210)\ncherry-pick #1811 to rel-0.10.1.\n",
        "acme/engine",
    )
    assert body.reverts == ("0123456789abcdef",)
    assert body.reverts_numbers == (12,)
    assert body.picked_from == ("fedcba9876543210",)
    assert body.picked_numbers == (1811,)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Cherry pick round 3 (#1245)", True),
        ("0.8.0 RC2 cherry picks (#1438)", True),
        ("Cherrypick 2 (#1743)", True),
        ("Patch release cherry-pick for 0.8.1 (#1515)", True),
        ("Fix picking of devices (#3)", False),
        ("Round numbers to even", True),
    ],
)
def test_a_round_is_told_by_its_title(subject: str, expected: bool) -> None:
    assert is_round(subject) is expected


@given(st.text(max_size=400))
def test_any_title_and_body_can_be_read(text: str) -> None:
    read_title(text)
    read_body(text, "acme/engine")


def test_deep_nesting_ends() -> None:
    assert read_title('Revert "' * 5000 + "x").turned
