"""From the parsed skeleton of an ONNX model to plain values, with bounds on how many there may be."""

from __future__ import annotations

import onnx

from signatures.artifact.ir import Graph, Model, Node, Tensor, Value, text
from signatures.artifact.source import LimitReached
from signatures.artifact.wire import PAYLOAD_KEY

MAX_GRAPHS = 4_000
MAX_REFERENCES = 1_000_000

# The tensor field that holds the elements of a type outside raw_data; int32_data holds all others.
_TYPED = {1: 4, 7: 7, 8: 6, 11: 10, 12: 11, 13: 11, 14: 4, 15: 10}
_FIELDS = {4: "float_data", 5: "int32_data", 6: "string_data", 7: "int64_data", 10: "double_data", 11: "uint64_data"}


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
