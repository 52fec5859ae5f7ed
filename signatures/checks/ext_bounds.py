"""External data that does not fit its file or its shape.

What it detects
    An offset and length past the end of the data file, negative or unreadable numbers, and a length that differs from
    what shape and element type ask for.

Why it breaks
    ONNX Runtime compares both before it reads.

What it cannot tell
    The size of a data file that is not listed; types without a fixed width.

Remedy
    Download the data file again (compare its size and hash), or export again.

References
    ONNX, "External data"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import external
from signatures.checks.ext_missing import GRAPH
from signatures.checks.model import Check, Fixture, Hit, Outcome, Target, Unknown

REMEDY = "Download the data file again and compare its size and hash; if they agree, export the model again."
MAX_TOLD = 20


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    told = 0
    for item in external.tensors(package):
        if isinstance(item, Unknown):
            yield item
        elif told < MAX_TOLD:
            hit = _judge(package, item)
            if hit is not None:
                told += 1
                yield hit


def _judge(package: Package, item: external.External) -> Hit | None:
    name, need = item.tensor.name, item.tensor.nbytes
    try:
        offset, length = external.number(item.tensor, "offset"), external.number(item.tensor, "length") or None
    except ValueError as error:
        detail = f"{name}: offset or length is not a number: {error}"
        digits = str(error).removeprefix("-").isdecimal()
        return Hit(item.where, detail, item.severity, None if digits else "model format error!", REMEDY)
    if (offset or 0) < 0 or (length or 0) < 0:
        text = (
            f"External initializer: {name} offset: {offset or 0} size to read:"
            if length is None or length >= 0
            else None
        )
        return Hit(item.where, f"{name}: offset {offset}, length {length}", item.severity, text, REMEDY)
    if length is not None and need is not None and length != need:
        text = f"external data size mismatch. Computed size: {need}, external_data.length: {length}"
        return Hit(item.where, f"{name} needs {need} bytes and points at {length}", item.severity, text, REMEDY)
    have = package.size(item.listed) if item.listed else None
    take = length if length is not None else need
    if have is None or take is None or (offset or 0) + take <= have:
        return None
    text = f"External initializer: {name} offset: {offset or 0} size to read: {take} given file_length: {have}"
    text += " are out of bounds"
    detail = f"{name} ends at byte {(offset or 0) + take} of {item.location}, which has {have}"
    return Hit(item.where, detail, item.severity, text, REMEDY)


_DATA = (("w.bin", bytes(64)),)

CHECK = Check(
    id="ext-bounds",
    title="External data does not fit its file or its shape",
    reads="onnx",
    predicts="External initializer: <name> offset: <n> size to read: <n> given file_length: <n> are out of bounds",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", "60", "16"), _DATA, expect="given file_length: 64"),
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", "0", "12"), _DATA, expect="Computed size: 16"),
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", "-4", "16"), _DATA),
        Fixture(Outcome.CLEAN, GRAPH % ("w.bin", "48", "16"), _DATA),
    ),
)
