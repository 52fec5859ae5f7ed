"""Output that the writer shows for another reason than that it failed: the sentences above and below it tell.

A block that stands inside a sentence ("better than [block] when a DLL is missing") is read as a message that the
sentence quotes. Else a sentence of the paragraph above it or of the one below may say that it was provoked, expected,
mocked, that it is to be ignored, that it stands in a document or a test, that it is over, or that the report is about
something else. Such output is only named: it is no claim, and no proof of the contrary.
"""

from __future__ import annotations

from signatures.extract.aside_kinds import THEN
from signatures.extract.asides import says_same, speaks_of_self
from signatures.extract.over import is_denied, is_over, stays
from signatures.extract.quoted import is_only_named, is_said_to_be_over
from signatures.extract.sentences import sentence_spans
from signatures.linear import linear

MAX_AROUND = 600  # characters of the paragraphs above and below
_MAX_SENTENCES = 6

# The sentence goes on behind the block, so that the block is a part of it.
_GOES_ON = r"^[ \t\n]{0,4}(?:[.,;?)]|[a-z])"
_CLOSED = r"[.!?:。！？：][\"')\]*_\x60 \t]{0,4}$"
_COMES = (
    r"(?i)\b(?:(?:not|never) as expected|n't (?:\w+ )?as expected|un\w*expected|but|however|instead|yet|still|then"
    r"|next"
    r"|now|(?:an)?other|new|aber|jetzt|nun|dann|jedoch|trotzdem|mais|pourtant|pero|sin embargo|mas|ma|però|а|но)\b"
    r"|但|不过|しかし|けど|하지만|그런데"
)
_UNSURE = r"(?i)\b(?:know|sure|tell|see|wonder\w*|clear|ask\w*) (?:if|whether)\b|[?？]\W*$"
_OLDER = (
    r"(?i)^\W*then\b|\b(?:downgrad\w*|revert\w*|roll\w* back|older|previous|work-?arounds?|cpu|for (?:them|him|her"
    r"|others))\b"
)

# of any sentence above it, or directly below
_PROVOKED = (
    r"(?i)\b(?:on purpose|purposely|deliberately|intentionally|mocked|faked|stubbed|provoked?"
    r"|absichtlich|mit absicht|expr(?:è|e)s|volontairement|a prop(?:ó|o)sito|adrede|de prop(?:ó|o)sito|apposta)\b"
    r"|\bto see (?:the|your|its) (?:text|message|wording|error)\b|故意|わざと|일부러|специально|нарочно"
)
_IGNORED = (
    r"(?i)\b(?:ignore|disregard|skip over|overlook|don't mind|never mind) (?:this|that|these|those|it"
    r"|the (?:lines?|part|block|output|logs?|text|message|error|warning|following|trace|stack))\b"
    r"|\b(?:silence|suppress|hide|mute) (?:this|that|the|these|it)\b|\b(?:bitte )?ignorier\w*\b|\bignorez\b"
    r"|\bignor(?:en|a|ar|ate|ieren)\b|\bможно игнорировать|忽略|無視し|무시"
    r"|\bbelongs to (?:an?|the|another) (?:other )?(?:plug-?in|tool|program|library|add-?on|extension)\b"
)
_HARMLESS = (
    r"(?i)\b(?:only|just|merely) an? (?:warning|notice|info\w*)\b|\b(?:which|that|it|this)(?:'s| is| was) "
    r"(?:\w+ )?(?:normal|harmless|expected|as (?:is )?expected|by design|intended)"
    r"(?:\W*$|,| (?:since|because|as|here|for|on|in|there|behaviou?r)\b)|\bof course\W*$|^\W*of course[.,]"
    r"|\b(?:as|is) expected\b|\beverything (?:\w+ )?(?:runs|works)\b|\b(?:is|are) (?:right|correct|fine) (?:anyway"
    r"|nevertheless|regardless)\b|\bwe (?:handle|detect|catch|match|parse)\b|\bworks great\b"
)
_WRITTEN = (
    r"(?i)^\W*(?:(?:docs?|documentation|faq|translation|test plan(?: (?:for|of) [^.!?:]{0,30})?|changelog"
    r"|pr description|feature request|suggestion|doku\w*)"
    r"\s?[:(–—-]|(?:search engines|f(?:ü|ue)r die doku\w*|pour la doc\w*|para la doc\w*|per la doc\w*)\b)"
    r"|^\W*(?:closes|fixes|resolves) #\d|\b(?:add|adds|added|adding|write|writing|wrote|need|needs"
    r"|cover\w*) (?:an? |the |some )?(?:\w+ )?tests?\b"
    r"|\b(?:expects?|asserts?) (?:this|that|the)? ?(?:text|string|message|line|output|error)?\W*$"
    r"|\b(?:docs?|documentation|page|readme|faq|changelog|blog(?: post)?|tutorial|manual|guide|book|assistant|chatgpt"
    r"|copilot|gemini|claude|source(?: code)?|template)\b[^.!?]{0,30}\b(?:quotes?|cites?|claims?|shows?|lists?"
    r"|mentions?|prints?|contains?|la cite|le cite)\b[^.!?\d]{0,30}$"
    r"|\bthis (?:change|pr|pull request|patch|commit)\b|\bfor the record\b|\bas an example of\b"
)
_OTHERS = (
    r"(?i)\b(?:colleague|co-?worker|friend|customer|client|neighbou?r|brother|sister|boss|user|student|reporter)s?"
    r"['’]s? (?:\w+ )?(?:report|log|error|output|message|trace|crash|issue|screenshot)\b"
    r"|\b(?:an)?other (?:project|program|app|tool|repo\w*|product) of (?:mine|ours)\b"
)
_BEFORE = (
    r"(?i)^\W*(?:before|was|old|previously|formerly|vorher|davor|avant|antes|prima)\s?[:：]\W*$"
    r"|\bused to (?:get|see|have|print|show|fail with|throw) (?:this|that|it|these|those|the (?:error|message"
    r"|following|line)"
    r"|exactly)\b|\b(?:the|a|my|our) former (?:\w+ )?(?:error|message|problem"
    r"|issue|failure)\b|\bfalse alarm\b|^\W*never ?mind\b|^\W*(?:solved|resolved)\b\s?[:.,!–—-]"
    r"|\b(?:the|my) logs? had (?:this|that|the following)\b|\b(?:solved|resolved|cured) by (?:the|a|an|my|re)\w*\b"
)
_NOT_THIS = (
    r"(?i)\b(?:is|it's|was)(?:n't| not)\s(?:the (?:usual|following|known|famous|well-known|common|same)"
    r"(?: (?:one|error|message|text|line|problem))?\W*(?:$|,)|one of those\b)"
    r"|\b(?:no|not an?) (?:failure|error|problem|bug|crash|issue)s? on (?:our|my) (?:side|end|machine)\b"
    r"|\b(?:i|we) (?:do not|don't|did not|didn't|have not|haven't) (?:have|had|see|seen|get|got|hit) (?:the|this"
    r"|that|such"
    r"|any) (?:\w+ )?(?:failure|error|problem|issue|crash|line|message)\w* (?:myself|ourselves|at all|here)\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:not|never) (?:bought|installed|tried|run) (?:one|it|that)? ?yet\b"
    r"|\bich (?:selbst )?habe (?:den fehler|das problem|das) (?:selbst )?nicht\b|\bnever see (?:that|this|the) line\b"
)
# the report's matter is another one
_ELSEWHERE = (
    r"(?i)\bmy (?:actual|real|own|present|current) (?:crash|error|failure|problem|issue"
    r"|one)\b[^.!?]{0,12}\b(?:another"
    r"|different|else\w*)\b|\bmine is (?:an?|another|different)\b|\bis (?:what|all) (?:i|we) (?:report|mean|ask)\b"
    r"|\bthe (?:real|actual|present|remaining) (?:failure|error|crash|one|question) (?:is|are)\b"
    r"|\bwhat (?:i|we) (?:want|wish|report|ask for|see|need|get) (?:is|here|instead)?\s?[:：\x60]"
    r"|\bwhat (?:i|we) see is\b|\b(?:my|the) question is about\b|\bone more question\b"
    r"|^\W*(?:remaining|request|still open|open|left)\s?:|\bstill open is\b|\bare the subject\b|\bthis issue tracks\b"
    r"|\b(?:but|now) my problem is\b"
)
_ABOVE = (_PROVOKED, _IGNORED, _HARMLESS, _WRITTEN, _OTHERS, _BEFORE, _NOT_THIS)
_DOUBTED = (_IGNORED, _HARMLESS, _BEFORE)  # which a question leaves open
_BELOW = (_IGNORED, _HARMLESS, _NOT_THIS, _ELSEWHERE)


