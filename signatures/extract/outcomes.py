"""Whether the words around a model say that it fails or that it works.

The words right behind the name decide first ("(fails)"), then its sentence, then the sentence that leads to it. What
is said of another issue's model is a mention.
"""

from __future__ import annotations

from signatures.linear import linear
from signatures.model import ArtifactRole, BlockKind, LogBlock

_FAILS = (
    r"(?i)\b(?:fail(?:s|ed|ing|ure)?|cannot|can't|could not|couldn't|unable to|crash\w*|segfault\w*|error|errors"
    r"|exception|broken|doesn't|does not|won't"
    r"|invalid|abort\w*|hangs?|garbage|times out|timed out|raises?|throws?|refuse[sd]?|access violation|not (?:work"
    r"|load|run)\w*)\b"
)
_WORKS = (
    r"(?i)\b(?:works?(?: fine| well)?|worked|works? correctly|runs? (?:the same \w+ )?(?:fine|well|ok|correctly"
    r"|normally)|(?:also |both |still |all )(?:loads?|runs?|works?)"
    r"|loads?(?: and (?:runs?|works?))(?: \w+)?|(?:loads?|runs?) (?:fine|ok|okay|correctly|without)"
    r"|runs? (?:the same|on the same)[^.\n]{0,40}\bfine|is fine|are fine|no (?:problem|issue|error)s?|(?:is "
    r"|are )?unaffected"
    r"|working (?:fallback|alternative|variant)|succeeds?)\b"
)
_NOT_WORKS = r"(?i)(?:\bnot?|n't|\bnever|\bcannot|\bunable to)\s+(?:\w+\s+){0,2}(?:works?|loads?|runs?|load and run)\b"
_BEHIND = (
    r"(?i)^[\s\"'`*]{0,3}[(\[:–—-]?\s?(?:also )?(fails?|failing|crash\w*|broken|errors?|does not|doesn't|loads?"
    r"|works?|runs? fine|ok\b|fine\b|passes)"
)
_OTHER_ISSUE = r"(?:[\w.-]+/[\w.-]+)?#\d+[^.;\n]{0,60}$"
_COMPARED = (
    r"(?i)\b(?:like|unlike|similar(?:ly)? to|same as|as (?:in|with|for|does|did)|cf\.?|see(?: also)?"
    r"|compare[sd]? (?:to|with))\s[\"'\x60*(]{0,3}(?:the |model )?[\"'\x60*(]{0,3}$"
)
_OTHERS = (
    r"(?i)\b(?:for|by|of|to|on) (?:another|other|some|a different|one|a) (?:users?|people|persons?|reporters?"
    r"|customers?|machines?|developer)\b"
    r"|\bfor (?:others|someone|somebody|him|her|them|a (?:colleague|friend)|my (?:colleague|friend|co-?worker))\b"
    r"|\b(?:another|other|some|a) (?:users?|people|persons?|reporters?) (?:\w+ ){0,2}?(?:says?|said|reports?"
    r"|reported|gets?|got|sees?|saw|has|have|had)\b"
    r"|\b(?:my |a )?(?:colleague|friend|co-?worker)s?\b|\b(?:someone|somebody)(?: else)? (?:\w+ )?(?:says?|said"
    r"|reports?|reported|gets?|got|sees?|saw|has|had)\b"
)
_SELF = r"(?i)\b(?:i|we|me|mine)\b|\b(?:my|our) (?:machine|pc|laptop|own|case|side|setup|system|box|computer|device)\b"
_IN_ISSUE = r"^[^.;\n]{0,60}(?:[\w.-]+/[\w.-]+)?#\d+|^[^.;\n]{0,60}/(?:issues|pull|discussions)/\d+"
_MINE = r"(?i)\b(?:i|we|my|me|mine|our|here|also here|same|duplicate|looks like|likely|probably|related|similar)\b"
_MODEL_LINE = (
    r"(?i)[ \t>*_•-]*(?:failing |affected )?(?:model|model id|model name|model variant|artifact"
    r"|variant)(?: \([^)\n]*\))?[ \t*_]*[:=|][ \t*_|\x60\"']*"
)
_MODEL_HEADING = (
    r"(?i)(?:#{1,6}[ \t]*|\*\*)(?:failing |affected )?(?:model|model id|model name|model variant|artifact"
    r"|variant)(?: used| name| id)?:?(?:\*\*)?:?[ \t#]*"
)
_PATH_BEFORE = r"[ \t>*_\x60\"'-]*(?:[A-Za-z]:|~|%\w+%|\$\w+)?[\\/][^\n\x60\"']*[\\/]"
_PATH_BEHIND = r"(?:-\d{1,4})?[\\/][^\s\x60\"']+\.\w{2,6}[\x60\"'.,:]{0,3}\s*"
_OWN_FAILURE = (
    r"(?i)\b(?:fail(?:s|ed|ing)? (?:to )?load\w*|error loading|invalid model|exception|error|failed|fatal"
    r"|segmentation fault|crash|abort\w*|0xc0000005)\b"
)
_NEAR_LINES = 400  # characters of output around a model in which its failure is looked for


