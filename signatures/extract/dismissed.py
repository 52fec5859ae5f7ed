"""What a writer negates, rules out or tells of others, as ranges of a prose block.

Local on purpose: a list under "Ruled out:", an item that begins with "Not", or the few words that a negating word
governs. A true error that stands behind such words ("Without the flag I get: ...") stays. Output is never judged.
"""

from __future__ import annotations

from signatures.extract.asides import MAX_GOVERNED, asides, clause_end, may_be_aside, speaks_of_self
from signatures.extract.hidden import hidden_ranges
from signatures.extract.over import is_denied, may_end_or_deny
from signatures.extract.quoted import messages, whole_sentences
from signatures.extract.sentences import items, sentence_spans
from signatures.linear import linear

Range = tuple[int, int]
_NEAR = 300  # characters around a negating word that can make it harmless

# The line above a list whose items are all ruled out.
_LEAD = (
    r"(?i)\b(?:ruled out|ruling out|excluded|eliminated|not the (?:cause|problem|issue|culprit|reason)"
    r"|what (?:it|this) is(?:n't| not)|not caused by|unrelated|not related|non-issues?|does not apply)\b"
)
_NOT_ITEM = (
    r"(?i)[ \t>]*(?:(?:[-*•·◦▪●+]|\d{1,3}[.)])[ \t]+)?(?:\*\*|__)?(?:it'?s |this is |it is )?(?:not|isn't|wasn't"
    r"|neither)\s+"
    r"(?:an?|the|due|caused|related|related|because|about|limited|specific|only on|model|driver|cache|network|memory|"
    r"ep\b|os\b|gpu\b|hardware|[a-z]+-[a-z-]+|[a-z]{2,}\s+(?:issue|problem|bug|error|registration|corruption"
    r"|over-?registration))"
)
_NOT_REALLY = (
    r"(?i)[ \t>]*(?:(?:[-*•·◦▪●+]|\d{1,3}[.)])[ \t]+)?(?:\*\*|__)?not (?:only|just|sure|able|certain|clear|working"
    r"|the same)"
)
_STILL = (
    r"(?i)\b(?:still (?:get|gets|got|see|fail|fails|failing|crash\w*|happen\w*|throw\w*|print\w*)|now (?:get|fails?"
    r"|i (?:get|see))|instead i (?:get|see))\b"
)
_PASSIVE = r"(?i)\b(?:was|were|is|are|been|be)\s+(?:\w+\s+)?(?:excluded|ruled out|eliminated)\b"

# Words that govern what follows, up to the end of the phrase or of the clause.
_PHRASE = (
    r"(?i)\b(?:without|unlike|instead of|rather than|except(?: for)?|other than|as opposed to|in contrast to"
    r"|apart from|excluding)\b"
)
_ONLY_ONE = r"(?i)^(?:except|other|apart|excluding)"  # "nothing other than m" names what there is
_NOTHING = r"(?i)\b(?:nothing|none|no|not|never|any\w*|nobody|nowhere)\b|n't\b"
_CLAUSE = (
    r"(?i)(?:\b(?:this|it|that|which|problem|issue)(?:'s| is| was) (?:certainly |definitely |probably )?not (?:an?"
    r"|the|about|caused|related|due|because)\b"
    r"|\b(?:this|it|that) (?:isn't|wasn't) (?:an?|the|about|caused|related|due|because)\b"
    r"|\b(?:not|n't) (?:be )?(?:caused by|related to|due to|because of|to be confused with)\b"
    r"|\b(?:unrelated to|different (?:from|than|to)|(?:distinct|separate|independent) (?:from|of))\b"
    r"|\b(?:fixed|resolved|solved) (?:by|in|with|since)\b)"
)
_SEEING = (
    r"(?i)(?:\b(?:i|we|i'm|we're|i've|we've|users?)\b[^.;:\n]{0,30}?\b(?:not|never|no longer)\s+(?:\w+\s+)?"
    r"|\b(?:i|we)\b[^.;:\n]{0,20}?n't\s+(?:\w+\s+)?|\b(?:not|no longer|never)\s+|\b(?:i|we) used to\s+)"
    r"(?:see|seeing|saw|seen|get|gets|getting|got|hit|hitting|reproduce|reproducing|observe|encounter|receive)\b"
)
# "I have never seen this before: m", "I don't see why I get m", "I should not get m" all complain of m
_COMPLAINS = (
    r"(?i)^[\s\w]{0,4}?\s*(?:why|how|what|where|when|if|whether|the (?:point|reason|cause)|any(?:where| reason| way"
    r"| fix| hint| docs?)"
    r"|past|rid|around|beyond|further|it (?:to|working)|to (?:work|load|run)\b"
    r"|(?:this|that|it|such|these|anything like (?:this|that|it))\b[^.;:]{0,30}\b(?:before|until|prior|in the past"
    r"|earlier|on other|elsewhere))"
)
_OUGHT = r"(?i)\b(?:should(?:n't)?|ought|want|wish|supposed|expect\w*)\b|n't (?:understand|know|think)\b"
_PHRASE_END = (
    r"(?i)[.;:!?,()\n—–](?:\s|$)|[()—–]|\b(?:but|however|i|we|it|they|get|gets|got|see|fails?|failed|crash\w*"
    r"|throws?|raises?|which|because|since|when|where|while|then|still)\b"
)
_CLAUSE_END = r"(?i)[;!?—–]|[.,:](?:\s|$)|\b(?:but|however|instead|still|yet|whereas)\b"
_SEEING_END = (
    r"(?i)[;!?—–]|\.(?:\s|$)|,\s+(?:but|instead|now|i|we|it|and|just|only)\b|\b(?:but|however|instead|whereas)\b"
)
_ERROR_BEFORE = r"(?i)\b(?:error|exception|fail\w*|fatal|assert\w*|status message)\b[^\n]*?: "

