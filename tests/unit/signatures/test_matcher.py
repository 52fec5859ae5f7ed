"""Matching: which clause held, where the words stand, what they captured."""

from __future__ import annotations

from signatures.loader import catalogue_of
from signatures.matcher import match_report
from signatures.model import BlockKind, Certainty, Role, Signature, Source, Span, When
from tests.reports import block, fact, report

SENTENCE = "includes writable usage and another usage in the same synchronization scope"
CONFLICT = Signature("conflict", "t", all=(SENTENCE,), any=("OnnxRuntimeGenAI", "WebGPU validation failed"))
LOADER = Signature(
    "loader", "t", regex=(r"DynamicLib\.Open:\s*(?P<dll>dxil|dxcompiler)\.dll\s+Windows Error:\s*(?P<code>\d+)",)
)
CATALOGUE = catalogue_of((CONFLICT, LOADER))


def quotes(text: str, *spans: Span) -> list[str]:
    return [text[s.start : s.end] for s in spans]


def test_a_sentence_that_the_console_wrapped_is_found_and_its_raw_place_is_kept() -> None:
    text = (
        "WebGPU validation failed.\nincludes writable usage and another usage in the same\n  synchronization scope.\n"
    )

    (match,) = match_report(report(block(text)), CATALOGUE)

    assert match.signature == "conflict"
    assert quotes(text, *match.evidence) == [
        "includes writable usage and another usage in the same\n  synchronization scope",
        "WebGPU validation failed",
    ]


def test_a_sentence_broken_inside_a_word_is_found() -> None:
    text = "WebGPU validation failed. includes writable usage and another usage in the same synchroni\nzation scope."

    (match,) = match_report(report(block(text)), CATALOGUE)

    assert "includes writable usage and another usage in the same synchroni\nzation scope" in quotes(
        text, *match.evidence
    )


def test_a_pattern_broken_inside_a_word_still_captures() -> None:
    text = "Error: DynamicLib.Open: dxcompi\nler.dll Windows Err\nor: 126"

    (match,) = match_report(report(block(text)), CATALOGUE)

    assert match.captures == (("code", "126"), ("dll", "dxcompiler"))
    assert quotes(text, *match.evidence) == ["DynamicLib.Open: dxcompi\nler.dll Windows Err\nor: 126"]


def test_two_different_captures_in_one_block_are_two_matches() -> None:
    text = "DynamicLib.Open: dxil.dll Windows Error: 87\nDynamicLib.Open: dxcompiler.dll Windows Error: 87\n" * 3

    assert [dict(m.captures)["dll"] for m in match_report(report(block(text)), CATALOGUE)] == ["dxil", "dxcompiler"]


def test_letter_case_of_literals_is_ignored() -> None:
    assert match_report(report(block(f"webgpu VALIDATION failed {SENTENCE.upper()}")), CATALOGUE)


def test_any_alone_and_all_alone_do_not_match() -> None:
    assert match_report(report(block(SENTENCE), block("WebGPU validation failed")), CATALOGUE) == ()


def test_none_refuses_the_block_that_holds_it() -> None:
    signature = Signature("s", "t", all=("Duplicate definition of name",), none=("Load model from",))
    texts = ("Duplicate definition of name (x)", "Load model from a.onnx failed: Duplicate definition of name (x)")

    matches = match_report(report(*map(block, texts)), catalogue_of((signature,)))

    assert [m.block for m in matches] == [0]


def test_words_that_the_writer_dismisses_are_no_evidence() -> None:
    text = f"Not this one: WebGPU validation failed {SENTENCE}. But the engine stops."
    dismissed = block(text, kind=BlockKind.PROSE)._replace(dismissed=((0, text.index("But")),))

    assert match_report(report(dismissed), CATALOGUE) == ()


def test_dismissed_words_between_two_passages_do_not_join_them() -> None:
    text = "WebGPU validation failed: includes writable usage and another XXXX usage in the same synchronization scope"
    at = text.index("XXXX")
    cut = block(text, kind=BlockKind.PROSE)._replace(dismissed=((at, at + 5),))

    assert match_report(report(cut), CATALOGUE) == ()


def test_posts_of_others_are_not_the_reporters_failure() -> None:
    text = f"WebGPU validation failed {SENTENCE}"

    for role in (Role.MAINTAINER, Role.OTHER, Role.BOT):
        assert match_report(report(block(text, role=role)), CATALOGUE) == ()


