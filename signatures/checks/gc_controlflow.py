"""Control flow in a graph that is to be captured.

What it detects
    `If`, `Loop`, `Scan` or `SequenceMap` in the main graph of a session whose configuration asks for graph capture.

Why it breaks
    A captured graph is one fixed list of GPU commands; ONNX Runtime refuses the session when a node chooses at run
    time.

What it cannot tell
    Whether the optimizer removes the node: an `If` on a value that is known beforehand is folded, and is not reported.

Remedy
    Export without the branch, or turn capture off for that section.

References
    microsoft/onnxruntime#29273, microsoft/onnxruntime#18989
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.flow import CONTROL_FLOW, scopes
from signatures.artifact.optimizer import shape_only
from signatures.artifact.package import Package
from signatures.checks import graphs
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = 'Export this section without control flow, or set its graph capture option to "0" in genai_config.json.'
TEXT = "as the model has control flow nodes which can't be supported by WebGpuExecutionProvider"


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    for item in graphs.captured(package, target):
        if isinstance(item, Unknown):
            yield item
            continue
        scope = scopes(item.model)[0]
        for node in scope.nodes:
            if node.op not in CONTROL_FLOW or node.domain or id(node) in scope.dead:
                continue
            if scope.decided(node):
                continue
            if item.model.partial and node.op == "If":
                yield Unknown(f"whether {node} is decided by a constant is not read")
                continue
            detail = f"{item.session.label} asks for graph capture and holds {node}"
            severity = Severity.FATAL
            if shape_only(scope, node):
                severity = Severity.PROBABLE
                detail += ", of which only the shape is read, so that the optimizer may drop it"
            yield Hit(graphs.at(item.file, scope.graph, node), detail, severity, TEXT, REMEDY)
            if severity is Severity.FATAL:
                break


CONFIG = """{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "model.onnx",
 "session_options": {"provider_options": [{"webgpu": {"enableGraphCapture": "%s"}}]}}}}"""
ON = (("genai_config.json", CONFIG % "1"),)
OFF = (("genai_config.json", CONFIG % "0"),)

_GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
g (bool c, float[2] x) => (float[2] y) {
  y = If (c) <then_branch = t () => (float[2] p) { p = Relu (x) }, else_branch = e () => (float[2] q) { q = Abs (x) }>
}
"""

CHECK = Check(
    id="gc-controlflow",
    title="Control flow in a graph that is to be captured",
    reads="onnx",
    predicts="This session cannot use the graph capture feature ... control flow nodes",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, ON, expect="control flow nodes"),
        Fixture(Outcome.CLEAN, _GRAPH, OFF),
        Fixture(Outcome.CLEAN, _GRAPH),
    ),
)
