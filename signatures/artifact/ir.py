"""An ONNX model as plain values: graphs, nodes, tensors and types with safe text, made from a parsed skeleton.

Checks read these instead of protobuf objects: names are always `str`, counts are bounded, subgraphs and functions are
laid out flat. Nothing is inferred here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

import onnx

from signatures.artifact.source import LimitReached
from signatures.artifact.wire import PAYLOAD_KEY

MAX_GRAPHS = 4_000
MAX_REFERENCES = 1_000_000

_NAMES: dict[int, str] = {
    1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 8: "string", 9: "bool", 10: "f16",
    11: "f64", 12: "u32", 13: "u64", 14: "c64", 15: "c128", 16: "bf16", 17: "f8e4m3fn", 18: "f8e4m3fnuz",
    19: "f8e5m2", 20: "f8e5m2fnuz", 21: "u4", 22: "i4", 23: "f4e2m1", 24: "f8e8m0", 25: "u2", 26: "i2",
}  # fmt: skip
_BITS: dict[int, int] = {
    1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64, 12: 32, 13: 64, 14: 64, 15: 128, 16: 16,
    17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4, 24: 8, 25: 2, 26: 2,
}  # fmt: skip


# The tensor field that holds the elements of a type outside raw_data; int32_data holds all others.
_TYPED = {1: 4, 7: 7, 8: 6, 11: 10, 12: 11, 13: 11, 14: 4, 15: 10}
_FIELDS = {4: "float_data", 5: "int32_data", 6: "string_data", 7: "int64_data", 10: "double_data", 11: "uint64_data"}


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


class Builder:
    """Turns one parsed skeleton into a Model, without recursion: subgraphs wait in a list."""

    def __init__(self, name: str, node_offsets: object = (), tensor_offsets: object = ()) -> None:
        self.name = name
        self.node_offsets = node_offsets
        self.tensor_offsets = tensor_offsets
        self.references = 0
        self.graphs: list[Graph] = []
        self.waiting: list[tuple[onnx.GraphProto, Graph]] = []

    def build(self, proto: onnx.ModelProto, *, partial: bool, ports: bool) -> Model:
        main = Graph("", None)
        self.waiting.append((proto.graph, main))
        self._drain(top=main)
        functions: dict[tuple[str, str], Graph] = {}
        function_opsets = []
        repeated = []
        for function in proto.functions:
            key = (text(function.domain), text(function.name))
            if key in functions:
                if not text(getattr(function, "overload", "")):
                    repeated.append(key)
                continue
            body = Graph(f"function {key[0]}.{key[1]}", None, key[1])
            body.inputs = [Value(text(name), None, None) for name in function.input]
            body.outputs = [Value(text(name), None, None) for name in function.output]
            body.values = {v.name: v for v in map(_value, getattr(function, "value_info", ()))}
            self.graphs.append(body)
            self._nodes(function.node, body, ())
            self._drain(top=None)
            functions[key] = body
            function_opsets.append((key, _opsets(function.opset_import)))
        return Model(
            proto.ir_version if proto.HasField("ir_version") else None,
            text(proto.producer_name),
            _opsets(proto.opset_import),
            main,
            functions,
            tuple(self.graphs),
            tuple(function_opsets),
            tuple(repeated),
            proto.HasField("graph"),
            partial,
            ports,
        )

    def _drain(self, top: Graph | None) -> None:
        while self.waiting:
            proto, graph = self.waiting.pop()
            if len(self.graphs) >= MAX_GRAPHS:
                raise LimitReached(f"more than {MAX_GRAPHS} subgraphs", name=self.name)
            self.graphs.append(graph)
            graph.inputs = [_value(value) for value in proto.input]
            graph.outputs = [_value(value) for value in proto.output]
            graph.values = {value.name: value for value in map(_value, proto.value_info)}
            offsets = self.tensor_offsets if graph is top else ()
            graph.tensors = [read_tensor(tensor, _at(offsets, i)) for i, tensor in enumerate(proto.initializer)]
            for sparse in proto.sparse_initializer:
                values, where = read_tensor(sparse.values, None), read_tensor(sparse.indices, None)
                graph.tensors.append(values._replace(dims=tuple(sparse.dims), sparse=values.dims, indices=where))
            graph.initializers = {tensor.name: tensor for tensor in graph.tensors}
            self._nodes(proto.node, graph, self.node_offsets if graph is top else ())

    def _nodes(self, protos: object, graph: Graph, offsets: object) -> None:
        for index, proto in enumerate(protos):  # type: ignore[arg-type, var-annotated]  # onnx types its containers loosely
            node = Node(proto, index, _at(offsets, index))
            self.references += len(node.inputs) + len(node.outputs) + 1
            if self.references > MAX_REFERENCES:
                raise LimitReached(f"more than {MAX_REFERENCES} references", name=self.name)
            for attribute in proto.attribute:
                self._attribute(node, graph, attribute)
            graph.nodes.append(node)

    def _attribute(self, node: Node, graph: Graph, proto: onnx.AttributeProto) -> None:
        name = text(proto.name)
        node.kinds[name] = proto.type
        if node.removed:
            return  # with all that is in it
        if proto.HasField("g"):
            self._below(node, graph, name, proto.g)
        for position, below in enumerate(proto.graphs):
            self._below(node, graph, f"{name}[{position}]", below)
        if proto.HasField("t"):
            node.attributes[name] = read_tensor(proto.t, None)
        elif proto.HasField("s"):
            node.attributes[name] = text(proto.s)
        elif proto.HasField("i"):
            node.attributes[name] = proto.i
        elif proto.HasField("f"):
            node.attributes[name] = proto.f
        elif len(proto.ints):
            node.attributes[name] = tuple(proto.ints)
        elif text(proto.ref_attr_name):
            node.attributes[name] = None

    def _below(self, node: Node, graph: Graph, name: str, proto: onnx.GraphProto) -> None:
        where = f"{graph.path + ' > ' if graph.path else ''}{node.op} {node.name or f'#{node.index}'}.{name}"
        body = Graph(where[-400:], graph, graph.function)
        node.graphs[name] = body
        self.waiting.append((proto, body))


def _at(offsets: object, index: int) -> int | None:
    sequence: tuple[int, ...] = offsets  # type: ignore[assignment]  # an array or an empty tuple
    return sequence[index] if index < len(sequence) else None


def _opsets(protos: object) -> tuple[tuple[str, int], ...]:
    out = []
    for proto in protos:  # type: ignore[attr-defined]  # onnx types its containers loosely
        out.append((text(proto.domain), (proto.version + (1 << 31)) % (1 << 32) - (1 << 31)))
    return tuple(out)


def _value(proto: onnx.ValueInfoProto) -> Value:
    kind = proto.type.WhichOneof("value")
    if kind != "tensor_type":
        return Value(text(proto.name), None, None, kind)
    tensor = proto.type.tensor_type
    dims = None
    if tensor.HasField("shape"):
        # Exporters write -1 for a dimension that is not known.
        sizes = (dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim)
        dims = tuple(size if size is not None and size >= 0 else None for size in sizes)
    return Value(text(proto.name), tensor.elem_type or None, dims)


def read_tensor(proto: onnx.TensorProto, offset: int | None) -> Tensor:
    """A TensorProto of a skeleton as a Tensor."""
    payload = _payload(proto)
    entries: tuple[tuple[str, str], ...] = ()
    if proto.data_location == 1:  # EXTERNAL; entries beside raw_data are ignored by the runtimes
        entries = tuple((text(entry.key), text(entry.value)) for entry in proto.external_data)
    numbers = tuple(proto.int64_data) or tuple(proto.int32_data)
    raw = len(proto.raw_data) if proto.HasField("raw_data") else None
    if 9 in payload:
        raw = payload[9][1]
    first = next(((number, at, size) for number, (at, size, _) in payload.items()), None)
    where = _TYPED.get(proto.data_type, 5)
    count: int | None = len(getattr(proto, _FIELDS[where]))
    if payload:
        count = None if where in (5, 7, 11) else payload[where][2] if where in payload else 0
    typed = raw is None and bool(payload or any(len(getattr(proto, name)) for name in _FIELDS.values()))
    return Tensor(
        text(proto.name),
        proto.data_type,
        tuple(proto.dims),
        proto.raw_data,
        numbers,
        (9, *payload[9][:2]) if 9 in payload else first,
        dict(entries) if proto.data_location == 1 else None,
        offset,
        typed,
        raw,
        count,
        entries,
    )


def _payload(proto: onnx.TensorProto) -> dict[int, tuple[int, int, int]]:
    """What the walker left in the file: field -> offset, bytes, elements."""
    found: dict[int, tuple[int, int, int]] = {}
    for entry in getattr(proto, "metadata_props", ()):
        if text(entry.key) == PAYLOAD_KEY:
            for part in text(entry.value).split(";"):
                numbers = part.split(":")
                if len(numbers) == 4 and all(each.isdecimal() and len(each) < 20 for each in numbers):
                    number, at, size, count = map(int, numbers)
                    found[number] = (at, size, count)
    return found
