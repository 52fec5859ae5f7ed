"""Diagnoses as kb makes them, for tests of how they are said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kb.model import (
    Diagnosis,
    Fix,
    FixedIn,
    FixKind,
    FixState,
    FixVerdict,
    KnownProblem,
    Problem,
    Product,
    Quote,
    RecognisedSignature,
    ReporterVersion,
    RuledOutProblem,
    Scheme,
    Status,
    Symptom,
    Verdict,
)
from signatures.model import (
    ArtifactRef,
    ArtifactRole,
    BlockKind,
    Certainty,
    Fact,
    IssueText,
    LogBlock,
    Post,
    Report,
    Role,
    Source,
    Span,
)

SENTENCE = (
    "WebGPU validation failed. [Buffer (unlabeled)] usage\n"
    "(Storage(read-write)|Storage(read-only)) includes writable usage and another usage "
    "in the same synchronization scope."
)

PRODUCTS = (
    Product("foundry-local-cli", "Foundry Local CLI", Scheme.SEMVER),
    Product("onnxruntime-genai", "onnxruntime-genai", Scheme.SEMVER),
)

UPGRADE = FixVerdict(
    Verdict.UPGRADE,
    (
        FixedIn("component", "onnxruntime-genai", "0.14.1", None),
        FixedIn("product", "foundry-local-cli", "0.10.1", "2026-06-22"),
    ),
    ReporterVersion(
        "foundry-local-cli", "0.10.0", "onnxruntime-genai", "0.14.0", "stated in the form: Foundry version: 0.10.0"
    ),
)

Change = dict[str, object]


def _problem(**changes: object) -> Problem:
    problem = Problem(
        id="webgpu-recurrent-state-buffer-aliasing",
        title="GenAI binds one GPU buffer for past and present recurrent state",
        cause="One WebGPU compute pass both writes and reads the buffer, which the specification forbids.",
        status=Status.CONFIRMED,
        refs=("microsoft/foundry-local#799",),
        symptoms=(Symptom("webgpu-buffer-usage-conflict"),),
        fixes=(Fix(FixKind.COMMIT, FixState.RELEASED, ("microsoft/onnxruntime-genai#2191",), merged="2026-06-02"),),
        workarounds=("Run the CPU variant of the same model.",),
    )
    return problem._replace(**changes)  # type: ignore[arg-type]  # a test names only fields of Problem


def _known(**changes: object) -> KnownProblem:
    span = Span(0, 0, len(SENTENCE))
    known = KnownProblem(
        problem=_problem(),
        signature="webgpu-buffer-usage-conflict",
        certainty=Certainty.CERTAIN,
        captures=(),
        evidence=(Quote(" ".join(SENTENCE.split()), span),),
        fix=UPGRADE,
        why=("every clause of the signature holds",),
    )
    return known._replace(**changes)  # type: ignore[arg-type]  # a test names only fields of KnownProblem


def _diagnosis(*known: KnownProblem, **changes: object) -> Diagnosis:
    span = Span(0, 0, len(SENTENCE))
    report = Report(
        issue=IssueText("It fails", (Post(Role.REPORTER, SENTENCE), Post(Role.MAINTAINER, "Known."))),
        blocks=(LogBlock(BlockKind.FENCE, span, SENTENCE, Role.REPORTER),),
        facts=(
            Fact("os", "windows", Source.FORM, "OS: Windows", Span(0, 0, 11), 0),
            Fact("ep", "webgpu", Source.GIVEN, "ep=webgpu", None),
        ),
        artifacts=(
            ArtifactRef("foundry", "qwen3.5-4b-generic-gpu", "2", None, ArtifactRole.FAILING, Span(0, 0, 4), 0),
        ),
    )
    diagnosis = Diagnosis(report, known, (), (), (), ())
    return diagnosis._replace(**changes)  # type: ignore[arg-type]  # a test names only fields of Diagnosis


@pytest.fixture
def problem() -> Callable[..., Problem]:
    return _problem


@pytest.fixture
def known() -> Callable[..., KnownProblem]:
    return _known


@pytest.fixture
def diagnosis() -> Callable[..., Diagnosis]:
    return _diagnosis


@pytest.fixture
def products() -> tuple[Product, ...]:
    return PRODUCTS


@pytest.fixture
def everything(known: Callable[..., KnownProblem], diagnosis: Callable[..., Diagnosis]) -> Diagnosis:
    """A diagnosis with something in every field."""
    quote = Quote("Failed to create engine: INTERNAL", Span(0, 5, 30))
    return diagnosis(
        known(),
        ruled_out=(RuledOutProblem("memcpy-kernel-missing", "the sentence is another one"),),
        signatures=(
            RecognisedSignature(
                "litert-webgpu-accelerator-segfault",
                "The LiteRT WebGPU accelerator crashes on Linux",
                Certainty.LIKELY,
                (("library", "libLiteRtWebGpuAccelerator.so"),),
                (quote,),
            ),
        ),
        questions=("Which version does `foundry --version` print?",),
        unexplained=(quote,),
    )
