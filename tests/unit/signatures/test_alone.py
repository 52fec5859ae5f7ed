"""Whether words are all that a report says, and which lines are known to name no failure."""

from __future__ import annotations

import pytest

from bot.knowledge import load_known
from signatures.alone import MAX_LINES, MAX_TEXT, lone_line, stand_alone
from signatures.extract import read_issue
from signatures.loader import Lone, catalogue_of
from signatures.model import TITLE_POST, IssueText, Post, Report, Role, Span
from tests.reports import block, report

KNOWN = load_known(())
WORDS = "widget not mapped"
CATALOGUE = catalogue_of(
    (),
    lone=(
        Lone("(?i)widget failed:?", True, "a wrapper", "What stands behind it?"),
        Lone("core dumped", False, "", "?"),
    ),
)


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        (WORDS, True),
        (f"RuntimeError: {WORDS}", True),
        (f"terminate called after throwing an instance of 'std::runtime_error'\n  what():  {WORDS}", True),
        (f"[src/widget/loader.cc:131] ERROR: {WORDS} (0x80004005)", True),
        (f"{WORDS}\n - While validating the segment.\n - While finishing [CommandEncoder (unlabeled)].", True),
        (f"pytest: ValueError: {WORDS}", False),
        (f"My game stops.\n{WORDS}", False),
        (f"{WORDS} while a level loads", False),
        (f"{WORDS}\n{'-' * MAX_TEXT}", False),
    ],
)
def test_what_programs_wrap_around_a_message_says_nothing(text: str, alone: bool) -> None:
    start = text.index(WORDS)

    assert stand_alone(report(block(text)), (Span(0, start, start + len(WORDS)),)) is alone


def test_a_title_says_something_too() -> None:
    made = report(block(WORDS))
    titled = made._replace(issue=made.issue._replace(title="My game stops"))

    assert not stand_alone(titled, (Span(0, 0, len(WORDS)),))
    assert stand_alone(titled, (Span(0, 0, len(WORDS)), Span(TITLE_POST, 0, len("My game stops"))))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Widget failed:", "Widget failed:"),
        ("  - widget failed\n", "- widget failed"),
        ("core dumped\n\nwidget failed", "core dumped"),
        ("\x1b[31mwidget   failed\x1b[0m", "widget failed"),
        ("widget failed: no map", None),
        ("widget failed\nno map", None),
        ("widget failed\n" * (MAX_LINES + 1), None),
        ("", None),
    ],
)
def test_every_line_must_be_known_to_name_no_failure(text: str, found: str | None) -> None:
    lone = lone_line(report(block(text)), CATALOGUE)

    assert (lone[1] if lone else None) == found


def read(text: str, ref: str | None = None) -> Report:
    return read_issue(IssueText("", (Post(Role.REPORTER, text),), ref), KNOWN.vocabulary, KNOWN.names)


@pytest.mark.parametrize(
    ("text", "ref", "named"),
    [
        ("My game stops.", None, False),
        ("It is drawn with three.js on wgpu.", None, False),
        ("It stops.", "gfx-rs/wgpu#1", False),
        ("It stops.", "microsoft/onnxruntime#1", True),
        ("I load a GGUF file.", None, True),
        ("The log says kai\\_run\\_rhs.", None, True),
        ("Foundry CLI 0.10.0", None, True),
    ],
)
def test_a_report_names_a_runtime_by_its_words_or_its_place(text: str, ref: str | None, named: bool) -> None:
    assert read(text, ref).named is named
