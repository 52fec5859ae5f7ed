"""Reasons as people read them."""

from __future__ import annotations

import pytest

from bot.wording import Names
from bot.wording.reasons import reasons_words, ruled_out_words
from kb.model import Product, Scheme
from signatures.model import Fact, Source, When
from signatures.preconditions import evaluate

NAMES = Names((Product("foundry-local-cli", "Foundry Local CLI", Scheme.SEMVER),))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("runtime is litert (prose)", "the runtime is litert, as the text says"),
        ("foundry-local-cli is 0.10.0+174be11ea7ae (form)", "Foundry Local CLI is 0.10.0, as the form says"),
        (
            "gpu_vendor is intel (log) and nvidia (log)",
            "the GPU vendor is intel, as the log shows; nvidia, as the log shows",
        ),
        ("ep is not stated", "the report does not state the execution provider"),
        ("adapter is not in the words found", "the words found do not name the graphics adapter"),
        (
            "dll, which makes the problem what it is, is not in the words found",
            "the words found do not name the dll",
        ),
        ("ep is cudaexecutionprovider", "the words found name CUDAExecutionProvider"),
        ("code is 87", "the words found name the code 87"),
        (
            "the report states phase as load (log) and run (log)",
            "the report states the phase in several ways: load, as the log shows; run, as the log shows",
        ),
        ("the same words also show other-problem, which the report does not exclude.", None),
        ("every clause of the signature holds", None),
    ],
)
def test_a_reason_is_a_sentence(reason: str, words: str | None) -> None:
    assert reasons_words((reason,), NAMES, (("ep", "CUDAExecutionProvider"),)) == [words or reason.rstrip(".")]


def test_runtimes_that_load_each_other_are_no_reason() -> None:
    assert reasons_words(("the report states runtime as a (log) and b (log)",), NAMES) == []


def test_every_shape_that_a_precondition_gives_is_known() -> None:
    when = When("ep", ("CPUExecutionProvider",))
    facts = tuple(Fact("ep", v, Source.LOG, "", None) for v in ("CPUExecutionProvider", "WebGpuExecutionProvider"))
    for given in ((), facts[:1], facts):
        (words,) = reasons_words((evaluate(when, given)[1],), NAMES)
        assert "execution provider" in words
        assert "(" not in words


def test_reasons_against_a_problem_and_words_of_the_report_are_safe() -> None:
    why = r"ep is webgpu (given); cannot open C:\Users\jane.doe\x.onnx" + "y" * 1_000
    said = ruled_out_words(why, NAMES)
    assert said.startswith("the execution provider is webgpu, as given for this run; cannot open")
    assert "jane.doe" not in said
    assert len(said) < 700
