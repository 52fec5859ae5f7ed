"""The package that the graph capture thread describes, and its corrected export."""

from __future__ import annotations

import json
import os
from typing import Any

from signatures.artifact.onnx_text import model_bytes
from signatures.artifact.package import Package
from signatures.artifact.source import Limits
from signatures.checks import run_checks
from signatures.checks.model import Outcome, Severity, Target

TARGET = Target((("onnxruntime-webgpu", "1.27.0"), ("onnxruntime-genai-webgpu", "0.18.0")))
HEAD = '<ir_version: 10, opset_import: ["" : 17]>\n'
TABLE = '["location": "model.onnx.data", "offset": "0", "length": "{}"]'

DECODER = (
    HEAD
    + f"""
decoder (int64[B, S] input_ids, int64[B, T] attention_mask, float16[B, S, 8] h)
  => (float16[B, S, 8] logits, float16[B, Z, W] kv, int32[B] total, bfloat16[B, S, 8960] rows)
<bfloat16[262144, 8960] embed_tokens_per_layer = {TABLE.format(262144 * 8960 * 2)},
 int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] width = {{8}}> {{
  rows = Gather (embed_tokens_per_layer, input_ids)
  normed = Abs (h)
  shape = Shape (normed)
  batch = Gather (shape, zero)
  dims = Concat <axis = 0> (batch, zero, width)
  empty = ConstantOfShape (dims)
  kv = Cast <to = 10> (empty)
  mask_shape = Shape (attention_mask)
  length = Gather (mask_shape, one)
  total = Cast <to = 6> (length)
  ids_f = Cast <to = 1> (input_ids)
  back = Cast <to = 7> (ids_f)
  part = Slice (back, zero, one, one)
  part_f = Cast <to = 10> (part)
  part_u = Unsqueeze (part_f, zero)
  logits = Mul (normed, part_u)
}}
"""
)
FIXED = (
    HEAD
    + f"""
decoder (int32[1, S] input_ids, int32[1, T] attention_mask, float16[1, S, 8] h)
  => (float16[1, S, 8] logits, int32[1] total, bfloat16[1, S, 256] rows)
<bfloat16[262144, 256] embed_tokens_per_layer_0 = {TABLE.format(262144 * 256 * 2)}, int64[1] one = {{1}}> {{
  rows = Gather (embed_tokens_per_layer_0, input_ids)
  logits = Abs (h)
  total = ReduceSum <keepdims = 0> (attention_mask, one)
}}
"""
)
SMALL = HEAD + "other (float16[N, 4] x) => (float16[N, 4] y) { a = Relu (x)  b = Max (a, x)  y = Abs (b) }"
SECTIONS = ("decoder", "vision", "embedding", "speech")


def package(decoder: str, capture: dict[str, str], data: int) -> Package:
    model: dict[str, Any] = {"type": "gemma4", "context_length": 512}
    for section in SECTIONS:
        options = [{"webgpu": {"enableGraphCapture": capture[section]}}]
        model[section] = {"filename": f"{section}.onnx", "session_options": {"provider_options": options}}
    files = {f"{section}.onnx": model_bytes(SMALL) for section in SECTIONS[1:]}
    files["decoder.onnx"] = model_bytes(decoder)
    files["genai_config.json"] = json.dumps({"model": model, "search": {"max_length": 512}}).encode()
    files["tokenizer_config.json"] = b"{}"
    found = Package.from_bytes(files)
    found.entries["model.onnx.data"] = found.entries["tokenizer_config.json"]._replace(
        name="model.onnx.data", size=data
    )
    return found


def hits(found: Package) -> list[tuple[str, str, str]]:
    """(check, section, severity) of all that was found."""
    results = run_checks(found, TARGET)
    assert [result for result in results if result.outcome is Outcome.FAILED] == []
    return sorted(
        (result.check, place(hit.where.file, hit.where.what), str(hit.severity))
        for result in results
        for hit in result.hits
    )


def place(file: str, what: str) -> str:
    return what.split(".")[1] if file == "genai_config.json" else file.removesuffix(".onnx")


def test_capture_in_every_section_gives_exactly_the_findings_of_the_thread_by_section_and_tier() -> None:
    found = hits(package(DECODER, dict.fromkeys(SECTIONS, "1"), 262144 * 8960 * 2))
    assert found == [
        ("gc-cpu-op", "decoder", "fatal"),
        ("gc-cpu-op", "embedding", "fatal"),
        ("gc-cpu-op", "speech", "fatal"),
        ("gc-cpu-op", "vision", "fatal"),
        ("gc-int64", "decoder", "fatal"),
        ("gc-nondecoder", "embedding", "probable"),
        ("gc-nondecoder", "speech", "probable"),
        ("gc-nondecoder", "vision", "probable"),
        ("gc-shape-to-gpu", "decoder", "fatal"),
        ("kv-empty-dynamic", "decoder", "probable"),
        ("webgpu-weight-gt-budget", "decoder", "probable"),
    ]


def test_the_corrected_export_gives_none() -> None:
    capture = {"decoder": "1", "vision": "0", "embedding": "0", "speech": "0"}
    assert hits(package(FIXED, capture, 262144 * 256 * 2)) == []


def test_without_a_runtime_version_placement_is_unknown_and_never_clean() -> None:
    found = package(DECODER, dict.fromkeys(SECTIONS, "1"), 262144 * 8960 * 2)
    results = {result.check: result for result in run_checks(found, Target(ep="webgpu"))}
    for check in ("gc-cpu-op", "gc-shape-to-gpu", "gc-int64"):
        assert results[check].outcome is Outcome.UNKNOWN
    assert results["gc-nondecoder"].severity is Severity.PROBABLE


def test_a_lone_file_is_judged_with_what_lies_around_it(tmp_path: object) -> None:
    text = HEAD + 'g (float[4] x) => (float[4] y) <float[4] w = ["location": "data/w.bin"]> { y = Add (x, w) }'
    path = f"{tmp_path}/m.onnx"
    with open(path, "wb") as file:
        file.write(model_bytes(text))
    (missing,) = run_checks(Package.from_path(path), TARGET, ("ext-missing",))
    assert missing.outcome is Outcome.FOUND
    os.makedirs(f"{tmp_path}/data")
    with open(f"{tmp_path}/data/w.bin", "wb") as file:
        file.write(bytes(16))
    (there,) = run_checks(Package.from_path(path), TARGET, ("ext-missing",))
    assert there.outcome is Outcome.CLEAN


def test_caps_leave_a_check_unknown_and_not_clean() -> None:
    decoder = model_bytes(DECODER)
    entries = package(DECODER, dict.fromkeys(SECTIONS, "0"), 0).entries.values()
    capped = Package("capped", entries, limits=Limits(max_bytes=len(decoder) // 4))
    results = {result.check: result for result in run_checks(capped, TARGET)}
    assert results["memcpy-baked"].outcome is Outcome.UNKNOWN
    assert results["truncated"].outcome is Outcome.UNKNOWN
