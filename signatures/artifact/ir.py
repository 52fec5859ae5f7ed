"""An ONNX model as plain values: graphs, nodes, tensors and types with safe text; `building` makes them.

Checks read these instead of protobuf objects: names are always `str`, counts are bounded, subgraphs and functions are
laid out flat. Nothing is inferred here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

import onnx

_NAMES: dict[int, str] = {
    1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 8: "string", 9: "bool", 10: "f16",
    11: "f64", 12: "u32", 13: "u64", 14: "c64", 15: "c128", 16: "bf16", 17: "f8e4m3fn", 18: "f8e4m3fnuz",
    19: "f8e5m2", 20: "f8e5m2fnuz", 21: "u4", 22: "i4", 23: "f4e2m1", 24: "f8e8m0", 25: "u2", 26: "i2",
}  # fmt: skip
_BITS: dict[int, int] = {
    1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64, 12: 32, 13: 64, 14: 64, 15: 128, 16: 16,
    17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4, 24: 8, 25: 2, 26: 2,
}  # fmt: skip


def dtype_name(dtype: int | None) -> str | None:
    """'f32', 'i64', ... as in the placement tables; None where unknown."""
    return _NAMES.get(dtype) if dtype is not None else None


class Value(NamedTuple):
    """A graph input, output or value_info. dtype: onnx element type, None where it is no tensor or unset. dims: None
    where the rank is unknown; a symbolic dimension is None. `kind`: the field of TypeProto that is set, if one is."""

    name: str
    dtype: int | None
    dims: tuple[int | None, ...] | None
    kind: str | None = "tensor_type"


class Tensor(NamedTuple):
    """An initializer or a constant. `payload` is (field, file offset, bytes) where its data was left in the file;
    `data` the kept bytes of raw_data, `numbers` those of int32_data or int64_data. `external`: key -> value, of
    repeated keys the last; `entries` all of them in order."""

    name: str
    dtype: int
    dims: tuple[int, ...]
    data: bytes
    numbers: tuple[int, ...]
    payload: tuple[int, int, int] | None
    external: dict[str, str] | None
    offset: int | None = None  # file position of the initializer itself
    typed: bool = False  # data stands in a typed field, not in raw_data
    raw: int | None = None  # bytes of raw_data, which counts before typed fields; None where there is no such field
    entered: int | None = 0  # elements in the typed field of this element type, None where they were not counted
    entries: tuple[tuple[str, str], ...] = ()
    sparse: tuple[int, ...] | None = None  # shape of the values of a sparse tensor, whose own shape is `dims`
    indices: Tensor | None = None  # of a sparse tensor: where its values stand

    @property
    def elements(self) -> int | None:
        count = 1
        for dim in self.dims:
            if dim < 0:
                return None
            count *= dim
        return count

    @property
    def nbytes(self) -> int | None:
        """Bytes that shape and type ask for, None where the type has no fixed width or a dimension is negative."""
        bits, count = _BITS.get(self.dtype), self.elements
        return None if bits is None or count is None else (bits * count + 7) // 8

    def ints(self) -> tuple[int, ...] | None:
        """The values of a small integer tensor, None where they are not here."""
        if self.numbers:
            return self.numbers
        kind = {7: "q", 6: "i"}.get(self.dtype)
        if kind is None or self.external is not None or self.payload is not None:
            return None
        width = struct.calcsize(kind)
        if len(self.data) % width:
            return None
        return struct.unpack(f"<{len(self.data) // width}{kind}", self.data)


class Node:
    """One operator. `graphs` are its subgraphs by attribute name; `attributes` hold those of its attributes that checks
    read, `kinds` the kind of every one, as an onnx AttributeType."""

    __slots__ = ("attributes", "domain", "graphs", "index", "inputs", "kinds", "name", "offset", "op", "outputs")

    def __init__(self, proto: onnx.NodeProto, index: int, offset: int | None) -> None:
        self.op = text(proto.op_type)
        self.domain = "" if self.op == "Constant" else folded(text(proto.domain))  # one of any domain is taken
        self.name = text(proto.name)
        self.inputs = tuple(map(text, proto.input))
        self.outputs = tuple(map(text, proto.output))
        self.attributes: dict[str, object] = {}
        self.kinds: dict[str, int] = {}
        self.graphs: dict[str, Graph] = {}
        self.index = index
        self.offset = offset

    @property
    def removed(self) -> bool:
        """Whether ONNX Runtime takes the node out before it looks at its operator: it reads and makes nothing."""
        return not self.inputs and not self.outputs

    def int(self, name: str) -> int | None:
        value = self.attributes.get(name)
        return value if isinstance(value, int) else None

    def tensor(self) -> Tensor | None:
        """The value of a Constant as a tensor."""
        value = self.attributes.get("value")
        return value if isinstance(value, Tensor) else None

    def __str__(self) -> str:
        label = self.name or (f"#{self.index}")
        return f"{self.domain + '.' if self.domain else ''}{self.op} {label!r}"


class Graph:
    """A main graph, a subgraph of a node, or the body of a local function."""

    __slots__ = (
        "function", "initializers", "inputs", "nodes", "outputs", "parent", "path", "scopes", "tensors", "values",
    )  # fmt: skip

    def __init__(self, path: str, parent: Graph | None, function: str | None = None) -> None:
        self.path = path
        self.parent = parent
        self.function = function
        self.nodes: list[Node] = []
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.values: dict[str, Value] = {}
        self.tensors: list[Tensor] = []
        self.initializers: dict[str, Tensor] = {}
        self.scopes: object = None  # kept by signatures.artifact.flow, on main graphs


class Model(NamedTuple):
    """`ir_version`: None where the file has none. `opsets`: (domain, version) in the order and spelling of the file,
    versions of 32 bits as ONNX Runtime keeps them. `has_graph`: the file has a graph at all. `partial`: initializers
    were not read; `ports`: inputs and outputs were."""

    ir_version: int | None
    producer: str
    opsets: tuple[tuple[str, int], ...]
    graph: Graph
    functions: dict[tuple[str, str], Graph]
    graphs: tuple[Graph, ...]  # the main graph and all below it, then function bodies and all below them
    function_opsets: tuple[tuple[tuple[str, str], tuple[tuple[str, int], ...]], ...]
    repeated_functions: tuple[tuple[str, str], ...]  # the first definition of each is in `functions`
    has_graph: bool
    partial: bool
    ports: bool

    def nodes(self) -> Iterator[tuple[Graph, Node]]:
        for graph in self.graphs:
            for node in graph.nodes:
                yield graph, node

    def opset(self, domain: str = "") -> int | None:
        """The version that counts: of several imports, `ai.onnx` being one of "", the last."""
        found = [version for name, version in self.opsets if folded(name) == domain]
        return found[-1] if found else None


def folded(domain: str) -> str:
    """The domain under the name that operators are looked up by."""
    return "" if domain == "ai.onnx" else domain


def text(value: object) -> str:
    """A protobuf string as text: hostile bytes come as bytes, and stay visible."""
    if type(value) is str:
        return value
    return bytes(value).decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
