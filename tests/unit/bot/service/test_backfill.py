"""The digest of old issues, in words."""

from __future__ import annotations

import pytest

from bot.service.answering import Told
from bot.service.backfill import Entry, digest


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "1 issue that changed since 2026-01-01 was read; 1 shows a known failure, and 1 would get a comment."),
        (2, "2 issues that changed since 2026-01-01 were read; 2 show a known failure, and 2 would get a comment."),
    ],
)
def test_one_issue_is_one(count: int, words: str) -> None:
    told = Told("some-problem", "upgrade", "", "")
    found = tuple(Entry(number, (told,), comment=True) for number in range(count))
    assert words in digest("acme/engine", "2026-01-01", found, {})
