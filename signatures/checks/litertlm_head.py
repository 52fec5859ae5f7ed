"""A .litertlm head that its reader refuses.

What it detects
    A wrong magic, a major version other than 1, a header end before its own position or past the file, sections past
    the end of the file or that end before they begin, metadata that points outside itself.

Why it breaks
    LiteRT-LM checks magic and major version and refuses; a header end far past the file makes it allocate that much and
    abort.

What it cannot tell
    Whether the sections themselves are sound. Sections off the 16 KiB grid are accepted by the engine and not reported.

Remedy
    Download the file again, or build it again.

References
    measured with litert-lm-api 0.18.1
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.containers import LITERTLM_HEAD, HeadError, litertlm
from signatures.artifact.package import Package
from signatures.artifact.source import Window
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Download the file again and compare its size and hash, or build it again."
VERSION_END = 20  # the version's three numbers
ALLOCATED = 1 << 31  # longer headers were not measured to be refused in words


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for name in package.names:
        if not name.lower().endswith(".litertlm"):
            continue
        window = package.window(name)
        try:
            head = litertlm(window)
        except HeadError as error:
            yield Hit(Where(name, "", error.offset), str(error), Severity.FATAL, _text(error, window), REMEDY)
            continue
        if head.version[0] != 1:
            text = f"This reader doesn't support version {head.version[0]}, expected version 1."
            yield Hit(
                Where(name, "major version", 8), f"format version {head.version[0]}", Severity.FATAL, text, REMEDY
            )
            continue
        for number, section in enumerate(head.sections):
            if section.begin > section.end or (window.size is not None and section.end > window.size):
                where = Where(name, f"section {number} ({section.kind})", section.begin)
                detail = f"bytes {section.begin} to {section.end} of a file of {window.size}"
                text = f"and offset ({section.begin}) are too large for file size"
                if section.begin > section.end:
                    text = f"has invalid offsets: begin_offset ({section.begin}) > end_offset ({section.end})."
                yield Hit(where, detail, Severity.FATAL, text, REMEDY)


def _text(error: HeadError, window: Window) -> str | None:
    """What the engine says: nothing where it crashes, as it does on a header that ends at its own position, on metadata
    that points outside itself, and on a length that it cannot allocate."""
    if not window.size:
        return "Failed to map"
    if error.offset == 0:
        return "Invalid magic number or failed to read:"
    head = window.read(0, LITERTLM_HEAD)
    if len(head) < LITERTLM_HEAD:
        return "Failed to read header end offset." if len(head) >= VERSION_END else None
    end = int.from_bytes(head[24:32], "little")
    if end < LITERTLM_HEAD:
        return "Invalid header end offset: smaller than current position."
    return "Failed to read header data." if window.size < end < ALLOCATED else None


def minimal(*, major: int = 1, header_end: int | None = None, sections: tuple[tuple[int, int, int], ...] = ()) -> bytes:
    """A .litertlm head as the builder lays it out, for fixtures."""
    flat = _flatbuffer(sections)
    end = 32 + len(flat) if header_end is None else header_end
    return b"LITERTLM" + b"".join(n.to_bytes(4, "little") for n in (major, 7, 0, 0)) + end.to_bytes(8, "little") + flat


def _flatbuffer(sections: tuple[tuple[int, int, int], ...]) -> bytes:
    """LiteRTLMMetaData with a section_metadata of the given (begin, end, type) rows."""

    def u(value: int, width: int) -> bytes:
        return (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")

    # root offset; root vtable, root table; metadata vtable, table; vector; then a vtable and a table per section.
    out = bytearray(u(12, 4) + u(8, 2) + u(8, 2) + u(0, 2) + u(4, 2))
    out += u(8, 4) + u(12, 4)  # root table at 12: vtable 8 back, section_metadata 12 ahead of byte 16
    out += u(6, 2) + u(8, 2) + u(4, 2) + u(0, 2)
    out += u(8, 4) + u(4, 4)  # metadata table at 28, vector at 36
    out += u(len(sections), 4)
    start = len(out) + 4 * len(sections)
    size = 12 + 24
    for number in range(len(sections)):
        out += u(start + number * size + 12 - len(out), 4)
    for begin, end, kind in sections:
        out += u(12, 2) + u(24, 2) + u(0, 2) + u(4, 2) + u(12, 2) + u(20, 2)
        out += u(12, 4) + u(begin, 8) + u(end, 8) + u(kind, 4)
    return bytes(out)


CHECK = Check(
    id="litertlm-head",
    title="The .litertlm head is not one that the engine reads",
    reads=".litertlm",
    predicts="Invalid magic number or failed to read: / This reader doesn't support version <n>",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("m.litertlm", b"LITERTLX" + bytes(40)),), expect="Invalid magic number"),
        Fixture(Outcome.FOUND, files=(("m.litertlm", minimal(major=2)),), expect="doesn't support version 2"),
        Fixture(Outcome.FOUND, files=(("m.litertlm", minimal(header_end=16)),), expect="smaller than current position"),
        Fixture(Outcome.FOUND, files=(("m.litertlm", minimal(header_end=1 << 40)),), expect="past the end"),
        Fixture(Outcome.FOUND, files=(("m.litertlm", minimal(header_end=999)),), expect="read header data"),
        Fixture(Outcome.FOUND, files=(("m.litertlm", minimal()[:20]),), expect="Failed to read header end offset."),
        Fixture(Outcome.FOUND, files=(("m.litertlm", minimal(sections=((64, 32, 3),))),), expect="begin_offset (64) >"),
        Fixture(Outcome.FOUND, files=(("m.litertlm", minimal(sections=((16384, 99999, 3),))),), expect="99999"),
        Fixture(Outcome.CLEAN, files=(("m.litertlm", minimal(sections=((0, 8, 5),))),)),
    ),
)
