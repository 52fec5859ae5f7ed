"""A model that does not say which operator sets it uses.

What it detects
    A file without any opset import, and nodes of ai.onnx or ai.onnx.ml where that domain is not imported.

Why it breaks
    ONNX Runtime cannot look the operators up.

What it cannot tell
    Whether other domains are known to a custom operator library.

Remedy
    Export again with an exporter that writes opset imports; or add the import that the graph was made for.

References
    ONNX IR specification, "Operator sets"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import graphs
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Add the opset import that the graph was made for, or export again."
NONE = "Missing opset in the model. All ModelProtos MUST have at least one entry"


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        if not model.has_graph:
            continue
        if not model.opsets:
            yield Hit(Where(name, "opset_import"), "the file imports no operator set", Severity.FATAL, NONE, REMEDY)
            continue
        imported = {domain for domain, _ in model.opsets}
        for graph, node in model.nodes():
            if node.domain in ("", "ai.onnx.ml") and node.domain not in imported and graph.function is None:
                label = node.domain or "ai.onnx"
                text = f"{label}:{node.op}(-1) is not a registered function/op"
                yield Hit(graphs.at(name, graph, node), f"{label} is not imported", Severity.PROBABLE, text, REMEDY)
                break


CHECK = Check(
    id="opset-missing",
    title="The model does not import the operator sets it uses",
    reads="onnx",
    predicts="Missing opset in the model",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND, "<ir_version: 8> g (float[2] x) => (float[2] y) { y = Relu (x) }", expect="Missing opset"
        ),
        Fixture(
            Outcome.CLEAN, '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
        ),
    ),
)
