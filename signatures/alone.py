"""Whether words are all that a report says, and what is known of a line that stands alone and names no failure.

What programs and people wrap around any message (wrappers.py) counts as nothing said.
"""

from __future__ import annotations

from signatures.linear import linear
from signatures.loader import Catalogue, Lone
from signatures.model import TITLE_POST, Report, Role, Span
from signatures.text import DROP, clean
from signatures.wrappers import GAP, says_nothing

MAX_TEXT = 4000  # characters; a longer report says more than one message
MAX_LINES = 8

_BULLET = " -*•·>`\"'"


def stand_alone(report: Report, evidence: tuple[Span, ...]) -> bool:
    """Whether the report says nothing but the words at `evidence`."""
    rest = _rest(report, evidence)
    return rest is not None and says_nothing(rest)


def lone_line(report: Report, catalogue: Catalogue) -> tuple[Lone, str, Span] | None:
    """What is known of the report's first line, with its words and place, where every line of it is such a line."""
    if not is_short(report):
        return None
    found: list[tuple[Lone, str, Span]] = []
    rest: list[str] = []
    for post, text in _texts(report):
        at = 0
        for raw in clean(text).split("\n"):
            start, at = at, at + len(raw) + 1
            words = " ".join(raw.replace(DROP, "").split())
            known = _known(words, catalogue) if words.strip(_BULLET) else None
            lead = raw[: len(raw) - len(raw.lstrip())]
            if known is None:
                rest.append(lead + words)
                continue
            if len(found) == MAX_LINES:
                return None
            lone, begin, end = known
            rest.append(lead + words[:begin] + GAP + words[end:])
            found.append((lone, words, Span(post, start, start + len(raw))))
    return found[0] if found and says_nothing("\n".join(rest)) else None


def _known(line: str, catalogue: Catalogue) -> tuple[Lone, int, int] | None:
    """The longest stretch of a line that is a known one, a whole line before others."""
    hits: list[tuple[Lone, int, int]] = []
    for lone in catalogue.lone:
        bare = line.strip(_BULLET)
        if linear(lone.line).fullmatch(bare):
            return lone, line.index(bare), line.index(bare) + len(bare)
        hit = linear(rf"(?:^|[^\w])({lone.line})(?:[^\w]|$)").search(line)
        if hit is not None:
            hits.append((lone, *hit.span(1)))
    return max(hits, key=lambda h: h[2] - h[1], default=None)


def is_short(report: Report) -> bool:
    """Whether a report may say no more than one message."""
    return sum(len(text) for _, text in _texts(report)) <= MAX_TEXT


def _texts(report: Report) -> list[tuple[int, str]]:
    """The title and what the reporter wrote, each with the number of its post."""
    return [
        (TITLE_POST, report.issue.title),
        *((at, p.text) for at, p in enumerate(report.issue.posts) if p.role is Role.REPORTER),
    ]


def _rest(report: Report, evidence: tuple[Span, ...]) -> str | None:
    """What stands beside the evidence, and beside the same words elsewhere, with GAP for these; None where that is more
    than a message can be wrapped in."""
    if not is_short(report):
        return None
    parts: list[str] = []
    said: set[str] = set()
    for post, text in _texts(report):
        done = 0
        for span in sorted(s for s in evidence if s.post == post):
            words = text[max(span.start, done) : span.end]
            if not words.strip():
                continue
            start = max(span.start, done) + len(words) - len(words.lstrip())
            parts += (text[done:start].replace(GAP, ""), GAP)
            said.add(words.strip())
            done = start + len(words.strip())
        parts += (text[done:].replace(GAP, ""), "\n")
    rest = "".join(parts)
    for words in sorted(said, key=len, reverse=True):
        rest = rest.replace(words, GAP) if words.strip(GAP) else rest
    return rest
