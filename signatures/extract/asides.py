"""Sentences that quote a failure which is not the writer's own, or not any more: ranges of a sentence.

Each kind is a table row: the words that open it, and how far they reach. Somebody else's issue, what is gone, what
would or should happen, a wish, a change that repairs it, a search for it. What the writer says of himself ("I still
get ...") wins over all of them. Output is never judged here.
"""

from __future__ import annotations

from signatures.extract.aside_kinds import FORMERLY, KINDS, PERSON_HAS, THEN
from signatures.extract.over import is_gone, is_over_itself
from signatures.linear import linear
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    IsQuoted = Callable[[int], bool]

Range = tuple[int, int]
MAX_GOVERNED = 600  # characters that one word can govern
MAX_SENTENCE = 4000  # characters; what goes on longer is no sentence

_FIRST = (
    r"(?i)\b(?:i|we)(?:'m| am|'re| are|'ve| have)?\s+(?:\w+\s+){0,2}?(?:get|got|gets|getting|see|saw|seeing|hit"
    r"|hitting"
    r"|receive|received|face|facing|run into|ran into|observe|experience)\b"
    r"|\b(?:it|mine|this|that) (?:still |now |also |always )?(?:fails|crashes|prints|throws|shows) (?:with|me)\b"
    r"|\bmy (?:own |full |exact |whole |complete |actual )?(?:error|log|output|failure|crash)\b"
)
_RID = r"(?i)^\s+(?:rid|past|around|over|it (?:to|working|fixed|solved))\b"
_DENIED = r"(?i)\b(?:not|never|no longer|hardly|cannot|used to)\b|n't\b"
_SAME = (
    r"(?i)\b(?:same (?:error|as|issue|problem|failure|here|thing|root|message|symptom|crash|for me|on mine)"
    r"|duplicate of"
    r"|identical|exactly (?:as|like)|me too|also (?:happens?|gets?|sees?|fails?|affect\w*)|so do i|as well|again|too"
    r"|and (?:i|me|we|so)\b)\b"
)
_COMES_BACK = (
    r"(?i)\b(?:still|came back|comes back|is back|returned|again|not for me|(?:but|yet|however),? (?:i|we|it"
    r"|mine)\b[^.;]{0,20}"
    r"\b(?:see|get|fails?|happens|crash\w*))\b"
)
_HOPE = (
    r"(?i)\b(?:not|never|until|unless|once|if|when|hope\w*|should|will|would|to|can|could|must"
    r"|wait\w*)\s+(?:\w+\s+){0,2}$|n't\s+$"
)
_ENDS = (
    r"(?i)[;!?—–]|[.:](?:\s|$)|,?\s+(?:but|whereas|while|however|yet|instead|mine|actual(?:ly)?)\b"
    r"|,\s+(?:i|my|we|our|now|and|it|got|the)\b|\band (?:i |now |then )?(?:get|got|see|fails?|it|now)\b"
)
_PAST = (
    r"(?i)\b(?:previously|formerly|used to|in the past|originally|at first|initially|earlier|yesterday|last (?:week"
    r"|month))\b"
)
_NOW_GOOD = (
    r"(?i)\b(?:(?:but|and|which|it|all|everything|that|now)\s+)?(?:now\s+(?:it\s+|everything\s+|all\s+|the model\s+)?"
    r"(?:loads?|works?|runs?|is (?:fine|ok|okay|good|gone)|succeeds?)|(?:it|everything|all|that) (?:now )?"
    r"(?:works?|loads|runs fine|is (?:fine|good|ok|okay|gone|solved|fixed))|(?:loads?|works?|runs?) (?:fine "
    r"|well )?(?:now|again))\b"
)
_GONE = (
    r"(?i)(?:\b(?:is|are|was|were|has|have|got|been|now|finally)\s+(?:now\s+|been\s+|all\s+|finally\s+|completely\s+"
    r"|since\s+"
    r"|already\s+|indeed\s+)*(?:gone|fixed|resolved|solved|history|vanished|disappeared)\b"
    r"|\b(?:it|that|this)'s (?:now |all )?(?:gone|fixed|resolved|solved)\b|\bwent away\b|\b(?:vanish|disappear)(?:s"
    r"|ed)\b"
    r"|\bno longer\s+(?:happen|occur|appear|show|fail|print|crash|reproduc|exist|there|present|an issue|a problem"
    r"|shown)\w*"
    r"|\b(?:does|do|did)(?:n't| not)\s+(?:happen|occur|appear|show up|show|fail|crash|segfault|exist"
    r"|print)\w*\s+(?:any ?more"
    r"|any longer|for me|here|now)\b|(?:[-–—:]|\()\s{0,3}(?:now |already )?(?:resolved|solved|fixed|gone)\b"
    r"|\bwas my (?:own )?(?:mistake|fault|error|typo)\b)"
)
_WAS_IT = r"(?i)\bwas the (?:problem|cause|culprit|reason|issue)\b"
_PRONOUN = r"(?i)\b(?:that|it|this|which)(?:'s| is| was| has been| has| went)?\b[\s\w]{0,12}$"
_CLAUSE_START = (
    r"(?i)[;]|(?:,\s+|\s)(?:but|however)\s|,\s+(?:now|the|my|all|and)\s|\band the (?:old|other|previous|former)\b"
)
_WORKAROUND = r"(?i)\b(?:work-?arounds?|work around)\b[^.!?]{0,80}$"
_NO = (
    r"(?i)(?:^\W*no\b|\bthere(?:'s| is| was| are| were)\s+(?:now\s+)?no\b|\b(?:i|we)\s+(?:\w+\s+)?(?:see|get|got"
    r"|have|had|saw)\s+no\b)"
    r"\s+[\"'\x60(]?(\w+)"
)
# A program, too, says "No adapters found."; a person says that something is not there
_ABSENT = (
    r"(?i)\b(?:here|any ?more|any longer|at all|for me|on my (?:side|machine|end)|in my (?:case|logs?)|this time"
    r"|so far)\b"
    r"|[;,]\s*(?:it|mine|just|only|everything)\b|\b(?:i|we)\s+(?:\w+\s+)?(?:see|get|got|have|had|saw)\s+no\b"
    r"|\bno\s+[\"'\x60]"
)
_NO_MATTER = (
    r"(?i)workarounds?|fix|solution|way|idea|help|option|newer|updates?|luck|matter|change|difference|docs?"
    r"|documentation|hint|further"
    r"|other|response|progress|doubt|reason|need|wonder|clue|answer|longer|one|question|success"
)
_NO_ENDS = (
    r"(?i)[;:!?—–]|\.(?:\s|$)|,\s|\b(?:but|however|i|we|except|other than|apart from|besides|only|just|because|since"
    r"|still)\b"
)
_ASKED = r"(?i)^\W*what (?:does|is|do)\b[^?]*\?"
_NOT_HAD = (
    r"(?i)\b(?:not|n't|never)\s+(?:actually\s+)?(?:getting|seeing|hitting|see|get|have|having|seen)\b|\bjust curious\b"
)
_ANSWERED = (
    r"(?i)^\W*(?:but |and |luckily |fortunately )?(?:it|this|that|the (?:error|problem|issue|crash|failure)"
    r"|all (?:of )?(?:it|that|this))"
    r"(?:'s|\s+(?:is|was|has been|got|has|are))?\s+(?:now\s+|all\s+|since\s+|already\s+|been\s+)*"
    r"(?:gone|fixed|resolved|solved|is history|no longer (?:an? )?(?:problem|issue)|disappeared|vanished|went away)\b"
)
_OLD_OUTPUT = (
    r"(?i)\b(?:before the (?:fix|update|upgrade|change)|old (?:log|output|error|message)"
    r"|previous(?:ly)?\b[^.:]{0,40}\b(?:printed|gave"
    r"|showed|logged|failed|was|got)|used to (?:print|give|get|show|fail|see))\b"
)
_FIXED_LOG = (
    r"(?i)[,(;–—-]\s{0,3}(?:now |already |since |meanwhile )?(?:fixed|solved|resolved|gone|behoben|gelöst"
    r"|corrigé|résolu)"
    r"(?:\s[^.!?]{0,60})?\)?\s*:?\W*$"
)
_ON_PURPOSE = (
    r"(?i)^\W*(?:i|we)(?:'ve| have)? (?:made|wrote|did|caused|broke|provoked|built|produced) (?:this|that|it|the \w+)\b"
    r"[^.!?]{0,40}\b(?:on purpose|deliberately|intentionally)\b"
)
# "I expect this:" announces what stands below; "I expected an answer, but this is printed:" and "It runs at a tenth of
# what I expect." do not
_ANNOUNCED = r"(?i)[:：][ \t*_\x60]*$|\b(?:as follows|(?:like )?(?:the )?following|below|like (?:this|so))\b"
_CONTRASTED = (
    r"(?i)\b(?:what|than|as|like) (?:i|we) (?:would |had )?expect|\bexpect\w*\b.{0,300}?\b(?:but|however|instead|yet"
    r"|actual(?:ly)?)\b"
)
# "I fixed the path, and then got:" leads to what came next, "I fixed it now:" to what was fixed
_NEXT = (
    r"(?i)^\W*(?:\w+ ){0,2}?(?:(?:i|we)(?:'ve| have)?\s+(?:\w+\s+)?)?(?:solved|fixed|resolved|got rid of|worked around"
    r"|overcame|got past|silenced)\b[^.!?]{0,120}?(?:[,;]\s*(?:and |but |only )?|\s(?:and|but)\s)"
    r"(?:then|now|next|after that|afterwards)\b([^.!?]{0,60})$"
)
_NEXT_COMES = (
    r"(?i)^[\s,]*(?:[:：]\W*$|(?:(?:i|we|it|this|that|there|(?:the|an?|my|our|another)(?: [\w.-]+){1,3}?)\s+)?"
    r"(?:g[eo]t|gets|getting|says?|said|shows?|showed|appear(?:s|ed)?|came|comes|fail(?:s|ed)?|hits?|r[au]n into"
    r"|prints?|printed|throws?|threw|raises?|gives?|gave|occur(?:s|red)?)\b"
    r"|(?:(?:the|an?|this|another|one)\s+)?(?:next |other |new |following |different )?"
    r"(?:errors?|problem|issue|crash|one|message)\W*$|(?:this|that)\W*$)"
)
_NEXT_NOT = r"(?i)\b(?:not?|never|nothing|none|without|gone|was|were|had|works?|fine|fixed|solved|resolved)\b|n't\b"
_WISHED = r"(?i)^\W*(?:instead of|rather than)\b[^.!?]{0,30}$"
# One of these is in every sentence that this module dismisses anything of.
_ANY = (
    r"(?i)#\d|/(?:issues|pull|discussions)/|\b(?:colleague|co-?worker|friend|team ?mate|user|people|reporter|person"
    r"|customer|some(?:one"
    r"|body)|others|he|she|they|if|when|whenever|in case|would|could|might|may|should|expect\w*|desired|feature"
    r"|enhancement"
    r"|proposal|suggestion|documentation|docs|rfc|wish\w*|better|clearer|friendlier|nicer|helpful|readable|useful"
    r"|improv\w*|reword"
    r"|translate|fix\w*|prevent\w*|avoid\w*|resolve\w*|address\w*|close\w*|handle\w*|suppress\w*|removes?"
    r"|works around|stops?|solved"
    r"|got rid|worked around|overcame|got past|silenced|search\w*|google\w*|look\w*|grep\w*|scanned|confuse[ds]?"
    r"|mistaken"
    r"|different|changed|reproduc\w*|no|gone|history|vanish\w*|disappear\w*|away|no longer|any ?more|any longer"
    r"|mistake|fault|typo|previously|formerly|used to|past|originally|at first|initially|earlier|yesterday|last|what"
    r"|anyone"
    r"|persons?|users|newcomers|find|contain|change ?log|notes|purpose|deliberately"
    r"|intentionally|works|fine|loads|runs|here|for me|not|n't)\b"
)


