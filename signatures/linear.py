"""The one place that compiles regular expressions: RE2, which takes linear time on any input.

Lookaround and backreferences do not exist in this engine, and a pattern that needs them is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import re2

from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

_cache: dict[tuple[str, bool], Pattern] = {}


class PatternError(ValueError):
    """A pattern that the linear-time engine refuses."""


class Found(Protocol):
    """The part of a match object that this project uses; offsets count characters."""

    def start(self, group: int | str = 0, /) -> int: ...
    def end(self, group: int | str = 0, /) -> int: ...
    def span(self, group: int | str = 0, /) -> tuple[int, int]: ...
    def group(self, group: int | str = 0, /) -> str: ...
    def groupdict(self) -> dict[str, str | None]: ...


class Pattern(Protocol):
    @property
    def groupindex(self) -> dict[str, int]: ...
    def search(self, text: str, /) -> Found | None: ...
    def fullmatch(self, text: str, /) -> Found | None: ...
    def match(self, text: str, /) -> Found | None: ...
    def finditer(self, text: str, /) -> Iterator[Found]: ...


def linear(pattern: str, *, fold_case: bool = False) -> Pattern:
    """Compile once and remember.

    `fold_case` ignores letter case. Raises PatternError with the engine's own words.
    """
    found = _cache.get((pattern, fold_case))
    if found is None:
        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = not fold_case
        try:
            found = re2.compile(pattern, options)
        except re2.error as e:
            raise PatternError(_words(e)) from None
        _cache[pattern, fold_case] = found
    return found


@lru_cache(maxsize=64)
def any_of(texts: tuple[str, ...]) -> Pattern:
    """What matches where any of these texts stands, of which there is at least one: one pass over a long text tells
    that none of very many is in it."""
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = 64 << 20
    found: Pattern = re2.compile("|".join(map(re2.escape, texts)), options)
    return found


def escape(text: str) -> str:
    """The pattern that matches `text` literally."""
    escaped: str = re2.escape(text)
    return escaped


def _words(error: Exception) -> str:
    first = error.args[0] if error.args else str(error)
    return first.decode("utf-8", "replace") if isinstance(first, bytes) else str(first)
