"""Whose the block is that a line leads to: output, a list, a table or an attached log under "Works on my laptop:".

A line that says that all is well, or that names another machine, person or time, leads to versions that are not those
of the failure. What is lost by that costs a question; what is wrongly taken costs a wrong answer.
"""

from __future__ import annotations

from signatures.extract.marks import marks
from signatures.extract.sentences import sentence_spans
from signatures.linear import linear
from signatures.model import BlockKind, IssueText, LogBlock, Role

_MAX_LEAD = 600  # characters above and below a block that are read
_MAX_LINK = 200  # characters in front of and behind a link that tell what is attached
_MAX_REMARKED = 2_000  # characters of output in front of a line in which a comment speaks of it
_SHORT = 3  # words of a line that only names what follows: "Version:", "The output is"
_FENCE = "`~ \r\n\t>"  # its marks, and what stands between two of them
_OUTPUT = (BlockKind.FENCE, BlockKind.LOG, BlockKind.QUOTE)

_MACHINES = (
    r"(?:machines?|pcs?|rigs?|computers?|laptops?|desktops?|notebooks?|workstations?|servers?|box(?:es)?|devices?|phones?"
    r"|tablets?|hosts?|systems?|vms?|environments?|install(?:s|ation|ations)?|set-?ups?|versions?|releases?|builds?"
    r"|runners?|accounts?|copy|one|state|configuration|runs?|logs?|rechner|computern?|ordinateur|ordi|equipo)"
)
_ELSEWHERE = (
    r"(?i)\b(?:an?other|other|different|second|old(?:er)?|previous|prior|earlier|former|original|reference|control"
    r"|baseline|spare|matched|neighbou?ring|intact|ander\w+|alte[nrms]?|autre|ancien\w*|otr[oa]|viej[oa]|antigu[oa])"
    r"\s(?:[\w.-]+\s){0,2}?" + _MACHINES + r"\b|\b" + _MACHINES + r" (?:next door|over there|of (?:a|another|my|our"
    r"|some) (?:colleague|friend|co-?worker|customer|user)\w*)|另一台|别的(?:电脑|机器)|旧(?:版|电脑)|別の"
    r"|古い(?:PC|バージョン)"
)
_PERSON = (
    r"(?i)\b(?:colleague|co-?worker|friend|team ?mate|neighbou?r|customer|client|boss|brother|sister|wife|husband"
    r"|kolleg|freund|coll(?:è|e)gue|compa(?:ñ|n)er)\w*(?: of (?:mine|ours))?"
    r"|\b(?:some(?:one|body)|others|other people|another user)\b"
    r"|同事|朋友|同僚|友人"
)
_SHARED = r"(?i)\b(?:and|und|et|y) (?:i|me|we|myself|ich|moi|yo)\b|\b(?:told|asked|suggested|advised|recommended)\b"
_FORMER = (
    r"(?i)^\W*(?:before|prior to|previously|formerly|earlier|originally|initially|yesterday|in the past|back then"
    r"|last (?:week|month|year|time)|until|up to|vorher|fr(?:ü|ue)her|avant|auparavant|antes|以前|之前)\b"
    r"|^\W*old(?:er)?\W*$|\bbefore\W*$|\b(?:used to|rolled back|rolling back|roll(?:ing)? it back|downgrad\w+"
    r"|went back|going back|revert(?:ed|ing))\b"
)
_WANTED = (
    r"(?i)^\W*(?:(?:for|as an?|in) )?(?:the )?(?:expected|required|minimum|min|recommended|supported|latest|newest"
    r"|reference|baseline|control|comparison|desired|wanted|target)\b"
)
_ALIKE = r"(?i)^\W*(?:the )?same\b|\b(?:same versions?|both|as well)\b"
_FREE_OF = (
    r"(?i)\bnever (?:saw|seen|see|had|got|get|met|hit|happen\w*|occur\w*|fail\w*|crash\w*)\b"
    r"|\b(?:do|does|did)(?:n'?t| not) (?:see|have|had|get|show|exhibit|experience|hit|happen|occur|fail|crash)\b"
    r"|\b(?:without|free of|no) (?:\w+ ){0,2}?(?:problems?|issues?|errors?|bugs?|faults?|crash\w*|failures?"
    r"|troubles?)\b|\b(?:bug|error|problem|issue|fault|crash|failure) (?:is|was) (?:absent|missing|gone|not there)\b"
)
_TEXTS = (
    r"(?i)\b(?:from|in|of) (?:the|a|your|their) (?:\w+ )?(?:docs?|documentation|read ?me|wiki|tutorial|blog|guide"
    r"|release notes?|change ?log)\b|\b(?:example|sample) (?:output|log|config\w*)\b"
)
_RUNS = (
    r"(?i)(?:^\W*|[,;]\s|\b(?:and|there|here|now|again|where|back)\s)(?:it|everything|all|that)\s(?:runs|ran)\W*$"
    r"|\b(?:is|are|was|were|goes|went) (?:all )?well\b|\b(?:does|did) (?:the job|what it should)\b|\bin order\b"
    r"|\b(?:rock )?solid\b|\bbehaves?\W*$|\b(?:can(?:no|')t|cannot|unable to|not) (?:trigger|provoke)\b"
)
# the words of a form, not of how it went
_ASKS = r"(?i)\b(?:please|describe|fill|provide|complete)\b"
_SAYS_NEITHER = ("complet", "true", "yes", "correct", "clean", "regress")  # words that a form uses for both
_TURNS = (
    r"(?i)(?:[,;.–—]|\b(?:but|and|yet|while|whereas|then)\b)[^;]*?\b(?:here(?:'s| is| are)|i (?:get|have|run|use|see"
    r"|am on|ran)|my (?:own )?(?:log|output|version|error)|mine|the log|now (?:i|it|this|the)|then)\b"
    r"|\b(?:but|and|just|only) (?:not|never)\b"
)
_ENDS = r"(?i)\b(?:until|till|up to|except|as soon as)\b"
_BACK = (
    r"(?i)^\W*(?:there|its?|his|her|their|that|this|these|those|the (?:version|output|log|result)s?|on (?:it|that"
    r"|there)|with (?:it|that)|dort|là|allí|那里|そこ)\b"
)
_REFERS = (
    r"(?i)^\W*(?:(?:and |but )?(?:that|this|these|those|it|there|which|the (?:above|upper|first|last|version|output"
    r"|log|fence|block|one)|above|all of (?:that|this)|both|das|dies\w*|c'est|cela|es[eoa]|est[eoa])\b"
    r"|以上|上面|これは|それは)"
)
_REMARK = r"(?im)^[ \t]*(?:#+|//|rem|::|;)[ \t]+(\S[^\n]{0,200})$"
_ERROR = r"(?i)(?:error|exception|\b(?:traceback|fatal|fail(?:ed|ure)?|abort(?:ed)?|assertion|panicked))\b"
_TAGS = r"<[^<>\n]{1,80}>"