def outcome(
    block: LogBlock,
    start: int,
    end: int,
    sentence: tuple[int, int],
    spans: list[tuple[int, int]],
    previous: LogBlock | None,
    *,
    alone: bool,
    part: bool = False,
) -> ArtifactRole:
    """The role of a model named at [start, end) of a block.

    `alone`: the block names no other. `part`: it is a file in a sentence that names a whole model; what the sentence
    says is then said of that model.
    """
    if block.kind in (BlockKind.FENCE, BlockKind.LOG):
        return _in_output(block.raw, start, end, previous, alone=alone)
    words = block.raw[sentence[0] : sentence[1]]
    before = block.raw[sentence[0] : start]
    if linear(_OTHER_ISSUE).search(before) or _is_of_others(block.raw, before, end, sentence):
        return ArtifactRole.MENTIONED
    behind = _right_behind(block.raw, end)
    if behind is not None or part:
        return behind or ArtifactRole.MENTIONED
    said = _said(words)
    if said is None:
        said = _led_to(block.raw, sentence, spans)
    if said is None and _is_reported(block.raw, start, end):
        return ArtifactRole.FAILING
    return said or ArtifactRole.MENTIONED


def _is_reported(raw: str, start: int, end: int) -> bool:
    """A form line "Model: ..." or the path of a file in the model's folder names what the report is about."""
    line = raw.rfind("\n", 0, start) + 1
    stop = raw.find("\n", end)
    before, after = raw[line:start], raw[end : stop if stop >= 0 else len(raw)]
    above = raw[max(line - 200, 0) : line].rstrip().rsplit("\n", 1)[-1]
    answers = not before.strip(" \t>*_`-") and linear(_MODEL_HEADING).fullmatch(above) is not None
    if answers or linear(_MODEL_LINE).fullmatch(before):
        return True
    return linear(_PATH_BEFORE).fullmatch(before) is not None and linear(_PATH_BEHIND).fullmatch(after) is not None


def _is_of_others(raw: str, before: str, end: int, sentence: tuple[int, int]) -> bool:
    """Whether the sentence compares with this model, or tells what somebody else saw."""
    after = raw[end : sentence[1]]
    if linear(_COMPARED).search(before):
        return True
    mine = linear(_SELF).search(raw[sentence[0] : sentence[1]]) is not None
    if not mine and linear(_OTHERS).search(raw[sentence[0] : sentence[1]]):
        return True
    # "X fails in #1075" speaks of that issue; "X fails, same as #1075" does not
    issue = linear(_IN_ISSUE).match(after)
    return issue is not None and linear(_MINE).search(before + issue.group()) is None


def _in_output(raw: str, start: int, end: int, previous: LogBlock | None, *, alone: bool) -> ArtifactRole:
    behind = _right_behind(raw, end)
    if behind is not None and "(" in raw[end : end + 4]:
        return behind
    line_start = raw.rfind("\n", 0, max(raw.rfind("\n", 0, start), 0)) + 1
    line_end = raw.find("\n", end)
    after = raw.find("\n", line_end + 1) if line_end >= 0 else -1
    near = raw[max(line_start, start - _NEAR_LINES) : min(after if after >= 0 else len(raw), end + _NEAR_LINES)]
    if linear(_OWN_FAILURE).search(near) or (alone and linear(_OWN_FAILURE).search(raw)):
        return ArtifactRole.FAILING
    if previous is not None and previous.kind is BlockKind.PROSE:
        last = previous.raw.rstrip("`~ \n\t")
        if last.endswith(":") and (said := _said(last[-300:].rsplit("\n\n", 1)[-1])):
            return said
    return ArtifactRole.MENTIONED


def _right_behind(raw: str, end: int) -> ArtifactRole | None:
    found = linear(_BEHIND).match(raw[end : end + 40])
    if found is None:
        return None
    word = found.group(1).casefold()
    good = word.startswith(("load", "work", "run", "ok", "fine", "pass"))
    return ArtifactRole.WORKING if good else ArtifactRole.FAILING


def _said(words: str) -> ArtifactRole | None:
    works = linear(_WORKS).search(words) is not None and linear(_NOT_WORKS).search(words) is None
    fails = linear(_FAILS).search(words) is not None
    if fails and not works:
        return ArtifactRole.FAILING
    if works and not fails:
        return ArtifactRole.WORKING
    return None


def _led_to(raw: str, sentence: tuple[int, int], spans: list[tuple[int, int]]) -> ArtifactRole | None:
    """A command under "The CPU variant works:" is the command that works."""
    at = spans.index(sentence) if sentence in spans else 0
    if at == 0:
        return None
    lead = raw[spans[at - 1][0] : spans[at - 1][1]].rstrip("`~ \n\t")
    return _said(lead) if lead.endswith(":") else None
