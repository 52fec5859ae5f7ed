"""Who makes a value and who reads it, per scope, with local functions inlined as ONNX Runtime inlines them.

A scope is one graph: ONNX Runtime places and copies within one graph at a time, so nothing here crosses into a branch.
"""

from __future__ import annotations

from signatures.artifact import types as element_types
from signatures.artifact.inlining import Inliner, taken_branch
from signatures.artifact.ir import Graph, Model, Node
from signatures.artifact.optimizer import cancelled, dangling, shape_only
from signatures.artifact.shape_rules import Dims
from signatures.artifact.shapes import Inference
from signatures.artifact.source import LimitReached, SourceError
from signatures.artifact.types import Types, key

MAX_DECIDED = 16  # rounds of branches in branches that are known beforehand
MAX_TWINS = 64
MAX_CARRIED = 3_000_000
CAPTURED = -1  # the "slot" of a value that a body reads from the graph around it
CONTROL_FLOW = frozenset(("If", "Loop", "Scan", "SequenceMap"))
# Left as they are though all that they read is constant: they draw numbers, make sequences, stay for quantization, or
# have no kernel but those of the operators that they are made of. Measured with onnxruntime-webgpu 1.27.0.
_NOT_FOLDED = frozenset(
    (
        "Bernoulli", "CastLike", "ConcatFromSequence", "DequantizeLinear", "HardSwish", "MeanVarianceNormalization",
        "Mish", "Multinomial", "NonZero", "Optional", "OptionalGetElement", "RandomNormal", "RandomNormalLike",
        "RandomUniform", "RandomUniformLike", "SequenceAt", "SequenceConstruct", "SplitToSequence",
    )
)  # fmt: skip
_FOLDED_SINCE = {"GreaterOrEqual": 16, "LessOrEqual": 16}  # opset with a kernel


class Scope:
    """One graph after inlining. `outputs` are names that leave it; `constant` names that do not depend on inputs.
    `dims` and `ints` are what is known of shapes and integers, element by element. `uncertain`: a branch is taken
    beforehand, and which one is not known here, or this is the body of a node that may be dropped."""

    __slots__ = (
        "constant", "dead", "dims", "graph", "ints", "nodes", "opset", "outer", "outputs", "producer", "readers",
        "twins", "types", "uncertain",
    )  # fmt: skip

    def __init__(self, graph: Graph, nodes: list[Node], outer: Scope | None, opset: int | None) -> None:
        self.graph = graph
        self.nodes = nodes
        self.outer = outer
        self.opset = opset
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
        self.types: Types = element_types.infer(flat, outer.types if outer else {})
        known = Inference(outer.dims if outer else {}, outer.ints if outer else {}, opset)
        known.graph(flat, nodes)
        self.dims: dict[str, Dims] = known.dims
        self.ints: dict[str, Dims] = known.ints
        self.constant: frozenset[str] = self._constants(outer.constant if outer else frozenset())
        self.dead = self._dead()
        self.twins = _twins(nodes)
        self.uncertain = False

    def value(self, name: str) -> tuple[int, ...] | None:
        """The integers of a value that the optimizer knows."""
        found = self.ints.get(name) if name in self.constant else None
        return None if found is None or None in found else tuple(number or 0 for number in found)

    def decided(self, node: Node) -> bool:
        """Whether this is an If on a constant, which the optimizer takes out."""
        return node.op == "If" and not node.domain and bool(node.inputs) and node.inputs[0] in self.constant

    def folded(self, node: Node) -> bool:
        """Whether the optimizer replaces this node by a constant."""
        return bool(node.outputs) and all(name in self.constant for name in node.outputs if name)

    def _constants(self, outer: frozenset[str]) -> frozenset[str]:
        """Names whose value is known before the session runs, as the constant folder of ONNX Runtime sees it: of other
        domains it folds nothing, and of dimensions only what Shape reads."""
        known = set(outer) | {tensor.name for tensor in self.graph.tensors}
        known -= {value.name for value in self.graph.inputs}
        for node in self.nodes:
            late = self.opset is not None and self.opset < _FOLDED_SINCE.get(node.op, 0)
            if node.graphs or node.domain or node.op in _NOT_FOLDED or late:
                continue
            reads = [name for name in node.inputs if name]
            shape = node.op == "Shape" and bool(reads) and None not in self.dims.get(reads[0], (None,))
            if node.op == "Constant" or shape or (reads and all(name in known for name in reads)):
                known.update(name for name in node.outputs if name)
        return frozenset(known)

    def _dead(self) -> frozenset[int]:
        """Nodes (by id) that go away with their reader: a `Shape` of static dimensions is folded, and what was computed
        for it alone is dropped; a Transpose undoes another; an Identity serves nobody."""
        dead: set[int] = set()
        undone: set[int] = set()
        for node in reversed(self.nodes):
            if self.folded(node) or any(name in self.outputs for name in node.outputs):
                continue
            readers = [reader for name in node.outputs if name for reader, _ in self.readers.get(name, ())]
            if dangling(self, node) or (
                node.op == "Transpose" and readers and all(cancelled(self, r) for r in readers)
            ):
                undone.add(id(node))
                continue
            readers = [reader for reader in readers if not (reader.op == "Identity" and id(reader) in undone)]
            if readers and all(self.folded(reader) or id(reader) in dead for reader in readers):
                dead.add(id(node))
        return frozenset(dead | undone)

    def dtype(self, node: Node, slot: int = 0) -> int | None:
        return self.types.get(node.inputs[slot]) if slot < len(node.inputs) else None


