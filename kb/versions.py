"""How versions compare, one comparer per scheme. A version that cannot be read is unknown: never old, new or fixed.

Refuses to guess: "1.26" is no SemVer version, `0.0.0` is a placeholder that builds print, and "latest" is no version.
Sources: SemVer 2.0.0 section 11; PEP 440 (through `packaging`); the others are rules of the products themselves.
"""

from __future__ import annotations

from functools import lru_cache

from kb.model import Scheme
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

MAX_TEXT = 128
MAX_DIGITS = 18
MAX_PARTS = 16

_ALNUM = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")
# Stages before a release, in their order; `preview` and `pre` are written for one another
_STAGES = {"dev": 0, "alpha": 1, "beta": 2, "pre": 3, "preview": 3, "rc": 4}
_RELEASED = 9
# Words that name a rebuild of a release, which is later than the release itself
_REBUILDS = frozenset({"native", "build", "post", "r"})

_UNKNOWN = frozenset(
    {
        "",
        "-",
        "?",
        "any",
        "current",
        "default",
        "don't know",
        "head",
        "idk",
        "latest",
        "main",
        "master",
        "n/a",
        "na",
        "newest",
        "nightly",
        "no response",
        "none",
        "not applicable",
        "not sure",
        "null",
        "stable",
        "tbd",
        "undefined",
        "unknown",
        "unsure",
        "version",
    }
)
_UNKNOWN_STARTS = (
    "<",
    "[e.g",
    "(e.g",
    "e.g",
    "for example",
    "bundled",
    "comes with",
    "default ",
    "included",
    "latest",
    "most recent",
    "newest",
    "same as",
    "shipped with",
    "the one ",
    "the latest",
    "unknown",
    "whatever",
    "x.y",
    "x.x",
    "your ",
)


def is_unknown(text: str) -> bool:
    """Whether a version field says nothing: empty, template text, "latest", "included with ...", or 0.0.0."""
    words = " ".join(text[:MAX_TEXT].split()).strip("_*`'\"()[] .").casefold()
    if words in _UNKNOWN or text.strip().casefold().startswith(_UNKNOWN_STARTS) or words.startswith(_UNKNOWN_STARTS):
        return True
    core = words.removeprefix("v").partition("+")[0].partition("-")[0]
    return "." in core and not core.strip("0.")


def parse(scheme: Scheme, text: str) -> object | None:
    """The version that `text` writes, or None where it writes none. Opaque: order it with `compare` alone."""
    key: object | None = _key(scheme, text)
    return key


def compare(scheme: Scheme, a: str, b: str) -> int | None:
    """-1, 0 or 1 as `a` is earlier than, the same as or later than `b`; None where either is unknown.

    Build metadata ("+174be11", "+cu12") makes no difference.
    """
    left, right = _key(scheme, a), _key(scheme, b)
    if left is None or right is None:
        return None
    return int(left > right) - int(left < right)


def in_range(scheme: Scheme, v: str, introduced: str | None, fixed: str | None) -> bool | None:
    """Whether `v` lies in [introduced, fixed); an absent bound is open. None where a version is unknown.

    A pre-release of a bound is unknown as well: whether the change was in it depends on the day it was built.
    """
    if _key(scheme, v) is None:
        return None
    inside: bool | None = True
    for bound, wanted in ((introduced, (0, 1)), (fixed, (-1,))):
        if bound is None:
            continue
        order = compare(scheme, v, bound)
        if order is None or prerelease_of(scheme, v, bound):
            inside = None if inside else inside
        elif order not in wanted:
            inside = False
    return inside


def is_prerelease(scheme: Scheme, text: str) -> bool:
    """Whether `text` is a version from before its release (-rc, -dev and kin)."""
    return _core(scheme, text)[1]


def prerelease_of(scheme: Scheme, text: str, release: str) -> bool:
    """Whether `text` is a pre-release of exactly this release."""
    core, early = _core(scheme, text)
    other, other_early = _core(scheme, release)
    return early and not other_early and core is not None and core == other


def same(scheme: Scheme, a: str, b: str) -> bool:
    """Whether both are known and the same version."""
    return compare(scheme, a, b) == 0


def ordered(scheme: Scheme, versions: tuple[str, ...]) -> tuple[str, ...]:
    """The known versions among these, earliest first, each once."""
    keyed = [(key, v) for v in versions if (key := _key(scheme, v)) is not None]
    keyed.sort(key=lambda pair: pair[0])
    return tuple(v for i, (key, v) in enumerate(keyed) if not i or keyed[i - 1][0] != key)


def _key(scheme: Scheme, text: str) -> Any:
    """A value that orders like the version, comparable within one scheme only."""
    text = text.strip()
    if not text or len(text) > MAX_TEXT or not text.isascii() or is_unknown(text):
        return None
    return _read(scheme, text)


@lru_cache(maxsize=8192)
def _read(scheme: Scheme, text: str) -> Any:
    return _READERS[scheme](text)


def _core(scheme: Scheme, text: str) -> tuple[object, bool]:
    """The numbers without any suffix, and whether the version is a pre-release; (None, False) where unknown."""
    key = _key(scheme, text)
    if key is None or scheme is Scheme.REVISION:
        return key, False
    if scheme is Scheme.PEP440:
        return key[:2], key[2] != _PEP440_FINAL or key[4] != _PEP440_FINAL
    return key[0], key[1] < _RELEASED


