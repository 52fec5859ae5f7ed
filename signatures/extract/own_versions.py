"""Whether a text says that its writer runs a version: what he uses, what fails, or a line that lists what is there.

A version beside words of success, denial, doubt, a plan, another person or another release is not his, nor one in a
sentence that says something else. What is lost by that costs a question; what is wrongly taken costs a wrong answer.
"""

from __future__ import annotations

from signatures.extract.leads import led_to
from signatures.extract.marks import Mark, marks
from signatures.extract.tables import cells
from signatures.extract.version_words import PLAIN
from signatures.linear import linear

_REACH = 400  # characters before and after a version that are read
_WORDS = frozenset(PLAIN.split())
_STOP = r"[.!?][\"')\]*_\x60]{0,4}(?:\s|$)|[。！？]|\n[ \t\r>]*\n|\n[ \t>]*(?:[-*•·◦▪●+]|\d{1,3}[.)])[ \t]|\n[ \t]*[#|]"
_SHORT = r"(?i)(?:^|[\s(\[])(?:e\. ?g|i\. ?e|z\. ?b|p\. ?ej|par ex|ex|vs|approx|ver|no|cf|incl|etc|ca|bsp|\w)\.$|\d\.$"
_ITEM = r"^[ \t>]*(?:(?:[-*•·◦▪●+]|\d{1,3}[.)])[ \t]|\|)"  # of a list or a table
_MAX_HEAD = 100  # characters of a line that leads to a list
_LABEL = (
    r"^[ \t>]*(?:(?:[-*•·◦▪●+■]|\d{1,2}[.)])[ \t]+)?(?:\[[xX]\][ \t]+)?[*_\x60]{0,3}([^\s:：=|][^:：=\n"
    r"|]{0,70}?)[ \t]*[*_\x60]{0,3}[ \t]*[:：=]"
)
_CLAUSE = (
    r"(?i)[,;:，；：、()\[\]]|\s[–—-]+\s|[–—]|\||\n|\b(?:but|while|whereas|although|though|however|and|because"
    r"|since it"
    r"|aber|und|sondern|w(?:ä|ae)hrend|mais|et|alors que|pero|mientras)\b|但是?|而|不过|けど|ですが|が、"
)
_OTHER_VERSION = r"(?:^|[^\w.])v?\d+\.\d+(?:\.\d+)*"
_OF_NEXT = (
    r"(?i)\b(?:in|with|on|until|till|before|up to|under|since|from|mit|bis|von|avec|depuis|con|hasta|desde"
    r"|en)\s(?:[\w.-]+\s){0,3}$"
)
_JOINED = (
    r"(?i)[\s\x60*\"',/&+]{0,6}(?:(?:and|or|und|oder|et|ou|y|o|和|或|と"
    r"|や)[\s\x60*\"']{1,3})?(?:[A-Za-z][\w.-]*\s){0,3}"
)
_WORD = r"[^\s,;:()\[\]\"'\x60*_|/<>=]+"
# the older one of "0.13.2 -> 0.14.0", and what a text says that is cited
_MOVES_ON = r"(?i)^[\s\"'\x60*_)]{0,4}(?:[-=–—]{1,2}>|[→⇒➜])\s{0,2}[\"'\x60*]{0,2}v?\d+\.\d"
_CITED = r"(?i)\b(?:says?|states?|reads|claims?|writes?)\s{0,2}[:：]?\s{0,2}[\"'\x60“][^\"'\x60”]{3,80}$"
_OWN_SPEAKER = (
    r"(?i)\b(?:logs?|output|console|cli|terminal|app|about|dialog|screen|installer|window|it|pip|npm|manager)\b"
)
_BAD_LABEL = (
    r"(?i)\b(?:prereq\w*|last|latest|newest|first|previous(?:ly)?|prior|earlier|old(?:er)?|former|known|good"
    r"|work(?:s|ed"
    r"|ing)?|ok"
    r"|pass\w*|fine|fixed|fix(?:es)?|resolve[ds]|solve[ds]|expected|desired|wanted|required?|requires"
    r"|requirements?|needs?|needed"
    r"|minimum|min|maximum|recommended|supported|available|target|upstream|reference|baseline|control"
    r"|regress\w*|since"
    r"|before|until|should|would|upgrade\w*|update\w*|downgrade\w*|other|another|compar\w*|similar|related|examples?"
    r"|e\.?g|template|not|never|un(?:affected|tested)|planned|next|upcoming|did it|does it|was it|rollback"
    r"|letzte\w*|neueste\w*|funktion\w*|erwartet\w*|ben(?:ö|oe)tigt\w*|derni(?:è|e)re|fonctionn\w*|attendue?|requise?"
    r"|(?:ú|u)ltim[ao]|funcion\w*|esperad[ao]|requerid[ao])\b|最新|上一|之前|正常|可用|预期|期望|要求|最低|最後"
    r"|動作|期待|必要"
)
_BAD_VERDICT = (
    r"(?i)^[\s\x60*_]{0,4}(?:works?|worked|working|pass(?:ed|es)?|ok(?:ay)?|good|fine|yes|success\w*|correct|clean|no"
    r"(?: errors?| crash| problem| issue)?|none|not affected|unaffected|0 errors|true|✅.*|✔.*|👍.*|🟢.*"
    r"|:white_check_mark:"
    r"|正常|成功|没问题|geht|l(?:ä|ae)uft|oui|s(?:í|i))\b?.{0,20}$"
)
_ASKS_OWN = r"(?i)\b(?:you(?:r)?|using|use|installed|run(?:ning)?|affected)\b"


