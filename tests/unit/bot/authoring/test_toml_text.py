"""TOML as `triage new` writes it reads back as the same text."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from bot.authoring import toml_text

TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)


@given(TEXT)
def test_a_string_reads_back(text: str) -> None:
    assert tomllib.loads(f"x = {toml_text.string(text)}")["x"] == text


@given(st.text(alphabet="'\"\\ab\n\r\t\x1b", max_size=40))
def test_a_block_reads_back_with_unix_line_ends(text: str) -> None:
    expected = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    assert tomllib.loads(f"x = {toml_text.block(text)}")["x"].rstrip("\n") == expected


@given(st.dictionaries(TEXT, TEXT, min_size=1, max_size=4))
def test_tables_and_arrays_read_back(pairs: dict[str, str]) -> None:
    assert tomllib.loads(f"x = {toml_text.inline_table(pairs.items())}")["x"] == pairs
    assert tomllib.loads(f"x = {toml_text.strings(pairs)}")["x"] == list(pairs)


def test_regexes_and_windows_paths_stay_readable() -> None:
    assert toml_text.string(r"C:\Users\x") == r"'C:\Users\x'"
    assert toml_text.string("plain") == '"plain"'
    assert toml_text.block("a\nb") == "'''\na\nb\n'''"