def may_be_aside(text: str) -> bool:
    """Cheap, and never wrong with a no."""
    return linear(_ANY).search(text) is not None


def speaks_of_self(sentence: str) -> bool:
    """Whether the writer says in it what he himself gets."""
    return any(
        linear(_DENIED).search(m.group()) is None and linear(_RID).match(sentence[m.end() : m.end() + 20]) is None
        for m in linear(_FIRST).finditer(sentence[:MAX_SENTENCE])
    )


def asides(sentence: str, following: str, is_quoted: IsQuoted) -> list[Range]:
    """Ranges of a sentence that are not the writer's failure. `following` is the sentence behind it.

    `is_quoted(at)`: whether the offset stands in code or in a program's own words, which open nothing.
    """
    if len(sentence) > MAX_SENTENCE:
        return []
    found = [*_opened(sentence, is_quoted), *_none(sentence, is_quoted), *_gone(sentence, is_quoted)]
    if linear(_ASKED).search(sentence) and linear(_NOT_HAD).search(following):
        found.append((0, len(sentence)))
    if takes_back(following) or is_over_itself(sentence):
        found.append((0, len(sentence)))
    return found


def leads_away(sentence: str) -> bool:
    """Whether what stands under this sentence, output or quote, is not the writer's failure."""
    if linear(FORMERLY).search(sentence) and linear(_COMES_BACK).search(sentence) is None:
        return True
    if speaks_of_self(sentence) or linear(_SAME).search(sentence) or _goes_on(sentence):
        return False
    if any(linear(p).search(sentence) for p in (_OLD_OUTPUT, _WISHED, _WORKAROUND, _FIXED_LOG)):
        return True
    lower = sentence.casefold()
    turned = linear(THEN).search(sentence) is not None
    hinted = (k for k in KINDS if any(h in lower for h in k.hints.split()) and not (turned and k.despite_same))
    announced = linear(_ANNOUNCED).search(sentence) is not None and linear(_CONTRASTED).search(sentence) is None
    # "somebody mentioned 0.15.2" hands over a version, not what stands below
    versioned = not announced and linear(r"\d\.\d").search(sentence) is not None
    return any(
        linear(k.opens).search(sentence) is not None
        for k in hinted
        if announced or not (k.announces or (versioned and k.opens is PERSON_HAS))
    )


