"""What two real CPU builds of ONNX Runtime say to broken models, against what the checks predict."""

from __future__ import annotations

import os

import onnx
import pytest
from onnx import TensorProto, helper

from signatures.artifact.package import Package
from signatures.checks import run_checks
from signatures.checks.model import Severity, Target
from tests.artifact import runtimes

VERSIONS = ("1.20.1", "1.32.0")
HEAD = '<ir_version: 8, opset_import: ["" : 17]> '


def text(source: str, head: str = HEAD) -> bytes:
    return bytes(onnx.parser.parse_model(head + source).SerializeToString())


def external(location: str, offset: str = "0", length: str = "16") -> bytes:
    kind = f'["location": "{location}", "offset": "{offset}", "length": "{length}"]'
    return text(f"g (float[4] x) => (float[4] y) <float[4] w = {kind}> {{ y = Add (x, w) }}")


def short_raw(size: int) -> bytes:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], raw_data=bytes(size))
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", ports[:1], ports[1:], [tensor])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


RELU = "g (float[4] x) => (float[4] y) { y = Relu (x) }"
SOUND = text(RELU)
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"

# name -> (model, files beside it). Each must be refused by some version; which, the runtime says.
CASES: dict[str, tuple[bytes, dict[str, bytes]]] = {
    "sound": (SOUND, {}),
    "ir 11": (text(RELU, '<ir_version: 11, opset_import: ["" : 17]> '), {}),
    "ir 99": (text(RELU, '<ir_version: 99, opset_import: ["" : 17]> '), {}),
    "opset 22": (text(RELU, '<ir_version: 8, opset_import: ["" : 22]> '), {}),
    "opset 99": (text(RELU, '<ir_version: 8, opset_import: ["" : 99]> '), {}),
    "no opset": (text(RELU, "<ir_version: 8> "), {}),
    "unknown domain": (
        text(
            "g (float[4] x) => (float[4] y) { y = some.domain.Thing (x) }",
            '<ir_version: 8, opset_import: ["" : 17, "some.domain" : 1]> ',
        ),
        {},
    ),
    "external missing": (external("weights.bin"), {}),
    "external sound": (external("weights.bin"), {"weights.bin": bytes(16)}),
    "external in a folder": (external("data/weights.bin"), {"data/weights.bin": bytes(16)}),
    "external past the end": (external("weights.bin", "4096"), {"weights.bin": bytes(64)}),
    "external wrong length": (external("weights.bin", "0", "12"), {"weights.bin": bytes(64)}),
    "external negative offset": (external("weights.bin", "-4"), {"weights.bin": bytes(64)}),
    "external huge offset": (external("weights.bin", "99999999999999999999999"), {"weights.bin": bytes(64)}),
    "external no numbers": (external("weights.bin", "", ""), {"weights.bin": bytes(16)}),
    "external climbs out": (external("../outside.bin"), {"../outside.bin": bytes(16)}),
    "external absolute": (external("/nowhere/weights.bin"), {}),
    "truncated": (text(RELU.replace("y = Relu (x)", "a = Relu (x)  b = Abs (a)  y = Neg (b)"))[:-20], {}),
    "empty": (b"", {}),
    "lfs pointer": (POINTER, {}),
    "html": (b"<!DOCTYPE html><html><body>404</body></html>", {}),
    "gguf": (b"GGUF" + bytes(64), {}),
    "duplicate output": (text("g (float[4] x) => (float[4] y) { y = Relu (x)  y = Abs (x) }"), {}),
    "output named as an input": (text("g (float[4] x) => (float[4] y) { x = Relu (x)  y = Abs (x) }"), {}),
    "output named as an initializer": (
        text("g (float[4] x) => (float[4] y) <float[4] w = {1,2,3,4}> { w = Relu (x)  y = Abs (w) }"),
        {},
    ),
    "duplicate node name": (text("g (float[4] x) => (float[4] y) { [n] a = Relu (x)  [n] y = Abs (a) }"), {}),
    "dangling": (text("g (float[4] x) => (float[4] y) { y = Add (x, nope) }"), {}),
    "no output": (text("g (float[4] x) => (float[4] y) { a = Relu (x) }"), {}),
    "cycle": (text("g (float[4] x) => (float[4] y) { a = Add (x, b)  b = Relu (a)  y = Neg (b) }"), {}),
    "unsorted": (text("g (float[4] x) => (float[4] y) { y = Relu (a)  a = Abs (x) }"), {}),
    "short raw data": (short_raw(12), {}),
    "long raw data": (short_raw(20), {}),
    "constants share a name": (
        text(
            "g (float[1] x) => (float[1] y) { [n] a = Constant <value = float[1] {1.}> ()  "
            "[n] b = Constant <value = float[1] {2.}> ()  c = Add (x, a)  y = Add (c, b) }"
        ),
        {},
    ),
    "constants define one name": (
        text(
            "g (float[1] x) => (float[1] y) { a = Constant <value = float[1] {1.}> ()  "
            "a = Constant <value = float[1] {2.}> ()  y = Add (x, a) }"
        ),
        {},
    ),
    "unused function": (
        text(
            'g (float[4] x) => (float[4] y) { y = Relu (x) } <domain: "l", opset_import: ["" : 17]> '
            "F (a) => (b) { b = MemcpyFromHost (a) }",
            '<ir_version: 8, opset_import: ["" : 17, "l" : 1]> ',
        ),
        {},
    ),
    "baked copy": (text("g (float[4] x) => (float[4] y) { [Memcpy] a = MemcpyFromHost (x)  y = Relu (a) }"), {}),
    "branch shadows": (
        text(
            "g (bool c, float[4] x) => (float[4] y) { a = Relu (x)  y = If (c) <"
            "then_branch = t () => (float[4] p) { q = Abs (a)  p = Neg (q) }, "
            "else_branch = e () => (float[4] p) { q = Exp (a)  p = Neg (q) }> }"
        ),
        {},
    ),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_runtime_refuses_is_predicted_with_its_words(version: str, tmp_path: object) -> None:
    if why := runtimes.missing(f"onnxruntime-{version}"):
        pytest.skip(why)
    paths = []
    for number, (model, files) in enumerate(CASES.values()):
        folder = os.path.join(str(tmp_path), str(number), "model")
        os.makedirs(os.path.join(folder, "data"))
        for name, data in {"model.onnx": model, **files}.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        paths.append(os.path.join(folder, "model.onnx"))
    said = runtimes.open_models(f"onnxruntime-{version}", str(tmp_path), list(paths))
    target = Target((("onnxruntime", version),), ep="cpu")
    wrong = []
    for name, path, answer in zip(CASES, paths, said, strict=True):
        results = run_checks(Package.from_path(os.path.dirname(path)), target)
        every = [hit for result in results for hit in result.hits]
        hits = [hit for hit in every if hit.severity is Severity.FATAL]
        told = [hit for hit in every if hit.predicted_text and " ".join(hit.predicted_text.split()) in answer["said"]]
        silent = [hit for hit in hits if hit.predicted_text is None]
        if answer["said"] == "opens" and hits:
            wrong.append(f"{name}: opens, but {hits[0].detail}")
        elif answer["said"] != "opens" and not told and not silent:
            wrong.append(f"{name}: {answer['said']!r}, predicted {[hit.predicted_text for hit in every]}")
    assert wrong == []
