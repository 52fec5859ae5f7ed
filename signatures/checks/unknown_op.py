"""An operator that ONNX Runtime does not have in a domain that it does have.

What it detects
    Nodes of ai.onnx, ai.onnx.ml or another domain of ONNX Runtime whose operator does not exist at the imported
    version: never did, came with a later opset, or was taken out. Local functions are inlined first; their nodes count
    at the model's own import, as ONNX Runtime takes them.

Why it breaks
    An operator that cannot be looked up has no meaning, and the model is refused at load.

What it cannot tell
    Anything certain without an ONNX Runtime version that lies within those that were measured. Operators of
    com.microsoft that a later runtime has are told by `contrib-op-since`.

Remedy
    Import the opset that the graph was made for, or export without the operator.

References
    schemas listed by deploy/probe_operators.py from real builds
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact import operators
from signatures.artifact.ir import Node
from signatures.artifact.node_faults import DEPRECATED, UNKNOWN_OP
from signatures.artifact.package import Package
from signatures.artifact.types import key
from signatures.checks import builds, graphs, runtime
from signatures.checks.builds import Builds
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Import the opset that the graph was made for, use a runtime that has the operator, or export without it."

EVERYWHERE = ("", "ai.onnx.ml")  # the same in builds for every provider
MEASURED = ("onnxruntime", "onnxruntime-webgpu", "onnxruntime-node")


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    speak = builds.of(target)
    for item in builds.faults(package, target):
        if isinstance(item, Unknown):
            yield item
            continue
        node, fault = item.node, item.fault
        if fault.kind not in (UNKNOWN_OP, DEPRECATED) or (node.domain == "com.microsoft" and _later(node, speak)):
            continue
        severity = builds.severity(target, speak, sure=item.sure)
        if severity is Severity.FATAL and node.domain not in EVERYWHERE and not runtime.names(target, MEASURED):
            severity = Severity.PROBABLE  # builds for other providers may bring operators of their own
        where = graphs.at(item.file, item.scope.graph, node)
        if severity is None:
            yield Unknown(f"{fault.detail}, as far as was measured; this is {speak.label}", where)
            continue
        yield Hit(where, fault.detail + _elsewhere(node), severity, fault.text, REMEDY, (("op", node.op),))


def _later(node: Node, speak: Builds) -> bool:
    """Whether `contrib-op-since` tells of it: a measured build has the operator, a newer one where ours is known."""
    known = operators.table()
    every = range(len(known.versions))
    return bool(builds.had_by(node, speak)) if speak.sure else any(known.schemas(build, key(node)) for build in every)


def _elsewhere(node: Node) -> str:
    known = operators.table()
    first = [schema.since for schema in known.schemas(len(known.versions) - 1, key(node)) if not schema.deprecated]
    return f"; it is there from opset {min(first)} on" if first and not node.domain else ""


_GRAPH = '<ir_version: 8, opset_import: ["" : %d%s]> g (float[2] x) => (float[2] y) { y = %s (x) }'
_OLD = Target((("onnxruntime", "1.20.1"),))

CHECK = Check(
    id="unknown-op",
    title="An operator that does not exist at the imported opset",
    reads="onnx",
    predicts="No Op registered for <op> with domain_version of <n>",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            _GRAPH % (17, "", "Gelu"),
            target=_OLD,
            expect="No Op registered for Gelu with domain_version",
        ),
        Fixture(
            Outcome.FOUND,
            _GRAPH % (17, ', "com.microsoft" : 1', "com.microsoft.NoSuchThing"),
            expect="com.microsoft:NoSuchThing(-1) is not a registered function/op",
        ),
        Fixture(Outcome.CLEAN, _GRAPH % (20, "", "Gelu"), target=_OLD),
        Fixture(Outcome.UNKNOWN, _GRAPH % (17, "", "NoSuchThing"), target=Target((("onnxruntime", "9.1.0"),))),
    ),
)