_GOVERNORS = ((_PHRASE, _PHRASE_END), (_CLAUSE, _CLAUSE_END), (_SEEING, _SEEING_END))
# One of these is in every text that negates anything; most blocks hold none and are done.
_ANY = (
    r"(?i)\bnot?\b|n't\b|\b(?:never|without|unlike|ruled|ruling|excluded|excluding|eliminated|instead|rather|except"
    r"|other than|opposed"
    r"|contrast|apart|unrelated|different|distinct|separate|independent|fixed|resolved|solved|used to|neither)\b"
)


def dismissed_ranges(raw: str) -> tuple[Range, ...]:
    """Ranges of `raw` that the writer negated or ruled out, in order, none overlapping."""
    found = hidden_ranges(raw)
    if linear(_ANY).search(raw) is None and not may_be_aside(raw) and not may_end_or_deny(raw):
        return joined(found)
    under_lead = False
    for item in items(raw):
        text = raw[item.start : item.end]
        if not item.bullet:
            under_lead = _is_lead(text)
        if item.bullet and (under_lead or _is_not_item(text)):
            found += all_but_true_errors(text, item.start)
            continue
        spans = whole_sentences(text)
        denied = max((i for i, (a, b) in enumerate(spans) if is_denied(text[a:b])), default=0)
        for i, (start, end) in enumerate(spans):
            if i < denied and not speaks_of_self(text[start:end]):
                found.append((item.start + start, item.start + end))
            following = text[slice(*spans[i + 1])] if i + 1 < len(spans) else ""
            found += ((item.start + a, item.start + b) for a, b in _in_sentence(text, start, end, following))
    return joined(found)


def all_but_true_errors(text: str, origin: int) -> list[Range]:
    """The sentences of a text in which the writer does not say what he gets himself."""
    return [(origin + a, origin + b) for a, b in sentence_spans(text) if not _is_true_error(text[a:b])]


def _is_true_error(sentence: str) -> bool:
    return linear(_STILL).search(sentence) is not None or speaks_of_self(sentence)


def _is_lead(paragraph: str) -> bool:
    last = paragraph.strip().rsplit("\n\n", 1)[-1]
    ends = last.rstrip(" *_").endswith(":") or (len(last) < 80 and "." not in last)
    return ends and linear(_LEAD).search(last[-300:]) is not None


def _is_not_item(text: str) -> bool:
    return linear(_NOT_ITEM).match(text) is not None and linear(_NOT_REALLY).match(text) is None


def _in_sentence(text: str, start: int, end: int, following: str) -> list[Range]:
    sentence = text[start:end]
    # behind "Error: " the words are the program's own
    own_words = _own_words(sentence)

    def is_quoted(at: int) -> bool:
        return at >= own_words or _in_code(sentence, at)

    found: list[Range] = []
    if may_be_aside(sentence) or following or may_end_or_deny(sentence):
        found += ((start + a, start + b) for a, b in asides(sentence, following, is_quoted))
    if linear(_ANY).search(sentence) is None:
        return found
    passive = linear(_PASSIVE).search(sentence)
    if passive and linear(_STILL).search(sentence) is None:
        left, right = sentence.rfind(";", 0, passive.start()) + 1, sentence.find(";", passive.end())
        return [*found, (start + left, end if right < 0 else start + right)]
    for governor, until in _GOVERNORS:
        done = 0
        for hit in linear(governor).finditer(sentence):
            at, after = hit.span()
            if at < done or is_quoted(at) or _governs_nothing(governor, hit.group(), sentence, at, after):
                continue
            done = clause_end(sentence, after, until)
            found.append((start + at, start + done))
    return found


def _own_words(sentence: str) -> int:
    """Where the words of a program begin that "Error: " announces. A colon inside a quoted message announces none."""
    if linear(_ERROR_BEFORE).search(sentence) is None:
        return len(sentence)
    quoted = messages(sentence)
    for found in linear(_ERROR_BEFORE).finditer(sentence):
        if not any(a < found.end() <= b and found.start() < a for a, b in quoted):
            return found.end()
    return len(sentence)


def _governs_nothing(governor: str, words: str, sentence: str, at: int, after: int) -> bool:
    if governor is _PHRASE:
        return linear(_ONLY_ONE).match(words) is not None and (
            linear(_NOTHING).search(sentence[max(at - _NEAR, 0) : at]) is not None
            or linear(_NOTHING).search(sentence[after : after + _NEAR]) is not None
        )
    if governor is _SEEING:
        return (
            linear(_COMPLAINS).match(sentence[after : after + _NEAR]) is not None
            or linear(_OUGHT).search(words) is not None
        )
    return False


def _in_code(sentence: str, at: int) -> bool:
    return sentence.count("`", max(at - MAX_GOVERNED, 0), at) % 2 == 1


def joined(found: list[Range]) -> tuple[Range, ...]:
    """The ranges in order, those that touch made one."""
    kept: list[Range] = []
    for start, end in sorted(found):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        elif end > start:
            kept.append((start, end))
    return tuple(kept)


def within(ranges: tuple[Range, ...], start: int, end: int) -> bool:
    """Whether [start, end) lies in a dismissed range, at least in part."""
    return any(a < end and start < b for a, b in ranges)
