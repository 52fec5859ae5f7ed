"""A diagnosis at a terminal."""

from __future__ import annotations

from collections.abc import Callable

from bot.report_text import write_diagnosis, write_nothing
from bot.terminal import Paper
from bot.wording import Names
from kb.model import Diagnosis, KnownProblem, Product, Quote
from signatures.model import Span

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


def test_nothing_known_says_what_was_looked_at_and_what_to_do(
    diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    page = Paper(width=100)
    write_nothing(page, diagnosis(), Names(products), source="'run.log'", known=(12, 11))
    text = " ".join(str(page).split())
    assert "Looked at 1 block of text in 'run.log', against 12 signatures and 11 problems." in text
    assert "triage new my-failure --from FILE --catalogue my-triage" in text
