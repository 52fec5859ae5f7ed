"""A computed shape that is needed on the device, in a graph that is to be captured.

What it detects
    A `Shape` of dynamic dimensions whose result reaches an input that is read on the device (`Cast`,
    `Mul`, an attention
    length), in a session that asks for capture.

Why it breaks
    `Shape` gives host memory on every execution provider; the value must be copied, and capture is refused.

What it cannot tell
    Whether dimensions are fixed at load by other means (free dimension overrides); static ones are folded and pass.

Remedy
    Derive the length from the attention mask (Cast to INT32, ReduceSum, Gather), as captured exports do.

References
    onnxruntime/mobius#380, microsoft/onnxruntime#29236
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks.capture_hits import of_kinds
from signatures.checks.gc_controlflow import ON
from signatures.checks.model import Check, Fixture, Hit, Outcome, Target, Unknown

REMEDY = "Derive the length from the attention mask on the device: Cast to INT32, ReduceSum, Gather; no Shape."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    return of_kinds(package, target, ("shape",), REMEDY)


_TARGET = Target((("onnxruntime-webgpu", "1.27.0"),), ep="webgpu")
_GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[%s, 4] x) => (float[2] y) { a = Relu (x)  s = Shape (a)  c = Cast <to = 1> (s)  y = Sqrt (c) }
"""

CHECK = Check(
    id="gc-shape-to-gpu",
    title="A computed shape is read on the device in a graph that is to be captured",
    reads="onnx",
    predicts="This session cannot use the graph capture feature ... have not been partitioned",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH % "N", ON, _TARGET, "Shape"),
        Fixture(Outcome.CLEAN, _GRAPH % "2", ON, _TARGET),
        Fixture(Outcome.UNKNOWN, _GRAPH % "N", ON),
    ),
)
