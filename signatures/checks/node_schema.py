"""A node that breaks its operator's own rules: its inputs, its attributes, its types.

What it detects
    Numbers of inputs and outputs out of range, required inputs left empty, attributes that do not exist, are missing or
    of another kind, input types that the operator does not allow or that must be one and are two, and outputs declared
    with another type than the operator makes. All as of the imported opset, in nodes after local functions are inlined.

Why it breaks
    ONNX Runtime checks each node against its operator's schema at load, and refuses the first that does not fit.

What it cannot tell
    Types that neither the file nor the schemas settle, which pass; shapes, which are not looked at.

Remedy
    Mend the exporter, or import the opset for which the node was written.

References
    schemas listed by deploy/probe_operators.py from real builds
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.node_faults import DEPRECATED, UNKNOWN_OP
from signatures.artifact.package import Package
from signatures.checks import builds, graphs
from signatures.checks.model import Check, Fixture, Hit, Outcome, Target, Unknown

REMEDY = "Write the node as its operator is defined at the imported opset, or import the opset it was written for."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    speak = builds.of(target)
    for item in builds.faults(package, target):
        if isinstance(item, Unknown):
            yield item
            continue
        node, fault = item.node, item.fault
        if fault.kind in (UNKNOWN_OP, DEPRECATED):
            continue
        if node.domain == "com.microsoft" and (not item.sure or builds.accepted_by(node, speak, 1)):
            continue  # `contrib-op-since`
        where = graphs.at(item.file, item.scope.graph, node)
        severity = builds.severity(target, speak, sure=item.sure)
        if severity is None:
            yield Unknown(f"{fault.detail}, as far as was measured; this is {speak.label}", where)
        else:
            yield Hit(where, fault.detail, severity, fault.text, REMEDY, (("op", node.op),))


_HEAD = '<ir_version: 8, opset_import: ["" : 17]> '
_OLD = Target((("onnxruntime", "1.20.1"),))

_BRANCHES = """g (bool c, float[2] x) => (float[2] y) {
  y = If (c) <then_branch = t (%s) => (float[2] p) { p = Neg (x) }, else_branch = e () => (float[2] q) { q = Abs (x) }>
}"""

CHECK = Check(
    id="node-schema",
    title="A node that does not fit its operator",
    reads="onnx",
    predicts="has input size <n> not in range / Unrecognized attribute: <a> for operator <op> / Type Error: ...",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            _HEAD + "g (float[2] x) => (float[2] y) { y = Add (x) }",
            target=_OLD,
            expect="has input size 1 not in range [min=2, max=2]",
        ),
        Fixture(
            Outcome.FOUND,
            _HEAD + "g (float[2] x) => (float[2] y) { y = Relu <a = 1.5> (x) }",
            expect="Unrecognized attribute: a for operator Relu",
        ),
        Fixture(
            Outcome.FOUND,
            _HEAD + "g (float[2] x, int64[2] i) => (float[2] y) { [n] y = Add (x, i) }",
            target=_OLD,
            expect="bound to different types (tensor(float) and tensor(int64) in node (n)",
        ),
        Fixture(
            Outcome.FOUND,
            _HEAD + _BRANCHES % "float[2] i",
            target=_OLD,
            expect="Got 0 inputs but subgraph has 1 inputs",
        ),
        Fixture(Outcome.CLEAN, _HEAD + _BRANCHES % "", target=_OLD),
        Fixture(Outcome.CLEAN, _HEAD + "g (float[2] x) => (float[2] y) { y = Relu <__note = 1> (x) }", target=_OLD),
    ),
)
