"""What an issue's own times say of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.forge import Read
from bot.forge.items import CommentItem, IssueItem, Writer
from bot.knowledge import load_known
from bot.service.answering import answer, is_aged, is_answered
from kb.store.conversations import Talk
from signatures.model import IssueText, Post, Role

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
