"""Posts cut into the blocks that are searched: code, unfenced output, prose, quotes, the title.

A block holds a whole error: a message wrapped over lines, its continuation lines and its stack are never parted,
and prose is parted only at headings, code and quotes. Nothing is dropped: every character of a post that is not
blank is in some block, except of a post of many hundreds. What a block says is not read here.
"""

from __future__ import annotations

from bisect import bisect_left

from signatures.extract.dismissed import dismissed_ranges, joined
from signatures.extract.lines import goes_on, heading, is_bullet, printed_lines, reads_like_prose
from signatures.extract.markdown import MAX_MARKDOWN, Stretch, has_structure, stretches
from signatures.extract.quoted import read_quoted
from signatures.extract.vocabulary import Vocabulary, plain_label
from signatures.model import TITLE_POST, BlockKind, IssueText, LogBlock, Post, Role, Span
from signatures.text import legible
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _Piece = TypeVar("_Piece")

MAX_BLOCK = 64 * 1024  # characters
MAX_MENDED = 4  # fences of one post that are ended where nobody ended them
OVERLAP = 4 * 1024
MAX_SECTIONS = 400  # of one run of text; what follows stays together
SHORT = 4 * 1024  # characters of a block, ...
MAX_SHORT = 600  # ... and how many such are read of one post, and of one report's reporter and of all others
MAX_PROSE = 256 * 1024  # characters; a longer post without Markdown is one log


def read_blocks(issue: IssueText, vocabulary: Vocabulary, labels: tuple[str, ...] = ()) -> tuple[LogBlock, ...]:
    """The blocks of the title and of every post, in order. `labels` are form labels of products."""
    blocks: list[LogBlock] = []
    if issue.title.strip():
        blocks.append(_block(issue.title, Span(TITLE_POST, 0, len(issue.title)), BlockKind.TITLE, Role.REPORTER))
    known = frozenset((*vocabulary.sections, *(label for label, _ in vocabulary.labels), *map(plain_label, labels)))
    for number, post in enumerate(issue.posts):
        blocks += post_blocks(post, number, known)
    own = [b for b in blocks if b.role is Role.REPORTER]
    others = [b for b in blocks if b.role is not Role.REPORTER]
    if max(len(own), len(others)) <= MAX_SHORT:
        return tuple(blocks)
    return tuple(sorted((*_fewer(own, _length), *_fewer(others, _length)), key=lambda b: b.span))


def _length(block: LogBlock) -> int:
    return len(block.raw)


