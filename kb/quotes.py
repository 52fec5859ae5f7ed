"""The words of a report that show a failure, quoted: whole lines, redacted, folded to one, few and short."""

from __future__ import annotations

from kb.model import Quote
from signatures.extract.redact import redacted_part
from signatures.model import TITLE_POST, IssueText, Span

MAX_QUOTES = 5
MAX_CHARS = 500
_JOIN = 300  # spans nearer than this are one quote
_LONGEST_LINE = 4_000
_BEFORE = 200  # of a very long line, at most so much before the evidence


def quotes(issue: IssueText, evidence: tuple[Span, ...]) -> tuple[Quote, ...]:
    """At most MAX_QUOTES quotes of at most MAX_CHARS characters each, in the order of the evidence.

    A quote's span is the raw text that it was folded from, so a wrapped line reads as one sentence. Its words are
    redacted, with the lines around them in view.
    """
    found: dict[str, Quote] = {}
    for span in _joined(evidence):
        text = post_text(issue, span.post)
        wide = _whole_lines(text, span)
        words = " ".join(redacted_part(text, wide.start, wide.end).split())[:MAX_CHARS].rstrip()
        if words:
            found.setdefault(words, Quote(words, wide))
        if len(found) == MAX_QUOTES:
            break
    return tuple(found.values())


def quote(issue: IssueText, span: Span) -> Quote:
    """One line of a report, redacted as the others are, and no longer than a reader of a list takes in."""
    words = redacted_part(post_text(issue, span.post), span.start, min(span.end, span.start + _LONGEST_LINE))
    return Quote(" ".join(words.split()), span)


def post_text(issue: IssueText, post: int) -> str:
    """The text that spans of this post count in; "" for a post that does not exist."""
    if post == TITLE_POST:
        return issue.title
    return issue.posts[post].text if 0 <= post < len(issue.posts) else ""


def _joined(evidence: tuple[Span, ...]) -> list[Span]:
    """Spans of one post that are near each other, and short enough together, made one; places stay in order."""
    joined: list[Span] = []
    for span in sorted(set(evidence), key=lambda s: (s.post, s.start, s.end)):
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.post == span.post
            and span.start - last.end < _JOIN
            and max(span.end, last.end) - last.start <= MAX_CHARS
        ):
            joined[-1] = last._replace(end=max(last.end, span.end))
        else:
            joined.append(span)
    return joined


def _whole_lines(text: str, span: Span) -> Span:
    start = max(text.rfind("\n", 0, span.start) + 1, span.start - _BEFORE)
    newline = text.find("\n", span.end)
    end = min(len(text) if newline < 0 else newline, max(span.end, start + MAX_CHARS))
    return Span(span.post, start, end)
