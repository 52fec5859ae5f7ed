"""Why a signature does not fire, and which error lines nothing accounts for."""

from __future__ import annotations

from signatures.explain import explain
from signatures.loader import Known, catalogue_of
from signatures.matcher import match_report
from signatures.model import BlockKind, Role, Signature, When
from signatures.unexplained import MAX_LINES, error_lines
from tests.reports import block, fact, report

LOADER = Signature(
    "loader", "t",
    regex=(r"DynamicLib\.Open:\s*(?P<dll>dxil|dxcompiler)\.dll\s+Windows Error:\s*(?P<code>\d+)",),
    none=("0xc0e90002",), when=(When("os", ("windows",)),),
)  # fmt: skip
NOISE = catalogue_of((LOADER,), (Known("op_handler_failed", True), Known("Failed to process model", False)))


def test_the_clause_that_failed_and_the_nearest_line_are_named() -> None:
    text = "Selected adapter: some card\nError: DynamicLib.Open: d3dcompiler_47.dll Windows Error: 87\nGood bye"

    found = explain(report(block(text)), LOADER)

    assert not found.matches
    assert [(r.clause, r.held) for r in found.reasons] == [("none[0]", True), ("regex[0]", False), ("when.os", None)]
    assert found.nearest == "Error: DynamicLib.Open: d3dcompiler_47.dll Windows Error: 87"


def test_a_text_that_must_be_absent_and_a_fact_that_contradicts_are_named() -> None:
    text = "DynamicLib.Open: dxil.dll Windows Error: 87\nBad Image 0xc0e90002"

    found = explain(report(block(text), facts=(fact("os", "linux"),)), LOADER)

    assert {r.clause: r.held for r in found.reasons} == {"none[0]": False, "regex[0]": True, "when.os": False}


def test_words_that_others_print_too_are_said_to_be_so() -> None:
    shared = LOADER._replace(shared="Every loader prints it.", when=())
    line = "DynamicLib.Open: dxil.dll Windows Error: 87"

    def held(text: str, *, named: bool) -> list[tuple[bool | None, str]]:
        found = explain(report(block(text))._replace(named=named), shared)
        return [(r.held, r.detail) for r in found.reasons if r.clause == "shared"]

    assert held(f"My game stops.\n{line}", named=False) == [
        (False, "the report names no runtime: Every loader prints it.")
    ]
    assert held(line, named=False) == [(None, "the report says nothing else: Every loader prints it.")]
    assert held(f"My game stops.\n{line}", named=True) == [(True, "the report names a runtime")]
    assert held("My game stops.", named=False) == []


def test_a_sentence_that_a_console_wrapped_is_shown_whole() -> None:
    text = "Selected adapter: some card\nError: DynamicLib.Open: d3d.dll\nWindows Error: 87\nGood bye"

    found = explain(report(block(text)), LOADER)

    assert found.nearest == "Error: DynamicLib.Open: d3d.dll Windows Error: 87"


def test_the_block_that_comes_closest_is_explained() -> None:
    blocks = (block("nothing here"), block("DynamicLib.Open: dxil.dll Windows Error: x"), block("nothing there"))

    assert "DynamicLib.Open" in (explain(report(*blocks), LOADER).nearest or "")


def test_a_passage_that_the_writer_rules_out_is_said_to_be_one() -> None:
    text = "Not DynamicLib.Open: dxil.dll Windows Error: 87"
    cut = block(text, kind=BlockKind.PROSE)._replace(dismissed=((0, len(text)),))

    assert explain(report(cut), LOADER).dismissed


def test_a_report_without_words_of_its_reporter_explains_nothing() -> None:
    found = explain(report(block("x", role=Role.MAINTAINER)), LOADER)

    assert (found.matches, found.reasons, found.nearest) == (False, (), None)


def lines(*blocks: tuple[str, BlockKind]) -> list[str]:
    made = report(*(block(text, kind=kind) for text, kind in blocks))
    return [line.text for line in error_lines(made, NOISE, match_report(made, NOISE))]


def test_error_lines_that_nothing_accounts_for_are_listed_without_noise_and_frames() -> None:
    log = (
        "2026-01-01 10:00:00 INFO started\n"
        "[ERR] Failed to process model #0 on page 1.\n"
        "RuntimeError: Unsupported tokenizer class\n"
        "   at Widget.Error.Throw()\n"
        "all is well"
    )

    assert lines((log, BlockKind.FENCE)) == ["RuntimeError: Unsupported tokenizer class"]


def test_an_envelope_alone_is_unexplained() -> None:
    assert lines(("IPC error 'op_handler_failed'", BlockKind.PROSE)) == ["IPC error 'op_handler_failed'"]


def test_sentences_about_failures_are_no_error_lines() -> None:
    assert lines(("It fails every time and I cannot find a way around it.", BlockKind.PROSE)) == []


def test_lines_beside_a_recognised_failure_belong_to_it() -> None:
    far = "\n".join(["fine"] * 200)
    log = f"Failed to start\nDynamicLib.Open: dxil.dll Windows Error: 87\n{far}\nFATAL: disk is full"

    assert lines((log, BlockKind.FENCE)) == ["FATAL: disk is full"]


def test_the_list_is_short_and_says_each_line_once() -> None:
    log = "\n".join(f"error: number {i // 3}" for i in range(300))

    found = lines((log, BlockKind.FENCE))

    assert len(found) == len(set(found)) == MAX_LINES
