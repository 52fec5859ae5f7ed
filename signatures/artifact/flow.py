"""Who makes a value and who reads it, per scope, with local functions inlined as ONNX Runtime inlines them.

A scope is one graph: ONNX Runtime places and copies within one graph at a time, so nothing here crosses into a branch.
"""

from __future__ import annotations

from signatures.artifact import types as element_types
from signatures.artifact.ir import Graph, Model, Node, Value
from signatures.artifact.source import LimitReached, SourceError
from signatures.artifact.types import Shapes, Types, key

MAX_INLINED = 60_000
MAX_NESTED_CALLS = 24
MAX_TWINS = 64
MAX_CARRIED = 3_000_000
CAPTURED = -1  # the "slot" of a value that a body reads from the graph around it
CONTROL_FLOW = frozenset(("If", "Loop", "Scan", "SequenceMap"))
_NOT_FOLDED = frozenset(
    ["RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli"]
)


class Scope:
    """One graph after inlining. `outputs` are names that leave it; `constant` names that do not depend on inputs."""

    __slots__ = (
        "constant", "dead", "graph", "nodes", "outer", "outputs", "producer", "readers", "shapes", "truncated", "twins",
        "types", "values",
    )  # fmt: skip

    def __init__(self, graph: Graph, nodes: list[Node], outer: Scope | None) -> None:
        self.graph = graph
        self.nodes = nodes
        self.outer = outer
        self.outputs = frozenset(value.name for value in graph.outputs)
        self.producer: dict[str, Node] = {}
        self.readers: dict[str, list[tuple[Node, int]]] = {}
        for node in nodes:
            for name in node.outputs:
                if name:
                    self.producer.setdefault(name, node)
            for slot, name in enumerate(node.inputs):
                if name:
                    self.readers.setdefault(name, []).append((node, slot))
            if node.graphs:
                for name in _captured(node):
                    self.readers.setdefault(name, []).append((node, CAPTURED))
        flat = Graph(graph.path, None)
        flat.nodes, flat.inputs, flat.outputs = nodes, graph.inputs, graph.outputs
        flat.values, flat.tensors = graph.values, graph.tensors
        outer_types: Types = outer.types if outer else {}
        outer_shapes: Shapes = outer.shapes if outer else {}
        inferred = element_types.infer(flat, outer_types, outer_shapes)
        self.types: Types = inferred[0]
        self.shapes: Shapes = inferred[1]
        self.constant: frozenset[str] = _constants(graph, nodes, outer.constant if outer else frozenset(), self.shapes)
        self.dead = self._dead()
        self.values: dict[str, tuple[int, ...]] = _values(graph, nodes, outer.values if outer else {}, self)
        self.twins = _twins(nodes)
        self.truncated = False

    def folded(self, node: Node) -> bool:
        """Whether the optimizer replaces this node by a constant."""
        return bool(node.outputs) and all(name in self.constant for name in node.outputs if name)

    def _dead(self) -> frozenset[int]:
        """Nodes (by id) that go away with a folded reader: a `Shape` of static dimensions is folded, and what was
        computed for it alone is dropped."""
        dead: set[int] = set()
        for node in reversed(self.nodes):
            if self.folded(node) or any(name in self.outputs for name in node.outputs):
                continue
            readers = [reader for name in node.outputs if name for reader, _ in self.readers.get(name, ())]
            if readers and all(self.folded(reader) or id(reader) in dead for reader in readers):
                dead.add(id(node))
        return frozenset(dead)

    def dtype(self, node: Node, slot: int = 0) -> int | None:
        return self.types.get(node.inputs[slot]) if slot < len(node.inputs) else None


def scopes(model: Model) -> list[Scope]:
    """The main graph, then every subgraph below it, functions inlined. `truncated` is set on the first scope where
    there was more to inline than is followed. Made once per model. Raises LimitReached."""
    kept = model.graph.scopes
    if isinstance(kept, SourceError):
        raise kept
    if isinstance(kept, list):
        return kept
    try:
        found = _scopes(model)
    except LimitReached as error:
        model.graph.scopes = error
        raise
    model.graph.scopes = found
    return found


def _scopes(model: Model) -> list[Scope]:
    inliner = _Inliner(model)
    main = Scope(model.graph, inliner.expand(model.graph.nodes), None)
    found = [main]
    carried = 0
    for scope in found:  # grows while it is walked: bodies of bodies
        for node in scope.nodes:
            for body in node.graphs.values():
                carried += len(scope.types) + len(scope.constant)  # what each body takes from outside
                if carried > MAX_CARRIED:
                    raise LimitReached("too many bodies in too large a graph")
                found.append(Scope(body, inliner.expand(body.nodes), scope))
    main.truncated = inliner.truncated
    return found


def _values(
    graph: Graph, nodes: list[Node], outer: dict[str, tuple[int, ...]], scope: Scope
) -> dict[str, tuple[int, ...]]:
    """Small integer constants by name: shapes and indices that the optimizer knows."""
    known = dict(outer)
    for tensor in graph.tensors:
        found = tensor.ints()
        if found is not None and tensor.name in scope.constant:
            known[tensor.name] = found
    for node in nodes:
        if node.domain or not node.outputs or node.outputs[0] not in scope.constant:
            continue
        tensor_value = node.tensor() if node.op == "Constant" else None
        values = tensor_value.ints() if tensor_value else None
        if node.op in ("MemcpyFromHost", "MemcpyToHost", "Identity") and node.inputs:
            values = known.get(node.inputs[0])
        elif node.op == "Shape" and not node.attributes:
            values = scope.shapes.get(node.inputs[0])
        if values is not None:
            known[node.outputs[0]] = values
    return known


