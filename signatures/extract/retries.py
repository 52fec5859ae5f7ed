"""Another revision of the failing model that the reporter tried without luck: "Downloaded version 4, still the same".

Read only where exactly one model is said to fail, since the sentence names none.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.extract.dismissed import within
from signatures.extract.negation import negated
from signatures.extract.neighbours import stands_free
from signatures.extract.sentences import sentence_spans
from signatures.linear import linear
from signatures.model import ArtifactRef, ArtifactRole, BlockKind, LogBlock, Role, Span

_REVISION = r"(?i)\b(?:version|revision|rev|ver|v)[ .:=]{0,2}(\d{1,3})\b"
_STILL = (
    r"(?i)\b(?:still|same|again|also (?:fails?|crash\w*)|fails?|failed|crash\w*|no (?:change|luck|difference|help)"
    r"|did(?:n't| not) (?:help|fix|change)"
    r"|does(?:n't| not) (?:help|work|load|fix)|persists?|identical|not fixed|broken)\b"
)
_FINE = (
    r"(?i)\b(?:gone|fixed now|works (?:now|fine|well|again)|now works|loads (?:now|fine)|no (?:error|problem"
    r"|issue)s?|resolved|solved)\b"
)
_ANY = r"(?i)\b(?:version|revision|rev|ver|v)[ .:=]{0,2}\d"


def tried_again(blocks: tuple[LogBlock, ...], known: tuple[ArtifactRef, ...]) -> Iterator[ArtifactRef]:
    """References to further failing revisions, each at its own place, behind the first place of the model."""
    failing = [r for r in known if r.role is ArtifactRole.FAILING and r.kind == "foundry"]
    if len({r.name.casefold() for r in failing}) != 1:
        return
    name, first = failing[0].name, min((r.span.post, r.span.start) for r in failing)
    seen = {r.revision for r in known if r.name.casefold() == name.casefold()}
    for number, block in enumerate(blocks):
        if (
            block.role is not Role.REPORTER
            or block.kind is not BlockKind.PROSE
            or linear(_ANY).search(block.raw) is None
        ):
            continue
        for start, end in sentence_spans(block.raw):
            found = linear(_REVISION).search(block.raw[start:end])
            place = (block.span.post, block.span.start + start)
            if found is None or place <= first or found.group(1) in seen or not _failed(block, start, end):
                continue
            a, b = start + found.start(), start + found.end()
            dotted = block.raw[b : b + 1] == "." and block.raw[b + 1 : b + 2].isdigit()
            free = stands_free(block.raw, a, frozenset(("model", "its", "artifact", "revision")), joined=False)
            if dotted or not free or within(block.dismissed, a, b) or negated(block.raw, a, b, version=True):
                continue
            seen.add(found.group(1))
            span = Span(block.span.post, block.span.start + a, block.span.start + b)
            yield ArtifactRef("foundry", name, found.group(1), None, ArtifactRole.FAILING, span, number)


def _failed(block: LogBlock, start: int, end: int) -> bool:
    """Whether the sentence, or one of a few words right behind it, says that it fails as before."""
    words = block.raw[start:end]
    behind = block.raw[end : end + 60].split("\n\n", 1)[0]
    if linear(_FINE).search(words):
        return False
    return (
        linear(_STILL).search(words) is not None
        or linear(r"(?i)^[\s.,:;!-]{1,4}(?:but )?(?:still|same|no (?:luck|change))").search(behind) is not None
    )
