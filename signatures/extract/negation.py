"""Whether the words around a mention say that it is not the reporter's failing environment.

"not on macOS", "works on 0.13.1", "fixed in 1.2.1", "upgrade to 1.2.1": each names something that is not what failed.
It looks at one sentence only.
"""

from __future__ import annotations

from signatures.extract.foreign import foreign, said_of_another
from signatures.linear import linear

_NEAR = 90  # characters before and after the mention
_CUT = r"[.;!?][\"')\]]{0,2}\s|\n[ \t>]*\n|\n[ \t>]*(?:[-*•·◦▪●+]|\d{1,3}[.)])[ \t]|\t|\n[ \t]*[#|]|\s\|\s"

_NOT = (
    r"(?i)\b(?:(?:not|never|no longer|nor|neither|isn't|wasn't|aren't|doesn't|didn't|don't)\s+"
    r"(?:(?:on|with|in|an?|the|using|from|for|about|to|via|reproduc\w+|seen|affect\w*|happen\w*|occur\w*|fail\w*"
    r"|crash\w*|observed|present|only)\s+){0,4}"
    r"|(?:without|unlike|instead of|rather than|except(?: for| on)?|other than|excluding|no|different from"
    r"|as opposed to)\s+(?:[^\s,;]+\s+){0,2})$"
)
_WORKS = (
    r"(?i)\b(?:works?|worked|working|runs?|ran|loads?|loaded|fine|okay|ok|passes|passed|succeeds?|succeeded|good"
    r"|completes?)\s+"
    r"(?:(?:fine|well|correctly|ok|okay|great|perfectly|as expected|normally)\s+)?(?:on|with|in|under|using|up to"
    r"|until|for)\s+"
    r"(?:\S+\s+){0,2}[\S/]{0,20}$"
)
_RUNS_ON = r"(?i)\b(?:runs?|ran|running|loads?|loaded)\s+(?:on|with|in|under|using|for)\s"
_NO_WORK = r"(?i)(?:\bnot|n't|\bnever|\bno longer|\bcannot|\bstopped|\bfails? to|\bstops?)\s+(?:\w+\s+)?$"
_OTHER_VERSION = (
    # a matched run or a control is another run than the one that is reported
    r"(?i)(?:\b(?:matched|control|baseline|comparison)\b[^.;\n]{0,40}"
    r"|\b(?:fix|patch|correction)\b[^.\n]{0,30}\b(?:in|into|with|by)\s+(?:\S+\s+){0,2}"
    r"|\b(?:fixed|resolved|solved|available|introduced|added|shipped|landed|included|released|supported|merged"
    r"|present)\s+"
    r"(?:in|by|with|since|from|as of)\s+(?:\S+\s+){0,3}"
    r"|\b(?:upgrad|updat|downgrad|revert|roll|switch|bump|mov|going|go)\w*\s+(?:\S+\s+){0,4}?(?:to|from"
    r"|back)\s+(?:\S+\s+){0,3}"
    r"|\b(?:until|before|prior to|since|after|earlier than|later than|older than|newer than|up to|compared (?:to"
    r"|with)|vs\.?|versus"
    r"|historical|earlier|older|previous|previously|former|formerly|last good|last working|requires?|needs?|minimum"
    r"|at least|supports?"
    r"|regression from|next|upcoming|expects?|built for|wait for|released?|in the)\s+(?:\S+\s+){0,2})[\"'`(*]{0,2}$"
)
_MOVED = (
    r"(?i)\b(?:(?:upgrad|updat|downgrad|switch|bump|mov|roll)(?:ed|ing)|went|going|(?:upgrade|update|downgrade|switch"
    r"|move))\s+(?:\S+\s+){0,4}?to\s+(?:\S+\s+){0,3}$"
)
_MOVING = r"(?i)\b(?:upgrad|updat|downgrad|switch|bump|mov)(?:ed|ing)\b"
# What a failure began with is what runs.
_BEGAN = (
    r"(?i)(?:\b(?:since|as of|starting (?:with|from)|beginning with)\s+(?:(?:version|release|the)\s+)?"
    r"(?:[A-Za-z][\w.-]*\s+){0,2}|\b(?:after|since|when|once|upon|following)\s+(?:(?:i|we|my|the|an?)\s+)?"
    r"(?:upgrad|updat|switch|bump|mov)\w*\s+(?:\S+\s+){0,6}?to\s+(?:version\s+)?(?:[A-Za-z][\w.-]*\s+){0,2})"
    r"[\"'`(*]{0,2}$"
)
_NAMES = r"(?:[\w./@-]*[A-Za-z][\w./@-]*\s+){0,3}"
_CAME_FROM = (
    r"(?i)(?:^|[,;(\n]|\b(?:i|we|just|recently|yesterday|today))\s*(?:just |recently )?(?:upgraded|updated|switched"
    r"|moved"
    r"|migrated|went)\s+" + _NAMES + r"from\s+" + _NAMES + r"v?\d+\.\d[\w.+-]*\s+to\s+" + _NAMES + r"[\"'\x60]?$"
)
_BEGAN_WITH = (
    r"(?i)\b(?:started|began|broke|broken|appeared|happens?|fails?|crash(?:es|ed)?|(?:have|had|get|got|see) (?:it"
    r"|this))"
    r"\s+(?:right |only |just |directly )?(?:after|since|when|with)\s+(?:(?:i|we|my|the|an?)\s+)?(?:updat|upgrad"
    r"|mov|switch"
    r"|migrat)\w*\s+" + _NAMES + r"to\s+" + _NAMES + r"[\"'\x60]?$"
)
_WELL_SINCE = (
    r"(?i)\b(?:works?|worked|fine|fixed|fixes|solved|solves|resolved|gone|helped|helps|ok(?:ay)?|good|should|would"
    r"|did the)\b"
)
_BEGAN_WELL = r"(?i)\b(?:support\w*|available|works?|gone|fixed|solved|resolved|fine|present|exists?|possible)\s+$"
_BREAKS = (
    r"(?i)^[\"'`)*,]{0,4}\s*(?:on\s?(?:wards?)?,?\s+)?(?:[^.;!?,]{0,80}?)\b(?:fail\w*|crash\w*|errors?|throws?|raises?"
    r"|hangs?|broken?|broke|(?:not|n't|no longer|cannot|stopped|nothing|none) (?:\w+ )?(?:load|work|run|start)\w*"
    r"|cannot|can't|stopped|is printed|prints|(?:i|we) (?:get|got|see))\b"
)
_IT = r"(?i)\b(?:it|this|that|everything|all|they|(?:the |same )model|code|script|app)\s+(?:all |always |had )?$"
_STILL = (
    r"(?i)\b(?:still|same|again|also (?:fail|crash)\w*|crash\w*|fail\w*|error\w*|broke\w*|i get|we get|no change"
    r"|persists?|did(?: not|n't) (?:help|change|fix|solve|work)|does(?: not|n't) (?:help|change|fix|solve|work)"
    r"|no (?:difference|luck"
    r"|help|avail)|nothing chang\w+|without success)\b"
)
_GOOD_AFTER = (
    r"(?i)^[^\w\n]{0,4}(?:[\w.-]+\s+){0,3}?(?:works?|worked|is fine|was fine|are fine|runs? fine|ran fine|loads?"
    r"|passes|is ok|is okay|is unaffected"
    r"|(?:is|are|was|were) (?:not|separate|un)\w*\s?\w*|(?:does|do|did)(?:n't| not) (?:reproduce|happen|show|fail"
    r"|crash|establish|have|occur|apply)"
    r"|had no|has no|works?)\b"
)
# "fails to load", "does not work" and "no longer loads" praise nothing
_SPOILT = (
    r"(?i)(?:\b(?:fail\w*|cannot|unable|never|stop\w*|refuse\w*|no longer|hardly|barely|nothing|none)\b.*|(?:\bnot"
    r"|n't)\s+(?:\w+\s+)?(?:works?|worked|loads?|passes|ok|okay|fine|run))$"
)
_FAR_AFTER = (
    r"(?i)\b(?:evidence (?:is|are) separate|(?:does|do) not establish|(?:is|are|was|were) (?:not|un)affected|(?:is"
    r"|was) not (?:run|tested|tried))\b"
)


