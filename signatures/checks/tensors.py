"""Every tensor of a model that ONNX Runtime unpacks, and what it is for: what checks on initializers share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact.ir import Graph, Model, Node, Tensor
from signatures.checks import scoping

# Inputs that shape inference reads while loading.
SHAPE_SLOTS = {
    "Reshape": 1, "Expand": 1, "Tile": 1, "Slice": 1, "Pad": 1, "Unsqueeze": 1, "Squeeze": 1, "ConstantOfShape": 0,
    "ReduceSum": 1, "TopK": 1, "Resize": 3,
}  # fmt: skip
UNFOLDED = frozenset(("MatMul", "Gemm"))  # readers for which no optimizer looks at an initializer


class Held(NamedTuple):
    """A tensor with the graph it stands in, and `node`, where it is the value of an attribute.

    `label` is the name that the runtime gives it. `counts`: no later initializer has its name. `is_read`: a node reads
    it or a graph gives it out; others are dropped. `late`: nothing reads it before it is unpacked for the session.
    `of_shape`: the inference of shapes reads it."""

    tensor: Tensor
    graph: Graph
    node: Node | None
    label: str
    counts: bool
    is_read: bool
    late: bool
    of_shape: bool

    @property
    def in_body(self) -> bool:
        """Whether it stands in a branch or loop of the main graph, where ONNX's checker sees it."""
        return self.graph.parent is not None and self.graph.function is None

    @property
    def checked(self) -> bool:
        """Whether ONNX's checker looks at it: in bodies, and in attributes but those of constants."""
        return self.graph.function is None and (self.in_body or (self.node is not None and self.node.op != "Constant"))


def held(model: Model) -> Iterator[Held]:
    """All tensors, in local functions those that are called."""
    uncalled = {id(body.graph) for body in scoping.bodies(model) if not body.called}
    everywhere: dict[str, list[tuple[Graph, Node, int]]] = {}
    for graph, node in model.nodes():
        for slot, read in enumerate(node.inputs):
            everywhere.setdefault(read, []).append((graph, node, slot))
    given = {value.name for graph in model.graphs for value in graph.outputs}
    for graph in model.graphs:
        if uncalled and id(scoping.root(graph)) in uncalled:
            continue
        inputs = {value.name for value in graph.inputs}
        for tensor in graph.tensors:
            last = graph.initializers[tensor.name] is tensor
            readers = everywhere.get(tensor.name, [])
            yield _held(tensor, graph, None, tensor.name, readers, given, inputs, counts=last)
        for node in graph.nodes:
            for value in node.attributes.values():
                if not isinstance(value, Tensor):
                    continue
                constant = node.op == "Constant"
                label = node.outputs[0] if constant and node.outputs else value.name
                readers = everywhere.get(label, []) if constant else [(graph, node, -1)]
                yield _held(value, graph, node, label, readers, given, inputs, counts=True)


def _held(
    tensor: Tensor,
    graph: Graph,
    node: Node | None,
    label: str,
    readers: list[tuple[Graph, Node, int]],
    given: set[str],
    inputs: set[str],
    *,
    counts: bool,
) -> Held:
    constant = node is None or node.op == "Constant"
    direct = [(reader, slot) for around, reader, slot in readers if around is graph and reader.op not in UNFOLDED]
    late = not constant or not direct or label in inputs or (graph.parent is not None and graph.function is None)
    of_shape = label not in inputs and any(
        SHAPE_SLOTS.get(reader.op) == slot and not reader.domain for reader, slot in direct
    )
    return Held(tensor, graph, node, label, counts, bool(readers) or label in given, late, of_shape)
