"""Passages that are not the reporter's failure whatever their words: what he answers to, folded-away old logs, changes
of code, release notes, and what tests that pass have captured.

Structure decides: where a passage stands and how it is marked.
"""

from __future__ import annotations

from bisect import bisect_left

from signatures.extract.asides import says_same, speaks_of_self
from signatures.extract.dismissed import all_but_true_errors, joined
from signatures.extract.over import is_attributed, is_denied
from signatures.extract.sentences import items
from signatures.extract.vocabulary import plain_label
from signatures.linear import linear
from signatures.model import BlockKind, IssueText, LogBlock, Role
from signatures.text import fold

Range = tuple[int, int]
_MAX_SUMMARY = 200  # characters
_MAX_LINES = 10  # of a quote, ...
_MIN_WORDS = 12  # ... characters of a line, that are looked for in the posts of others

_SUMMARY = r"(?is)<summary[^>]*>(.{0,200}?)</summary>"
_DETAILS_END = r"(?i)</details"
_PUT_AWAY = (
    r"(?i)^\W*(?:(?:an?|the|my|some)\s+)?(?:unrelated|not related|old|older|outdated|obsolete|solved|resolved"
    r"|previously|fixed (?:log|error|issue|problem))\b"
)
_CHANGE = r"(?i)^[ \t>]*(?:`{3,}|~{3,})[ \t]*(?:diff|patch|udiff)\b"
_NOTES = r"(?:change ?log|release notes?|what'?s (?:new|changed)|bug ?fixes|fixes)\b.*"
_RELEASE = r"(?:[\w.@/-]+ ){0,3}v?\d+\.\d+[\w.+-]*(?: [(\[–—-].*)?"
_NOTED = (
    r"(?i)^[ \t]*[-*•+][ \t]+(?:\W*(?:fix(?:es|ed)?|add(?:s|ed)?|improved?|updated?|removed?|support)\b|.*\(#\d+\)\s*$)"
)
_PASSED = r"(?im)\b[1-9]\d* (?:tests? )?passed\b|^\[  PASSED  \]"
_NOT_PASSED = r"(?m)\b[1-9]\d* (?:tests? )?(?:failed|errors?)\b|\bFAILED\b"
_CAPTURED = r"(?im)^[ \t]*-{3,} ?captured (?:log|stdout|stderr)[^\n]*\n"
_CAPTURED_END = r"(?m)^[ \t]*={3,}|^[^\n]*\bPASSED\b"
_REPLY = (
    r"(?i)\b(?:in reply to|in response to|replying to|responding to|answering)\b[^.!?\n]{0,80}[:：]?\W*$"
    r"|(?:^|\s)@?[\w-]{2,40}(?: \w+)?(?: on [^:\n]{4,40},? \S+)?\s(?:wrote|writes|said|says|asked|schrieb|meinte"
    r"|a (?:é|e)crit|escribi(?:ó|o)|ha scritto|escreveu)\s*[:：]\W*$"
)
_OWN_REPLY = r"(?i)(?:^|\s)(?:i|we|ich|wir|je|j'ai|yo) (?:wrote|said|asked)"
# A program, too, "says" something
_PROGRAM_SAYS = (
    r"(?i)\b(?:it|logs?|log ?file|logcat|console|app|application|error|message|output|trace(?:back)?|terminal|browser"
    r"|chrome|firefox|edge|safari|python|program|script|server|dialog|popup|toast|stderr|stdout|cli|loader)"
    r"(?: (?:just|only|now|still|then|always))? (?:says|said)\s*[:：]\W*$"
)
_PAGE_SAYS = (
    r"(?i)\b(?:docs?|documentation|readme|page|guide|wiki|manual|faq|website|comment|issue|thread|post|article|tutorial"
    r"|answer|according)\b"
)
_OWN_OUTPUT = (
    r"(?i)\b(?:logs?|output|trace|stack|error|message|console|below|here|this|fail\w*|crash\w*|prints?|throws?|shows?)\b"
    r"|日志|输出|ログ|出力"
)
_NO = (
    r"(?i)^\W*(?:no|nope|nah|nein|non|nie|нет|ні|いいえ|没有|不是|아니요)\s*(?:[.!。]*$|[,.!。]\s)"
    r"|^\W*(?:(?:no|sorry)[,.]? )?(?:i|we) (?:do not|don't|did not|didn't|have not|haven't)[\s.!]*$"
    r"|\b(?:no|not any) such (?:line|error|message|thing|output|text|warning|words)\b|^\W*(?:none|nothing) of th"
)


