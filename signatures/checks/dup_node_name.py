"""Two nodes of one graph with the same name.

What it detects
    A non-empty node name that occurs twice in one graph, or in a local function that is called.

Why it breaks
    ONNX Runtime refuses it: "two nodes with same node name".

What it cannot tell
    Names across graphs, and of Constant nodes, which may repeat.

Remedy
    Rename or clear the names; they carry no meaning.

References
    microsoft/onnxruntime#10706
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import graphs, runtime, scoping
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Rename or clear the node names; they carry no meaning."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        bodies = {id(body.graph): body for body in scoping.bodies(model)}
        for graph in model.graphs:
            body = bodies.get(id(scoping.root(graph)))
            if body is not None and not body.called:
                continue
            seen: set[str] = set()
            for node in graph.nodes:
                if node.op == "Constant":
                    continue  # turned into initializers before names are compared
                if node.name and node.name in seen:
                    label = node.name if body is None else body.node_name(node.name, version)
                    text = f"This is an invalid model. Error: two nodes with same node name ({label})."
                    where = graphs.at(name, graph, node)
                    yield Hit(where, f"{node.name} names two nodes", Severity.FATAL, text, REMEDY)
                    break
                seen.add(node.name)


_GRAPH = (
    '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { [n] a = Relu (x)  [%s] y = Neg (a) }'
)
_FUNCTION = (
    '<ir_version: 8, opset_import: ["" : 17, "l" : 1]> g (float[2] x) => (float[2] y) { y = l.F (x) }'
    ' <domain: "l", opset_import: ["" : 17]> F (a) => (b) { [n] c = Relu (a)  [%s] b = Neg (c) }'
)

CHECK = Check(
    id="dup-node-name",
    title="Two nodes have the same name",
    reads="onnx",
    predicts="This is an invalid model. Error: two nodes with same node name (<name>).",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH % "n", expect="same node name (n)"),
        Fixture(Outcome.FOUND, _FUNCTION % "n", expect="same node name (_inlfunc_F_n)"),
        Fixture(Outcome.CLEAN, _FUNCTION % "m"),
        Fixture(Outcome.CLEAN, _GRAPH % "m"),
    ),
)