def is_only_shown(above: str, below: str) -> bool:
    """Whether output between these texts is shown for another reason than that it failed.

    `above`: the prose in front of it, `below`: the prose behind it, each empty where something else stands there.
    """
    paragraph = above.rstrip("`~ \r\n\t>")[-MAX_AROUND:].rsplit("\n\n", 1)[-1]
    led = _sentences(paragraph)
    if led and _goes_on(led[-1], below):
        rest = _sentences(below.lstrip("`~\n")[:MAX_AROUND])
        if is_only_named(led[-1], rest[0] if rest else ""):
            return True
    under = _sentences(below.lstrip("`~ \n\t>")[:MAX_AROUND].split("\n\n", 1)[0])
    if any(_tells(s, _BELOW) for s in under[:3]):
        return True
    if not led or linear(THEN).search(led[-1]):
        return any(_tells(s, (_OTHERS,)) for s in led[-1:])
    if stays(led[-1]) or speaks_of_self(led[-1]):
        led = led[-1:]
    return any(_tells(s, _ABOVE) or _is_past(s) for s in led)


def _sentences(text: str) -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text)[:_MAX_SENTENCES]]


def _goes_on(lead: str, below: str) -> bool:
    return linear(_CLOSED).search(lead) is None and linear(_GOES_ON).search(below.lstrip("`~ \t\n")[:8]) is not None


def _tells(sentence: str, kinds: tuple[str, ...]) -> bool:
    asked = linear(_UNSURE).search(sentence) is not None
    shared = says_same(sentence) or linear(r"(?i)\bthe same\b").search(sentence) is not None
    told = (k for k in kinds if not (asked and k in _DOUBTED) and not (shared and k is not _BEFORE))
    return any(linear(k).search(sentence) is not None for k in told) and not _is_contrary(sentence)


def _is_contrary(sentence: str) -> bool:
    return linear(r"(?i)\b(?:not|never|n't)\b[^.!?]{0,30}\bexpected\b|\bwhat i expected\b").search(sentence) is not None


def _is_past(sentence: str) -> bool:
    """Whether a sentence says of what stands below it that it is over, or that the writer does not have it."""
    if is_denied(sentence):
        return True
    if linear(_COMES).search(sentence) or linear(_OLDER).search(sentence) or stays(sentence):
        return False
    return is_over(sentence) or is_said_to_be_over(sentence)
