"""What an issue's own times say of it."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

import signatures
from bot.forge import Read
from bot.forge.items import CommentItem, IssueItem, Writer
from bot.knowledge import load_known
from bot.service.answering import Answer, answer, is_aged, is_answered
from kb.store.conversations import Talk
from signatures.model import Certainty, IssueText, Post, Role

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
OLD, YOUNG = "2026-06-01T00:00:00Z", "2026-06-29T00:00:00Z"


def thread(created: str, *comments: tuple[str, str], reporter: str | None = "reporter") -> Read:
    item = IssueItem(number=1, state="open", created_at=created, user=Writer(login=reporter) if reporter else None)
    said = tuple(CommentItem(id=n, user=Writer(login=who), created_at=at) for n, (who, at) in enumerate(comments))
    return Read("acme/engine", item, said, {})


@pytest.mark.parametrize(
    ("read", "aged"),
    [
        (thread(YOUNG), False),
        (thread(OLD), True),
        (thread(OLD, ("reporter", YOUNG)), False),
        (thread(OLD, ("reporter", OLD), ("other", YOUNG), ("stale[bot]", YOUNG)), True),
        (thread(OLD, ("", YOUNG), reporter=None), True),
        (thread(""), True),
    ],
    ids=["new", "old", "its reporter posts", "others post", "its reporter's account is gone", "no time is told"],
)
def test_an_issue_is_as_old_as_what_its_reporter_posted_last(read: Read, aged: bool) -> None:
    assert is_aged(read, NOW, 14) is aged


@pytest.mark.parametrize(
    ("words", "answered"),
    [
        ("It is the driver: update it to 31.0.101.\n\n/triage why", True),
        ("/triage check hf:owner/name@main\nThis is fixed in the next release.", True),
        ("This looks like it.\n\n/triage known some-problem", False),
        ("It is another one.\n\n/triage not some-problem", False),
        ("Please have another look.\n\n/triage rerun", False),
        ("Let it speak.\n\n/triage post now", True),
        ("/triage why", False),
        ("> It stops.\n\n/triage wrong it is the driver\n/assign @somebody", False),
        ("> It stops.", True),
    ],
)
def test_a_maintainers_words_are_an_answer_and_commands_alone_are_none(words: str, answered: bool) -> None:
    said = {"user": {"login": "maintainer"}, "author_association": "OWNER", "body": words}
    raw = {"issue": {"title": "It stops", "user": {"login": "reporter"}, "body": "It stops."}, "comments": [said]}
    item = IssueItem(number=1, state="open", user=Writer(login="reporter"))
    comment = CommentItem(id=1, body=words, user=Writer(login="maintainer"), author_association="OWNER")
    assert is_answered(Read("acme/engine", item, (comment,), raw), "triage[bot]") is answered


def test_a_report_in_thousands_of_pieces_is_read_at_both_ends_and_says_so() -> None:
    error = "```\nDuplicate definition of name (image_grid_thw_CUDAExecutionProvider)\n```\n"
    filler = "```\na\n```\n" * 3000
    for text in (error + filler, filler + error):
        issue = IssueText("It stops", (Post(Role.REPORTER, text, None),), "acme/engine#1")
        found = answer(issue, Talk("1#1", "acme/engine#1"), load_known(), "2026-06-30")
        assert len(found.diagnosis.report.blocks) == 600
        assert found.comment is not None
        assert "only the first and the last 300 of its many short pieces" in found.comment.body


BUFFER = "webgpu-recurrent-state-buffer-aliasing"
COPY = "baked-memcpy-duplicate-ep-name"
TWO = """```
This is an invalid model. Error: Duplicate definition of name (pad_CUDAExecutionProvider).
failed to load model qwen3.5-0.8b-cuda-gpu:3
```
and with the other one, on Foundry Local CLI 0.10.0,

```
Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer (unlabeled)] usage
(Storage(read-write)|Storage(read-only)) includes writable usage and another usage in the same synchronization scope.
```
"""
CATALOGUE = Path(signatures.__file__).parent / "catalogue"


def said(text: str, **talk: object) -> Answer:
    issue = IssueText("It stops", (Post(Role.REPORTER, text, None),), "acme/engine#1")
    return answer(issue, Talk("1#1", "acme/engine#1")._replace(**talk), load_known(), "2026-06-30")  # type: ignore[arg-type]


def test_a_maintainers_word_makes_certain_what_the_bot_thought_possible() -> None:
    possible = []
    for file in ("software-adapter-selected", "cuda-kernel-image-missing", "ort-line-alone"):
        (path,) = CATALOGUE.glob(f"*/{file}.toml")
        for example in tomllib.loads(path.read_text())["example"]:
            text = f"```\n{example['text']}\n```"
            alone = said(text).diagnosis.known
            possible += [(text, k.problem) for k in alone if k.certainty is Certainty.POSSIBLE]
    assert len(possible) > 3
    for text, problem in possible:
        found = said(text, known=(problem.id,))
        assert [(k.problem.id, k.certainty) for k in found.diagnosis.known] == [(problem.id, Certainty.CERTAIN)]
        assert found.comment is not None, (problem.id, text)
        assert found.comment.problems == (problem.id,)
        assert "looks like" not in found.comment.body


def test_where_a_maintainer_names_the_problem_no_other_is_claimed_beside_it() -> None:
    assert {k.problem.id for k in said(TWO).diagnosis.known} >= {BUFFER, COPY}
    found = said(TWO, known=(COPY,))
    assert [told.problem for told in found.said] == [COPY]
    assert found.comment is not None
    assert "0.10.1 (" not in found.comment.body
    assert {told.problem for told in said(TWO, known=(COPY, BUFFER)).said} == {COPY, BUFFER}


def test_a_maintainers_word_is_told_as_what_it_is() -> None:
    before = "\n".join(map(str, said(TWO).said))
    stands = {"comment": 5, "said": before}
    named = said(TWO, known=("fl-ep-not-registered",), **stands)
    assert named.comment is not None
    assert "text\n\n```" not in named.comment.body
    assert "Automated, from a maintainer's word." in named.comment.body
    assert "fl-ep-not-registered: a maintainer said that it is this one" in named.comment.body
    assert f"{BUFFER}: a maintainer said that it is another one" in named.comment.body
    refused = said(TWO, refused=(BUFFER,), **stands)
    assert refused.comment is not None
    assert f"{BUFFER}: a maintainer said that it is not this one" in refused.comment.body
    assert "Automated, from the text of this issue." in refused.comment.body
    both = said(TWO, known=(COPY,), **stands)
    assert both.comment is not None
    assert "Automated, from the text of this issue and a maintainer's word." in both.comment.body
