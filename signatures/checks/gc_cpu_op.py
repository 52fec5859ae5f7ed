"""An operator that runs on the CPU amid a graph that is to be captured.

What it detects
    An operator without a WebGPU kernel in the target's version (`ConstantOfShape`, `NonZero`, `Max`, `Mod`, ...) that
    reads a value made on the device or makes one that is read there, in a session that asks for capture.

Why it breaks
    The value would have to be copied, and ONNX Runtime refuses capture when a copy is left after placement.

What it cannot tell
    What the optimizer fuses or folds beyond constants; anything about versions without a placement table.

Remedy
    Replace the operator in the export, or turn capture off for that section.

References
    onnxruntime/mobius#380, microsoft/onnxruntime#29273, microsoft/onnxruntime#29756
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks.capture_hits import of_kinds
from signatures.checks.gc_controlflow import OFF, ON
from signatures.checks.model import Check, Fixture, Hit, Outcome, Target, Unknown

REMEDY = 'Export this section without the operator, or set its graph capture option to "0" in genai_config.json.'


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    return of_kinds(package, target, ("cpu-op",), REMEDY)


_TARGET = Target((("onnxruntime-webgpu", "1.27.0"),), ep="webgpu")
_GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[4, 4] x) => (float[4, 4] y) { a = Relu (x)  b = Max (a, x)  y = Abs (b) }
"""
_SHAPE_ONLY = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] x) => (float[N, 4] y) { a = Relu (x)  s = Shape (a)  y = Reshape (a, s) }
"""

CHECK = Check(
    id="gc-cpu-op",
    title="An operator without a GPU kernel in a graph that is to be captured",
    reads="onnx",
    predicts="This session cannot use the graph capture feature ... have not been partitioned",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, ON, _TARGET, "Max"),
        Fixture(Outcome.CLEAN, _GRAPH, OFF, _TARGET),
        Fixture(Outcome.CLEAN, _SHAPE_ONLY, ON, _TARGET),
        Fixture(Outcome.UNKNOWN, _GRAPH, ON),
    ),
)
