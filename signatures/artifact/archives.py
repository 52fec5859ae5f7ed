"""What an archive holds, by name and size: zip (wheel, nupkg) from its central directory through ranged reads, tar.gz
from its headers. Nothing is unpacked to disk; counts, sizes and ratios are bounded.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact.source import LimitReached, SourceError, Window

MAX_MEMBERS = 100_000
MAX_DIRECTORY = 32 * 1024 * 1024
MAX_UNPACKED = 4 * 1024 * 1024 * 1024
TAIL = 65_536 + 22
CHUNK = 256 * 1024
MEMBER = b"PK\x01\x02"


class Member(NamedTuple):
    """`name` with `/`, `size` unpacked."""

    name: str
    size: int


class ArchiveError(SourceError):
    """No such archive, or one that contradicts itself, at `offset`."""


def members(window: Window) -> list[Member]:
    """Files of a zip or tar.gz. Raises ArchiveError, LimitReached, SourceError."""
    start = window.read(0, 4)
    if start[:2] == b"PK":
        return list(_zip(window))
    if start[:2] == b"\x1f\x8b":
        return list(_tar(window))
    raise ArchiveError("neither a zip nor a gzip archive", offset=0, name=window.name)


def _zip(window: Window) -> Iterator[Member]:
    size = window.size
    if size is None:
        raise LimitReached("the size of the archive is not known", name=window.name)
    start = max(0, size - TAIL)
    tail = window.read(start, size - start)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or at + 22 > len(tail):
        raise ArchiveError("no end of central directory: the archive is cut", offset=size, name=window.name)
    count, length, offset = struct.unpack_from("<HII", tail, at + 10)
    if count == 0xFFFF or 0xFFFFFFFF in (length, offset):
        count, length, offset = _zip64(window, start + at)
    if length > MAX_DIRECTORY or count > MAX_MEMBERS:
        raise LimitReached(f"central directory of {length} bytes", offset=offset, name=window.name)
    if offset + length > size:
        raise ArchiveError("central directory past the end of the file", offset=offset, name=window.name)
    before = start + at - length  # where it stands when something was put before the archive, as installers do
    if before > offset and window.read(offset, 4) != MEMBER and window.read(before, 4) == MEMBER:
        offset = before
    directory = tail[offset - start : offset - start + length] if offset >= start else window.read(offset, length)
    here = 0
    for _ in range(count):
        if directory[here : here + 4] != MEMBER or here + 46 > len(directory):
            raise ArchiveError("broken central directory", offset=offset + here, name=window.name)
        unpacked, name_length, extra, comment = struct.unpack_from("<IHHH", directory, here + 24)
        name = directory[here + 46 : here + 46 + name_length].decode("utf-8", "replace")
        yield Member(name.replace("\\", "/"), unpacked)
        here += 46 + name_length + extra + comment


def _zip64(window: Window, end: int) -> tuple[int, int, int]:
    locator = window.read(end - 20, 20) if end >= 20 else b""
    if locator[:4] != b"PK\x06\x07":
        raise ArchiveError("no zip64 locator", offset=end, name=window.name)
    (at,) = struct.unpack_from("<Q", locator, 8)
    record = window.read(at, 56)
    if record[:4] != b"PK\x06\x06" or len(record) < 56:
        raise ArchiveError("no zip64 record", offset=at, name=window.name)
    count, length, offset = struct.unpack_from("<QQQ", record, 32)
    return count, length, offset


class _Gunzip:
    """A bounded, forward-only view of what a gzip file holds."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.at = 0
        self.unpacked = 0
        self.buffer = b""
        self.engine = zlib.decompressobj(31)
        self.pending = b""

    def _more(self) -> bool:
        """Unpacks up to one chunk into the buffer; False at the end of the last of its streams."""
        if not self.pending:
            self.pending = self.window.read(self.at, CHUNK)
            self.at += len(self.pending)
        if self.engine.eof:
            if self.pending[:2] != b"\x1f\x8b":
                return False
            self.engine = zlib.decompressobj(31)
        if not self.pending:
            raise ArchiveError("the archive is cut", offset=self.at, name=self.window.name)
        try:
            data = self.engine.decompress(self.pending, CHUNK)
        except zlib.error as error:
            raise ArchiveError(f"broken gzip data: {error}", offset=self.at, name=self.window.name) from error
        self.pending = self.engine.unused_data if self.engine.eof else self.engine.unconsumed_tail
        self.unpacked += len(data)
        if self.unpacked > MAX_UNPACKED:
            raise LimitReached(f"more than {MAX_UNPACKED} bytes when unpacked", offset=self.at, name=self.window.name)
        self.buffer += data
        return True

    def take(self, count: int) -> bytes:
        while len(self.buffer) < count and self._more():
            pass
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def skip(self, count: int) -> None:
        while count > 0:
            if not self.buffer and not self._more():
                raise ArchiveError("the archive is cut", offset=self.at, name=self.window.name)
            step = min(count, len(self.buffer))
            self.buffer = self.buffer[step:]
            count -= step


def _tar(window: Window) -> Iterator[Member]:
    stream = _Gunzip(window)
    long_name: str | None = None
    for _ in range(MAX_MEMBERS):
        header = stream.take(512)
        if not any(header):
            return
        if len(header) < 512:
            raise ArchiveError("the archive is cut", offset=stream.at, name=window.name)
        size = _octal(header[124:136])
        if size is None:
            raise ArchiveError("broken tar header", offset=stream.at, name=window.name)
        kind = header[156:157]
        padded = (size + 511) // 512 * 512
        if kind in (b"L", b"x") and size <= 64 * 1024:
            body = stream.take(padded)[:size]
            long_name = _pax_path(body) if kind == b"x" else body.rstrip(b"\0").decode("utf-8", "replace")
            continue
        name = header[:100].split(b"\0")[0].decode("utf-8", "replace")
        prefix = header[345:500].split(b"\0")[0].decode("utf-8", "replace") if header[257:262] == b"ustar" else ""
        full = long_name or (f"{prefix}/{name}" if prefix else name)
        long_name = None
        if kind in (b"0", b"\0", b"1", b"2", b"7"):
            yield Member(full, size)
        stream.skip(padded)
    raise LimitReached(f"more than {MAX_MEMBERS} members", name=window.name)


def _octal(digits: bytes) -> int | None:
    if digits[:1] == b"\x80":
        return int.from_bytes(digits[4:], "big")
    text = digits.strip(b" \0").decode("ascii", "replace")
    return int(text, 8) if text and all(c in "01234567" for c in text) else 0 if not text else None


def _pax_path(body: bytes) -> str | None:
    """The `path` record of a pax header."""
    for line in body.split(b"\n"):
        record = line.partition(b" ")[2]
        if record.startswith(b"path="):
            return record[5:].decode("utf-8", "replace")
    return None
