"""A protobuf of 2 GiB or more.

What it detects
    An ONNX file of 2^31 bytes or more.

Why it breaks
    Protobuf refuses messages of that size, so ONNX Runtime cannot parse the model, whatever is in it.

What it cannot tell
    Nothing here is uncertain but the size in the listing.

Remedy
    Save the weights as external data.

References
    protobuf, "Limits"; measured with ONNX Runtime 1.20.1 and 1.32.0
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

LIMIT = 1 << 31
REMEDY = "Save the model with external data (onnx.save with save_as_external_data=True)."
TEXT = "Protobuf parsing failed."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for name in package.onnx_names():
        size = package.size(name)
        if size is None:
            size = package.window(name).size
        if size is None:
            yield Unknown(f"the size of {name} is not known")
        elif size >= LIMIT:
            yield Hit(Where(name), f"{size} bytes, over protobuf's limit of {LIMIT - 1}", Severity.FATAL, TEXT, REMEDY)


CHECK = Check(
    id="pb-over-2g",
    title="The model is larger than a protobuf may be",
    reads="onnx",
    predicts="Protobuf parsing failed.",
    run=run,
    fixtures=(
        Fixture(
            Outcome.CLEAN, '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
        ),
    ),
)
