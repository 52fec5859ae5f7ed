"""A first version of a signature from one report."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.authoring.authored_files import signature_files
from bot.authoring.drafting import Draft, NothingStable, draft_signature, stable_pieces
from bot.knowledge import Known, load_known
from signatures.extract import read_issue
from signatures.model import IssueText, Post, Role
from signatures.validate import Reading, drop_each_clause, shows


@pytest.fixture(scope="module")
def known() -> Known:
    return load_known()


def draft(text: str, known: Known) -> Draft:
    issue = IssueText("", (Post(Role.REPORTER, text, markdown=False),))
    reading = Reading(known.vocabulary, known.names)
    report = read_issue(issue, known.vocabulary, known.names)
    return draft_signature("my-error", None, report, known.catalogue, signature_files(()), reading)


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        (
            'FluxError: the capacitor bank "C12" refused to charge: code 0x80070057 (retry 3)',
            ["FluxError: the capacitor bank", "refused to charge: code"],
        ),
        ("Duplicate definition of name (pad_CUDAExecutionProvider).", ["Duplicate definition of name"]),
        (r"cannot map C:\models\x.onnx into memory", ["cannot map", "into memory"]),
        ("/usr/lib/libfoo.so: undefined symbol: _Zx12", ["undefined symbol"]),
        ("12 34 0x56", []),
        ("short", []),
    ],
)
def test_what_varies_is_left_out(line: str, pieces: list[str]) -> None:
    assert sorted(stable_pieces(line), key=line.find) == pieces


def test_the_most_telling_line_is_taken_from_a_stack_trace(known: Known) -> None:
    text = (
        "Loading plugin host\nUnhandled exception.\n"
        'ZorkException: the grue limit of room "west" is exceeded by 3\n'
        "   at Zork.Rooms.Enter(Room) + 0x47\n   at Zork.Program.Main() + 0x12\n"
    )
    made = draft(text, known)
    assert made.signature.all[0] in "ZorkException: the grue limit of room"
    assert "at Zork.Rooms.Enter" in made.examples[0].text


def test_an_envelope_is_not_taken_where_there_is_more(known: Known) -> None:
    text = "error: IPC error 'op_handler_failed': Error from chat: Error:\nZorkException: grue limit exceeded\n"
    assert "op_handler_failed" not in " ".join(draft(text, known).signature.all)


def test_each_clause_is_needed_by_a_near_miss(known: Known) -> None:
    made = draft('FluxError: the capacitor bank "C12" refused to charge: code 0x80070057', known)
    reading = Reading(known.vocabulary, known.names)
    assert shows(made.signature, reading.report(made.examples[0].text))
    misses = [e for e in made.examples if not e.match]
    assert len(misses) >= 2
    assert not any(shows(made.signature, reading.report(e.text)) for e in misses)
    for _, without in drop_each_clause(made.signature):
        assert any(shows(without, reading.report(e.text)) for e in misses)


def test_a_text_that_shows_a_known_signature_says_so(known: Known) -> None:
    made = draft("Error: Duplicate definition of name (pad_CUDAExecutionProvider).", known)
    assert made.overlaps == ("duplicate-ep-tensor-name",)


@given(st.text(alphabet="abcdefgh XYZ:()'\"\\/.,0123\n", max_size=200))
@settings(max_examples=60)
def test_any_text_gives_a_draft_that_matches_it_or_a_reason(text: str) -> None:
    known = load_known()
    try:
        made = draft(text, known)
    except NothingStable:
        return
    assert shows(made.signature, Reading(known.vocabulary, known.names).report(made.examples[0].text))
