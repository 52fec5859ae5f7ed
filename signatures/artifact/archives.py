"""What an archive holds, by name and size: zip (wheel, nupkg) from its central directory through ranged reads, tar,
plain or compressed, from its headers. Nothing is unpacked to disk; counts, sizes, ratios and memory are bounded.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from signatures.artifact.source import LimitReached, SourceError, Window

MAX_MEMBERS = 100_000
MAX_DIRECTORY = 32 * 1024 * 1024
MAX_UNPACKED = 4 * 1024 * 1024 * 1024
TAIL = 65_536 + 22
CHUNK = 256 * 1024
MAX_DICTIONARY = 128 * 1024 * 1024  # bytes that an xz stream may ask for
MEMBER = b"PK\x01\x02"

# What an archive of this name is, as `containers.sniff` calls it.
KINDS = {
    ".zip": "zip", ".nupkg": "zip", ".whl": "zip", ".jar": "zip", ".aar": "zip", ".tar": "tar",
    ".tar.gz": "gzip", ".tgz": "gzip", ".tar.xz": "xz", ".txz": "xz", ".tar.bz2": "bzip2", ".tbz2": "bzip2",
    ".tar.zst": "zstd", ".tzst": "zstd", ".7z": "7z", ".rar": "rar", ".cab": "cab",
}  # fmt: skip
SUFFIXES = tuple(KINDS)


def suffix(name: str) -> str | None:
    """The ending by which a name is one of an archive."""
    lowered = name.lower()
    return next((ending for ending in SUFFIXES if lowered.endswith(ending)), None)


class Member(NamedTuple):
    """`name` with `/`, `size` unpacked."""

    name: str
    size: int


class ArchiveError(SourceError):
    """No such archive, or one that contradicts itself, at `offset`."""


def members(window: Window) -> list[Member]:
    """Files of a zip or a tar, the latter also in gzip, xz or bzip2. Raises ArchiveError, LimitReached, SourceError."""
    start = window.read(0, 512)
    if start[:2] == b"PK":
        return list(_zip(window))
    packing = next((packing for packing in _PACKINGS if start.startswith(packing.magic)), None)
    if packing is not None:
        return list(_tar(window, _Stream(window, packing)))
    if start[257:262] == b"ustar" or (window.name.lower().endswith(".tar") and len(start) == 512):
        return list(_tar(window, _Stream(window, None)))
    raise ArchiveError("neither a zip nor a tar, plain or in gzip, xz or bzip2", offset=0, name=window.name)


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


class _Engine(Protocol):
    """A decompressor that keeps what it was given and has not used."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Inflate:
    """zlib with the interface that the others have."""

    def __init__(self) -> None:
        self._engine = zlib.decompressobj(31)

    @property
    def eof(self) -> bool:
        return self._engine.eof

    @property
    def needs_input(self) -> bool:
        return not self._engine.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._engine.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._engine.decompress(self._engine.unconsumed_tail + data, max_length)


class _Packing(NamedTuple):
    name: str
    magic: bytes
    engine: Callable[[], _Engine]


_PACKINGS = (
    _Packing("gzip", b"\x1f\x8b", _Inflate),
    _Packing("xz", b"\xfd7zXZ\x00", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MAX_DICTIONARY)),
    _Packing("bzip2", b"BZh", bz2.BZ2Decompressor),
)
_BROKEN = (zlib.error, lzma.LZMAError, OSError, EOFError)


class _Stream:
    """A bounded, forward-only view of what a compressed file holds; of the file itself where it is not compressed."""

    def __init__(self, window: Window, packing: _Packing | None) -> None:
        self.window = window
        self.at = 0
        self.unpacked = 0
        self.buffer = b""
        self.packing = packing
        self.engine = packing.engine() if packing is not None else None

    def _more(self) -> bool:
        """Unpacks up to one chunk into the buffer; False at the end of the last of its streams."""
        if self.packing is None or self.engine is None:
            self.buffer += (data := self._read())
            return bool(data)
        data = b""
        if self.engine.eof:
            data = self.engine.unused_data or self._read()
            if not data.startswith(self.packing.magic):
                return False
            self.engine = self.packing.engine()
        elif self.engine.needs_input:
            data = self._read()
            if not data:
                raise ArchiveError("the archive is cut", offset=self.at, name=self.window.name)
        try:
            data = self.engine.decompress(data, CHUNK)
        except _BROKEN as error:
            what = f"broken {self.packing.name} data: {error}"
            raise ArchiveError(what, offset=self.at, name=self.window.name) from error
        self.unpacked += len(data)
        if self.unpacked > MAX_UNPACKED:
            raise LimitReached(f"more than {MAX_UNPACKED} bytes when unpacked", offset=self.at, name=self.window.name)
        self.buffer += data
        return True

    def _read(self) -> bytes:
        data = self.window.read(self.at, CHUNK if self.packing is not None else 512)
        self.at += len(data)
        return data

    def take(self, count: int) -> bytes:
        while len(self.buffer) < count and self._more():
            pass
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def skip(self, count: int) -> None:
        if self.packing is None:
            self._jump(count)
            return
        while count > 0:
            if not self.buffer and not self._more():
                raise ArchiveError("the archive is cut", offset=self.at, name=self.window.name)
            step = min(count, len(self.buffer))
            self.buffer = self.buffer[step:]
            count -= step

    def _jump(self, count: int) -> None:
        rest = count - len(self.buffer)
        self.buffer = self.buffer[count:]
        if rest > 0:
            self.at += rest
        if self.window.size is not None and self.at > self.window.size:
            raise ArchiveError("the archive is cut", offset=self.window.size, name=self.window.name)


def _tar(window: Window, stream: _Stream) -> Iterator[Member]:
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
            long_name = (
                (_pax_path(body) or long_name) if kind == b"x" else body.rstrip(b"\0").decode("utf-8", "replace")
            )
            continue
        name = header[:100].split(b"\0")[0].decode("utf-8", "replace")
        prefix = header[345:500].split(b"\0")[0].decode("utf-8", "replace") if header[257:262] == b"ustar" else ""
        full = long_name or (f"{prefix}/{name}" if prefix else name)
        long_name = None
        if kind in (b"0", b"\0", b"1", b"2", b"7", b"S"):
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
