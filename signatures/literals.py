"""What a pattern needs to be present literally, and how it reads when all whitespace is gone.

Both come from one pass over the pattern's tokens. Nothing is matched here.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from signatures.linear import PatternError
from signatures.values import NamedTuple

MIN_ANCHOR = 8
MAX_DEPTH = 20
_BORDERS = {"^": r"(?:^|[^\w])", "$": r"(?:[^\w]|$)"}


class Kind(Enum):
    LITERAL = "literal"
    SPACE = "space"  # a blank or \s: one space in folded text
    OTHER = "other"  # a class, \d, a dot: some character
    WIDTHLESS = "widthless"
    OPEN = "open"
    CLOSE = "close"
    OR = "or"


class Token(NamedTuple):
    kind: Kind
    text: str  # as written, without its quantifier
    char: str = ""  # of a LITERAL
    quantifier: str = ""

    @property
    def optional(self) -> bool:
        return self.quantifier.startswith(("*", "?", "{0", "{,"))

    @property
    def repeated(self) -> bool:
        return bool(self.quantifier) and self.quantifier not in ("?", "??")


def tokens(pattern: str) -> Iterator[Token]:
    """The tokens of an RE2 pattern that is known to compile."""
    at = 0
    while at < len(pattern):
        token, at = _token(pattern, at)
        if token.kind in (Kind.OPEN, Kind.OR):
            yield token
            continue
        quantifier = _quantifier(pattern, at)
        at += len(quantifier)
        yield token._replace(quantifier=quantifier)


@lru_cache(maxsize=4096)
def squeezed_pattern(pattern: str) -> str:
    """The same pattern for text without whitespace: spaces and \\s are dropped, a class with a space may be absent."""
    return "".join(
        t.text + (t.quantifier or "?" * _may_be_space(t)) for t in tokens(pattern) if t.kind is not Kind.SPACE
    )


@lru_cache(maxsize=4096)
def unanchored_pattern(pattern: str) -> str:
    """The same pattern for a text with more around it: what must begin or end the text stands between words."""
    return "".join(_BORDERS.get(t.text, t.text) + t.quantifier for t in tokens(pattern))


def _may_be_space(token: Token) -> bool:
    return token.text.startswith("[") and not token.text.startswith("[^") and (" " in token.text or "\\s" in token.text)


@lru_cache(maxsize=4096)
def anchors(pattern: str) -> tuple[str, ...]:
    """Lower-case texts of which at least one stands in every folded text that `pattern` matches.

    The alternatives whose shortest is longest; () where the pattern requires nothing literal.
    """
    return next(iter(needs(pattern)), ())


@lru_cache(maxsize=4096)
def needs(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Everything literal that `pattern` requires, the longest first: of each, at least one alternative is present."""
    depth = 0
    for t in tokens(pattern):
        depth += (t.kind is Kind.OPEN) - (t.kind is Kind.CLOSE)
        if depth > MAX_DEPTH:
            raise PatternError(f"groups nested deeper than {MAX_DEPTH}")
    return tuple(sorted(_alternatives(tokens(pattern)).needs, key=_worth, reverse=True))


class _Need(NamedTuple):
    exact: str | None  # the text this part always is, where it is always the same
    needs: list[tuple[str, ...]]  # each: one of these texts is present


def _worth(alternatives: tuple[str, ...]) -> tuple[int, int]:
    return min(len(a) for a in alternatives), -len(alternatives)


def _alternatives(stream: Iterator[Token]) -> _Need:
    branches: list[_Need] = []
    ended = False
    while not ended:
        branch, ended = _branch(stream)
        branches.append(branch)
    if len(branches) == 1:
        return branches[0]
    best = [max(b.needs, key=_worth, default=()) for b in branches]
    if not all(best):
        return _Need(None, [])
    return _Need(None, [tuple(dict.fromkeys(t for b in best for t in b))])


