"""Whether words are all that a report says, so that nothing tells whose they are.

What programs wrap around any message (a level, a type of error, a source position) counts as nothing said.
"""

from __future__ import annotations

from signatures.linear import linear
from signatures.model import TITLE_POST, Report, Role, Span
from signatures.text import fold

MAX_TEXT = 4000  # characters; a longer report says more than one message

_POSITION = r"(?i)[\w./\\:-]*\.(?:cc|cpp|cxx|c|h|hpp|mm|rs|py|cs|java|kt|swift|dart|m?js|ts)(?::\d+|\(\d+\)){0,2}"
_WORD = r"[^\W\d_]\w+"
_WRAPPED = (
    r"(?i)(?:\w*(?:error|exception|failure|warning|abort)s?|err|warn|info|debug|verbose|fatal|critical|panic(?:ked)?"
    r"|error_code|error_message|uncaught|unhandled|in|promise|std|what|status|code|message|failed|runtime"
    r"|terminate|called|after|throwing|an|instance|of|internal|unknown|aborted|invalid_\w+|not_found|\w*0x\w+)"
)


def said(report: Report) -> str | None:
    """All that the reporter wrote, folded to one line; None where that is more than one message."""
    return _rest(report, ())


def stand_alone(report: Report, evidence: tuple[Span, ...]) -> bool:
    """Whether the report says nothing but the words at `evidence`."""
    rest = _rest(report, evidence)
    if rest is None:
        return False
    words = linear(_WORD).finditer(linear_sub(rest))
    return all(linear(_WRAPPED).fullmatch(w.group()) for w in words)


def linear_sub(text: str) -> str:
    """The text without source positions."""
    parts: list[str] = []
    done = 0
    for found in linear(_POSITION).finditer(text):
        parts.append(text[done : found.start()])
        done = found.end()
    return " ".join((*parts, text[done:]))


def _rest(report: Report, evidence: tuple[Span, ...]) -> str | None:
    texts = [(TITLE_POST, report.issue.title)]
    texts += [(i, p.text) for i, p in enumerate(report.issue.posts) if p.role is Role.REPORTER]
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
    return fold(" ".join(parts))
