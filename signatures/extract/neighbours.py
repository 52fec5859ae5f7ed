"""What stands directly in front of a version or of a word that several products share.

"Python 3.11" is a version of Python and "azure cli" a tool of Azure, whoever else has a CLI. A version or a shared
name counts only where no other name stands in front of it; a word that is not known to be harmless is taken for one.
"""

from __future__ import annotations

from signatures.linear import linear

_REACH = 160  # characters looked back
_MOST = 14  # words looked back

# Words of a sentence that name nothing.
_PLAIN = """
    a about additionally affected affects after again all already also am an and another answer any anyone
    approximately are around as at back been before being beta between both broken bug build builds bumped
    bundled but by can cannot checked confirm confirmed crash crashed crashes current currently dated
    details did different displays do does doesn't don't downgraded downgrading download downloaded earlier
    either else error errors even ever every exact exactly fail failed failing fails fine first for found
    freshly from get gets gives go going got had happens has have haven't here hi i i'm i've identical if im
    in info install installed installing installs instead is isn't issue it it's its ive just last later
    latest like maybe mine move moved moving my neither new newer newest newly nightly no nor not now number
    observed occurs of official old older on only or original other otherwise our output outputs own package
    packages plus possibly prebuilt prerelease preview previous previously print printed prints probably
    problem produced published ran recent regular reinstalled reinstalling release released releases reports
    reproduce reproduced reproduces reproducible returns rolled run running runs said same says see seen
    shipped shown shows side-by-side since so some sorry stable standalone still switched switching system
    tag tagged test tested testing than thanks that the their them then there these think this those though
    through to today together tried try trying under unknown until up update updated updates updating
    upgrade upgraded upgrading use used uses using v value ver ver. verified version versions via vs was we
    we're we've went were what what's when where which while with worked works would yes yet your
"""
_WORDS = f" {' '.join(_PLAIN.split())} "
_JOINS = frozenset(
    (
        "and",
        "or",
        "to",
        "&",
        "+",
        "/",
        "-",
        "->",
        "=>",
        "→",
        "–",
        "—",
        "as",
        "well",
        "then",
        "also",
        "even",
        "plus",
        "~",
    )
)
_LANGUAGES = frozenset(("python", "js", "javascript", "typescript", "c#", "csharp", "rust", "c++", "cpp", "ts"))
# These have SDKs and runtimes of their own: they count only behind the product's own name.
_TORN = frozenset(
    (".net", "dotnet", "java", "node", "node.js", "nodejs", "swift", "go", "winml", "cross-platform", "web", "native")
)
_SHARED = frozenset(("cli", "sdk", "runtime", "genai", "native", "version", "preview", "local", "ml", "ai"))
_VERSION = r"[vV]?\d+(?:\.[\dx]+)*(?:[+-][\w.+-]*)?[\d\w]?"
_MARKS = "*_`\"'~[]{}<>"


def stands_free(text: str, at: int, own: frozenset[str], *, joined: bool = True) -> bool:
    """Whether nothing in front of [at] names another thing. `own`: words of the product's own names, lower case.

    `joined`: look back over a list of versions ("Python 3.11, 3.12"), as a version needs and a name does not.
    """
    before = text[max(at - _REACH, 0) : at].rsplit("\n\n", 1)[-1]
    torn = False
    for _ in range(_MOST):
        left = _without_marks(before, joined=joined)
        if left is None:
            return not torn
        if left != before:
            before = left
            continue
        word = _word(before)
        before = before[: len(before) - len(word)]
        plain = word.strip("*_`\"'()[],;:").casefold()
        if plain in own and plain not in _SHARED:
            return True
        torn = torn or (plain in _TORN and not joined)
        passed = (plain in _SHARED and plain in own) or (not joined and (plain in _LANGUAGES or plain in _TORN))
        listed = joined and (plain in _JOINS or linear(_VERSION).fullmatch(plain) is not None)
        if not passed and not listed:
            return f" {plain} " in _WORDS and not torn
    return False


def _without_marks(before: str, *, joined: bool) -> str | None:
    """The text without the marks at its end; None where a sentence, a line or a list starts there."""
    before = before.rstrip(" \t\r" + _MARKS)
    if not before or _starts_line(before):
        return None
    last = before[-1]
    if last == "\n":
        above = before[before.rfind("\n", 0, -1) + 1 :]
        listed = linear(r"^[ \t>]*(?:[-*•·#|]|\d{1,3}[.)])").match(above) is not None
        return before[:-1] if joined and not listed else None
    if last in ".!?;" or (last in ",:)|(" and not joined):
        return None
    if last == ")":
        return before[: max(before.rfind("("), 0)]
    return before[:-1] if last in ",:(|=" else before


def _starts_line(before: str) -> bool:
    """Whether nothing but the mark of a list item stands in front, on this line."""
    line = before[before.rfind("\n") + 1 :]
    return linear(r"[ \t>]*(?:[-*•·◦▪●+#]{1,6}|\d{1,3}[.)]|\|)(?:[ \t]*\[[xX]\])?").fullmatch(line) is not None


def _word(before: str) -> str:
    start = max(before.rfind(c) for c in " \t\n(|,;=")
    return before[start + 1 :] or before[-1:]
