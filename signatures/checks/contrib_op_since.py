"""A com.microsoft operator, or a use of one, that came after the runtime.

What it detects
    Nodes of com.microsoft that a later ONNX Runtime accepts and the named one does not: the operator, an attribute, or
    a number of inputs or outputs is newer. Also imports of com.microsoft at a version that no release has.

Why it breaks
    Operators of com.microsoft change without a version of their own: every model imports version 1, so that nothing in
    the file says which runtime it needs.

What it cannot tell
    Whether a runtime that accepts the node computes what the exporter meant. Without a version within those that were
    measured: UNKNOWN, with the first version that accepts the node.

Remedy
    The ONNX Runtime version that is named, or an export made for the older one.

References
    schemas listed by deploy/probe_operators.py from real builds
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact import operators
from signatures.artifact.node_faults import UNKNOWN_OP
from signatures.artifact.package import Package
from signatures.checks import builds, graphs
from signatures.checks.builds import Builds
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

DOMAIN = "com.microsoft"
IMPORT = "Import version 1 of com.microsoft; every release has that one."
REMEDY = "Use ONNX Runtime %s or newer, or export the model for the older one."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    speak = builds.of(target)
    yield from _imports(package, target, speak)
    for item in builds.faults(package, target):
        if isinstance(item, Unknown):
            yield item
            continue
        if item.node.domain != DOMAIN:
            continue
        where = graphs.at(item.file, item.scope.graph, item.node)
        if speak.sure:
            newer = builds.had_by(item.node, speak) if item.fault.kind == UNKNOWN_OP else None
            newer = newer or builds.accepted_by(item.node, speak, 1)
            if newer and item.sure:
                detail = f"{item.fault.detail} in {speak.label}; {newer} accepts it"
                yield Hit(where, detail, Severity.FATAL, item.fault.text, REMEDY % newer, (("op", item.node.op),))
            elif not item.sure:
                yield Unknown(f"{item.fault.detail} in one of the neighbours of {speak.label}", where)
        elif not item.sure:
            yield Unknown(f"{item.fault.detail} in some versions, and this is {speak.label}", where)


def _imports(package: Package, target: Target, speak: Builds) -> Iterator[Hit | Unknown]:
    """A version of com.microsoft that no release has, imported by the model or by a local function."""
    known = operators.table()
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            continue  # told below
        name, model = item
        for pairs in (model.opsets, *(pairs for _, pairs in model.function_opsets)):
            found = max((version for domain, version in pairs if domain == DOMAIN), default=0)
            newest = max(known.newest(build, DOMAIN) or 0 for build in speak.indices)
            severity = builds.severity(target, speak, sure=True)
            if found > newest and severity is not None:
                detail = f"{DOMAIN} of version {found} is imported, and {speak.label} has up to {newest}"
                text = f"Opset {found} is under development"
                yield Hit(Where(name, f"opset_import {DOMAIN}"), detail, severity, text, IMPORT)
                break


_HEAD = '<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>\n'
_BIAS = _HEAD + (
    "g (float[2, 32] x, uint8[4, 1, 16] b, float[4] s, float[4] c) => (float[2, 4] y) "
    "{ y = com.microsoft.MatMulNBits <K = 32, N = 4, bits = 4, block_size = 32> (x, b, s, , , c) }"
)


def _with(version: str) -> Target:
    return Target((("onnxruntime", version),))


CHECK = Check(
    id="contrib-op-since",
    title="A com.microsoft operator that is newer than the runtime",
    reads="onnx",
    predicts="has input size <n> not in range / Unrecognized attribute / is not a registered function/op",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _BIAS, target=_with("1.18.1"), expect="has input size 6 not in range [min=3, max=5]"),
        Fixture(Outcome.CLEAN, _BIAS, target=_with("1.32.0")),
        Fixture(Outcome.UNKNOWN, _BIAS),
        Fixture(
            Outcome.FOUND,
            _HEAD.replace('"com.microsoft" : 1', '"com.microsoft" : 2')
            + "g (float[2] x) => (float[2] y) { y = Relu (x) }",
            target=_with("1.32.0"),
            expect="Opset 2 is under development",
        ),
    ),
)
