"""Views of a block that are searched, and for each signature the text that must be there before anything else is tried.

The cheap question comes first: does the rarest required literal occur at all? Only then do regexes run.
"""

from __future__ import annotations

from functools import lru_cache

from signatures.layout import without_hard_wraps, without_shared_prefixes
from signatures.linear import any_of
from signatures.literals import needs
from signatures.model import BlockKind, LogBlock, Signature
from signatures.text import DROP, Way, clean, fold, fold_clean, squeeze_clean
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Below this a literal without its spaces is too short to be told from chance, ...
MIN_SQUEEZED = 16
MIN_BROKEN = 10  # ... and below this also where the text shows that a line break fell into one of its words
LONG = 16 * 1024  # characters of text in which one pass for all literals pays
_GAP = "\u2042"  # stands where the writer's dismissed words stood, so that what surrounds them does not touch


class Reading:
    """One way to read a block: the text that is searched, also in lower case, and the way back to raw offsets."""

    def __init__(self, cleaned: str, *, squeezed: bool) -> None:
        self.is_squeezed = squeezed
        self.text = squeeze_clean(cleaned) if squeezed else fold_clean(cleaned)
        self.lower = lower(self.text)
        self._cleaned = cleaned
        self._way: Way | None = None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Raw offsets within the block of a stretch of the text."""
        if self._way is None:
            self._way = Way(self._cleaned, squeezed=self.is_squeezed, cleaned=True)
        return self._way.back(start, end)

    def find(self, literal: str) -> tuple[int, int] | None:
        """Where a lower-case, folded literal stands, as offsets of the text."""
        wanted = literal.replace(" ", "") if self.is_squeezed else literal
        if self.is_squeezed and len(wanted) < MIN_BROKEN:
            return None
        at = self.lower.find(wanted)
        if at < 0:
            return None
        found = at, at + len(wanted)
        return found if not self.is_squeezed or len(wanted) >= MIN_SQUEEZED or self._broke(literal, found) else None

    def _broke(self, literal: str, found: tuple[int, int]) -> bool:
        """Whether a short squeezed hit is the literal with a line break in it, not words that touch without spaces."""
        start, end = self.back(*found)
        lines = self._cleaned[start:end].replace(DROP, "").split("\n")
        return len(lines) > 1 and sum(max(len(line.split()) - 1, 0) for line in lines) <= literal.count(" ")


Needs = tuple[tuple[str, ...], ...]


class View:
    """One block as searched: folded; without the prefix that its lines share; and squeezed, for a console may have
    broken inside a word. The first reading that shows what is looked for counts."""

    def __init__(self, block: LogBlock) -> None:
        self.raw = _visible(block)
        joined, sure = without_hard_wraps(self.raw) if "\n" in self.raw else (self.raw, False)
        self._text = joined if sure else self.raw
        # read without line ends where these may stand inside words, which is not sure
        self.joined = None if sure or joined is self.raw else Reading(joined, squeezed=False)
        self._folded = Reading(self._text, squeezed=False)
        self._others: tuple[Reading, ...] | None = None

    @property
    def is_single(self) -> bool:
        """Whether the block is one line, so that nothing in it can be broken over lines."""
        return "\n" not in self.raw.strip()

    @property
    def text(self) -> str:
        """The block on one line."""
        return self._folded.text

    def readings(self) -> Iterator[Reading]:
        """Every reading, the most literal first."""
        yield self._folded
        if self.is_single:
            return
        if self._others is None:
            bare = without_shared_prefixes(self._text)
            folded = () if bare is self._text else (Reading(bare, squeezed=False),)
            joined = () if self.joined is None else (self.joined,)
            self._others = (*joined, *folded, Reading(bare, squeezed=True))
        yield from self._others

    def has(self, literal: str) -> bool:
        """Whether a lower-case, folded literal occurs; a long one also where the console broke it."""
        return any(reading.find(literal) is not None for reading in self.readings())

    def find(self, literal: str) -> tuple[int, int] | None:
        """Where a lower-case, folded literal stands, as raw offsets within the block."""
        for reading in self.readings():
            found = reading.find(literal)
            if found is not None:
                return reading.back(*found)
        return None


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
    return next(iter(signature_needs(signature)), ())


def signature_needs(signature: Signature) -> Needs:
    """Everything literal that a block must hold to show the signature, lower case, the longest first; of each
    requirement one alternative."""
    wanted: list[tuple[str, ...]] = [(literal(text),) for text in signature.all]
    wanted += (need for pattern in signature.regex for need in needs(pattern))
    return tuple(sorted(wanted, key=lambda alternatives: min(map(len, alternatives)), reverse=True))


def may_be_among(views: Iterable[View], wanted: tuple[Needs, ...]) -> list[bool]:
    """For each signature whether any of several blocks could hold its longest requirement: never wrong with a no."""
    readings = [reading for view in views for reading in view.readings()]
    plain = "\n".join(r.lower for r in readings if not r.is_squeezed)
    squeezed = "\n".join(r.lower for r in readings if r.is_squeezed)
    if len(plain) > LONG and _holds_none(plain, squeezed, wanted):
        return [not needs for needs in wanted]
    return [
        not needs or any(a in plain or (squeezed and a.replace(" ", "") in squeezed) for a in needs[0])
        for needs in wanted
    ]


def _holds_none(plain: str, squeezed: str, wanted: tuple[Needs, ...]) -> bool:
    """Whether none of the longest requirements is there at all, as in most of a long log."""
    literals, without_spaces = _longest(wanted)
    if not literals:
        return True
    return any_of(literals).search(plain) is None and any_of(without_spaces).search(squeezed) is None


@lru_cache(maxsize=4)
def _longest(wanted: tuple[Needs, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Every alternative of every longest requirement, and the same without spaces."""
    plain = dict.fromkeys(a for needs in wanted if needs for a in needs[0])
    return tuple(plain), tuple(dict.fromkeys(a.replace(" ", "") for a in plain))


def may_show(view: View, wanted: Needs) -> bool:
    """Whether a block holds what a signature cannot do without. It costs no regex, and most blocks end here."""
    for i, need in enumerate(wanted):
        # short words that a console broke are found by the patterns alone, except the longest requirement
        surely = i == 0 or view.is_single or min(len(a.replace(" ", "")) for a in need) >= MIN_SQUEEZED
        if surely and not any(view.has(a) for a in need):
            return False
    return True


def _visible(block: LogBlock) -> str:
    raw = block.raw
    if block.dismissed:
        parts: list[str] = []
        done = 0
        for start, end in sorted(block.dismissed):
            start = max(start, done)
            if end > start:
                parts += (raw[done:start], _GAP.center(end - start))
                done = end
        parts.append(raw[done:])
        raw = "".join(parts)
    if "\\" in raw and block.kind not in (BlockKind.FENCE, BlockKind.TITLE):
        from signatures.escapes import markdown

        raw = markdown(raw)
    return clean(raw)
