"""Whether a report ties words that many programs print to a runtime: named beside them, elsewhere, or only as working.

In output the whole block counts, in prose the sentence. The title names what all of the report is about.
"""

from __future__ import annotations

from enum import Enum

from signatures.extract.sentences import sentence_spans
from signatures.linear import linear
from signatures.model import BlockKind, LogBlock, Report, Role, Source, Span

MAX_READ = 32 * 1024  # characters of a block, from its start, in which a name is looked for
_AROUND = 2000  # characters on either side of the words, in output
_PROSE = (BlockKind.PROSE, BlockKind.TITLE, BlockKind.QUOTE)
_WORKS = (
    r"(?i)\b(?:works?|worked|(?:runs?|is|are|was) (?:fine|well|ok(?:ay)?)|no (?:issues?|problems?|errors?)|unaffected"
    r"|(?:not|never) (?:even )?(?:imported|used|involved|loaded)|unrelated)\b"
)
_FAILS = (
    r"(?i)(?:\bnot|n['’]t|\bno longer|\bnever|\bcannot|\bstopped|\bused to|\bnothing|\bhow|\bshould|\buntil)"
    r"\s(?:\w+\s){0,3}works?\b|\bbut\b|\bexcept\b|\bhowever\b|\bfail(?:s|ed|ing)?\b|\bcrash"
)


class Named(Enum):
    BESIDE = "beside"
    ELSEWHERE = "elsewhere"
    WORKING = "working"


def named_by(report: Report, index: int, evidence: tuple[Span, ...]) -> Named:
    """Where a report that names a runtime does so, seen from the words at `evidence` in one of its blocks."""
    if not report.words or _is_given(report):
        return Named.BESIDE
    found = Named.WORKING
    for at, block in enumerate(report.blocks):
        if block.role is not Role.REPORTER or found is Named.BESIDE:
            continue
        spans = evidence if at == index else ()
        found = (
            _in_prose(report, block, spans, found) if block.kind in _PROSE else _in_output(report, block, spans, found)
        )
    return found


def _is_given(report: Report) -> bool:
    """Whether the caller states the runtime, or nothing but a fact names it."""
    if any(f.source is Source.GIVEN for f in report.facts):
        return True
    texts = (report.issue.title, *(p.text for p in report.issue.posts if p.role is Role.REPORTER))
    return not any(_names(report, t) for t in texts)


def _in_prose(report: Report, block: LogBlock, evidence: tuple[Span, ...], found: Named) -> Named:
    text = block.raw[:MAX_READ]
    if not _names(report, text):
        return found
    spans = sentence_spans(text)
    if not any(_names(report, text[start:end]) for start, end in spans):
        # a message of several sentences is known by where one ends and the next begins
        return Named.BESIDE if evidence or found is Named.BESIDE else Named.ELSEWHERE
    for start, end in spans:
        sentence = text[start:end]
        if not _names(report, sentence):
            continue
        here = any(s.start < block.span.start + end and s.end > block.span.start + start for s in evidence)
        if here or (block.kind is BlockKind.TITLE and not _works(sentence)):
            return Named.BESIDE
        if not _works(sentence):
            found = Named.ELSEWHERE
    return found


def _in_output(report: Report, block: LogBlock, evidence: tuple[Span, ...], found: Named) -> Named:
    parts = [block.raw[:MAX_READ]]
    parts += (
        block.raw[max(s.start - block.span.start - _AROUND, 0) : s.end - block.span.start + _AROUND] for s in evidence
    )
    lines = (line for part in parts if _names(report, part) for line in part.split("\n"))
    if not any(_names(report, line) and not _works(line) for line in lines):
        return found
    return Named.BESIDE if evidence else Named.ELSEWHERE


def _names(report: Report, text: str) -> bool:
    lower = text.casefold().replace("\\", "")  # Markdown's escapes
    return any(word in lower for word in report.words)


def _works(sentence: str) -> bool:
    return linear(_WORKS).search(sentence) is not None and linear(_FAILS).search(sentence) is None
