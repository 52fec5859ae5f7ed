"""Whether words are all that a report says, and what is known of a line that stands alone and names no failure.

What programs wrap around any message (a level, a type of error, a source position) counts as nothing said.
"""

from __future__ import annotations

from signatures.linear import linear
from signatures.loader import Catalogue, Lone
from signatures.model import TITLE_POST, Report, Role, Span
from signatures.text import DROP, clean

MAX_TEXT = 4000  # characters; a longer report says more than one message
MAX_LINES = 8

_POSITION = (
    r"(?i)[\w./\\:-]*\.(?:cc|cpp|cxx|c|h|hpp|mm|rs|py|cs|java|kt|swift|dart|m?js|ts)(?::\d+|\(\d+\)){0,2}"
    r"|\(\w+\+(?:0x)?[0-9a-f]+\)"  # of a frame
)
_CONTEXT = r"(?im)^[ \t]*-[ \t]*while (?:validating|finishing|calling|encoding|initializing|parsing)\b[^\n]*$"  # Dawn's
_WORD = r"\b[^\W\d_]\w+"
_WRAPPED = (
    r"(?i)(?:\w*(?:error|exception|failure|warning|abort)s?|err|warn|info|debug|verbose|fatal|critical|panic(?:ked)?"
    r"|error_code|error_message|uncaught|unhandled|in|promise|std|what|status|code|message|failed|runtime"
    r"|terminate|called|after|throwing|an|instance|of|internal|unknown|aborted|invalid_\w+|not_found|to|java|lang"
    r"|libprotobuf|libc|[ewif]\d{4})"
)
_BULLET = " -*•·>`\"'"


def stand_alone(report: Report, evidence: tuple[Span, ...]) -> bool:
    """Whether the report says nothing but the words at `evidence`."""
    rest = _rest(report, evidence)
    if rest is None:
        return False
    rest = _without(_without(rest, _CONTEXT), _POSITION)
    return all(linear(_WRAPPED).fullmatch(w.group()) for w in linear(_WORD).finditer(rest))


def lone_line(report: Report, catalogue: Catalogue) -> tuple[Lone, str, Span] | None:
    """What is known of the report's first line, with its words and place, where every line of it is such a line."""
    texts = _texts(report)
    if sum(len(text) for _, text in texts) > MAX_TEXT:
        return None
    found: list[tuple[Lone, str, Span]] = []
    for post, text in texts:
        at = 0
        for raw in clean(text).split("\n"):
            start, at = at, at + len(raw) + 1
            words = " ".join(raw.replace(DROP, "").split())
            if not words.strip(_BULLET):
                continue
            known = _known(words.strip(_BULLET), catalogue)
            if known is None or len(found) == MAX_LINES:
                return None
            found.append((known, words, Span(post, start, start + len(raw))))
    return found[0] if found else None


def _known(line: str, catalogue: Catalogue) -> Lone | None:
    return next((lone for lone in catalogue.lone if linear(lone.line).fullmatch(line)), None)


def _texts(report: Report) -> list[tuple[int, str]]:
    """The title and what the reporter wrote, each with the number of its post."""
    return [
        (TITLE_POST, report.issue.title),
        *((at, p.text) for at, p in enumerate(report.issue.posts) if p.role is Role.REPORTER),
    ]


def _rest(report: Report, evidence: tuple[Span, ...]) -> str | None:
    """What stands beside the evidence; None where that is more than a message can be wrapped in."""
    texts = _texts(report)
    if sum(len(text) for _, text in texts) > MAX_TEXT:
        return None
    parts: list[str] = []
    for post, text in texts:
        done = 0
        for span in sorted(s for s in evidence if s.post == post):
            if span.end > done:
                parts.append(text[done : max(span.start, done)])
                done = span.end
        parts.append(text[done:])
    return " ".join(parts)


def _without(text: str, pattern: str) -> str:
    parts: list[str] = []
    done = 0
    for found in linear(pattern).finditer(text):
        parts.append(text[done : found.start()])
        done = found.end()
    return " ".join((*parts, text[done:]))
