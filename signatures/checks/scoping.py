"""Which names a graph may read and make, as ONNX Runtime resolves them: what checks on names share.

ONNX Runtime sorts the main graph itself and hands each node that holds graphs to ONNX's checker, which takes the nodes
of those in the order of the file. Local functions are typed where they are defined and copied in where they are called.
Measured with ONNX Runtime 1.16 to 1.32.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact.ir import Graph, Model, Node
from signatures.checks.runtime import Version

Key = tuple[str, str]  # domain and name of a local function
INLINED = (1, 17)  # from here on inlined names begin with _inlfunc_


class Body(NamedTuple):
    """A local function: `called` from the main graph, directly or not; `prefix` of its values and nodes once they are
    copied into the main graph, None where it is called by another function."""

    key: Key
    graph: Graph
    called: bool
    call: Node | None

    def inlined(self, name: str, version: Version | None) -> str:
        """What a value is called in the main graph, as far as can be told."""
        if self.call is None:
            return "_inlfunc_" if version is None or version[:2] >= INLINED else "_inline_"
        formal = [value.name for value in (*self.graph.inputs, *self.graph.outputs)]
        actual = [*self.call.inputs, *[""] * (len(self.graph.inputs) - len(self.call.inputs)), *self.call.outputs]
        given = dict(zip(reversed(formal[: len(actual)]), reversed(actual[: len(formal)]), strict=True))
        return given.get(name) or self.node_name(name, version)

    def node_name(self, name: str, version: Version | None) -> str:
        if version is not None and version[:2] < INLINED:
            return f"_inline_{self.key[1]}{name}"
        return f"_inlfunc_{self.key[1]}_{name}"


def bodies(model: Model) -> Iterator[Body]:
    """The local functions of a model."""
    direct: dict[Key, Node] = {}
    reached: set[Key] = set()
    calls: dict[int, set[Key]] = {}
    for graph, node in model.nodes():
        key = (node.domain, node.op)
        if key in model.functions:
            top = root(graph)
            calls.setdefault(id(top), set()).add(key)
            if top is model.graph:
                reached.add(key)
                direct.setdefault(key, node)
    waiting = list(reached)
    while waiting:
        for key in calls.get(id(model.functions[waiting.pop()]), ()):
            if key not in reached:
                reached.add(key)
                waiting.append(key)
    for key, graph in model.functions.items():
        yield Body(key, graph, key in reached, direct.get(key))


def root(graph: Graph) -> Graph:
    """The main graph or function body around a graph."""
    while graph.parent is not None:
        graph = graph.parent
    return graph


def recursion(model: Model) -> Key | None:
    """A local function that calls itself, directly or through others; None where none does."""
    calls: dict[Key, set[Key]] = {key: set() for key in model.functions}
    owners = {id(graph): key for key, graph in model.functions.items()}
    for graph, node in model.nodes():
        owner = owners.get(id(root(graph)))
        if owner is not None and (node.domain, node.op) in calls:
            calls[owner].add((node.domain, node.op))
    while True:
        leaves = {key for key, below in calls.items() if not below}
        if not leaves:
            return next(iter(calls), None)
        calls = {key: below - leaves for key, below in calls.items() if key not in leaves}


def given(graph: Graph) -> set[str]:
    """Names that are there before any node of the graph: inputs and initializers."""
    return {value.name for value in graph.inputs} | {tensor.name for tensor in graph.tensors} | {""}


def made(graph: Graph) -> set[str]:
    """All names of the graph itself."""
    names = given(graph)
    for node in graph.nodes:
        names.update(node.outputs)
    return names


def constants(graph: Graph) -> set[str]:
    """Outputs of Constant nodes, which ONNX Runtime turns into initializers while loading."""
    return {name for node in graph.nodes if node.op == "Constant" for name in node.outputs}


def captured(node: Node) -> set[str]:
    """Names that the bodies of a control-flow node read from the graphs around it."""
    read: set[str] = set()
    waiting = [(body, frozenset[str]()) for body in node.graphs.values()]
    while waiting:
        body, around = waiting.pop()
        here = around | made(body)
        read.update(value.name for value in body.outputs if value.name not in here)
        for inner in body.nodes:
            read.update(name for name in inner.inputs if name not in here)
            waiting += [(deeper, here) for deeper in inner.graphs.values()]
    return read


def waits(graph: Graph) -> list[set[int]]:
    """For each node the nodes of the graph that it needs, bodies of control flow included."""
    maker = {output: index for index, node in enumerate(graph.nodes) for output in node.outputs if output}
    found = []
    for node in graph.nodes:
        reads = {*node.inputs, *captured(node)} if node.graphs else node.inputs
        found.append({maker[read] for read in reads if read in maker})
    return found


def before(needed: list[set[int]], index: int) -> set[int]:
    """All nodes that one node needs, through others too. `needed`: what `waits` gave."""
    found: set[int] = set()
    waiting = [index]
    while waiting:
        fresh = needed[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found
