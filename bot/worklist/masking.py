"""A printed line as the words that the next failure of its kind will print, and marks where it will differ.

Numbers behind "error" or "code", and status codes of eight hexadecimal digits, say which failure it is; they stay.
"""

from __future__ import annotations

from signatures.linear import linear

WILD = "<*>"
LONGEST = 300  # characters of a line that are looked at
_MOST_TOKENS = 48

_SPANS = (
    (r"https?://\S+", "<url>"),
    (r"\"[^\"]{1,200}\"|`[^`]{1,200}`|\B'[^']{1,200}'\B", "<name>"),
    (r"(?:[A-Za-z]:[\\/]|\.{0,2}/|\\\\)[^\s,;:()\"']+|[\w.-]+[\\/][\w.\\/-]+", "<path>"),
    (r"\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b|\b\d{4}-\d\d-\d\d(?:[T ]\S+)?", "<time>"),
    (r"\([^()\s]{1,200}\)|\[[^\[\]]{1,80}\]", "<name>"),
)
_TYPE = r"^[\"'`]((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*(?:[eE]rror|[eE]xception))[\"'`]$"  # a quoted type says which failure
_BARE_TYPE = r"^(?:\w+(?:::|\.))*\w*[a-z_](?:[eE]rror|[eE]xception)\b"
_STATUS = r"^0x[0-9a-fA-F]{8}\b"
_HEX = r"^(?:0x[0-9a-fA-F]+|[0-9a-fA-F]{8,})$"
_CODE = ("error", "code", "errno", "exit", "status", "signal", "hresult")
_EDGES = ".,:;!?()[]{}<>\"'`=*|-"


def mask(line: str) -> tuple[str, ...]:
    """The tokens of a line; what varies from one failure to the next is a mark such as <path>."""
    text = line[:LONGEST]
    for pattern, mark in _SPANS:
        text = _replaced(text, pattern, mark)
    tokens: list[str] = []
    before = ""
    for word in text.split()[:_MOST_TOKENS]:
        bare = word if word.startswith("<") else word.strip(_EDGES)
        token = _token(bare, before)
        if bare and not (token.startswith("<") and tokens and tokens[-1] == token):
            tokens.append(token)
        before = bare.casefold()
    return tuple(tokens)


def _replaced(text: str, pattern: str, mark: str) -> str:
    parts: list[str] = []
    done = 0
    for found in linear(pattern).finditer(text):
        kind = linear(_TYPE).match(found.group())
        parts += (text[done : found.start()], f" {kind.group(1) if kind else mark} ")
        done = found.end()
    return "".join((*parts, text[done:]))


def _token(word: str, before: str) -> str:
    if word.startswith("<") or not any(c.isdigit() for c in word):
        return word
    if linear(_STATUS).search(word) or (word.isdigit() and before in _CODE):
        return word
    if linear(_HEX).search(word):
        return "<hex>"
    return "<n>" if not any(c.isalpha() for c in word) else WILD


def identity(tokens: tuple[str, ...]) -> frozenset[str]:
    """The tokens that say which failure a line is: types of exceptions and codes. Lines that differ in one differ."""
    return frozenset(t for t in tokens if t.isdigit() or linear(_STATUS).search(t) or linear(_BARE_TYPE).search(t))


def is_mark(token: str) -> bool:
    return token.startswith("<") and token.endswith(">")


def telling(tokens: tuple[str, ...]) -> int:
    """How much of a line is words of its own: the letters of its longer words."""
    return sum(len(t) for t in tokens if not is_mark(t) and sum(c.isalpha() for c in t) >= 4)
