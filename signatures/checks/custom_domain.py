"""An operator of a domain that the runtime does not have.

What it detects
    Nodes whose domain is none of ONNX Runtime's own and has no local function of that name in the file.

Why it breaks
    Without a registered custom operator library the operator is unknown, and the model is refused.

What it cannot tell
    Whether the application registers such a library; where genai_config.json names one, nothing is reported.

Remedy
    Register the library that brings the operators, or export without them.

References
    ONNX Runtime, "Custom operators"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Register the custom operator library that the model needs, or export without these operators."
KNOWN = frozenset(
    (
        "", "ai.onnx.ml", "com.microsoft", "com.ms.internal.nhwc", "ai.onnx.training", "ai.onnx.preview.training",
        "com.microsoft.experimental", "com.microsoft.nchwc", "com.microsoft.dml", "org.pytorch.aten", "com.ms.dml",
        "com.xilinx",
    )
)  # fmt: skip
WITH_LIBRARY = (
    "ai.onnx.contrib",
    "com.microsoft.extensions",
)  # onnxruntime-extensions, often registered by the application


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    registered = {
        session.file
        for session in runtime.sessions(package, target)
        if session.section
        and (options := session.section.item.get("session_options"))
        and options.get("custom_ops_library")
    }
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        told = set()
        called = graphs.called(model)
        for graph, node in model.nodes():
            if graph.function is not None and graph.function not in called:
                continue
            if node.removed or node.domain in KNOWN or (node.domain, node.op) in model.functions or node.domain in told:
                continue
            told.add(node.domain)
            if name in registered:
                continue
            text = f"{node.domain}:{node.op}(-1) is not a registered function/op"
            if not any(domain == node.domain for domain, _ in model.opsets):
                text = f"No opset import for domain '{node.domain}'"
            doubtful = node.domain in WITH_LIBRARY or not target.runtimes or graph.function is not None
            severity = Severity.PROBABLE if doubtful else Severity.FATAL
            detail = f"{node.op} is of the domain {node.domain}, which ONNX Runtime does not bring"
            yield Hit(graphs.at(name, graph, node), detail, severity, text, REMEDY, (("domain", node.domain),))


_HEAD = '<ir_version: 8, opset_import: ["" : 17, "my.domain" : 1]>'
_GRAPH = _HEAD + " g (float[2] x) => (float[2] y) { y = my.domain.Thing (x) }"

CHECK = Check(
    id="custom-domain",
    title="An operator of a domain that ONNX Runtime does not bring",
    reads="onnx",
    predicts="Fatal error: <domain>:<op>(-1) is not a registered function/op",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, expect="my.domain:Thing(-1)"),
        Fixture(
            Outcome.CLEAN,
            _GRAPH + ' <domain: "my.domain", opset_import: ["" : 17]> Thing (a) => (b) { b = Relu (a) }',
        ),
        Fixture(
            Outcome.CLEAN,
            '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) } '
            '<domain: "l", opset_import: ["other.domain" : 1]> F (a) => (b) { b = other.domain.Thing (a) }',
        ),
    ),
)
