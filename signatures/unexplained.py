"""Lines of the reporter's text that look like errors and that no recognised signature accounts for."""

from __future__ import annotations

from signatures.index import literal
from signatures.linear import linear
from signatures.loader import Catalogue
from signatures.model import BlockKind, LogBlock, Match, Report, Role, Span
from signatures.text import DROP, clean, fold_clean
from signatures.values import NamedTuple

MAX_LINES = 5
NEAR = 600  # characters around a match's evidence whose lines belong to the same failure: its stack, its consequences

PRINTED = (  # enough in program output
    r"\b(?:error|exception|fatal|panic(?:ked)?|segfault|segmentation fault|sig(?:segv|ill|abrt|bus)|access violation)\b"
    r"|\b(?:fail(?:ed|ure)?|crash(?:ed)?|abort(?:ed)?|assert(?:ion)?|unsupported|invalid|denied|refused)\b"
    r"|\b(?:cannot|can't|could not|couldn't|unable to)\b"
    r"|\bnot (?:found|implemented|supported|available|registered|loaded)\b"
    r"|\w(?:error|exception)\b|0x[0-9a-f]{8}\b|_(?:error|failed|failure)\b"
)
_IN_PROSE = (  # sentences mention errors; only what is shaped like a printed one counts
    r"\w+(?:Error|Exception)\b|\b[Ee]rror:|\bERR\b|\[ERROR\]|\bFATAL\b|0x[0-9A-Fa-f]{8}\b|\b\w+_failed\b|SIG(?:SEGV|ILL|ABRT)"
)
_FRAME = r"^\s*(?:at |in |from |File \"|#\d+ |\d+: |\^|-+ End of)"


class ErrorLine(NamedTuple):
    text: str  # folded
    span: Span


def error_lines(
    report: Report, catalogue: Catalogue, matches: tuple[Match, ...], most: int = MAX_LINES
) -> tuple[ErrorLine, ...]:
    """At most `most` lines, in the order of the report, each text once."""
    noise = [literal(line.text) for line in catalogue.lines if not line.envelope]
    evidence = [span for m in matches for span in m.evidence]
    found: dict[str, ErrorLine] = {}
    for block in report.blocks:
        if block.role is not Role.REPORTER or block.kind in (BlockKind.TITLE, BlockKind.QUOTE):
            continue
        for line in _error_shaped(block, 4 * most):
            if any(n in literal(line.text) for n in noise) or any(_near(line.span, s) for s in evidence):
                continue
            found.setdefault(line.text, line)
            if len(found) == most:
                return tuple(found.values())
    return tuple(found.values())


def _error_shaped(block: LogBlock, most: int) -> list[ErrorLine]:
    prose = block.kind is BlockKind.PROSE
    pattern = linear(_IN_PROSE) if prose else linear(PRINTED, fold_case=True)
    text = clean(block.raw)
    lines: list[ErrorLine] = []
    if not pattern.search(fold_clean(text)):
        return lines  # most of a long log
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        if any(s < at and start < e for s, e in block.dismissed):
            continue
        words = " ".join(line.replace(DROP, "").split())
        if words and pattern.search(words) and not linear(_FRAME).search(words):
            post, origin, _ = block.span
            lead = len(line) - len(line.lstrip(f" {DROP}"))
            lines.append(ErrorLine(words, Span(post, origin + start + lead, origin + start + len(line.rstrip()))))
            if len(lines) >= most:
                break
    return lines


def _near(line: Span, evidence: Span) -> bool:
    if line.post != evidence.post:
        return False
    return line.start < evidence.end + NEAR and line.end > evidence.start - NEAR