# under way, or not to be had: "installing 1.2 now", "I cannot find 1.2"; "after installing 1.2" is done
_NAMED = (
    r"(?:(?:the|an?|version|release|of|to|it|now|latest|newest|newer|new|this|that|my|our|[a-z]*[-.][\w.-]+"
    r"|(?-i:[A-Z])[\w.-]*)\s){0,5}$"
)
_UNDER_WAY = (
    r"(?i)(?:\b(?:installing|downloading|updating|upgrading|fetching)|\b(?:download|installer|installation|install"
    r"|upgrade|update) (?:of|to|for))\s" + _NAMED
)
_DONE = r"(?i)\b(?:after|since|once|when|upon|following|by|with|due to|because of|despite)\s(?:[\w'-]+\s){0,2}$"
_NOT_HAD = (
    r"(?i)\b(?:\w+n'?t|cannot|not|never|unable to|not allowed to|failed to|impossible to)\s(?:\w+\s){0,2}?(?:find|see"
    r"|obtain|download|install|upgrade|update|locate|reach|fetch)\s" + _NAMED
)
_REMOVED = (
    r"(?i)\b(?:i|we)(?:'ve| have| had)?\s(?:\w+\s){0,2}?(?:replaced|removed|uninstalled|deleted|dropped|got rid of)"
    r"\s(?:it|that|this)\b"
)


def is_another(heading: str) -> bool:
    """Whether a heading or a label speaks of another version than the failing one: "Last working version"."""
    return linear(_BAD_LABEL).search(heading) is not None


def states_own(text: str, start: int, end: int, *, field: bool = False, strict: bool = True) -> bool:
    """Whether the writer says that he runs what stands at [start, end) of his text.

    `field`: the text answers a form field that asks for it. `strict`: a sentence must say so; else it is enough that
    it says nothing else.
    """
    low, high = _sentence(text, start, end)
    if not field and (is_led_away(text, low) or in_row_of_another(text, start, end)):
        return False
    sentence = text[low:high]
    at, stop = start - low, end - low
    if not field and linear(_MOVES_ON).match(text[end : end + 20]):
        return False
    cited = linear(_CITED).search(sentence[:at])
    if cited and linear(_OWN_SPEAKER).search(sentence[: cited.start()]) is None:
        return False
    label = _label(sentence, at)
    if label and is_another(label):
        return False
    blank = sentence[:at] + "\x00" * (stop - at) + sentence[stop:]
    return _Reading(blank, at, stop).is_own(field=field, strict=strict)