def without_answered(issue: IssueText, block: LogBlock, lead: str, under: list[str], others: str) -> list[Range]:
    """All of a quote that the reporter answers to. `lead` is the sentence above it, `under` are those below it,
    `others` is what others wrote before, folded.

    A quote in the report itself is a way to paste a log, unless words around it tell otherwise; one in a later
    comment quotes what was said before, unless he says that it is his.
    """
    if any(not is_denied(s) and not _says_no(s) and (speaks_of_self(s) or says_same(s)) for s in under):
        return []
    whole = [(0, len(block.raw))]
    if any(_says_no(s) for s in under[:1]):
        return whole
    if linear(_REPLY).search(lead) and linear(_OWN_REPLY).search(lead) is None and not _program_says(lead):
        return whole
    if _said_by_others(block.raw, others):
        return whole
    later = block.span.post > 0 and issue.posts[block.span.post].role is Role.REPORTER
    announced = lead.rstrip(" *_`").endswith((":", "：")) and linear(_OWN_OUTPUT).search(lead) is not None
    own = announced and not is_attributed(lead)
    return whole if later and not own and not speaks_of_self(lead) else []


def _program_says(lead: str) -> bool:
    return linear(_PROGRAM_SAYS).search(lead) is not None and linear(_PAGE_SAYS).search(lead) is None


def _says_no(sentence: str) -> bool:
    return linear(_NO).search(sentence) is not None


def _said_by_others(raw: str, others: str) -> bool:
    if not others:
        return False
    lines = [fold(part.lstrip(" \t>")) for part in raw.split("\n", _MAX_LINES)[:_MAX_LINES]]
    long = [line for line in lines if len(line) >= _MIN_WORDS]
    return bool(long) and all(line in others for line in long)


def folded_away(text: str) -> tuple[Range, ...]:
    """Where a post holds a `<details>` whose summary says that it is old or does not belong here."""
    if "</summary" not in text.casefold():
        return ()
    ends = [m.start() for m in linear(_DETAILS_END).finditer(text)]
    found: list[Range] = []
    for summary in linear(_SUMMARY).finditer(text):
        if linear(_PUT_AWAY).search(summary.group(1)):
            at = bisect_left(ends, summary.end())
            found.append((summary.start(), ends[at] if at < len(ends) else len(text)))
    return joined(found)


def part_within(block: LogBlock, ranges: tuple[Range, ...]) -> list[Range]:
    """What of a block lies in ranges of its post."""
    start, end = block.span.start, block.span.end
    return [(max(a, start) - start, min(b, end) - start) for a, b in ranges if a < end and start < b]


def unprinted(issue: IssueText, block: LogBlock) -> list[Range]:
    """What of a block no failing run has printed: a change of code, release notes, what passing tests captured."""
    if block.kind is BlockKind.FENCE and _is_change(issue, block):
        return [(0, len(block.raw))]
    if block.kind is BlockKind.PROSE:
        return _release_notes(block.raw)
    return _captured(block.raw) if block.kind in (BlockKind.FENCE, BlockKind.LOG) else []


def _is_change(issue: IssueText, block: LogBlock) -> bool:
    above = issue.posts[block.span.post].text[max(block.span.start - _MAX_SUMMARY, 0) : block.span.start]
    return linear(_CHANGE).match(above.rstrip("\n").rpartition("\n")[2]) is not None


def _release_notes(raw: str) -> list[Range]:
    first, _, rest = raw.lstrip().partition("\n")
    label = plain_label(first) if first.startswith("#") else ""
    if not label or not rest:
        return []
    bullets = [raw[i.start : i.end] for i in items(raw) if i.bullet]
    noted = sum(linear(_NOTED).search(b) is not None for b in bullets)
    is_notes = linear(_NOTES).fullmatch(label) is not None
    if not bullets or not (is_notes or (linear(_RELEASE).fullmatch(label) and noted * 2 >= len(bullets))):
        return []
    return [r for i in items(raw) if i.bullet for r in all_but_true_errors(raw[i.start : i.end], i.start)]


def _captured(raw: str) -> list[Range]:
    if linear(_PASSED).search(raw) is None or linear(_NOT_PASSED).search(raw):
        return []
    found: list[Range] = []
    for header in linear(_CAPTURED).finditer(raw):
        end = linear(_CAPTURED_END).search(raw[header.end() :])
        found.append((header.start(), header.end() + end.start() if end else len(raw)))
    return found