def whose(lead: str, *, fails: bool = False) -> bool | None:
    """Whether a line leads to what is another's or is well (True), to the failure itself (False), or says neither
    (None). `fails`: an error stands in what it leads to."""
    text = lead[-_MAX_LEAD:]
    for tag in reversed(list(linear(_TAGS).finditer(text))):
        text = f"{text[: tag.start()]} {text[tag.end() :]}"
    found = [m for m in marks(text) if m.kind in ("fails", "well", "mine")]
    told = [m for m in found if m.kind != "mine" and not text[m.start : m.end].casefold().startswith(_SAYS_NEITHER)]
    person = linear(_PERSON).search(text)
    if person is not None and linear(_SHARED).search(text) is None:
        return not any(m.kind == "mine" and m.start > person.end() for m in found)
    if linear(_ASKS).search(text):
        return None
    # "where you don't see it" is no failure, whatever the words are made of
    free = [m.end() for m in linear(_FREE_OF).finditer(text)]
    if told and told[-1].kind == "fails" and told[-1].start >= max(free, default=0):
        return False
    if told or free or linear(_RUNS).search(text):
        behind = text[max([*free, *(m.end for m in told)], default=0) :]
        return not _turns(text, behind, fails=fails)
    away = any(linear(p).search(text) for p in (_ELSEWHERE, _FORMER, _WANTED, _TEXTS))
    return True if away and linear(_ALIKE).search(text) is None else None


