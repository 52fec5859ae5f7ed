"""Random graphs opened by a real ONNX Runtime with WebGPU, against what the checks say of them."""

from __future__ import annotations

import pytest

from signatures.artifact.package import Package
from signatures.artifact.repair import repair_copies
from signatures.artifact.source import BytesSource, Window
from signatures.checks import run_checks
from signatures.checks.model import Outcome, Severity, Target
from tests.artifact import runtimes
from tests.artifact.baked_graphs import baked
from tests.artifact.capture_graphs import capture_model
from tests.artifact.random_graphs import random_model

RUNTIME = "onnxruntime-webgpu-1.27.0"
TARGET = Target((("onnxruntime-webgpu", "1.27.0"),), ep="webgpu")
CAPTURE = {"ep.webgpuexecutionprovider.enableGraphCapture": "1"}
DUPLICATE = "Duplicate definition of name"
GRAPHS = 1000
pytestmark = pytest.mark.skipif(bool(runtimes.missing(RUNTIME)), reason=runtimes.missing(RUNTIME) or "present")


def test_collisions_of_baked_copies_are_predicted_with_their_names(tmp_path: object) -> None:
    models: list[bytes | str] = [random_model(seed) for seed in range(GRAPHS)]
    answers = runtimes.open_models(RUNTIME, str(tmp_path), models, ep="WebGpu")
    true, named, missed, false, clean = 0, 0, [], [], 0
    for seed, (model, answer) in enumerate(zip(models, answers, strict=True)):
        assert isinstance(model, bytes)
        (result,) = run_checks(Package.from_bytes({"model.onnx": model}), TARGET, ("memcpy-collision",))
        assert result.outcome in (Outcome.FOUND, Outcome.CLEAN), (seed, result)
        if DUPLICATE in answer["said"]:
            true += 1
            if result.outcome is not Outcome.FOUND:
                missed.append(seed)
            named += any(hit.predicted_text and hit.predicted_text in answer["said"] for hit in result.hits)
        elif answer["said"] == "opens":
            clean += 1
            if result.outcome is Outcome.FOUND:
                false.append(seed)
    assert true > GRAPHS / 4
    assert clean > GRAPHS / 4
    assert missed == []
    assert len(false) <= clean / 100
    assert named >= 0.95 * true


def test_repaired_graphs_open_and_compute_what_they_did(tmp_path: object) -> None:
    models = [random_model(seed) for seed in range(400)]
    repaired = [_repaired(model) for model in models]
    before, after = tmp_path / "before", tmp_path / "after"  # type: ignore[operator]  # pytest gives a Path
    before.mkdir()
    after.mkdir()
    opened = runtimes.open_models(RUNTIME, str(before), list(models), ep="WebGpu")
    mended = runtimes.open_models(RUNTIME, str(after), list(repaired), ep="WebGpu")
    faults = []
    for seed, (old, new) in enumerate(zip(opened, mended, strict=True)):
        if (DUPLICATE in old["said"] or old["said"] == "opens") and new["said"] != "opens":
            faults.append((seed, old["said"][-80:], new["said"][-120:]))
    assert faults == []
    cpu = "onnxruntime-1.32.0"
    if why := runtimes.missing(cpu):
        pytest.skip(why)
    ran = runtimes.open_models(cpu, str(before), list(models), run=True)
    again = runtimes.open_models(cpu, str(after), list(repaired), run=True)
    both = [(old, new) for old, new in zip(ran, again, strict=True) if isinstance(old["values"], list)]
    assert len(both) > 200
    assert [seed for seed, (old, new) in enumerate(both) if old["values"] != new["values"]] == []


def _repaired(model: bytes) -> bytes:
    window = Window(BytesSource(model))
    return b"".join(repair_copies(window).chunks(window))


def test_graph_capture_refusals_are_predicted(tmp_path: object) -> None:
    models = [random_model(seed, copies=False) for seed in range(1000)]
    answers = runtimes.open_models(RUNTIME, str(tmp_path), list(models), ep="WebGpu", config=CAPTURE)
    checks = ("gc-controlflow", "gc-cpu-op", "gc-shape-to-gpu", "gc-int64", "memcpy-baked")
    target = TARGET._replace(options=tuple(CAPTURE.items()))
    refused, missed, alarms = 0, [], []
    for seed, (model, answer) in enumerate(zip(models, answers, strict=True)):
        results = run_checks(Package.from_bytes({"model.onnx": model}), target, checks)
        fatal = any(result.severity is Severity.FATAL for result in results)
        if "cannot use the graph capture feature" in answer["said"]:
            refused += 1
            if not fatal:
                missed.append(seed)
        elif answer["said"] == "opens" and fatal:
            alarms.append(seed)
    assert refused > 500
    assert len(missed) <= refused / 100
    assert alarms == []


def test_collisions_of_copies_in_other_graphs_are_predicted(tmp_path: object) -> None:
    models: list[bytes | str] = [baked(capture_model(seed), seed) for seed in range(1000)]
    answers = runtimes.open_models(RUNTIME, str(tmp_path), models, ep="WebGpu")
    collided, opened, missed, alarms = 0, 0, [], []
    for seed, (model, answer) in enumerate(zip(models, answers, strict=True)):
        assert isinstance(model, bytes)
        (result,) = run_checks(Package.from_bytes({"model.onnx": model}), TARGET, ("memcpy-collision",))
        if DUPLICATE in answer["said"]:
            collided += 1
            if result.outcome is not Outcome.FOUND:
                missed.append(seed)
        elif answer["said"] == "opens":
            opened += 1
            if result.severity is Severity.FATAL:
                alarms.append(seed)
    assert collided > 300
    assert opened > 300
    assert missed == []
    assert alarms == []