def negated(text: str, start: int, end: int, *, version: bool = False, field: bool = False) -> bool:
    """Whether [start, end) of prose is named as something else than what failed. `version`: it is a version.

    `field`: the text answers a form, where "upgraded from 1.0 to 1.1" says which one is there.
    """
    before, after, asked = _clause(text, start, end)
    if linear(_NOT).search(before):
        return True
    works = linear(_WORKS).search(before)
    if works and not linear(_NO_WORK).search(before[: works.start()]) and not _only_runs(works.group(), before, after):
        return True
    if version and _since(before, after):
        return False
    good = _praised(after)
    if version and linear(_OTHER_VERSION).search(before):
        moved = linear(_MOVED).search(before)
        return not (moved and (field or (good is None and linear(_STILL).search(text[end : end + 160]))))
    if good is not None and not (version and said_of_another(after[len(good) :])):
        return True
    if linear(_FAR_AFTER).search(after) is not None:
        return True
    return version and foreign(before, after, asked=asked)


def _clause(text: str, start: int, end: int) -> tuple[str, str, bool]:
    """What stands in front of and behind [start, end) in its sentence, and whether that is a question."""
    before = text[max(start - _NEAR, 0) : start]
    cuts = [m.end() for m in linear(_CUT).finditer(before)]
    after = text[end : end + _NEAR]
    cut = linear(_CUT).search(after + "\n\n")
    behind = after[: cut.start()] if cut else after
    stop = after[len(behind) : len(behind) + 1]
    asked = stop == "?" or behind.rstrip().endswith("?")
    return before[cuts[-1] :] if cuts else before, behind, asked


