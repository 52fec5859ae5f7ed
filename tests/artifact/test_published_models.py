"""Models that published packages ship: no check calls one broken that the runtime opens."""

from __future__ import annotations

import pytest

from signatures.artifact.package import Package
from signatures.checks import run_checks
from signatures.checks.model import Outcome, Severity, Target
from tests.artifact import runtimes

CAPTURE = {"ep.webgpuexecutionprovider.enableGraphCapture": "1"}
CASES: dict[str, tuple[str, str, dict[str, str], Target]] = {
    "cpu 1.20.1": ("onnxruntime-1.20.1", "CPU", {}, Target((("onnxruntime", "1.20.1"),), ep="cpu")),
    "cpu 1.32.0": ("onnxruntime-1.32.0", "CPU", {}, Target((("onnxruntime", "1.32.0"),), ep="cpu")),
    "webgpu": ("onnxruntime-webgpu-1.27.0", "WebGpu", {}, Target((("onnxruntime-webgpu", "1.27.0"),), ep="webgpu")),
    "webgpu with capture": (
        "onnxruntime-webgpu-1.27.0",
        "WebGpu",
        CAPTURE,
        Target((("onnxruntime-webgpu", "1.27.0"),), ep="webgpu", options=tuple(CAPTURE.items())),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_model_that_opens_is_not_called_broken(case: str, tmp_path: object) -> None:
    name, ep, config, target = CASES[case]
    models = runtimes.published_models()
    if why := runtimes.missing(name) or (
        "" if models else "no published models: run `python -m tests.artifact.runtimes`"
    ):
        pytest.skip(why)
    answers = runtimes.open_models(name, str(tmp_path), list(models), ep=ep, config=config)
    alarms = []
    for path, answer in zip(models, answers, strict=True):
        results = run_checks(Package.from_path(path), target)
        assert [result.check for result in results if result.outcome is Outcome.FAILED] == []
        fatal = [hit.detail for result in results for hit in result.hits if hit.severity is Severity.FATAL]
        if answer["said"] == "opens" and fatal:
            alarms.append((path.rsplit("/", 1)[-1], fatal[0]))
    assert alarms == []
