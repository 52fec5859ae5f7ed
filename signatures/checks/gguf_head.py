"""A .gguf head that its readers refuse.

What it detects
    A wrong magic, a version other than 2 or 3, the byte order of big-endian machines, and counts that the file cannot
    hold.

Why it breaks
    Readers check magic, byte order and version, then read as many entries as the head says.

What it cannot tell
    Whether the entries themselves are sound. A big-endian file is what a big-endian machine wants.

Remedy
    Download the file again; take or convert to the little-endian, current form of it.

References
    GGUF specification; measured against the reader of the Python package gguf; ggml/src/gguf.cpp of llama.cpp
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from signatures.artifact.containers import HeadError, gguf
from signatures.artifact.package import Package
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Download the file again and compare its size and hash."
BIG = "a big-endian file, which little-endian machines (x86, Arm) refuse"
BIG_TEXT = "is extremely large, is there a mismatch between the host and model endianness?"
LITTLE = "Take the little-endian file, or convert it with gguf_convert_endian of the gguf package."
V1_TEXT = "GGUFv1 is no longer supported, please use a more up-to-date version"
CONVERT = "Convert the original model again with a current llama.cpp."
LEAST_TENSOR, LEAST_KEY = 24, 13  # bytes that one entry takes at least: of no name and no dimensions, of one byte


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for name in package.names:
        if not name.lower().endswith(".gguf"):
            continue
        window = package.window(name)
        try:
            head = gguf(window)
        except HeadError as error:
            text = "invalid magic" if error.offset == 0 else None
            yield Hit(Where(name, "", error.offset), str(error), Severity.FATAL, text, REMEDY)
            continue
        if head.big_endian:
            yield Hit(Where(name, "version", 4), BIG, Severity.FATAL, BIG_TEXT, LITTLE)
        if head.version not in (2, 3):
            text = V1_TEXT if head.version == 1 else None
            remedy = CONVERT if head.version == 1 else REMEDY
            yield Hit(Where(name, "version", 4), f"GGUF version {head.version}", Severity.FATAL, text, remedy)
            continue  # its counts may be of another width
        least = 24 + head.tensors * LEAST_TENSOR + head.keys * LEAST_KEY
        if window.size is not None and least > window.size:
            detail = f"{head.tensors} tensors and {head.keys} keys do not fit in {window.size} bytes"
            yield Hit(Where(name, "counts", 8), detail, Severity.FATAL, None, REMEDY)


def _head(version: int, tensors: int, keys: int, order: Literal["little", "big"] = "little") -> bytes:
    counts = tensors.to_bytes(8, order) + keys.to_bytes(8, order)
    return b"GGUF" + version.to_bytes(4, order) + counts + bytes(200)


CHECK = Check(
    id="gguf-head",
    title="The .gguf head is not one that readers accept",
    reads=".gguf",
    predicts="invalid magic",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("m.gguf", b"GGML" + bytes(60)),), expect="magic"),
        Fixture(Outcome.FOUND, files=(("m.gguf", _head(9, 1, 1)),), expect="version 9"),
        Fixture(Outcome.FOUND, files=(("m.gguf", _head(1, 1, 1)),), expect="version 1"),
        Fixture(Outcome.FOUND, files=(("m.gguf", _head(3, 2, 4, "big")),), expect="big-endian"),
        Fixture(Outcome.FOUND, files=(("m.gguf", _head(3, 1 << 40, 1)),), expect="do not fit"),
        Fixture(Outcome.CLEAN, files=(("m.gguf", _head(3, 2, 4)),)),
    ),
)
