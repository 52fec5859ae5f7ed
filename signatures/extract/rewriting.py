"""A text that is rewritten piece by piece, with the way from its characters at first to what stands for them."""

from __future__ import annotations

from bisect import bisect_left

from signatures.linear import linear
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from signatures.linear import Found


class Edit(NamedTuple):
    """[first, last) of the text at first, for which [start, end) of the text as it is stands."""

    first: int
    last: int
    start: int
    end: int


class Rewriting:
    """`text` as it is; what is replaced is never taken apart again, so that a part of the text holds all of it or
    none."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[Edit] = []  # in order

    def replace(self, pattern: str, by: Callable[[Found], str]) -> None:
        """Put what `by` makes of each match of `pattern` in its place."""
        found = ((*m.span(), by(m)) for m in linear(pattern).finditer(self.text))
        self.put([place for place in found if self.text[place[0] : place[1]] != place[2]])

    def put(self, places: Sequence[tuple[int, int, str]]) -> None:
        """Put words in the place of [start, end) each: of the text as it is, in order, none overlapping another."""
        if not places:
            return
        parts: list[str] = []
        done = 0
        for start, end, words in places:
            parts += (self.text[done:start], words)
            done = end
        self.edits = _joined(self.edits, places)
        self.text = "".join(parts) + self.text[done:]

    def part(self, first: int, last: int) -> str:
        """What stands for [first, last) of the text at first; of what is replaced and reaches out of it, all."""
        return self.text[self._forth(first, 0) : self._forth(last, 1)]

    def _forth(self, at: int, side: int) -> int:
        i = bisect_left(self.edits, at, key=lambda e: e.first) - 1
        if i < 0:
            return at
        edit = self.edits[i]
        return edit[2 + side] if at < edit.last else at + edit.end - edit.last


def _joined(edits: list[Edit], places: Sequence[tuple[int, int, str]]) -> list[Edit]:
    """The edits behind one more pass: those that overlap become one."""
    spans: list[tuple[int, int, Edit | None, int]] = [(e.start, e.end, e, 0) for e in edits]
    spans += [(start, end, None, len(words) - (end - start)) for start, end, words in places]
    spans.sort(key=lambda s: s[:2])
    joined: list[Edit] = []
    back = forth = at = 0  # from here to the text at first, and to the text behind this pass
    while at < len(spans):
        start, end = spans[at][:2]
        begin, grown = (start + back, start + forth), 0
        while at < len(spans) and (spans[at][0] < end or spans[at][0] == start):
            _, stop, edit, more = spans[at]
            end = max(end, stop)
            grown += more
            back = edit.last - edit.end if edit is not None else back
            at += 1
        forth += grown
        joined.append(Edit(begin[0], end + back, begin[1], end + forth))
    return joined