def _goes_on(sentence: str) -> bool:
    """Whether the writer repaired something else, and names what came after it."""
    hit = linear(_NEXT).search(sentence)
    if hit is None:
        return False
    return linear(_NEXT_COMES).search(hit.group(1)) is not None and linear(_NEXT_NOT).search(hit.group(1)) is None


def takes_back(sentence: str) -> bool:
    """Whether a sentence says of the output above it that this is over: "That is gone since the update." """
    if linear(_ON_PURPOSE).search(sentence):
        return True
    answered = linear(_ANSWERED).search(sentence) is not None or is_gone(sentence)
    return answered and linear(_COMES_BACK).search(sentence) is None


def says_same(sentence: str) -> bool:
    """Whether the writer says that he gets the same as somebody else."""
    return linear(_SAME).search(sentence) is not None


def _opened(sentence: str, is_quoted: IsQuoted) -> list[Range]:
    found: list[Range] = []
    lower = sentence.casefold()
    for kind in KINDS:
        if not any(h in lower for h in kind.hints.split()):
            continue
        hit = linear(kind.opens).search(sentence)
        if hit is None or is_quoted(hit.start()):
            continue
        # what others see stays theirs when the writer goes on with what he sees
        own = sentence if kind.despite_same else sentence[: hit.end()]
        if not kind.despite_first and speaks_of_self(own):
            continue
        if not kind.despite_same and linear(_SAME).search(sentence):
            continue
        if kind.reach == "whole":
            found.append((0, len(sentence)))
        elif linear(_HOPE).search(sentence[: hit.start()]) is None or "confus" in hit.group():
            colon = linear(r"\s?:").match(sentence[hit.end() :])
            found.append((hit.start(), clause_end(sentence, hit.end() + (colon.end() if colon else 0))))
    return found


