"""Secrets that a console broke over lines: what is left of one behind its mark, and those that only the lines together
show."""

from __future__ import annotations

from signatures.extract.rewriting import Rewriting
from signatures.linear import Found, linear
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NARROWEST = 40  # characters of a line that a console may have broken
_WIDEST = 400
_IN_A_WORD = frozenset("_-+/=%.@\\~:")
_PIECE = r"[A-Za-z0-9_~+/=%.-]"
_BROKEN = rf"(?:<secret>|<token>|<key>)(?:[ \t]*\r?\n[ \t>|]{{0,8}}{_PIECE}{{4,}})+"
_NEXT = rf"(\n[ \t>|]{{0,8}})({_PIECE}+)"
_FOLDER = r"(<user>[ \t]*\r?\n)([^\s\\/:*?\"<>|]{1,40})([\\/])"
_LOGIN = r"(://)[^\s/?#\"'<>@]+(\r?\n[ \t>|]{0,8}<e-mail>)"
_LOGGED = r"[IWEFVD]\d{4}$|0[xX]|v?\d+(?:\.\d+)+|\d[\d.:/T-]*Z?$"
_SHORTEST = 4


def without_wrapped(rewriting: Rewriting, again: Callable[[Rewriting], None]) -> None:
    """Replace what is left of secrets that stand on several lines, in a text where `again` did its work."""
    if "\n" not in rewriting.text:
        return
    rewriting.replace(_BROKEN, _rests)
    rewriting.replace(_FOLDER, lambda found: f"{found.group(1)}<user>{found.group(3)}")
    rewriting.replace(_LOGIN, lambda found: f"{found.group(1)}<secret>{found.group(2)}")
    text = rewriting.text
    breaks = _breaks(text)
    if not breaks:
        return
    joined = Rewriting(text)
    joined.put(breaks)
    again(joined)
    places = []
    for edit in joined.edits:
        words, was = joined.text[edit.start : edit.end], text[edit.first : edit.last]
        if words and "\n" in was and _is_whole(words, was):
            places.append((edit.first, edit.last, words))
    rewriting.put(places)


def _rests(found: Found) -> str:
    """The lines behind a mark, as long as each begins with more of what the mark stands for."""
    whole = found.group()
    mark = whole[: whole.index(">") + 1]
    parts: list[str] = []
    done = 0
    for piece in linear(_NEXT).finditer(whole):
        if not is_rest(piece.group(2)):
            break
        start, end = piece.span(2)
        parts += (whole[done:start], mark)
        done = end
    return "".join(parts) + whole[done:]


def is_rest(piece: str) -> bool:
    """Whether the first characters of a line look like more of a secret, and not like a word, a number, a version, a
    place in memory or a logger's prefix."""
    bare = piece.strip(".")
    if len(bare) < _SHORTEST or linear(_LOGGED).match(bare) is not None:
        return False
    if bare.endswith("=") and not bare[:-1].rstrip("=").isdigit():
        return "=" not in bare.rstrip("=")
    return any(c.isdigit() for c in bare) and any(c.isalpha() for c in bare)


def goes_on(text: str, at: int) -> bool:
    """Whether the line that begins at `at` may hold what the line before it names or begins."""
    before = text[max(at - 200, 0) : at].rstrip("\r\n")
    sign = before.rstrip(" \t\r\n>|\"'`*\\")[-1:]
    return bool(sign) and (sign in ":=：>-" or _parts_a_word(before + text[at : at + 60], len(before), len(before)))


def _breaks(text: str) -> list[tuple[int, int, str]]:
    """The line ends of long lines between characters of one word."""
    places: list[tuple[int, int, str]] = []
    start, at = 0, text.find("\n")
    while at >= 0:
        last = at - 1 if text.startswith("\r", at - 1) else at
        if NARROWEST <= last - start <= _WIDEST and _parts_a_word(text, last, at + 1):
            places.append((last, at + 1, ""))
        start, at = at + 1, text.find("\n", at + 1)
    return places


def _parts_a_word(text: str, last: int, first: int) -> bool:
    """Whether the end of a line and the beginning of the next may be one word that is no word of a language."""
    if not all(c.isalnum() or c in _IN_A_WORD for c in (text[last - 1], text[first : first + 1] or " ")):
        return False
    before, after = text[max(last - 60, 0) : last].split()[-1:], text[first : first + 60].split(maxsplit=1)[:1]
    one, other = "".join(before), "".join(after).rstrip(".,:;")
    return not (one + other).isalpha() and linear(_LOGGED).match(other) is None


def _is_whole(words: str, was: str) -> bool:
    """Whether a mark stands for one thing that was broken, and not for the end of one line and a word of the next."""
    return "<secret>" not in words or any(is_rest(word) for word in was.partition("\n")[2].split())
