"""A value that is read and never made, or a cycle.

What it detects
    Node inputs and graph outputs that no node, input, initializer or enclosing graph provides, and nodes that wait for
    each other.

Why it breaks
    ONNX Runtime resolves every name while loading and refuses what it cannot.

What it cannot tell
    Which of several dangling names the runtime reports first.

Remedy
    Export again; a tool that removed a node forgot its readers.

References
    ONNX IR specification, "Graphs"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Graph, Node
from signatures.artifact.package import Package
from signatures.checks import graphs
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Export again: a node was removed while others still read its output."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        known: dict[int, frozenset[str]] = {}
        for graph in model.graphs:
            outer = known.get(id(graph.parent), frozenset()) if graph.parent is not None else frozenset()
            here = outer | _made(graph)
            known[id(graph)] = here
            if graph.function is None:
                yield from _graph(name, graph, here)


def _made(graph: Graph) -> frozenset[str]:
    names = {value.name for value in graph.inputs} | {tensor.name for tensor in graph.tensors} | {""}
    for node in graph.nodes:
        names.update(node.outputs)
    return frozenset(names)


def _graph(name: str, graph: Graph, known: frozenset[str]) -> Iterator[Hit | Unknown]:
    missing = [(node, read) for node in graph.nodes for read in node.inputs if read not in known]
    for node, read in missing[:10]:
        text = f"Node input '{read}' is not a graph input, initializer, or output of a previous node."
        if graph.path:
            text = f"Nodes in a graph must be topologically sorted, however input '{read}' of node:"
        yield Hit(
            graphs.at(name, graph, node), f"{node} reads {read}, which nothing makes", Severity.FATAL, text, REMEDY
        )
    for value in graph.outputs:
        if value.name not in known:
            text = f"Graph output ({value.name}) does not exist in the graph."
            where = Where(name, f"output {value.name}{' in ' + graph.path if graph.path else ''}")
            yield Hit(where, f"{value.name} is an output that nothing makes", Severity.FATAL, text, REMEDY)
    stuck = None if missing else cycle(graph)
    if stuck is not None:
        text = "This is an invalid model. Error: the graph is not acyclic."
        yield Hit(graphs.at(name, graph, stuck), f"{stuck} waits for its own output", Severity.FATAL, text, REMEDY)


def cycle(graph: Graph) -> Node | None:
    """A node that is part of a cycle, None where there is none."""
    maker = {output: index for index, node in enumerate(graph.nodes) for output in node.outputs if output}
    waits = [{maker[read] for read in node.inputs if read in maker} for node in graph.nodes]
    left = [len(each) for each in waits]
    readers: dict[int, list[int]] = {}
    for index, each in enumerate(waits):
        for earlier in each:
            readers.setdefault(earlier, []).append(index)
    ready = [index for index, count in enumerate(left) if count == 0]
    done = 0
    while ready:
        index = ready.pop()
        done += 1
        for later in readers.get(index, ()):
            left[later] -= 1
            if left[later] == 0:
                ready.append(later)
    if done == len(graph.nodes):
        return None
    return next(node for index, node in enumerate(graph.nodes) if left[index] > 0)


_HEAD = '<ir_version: 8, opset_import: ["" : 17]> '

CHECK = Check(
    id="dangling",
    title="A value is read that nothing makes, or nodes wait for each other",
    reads="onnx",
    predicts="Node input '<name>' is not a graph input, initializer, or output of a previous node.",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _HEAD + "g (float[2] x) => (float[2] y) { y = Add (x, nope) }", expect="'nope'"),
        Fixture(Outcome.FOUND, _HEAD + "g (float[2] x) => (float[2] y) { a = Relu (x) }", expect="Graph output (y)"),
        Fixture(
            Outcome.FOUND,
            _HEAD + "g (float[2] x) => (float[2] y) { a = Add (x, b)  b = Relu (a)  y = Neg (b) }",
            expect="acyclic",
        ),
        Fixture(Outcome.CLEAN, _HEAD + "g (float[2] x) => (float[2] y) { y = Clip (x, , ) }"),
        Fixture(
            Outcome.CLEAN,
            _HEAD
            + """g (bool c, float[2] x) => (float[2] y) {
              y = If (c) <
                then_branch = t () => (float[2] p) { p = Relu (x) },
                else_branch = e () => (float[2] q) { q = Abs (x) }
              >
            }""",
        ),
    ),
)
