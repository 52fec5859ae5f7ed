"""What the reporter says later of what he showed before: in a later comment, or in a line added to the report.

"Works with 0.10.3, closing." ends what stands above it, unless a comment after that tells that the failure is back.
"""

from __future__ import annotations

from signatures.extract.over import is_over, stays
from signatures.extract.sentences import sentence_spans
from signatures.linear import linear
from signatures.model import BlockKind, LogBlock, Role

EDITED = (
    r"(?im)^[ \t>*_#-]*(?:edit(?:ed|ion)?|updated?|upd|nachtrag|addendum|mise (?:à|a) jour|actualizaci(?:ó|o)n"
    r"|编辑|更新|追記|補足)"
    r"[ \t]?(?:#?\d{1,2}|\([^)\n]{1,30}\)|\d{4}-\d\d-\d\d)?[ \t*_]*[:：–—-][ \t*_]*"
)
_MARKED = r"(?i)^\W{0,4}[\[(](?:solved|resolved|fixed|gel(?:ö|oe)st|r(?:é|e)solu|已解决|解決済み?)[\])]"
_MAX_SENTENCES = 40  # of one block
_TOP = 120  # characters before a line that stands above the report


def ended(blocks: tuple[LogBlock, ...]) -> tuple[LogBlock, ...]:
    """The blocks; those whose failure the reporter later tells to be over are dismissed as a whole."""
    over: dict[int, None] = {}
    for number, block in enumerate(blocks):
        if block.role is not Role.REPORTER or block.kind not in (BlockKind.PROSE, BlockKind.TITLE):
            continue
        if linear(_MARKED).match(block.raw):
            over.update((n, None) for n, b in enumerate(blocks) if b.span.post <= max(block.span.post, 0))
            continue
        words = later_words(block)
        if words is None:
            continue
        start, said = words
        sentences = [said[a:b] for a, b in sentence_spans(said)[:_MAX_SENTENCES]]
        if any(is_over(s, works=True) for s in sentences):
            over.update((n, None) for n in _above(blocks, number, top=start < _TOP and block.span.start < _TOP))
        elif any(stays(s) for s in sentences):
            over.clear()
    return tuple(
        b._replace(dismissed=((0, len(b.raw)),)) if n in over and b.role is Role.REPORTER else b
        for n, b in enumerate(blocks)
    )


def later_words(block: LogBlock) -> tuple[int, str] | None:
    """What a block of the reporter's prose adds to his report, and where in it: all of a comment, or what stands
    behind "EDIT:"; None where it adds nothing."""
    if block.kind is not BlockKind.PROSE:
        return None
    if block.span.post > 0:
        return 0, block.raw
    edited = linear(EDITED).search(block.raw)
    if edited is None:
        return None
    paragraph = block.raw[edited.end() :].split("\n\n", 1)[0]
    return edited.end(), paragraph


def _above(blocks: tuple[LogBlock, ...], number: int, *, top: bool) -> list[int]:
    """What a later word speaks of: all earlier posts, and what stands above it in its own; below it, too, where it
    was put on top of the report."""
    post = blocks[number].span.post
    whole = top and post == 0
    return [
        n
        for n, b in enumerate(blocks)
        if b.span.post < post or (b.span.post == post and (n < number or whole or (n == number and post == 0)))
    ]
