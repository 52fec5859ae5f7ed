"""A model file that ends too early.

What it detects
    A declared length that passes the end of the file, at the byte where it stands; a size that differs from what the
    source stated.

Why it breaks
    Protobuf refuses the whole message.

What it cannot tell
    A file that was cut exactly between two fields of the outermost message parses, without what came after.

Remedy
    Download the file again and compare its size and hash.

References
    measured with ONNX Runtime 1.16 to 1.32
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.artifact.source import SourceError
from signatures.artifact.wire import Malformed
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Download the file again and compare its size and hash with the source."
TEXT = "Protobuf parsing failed."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for name in package.onnx_names():
        try:
            if package.head(name).kind != "protobuf":
                continue  # reported by not-a-model
            package.onnx(name).nodes()
        except Malformed as error:
            if error.truncated:
                yield Hit(Where(name, "", error.offset), str(error), Severity.FATAL, TEXT, REMEDY)
        except SourceError as error:
            yield Unknown(f"{name}: {error}", Where(name, "", error.offset))


def _cut() -> bytes:
    from signatures.artifact.varint import field, varint

    node = field(1, b"x") + field(2, b"y") + field(4, b"Relu")
    return (varint(1 << 3) + varint(8) + field(7, field(1, node) * 40 + field(2, b"g")))[:-30]


CHECK = Check(
    id="truncated",
    title="The model file ends too early",
    reads="onnx",
    predicts="Protobuf parsing failed.",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("model.onnx", _cut()),), expect="past the end of the file"),
        Fixture(
            Outcome.CLEAN, '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
        ),
    ),
)