def test_a_precondition_decides_between_certain_likely_and_no_match() -> None:
    signature = LOADER._replace(when=(When("os", ("windows",)),))
    text = "DynamicLib.Open: dxil.dll Windows Error: 87"

    def certainties(*values: str) -> list[Certainty]:
        facts = tuple(fact("os", v) for v in values)
        return [m.certainty for m in match_report(report(block(text), facts=facts), catalogue_of((signature,)))]

    assert certainties("windows") == [Certainty.CERTAIN]
    assert certainties() == [Certainty.LIKELY]
    assert certainties("linux") == []
    assert certainties("linux", "windows") == [Certainty.LIKELY]  # contradictory: unknown


def test_a_precondition_that_must_be_known_leaves_a_match_possible() -> None:
    signature = LOADER._replace(when=(When("runtime", any=("litert",), known=True),))
    text = block("DynamicLib.Open: dxil.dll Windows Error: 87")

    (unknown,) = match_report(report(text), catalogue_of((signature,)))
    (stated,) = match_report(report(text, facts=(fact("runtime", "litert"),)), catalogue_of((signature,)))

    assert (unknown.certainty, stated.certainty) == (Certainty.POSSIBLE, Certainty.CERTAIN)
    assert match_report(report(text, facts=(fact("runtime", "wgpu"),)), catalogue_of((signature,))) == ()


def test_a_weak_signature_leaves_a_match_possible_and_says_why() -> None:
    signature = LOADER._replace(weak="Every loader prints it.")

    (match,) = match_report(report(block("DynamicLib.Open: dxil.dll Windows Error: 87")), catalogue_of((signature,)))

    assert match.certainty is Certainty.POSSIBLE
    assert [r.detail for r in match.reasons if r.clause == "weak"] == ["Every loader prints it."]


def test_shared_words_count_beside_a_runtime_or_alone_and_then_as_possible() -> None:
    signature = LOADER._replace(shared="Every loader prints it.")
    line = "Error: DynamicLib.Open: dxil.dll Windows Error: 87"

    def certainties(text: str, *, named: bool = False, **facts: str) -> list[Certainty]:
        made = report(block(text), facts=tuple(fact(k, v) for k, v in facts.items()))._replace(named=named)
        return [m.certainty for m in match_report(made, catalogue_of((signature,)))]

    assert certainties(f"My game stops.\n{line}", named=True) == [Certainty.CERTAIN]
    assert certainties(f"My game stops.\n{line}") == []
    assert certainties(line) == [Certainty.POSSIBLE]
    signature = signature._replace(when=(When("runtime", ("wgpu",)),))
    assert certainties(f"My game stops.\n{line}", runtime="wgpu") == [Certainty.CERTAIN]
    assert certainties(f"My game stops.\n{line}") == []


def test_a_title_is_refused_where_the_body_prints_what_rules_it_out() -> None:
    signature = LOADER._replace(none=("0xc0e90002",))
    line = "DynamicLib.Open: dxil.dll Windows Error: 87"
    title = block(line, kind=BlockKind.TITLE)

    assert match_report(report(title, block(f"{line} (0xc0e90002)")), catalogue_of((signature,))) == ()
    assert len(match_report(report(title, block("See the picture.")), catalogue_of((signature,)))) == 1


def test_the_most_trusted_statement_decides_a_precondition() -> None:
    signature = LOADER._replace(when=(When("os", none=("linux",)),))
    facts = (fact("os", "linux", Source.FORM), fact("os", "Windows", Source.LOG))
    text = "DynamicLib.Open: dxil.dll Windows Error: 87"

    (match,) = match_report(report(block(text), facts=facts), catalogue_of((signature,)))

    assert Certainty.CERTAIN is match.certainty


def test_at_equal_trust_the_fact_nearest_to_the_evidence_decides() -> None:
    text = "On Linux all is well.\nOn Windows: DynamicLib.Open: dxil.dll Windows Error: 87"
    facts = (
        fact("os", "linux", Source.PROSE, span=Span(0, 3, 8), at=0),
        fact("os", "windows", Source.PROSE, span=Span(0, 25, 32), at=0),
    )
    signature = LOADER._replace(when=(When("os", ("windows",)),))

    (match,) = match_report(report(block(text), facts=facts), catalogue_of((signature,)))

    assert Certainty.CERTAIN is match.certainty


def test_the_number_of_readings_of_one_signature_in_one_block_is_capped() -> None:
    signature = Signature("s", "t", regex=(r"Duplicate definition of name \((?P<n>\d+)\)",))
    text = " ".join(f"Duplicate definition of name ({i})" for i in range(1000))

    assert len(match_report(report(block(text)), catalogue_of((signature,)))) == 8
