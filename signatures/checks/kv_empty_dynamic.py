"""An empty key/value tensor whose shape is computed while the graph runs.

What it detects
    `Shape` -> `Concat` -> `ConstantOfShape` -> `Cast` or `CastLike`, the way shared-KV layers make an empty past, in a
    session that runs on WebGPU.

Why it breaks
    `Shape` gives host memory and `ConstantOfShape` has no WebGPU kernel, so the value is copied and capture is refused.

What it cannot tell
    Whether a version without graph capture minds: without capture it only costs a copy.

Remedy
    Replace the four operators by a constant of shape [1, 0, kv_hidden], as the exporter's static empty-KV rule does.

References
    onnxruntime/mobius#380
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.flow import Scope, scopes
from signatures.artifact.ir import Node
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.capture_hits import TEXT
from signatures.checks.gc_controlflow import OFF, ON
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Export an empty KV constant of shape [1, 0, kv_hidden] instead (static_empty_kv in Mobius)."
MAX_BACK = 200


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    for session in runtime.sessions(package, target):
        if session.provider != "webgpu" or session.file is None:
            continue
        model = graphs.model(package, session.file)
        if isinstance(model, Unknown):
            yield model
            continue
        for scope in scopes(model):
            found = [node for node in scope.nodes if _matches(scope, node)]
            if not found:
                continue
            detail = (
                f"{session.label}: {len(found)} empty tensors are made from a computed shape, the first by {found[0]}"
            )
            severity = Severity.PROBABLE if session.capture else Severity.INFO
            text = TEXT if session.capture else None
            yield Hit(graphs.at(session.file, scope.graph, found[0]), detail, severity, text, REMEDY)


def _matches(scope: Scope, node: Node) -> bool:
    if node.op != "ConstantOfShape" or not node.inputs or not node.outputs or node.outputs[0] in scope.constant:
        return False
    if not any(reader.op in ("Cast", "CastLike") for reader, _ in scope.readers.get(node.outputs[0], ())):
        return False
    concat = scope.producer.get(node.inputs[0])
    if concat is None or concat.op != "Concat":
        return False
    waiting = list(concat.inputs)
    seen: set[str] = set()
    while waiting and len(seen) < MAX_BACK:
        name = waiting.pop()
        maker = scope.producer.get(name)
        if maker is None or name in seen or name in scope.constant:
            continue
        if maker.op == "Shape":
            return True
        seen.add(name)
        waiting.extend(maker.inputs)
    return False


_GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] x) => (float16[N, 0, M] kv) <int64[1] zero = {0}, int64[1] width = {8}, int64[1] i = {0}> {
  s = Shape (x)  b = Gather (s, i)  d = Concat <axis = 0> (b, zero, width)
  e = ConstantOfShape (d)  kv = Cast <to = 10> (e)
}
"""

CHECK = Check(
    id="kv-empty-dynamic",
    title="An empty KV tensor is made from a computed shape",
    reads="onnx",
    predicts="This session cannot use the graph capture feature, where capture is on",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, ON, expect="ConstantOfShape"),
        Fixture(Outcome.FOUND, _GRAPH, OFF),
        Fixture(Outcome.CLEAN, _GRAPH.replace("[N, 4]", "[2, 4]"), ON),
    ),
)
