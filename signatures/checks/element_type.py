"""A tensor of an element type that the runtime does not have.

What it detects
    Graph inputs, initializers and results of Cast whose element type the named ONNX Runtime does not know, or of which
    it can make no tensor: int4, float4 and float8 variants on builds before them, complex numbers, and numbers that are
    no type.

Why it breaks
    The types of inputs and initializers are resolved while the file is loaded, whether anything reads them or not.

What it cannot tell
    Anything certain without an ONNX Runtime version that lies within those that were measured. Types that
    other operators make on the way are the matter of `kernel-dtype`.

Remedy
    A newer ONNX Runtime, or an export that stores the tensor as int8 or uint8.

References
    element types tried by deploy/probe_operators.py on real builds; onnx TensorProto.DataType
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact import operators
from signatures.artifact.ir import Graph, Model, dtype_name
from signatures.artifact.operators import LONG
from signatures.artifact.package import Package
from signatures.checks import builds, graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Target, Unknown, Where

REMEDY = "Use an ONNX Runtime that has this element type, or export without it."
INVALID = "invalid"
INPUT, STORED, CAST = "input", "initializer", "cast"
OWN_WORDS_SINCE = (1, 24)  # of initializers


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    speak, known = builds.of(target), operators.table()
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        told: set[tuple[int, str]] = set()
        for value, code, kind in (*_tensors(model.graph), *_casts(model)):
            if (code, kind) in told:
                continue
            answers = [known.element(build, code) for build in speak.indices]
            if kind == STORED:
                answers = [answer if answer == INVALID else "" for answer in answers]
            if not any(answers):
                continue
            told.add((code, kind))
            label = dtype_name(code) or f"number {code}"
            detail = f"{value} is of the element type {label}, which {speak.label} does not have"
            severity = builds.severity(target, speak, sure=all(answers))
            if severity is None or not all(answers):
                yield Unknown(detail, Where(name, value))
            else:
                yield Hit(Where(name, value), detail, severity, _text(target, value, code, kind, answers[-1]), REMEDY)


def _tensors(graph: Graph) -> Iterator[tuple[str, int, str]]:
    """(name, element type, kind) of what the file itself types."""
    stored = {tensor.name for tensor in graph.tensors}
    for value in graph.inputs:
        if value.dtype and value.name not in stored:
            yield value.name, value.dtype, INPUT
    for tensor in graph.tensors:
        if tensor.dtype:
            yield tensor.name, tensor.dtype, STORED


def _casts(model: Model) -> Iterator[tuple[str, int, str]]:
    for graph, node in model.nodes():
        code = node.int("to") if node.op == "Cast" and not node.domain and graph.function is None else None
        if code:  # 0 is passed over
            yield f"the result of {node}", code, CAST


def _text(target: Target, value: str, code: int, kind: str, why: str) -> str:
    if why == INVALID:
        if kind == CAST:
            return "Attribute to does not specify a valid type"
        version = runtime.onnxruntime(target)
        if kind == STORED and (version is None or version[:2] >= OWN_WORDS_SINCE):
            return f"Tensor '{value}' does not have valid data type."
        return f"Invalid tensor data type {code}."
    short = dtype_name(code) or ""
    return f"MLDataType for: tensor({LONG.get(short, '')}" + (") is not currently registered" if short in LONG else "")


_GRAPH = '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x, %s[2] z) => (float[2] y) { y = Relu (x) }'

CHECK = Check(
    id="element-type",
    title="An element type that the runtime does not have",
    reads="onnx",
    predicts="Invalid tensor data type <n>. / MLDataType for: tensor(<type>) is not currently registered or supported",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            _GRAPH % "int4",
            target=Target((("onnxruntime", "1.16.3"),)),
            expect="Invalid tensor data type 22.",
        ),
        Fixture(Outcome.CLEAN, _GRAPH % "int4", target=Target((("onnxruntime", "1.32.0"),))),
        Fixture(Outcome.UNKNOWN, _GRAPH % "int4"),
        Fixture(Outcome.FOUND, _GRAPH % "complex64", expect="tensor(complex64) is not currently registered"),
    ),
)
