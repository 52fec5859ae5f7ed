"""A tensor whose bytes do not fit its shape.

What it detects
    raw_data that is shorter or longer than shape and element type ask for, typed fields with another number of
    elements, tensors without data, negative dimensions, element types that do not exist; in initializers, in constants
    and in the values of sparse tensors; indices of those that lie outside; constants without a value.

Why it breaks
    ONNX Runtime checks the size when it unpacks the tensor and refuses the session.

What it cannot tell
    Large typed fields of whole numbers, whose elements are not counted; typed fields of packed types.

Remedy
    Export again: the file was cut or written by a faulty tool.

References
    ONNX IR specification, "Tensor definition"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Model, Tensor, dtype_name
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime, tensors
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Version
from signatures.checks.tensors import Held

INT64, STRING = 7, 8
NEWEST_TYPE, NEWEST_TYPE_BEFORE = 28, 26  # since 1.31 and before
PACKED = frozenset((21, 22, 23, 25, 26))  # several elements in a byte
UNCOUNTED = frozenset((14, 15, 23, 25, 26))  # element types whose typed fields hold another number of entries
PAIRS = frozenset((21, 22))  # two elements in an entry of int32_data
WHOLE = frozenset((1, 2, 3, 4, 5, 6, 7, 11, 12, 13))  # element types that are read with one way of counting
COMPARED_SINCE = (1, 25)  # sizes are compared before an initializer is read
SPARSE_CHECKED = (1, 24)
DENSE_LIMITED, MAX_DENSE = (1, 31), 1 << 31  # before, what the memory allows
CHECKED_SINCE = (1, 32)  # sizes in bodies of control flow are, read or not
MAX_EMBEDDED = (1 << 31) - 1
MAX_COUNTED = 1 << 48  # bytes; with more, some sum overflows first
REMEDY = "Export the model again; this tensor was cut or written with another type."
TEXT = "source and destination buffer size mismatch"


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        yield from _empty(name, model)
        for held in tensors.held(model):
            yield from _judge(name, held, version)


def _empty(name: str, model: Model) -> Iterator[Hit]:
    """Constants without a value, which become initializers while graphs are built, read or not."""
    for graph, node in model.nodes():
        if node.op == "Constant" and not node.kinds and graph.function is None and not node.removed:
            text = f"Constant node: {node.name} has no data attributes"
            yield Hit(graphs.at(name, graph, node), f"{node} has no value", Severity.FATAL, text, REMEDY)


def _judge(name: str, held: Held, version: Version | None) -> Iterator[Hit]:
    tensor = held.tensor
    fault = _kind(tensor, version)
    if fault is None and held.counts:
        fault = _shape(held, version) or _sparse(held, version) or _size(held, version)
    if fault is None:
        return
    detail, text, sure = fault
    shape = "x".join(map(str, tensor.dims)) or "scalar"
    label = f"{held.label or 'a tensor'} [{shape}] {dtype_name(tensor.dtype) or f'of type {tensor.dtype}'}"
    severity = Severity.FATAL if sure else Severity.PROBABLE if held.is_read else Severity.INFO
    text = text if severity is not Severity.INFO else None
    yield Hit(Where(name, held.label, tensor.offset), f"{label} {detail}", severity, text, REMEDY)


Fault = tuple[str, str | None, bool]  # what is wrong, what is printed, whether it is sure


def _kind(tensor: Tensor, version: Version | None) -> Fault | None:
    """An element type that no runtime has, a sparse tensor without a name; looked at in every initializer, read or
    not."""
    if tensor.sparse is not None and not tensor.name:
        return "is sparse and has no name", "Sparse initializer must have a name.", True
    if tensor.dtype == 0:
        return "names no element type", "Tensor does not have type information.", True
    if 0 < tensor.dtype <= (NEWEST_TYPE if version is None or version[:2] >= (1, 31) else NEWEST_TYPE_BEFORE):
        return None
    named = version is not None and version[:2] < (1, 24)
    text = f"Invalid tensor data type {tensor.dtype}." if named else "does not have valid data type."
    return "has an element type that does not exist", text, True


def _shape(held: Held, version: Version | None) -> Fault | None:
    tensor = held.tensor
    if all(dim >= 0 for dim in tensor.dims) or not held.is_read:
        return None
    newest = (1, 27) if tensor.external is not None else (1, 24)
    text: str | None = "Out of bounds dimensions in TypeProto_Tensor"
    if tensor.sparse is not None:
        text = "dense dims expected to be non-negative" if version is None or version[:2] >= (1, 24) else None
    elif version is not None and version[:2] < newest:
        text = "shape.Size() must be >= 0" if version[:2] >= (1, 19) else None
    return "has a negative dimension", text, version is not None or tensor.sparse is not None


def _sparse(held: Held, version: Version | None) -> Fault | None:
    """Values of a sparse tensor, which is made dense while loading, read or not. Before 1.24 nothing was compared."""
    tensor = held.tensor
    if tensor.sparse is None:
        return None
    need = tensor._replace(dims=tensor.sparse, sparse=None).nbytes
    if tensor.raw is None or need is None or tensor.raw == need or tensor.external is not None:
        return _indices(tensor, version)
    detail = f"has sparse values of {tensor.raw} bytes, and their shape needs {need}"
    if version is not None and version[:2] < (1, 24):
        return detail, None, not tensor.raw
    if version is None or version[:2] >= (1, 31):
        return detail, f"raw_data size ({tensor.raw} bytes) does not match expected size", True
    return detail, f"values data size does not match expected: {need}", True


def _indices(tensor: Tensor, version: Version | None) -> Fault | None:
    """Where the values of a sparse tensor stand; of those with their size in order. Before 1.24 what is wrong there
    overwrites memory or ends the process, or nothing is seen of it."""
    where, values = tensor.indices, tensor.sparse or ()
    if where is None or not where.dims or len(values) != 1 or where.external is not None:
        return None
    dense = tensor.nbytes or 0
    if dense > MAX_DENSE:
        text = f"dense data size of {dense} bytes exceeds the {MAX_DENSE} byte limit for embedded initializer data."
        limited = version is not None and version[:2] >= DENSE_LIMITED
        return f"is sparse, and takes {dense} bytes once it is dense", text if limited else None, limited
    checked = version is not None and version[:2] >= SPARSE_CHECKED
    says = checked or version is None
    if where.dims[0] != values[0]:
        text = f"indices outer dimension should match the number of non-zero values. Got:{where.dims[0]} expected: "
        detail = f"has {where.dims[0]} indices for {values[0]} sparse values"
        return detail, f"{text}{values[0]}" if says else None, checked
    numbers, size = where.ints() if where.dtype == INT64 else None, tensor.elements
    if numbers is None or size is None:
        return None
    limits = [size] if len(where.dims) == 1 else list(tensor.dims)
    outside = ((number, limits[at % len(limits)]) for at, number in enumerate(numbers) if limits)
    found = next(((number, limit) for number, limit in outside if not 0 <= number < limit), None)
    if found is None:
        return None
    text = f"index is out of bounds. Got:{found[0]} expected to be in [0, {found[1]})"
    return f"has the sparse index {found[0]}, which is not below {found[1]}", text if says else None, checked


def _size(held: Held, version: Version | None) -> Fault | None:
    tensor = held.tensor
    if tensor.external is not None or tensor.sparse is not None:
        return None
    if held.checked and tensor.raw in (None, 0) and not tensor.typed and tensor.elements:
        empty = f"TensorProto (tensor name: {tensor.name}) should contain one and only one value field."
        return "has no data", empty, True
    fault = _raw(held, version) if tensor.raw is not None else _typed(held, version)
    if fault is None:
        return None
    detail, text, _ = fault
    short = held.in_body and tensor.raw is not None and tensor.raw < (tensor.nbytes or 0)
    if short and (version is None or version[:2] >= CHECKED_SINCE):
        return detail, "is too small for the declared shape and type", version is not None or held.is_read
    return fault if held.is_read else (detail, text, False)


def _raw(held: Held, version: Version | None) -> Fault | None:
    tensor = held.tensor
    have, need = tensor.raw or 0, tensor.nbytes
    if tensor.dtype == STRING:
        old = version is not None and ((1, 25) <= version[:2] < (1, 31) or version[:2] < (1, 17))
        return "is of strings and has raw_data", None if old else "string tensor can not have raw data", True
    if need is None or have == need:
        return None
    detail = f"needs {need} bytes and has {have}"
    late = (version is not None and version[:2] < COMPARED_SINCE) or held.late
    text: str | None = f"raw_data size ({have} bytes) does not match expected size from shape and data type"
    if need > MAX_EMBEDDED:
        text = None if late or need > MAX_COUNTED else "byte limit for embedded initializer data"
    elif held.of_shape and not late and version is not None and version[:2] < (1, 31) and have < need:
        text = f"does not have sufficient raw_data. Required bytes: {need}, actual bytes: {have}"
    elif late and tensor.dtype in PACKED and not held.late and need:
        text = "Unexpected number of packed int4 pairs"
    elif late:
        text = TEXT if need or (version is not None and version[:2] < (1, 17)) else None
    return detail, text, True


def _typed(held: Held, version: Version | None) -> Fault | None:
    tensor = held.tensor
    have, need = tensor.entered, tensor.elements
    if have is None or need is None or have == need or tensor.dtype in UNCOUNTED:
        return None
    if tensor.dtype in PAIRS:
        need = (need + 1) // 2
        if have == need:
            return None
    detail = f"needs {need} elements and has {have}"
    if version is None or version[:2] >= COMPARED_SINCE:
        what = "string_data count" if tensor.dtype == STRING else "data field count"
        text: str | None = f"{what} ({have}) does not match expected count from shape ({need})"
        if held.late and tensor.dtype in WHOLE:
            text = f"tensor shape size({need}) does not match the data size({have}) in proto"
        elif held.late:
            text = "UnpackTensor: the pre-allocate size does not match the size in proto"
        elif held.of_shape and version is not None and version[:2] < (1, 31):
            text = "expected num elements"
    elif held.of_shape:
        text = f"expected size {need} does not match the actual size"
    elif tensor.dtype in WHOLE:
        text = f"tensor shape size({need}) does not match the data size({have}) in proto"
    else:
        what = "pre-allocated" if tensor.dtype in PAIRS else "pre-allocate"
        text = f"UnpackTensor: the {what} size does not match the size in proto"
    return detail, text, True


def _model(size: int) -> bytes:
    """A model with one f32[4] initializer of `size` raw bytes, by hand: ONNX text cannot be wrong in this way."""
    from signatures.artifact.varint import field, varint

    tensor = varint(1 << 3) + varint(4) + varint(2 << 3) + varint(1) + field(8, b"w") + field(9, bytes(size))
    node = field(1, b"x") + field(1, b"w") + field(2, b"y") + field(4, b"Add")
    kind = field(2, field(1, varint(1 << 3) + varint(1) + field(2, field(1, varint(1 << 3) + varint(4)))))
    graph = field(1, node) + field(2, b"g") + field(5, tensor) + field(11, field(1, b"x") + kind)
    graph += field(12, field(1, b"y") + kind)
    return varint(1 << 3) + varint(8) + field(7, graph) + field(8, varint(2 << 3) + varint(17))


def _sparse_model(indices: list[int], name: bytes = b"w", side: int = 4) -> bytes:
    """A model with one sparse square f32 initializer of two values."""
    import struct

    from signatures.artifact.varint import field, varint

    kind = varint(1 << 3) + varint(2) + varint(2 << 3) + varint(1) + field(8, name) + field(9, bytes(8))
    packed = struct.pack(f"<{len(indices)}q", *indices)
    where = varint(1 << 3) + varint(len(indices)) + varint(2 << 3) + varint(7) + field(9, packed)
    sparse = field(1, kind) + field(2, where) + (varint(3 << 3) + varint(side)) * 2
    four = field(1, varint(1 << 3) + varint(4))
    shape = field(2, field(1, varint(1 << 3) + varint(1) + field(2, four + four)))
    graph = field(1, field(1, b"x") + field(1, b"w") + field(2, b"y") + field(4, b"MatMul")) + field(2, b"g")
    graph += field(11, field(1, b"x") + shape) + field(12, field(1, b"y") + shape) + field(15, sparse)
    return varint(1 << 3) + varint(8) + field(7, graph) + field(8, varint(2 << 3) + varint(17))


_NEW = Target((("onnxruntime", "1.32.0"),))
_HEAD = '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) '
_GRAPH = _HEAD + "<%s w = %s> { y = Add (x, w) }"
_CONSTANT = _HEAD + "{ w = Constant <value = float[2] %s> ()  y = Add (x, w) }"

CHECK = Check(
    id="raw-size",
    title="A tensor's bytes do not fit its shape",
    reads="onnx",
    predicts="source and destination buffer size mismatch",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("model.onnx", _model(12)),), expect="needs 16 bytes and has 12"),
        Fixture(Outcome.FOUND, files=(("model.onnx", _model(20)),), expect="needs 16 bytes and has 20"),
        Fixture(Outcome.FOUND, files=(("model.onnx", _model(0)),), expect="needs 16 bytes and has 0"),
        Fixture(Outcome.FOUND, _GRAPH % ("float[-1]", "{1, 2}"), expect="negative"),
        Fixture(Outcome.FOUND, _GRAPH % ("float[2]", "{1, 2, 3}"), expect="needs 2 elements and has 3"),
        Fixture(Outcome.FOUND, _CONSTANT % "{1, 2, 3}", expect="needs 2 elements and has 3"),
        Fixture(Outcome.FOUND, _HEAD + "{ [k] w = Constant () y = Relu (x) }", expect="node: k has no data attributes"),
        Fixture(Outcome.FOUND, files=(("model.onnx", _sparse_model([0, 16])),), target=_NEW, expect="Got:16 expected"),
        Fixture(Outcome.FOUND, files=(("model.onnx", _sparse_model([-1, 3])),), target=_NEW, expect="Got:-1 expected"),
        Fixture(Outcome.FOUND, files=(("model.onnx", _sparse_model([1])),), target=_NEW, expect="Got:1 expected: 2"),
        Fixture(Outcome.FOUND, files=(("model.onnx", _sparse_model([0, 5], b"")),), expect="must have a name"),
        Fixture(
            Outcome.FOUND,
            files=(("model.onnx", _sparse_model([0, 5], side=1 << 20)),),
            target=_NEW,
            expect="dense data size of 4398046511104 bytes exceeds the 2147483648 byte limit",
        ),
        Fixture(Outcome.CLEAN, files=(("model.onnx", _sparse_model([0, 5])),), target=_NEW),
        Fixture(Outcome.CLEAN, _CONSTANT % "{1, 2}"),
        Fixture(Outcome.CLEAN, _GRAPH % ("float[2]", "{1, 2}")),
        Fixture(Outcome.CLEAN, files=(("model.onnx", _model(16)),)),
    ),
)
