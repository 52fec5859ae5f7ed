"""Text that a reader does not see, or that only contains an error: comments, boxes nobody ticked, what is struck out,
the name of a link, the words that a command searches for or a test asserts.

Appearance alone decides; no sentence is read here.
"""

from __future__ import annotations

from signatures.extract.tables import cells_of_others
from signatures.linear import linear

Range = tuple[int, int]

_UNTICKED = r"(?m)^[ \t>]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[ ?\][ \t]+[^\n]*(?:\n(?: {2,}|\t)[^\n]+)*"
_STRUCK = r"~~[^~\n][^~]*~~|(?i:<(?:s|del|strike)>)[^<]*(?i:</(?:s|del|strike)>)"
_IMAGE = r"!\[[^\]\n]+\]\([^)\n]+\)|(?i:<img\b)[^>]*>"
_LINK = (
    r"\[((?:[^\[\]\n]|\[[^\]\n]*\])+)\]\((?:https?://[^)\s]+)/(?:issues|pull|discussions|commit|blob"
    r"|wiki)/[^)\n]*\)"
)
_NAMED_LINK = (
    r"(?i)\b(?:see|cf\.?|refer to|like|similar to|read|documented (?:at|in|under)"
    r"|per)\s+\[([^\]\n]+)\]\(https?://[^)\n]+\)"
)
_SEARCH = (
    r"(?m)(?:^[ \t>]*(?:\$ |PS [^>\n]*> ?|[A-Z]:\\[^>\n]*> ?|[%#>] )?|[|;&\x60(][ \t]*)(?:sudo )?"
    r"(?:e?grep|rg|ag|ack|findstr|Select-String|sls|awk|sed|triage|git (?:log|grep))\b[^\n\x60]*"
)
_ASSERT = (
    r"(?m)^[ \t>+-]*(?:assert\b|self\.assert\w+|expect\(|(?:EXPECT|ASSERT)_\w+|Assert\.|pytest\.raises"
    r"|with (?:pytest|self)\."
    r"|@pytest|(?:else )?if\b|elif\b|case\b|catch\b|except\b|return\b|throw\b|raise\b|ORT_(?:RETURN|THROW"
    r"|ENFORCE)\w*)[^\n]*"
)
# The call that a test makes, wherever it stands in a line
_TESTED = (
    r"(?:\b(?:HasSubstr|StartsWith|(?:EXPECT|ASSERT)_[A-Z_]+|assert(?:Raises|In|Equals?|That|Throws|Contains|Regex)\w*"
    r"|pytest\.raises)|\.(?:toThrow\w*|toContain\w*|toMatch\w*|toBe|toEqual|rejects))[ \t]*\([^\n]{0,600}"
    r"|\bassert[ \t]+f?[\"'][^\n]{3,400}?[\"'][ \t]+(?:not[ \t]+)?in\b[^\n]{0,100}"
)
_REMARK = r"(?m)(?:^|[;{})][ \t]+)[ \t]*(?:#[ \t]+[A-Za-z\"'\x60(]|//|/\*|<!--|(?i:rem)[ \t])[^\n]*"
_COMMAND = r"(?i)^[ \t]*#[ \t]+(?:pip3?|npm|npx|dotnet|foundry|python3?|winget|conda|uv|cargo|yarn|pnpm|brew)\b"
_CODE = (
    r"(?m)^[ \t>]*(?:import |from \w[\w.]* import|def |class |return\b|const |let |var |using |#include|public "
    r"|static |assert\b"
    r"|try\b|with \w|for \(|if \(|export |fn |async |await )|^[^\n]*[;{}][ \t]*$|^[ \t]*[\w.]+\([^\n]*\)[ \t]*$"
    r"|^[ \t]*[\w.]+ = \S|^[ \t]*(?:el)?if [^\n]*:[ \t]*$|^[ \t]*except\b[^\n]*:[ \t]*$|^[ \t]*(?:raise|throw) \w"
)


def hidden_ranges(raw: str) -> list[Range]:
    """Ranges of a prose block that a reader does not see as its text, or that only name or search the words."""
    found: list[Range] = []
    if "<!--" in raw:
        found += _comments(raw)
    if "[" in raw:
        found += (m.span() for p in (_UNTICKED, _IMAGE) for m in linear(p).finditer(raw))
        found += (m.span(1) for p in (_LINK, _NAMED_LINK) for m in linear(p).finditer(raw))
    if "~~" in raw or "</" in raw:
        found += (m.span() for m in linear(_STRUCK).finditer(raw))
    if "|" in raw and "--" in raw:
        found += cells_of_others(raw)
    if "(" in raw or "assert" in raw:
        found += (m.span() for m in linear(_TESTED).finditer(raw))
    if "`" in raw:
        found += (m.span() for m in linear(_SEARCH).finditer(raw) if m.group()[:1] == "`")
    return found


def _comments(raw: str) -> list[Range]:
    found: list[Range] = []
    at = raw.find("<!--")
    while at >= 0:
        end = raw.find("-->", at)
        end = len(raw) if end < 0 else end + 3
        found.append((at, end))
        at = raw.find("<!--", end)
    return found


def code_ranges(raw: str) -> list[Range]:
    """Lines of code or of a terminal that contain words without printing them."""
    found = [m.span() for m in linear(_SEARCH).finditer(raw)]
    found += (m.span() for m in linear(_TESTED).finditer(raw))
    if linear(_CODE).search(raw):
        found += (m.span() for m in linear(_ASSERT).finditer(raw))
        found += (m.span() for m in linear(_REMARK).finditer(raw) if linear(_COMMAND).match(m.group()) is None)
    return found
