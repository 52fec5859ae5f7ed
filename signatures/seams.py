"""Sentences that empty lines cut over two blocks, for a mail program or a chat put one behind every printed line.

Only what stands around the cut is joined. Whether it shows anything is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.linear import linear
from signatures.model import BlockKind, LogBlock, Role

MAX_SIDE = 1000  # characters on each side of the cut
MAX_SEAMS = 100  # of one report
_UNFENCED = (BlockKind.LOG, BlockKind.PROSE)
_EMPTY_LINE = r"\n[ \t\r]*\n\s*"
_ENDED = (".", "!", "?")
_OPENS_ANEW = r"\s*(?:[#*•|<\[-]|\d+[.)] |at )"


def torn_sentences(blocks: tuple[LogBlock, ...]) -> Iterator[tuple[int, LogBlock]]:
    """The index of the first of two blocks of the reporter, and what an unfinished sentence joins of them."""
    found = 0
    for index in range(len(blocks) - 1):
        above, below = blocks[index : index + 2]
        if not (_torn(above, below) and linear(_OPENS_ANEW).match(below.raw) is None):
            continue
        found += 1
        if found > MAX_SEAMS:
            return
        start = _first(above.raw)
        stop = _last(below.raw)
        gap = "\n" * (below.span.start - above.span.end)
        cut = len(above.raw) - start + len(gap)
        dismissed = (
            *((max(a - start, 0), b - start) for a, b in above.dismissed if b > start),
            *((a + cut, min(b, stop) + cut) for a, b in below.dismissed if a < stop),
        )
        raw = above.raw[start:] + gap + below.raw[:stop]
        span = above.span._replace(start=above.span.start + start, end=below.span.start + stop)
        yield index, LogBlock(BlockKind.PROSE, span, raw, above.role, dismissed)


def _torn(above: LogBlock, below: LogBlock) -> bool:
    return (
        above.role is below.role is Role.REPORTER
        and above.span.post == below.span.post
        and above.kind in _UNFENCED
        and below.kind in _UNFENCED
        and 0 <= below.span.start - above.span.end < 8
        and not above.raw.rstrip().endswith(_ENDED)
    )


def _first(raw: str) -> int:
    """Where the unfinished sentence at the end of a block begins: behind the last paragraph that ended one."""
    low = max(len(raw.rstrip()) - MAX_SIDE, 0)
    start = low
    for gap in linear(_EMPTY_LINE).finditer(raw[low:].rstrip()):
        if raw[low : low + gap.start()].rstrip().endswith(_ENDED):
            start = low + gap.end()
    return start


def _last(raw: str) -> int:
    """Where the sentence that a block goes on with ends: at the first paragraph that ends one."""
    side = raw[:MAX_SIDE]
    for gap in linear(_EMPTY_LINE).finditer(side):
        if gap.start() and side[: gap.start()].rstrip().endswith(_ENDED):
            return gap.start()
    return len(side)
