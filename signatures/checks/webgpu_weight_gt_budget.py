"""A single weight that is larger than what WebGPU adapters promise.

What it detects
    Initializers above 256 MiB (what every WebGPU adapter promises), above 1 GiB (what software and many mobile adapters
    offer) and above 2 GiB, on a session that runs on WebGPU.

Why it breaks
    A buffer larger than the adapter's maxBufferSize is invalid; a weight that needs more bindings than a shader has
    (bytes / maxStorageBufferBindingSize) is refused too.

What it cannot tell
    The adapter's own limits, which decide: ONNX Runtime asks for the adapter's maxima and splits large bindings, and a
    weight of 4 GiB ran on a data-centre GPU. So this is never fatal.

Remedy
    Split the table in the export, or run another execution provider.

References
    onnxruntime/mobius#380, microsoft/onnxruntime#25195, microsoft/onnxruntime#25962
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import dtype_name
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

MIB = 1024 * 1024
TIERS = (
    (2048 * MIB, Severity.PROBABLE, "2 GiB: past the limit of most consumer adapters"),
    (1024 * MIB, Severity.PROBABLE, "1 GiB: past the limit of software and many mobile adapters"),
    (256 * MIB, Severity.INFO, "256 MiB: past what every WebGPU adapter promises"),
)
REMEDY = "Split the table in the export so that each part fits the adapter, or run it on another execution provider."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    for session in runtime.sessions(package, target):
        if session.provider != "webgpu" or session.file is None:
            continue
        model = graphs.model(package, session.file, full=True)
        if isinstance(model, Unknown):
            yield model
            continue
        for tensor in model.graph.tensors:
            size = tensor.nbytes
            tier = next((tier for tier in TIERS if size is not None and size > tier[0]), None)
            if tier is None or size is None:
                continue
            shape = " x ".join(map(str, tensor.dims))
            detail = f"{tensor.name} [{shape}] {dtype_name(tensor.dtype)} is {size} bytes, over {tier[2]}"
            text = f"Buffer size ({size}) exceeds the max buffer size limit"
            proves = (("size", str(size)),)
            yield Hit(Where(session.file, tensor.name, tensor.offset), detail, tier[1], text, REMEDY, proves)


def _graph(rows: int) -> str:
    return f"""
<ir_version: 10, opset_import: ["" : 21]>
g (int32[1] i) => (bfloat16[1, 8960] y)
<bfloat16[{rows}, 8960] table = ["location": "model.onnx.data", "offset": "0", "length": "{rows * 8960 * 2}"]>
{{ y = Gather (table, i) }}
"""


_TARGET = Target(ep="webgpu")

CHECK = Check(
    id="webgpu-weight-gt-budget",
    title="A weight larger than WebGPU adapters promise to hold",
    reads="onnx",
    predicts="Buffer size (<n>) exceeds the max buffer size limit (<m>), on adapters with that limit",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _graph(262144), target=_TARGET, expect="2 GiB"),
        Fixture(Outcome.FOUND, _graph(16384), target=_TARGET, expect="256 MiB"),
        Fixture(Outcome.CLEAN, _graph(7500), target=_TARGET),
        Fixture(Outcome.CLEAN, _graph(262144), target=Target(ep="cuda")),
    ),
)
