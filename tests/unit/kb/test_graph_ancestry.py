"""Reachability over the commits of one history."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.graph.ancestry import Ancestry
from kb.graph.model import Commit


def commits(*parents: tuple[int, ...]) -> tuple[Commit, ...]:
    """Commits named by their number; each row names the parents of one."""
    return tuple(
        Commit(str(i), tuple(map(str, row)), "2026-01-01T00:00:00Z", "", "", "") for i, row in enumerate(parents)
    )


def test_a_merge_contains_both_sides() -> None:
    ancestry = Ancestry(commits((), (0,), (0,), (1, 2), (2,)), ("3", "4"))
    assert ancestry.of("3") == [0, 1, 2, 3]
    assert ancestry.of("4") == [0, 2, 4]
    assert ancestry.off("3", "4") == [1, 3]
    assert ancestry.within(1, "3")
    assert not ancestry.within(1, "4")


def test_unknown_tips_and_parents_contain_nothing() -> None:
    ancestry = Ancestry(commits((), (0, 7)), ("1", "9"))
    assert ancestry.of("9") == []
    assert ancestry.off("9", "1") == []
    assert ancestry.of("1") == [0, 1]


@given(st.lists(st.sets(st.integers(0, 30), max_size=3), min_size=1, max_size=24))
def test_one_pass_agrees_with_walking_from_each_commit(rows: list[set[int]]) -> None:
    parents = [tuple(sorted(p for p in row if p < i)) for i, row in enumerate(rows)]
    ancestry = Ancestry(commits(*parents), tuple(map(str, range(len(rows)))))
    for later in range(len(rows)):
        seen, todo = set[int](), [later]
        while todo:
            here = todo.pop()
            if here not in seen:
                seen.add(here)
                todo += parents[here]
        assert ancestry.of(str(later)) == sorted(seen)
        assert all(ancestry.descends(later, earlier) == (earlier in seen) for earlier in range(len(rows)))
