"""Copy nodes of a placement pass that were saved into the model.

What it detects
    Nodes `MemcpyFromHost` or `MemcpyToHost` anywhere in the file, branches and local functions included.

Why it breaks
    They belong to one runtime's placement for one execution provider. Opened again, they cost copies, keep graph
    capture from working, and ONNX Runtime up to 1.22 has no CPU kernel for them.

What it cannot tell
    Whether the model fails to load: many files with baked copies open. `memcpy-collision` decides that.

Remedy
    Export again without saving the optimized graph, or rewire each reader of a copy to what the copy reads.

References
    microsoft/foundry-local#1075, microsoft/onnxruntime#17837, microsoft/onnxruntime#11348
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.flow import scopes
from signatures.artifact.ir import Graph, Model, Node
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

COPIES = ("MemcpyFromHost", "MemcpyToHost")
REMEDY = "Export the model again from the graph before placement; an optimized graph that was saved is not portable."
NO_CPU_KERNEL = (1, 22)


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    capturing = {session.file for session in runtime.sessions(package, target) if session.capture}
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        found = copies(model)
        if not found:
            continue
        graph, node = found[0]
        stays = _stays(model)
        count = {op: sum(1 for _, each in found if each.op == op) for op in COPIES}
        told = ", ".join(f"{number} {op}" for op, number in count.items() if number)
        severity, text, proves = _verdict(target, node, captured=stays and name in capturing, stays=stays)
        yield Hit(graphs.at(name, graph, node), f"{told} saved into the graph", severity, text, REMEDY, proves)


def copies(model: Model) -> list[tuple[Graph, Node]]:
    return [
        (graph, node) for graph, node in model.nodes() if node.op in COPIES and not node.domain and not node.removed
    ]


def _stays(model: Model) -> bool:
    """Whether a copy is left once unused functions, constants and what serves nobody are gone."""
    return any(
        node.op in COPIES and not node.domain and not scope.folded(node) and id(node) not in scope.dead
        for scope in scopes(model)
        for node in scope.nodes
    )


def _verdict(
    target: Target, node: Node, *, captured: bool, stays: bool
) -> tuple[Severity, str | None, tuple[tuple[str, str], ...]]:
    if captured:
        return Severity.FATAL, "all compute graph nodes have not been partitioned to the WebGpuExecutionProvider", ()
    version = runtime.onnxruntime(target)
    if runtime.provider(target) in (None, "cpu") and runtime.names(target, ("onnxruntime",)) and version is not None:
        if version[:2] <= NO_CPU_KERNEL and stays:
            text = f"Could not find an implementation for {node.op}(1) node with name '{node.name}'"
            return Severity.FATAL, text, (("op", node.op),)
        return Severity.INFO, None, ()
    return Severity.PROBABLE, None, ()


_GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x) => (float[2, 3] y) {
  [Memcpy] a_CUDAExecutionProvider = MemcpyFromHost (x)
  y = Relu (a_CUDAExecutionProvider)
}
"""

CHECK = Check(
    id="memcpy-baked",
    title="Copy nodes of an earlier placement are saved in the model",
    reads="onnx",
    predicts="Could not find an implementation for MemcpyFromHost(1), on CPU packages up to ONNX Runtime 1.22",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH),
        Fixture(
            Outcome.FOUND,
            _GRAPH,
            target=Target((("onnxruntime", "1.20.1"),)),
            expect="Could not find an implementation for MemcpyFromHost(1) node with name 'Memcpy'",
        ),
        Fixture(Outcome.CLEAN, _GRAPH.replace("MemcpyFromHost", "Identity")),
    ),
)
