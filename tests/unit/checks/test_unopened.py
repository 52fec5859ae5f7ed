"""A broken file of a GenAI package is fatal where GenAI opens it, and only there."""

from __future__ import annotations

import json

import pytest

from signatures.artifact.onnx_text import model_bytes
from signatures.artifact.package import Package
from signatures.checks import run_checks
from signatures.checks.model import Severity, Target

SOUND = '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Relu (x) }'
BROKEN = {
    "not-a-model": b"<!DOCTYPE html><title>404</title>",
    "truncated": model_bytes(SOUND)[:-20],
    "unknown-op": model_bytes(SOUND.replace("Relu", "NoSuchThing")),
    "ext-missing": model_bytes(
        SOUND.replace("{", '<float[4] w = ["location": "gone.bin", "offset": "0", "length": "16"]> {').replace(
            "Relu (x)", "Add (x, w)"
        )
    ),
}
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 16\n"
HELD = SOUND.replace("{", '<float[4] w = ["location": "w.data", "offset": "0", "length": "16"]> {')
HELD = HELD.replace("Relu (x)", "Add (x, w)")
NEW = Target((("onnxruntime-genai", "0.18.0"), ("onnxruntime", "1.32.0")))
UNKNOWN = Target((("onnxruntime-genai", "not a version"), ("onnxruntime", "1.32.0")))


def severities(check: str, target: Target, broken: bytes, name: str, kind: str = "llama", **more: bytes) -> set[str]:
    sections = {each: {"filename": f"{each}.onnx"} for each in ("decoder", "encoder")}
    config = json.dumps({"model": {"type": kind, "context_length": 9, **sections}}).encode()
    files = {f"{each}.onnx": model_bytes(SOUND) for each in sections} | {"genai_config.json": config, **more}
    package = Package.from_bytes({**files, name: broken})
    results = run_checks(package, target, (check,))
    return {str(hit.severity) for result in results for hit in result.hits if hit.where.file == name}


@pytest.mark.parametrize("check", BROKEN)
@pytest.mark.parametrize("target", [NEW, UNKNOWN])
def test_a_model_is_fatal_where_its_section_is_opened(check: str, target: Target) -> None:
    data = BROKEN[check]
    assert severities(check, target, data, "decoder.onnx") == {"fatal"}
    assert severities(check, target, data, "encoder.onnx", "whisper") == {"fatal"}
    assert severities(check, target, data, "encoder.onnx") == {"probable"}  # this type has no encoder
    assert severities(check, target, data, "other.onnx") == {"probable"}
    assert severities(check, target, data, "decoder.onnx", "not_a_type") == {"probable"}


def test_without_genai_every_model_counts() -> None:
    target = Target((("onnxruntime", "1.32.0"),))
    assert severities("unknown-op", target, BROKEN["unknown-op"], "other.onnx") == {"fatal"}


def test_data_counts_where_a_model_that_is_opened_has_it() -> None:
    held = {"decoder.onnx": model_bytes(HELD)}
    assert severities("not-a-model", NEW, POINTER, "w.data", **held) == {Severity.FATAL}
    assert severities("not-a-model", NEW, POINTER, "v.data", **held) == {Severity.PROBABLE}