def is_listed_as_another(line: str, start: int, end: int) -> bool:
    """Whether a line of output labels the version at [start, end) as another one, or says that all is well with it."""
    before, behind = line[:start].rstrip(), line[end:].strip(" \t:=–—-\"'")
    labelled = before.endswith((":", "=", "：")) and is_another(before[-60:]) and "satisfied" not in before
    return labelled or (bool(behind) and linear(_BAD_VERDICT).match(behind) is not None)


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence, the list item, the row or the line with a label that holds [start, end)."""
    low = max(start - _REACH, 0)
    found = [low + m.start() for m in linear(_STOP).finditer(text[low:start])]
    found = [c for c in found if text[c] != "." or linear(_SHORT).search(text[max(c - 8, 0) : c + 1]) is None]
    first = found[-1] + 1 if found else low
    stop = linear(_STOP).search(text[end : end + _REACH])
    last = end + stop.start() + (text[end + stop.start()] != "\n") if stop else min(len(text), end + _REACH)
    line = text.rfind("\n", first, start) + 1
    if line > first and (linear(_LABEL).match(text[line : line + 90]) or linear(_LABEL).match(text[first:line])):
        first = line
    below = text.find("\n", end, last)
    if below >= 0 and (linear(_LABEL).match(text[first : first + 90]) or linear(_LABEL).match(text[below + 1 : last])):
        last = below
    return first, last


def _label(sentence: str, at: int) -> str:
    """What stands in front of the colon behind which the version stands."""
    found = linear(_LABEL).match(sentence[:at])
    return found.group(1) if found else ""


def is_led_away(text: str, low: int) -> bool:
    """Whether the line above a list or a table, or directly above the line at `low`, says that it is another's."""
    lines = text[max(low - 2000, 0) : low].rstrip().split("\n")
    for line in reversed(lines[-20:]):
        if linear(_ITEM).match(line) or not line.strip():
            continue
        head = line.strip(" \t*_#>|")
        if not head.endswith((":", "：")) or len(head) >= _MAX_HEAD:
            return False
        said = led_to(head)
        return is_another(head) if said is None else said
    return False


def in_row_of_another(text: str, start: int, end: int) -> bool:
    """Whether a version stands in a table's row that says that all is well there, or that it is another's."""
    line = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    row = text[line : stop if stop >= 0 else len(text)]
    if row.count("|") < 1 and row.count("\t") < 1:
        return False
    mark = "|" if "|" in row else "\t"
    if any(c.start <= start < c.end and is_another(c.header) for c in cells(text)):
        return True
    at = 0
    for cell in row.split(mark):
        holds = line + at <= start < line + at + len(cell)
        at += len(cell) + 1
        if not holds and cell.strip() and (linear(_BAD_VERDICT).match(cell.strip()) or _names_another(cell)):
            return True
    return False


def _names_another(cell: str) -> bool:
    return len(cell) < 60 and is_another(cell) and linear(r"\d\.\d").search(cell) is None


