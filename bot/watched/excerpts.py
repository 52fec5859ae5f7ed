"""Of a long log what tells most: its beginning, its end, and lines that look like errors between them.

A log that is not long is taken whole. Nothing is read across a place where something was left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from signatures.linear import linear
from signatures.text import decode, in_utf8
from signatures.unexplained import PRINTED

MARK = "\n[a part of this log is left out here]\n"
_CHUNK = 16 * 1024  # bytes that are taken or left out together
_MOST_KINDS = 10_000  # of error lines that are told apart in one log
_STACK = 2 * 1024  # bytes behind an error that belong to it
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_LINE = r"(?i)[^\n]*(?:" + PRINTED + r")[^\n]*"


class Excerpt(NamedTuple):
    """`gaps`: where in `text` a mark stands for what was left out, as [start, end)."""

    text: str
    gaps: tuple[tuple[int, int], ...] = ()


def excerpt(data: bytes, most: int) -> Excerpt:
    """A log as text, of which about `most` bytes are kept. Between its ends, each
    kind of line that looks like an error comes before those that repeat it, and these before others. Raises NotText."""
    if len(data) > most:
        data = in_utf8(data)
    if len(data) <= most:
        return Excerpt(decode(data))
    chunks = list(_chunks(data))
    kept = _chosen(data, chunks, most)
    parts: list[bytes] = []
    last = -1
    for i in sorted(kept):
        if i != last + 1:
            parts.append(MARK.encode())
        parts.append(data[slice(*chunks[i])])
        last = i
    text = decode(b"".join(parts))
    return Excerpt(text, tuple(m.span() for m in linear(MARK.replace("[", r"\[").replace("]", r"\]")).finditer(text)))


def shares(sizes: tuple[int, ...], most: int) -> tuple[int, ...]:
    """How much of each of several is read, `most` in all: what short ones leave over is for the long ones."""
    given = [0] * len(sizes)
    left = most
    for done, i in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        given[i] = min(sizes[i], left // (len(sizes) - done))
        left -= given[i]
    return tuple(given)


def _chunks(data: bytes) -> Iterator[tuple[int, int]]:
    """Chunks that end with a line, or at least with a character."""
    at = 0
    while at < len(data):
        end = min(at + _CHUNK, len(data))
        if end < len(data):
            line = data.rfind(b"\n", at + _CHUNK // 2, end) + 1
            while not line and end > at + _CHUNK // 2 and data[end] & 0xC0 == 0x80:
                end -= 1
            end = line or end
        yield at, end
        at = end


def _chosen(data: bytes, chunks: list[tuple[int, int]], most: int) -> set[int]:
    """The numbers of the chunks that are kept: a quarter of them at each end, the others by their lines."""
    room = max(most // (_CHUNK + len(MARK)), 4)
    ends = room // 4
    kept = {*range(ends), *range(len(chunks) - ends, len(chunks))}
    fresh: list[int] = []
    again: list[int] = []
    kinds = _Kinds()
    for i in range(ends, len(chunks) - ends):
        chunk = data[slice(*chunks[i])]
        new = kinds.look(chunk)
        if new:
            fresh += (i, i + 1) if _shows_error(chunk[-_STACK:]) else (i,)
        elif new is not None:
            again.append(i)
    for i in (*fresh, *reversed(again), *reversed(range(len(chunks)))):  # what room is left is for what came last
        if len(kept) >= room:
            break
        kept.add(i)
    return kept


class _Kinds:
    """Which kinds of error lines were there: lines that are alike but for their digits are of one kind."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def look(self, chunk: bytes) -> bool | None:
        """Whether there is an error line of a new kind; None where there is none at all."""
        lines = set(chunk.translate(_DIGITS).split(b"\n"))
        rest = b"\n".join(sorted(lines - self._seen))
        if len(self._seen) >= _MOST_KINDS:
            return False if lines & self._seen or _shows_error(rest) else None
        found = [m.group().encode("latin-1") for m in linear(_LINE).finditer(rest.decode("latin-1"))]
        if not found:
            return False if lines & self._seen else None
        self._seen.update(found)
        return True


def _shows_error(text: bytes) -> bool:
    return linear(_LINE).search(text.decode("latin-1")) is not None
