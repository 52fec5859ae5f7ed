"""Views of a block that are searched, and for each signature the text that must be there before anything else is tried.

The cheap question comes first: does the rarest required literal occur at all? Only then do regexes run.
"""

from __future__ import annotations

from signatures.literals import anchors
from signatures.model import LogBlock, Signature
from signatures.text import Way, clean, fold, squeeze

# Below this a literal without its spaces is too short to be told from chance.
MIN_SQUEEZED = 16
_GAP = "\u2042"  # stands where the writer's dismissed words stood, so that what surrounds them does not touch


class View:
    """One block as searched: folded, and squeezed when a console may have broken inside a word."""

    def __init__(self, block: LogBlock) -> None:
        self.raw = _visible(block)
        self.text = fold(self.raw)
        self.lower = lower(self.text)
        self._squeezed: tuple[str, str] | None = None
        self._ways: dict[bool, Way] = {}

    @property
    def squeezed(self) -> str:
        return self._squeeze()[0]

    @property
    def squeezed_lower(self) -> str:
        return self._squeeze()[1]

    def back(self, start: int, end: int, *, squeezed: bool = False) -> tuple[int, int]:
        """Raw offsets within the block of a stretch of the folded (or squeezed) text."""
        if squeezed not in self._ways:
            self._ways[squeezed] = Way(self.raw, squeezed=squeezed)
        return self._ways[squeezed].back(start, end)

    def has(self, literal: str) -> bool:
        """Whether a lower-case, folded literal occurs; a long one also where the console broke it."""
        return literal in self.lower or self.find_squeezed(literal) is not None

    def find_squeezed(self, literal: str) -> int | None:
        short = literal.replace(" ", "")
        if len(short) < MIN_SQUEEZED:
            return None
        at = self.squeezed_lower.find(short)
        return None if at < 0 else at

    def _squeeze(self) -> tuple[str, str]:
        if self._squeezed is None:
            text = squeeze(self.raw)
            self._squeezed = text, lower(text)
        return self._squeezed


def lower(text: str) -> str:
    """Lower case of the same length, so that offsets carry over."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := c.lower()) == 1 else c for c in text)


def literal(text: str) -> str:
    """A catalogue literal as it is looked for: folded, lower case."""
    return lower(fold(text))


def signature_anchors(signature: Signature) -> tuple[str, ...]:
    """Lower-case texts of which one must occur in a block that shows the signature: its longest requirement."""
    options: list[tuple[str, ...]] = [(literal(text),) for text in signature.all]
    options += [found for pattern in signature.regex if (found := anchors(pattern))]
    return max(options, key=lambda alternatives: min(map(len, alternatives)), default=())


def _visible(block: LogBlock) -> str:
    if not block.dismissed:
        return clean(block.raw)
    parts: list[str] = []
    done = 0
    for start, end in sorted(block.dismissed):
        start = max(start, done)
        if end > start:
            parts += (block.raw[done:start], _GAP.center(end - start))
            done = end
    parts.append(block.raw[done:])
    return clean("".join(parts))