def scopes(model: Model) -> list[Scope]:
    """The main graph, then every subgraph below it, functions inlined. Made once per model. Raises LimitReached, also
    where there is more to inline than is followed."""
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
    inliner = Inliner(model)
    main = _decided(Scope(model.graph, inliner.expand(model.graph.nodes), None, model.opset()), inliner)
    found = [main]
    carried = 0
    for scope in found:  # grows while it is walked: bodies of bodies
        for node in scope.nodes:
            decided = scope.decided(node)
            scope.uncertain = scope.uncertain or decided
            for body in node.graphs.values():
                carried += len(scope.types) + len(scope.constant)  # what each body takes from outside
                if carried > MAX_CARRIED:
                    raise LimitReached("too many bodies in too large a graph")
                below = _decided(Scope(body, inliner.expand(body.nodes), scope, scope.opset), inliner)
                below.uncertain = decided or (scope.uncertain and scope is not main) or shape_only(scope, node)
                found.append(below)
    return found


def _decided(scope: Scope, inliner: Inliner) -> Scope:
    """The scope with the branches in place of each If whose condition is known beforehand."""
    for _ in range(MAX_DECIDED):
        nodes: list[Node] = []
        tensors = list(scope.graph.tensors)
        values = dict(scope.graph.values)
        taken = 0
        for node in scope.nodes:
            known = scope.value(node.inputs[0]) if scope.decided(node) else None
            if known is None or len(known) != 1 or not {"then_branch", "else_branch"} <= set(node.graphs):
                nodes.append(node)
                continue
            taken += 1
            inside, body = taken_branch(node, known[0], inliner.branches)
            inliner.branches += 1
            inliner.count(len(inside))
            nodes += inside
            tensors += body.tensors
            values.update(body.values)
        if not taken:
            return scope
        graph = Graph(scope.graph.path, scope.graph.parent, scope.graph.function)
        graph.inputs, graph.outputs, graph.values = scope.graph.inputs, scope.graph.outputs, values
        graph.tensors, graph.initializers = tensors, {tensor.name: tensor for tensor in tensors}
        scope = Scope(graph, inliner.expand(nodes), scope.outer, scope.opset)
    raise LimitReached(f"decided branches in branches, more than {MAX_DECIDED} deep")


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


__all__ = ["CONTROL_FLOW", "Scope", "key", "scopes"]
