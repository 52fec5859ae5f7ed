"""What a pattern requires literally, and its form for text without whitespace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.linear import PatternError, escape, linear
from signatures.literals import anchors, squeezed_pattern
from signatures.text import fold, squeeze


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"Duplicate definition of name \((?P<t>[^()\s]+)_EP", ("duplicate definition of name (",)),
        (r"DynamicLib\.Open:\s*(?P<dll>dxil|dxcompiler)\.dll\s+Windows Error:\s*\d+", (".dll windows error:",)),
        (r"(?i)Access violation|0xC0000005", ("access violation", "0xc0000005")),
        (r"(?:first words|second)x?", ("first words", "second")),
        (r"(?:optional words)?needed", ("needed",)),
        (r"a(?:bc)d", ("abcd",)),
        (r"many+ letters", ("letters",)),
        (r"class[x\]y)]tail", ("class",)),
        (r"[^\]]rest of it", ("rest of it",)),
        (r"[[:alpha:]]after", ("after",)),
        (r"\x41\x{1F600}\p{L}\pN literal", ("literal",)),
        (r"brace{not a count}", ("brace{not a count}",)),
        (r"start(?:a|b*)end", ("start",)),
        (r"\d+", ()),
        (r"", ()),
    ],
)
def test_anchors_are_texts_that_every_match_contains(pattern: str, expected: tuple[str, ...]) -> None:
    assert expected == anchors(pattern)


def test_a_pattern_nested_without_end_is_refused() -> None:
    with pytest.raises(PatternError, match="nested deeper"):
        anchors("(" * 300 + "a" + ")" * 300)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"Duplicate definition of name \((?P<t>[^()\s]+)\)", "Duplicate definition of na me (pad)"),
        (r"Open:\s*dxil\.dll\s+Windows Error: (\d+)", "Open: dxil.dll Windows Error: 87"),
        (r"a b{2} c [x y]d", "a bb c yd"),
    ],
)
def test_a_squeezed_pattern_matches_the_text_without_whitespace(pattern: str, text: str) -> None:
    assert linear(squeezed_pattern(pattern)).search(squeeze(text)) is not None


words = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=1, max_size=12)


@given(st.lists(words, min_size=1, max_size=6))
def test_an_escaped_sentence_is_its_own_anchor(parts: list[str]) -> None:
    sentence = " ".join(parts)
    pattern = escape(sentence)

    assert linear(pattern).search(sentence) is not None
    for anchor in anchors(pattern):
        assert anchor in sentence.lower()


@pytest.mark.parametrize("pattern", ["(a", r"(?=a)b", r"(a)\1", "a{2000}", "*"])
def test_what_the_linear_engine_lacks_is_refused_in_its_own_words(pattern: str) -> None:
    with pytest.raises(PatternError, match=r"\w"):
        linear(pattern)


def test_folding_keeps_case_and_drops_what_consoles_add() -> None:
    assert fold("\x1b[0;93m2024-10-04 20:35:10.50 Mem\x1b[0mcpy   nodes\n> are added") == "Memcpy nodes are added"