def _goes_on(block: LogBlock) -> bool:
    """Output, or nothing but the marks between two fences."""
    return block.kind in _OUTPUT or not block.raw.strip(_FENCE)


def _turns(text: str, behind: str, *, fails: bool) -> bool:
    """Whether words of success only lead on to a failure: "It loads fine, and then I get:"."""
    announced = text.rstrip(" \t*_`").endswith((":", "："))
    # "until last week" ends what was well; "until I prompt it" leads to an error
    turned = linear(_TURNS).search(behind) is not None or (fails and linear(_ENDS).search(behind) is not None)
    return turned or (fails and not announced)


def is_remarked(raw: str, at: int) -> bool:
    """Whether the comment nearest above a place in output says that it is another's: "# laptop, works"."""
    remarks = list(linear(_REMARK).finditer(raw[max(at - _MAX_REMARKED, 0) : at]))
    return bool(remarks) and whose(remarks[-1].group(1)) is True


def led_to(raw: str, *, fails: bool = False) -> bool | None:
    """`whose` of the last sentence of prose; where that only points back, as "There I have:", of the one before it."""
    text = raw.rstrip(_FENCE)[-_MAX_LEAD:].rsplit("\n\n", 1)[-1]
    spans = sentence_spans(text)
    if not spans:
        return None
    lead = text[slice(*spans[-1])]
    said = whose(lead, fails=fails)
    only_names = len(lead.split()) <= _SHORT or linear(_BACK).match(lead) is not None
    if said is None and only_names and len(spans) > 1:
        return True if whose(text[slice(*spans[-2])], fails=fails) else None
    return said


def is_anothers(issue: IssueText, blocks: tuple[LogBlock, ...], number: int) -> bool:
    """Whether the words around a block of output, or around the link to an attached log, say that it is another's or
    that all is well there."""
    block = blocks[number]
    fails = linear(_ERROR).search(block.raw) is not None
    if block.span.post > 0 and not issue.posts[block.span.post].markdown:
        return whose(_at_link(issue, block.span.post), fails=fails) is True
    if block.kind not in _OUTPUT:
        return False
    below = blocks[number + 1] if number + 1 < len(blocks) else None
    under = below is not None and below.kind is BlockKind.PROSE and below.span.post == block.span.post
    if under and below is not None and _is_referred_away(below.raw, fails=fails):
        return True
    first = number
    while first and _goes_on(blocks[first - 1]) and blocks[first - 1].span.post == block.span.post:
        first -= 1  # a command and its output, each in a fence of its own, have one line above them
    above = blocks[first - 1] if first else None
    led = above is not None and above.kind is BlockKind.PROSE and above.span.post == block.span.post
    return led and above is not None and led_to(above.raw, fails=fails) is True


def _is_referred_away(raw: str, *, fails: bool) -> bool:
    """Whether the first sentence below a block speaks of it, and says that it is another's."""
    text = raw.lstrip(_FENCE)[:_MAX_LEAD].split("\n\n", 1)[0]
    spans = sentence_spans(text)
    first = text[slice(*spans[0])] if spans else ""
    if linear(_REFERS).match(first) is None or first.rstrip(" \t*_`").endswith((":", "：")):
        return False
    if any(m.kind == "fails" for m in marks(first)) or linear(_TURNS).search(first):
        return linear(_PERSON).search(first) is not None and whose(first) is True
    return whose(first, fails=fails) is True


def _at_link(issue: IssueText, post: int) -> str:
    """What the reporter writes around the link to an attached log, up to the links beside it."""
    url = issue.posts[post].url
    for earlier in reversed(issue.posts[:post]):
        at = earlier.text.find(url) if url and earlier.markdown and earlier.role is Role.REPORTER else -1
        if at < 0 or url is None:
            continue
        before = earlier.text[max(at - _MAX_LINK, 0) : at]
        spans = sentence_spans(before)
        before = before[spans[-1][0] :] if spans else before
        behind = earlier.text[at + len(url) : at + len(url) + _MAX_LINK].lstrip(")")
        note = linear(r"^\s?\(([^()\n]*)\)").match(behind)
        return before[before.rfind("](") + 2 if "](" in before[:-2] else 0 :] + (f" {note.group(1)}" if note else "")
    return ""
