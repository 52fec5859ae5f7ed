"""Parts of a remote file that were read already: held in memory, and kept between runs in the caller's cache folder.

A kept part belongs to one content, named by hash or entity tag. It is read only where its owner is the caller and
nobody else can write it; every failure to read or write it is answered with "there is none".
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from hashlib import sha256

LARGEST = 16 * 1024 * 1024  # of one file; what checks read of a graph is under 4 MB
FOLDER_LIMIT = 256 * 1024 * 1024
_MAGIC = b"triage-ranges 1\n"
_LONGEST_HEAD = 1024 * 1024


class Ranges:
    """Disjoint stretches of one file, in order; touching ones become one."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._parts: list[bytearray] = []
        self.held = 0
        self.changed = False

    def get(self, offset: int, length: int) -> bytes | None:
        """The bytes, None where not all of them are held."""
        at = bisect_right(self._starts, offset) - 1
        if at < 0:
            return None
        inside = offset - self._starts[at]
        part = self._parts[at]
        return bytes(part[inside : inside + length]) if inside + length <= len(part) else None

    def add(self, offset: int, data: bytes) -> None:
        """Hold these bytes too, where there is still room."""
        if not data or self.held + len(data) > LARGEST or self.get(offset, len(data)) is not None:
            return
        self.changed = True
        at = bisect_right(self._starts, offset) - 1
        if at >= 0 and offset <= self._starts[at] + len(self._parts[at]):
            del self._parts[at][offset - self._starts[at] :]
            self._parts[at] += data
        else:
            at += 1
            self._starts.insert(at, offset)
            self._parts.insert(at, bytearray(data))
        self._join(at)
        self.held = sum(map(len, self._parts))

    def _join(self, at: int) -> None:
        """Take in the stretches that the one at `at` now reaches."""
        part, end = self._parts[at], self._starts[at] + len(self._parts[at])
        while at + 1 < len(self._starts) and self._starts[at + 1] <= end:
            following = self._parts[at + 1]
            part += following[end - self._starts[at + 1] :]
            end = self._starts[at] + len(part)
            del self._starts[at + 1], self._parts[at + 1]

    def pack(self, key: str) -> bytes:
        body = b"".join(self._parts)
        ranges = [[start, len(part)] for start, part in zip(self._starts, self._parts, strict=True)]
        head = {"key": key, "ranges": ranges, "sha256": sha256(body).hexdigest()}
        return _MAGIC + json.dumps(head, separators=(",", ":")).encode() + b"\n" + body

    @classmethod
    def unpack(cls, data: bytes, key: str) -> Ranges:
        """Raises ValueError, TypeError or KeyError for anything but what `pack` made of this key."""
        if not data.startswith(_MAGIC):
            raise ValueError("not a file of ranges")
        end = data.index(b"\n", len(_MAGIC), len(_MAGIC) + _LONGEST_HEAD)
        head, body = json.loads(data[len(_MAGIC) : end]), data[end + 1 :]
        if head["key"] != key or head["sha256"] != sha256(body).hexdigest():
            raise ValueError("of another file")
        found, at = cls(), 0
        for start, length in head["ranges"]:
            if type(start) is not int or type(length) is not int or start < 0 or length < 0:
                raise ValueError("no range")
            found.add(start, body[at : at + length])
            at += length
        found.changed = False
        return found


class Store:
    """The cache folder's files of ranges."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "artifacts")

    def load(self, key: str) -> Ranges | None:
        try:
            file = os.open(self._path(key), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with open(file, "rb") as f:
                about = os.fstat(f.fileno())
                if about.st_size > LARGEST + _LONGEST_HEAD:
                    return None
                if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & 0o022):
                    return None
                return Ranges.unpack(f.read(), key)
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def save(self, key: str, ranges: Ranges) -> None:
        """Keep `ranges`, readable by its owner only, in one step; do nothing where that cannot be done."""
        path = self._path(key)
        draft = f"{path}.{os.getpid()}"
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with open(file, "wb") as f:
                    f.write(ranges.pack(key))
                os.replace(draft, path)
            except OSError:
                os.unlink(draft)
            self._make_room()
        except OSError:
            return

    def _path(self, key: str) -> str:
        return os.path.join(self._folder, sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:40])

    def _make_room(self) -> None:
        """Drop what was written longest ago until the folder is within its limit."""
        with os.scandir(self._folder) as entries:
            files = [(e.stat().st_mtime_ns, e.stat().st_size, e.path) for e in entries if e.is_file()]
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= FOLDER_LIMIT:
                return
            os.unlink(path)
            total -= size
