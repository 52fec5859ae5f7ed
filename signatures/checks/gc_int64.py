"""An element type that keeps an operator off the device, in a graph that is to be captured.

What it detects
    INT64 values at operators whose WebGPU kernels in the target's version do not take INT64 (`ReduceSum`, `Gather`,
    `Slice`, `Concat` of INT64 data, ...), and host-read inputs such as the starts of a `Slice` that are computed on the
    device.

Why it breaks
    The operator falls to the CPU or needs its input there, a copy is left after placement, and capture is refused.

What it cannot tell
    Anything about versions without a placement table: the list of INT64 kernels grows with every release.

Remedy
    Export masks, positions and indices as INT32; replace a computed `Slice` by `Gather` with a constant index.

References
    onnxruntime/mobius#380, microsoft/onnxruntime#29392, microsoft/onnxruntime#29756
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks.capture_hits import of_kinds
from signatures.checks.gc_controlflow import ON
from signatures.checks.model import Check, Fixture, Hit, Outcome, Target, Unknown

REMEDY = "Export masks, positions and indices as INT32, and replace a Slice with computed bounds by Gather."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    return of_kinds(package, target, ("int64", "input"), REMEDY)


_TARGET = Target((("onnxruntime-webgpu", "1.27.0"),), ep="webgpu")
_MASK = """
<ir_version: 8, opset_import: ["" : 17]>
g (%s[1, N] mask) => (float[1] y) <int64[1] axis = {1}> {
  r = ReduceSum <keepdims = 0> (mask, axis)  c = Cast <to = 1> (r)  y = Sqrt (c)
}
"""
_SLICE = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[1] s, float[4, 4] x) => (float[N, 4] y) <int64[1] e = {3}> {
  a = Relu (x)  f = Relu (s)  i = Cast <to = 7> (f)  y = Slice (a, i, e)
}
"""

CHECK = Check(
    id="gc-int64",
    title="INT64 values that run on the CPU in a graph that is to be captured",
    reads="onnx",
    predicts="This session cannot use the graph capture feature ... have not been partitioned",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _MASK % "int64", ON, _TARGET, "ReduceSum"),
        Fixture(Outcome.CLEAN, _MASK % "int32", ON, _TARGET),
        Fixture(Outcome.FOUND, _SLICE, ON, _TARGET, "Slice"),
        Fixture(Outcome.UNKNOWN, _MASK % "int64", ON),
    ),
)