def _twins(nodes: list[Node]) -> dict[str, tuple[str, ...]]:
    """Outputs of copy nodes that copy the same value, which the optimizer merges into one."""
    groups: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        if node.op.startswith("Memcpy") and not node.domain and node.inputs and node.outputs:
            groups.setdefault((node.op, node.inputs[0]), []).append(node.outputs[0])
    merged = [tuple(group[:MAX_TWINS]) for group in groups.values() if len(group) > 1]
    return {name: group for group in merged for name in group}


def _captured(node: Node) -> set[str]:
    """Outer names that the bodies of a control-flow node read."""
    read: set[str] = set()
    made: set[str] = set()
    waiting = list(node.graphs.values())
    for body in waiting:  # grows: bodies of bodies
        made.update(value.name for value in body.inputs)
        made.update(tensor.name for tensor in body.tensors)
        read.update(value.name for value in body.outputs)
        for inner in body.nodes:
            read.update(inner.inputs)
            made.update(inner.outputs)
            waiting.extend(inner.graphs.values())
    return read - made - {""}


def _constants(graph: Graph, nodes: list[Node], outer: frozenset[str], shapes: Shapes) -> frozenset[str]:
    """Names whose value is known before the session runs, as the constant folder of ONNX Runtime sees it."""
    inputs = {value.name for value in graph.inputs}
    known = set(outer) | {tensor.name for tensor in graph.tensors}
    known -= inputs
    for node in nodes:
        if node.graphs or node.op in _NOT_FOLDED:
            continue
        reads = [name for name in node.inputs if name]
        if (
            node.op == "Constant"
            or (reads and all(name in known for name in reads))
            or (node.op in ("Shape", "Size") and not node.domain and reads and reads[0] in shapes)
        ):
            known.update(name for name in node.outputs if name)
    return frozenset(known)


class _Inliner:
    def __init__(self, model: Model) -> None:
        self.functions = model.functions
        self.calls: dict[str, int] = {}
        self.made = 0
        self.truncated = False

    def expand(self, nodes: list[Node]) -> list[Node]:
        """Nodes with calls of local functions replaced by their bodies, level by level."""
        if not self.functions:
            return nodes
        for _ in range(MAX_NESTED_CALLS):
            if not any((node.domain, node.op) in self.functions for node in nodes):
                return nodes
            expanded: list[Node] = []
            for node in nodes:
                body = self.functions.get((node.domain, node.op))
                expanded += [node] if body is None else self._call(node, body)
                if self.truncated:
                    return nodes
            nodes = expanded
        self.truncated = True
        return nodes

    def _call(self, call: Node, body: Graph) -> list[Node]:
        count = self.calls[call.op] = self.calls.get(call.op, -1) + 1
        prefix = f"_inlfunc_{call.op}_" + (f"token_{count - 1}_" if count else "")
        names = {value.name: "" for value in body.inputs}
        names.update(zip((value.name for value in body.inputs), call.inputs, strict=False))
        copies = []
        # An output that is also an input keeps the input's name: a body without nodes passes values through.
        for value, actual in zip(body.outputs, call.outputs, strict=False):
            if value.name not in names and actual:
                names[value.name] = actual
        for node in body.nodes:
            self.made += 1
            if self.made > MAX_INLINED:
                self.truncated = True
                return []
            copies.append(_renamed(node, names, prefix, call))
        return copies


def _renamed(node: Node, names: dict[str, str], prefix: str, call: Node) -> Node:
    copy = Node.__new__(Node)
    copy.op, copy.domain, copy.index, copy.offset = node.op, node.domain, call.index, call.offset
    copy.name = f"{call.name}/{node.name}" if node.name else ""
    copy.attributes, copy.kinds = node.attributes, node.kinds
    copy.inputs = tuple(_name(name, names, prefix) for name in node.inputs)
    copy.outputs = tuple(_name(name, names, prefix) for name in node.outputs)
    copy.graphs = {key: _renamed_graph(body, names, prefix, call) for key, body in node.graphs.items()}
    return copy


def _renamed_graph(body: Graph, names: dict[str, str], prefix: str, call: Node) -> Graph:
    """A subgraph of an inlined body. Bodies inside bodies are renamed when their scope is made, one level each."""
    copy = Graph(body.path, body.parent, body.function)
    copy.inputs = [Value(_name(v.name, names, prefix), v.dtype, v.dims) for v in body.inputs]
    copy.outputs = [Value(_name(v.name, names, prefix), v.dtype, v.dims) for v in body.outputs]
    copy.values = {_name(v.name, names, prefix): v for v in body.values.values()}
    copy.tensors = [tensor._replace(name=_name(tensor.name, names, prefix)) for tensor in body.tensors]
    copy.initializers = {tensor.name: tensor for tensor in copy.tensors}
    for node in body.nodes:
        inner = Node.__new__(Node)
        inner.op, inner.domain, inner.name, inner.index, inner.offset = (
            node.op, node.domain, node.name, node.index, call.offset,
        )  # fmt: skip
        inner.attributes, inner.kinds, inner.graphs = node.attributes, node.kinds, node.graphs
        inner.inputs = tuple(_name(name, names, prefix) for name in node.inputs)
        inner.outputs = tuple(_name(name, names, prefix) for name in node.outputs)
        copy.nodes.append(inner)
    return copy


def _name(name: str, names: dict[str, str], prefix: str) -> str:
    return names.get(name, prefix + name) if name else ""


__all__ = ["CONTROL_FLOW", "Scope", "key", "scopes"]
