"""What the words of a commit say about other changes: pull request numbers, picks, reverts and re-landings.

Words are hostile and careless, so nothing here decides a delivery: it only says which numbers a commit speaks of.
"""

from __future__ import annotations

from functools import lru_cache

from signatures.linear import linear
from signatures.values import NamedTuple

_TRAILING = r"^(.*?)((?:\s*\(#\d{1,9}\))+)\s*$"
_NUMBER = r"#(\d{1,9})\b"
_TAG = r"^\s*(?:\[[^\]]{1,60}\]|cherry[- ]?pick(?:ed)?:|backport:)\s*"
_BACK = r"re-?vert(?:s|ed|ing)?|back(?:s|ed)? ?out|roll(?:s|ed)? ?back"
_AGAIN = r"re-?apply|re-?land"
_QUOTED = rf"""^(?i:({_BACK})|({_AGAIN}))\b[:\s]*["'“‘`](.+?)["'”’`]?\s*$"""
_FREE = rf"^(?i:(?:partial(?:ly)? |part(?:ly)? |in part )?(?:({_BACK})|({_AGAIN})(?:s|ed|ing)?))\b(.*)$"
_PARTLY = r"(?i)\b(part|parts|partial|partially|partly|some)\b"
_PICK = r"(?i)\b(cherry[- ]?pick\w*|back-?port\w*|picks?)\b"
_ROUND = r"(?i)cherry[- ]?pick|\bpicks?\b|\bround\b|back-?port|\bpatch release\b"
_MERGED = r"^Merge pull request #(\d{1,9}) from "
_REVERTS_SHA = r"(?m)\bThis reverts commit ([0-9a-f]{7,40})\b"
_REVERTS_PR = r"(?m)^Reverts (?:([\w.-]+/[\w.-]+))?#(\d{1,9})\s*$"
_PICKED = r"(?m)^\(cherry picked from commit ([0-9a-f]{7,40})\)\s*$"
_LISTED = r"(?m)^\s*(?:[-*+]\s+)?(?:(?:[\w.-]+/[\w.-]+)?#(\d{1,9})\b\s*\S.*|[^\n]*\S\s+\(#(\d{1,9})\))\s*$"
_PICKED_NUMBER = r"(?i)\b(?:cherry[- ]?pick(?:s|ed|ing)?|back-?port(?:s|ed|ing)?)(?: of)?(?: PR)? #(\d{1,9})\b"
_DEPTH = 6


class Title(NamedTuple):
    own: int | None  # the number under which the commit itself was merged
    says: tuple[tuple[int, int], ...]  # (number, sign) of other changes: 1 brings in, -1 takes out, 0 in part
    core: str  # the innermost title without numbers, folded
    undoes: int  # 1 a plain title, -1 takes the core out, 0 in part
    turned: bool  # whether it speaks of reverting or of landing again


@lru_cache(maxsize=65536)
def read_title(subject: str) -> Title:
    """What a subject line says. Nested reverts alternate the sign."""
    merged = linear(_MERGED).match(subject)
    if merged:
        return Title(int(merged.group(1)), (), "", 1, False)
    rest, numbers = _split(subject)
    own = numbers[-1] if numbers else None
    says = [(n, 1) for n in numbers[:-1]]
    rest = _untagged(rest)
    sign, turned = 1, False
    for _ in range(_DEPTH):
        found = linear(_QUOTED).match(rest)
        if not found:
            break
        turned = True
        sign = -sign if found.group(1) else sign
        rest, inner = _split(found.group(3))
        says += [(n, sign) for n in inner]
        rest = _untagged(rest)
    free = linear(_FREE).match(rest)
    if free:
        turned = True
        flip = -1 if free.group(1) else 1
        if linear(_PARTLY).search(rest):
            sign = 0
        else:
            sign *= flip
        says += [(int(m.group(1)), sign) for m in linear(_NUMBER).finditer(free.group(3))]
    elif linear(_PICK).search(rest):
        says += [(int(m.group(1)), sign) for m in linear(_NUMBER).finditer(rest)]
    return Title(own, tuple(dict.fromkeys(says)), fold(rest), sign, turned)


def _split(text: str) -> tuple[str, list[int]]:
    """A title and the numbers in brackets at its end."""
    found = linear(_TRAILING).match(text.strip())
    if not found:
        return text.strip(), []
    return found.group(1).strip(), [int(m.group(1)) for m in linear(_NUMBER).finditer(found.group(2))]


def _untagged(text: str) -> str:
    for _ in range(3):
        found = linear(_TAG, fold_case=True).match(text)
        if not found:
            break
        text = text[found.end() :]
    return text.strip()


def fold(text: str) -> str:
    """Titles compare without case, spacing and the dots of a cut one."""
    return " ".join(text.casefold().split()).rstrip("….")


def is_round(subject: str) -> bool:
    """Whether a title speaks of several picks at once."""
    return linear(_ROUND).search(subject) is not None


class Body(NamedTuple):
    reverts: tuple[str, ...]  # commits
    reverts_numbers: tuple[int, ...]
    picked_from: tuple[str, ...]  # commits, as `git cherry-pick -x` writes them
    picked_numbers: tuple[int, ...]
    listed: tuple[int, ...]  # numbers, one line each


def read_body(body: str, repo: str) -> Body:
    if not body:
        return _EMPTY
    listed = [int(m.group(1) or m.group(2)) for m in linear(_LISTED).finditer(body)]
    reverted = [int(m.group(2)) for m in linear(_REVERTS_PR).finditer(body) if m.group(1) in (None, "", repo)]
    return Body(
        tuple(m.group(1) for m in linear(_REVERTS_SHA).finditer(body)),
        tuple(reverted),
        tuple(m.group(1) for m in linear(_PICKED).finditer(body)),
        tuple(int(m.group(1)) for m in linear(_PICKED_NUMBER).finditer(body)),
        tuple(dict.fromkeys(listed)),
    )


_EMPTY = Body((), (), (), (), ())
