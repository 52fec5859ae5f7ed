"""What is said when an answer changes: dated, plain, short."""

from __future__ import annotations

import pytest

from bot.comment import retraction
from bot.wording.lifecycle import NOT_IT, OUTDATED, WITHDRAWALS, change_words
from kb.model import Verdict

PROBLEM = "webgpu-recurrent-state-buffer-aliasing"


def test_a_changed_verdict_names_both_states() -> None:
    assert change_words("2026-06-23", PROBLEM, "upgrade", "wait-for-product") == (
        f"2026-06-23, {PROBLEM}: a release has the fix (before: fixed in a component, in no release of the product)"
    )
    assert change_words("2026-06-23", PROBLEM, "recognised") == f"2026-06-23, {PROBLEM}: recognised"


@pytest.mark.parametrize("now", Verdict)
@pytest.mark.parametrize("before", Verdict)
def test_every_change_is_one_short_line_in_words(now: Verdict, before: Verdict) -> None:
    line = change_words("2026-06-23", PROBLEM, now, before)

    assert "\n" not in line
    assert len(line.partition(": ")[2]) <= 120


@pytest.mark.parametrize("words", WITHDRAWALS)
def test_a_withdrawn_answer_is_one_line_that_blames_nobody(words: str) -> None:
    body = retraction(words).body
    _, line, _, footer = body.split("\n")

    assert line == words
    assert "withdrawn" in line
    assert len(line) < 160
    assert f"`/triage {({NOT_IT: 'known', OUTDATED: 'post'}).get(words, 'rerun')}`" in footer
