"""Texts that are rewritten in passes: what stands for a part of the text is found again, and never half of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.extract.rewriting import Rewriting

PASSES = ((r"b+", "<b>"), (r"c", ""), (r"[<d]b?", "*"), (r"\n", " "), (r"a>?", "AA"))


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [(0, 2, "x "), (2, 5, "<s>"), (3, 4, "<s>"), (5, 6, " "), (0, 4, "x <s>"), (4, 13, "<s> and <t>"), (13, 15, " y")],
)
def test_a_part_holds_all_of_what_reaches_into_it(first: int, last: int, shown: str) -> None:
    text = Rewriting("x abc and def y")
    text.replace("abc", lambda _: "<s>")
    text.replace("def", lambda _: "<t>")
    assert text.part(first, last) == shown


def test_what_later_passes_do_to_a_replaced_piece_belongs_to_it() -> None:
    text = Rewriting("one two three")
    text.replace("two", lambda _: "<two>")
    text.replace("o> t", lambda _: "")
    assert text.text == "one <twhree"
    assert text.part(0, 4) == "one "
    assert text.part(5, 6) == text.part(7, 9) == "<tw"
    assert text.part(9, 13) == "hree"


@given(st.text("abcd<>\n ", max_size=60), st.lists(st.sampled_from(PASSES), max_size=6), st.data())
def test_parts_put_together_are_the_whole(text: str, passes: list[tuple[str, str]], data: st.DataObject) -> None:
    rewritten = Rewriting(text)
    for pattern, words in passes:
        rewritten.replace(pattern, lambda _, w=words: w)  # type: ignore[misc]  # binds the loop's value
    assert rewritten.part(0, len(text)) == rewritten.text
    done = 0
    for edit in rewritten.edits:
        assert done <= edit.first <= edit.last
        assert rewritten.part(done, edit.first) == text[done : edit.first]  # what no pass touched stands as it was
        done = edit.last
    at = data.draw(st.integers(0, len(text)))
    if not any(e.first < at < e.last for e in rewritten.edits):
        assert rewritten.part(0, at) + rewritten.part(at, len(text)) == rewritten.text
