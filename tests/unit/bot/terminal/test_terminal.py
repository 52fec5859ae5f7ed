"""Writing for people: safe characters, wrapping, colour."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import terminal
from bot.terminal import BOLD, Paper, one_line, printable


@given(st.text())
def test_nothing_printable_acts_on_a_terminal(text: str) -> None:
    shown = printable(text)
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert not any(0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in shown)
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff")


def test_nothing_printable_is_invisible() -> None:
    formats = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) in ("Cf", "Cs", "Zl", "Zp")]
    fillers = "\u115f\u1160\u3164\uffa0\u034f\u180e\U000e0041\U000e0101"
    assert set(printable("".join(formats) + fillers)) == {"\N{REPLACEMENT CHARACTER}"}
    assert printable("Größe 显卡 ✓ ⚠\ufe0f") == "Größe 显卡 ✓ ⚠\ufe0f"


def test_colours_are_all_that_is_said_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say("\x1b[1;31mred\x1b[0m \x1b]0;title\x07 \x1b[2J \x1bm \u202e")
    shown = capsys.readouterr().out
    assert shown.startswith("\x1b[1;31mred\x1b[0m ")
    assert shown.count("\x1b") == 2
    assert "\x07" not in shown
    assert "\u202e" not in shown


def test_long_lines_are_cut_with_an_ellipsis() -> None:
    assert one_line("a\n b\t c") == "a b c"
    assert one_line("word " * 50, 20) == "word word word word…"


def test_text_is_wrapped_and_long_words_stay_whole() -> None:
    page = Paper(width=40)
    page.field("Fix", "see https://github.com/microsoft/onnxruntime-genai/pull/2191 and " + "many words " * 6)
    assert "https://github.com/microsoft/onnxruntime-genai/pull/2191" in str(page)
    assert all(len(line) <= 40 for line in str(page).split("\n") if "https" not in line)


def test_colour_is_added_only_where_wanted_and_cannot_come_from_the_text() -> None:
    plain, coloured = Paper(), Paper(colour=True)
    for page in (plain, coloured):
        page.text("title \x1b[31mred", BOLD)
    assert "\x1b" not in str(plain)
    assert str(coloured).startswith("\x1b[1m")
    assert "\x1b[31m" not in str(coloured)


def test_a_table_without_room_is_stacked() -> None:
    rows = [("a-rather-long-identifier", "confirmed", "what it is about, in a sentence")]
    wide, narrow = Paper(width=100), Paper(width=45)
    wide.table(rows)
    narrow.table(rows)
    assert len(wide.lines) == 1
    assert narrow.lines[0] == "  a-rather-long-identifier"


def test_a_locale_without_these_characters_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", newline="\n")
    monkeypatch.setattr("sys.stdout", stream)
    terminal.say("caf\u00e9 \u2026")
    stream.flush()
    assert raw.getvalue() == b"caf? ?\n"
    terminal.say_machine("caf\u00e9")
    stream.flush()
    assert raw.getvalue().endswith("caf\u00e9\n".encode())


def test_a_closed_stdout_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    terminal.say("nobody reads this")
    assert terminal.paper().width > 0
