"""What one place of a block states, before it is known whether it counts."""

from __future__ import annotations

from signatures.model import Source
from signatures.values import NamedTuple


class Said(NamedTuple):
    """One statement: [start, end) are offsets in the block's `raw`."""

    key: str
    value: str
    source: Source
    start: int
    end: int
