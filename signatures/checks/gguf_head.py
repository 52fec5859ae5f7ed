"""A .gguf head that its readers refuse.

What it detects
    A wrong magic, a version other than 2 or 3, and counts that the file cannot hold.

Why it breaks
    Readers check magic and version, then read as many entries as the head says.

What it cannot tell
    Whether the entries themselves are sound.

Remedy
    Download the file again.

References
    GGUF specification; measured against the reader of the Python package gguf
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.containers import HeadError, gguf
from signatures.artifact.package import Package
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Download the file again and compare its size and hash."
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
            yield Hit(Where(name, "", error.offset), str(error), Severity.FATAL, "invalid magic", REMEDY)
            continue
        if head.version not in (2, 3):
            yield Hit(Where(name, "version", 4), f"GGUF version {head.version}", Severity.FATAL, None, REMEDY)
            continue  # what counts are depends on it
        least = 24 + head.tensors * LEAST_TENSOR + head.keys * LEAST_KEY
        if window.size is not None and least > window.size:
            detail = f"{head.tensors} tensors and {head.keys} keys do not fit in {window.size} bytes"
            yield Hit(Where(name, "counts", 8), detail, Severity.FATAL, None, REMEDY)


def _head(version: int, tensors: int, keys: int) -> bytes:
    counts = tensors.to_bytes(8, "little") + keys.to_bytes(8, "little")
    return b"GGUF" + version.to_bytes(4, "little") + counts + bytes(200)


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
        Fixture(Outcome.FOUND, files=(("m.gguf", _head(3, 1 << 40, 1)),), expect="do not fit"),
        Fixture(Outcome.CLEAN, files=(("m.gguf", _head(3, 2, 4)),)),
    ),
)