class _Reading:
    """One sentence with a version at [at, end), whose own words are blanked out."""

    def __init__(self, sentence: str, at: int, end: int) -> None:
        self._text = sentence
        self._at, self._end = at, end
        self._marks = marks(sentence)
        cuts = [m.span() for m in linear(_CLAUSE).finditer(sentence)]
        self._low = max((b for _, b in cuts if b <= at), default=0)
        self._high = min((a for a, _ in cuts if a >= end), default=len(sentence))
        if linear(r"^\s{0,2}[(\[]").match(sentence[self._high :]):
            # a parenthesis right behind it speaks of it
            closing = sentence.find(")", self._high)
            self._high = closing if closing > 0 else self._high
        elif linear(
            r"(?i)^\s{0,2},?\s{0,2}(?:which|that|never|not yet|not (?:installed|us\w+|tried|tested|affected"
            r"|mine|present)|welche\w*|qui|que)\b"
        ).match(sentence[self._high :]):
            self._high = min((a for a, b in cuts if a > self._high), default=len(sentence))
        self._clause = (self._low, self._high)
        self._first, self._last = self._stretch(cuts)
        self._low, self._high = max(self._low, self._first), min(self._high, self._last)

    def _stretch(self, cuts: list[tuple[int, int]]) -> tuple[int, int]:
        """The part of the sentence up to the clauses of its other versions; those listed with this one share its."""
        others = [m.span() for m in linear(_OTHER_VERSION).finditer(self._text)]
        first, at = 0, self._at
        for start, end in reversed([o for o in others if o[1] <= self._at]):
            if not self._is_joined(end, at):
                # "1.2 works and 1.3": what is said behind a version is said of it
                first = max(min((a for a, _ in cuts if a >= end), default=end), end)
                break
            at = start
            self._low = min(self._low, max((b for _, b in cuts if b <= at), default=0))
        last, stop = len(self._text), self._end
        for start, end in (o for o in others if o[0] >= self._end):
            if not self._is_joined(stop, start):
                begin = max((b for _, b in cuts if stop <= b <= start), default=start)
                governed = linear(_OF_NEXT).search(self._text[stop:start])
                last = begin if begin < start or governed is None else stop
                break
            stop = end
            self._high = max(self._high, min((a for a, _ in cuts if a >= stop), default=len(self._text)))
        return first, last

    def _is_joined(self, start: int, end: int) -> bool:
        """Whether nothing but "and" and a name stands between two versions."""
        between = linear(_JOINED).fullmatch(self._text[start:end]) is not None
        apart = linear(r"(?i)\b(?:to|from|not|until|till|than|for)\b").search(self._text[start:end]) is not None
        return between and not apart and not any(start <= m.start < end for m in self._marks)

    def is_own(self, *, field: bool, strict: bool) -> bool:
        kinds = {m.kind for m in self._within(self._low, self._high)}
        behind = [m.kind for m in self._within(self._end, self._last) if m.kind in ("fails", "well")]
        before = [m.kind for m in self._within(self._first, self._at) if m.kind in ("fails", "well")]
        fails = "fails" in kinds or behind[:1] == ["fails"]
        if self._is_denied(kinds, fails=fails):
            return False
        mine = field or self._is_mine()
        if not mine and not fails and "offered" in kinds:
            return False
        told = self._told(kinds, behind, before, mine=mine)
        if told is not None:
            return told
        return mine or not strict or self._is_plain()

    def _is_denied(self, kinds: set[str], *, fails: bool) -> bool:
        led = {m.kind for m in self._within(0, self._at)}
        if self._is_not_there(fails=fails):
            return True
        if "another" in kinds or "example" in kinds or "example" in led:
            return True
        if "planned" in {m.kind for m in self._within(self._low, self._at)} or ("planned" in kinds and not fails):
            return True
        if "perhaps" in kinds and not fails:
            return True
        denied = [m for m in self._within(self._low, self._high) if m.kind == "not"]
        return any(m.start < self._at or not fails for m in denied)

    def _is_not_there(self, *, fails: bool) -> bool:
        """Whether the version is only on its way, not to be had, or gone again."""
        before = self._text[self._first : self._at]
        coming = linear(_UNDER_WAY).search(before)
        if coming is not None and linear(_DONE).search(before[: coming.start()]) is None:
            return True
        gone = linear(_REMOVED).search(self._text[self._end :]) is not None
        return linear(_NOT_HAD).search(before) is not None or (gone and not fails)

    def _told(self, kinds: set[str], behind: list[str], before: list[str], *, mine: bool) -> bool | None:
        """What the words of failure and success say of it, the nearest first; None where there are none."""
        if "fails" in kinds or "well" in kinds:
            if not {"fails", "well"} <= kinds:
                return "fails" in kinds or (mine and "fails" in behind)
            near = [m for m in self._within(self._end, self._high) if m.kind in ("fails", "well")]
            near = near or list(reversed([m for m in self._within(self._low, self._at) if m.kind in ("fails", "well")]))
            return near[0].kind == "fails"
        if behind:
            return behind[0] == "fails" or (mine and "fails" in behind)
        return before[-1] == "fails" if before else None

    def _is_mine(self) -> bool:
        return any(
            m.kind == "mine" for m in (*self._within(self._first, self._at), *self._within(self._end, self._high))
        )

    def _is_plain(self) -> bool:
        """Whether the clause only names things: no word in it says something of them."""
        label = _label(self._text, self._at)
        opening = self._text[: self._at].strip(" \t\n*_`#>-\"'(")
        if opening.isalpha() and opening.casefold() not in _WORDS:
            return False  # "Skipped 1.2"
        words = [m.group() for m in linear(_WORD).finditer(self._text[self._clause[0] : self._at])][-6:]
        words += [m.group() for m in linear(_WORD).finditer(self._text[self._end : self._clause[1]])][:6]
        words += [m.group() for m in linear(_WORD).finditer(label)]
        return all(_is_name(w) for w in words)

    def _within(self, start: int, end: int) -> list[Mark]:
        return [m for m in self._marks if start <= m.start < end]


def _is_name(word: str) -> bool:
    word = word.strip(".!?\x00-–—+&")
    if not word or word.casefold() in _WORDS:
        return True
    return word.isascii() and any(c.isdigit() or c.isupper() or c in "-._" for c in word)
