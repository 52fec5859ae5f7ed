"""What a reporter answers to, folds away, changes, releases or tests is not what fails for him."""

from __future__ import annotations

import pytest

from signatures.extract import read_issue
from signatures.extract.vocabulary import load_vocabulary
from signatures.index import View
from signatures.model import IssueText, Post, Role

M = "Unsupported model IR version: 9, max supported IR version: 8"
VOCABULARY = load_vocabulary()
ASKED = Post(Role.MAINTAINER, f"Do you see `{M}`?")


def visible(*posts: Post) -> bool:
    report = read_issue(IssueText("slow", posts), VOCABULARY, ())
    return any(View(b).has(M.casefold()) for b in report.blocks if b.role is Role.REPORTER)


def own(text: str) -> Post:
    return Post(Role.REPORTER, text)


@pytest.mark.parametrize(
    "answer",
    [
        f"> Do you see `{M}`?\n\nNo.",
        f"> Do you see `{M}`?\n\nIt loads, and takes 3 s.",
        f"> {M}\n\nI do not.",
        f"In reply to bob:\n> {M}\nThat is your file. Mine loads.",
        f"bob wrote:\n\n> {M}\n\nMy file loads.",
    ],
)
def test_a_quote_in_a_later_comment_is_what_it_answers_to(answer: str) -> None:
    assert not visible(own("It is slow."), ASKED, own(answer))


@pytest.mark.parametrize(
    "answer",
    [
        f"> Do you see `{M}`?\n\nYes, I get exactly this.",
        f"Sure, here is the log:\n\n> {M}",
        f"With 1.14 it fails like so:\n\n> {M}",
    ],
)
def test_a_quote_in_a_later_comment_counts_where_he_says_that_it_is_his(answer: str) -> None:
    assert visible(own("It is slow."), Post(Role.MAINTAINER, "Do you have a log?"), own(answer))


@pytest.mark.parametrize(
    "text",
    [
        f"> {M}\n\nNo such line in my log.",
        f"> {M}\n\nNo, mine loads.",
        f"alice wrote:\n\n> {M}\n\nMine is slow.",
        f"alice says:\n\n> {M}\n\nMine is slow.",
        f"I have read the guide, it says:\n\n> {M}\n\nMine is slow.",
        f"<details><summary>Unrelated old log</summary>\n\n{M}\n</details>\n\nThe question is about speed.",
        f"<details>\n<summary>Old log</summary>\n\n```\n{M}\n```\n\n</details>\n\nIt is slow.",
        f'```diff\n-  throw "{M}"\n+  throw better\n```',
        f'test("x", () => {{ expect(() => load("x")).toThrow("{M}") }})\nAll 41 tests pass.',
        f'Tests: `EXPECT_THAT(st.ErrorMessage(), HasSubstr("{M}"))`.',
        f'We assert it: `assert "{M}" in str(e.value)`',
        f"```\ntest_ir PASSED\n---- captured log ----\n{M}\ntest_proto PASSED\n==== 2 passed ====\n```",
        f"## Changelog\n\n* {M}: falls back\n* Faster start",
        f"## LiteRT-LM v0.13.1\n- Fixed: a crash\n- Fixed: {M}\n- {M}: accepted",
        f"Loading the file prints {M}. I made this on purpose in a unit test.",
    ],
)
def test_what_is_answered_folded_away_changed_released_or_tested_is_no_failure(text: str) -> None:
    assert not visible(own(text))


@pytest.mark.parametrize(
    "text",
    [
        f"> {M}",
        f"Loading fails:\n\n> {M}\n\nonnxruntime 1.14",
        f"> {M}\n\nNo idea what it means.",
        f"<details><summary>Full log</summary>\n\n```\n{M}\n```\n\n</details>",
        f"<details><summary>Old log</summary>\n\nnothing\n\n</details>\n\n```\n{M}\n```",
        f"```diff\n- a\n+ b\n```\nThen:\n```\n{M}\n```",
        f"```\n---- captured log ----\n{M}\n=== 1 failed, 2 passed ===\n```",
        f"```\n{M}\n==== 2 passed ====\n```",
        f"## onnxruntime 1.14\n- {M}\n- 2 GB of RAM",
        f"## v1.14\n- fixed by nothing\n- I get {M}",
    ],
)
def test_what_is_shown_is_a_failure(text: str) -> None:
    assert visible(own(text))