def _fewer(pieces: list[_Piece], length: Callable[[_Piece], int]) -> list[_Piece]:
    """Without the middle ones of more than MAX_SHORT short pieces: what each costs does not depend on its length."""
    short = [i for i, piece in enumerate(pieces) if length(piece) < SHORT]
    left_out = set(short[MAX_SHORT // 2 : max(len(short) - MAX_SHORT // 2, 0)]) if len(short) > MAX_SHORT else set()
    return [piece for i, piece in enumerate(pieces) if i not in left_out] if left_out else pieces


def post_blocks(post: Post, number: int, headings: frozenset[str]) -> list[LogBlock]:
    """The blocks of one post. `headings` are the known ones, as `plain_label` writes them."""
    text = post.text
    markdown = post.markdown and len(text) <= MAX_MARKDOWN
    found = _stretches(text, headings) if markdown and has_structure(text) else []
    reader = _Run(text, headings, [s for s in found if s.kind == "indented"], markdown=markdown)
    parts: list[tuple[BlockKind, int, int]] = []
    at = 0
    for s in found:
        if s.kind != "indented":
            parts += reader.parts(at, s.start)
            parts.append((BlockKind.QUOTE if s.kind == "quote" else BlockKind.FENCE, s.start, s.end))
            at = s.end
    parts += reader.parts(at, len(text))
    whole = [(kind, a, b) for kind, start, end in parts for a, b in _between(post.gaps, start, end)]
    cut = [(kind, a, b) for kind, start, end in whole if text[start:end].strip() for a, b in _pieces(text, start, end)]
    return [_block(text, Span(number, a, b), kind, post.role) for kind, a, b in _fewer(cut, lambda c: c[2] - c[1])]


def _stretches(text: str, headings: frozenset[str]) -> list[Stretch]:
    """Code and quotes. A fence that nobody closed ends at the next heading of an issue form."""
    found: list[Stretch] = []
    new = stretches(text)
    for _ in range(MAX_MENDED):
        mended = _mend(text, new, headings)
        if mended is None:
            break
        kept, new = mended
        found += kept
    return found + new


def _mend(text: str, read: list[Stretch], headings: frozenset[str]) -> tuple[list[Stretch], list[Stretch]] | None:
    """The stretches up to a form heading inside a fence, and what follows it read anew; or None.

    A heading inside a fence that was closed properly is left there: read anew, the closing mark would open one.
    """
    for i, fence in enumerate(read):
        cut = _form_heading(text, fence.start, fence.end, headings) if fence.kind == "fence" else None
        if cut is not None:
            rest = [Stretch(s.kind, s.start + cut, s.end + cut) for s in stretches(text[cut:])]
            if _is_open(text, fence) or not (rest and _is_open(text, rest[-1])):
                return [*read[:i], fence._replace(end=cut)], rest
    return None


def _is_open(text: str, stretch: Stretch) -> bool:
    return stretch.kind == "fence" and stretch.end >= len(text.rstrip())


def _form_heading(text: str, start: int, end: int, headings: frozenset[str]) -> int | None:
    at = text.find("\n##", start, end)
    while at >= 0:
        stop = text.find("\n", at + 1)
        line = text[at + 1 : stop if stop >= 0 else len(text)]
        alone = not text[text.rfind("\n", 0, at) + 1 : at].strip()
        if alone and heading(line, headings, alone=True, blank_after=True) in headings:
            return at + 1
        at = text.find("\n##", at + 1, end)
    return None


class _Run:
    """Reads the text between fences and quotes: sections at headings, within them output and prose."""

    def __init__(self, text: str, headings: frozenset[str], indented: list[Stretch], *, markdown: bool) -> None:
        self._text = text
        self._headings = headings
        self._indented = {s.start for s in indented}
        self._markdown = markdown
        self._printed = printed_lines(legible(text)) if len(text) <= MAX_MARKDOWN else []

    def parts(self, start: int, end: int) -> list[tuple[BlockKind, int, int]]:
        if not self._text[start:end].strip():
            return []
        if not self._markdown and end - start > MAX_PROSE:
            return [(BlockKind.LOG, start, end)]
        return [part for a, b in self._sections(start, end) for part in self._groups(a, b)]

    def _sections(self, start: int, end: int) -> list[tuple[int, int]]:
        cuts = [start]
        above_blank = True
        at = start
        while at < end:
            stop = self._line_end(at, end)
            line = self._text[at:stop]
            if line.strip():
                after = self._text[stop + 1 : self._line_end(stop + 1, end)]
                if start < at and len(cuts) < MAX_SECTIONS and self._is_heading(line, above_blank, not after.strip()):
                    cuts.append(at)
            above_blank = not line.strip()
            at = stop + 1
        return list(zip(cuts, [*cuts[1:], end], strict=True))

    def _is_heading(self, line: str, alone: bool, blank_after: bool) -> bool:
        return heading(line, self._headings, alone=alone, blank_after=blank_after) is not None

    def _groups(self, start: int, end: int) -> list[tuple[BlockKind, int, int]]:
        """Paragraphs of one kind joined, with the empty lines between them."""
        parts: list[tuple[BlockKind, int, int]] = []
        for a, b in self._paragraphs(start, end):
            above = parts[-1][0] if parts else None
            kind = self._kind(a, b, above)
            frames = kind is BlockKind.LOG and goes_on(self._text[a : self._line_end(a, b)])
            if above is BlockKind.PROSE and frames:
                # the stack of a message that did not look like one by itself
                parts = self._claim_message(parts)
            if parts and parts[-1][0] is kind:
                parts[-1] = (kind, parts[-1][1], b)
            else:
                parts.append((kind, a, b))
        return parts

    def _claim_message(self, parts: list[tuple[BlockKind, int, int]]) -> list[tuple[BlockKind, int, int]]:
        _, start, end = parts[-1]
        cut = [a for a, _ in self._paragraphs(start, end)][-1]
        message = self._text[cut:end]
        if is_bullet(message) or message.rstrip().endswith(":") or self._text[cut:end].lstrip().startswith("#"):
            return parts
        before = [(BlockKind.PROSE, start, cut)] if cut > start else []
        return [*parts[:-1], *before, (BlockKind.LOG, cut, end)]

    def _kind(self, start: int, end: int, above: BlockKind | None) -> BlockKind:
        text = self._text[start:end]
        first = self._text[start : self._line_end(start, end)]
        code = start in self._indented
        if is_bullet(first) and not code:
            return BlockKind.PROSE
        low = bisect_left(self._printed, start)
        printed = bisect_left(self._printed, end) - low
        lines = text.rstrip().count("\n") + 1
        if not any(c.isalnum() for c in text):
            return above or BlockKind.PROSE
        if printed and (self._printed[low] == start or printed * 3 >= lines):
            return BlockKind.LOG
        if above in (BlockKind.LOG, BlockKind.FENCE) and (goes_on(first) or first[:1].isspace()):
            return above
        if code:
            return BlockKind.FENCE
        if not self._markdown and above is not None and not reads_like_prose(text):
            return above
        return BlockKind.PROSE

    def _paragraphs(self, start: int, end: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        begin: int | None = None
        at = start
        while at < end:
            stop = self._line_end(at, end)
            if self._text[at:stop].strip():
                begin = at if begin is None else begin
            elif begin is not None:
                found.append((begin, at))
                begin = None
            at = stop + 1
        if begin is not None:
            found.append((begin, end))
        return found

    def _line_end(self, at: int, end: int) -> int:
        found = self._text.find("\n", at, end)
        return end if found < 0 else found


def _between(gaps: tuple[tuple[int, int], ...], start: int, end: int) -> list[tuple[int, int]]:
    """What a stretch holds outside the gaps of its post."""
    inside = [(a, b) for a, b in gaps if start < b and a < end]
    starts, ends = [start, *(b for _, b in inside)], [*(a for a, _ in inside), end]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if a < b]


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A stretch cut at line ends into pieces of at most MAX_BLOCK, each repeating the end of the one before."""
    found: list[tuple[int, int]] = []
    while end - start > MAX_BLOCK:
        cut = text.rfind("\n", start + MAX_BLOCK // 2, start + MAX_BLOCK) + 1 or start + MAX_BLOCK
        found.append((start, cut))
        back = text.find("\n", cut - OVERLAP, cut - 1) + 1
        start = back if back > 0 else cut - OVERLAP
    found.append((start, end))
    return found


def _block(text: str, span: Span, kind: BlockKind, role: Role) -> LogBlock:
    raw = text[span.start : span.end]
    if kind not in (BlockKind.PROSE, BlockKind.QUOTE):
        return LogBlock(kind, span, raw, role)
    said = legible(raw)
    quoted = read_quoted(said)
    return LogBlock(kind, span, raw, role, joined([*dismissed_ranges(said), *quoted.denied]), quoted.named)