def _branch(stream: Iterator[Token]) -> tuple[_Need, bool]:
    """One alternative, up to '|' or the closing parenthesis. True where the group ended."""
    needs: list[tuple[str, ...]] = []
    run = ""
    exact: str | None = ""

    def flush() -> None:
        nonlocal run
        if run.strip():
            needs.append((run.lower().strip(),))
        run = ""

    for t in stream:
        if t.kind is Kind.OR or t.kind is Kind.CLOSE:
            flush()
            return _Need(exact, needs), t.kind is Kind.CLOSE
        if t.kind is Kind.WIDTHLESS:
            continue
        if t.kind is Kind.OPEN:
            inner, closing = _group(stream)
            if inner.exact is not None and not closing.quantifier:
                run += inner.exact
                exact = None if exact is None else exact + inner.exact
                continue
            flush()
            exact = None
            if not closing.optional:
                needs += inner.needs
        elif t.kind is Kind.OTHER or t.optional:
            flush()
            exact = None
        else:
            run += " " if t.kind is Kind.SPACE else t.char
            exact = None if exact is None else exact + (" " if t.kind is Kind.SPACE else t.char)
            if t.repeated and t.kind is not Kind.SPACE:
                flush()
                exact = None
    flush()
    return _Need(exact, needs), True


def _group(stream: Iterator[Token]) -> tuple[_Need, Token]:
    """The need of a group whose '(' was read, and its closing token with the quantifier."""
    inner: list[Token] = []
    depth = 1
    for t in stream:
        depth += (t.kind is Kind.OPEN) - (t.kind is Kind.CLOSE)
        inner.append(t)
        if depth == 0:
            return _alternatives(iter(inner)), t
    raise PatternError("missing closing parenthesis")


def _token(pattern: str, at: int) -> tuple[Token, int]:
    c = pattern[at]
    if c == "\\":
        return _escape(pattern, at)
    if c == "[":
        end = _class_end(pattern, at)
        return Token(Kind.OTHER, pattern[at:end]), end
    if c == "(":
        return _open(pattern, at)
    if c == ")":
        return Token(Kind.CLOSE, c), at + 1
    if c == "|":
        return Token(Kind.OR, c), at + 1
    if c == ".":
        return Token(Kind.OTHER, c), at + 1
    if c in "^$":
        return Token(Kind.WIDTHLESS, c), at + 1
    if c.isspace():
        return Token(Kind.SPACE, c), at + 1
    return Token(Kind.LITERAL, c, c), at + 1


def _escape(pattern: str, at: int) -> tuple[Token, int]:
    if pattern.startswith("\\Q", at):
        raise PatternError(r"\Q...\E is not used in this catalogue: escape each character")
    c = pattern[at + 1]
    text = pattern[at : at + 2]
    if c == "s":
        return Token(Kind.SPACE, text), at + 2
    if c in "bBAz":
        return Token(Kind.WIDTHLESS, text), at + 2
    if c in "pP":
        end = pattern.index("}", at) + 1 if pattern.startswith("{", at + 2) else at + 3
        return Token(Kind.OTHER, pattern[at:end]), end
    if c == "x":
        end = pattern.index("}", at) + 1 if pattern.startswith("{", at + 2) else at + 4
        return Token(Kind.OTHER, pattern[at:end]), end
    if c in "dDwWSCtnrfav":
        return Token(Kind.OTHER, text), at + 2
    return Token(Kind.LITERAL, text, c), at + 2


def _open(pattern: str, at: int) -> tuple[Token, int]:
    if not pattern.startswith("(?", at):
        return Token(Kind.OPEN, "("), at + 1
    for end in range(at + 2, len(pattern)):
        if pattern[end] == ")":  # (?i): flags for what follows
            return Token(Kind.WIDTHLESS, pattern[at : end + 1]), end + 1
        if pattern[end] in ":>":
            return Token(Kind.OPEN, pattern[at : end + 1]), end + 1
    raise PatternError("missing closing parenthesis")


def _class_end(pattern: str, at: int) -> int:
    end = at + 1
    if pattern.startswith("^", end):
        end += 1
    if pattern.startswith("]", end):
        end += 1
    while pattern[end] != "]":
        if pattern.startswith("[:", end):
            end = pattern.index(":]", end) + 2
        else:
            end += 2 if pattern[end] == "\\" else 1
    return end + 1


def _quantifier(pattern: str, at: int) -> str:
    if at >= len(pattern):
        return ""
    end = at
    if pattern[at] in "*+?":
        end = at + 1
    elif pattern[at] == "{":
        close = pattern.find("}", at)
        inside = pattern[at + 1 : close]
        if close > 0 and inside and all(c.isdigit() or c == "," for c in inside):
            end = close + 1
    if end > at and pattern.startswith("?", end):
        end += 1
    return pattern[at:end]
