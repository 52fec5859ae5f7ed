"""Bytes at a place: ranged reads with counters and caps, from a file, from memory, or from whatever `bot.fetch` opens.

It never downloads, caches on disk or follows names; a Source is opened by somebody else.
"""

from __future__ import annotations

import os
from typing import BinaryIO, NamedTuple, Protocol

KIB = 1024
FIRST_AHEAD = 64 * KIB
LAST_AHEAD = 1024 * KIB
AHEAD_AFTER_JUMP = 4 * KIB


class SourceError(Exception):
    """A read that cannot be answered. `offset` is the byte position that was asked for, `name` the source."""

    def __init__(self, message: str, *, offset: int = 0, name: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.name = name


class LimitReached(SourceError):
    """A cap on bytes or requests stopped the reading: the artifact may be sound, what follows is unknown."""


class Source(Protocol):
    """One file of an artifact.

    `size` is in bytes, None where the server does not say. `read` gives `length` bytes from `offset`, fewer only
    where the file ends, and raises SourceError. `requests` and `bytes_read` count what was really transferred.
    """

    name: str
    size: int | None
    requests: int
    bytes_read: int

    def read(self, offset: int, length: int) -> bytes: ...


class BytesSource:
    """A Source in memory."""

    def __init__(self, data: bytes, name: str = "<bytes>") -> None:
        self.name = name
        self.size: int | None = len(data)
        self.requests = 0
        self.bytes_read = 0
        self._data = data

    def read(self, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0:
            raise SourceError("negative offset or length", offset=offset, name=self.name)
        data = self._data[offset : offset + length]
        self.requests += 1
        self.bytes_read += len(data)
        return data


class FileSource:
    """A Source on a local file, opened at the first read and closed by `close` or when it is dropped."""

    _file: BinaryIO | None = None
    failed: SourceError | None = None  # the last read that failed

    def __init__(self, path: str, name: str | None = None) -> None:
        self.path = path
        self.name = name if name is not None else path
        self.requests = 0
        self.bytes_read = 0
        try:
            # file systems of the kernel give 0 for files that are not empty
            self.size: int | None = os.stat(path).st_size or None
        except OSError as error:
            raise SourceError(f"cannot be opened: {error.strerror}", name=self.name) from error

    def read(self, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0:
            raise SourceError("negative offset or length", offset=offset, name=self.name)
        try:
            if self._file is None:
                # Unbuffered: `Window` reads ahead, and a second buffer would only copy.
                self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115  # lives as long as the source
            self._file.seek(offset)
            data = self._read_all(self._file, length)
        except OSError as error:
            self.failed = SourceError(f"cannot be read: {error.strerror}", offset=offset, name=self.name)
            raise self.failed from error
        self.requests += 1
        self.bytes_read += len(data)
        return data

    @staticmethod
    def _read_all(file: BinaryIO, length: int) -> bytes:
        data = file.read(length)
        while len(data) < length:
            more = file.read(length - len(data))
            if not more:
                break
            data += more
        return data

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        self.close()


class Limits(NamedTuple):
    """What one Window may transfer. None: no cap (local files)."""

    max_bytes: int | None = None
    max_requests: int | None = None


LOCAL = Limits()
REMOTE = Limits(max_bytes=64 * KIB * KIB, max_requests=400)


class Window:
    """Reads a Source ahead: 64 KiB doubling to 1 MiB while reading goes on in sequence, 4 KiB after a jump.

    One block is held, so memory stays at the largest single read plus 1 MiB. `limits` count what this window
    asked of its source; crossing one raises LimitReached before anything is transferred.
    """

    def __init__(self, source: Source, limits: Limits = LOCAL) -> None:
        self.source = source
        self.name = source.name
        self.limits = limits
        self.requests = 0
        self.bytes_read = 0
        self._start = 0
        self._block = b""
        self._ahead = FIRST_AHEAD
        self._ended: int | None = source.size

    @property
    def size(self) -> int | None:
        """Bytes in the file; None until a short read has shown the end of a source that does not know its size."""
        return self._ended

    def read(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`, fewer only where the file ends."""
        start = offset - self._start
        if start >= 0 and start + length <= len(self._block):
            return self._block[start : start + length]
        self._fill(offset, length)
        start = offset - self._start
        return self._block[start : start + length]

    def block(self, offset: int, least: int = 1) -> tuple[bytes, int]:
        """(block, position of `offset` in it) with at least `least` bytes from there, fewer only at the end."""
        start = offset - self._start
        if not (start >= 0 and start + least <= len(self._block)):
            self._fill(offset, least)
            start = offset - self._start
        return self._block, start

    def holds(self, offset: int, length: int) -> bool:
        """Whether these bytes are here already, so that reading them transfers nothing."""
        return self._start <= offset and offset + length <= self._start + len(self._block)

    def _fill(self, offset: int, length: int) -> None:
        end = self._start + len(self._block)
        sequential = self._start <= offset <= end
        kept = self._block[offset - self._start :] if sequential else b""
        if sequential:
            ahead = self._ahead
            self._ahead = min(self._ahead * 2, LAST_AHEAD)
        else:
            ahead = self._ahead = AHEAD_AFTER_JUMP
            self._ahead *= 2
        start = offset + len(kept)
        want = max(ahead, length - len(kept))
        if self._ended is not None:
            want = max(0, min(want, self._ended - start))
        data = self._fetch(start, want) if want else b""
        self._start, self._block = offset, kept + data

    def _fetch(self, offset: int, want: int) -> bytes:
        requests, transferred = self.limits.max_requests, self.limits.max_bytes
        if requests is not None and self.requests + 1 > requests:
            raise LimitReached(f"more than {requests} requests would be needed", offset=offset, name=self.name)
        if transferred is not None and self.bytes_read + want > transferred:
            raise LimitReached(f"more than {transferred} bytes would be needed", offset=offset, name=self.name)
        data = self.source.read(offset, want)
        self.requests += 1
        self.bytes_read += len(data)
        if len(data) > want:
            raise SourceError("the source gave more than was asked for", offset=offset, name=self.name)
        if len(data) < want:
            if self._ended is not None and offset + len(data) < self._ended:
                raise SourceError(
                    f"ends at byte {offset + len(data)}, but its size was given as {self._ended}",
                    offset=offset + len(data),
                    name=self.name,
                )
            self._ended = offset + len(data)
        return data
