"""Two nodes of one graph with the same name.

What it detects
    A non-empty node name that occurs twice in one graph.

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
from signatures.checks import graphs
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Rename or clear the node names; they carry no meaning."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        for graph in model.graphs:
            if graph.function is not None:
                continue
            seen: set[str] = set()
            for node in graph.nodes:
                if node.op == "Constant" and not node.domain:
                    continue  # turned into initializers before names are compared
                if node.name and node.name in seen:
                    text = f"This is an invalid model. Error: two nodes with same node name ({node.name})."
                    where = graphs.at(name, graph, node)
                    yield Hit(where, f"{node.name} names two nodes", Severity.FATAL, text, REMEDY)
                    break
                seen.add(node.name)


_GRAPH = (
    '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { [n] a = Relu (x)  [%s] y = Neg (a) }'
)

CHECK = Check(
    id="dup-node-name",
    title="Two nodes have the same name",
    reads="onnx",
    predicts="This is an invalid model. Error: two nodes with same node name (<name>).",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH % "n", expect="same node name (n)"),
        Fixture(Outcome.CLEAN, _GRAPH % "m"),
    ),
)
