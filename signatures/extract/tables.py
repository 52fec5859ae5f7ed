"""Tables of Markdown: what stands under which header. Rows of label and value are read by `fields`."""

from __future__ import annotations

from collections.abc import Iterator

from signatures.linear import linear
from signatures.values import NamedTuple

MAX_CELLS = 400  # of one block
_RULE = r"(?m)^[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*$"
_NOT_MINE = (
    r"(?i)(?:expected|required?|recommended|latest|newest|available|working|works?|good|fixed(?: in)?|minimum|min"
    r"|supported|upstream"
    r"|previous|before|old|wanted|target|needed|documented|other|theirs|reference)(?: (?:version|value|output|result"
    r"|behaviou?r|with|in))?"
)


class Cell(NamedTuple):
    """A cell of a data row with its column's header, as [start, end) of the block."""

    header: str
    start: int
    end: int


def cells(raw: str) -> Iterator[Cell]:
    """The cells of every table with a header row, row by row."""
    count = 0
    for rule in linear(_RULE).finditer(raw):
        above = raw.rfind("\n", 0, max(rule.start() - 1, 0)) + 1
        headers = [raw[a:b].strip(" \t*_`:") for a, b in _row(raw, above, rule.start() - 1)]
        at = rule.end() + 1
        while at < len(raw) and count < MAX_CELLS:
            end = raw.find("\n", at)
            end = len(raw) if end < 0 else end
            if "|" not in raw[at:end]:
                break
            row = _row(raw, at, end)
            count += len(row)
            yield from (Cell(h, a, b) for h, (a, b) in zip(headers, row, strict=False))
            at = end + 1


def cells_of_others(raw: str) -> list[tuple[int, int]]:
    """The cells under a header such as "Expected", which tell what is not there."""
    return [(c.start, c.end) for c in cells(raw) if linear(_NOT_MINE).fullmatch(c.header)]


def _row(raw: str, start: int, end: int) -> list[tuple[int, int]]:
    if end <= start:
        return []
    found: list[tuple[int, int]] = []
    left = start
    for at in range(start, end):
        if raw[at] == "|" and raw[at - 1] != "\\":
            found.append((left, at))
            left = at + 1
    found.append((left, end))
    if not raw[slice(*found[0])].strip(" \t>"):
        found = found[1:]
    if found and not raw[slice(*found[-1])].strip():
        found = found[:-1]
    return found
