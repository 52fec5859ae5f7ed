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
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Use an ONNX Runtime that has this element type, or export without it."
INVALID = "invalid"
UNTYPED = "Give each input its type and element type, or export the model again."
INPUT, STORED, COPIED, CAST = "input", "initializer", "copied", "cast"
COMPLEX = (14, 15)
COPIED_LATER = (1, 17)  # before, such a copy is refused while it is folded
OWN_WORDS_SINCE = (1, 24)  # of initializers


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    speak, known = builds.of(target), operators.table()
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        yield from _untyped(name, model.graph)
        told: set[tuple[int, str]] = set()
        for value, code, kind in (*_tensors(model.graph), *_copied(model), *_casts(model)):
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


def _untyped(name: str, graph: Graph) -> Iterator[Hit]:
    """Graph inputs that say no type; an initializer of the name gives it one."""
    read = {value for node in graph.nodes for value in node.inputs}
    below = any(node.graphs for node in graph.nodes)
    for value in graph.inputs:
        if value.kind is None and value.name and value.name not in graph.initializers:
            text: str | None = f"Model input ({value.name}) does not have type information."
            if value.name not in read:
                made = f"Graph ctor should have created NodeArg for initializer. Missing:{value.name}"
                text = None if below or value.name in {output.name for output in graph.outputs} else made
            detail = f"the input {value.name} has no type"
            yield Hit(Where(name, f"input {value.name}"), detail, Severity.FATAL, text, UNTYPED)
        elif value.kind == "tensor_type" and value.dtype is None and value.name not in graph.initializers:
            detail = f"the input {value.name} has no element type"
            text = "Invalid tensor data type 0."
            yield Hit(Where(name, f"input {value.name}"), detail, Severity.FATAL, text, UNTYPED)


def _copied(model: Model) -> Iterator[tuple[str, int, str]]:
    """Complex initializers that an Identity reads: its type is looked up while the file is loaded."""
    for node in model.graph.nodes:
        tensor = model.graph.initializers.get(node.inputs[0]) if node.op == "Identity" and node.inputs else None
        if tensor is not None and tensor.dtype in COMPLEX and not node.domain:
            yield tensor.name, tensor.dtype, COPIED


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


def _text(target: Target, value: str, code: int, kind: str, why: str) -> str | None:
    version = runtime.onnxruntime(target)
    if kind == COPIED and version is not None and version[:2] < COPIED_LATER:
        return None
    if why == INVALID:
        if kind == CAST:
            return "Attribute to does not specify a valid type"
        if kind == STORED and (version is None or version[:2] >= OWN_WORDS_SINCE):
            return f"Tensor '{value}' does not have valid data type."
        return f"Invalid tensor data type {code}."
    short = dtype_name(code) or ""
    return f"MLDataType for: tensor({LONG.get(short, '')}" + (") is not currently registered" if short in LONG else "")


def _untyped_model(kind: bytes) -> bytes:
    """A model of one Relu whose input is declared with `kind` alone."""
    from signatures.artifact.varint import field, varint

    made = field(2, field(1, varint(1 << 3) + varint(1)))
    graph = field(1, field(1, b"x") + field(2, b"y") + field(4, b"Relu")) + field(2, b"g")
    graph += field(11, field(1, b"x") + kind) + field(12, field(1, b"y") + made)
    return varint(1 << 3) + varint(8) + field(7, graph) + field(8, varint(2 << 3) + varint(17))


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
        Fixture(
            Outcome.FOUND, files=(("model.onnx", _untyped_model(b"")),), expect="Model input (x) does not have type"
        ),
        Fixture(Outcome.FOUND, files=(("model.onnx", _untyped_model(b"\x12\x02\x0a\x00")),), expect="data type 0."),
        Fixture(Outcome.FOUND, _GRAPH % "complex64", expect="tensor(complex64) is not currently registered"),
    ),
)
