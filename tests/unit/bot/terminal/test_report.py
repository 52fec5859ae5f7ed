"""A diagnosis at a terminal."""

from __future__ import annotations

from collections.abc import Callable

from bot.terminal import Paper
from bot.terminal.report import write_diagnosis, write_nothing
from bot.wording import Names
from kb.model import Diagnosis, FixVerdict, KnownProblem, Product, Quote, RuledOutProblem, Verdict
from signatures.model import ArtifactRef, ArtifactRole, Fact, Finding, Outcome, Source, Span

MakeKnown = Callable[..., KnownProblem]
MakeDiagnosis = Callable[..., Diagnosis]


def said(diagnosis: Diagnosis, products: tuple[Product, ...]) -> str:
    page = Paper(width=100)
    write_diagnosis(page, diagnosis, Names(products))
    return " ".join(str(page).split())


def test_everything_of_a_diagnosis_is_said(everything: Diagnosis, products: tuple[Product, ...]) -> None:
    text = said(everything, products)
    for words in (
        "GenAI binds one GPU buffer for past and present recurrent state",
        "certain: every clause of the signature holds",
        "known cause: One WebGPU compute pass",
        '"WebGPU validation failed. [Buffer (unlabeled)] usage',
        "Fix onnxruntime-genai 0.14.1. Your Foundry Local CLI 0.10.0 carries 0.14.0",
        "Your version stated in the form: Foundry version: 0.10.0",
        "Workaround Run the CPU variant of the same model.",
        "https://github.com/microsoft/foundry-local/issues/799",
        "likely; recognised, but its cause is not known",
        "Read as facts os windows, ep webgpu",
        "qwen3.5-4b-generic-gpu:2 (failing)",
        "Question Which version does `foundry --version` print?",
        "Ruled out memcpy-kernel-missing: the sentence is another one",
        'Not explained "Failed to create engine: INTERNAL"',
    ):
        assert words in text


def test_the_best_problem_comes_first(
    known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    other = known(problem=known().problem._replace(id="other", title="Another problem"))
    text = said(diagnosis(known(), other), products)
    assert text.index("GenAI binds one GPU buffer") < text.index("Another problem")


def test_quotes_are_redacted(known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]) -> None:
    private = Quote(r"cannot open C:\Users\jane.doe\x.onnx", Span(0, 0, 5))
    assert "jane.doe" not in said(diagnosis(known(evidence=(private,)), unexplained=(private,)), products)


def test_a_problem_that_the_versions_rule_out_says_that_first_and_offers_nothing(
    known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    fix = FixVerdict(Verdict.NOT_EXPLAINED, note="0.14.1 carries the fix")
    text = said(diagnosis(known(fix=fix)), products)
    assert text.startswith("Not the cause here: GenAI binds one GPU buffer")
    assert "The versions in this report rule this cause out: 0.14.1 carries the fix." in text
    for words in ("certain", "known cause", "Run the CPU variant"):
        assert words not in text


def test_a_problem_whose_cause_nobody_wrote_down_says_so(
    known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    unknown = known(problem=known().problem._replace(cause="Not known yet."))
    assert "Cause not known yet" in said(diagnosis(unknown), products)


def test_nothing_of_a_report_is_said_without_an_end(
    known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    made = diagnosis(known(fix=FixVerdict(Verdict.VERSION_UNKNOWN, note="x" * 100_000)))
    facts = tuple(Fact("onnxruntime", f"1.{i}.0", Source.LOG, "", None) for i in range(20_000))
    span = Span(0, 0, 1)
    models = tuple(ArtifactRef("file", f"m{i}.onnx", None, None, ArtifactRole.MENTIONED, span) for i in range(20_000))
    text = said(made._replace(report=made.report._replace(facts=facts, artifacts=models)), products)
    assert "onnxruntime 1.0.0 / 1.1.0 / " in text
    assert "1.7.0 and at least 9992 more" in text
    assert "m7.onnx and at least 9992 more" in text
    assert len(text) < 4_000


def test_all_words_of_the_report_are_redacted(
    known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    private = r"C:\Users\jane.doe\x.onnx"
    finding = Finding("memcpy-baked", private, Outcome.FOUND, private)
    made = diagnosis(
        known(findings=(finding,), why=(private,), fix=FixVerdict(Verdict.VERSION_UNKNOWN, note=private)),
        ruled_out=(RuledOutProblem("other", private),),
    )
    assert "jane.doe" not in said(made, products)


def test_nothing_known_says_what_was_looked_at_and_what_to_do(
    diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    page = Paper(width=100)
    write_nothing(page, diagnosis(), Names(products), source="'run.log'", known=(12, 11))
    text = " ".join(str(page).split())
    assert "Looked at 1 block of text in 'run.log', against 12 signatures and 11 problems." in text
    assert "triage new my-failure --from FILE --catalogue my-triage" in text
