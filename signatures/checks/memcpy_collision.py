"""A baked copy whose output is read in host memory: the next placement defines one name twice.

What it detects
    A `MemcpyFromHost` in the file whose output some operator reads in host memory on the target's execution provider:
    because no kernel for that operator and type exists there, because that input is a shape or an index that is always
    read in host memory, or because the reader is another baked copy. Operators that the optimizer removes are looked
    through; local functions are inlined first.

Why it breaks
    The placement pass wants a copy back to the host before that value, does not count the baked node as the value's
    maker, and gives its own copy the name that is taken.

What it cannot tell
    Anything about a runtime version without a placement table, about operators that were not measured, or about values
    whose element type the file does not give: those are UNKNOWN. The name in the error can differ where the optimizer
    merges or renames nodes.

Remedy
    Take the baked copies out: let each reader read what the copy reads, and rename where the copy is a graph output.

References
    microsoft/foundry-local#1075, microsoft/foundry-local#1039, Azure/azureml-assets#5328, microsoft/olive-recipes#613
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.copies import FROM_HOST, Reader, host_readers
from signatures.artifact.flow import Scope, scopes
from signatures.artifact.ir import Model
from signatures.artifact.optimizer import for_reshape
from signatures.artifact.package import Package
from signatures.artifact.placement import Table
from signatures.checks import graphs, runtime
from signatures.checks.ep_suffixed_names import split_suffix
from signatures.checks.memcpy_baked import copies
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Rewire each reader of the copy to its input, drop the node, and publish the graph as a new revision."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        if not any(node.op == FROM_HOST for _, node in copies(model)):
            continue
        session = _provider(package, target, name)
        if session == "cpu":
            continue  # the pass runs for providers with memory of their own
        table = runtime.table(target, session)
        if table is None:
            yield graphs.no_table(target, session or "webgpu", f"{name} has baked copies")
            continue
        full = graphs.model(package, name, full=True)
        if isinstance(full, Unknown):
            yield full
            continue
        yield from _collisions(name, full, table)


def _provider(package: Package, target: Target, name: str) -> str | None:
    for session in runtime.sessions(package, target):
        if session.file == name:
            return session.provider
    return runtime.provider(target)


def _collisions(name: str, model: Model, table: Table) -> Iterator[Hit | Unknown]:
    opset = model.opset()
    hits = 0
    for scope in scopes(model):
        fused = for_reshape(scope)
        for node in scope.nodes:
            if node.op != FROM_HOST or node.domain or hits >= graphs.MAX_HITS:
                continue
            readers = host_readers(scope, node, table, opset)
            host = [reader for reader in readers if reader.host]
            if host:
                hits += 1
                stays = next((reader for reader in host if id(reader.node) not in fused), None)
                yield _hit(name, scope, stays or host[0], certain=stays is not None and not scope.uncertain)
            else:
                for reader in readers[:1]:
                    yield Unknown(f"{reader.value} is read by {reader.node}: {reader.why}", graphs.at(name, None, node))


def _hit(name: str, scope: Scope, reader: Reader, *, certain: bool) -> Hit:
    tensor, ep = split_suffix(reader.value)
    doubt = "" if certain else "; the optimizer may take that reader out before"
    return Hit(
        graphs.at(name, scope.graph, reader.copy),
        f"{reader.value} is the output of a baked copy, and {reader.why} ({reader.node}){doubt}",
        Severity.FATAL if certain else Severity.PROBABLE,
        f"Duplicate definition of name ({reader.value}).",
        REMEDY,
        (("tensor", tensor), ("ep", ep)) if ep else (("tensor", tensor),),
    )


_WEBGPU = Target((("onnxruntime-webgpu", "1.27.0"),), ep="webgpu")
_HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'
_INT64 = (
    _HEAD
    + """
g (int64[2, 3] x) => (int64[2, 3] y) {
  pad_CUDAExecutionProvider = MemcpyFromHost (x)
  y = Mul (pad_CUDAExecutionProvider, pad_CUDAExecutionProvider)
}
"""
)
_SLOT = (
    _HEAD
    + """
g (float[2, 3] x, int64[2] s) => (float[N, M] y) {
  a = Relu (x)
  w = MemcpyFromHost (s)
  w2 = Identity (w)
  y = Reshape (a, w2)
}
"""
)
_BRANCH = (
    _HEAD
    + """
g (bool c, int64[2] x) => (int64[2] y) {
  y = If (c) <
    then_branch = t () => (int64[2] p) {
      h_CUDAExecutionProvider = MemcpyFromHost (x)
      p = Neg (h_CUDAExecutionProvider)
    },
    else_branch = e () => (int64[2] q) { q = Abs (x) }
  >
}
"""
)
_SIZE = _HEAD + "g (float[2, 4] x) => (int64 y) { p = MemcpyFromHost (x)  y = %s (p) }"
_COPIED = (
    _HEAD
    + """
g (float[2] x) => (float[2] y) <uint8[2] w = {1, 2}, float[2] f = {1, 2}, float s = {1}> {
  v = %s  p = MemcpyFromHost (v)  q = MemcpyFromHost (p)  y = Add (x, q)
}
"""
)
_GPU = _HEAD + "g (float[2, 3] x) => (float[2, 3] y) { a = MemcpyFromHost (x)  y = Relu (a) }"

CHECK = Check(
    id="memcpy-collision",
    title="A baked copy will collide with the copy that placement makes",
    reads="onnx",
    predicts="Duplicate definition of name (<output of the copy>).",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _INT64, target=_WEBGPU, expect="(pad_CUDAExecutionProvider)"),
        Fixture(Outcome.FOUND, _SLOT, target=_WEBGPU, expect="Duplicate definition of name (w)"),
        Fixture(Outcome.FOUND, _BRANCH, target=_WEBGPU, expect="(h_CUDAExecutionProvider)"),
        Fixture(Outcome.FOUND, _SIZE % "Size", target=_WEBGPU, expect="(p)"),
        Fixture(Outcome.CLEAN, _SIZE % "Shape", target=_WEBGPU),
        Fixture(Outcome.FOUND, _COPIED % "DequantizeLinear (w, s)", target=_WEBGPU, expect="(p)"),
        Fixture(Outcome.FOUND, _COPIED % "HardSwish (f)", target=_WEBGPU, expect="(p)"),
        Fixture(Outcome.CLEAN, _COPIED % "Neg (f)", target=_WEBGPU),
        Fixture(Outcome.CLEAN, _GPU, target=_WEBGPU),
        Fixture(Outcome.UNKNOWN, _INT64, target=Target((("onnxruntime-webgpu", "1.19.0"),), ep="webgpu")),
        Fixture(Outcome.UNKNOWN, _INT64),
        Fixture(Outcome.UNKNOWN, _GPU.replace("Relu", "Det"), target=_WEBGPU._replace(runtimes=())),
    ),
)
