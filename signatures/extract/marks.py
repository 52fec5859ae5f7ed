"""Where a sentence says how it went, and whose what it names is: the words of `version_words` with their places."""

from __future__ import annotations

from signatures.extract.version_words import KINDS
from signatures.linear import linear
from signatures.values import NamedTuple


class Mark(NamedTuple):
    """Words of one kind at [start, end) of a sentence."""

    kind: str
    start: int
    end: int


def marks(sentence: str) -> list[Mark]:
    """What a sentence says, in the order of its words. What one kind took is blank for the next ones."""
    found: list[Mark] = []
    text = sentence
    for kind, pattern in KINDS:
        hits = [m.span() for m in linear(pattern).finditer(text)]
        for a, b in hits:
            text = text[:a] + "\x01" * (b - a) + text[b:]
            if kind:
                found.append(Mark(kind, a, b))
    return sorted(found, key=lambda m: m.start)