def _semver(text: str) -> Any:
    text = _unprefixed(text)
    text, plus, build = text.partition("+")
    if plus and not _identifiers(build):
        return None
    core, dash, pre = text.partition("-")
    numbers = core.split(".")
    if len(numbers) != 3 or any(len(n) > 1 and n[0] == "0" for n in numbers):
        return None
    release = _numbers(numbers)
    if release is None:
        return None
    if not dash:
        return release, _RELEASED, ()
    fields = _identifiers(pre)
    if fields is None:
        return None
    keys: list[tuple[int, int, str]] = []
    for field in fields:
        if field.isdigit():
            if len(field) > MAX_DIGITS or (len(field) > 1 and field[0] == "0"):
                return None
            keys.append((0, int(field), ""))  # numeric identifiers are lower than alphanumeric ones
        else:
            keys.append((1, 0, field))
    return release, 0, tuple(keys)


def _identifiers(text: str) -> list[str] | None:
    fields = text.split(".")
    return fields if len(fields) <= MAX_PARTS and all(f and _ALNUM.issuperset(f) for f in fields) else None


# Where a pre-release or development segment is absent, the version is later than any that has one
_PEP440_FINAL: tuple[int, str, int] = (1, "", 0)


def _pep440(text: str) -> Any:
    """(epoch, release, pre, post, dev), ordered as PEP 440 says; the local part makes no difference."""
    numbers = _numbers(_unprefixed(text).split("."))
    if numbers is not None:  # spares the usual case an import that takes longer than the whole diagnosis
        return 0, _trimmed(numbers), _PEP440_FINAL, -1, _PEP440_FINAL
    core, candidate, digits = _unprefixed(text).partition("rc")
    numbers = _numbers((core[:-1] if core.endswith(("-", ".", "_")) else core).split("."))
    if candidate and numbers is not None and digits.isdigit() and len(digits) <= MAX_DIGITS:
        return 0, _trimmed(numbers), (0, "rc", int(digits)), -1, _PEP440_FINAL
    if max(map(len, "".join(c if c.isdigit() else " " for c in text).split()), default=0) > MAX_DIGITS:
        return None
    from packaging.version import InvalidVersion, Version

    try:
        v = Version(text)
    except InvalidVersion:
        return None
    pre = _PEP440_FINAL
    if v.pre is not None:
        pre = (0, *v.pre)
    elif v.post is None and v.dev is not None:
        pre = (-1, "", 0)  # 1.0.dev1 is earlier than 1.0a1
    dev = _PEP440_FINAL if v.dev is None else (0, "", v.dev)
    return v.epoch, _trimmed(v.release), pre, -1 if v.post is None else v.post, dev


def _trimmed(numbers: tuple[int, ...]) -> tuple[int, ...]:
    while len(numbers) > 1 and not numbers[-1]:
        numbers = numbers[:-1]
    return numbers


def _dotted(text: str) -> Any:
    core, dash, suffix = _unprefixed(text).partition("+")[0].partition("-")
    numbers = _numbers(core.split("."))
    if numbers is None:
        return None
    numbers = _trimmed(numbers)
    if not dash:
        return numbers, _RELEASED, 0
    stage = _stage(suffix)
    return None if stage is None else (numbers, *stage)


def _revision(text: str) -> Any:
    digits = text[1:] if text[:1] in (":", "b") else _unprefixed(text)  # llama.cpp's builds are b4886
    return int(digits) if digits.isdigit() and len(digits) <= MAX_DIGITS else None


def _rebuild(text: str) -> Any:
    core, dash, suffix = _unprefixed(text).partition("+")[0].partition("-")
    parts = core.split(".")
    numbers = _numbers(parts)
    if numbers is None or len(parts) != 3:
        return None
    if not dash:
        return numbers, _RELEASED, "", 0
    if suffix.isdigit():
        return (numbers, _RELEASED + 1, "", int(suffix)) if len(suffix) <= MAX_DIGITS else None
    word, number = _word_and_number(suffix)
    if word in _REBUILDS and number is not None:
        return numbers, _RELEASED + 1, word, number
    stage = _stage(suffix)
    return None if stage is None else (numbers, stage[0], "", stage[1])


_READERS = {
    Scheme.SEMVER: _semver,
    Scheme.PEP440: _pep440,
    Scheme.DOTTED: _dotted,
    Scheme.REVISION: _revision,
    Scheme.REBUILD: _rebuild,
}


def _unprefixed(text: str) -> str:
    """Without the `v` that tags put before a number."""
    return text[1:] if text[:1] in "vV" and text[1:2].isdigit() else text


def _numbers(parts: list[str]) -> tuple[int, ...] | None:
    if len(parts) > MAX_PARTS or any(not p.isdigit() or len(p) > MAX_DIGITS for p in parts):
        return None
    return tuple(map(int, parts))


def _word_and_number(suffix: str) -> tuple[str, int | None]:
    """("native", 2) of "native.2"; the number of a bare word is 0, None where what follows is no number."""
    word = suffix.rstrip("0123456789")
    digits = suffix[len(word) :]
    word = word.rstrip(".-") if digits else word
    return word.lower(), (int(digits or "0") if len(digits) <= MAX_DIGITS else None)


def _stage(suffix: str) -> tuple[int, int] | None:
    word, number = _word_and_number(suffix)
    stage = _STAGES.get(word)
    return None if stage is None or number is None else (stage, number)


def is_partial(text: str) -> bool:
    """Whether a version of three-part releases names only the first two: 0.14, v1.2."""
    parts = text.strip().removeprefix("v").split(".")
    return len(parts) == 2 and all(p.isdigit() for p in parts)
