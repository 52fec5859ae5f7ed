"""A tensor whose bytes do not fit its shape.

What it detects
    raw_data that is shorter or longer than shape and element type ask for.

Why it breaks
    ONNX Runtime checks the size when it unpacks the tensor and refuses the session.

What it cannot tell
    Tensors that keep their values in typed fields, and types without a fixed width.

Remedy
    Export again: the file was cut or written by a faulty tool.

References
    ONNX IR specification, "Tensor definition"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Tensor, dtype_name
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Export the model again; this tensor was cut or written with another type."
TEXT = "source and destination buffer size mismatch"


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        for graph in model.graphs:
            for tensor in graph.tensors:
                have, need = _bytes(tensor), tensor.nbytes
                if have is None or need is None or have == need:
                    continue
                shape = "x".join(map(str, tensor.dims)) or "scalar"
                detail = f"{tensor.name} [{shape}] {dtype_name(tensor.dtype)} needs {need} bytes and has {have}"
                used = any(tensor.name in node.inputs for node in graph.nodes)
                severity = Severity.FATAL if have < need and used else Severity.PROBABLE
                text = TEXT
                if version is not None and version[:2] >= (1, 25):
                    text = f"raw_data size ({have} bytes) does not match expected size from shape and data type"
                yield Hit(Where(name, tensor.name, tensor.offset), detail, severity, text, REMEDY)


def _bytes(tensor: Tensor) -> int | None:
    if tensor.external is not None or tensor.typed or tensor.sparse or tensor.dtype == 8:
        return None
    if tensor.payload is not None:
        return tensor.payload[2] if tensor.payload[0] == 9 else None
    return len(tensor.data) if tensor.data else None


def _model(size: int) -> bytes:
    """A model with one f32[4] initializer of `size` raw bytes, by hand: ONNX text cannot be wrong in this way."""
    from signatures.artifact.varint import field, varint

    tensor = varint(1 << 3) + varint(4) + varint(2 << 3) + varint(1) + field(8, b"w") + field(9, bytes(size))
    node = field(1, b"x") + field(1, b"w") + field(2, b"y") + field(4, b"Add")
    kind = field(2, field(1, varint(1 << 3) + varint(1) + field(2, field(1, varint(1 << 3) + varint(4)))))
    graph = field(1, node) + field(2, b"g") + field(5, tensor) + field(11, field(1, b"x") + kind)
    graph += field(12, field(1, b"y") + kind)
    return varint(1 << 3) + varint(8) + field(7, graph) + field(8, varint(2 << 3) + varint(17))


CHECK = Check(
    id="raw-size",
    title="A tensor's bytes do not fit its shape",
    reads="onnx",
    predicts="source and destination buffer size mismatch",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("model.onnx", _model(12)),), expect="needs 16 bytes and has 12"),
        Fixture(Outcome.CLEAN, files=(("model.onnx", _model(16)),)),
    ),
)