def _none(sentence: str, is_quoted: IsQuoted) -> list[Range]:
    found: list[Range] = []
    if linear(_ABSENT).search(sentence) is None:
        return found
    for hit in linear(_NO).finditer(sentence):
        if not is_quoted(hit.start()) and linear(_NO_MATTER).fullmatch(hit.group(1)) is None:
            found.append((hit.start(), clause_end(sentence, hit.start(1) - 1, _NO_ENDS)))
    return found


def _gone(sentence: str, is_quoted: IsQuoted) -> list[Range]:
    if sentence.rstrip(" \"'`*_)").endswith("?"):
        return []
    found: list[Range] = []
    hits = [m.span() for m in linear(_GONE).finditer(sentence) if linear(_HOPE).search(sentence[: m.start()]) is None]
    past = linear(_PAST).search(sentence)
    good = linear(_NOW_GOOD).search(sentence)
    if good:
        before = sentence[: good.start()]
        if (past and past.start() < good.start()) or linear(_WAS_IT).search(before):
            found.append((0, good.start()))
    for start, end in hits:
        if is_quoted(start) or linear(_COMES_BACK).search(sentence[end:]):
            continue
        pronoun = linear(_PRONOUN).search(sentence[:start]) or linear(r"(?i)^(?:it|that|this)'s").match(
            sentence[start:]
        )
        cuts = [] if pronoun else [m.end() for m in linear(_CLAUSE_START).finditer(sentence[:start])]
        found.append((cuts[-1] if cuts else 0, end))
    return found


def clause_end(sentence: str, after: int, ends: str = _ENDS) -> int:
    """Where the clause that holds `after` ends. Quoted or code text behind it belongs to it as a whole."""
    limit = min(len(sentence), after + MAX_GOVERNED)
    for mark in "`\"'":
        opening = sentence.find(mark, max(after - 1, 0), after + 40)
        if mark == "'" and sentence[max(opening - 1, 0) : opening].strip(" ("):
            continue  # an apostrophe
        closing = sentence.find(mark, opening + 1, limit) if opening >= 0 else -1
        if closing > 0 and linear(ends).search(sentence[after:opening]) is None:
            after = closing + 1
            break
    stop = linear(ends).search(sentence[after:limit])
    if stop is None:
        return limit
    end = after + stop.start()
    # a stop inside parentheses ends nothing: "(DynamicLib.Open: dxil.dll ...)"
    low = max(after - MAX_GOVERNED, 0)
    opening, closing = sentence.rfind("(", low, end), sentence.find(")", end, limit)
    inside = opening >= 0 and opening > sentence.rfind(")", low, end) and closing > 0
    return closing + 1 if inside else end
