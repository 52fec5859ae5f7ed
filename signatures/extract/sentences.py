"""Sentences and list items of prose, as offsets. It does not judge what they say."""

from __future__ import annotations

from signatures.linear import linear
from signatures.values import NamedTuple

# A stop with space after it, an empty line, or the start of a list item. A dot inside "qwen3.5" ends nothing.
_STOP = (
    r"[.!?][\"')\]*`_]{0,4}(?:\s|$)|[。！？]"
    r"|\n[ \t\r>]*\n"
    r"|\n[ \t>]*(?:[-*•·◦▪●+]|\d{1,3}[.)])[ \t]"
    r"|\n[ \t]*[#|]"
)
_SHORT = ("e.g", "i.e", "vs", "approx", "ver", "no", "cf", "incl", "etc", "ca")
BULLET = r"^[ \t>]*(?:[-*•·◦▪●+]|\d{1,3}[.)])[ \t]+"


class Item(NamedTuple):
    """A list item (`bullet`) or a paragraph, as [start, end) of its block."""

    bullet: bool
    start: int
    end: int


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """[start, end) of each sentence, list item or table row; wrapped lines stay in theirs."""
    spans: list[tuple[int, int]] = []
    start = 0
    for found in linear(_STOP).finditer(text):
        at = found.start()
        if text[at] in "。！？" and text[at + 1 : at + 2] in tuple("」』”)）。！？"):
            continue
        if text[at] == "." and (_abbreviates(text, at) or _inside(text, at)):
            continue
        stop = at if text[at] == "\n" else at + 1
        _add(spans, text, start, stop)
        start = at + 1
    _add(spans, text, start, len(text))
    return spans


def sentence_at(spans: list[tuple[int, int]], at: int) -> tuple[int, int]:
    """The sentence that holds the offset, or the nearest one before it."""
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][0] <= at:
            low = middle + 1
        else:
            high = middle
    return spans[max(low - 1, 0)] if spans else (0, 0)


def items(text: str) -> list[Item]:
    """List items and paragraphs in order. An item goes on over the lines after it that start no other."""
    found: list[Item] = []
    bullet = False
    start: int | None = None
    at = 0
    while at <= len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        starts_item = linear(BULLET).match(line) is not None
        blank = not line.strip(" \t\r>")
        fresh = start is None and not blank
        if start is not None and (starts_item or (blank and not _goes_on(text, end, bullet))):
            found.append(Item(bullet, start, at))
            start = None
            fresh = not blank
        if fresh:
            start, bullet = at, starts_item
        at = end + 1
    if start is not None:
        found.append(Item(bullet, start, len(text)))
    return found


def _goes_on(text: str, at: int, bullet: bool) -> bool:
    """An item goes on after an empty line where the next line is indented."""
    return bullet and text[at + 1 : at + 3] in ("  ", "\t\t") and bool(text[at + 3 : at + 4].strip())


def _abbreviates(text: str, at: int) -> bool:
    """ "e.g." or the number of a list item."""
    before = text[max(at - 8, 0) : at]
    words = before.split()
    if not words or before[-1:].isspace():
        return False
    number = words[-1].isdecimal() and not before[: -len(words[-1])].rsplit("\n", 1)[-1].strip(" \t>")
    return number or words[-1].lstrip("(").casefold() in _SHORT


def _inside(text: str, at: int) -> bool:
    """The stop of a quoted message in the middle of a sentence: `There is no "Invalid model." error any more`."""
    after = text[at + 1 : at + 8]
    closed = after.lstrip("\"')]*`_")
    quoted = len(closed) < len(after) or text[at - 1 : at] == ")"
    return quoted and closed[:1] == " " and (closed[1:2].islower() or closed[1:2] in ("—", "–", "-", "("))


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    kept = piece.strip()
    if kept:
        left = start + len(piece) - len(piece.lstrip())
        spans.append((left, left + len(kept)))