def moved_to(text: str, start: int, end: int) -> bool:
    """Whether "updated [start: the CLI to 0.10.1 :end]" tells a step already taken that did not help."""
    before = linear(_CUT).search(text[max(start - 40, 0) : start])
    verb = linear(_MOVING).search(text[max(start - 40, 0) : start])
    after = text[end : end + 160]
    return before is None and verb is not None and any(linear(p).search(after) for p in (_STILL, _BREAKS))


def came_with(text: str, start: int, end: int) -> bool:
    """Whether a step to this version is told that was taken: "upgraded from 1.0 to [1.1]", "it began after updating to
    [1.1]". What is well since then is not meant."""
    before = text[max(start - 2 * _NEAR, 0) : start]
    cuts = [m.end() for m in linear(_CUT).finditer(before)]
    before = before[cuts[-1] :] if cuts else before
    if not any(linear(p).search(before) for p in (_CAME_FROM, _BEGAN_WITH)):
        return False
    return linear(_WELL_SINCE).search(text[end : end + 2 * _NEAR]) is None


def _since(before: str, after: str) -> bool:
    """Whether a failure began with this version: "since 1.23.1 it fails", "after updating from 1.22 to 1.23 ..."."""
    began = linear(_BEGAN).search(before)
    if began is None or linear(_BEGAN_WELL).search(before[: began.start()]):
        return False
    return linear(_BREAKS).search(after) is not None and _praised(after) is None


def _praised(after: str) -> str | None:
    """The words behind a mention that say that all is well there."""
    good = linear(_GOOD_AFTER).search(after)
    return None if good is None or linear(_SPOILT).search(good.group()) else good.group()


def _only_runs(words: str, before: str, after: str) -> bool:
    """ "I run it on Windows 11" praises nothing; "it runs on Windows 11" and "it loaded with 1.22.0" alone do, unless a
    failure follows."""
    if linear(_RUNS_ON).search(words) is None:
        return False
    lead = before[: before.casefold().rfind(words.casefold())]
    praised = words.casefold().startswith(("runs", "loads")) or linear(_IT).search(lead) is not None
    return not praised or linear(_STILL).search(after) is not None
