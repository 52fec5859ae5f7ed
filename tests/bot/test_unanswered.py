"""A write that got no answer is the bot's own all the same: it is known again, edited, withdrawn, never made twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from github.IssueComment import IssueComment
from requests.exceptions import ReadTimeout

from bot.forge import bounded
from bot.publishing.decide import Standing
from bot.service.running import revisit, work
from bot.wording.lifecycle import NO_LONGER, OTHER_VERSION, WRONG
from tests.bot.conftest import LOGIN
from tests.bot.faults import Fault, Killed, Refusal, faults, remembering
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]
TITLE = "qwen3.5 stops on WebGPU"
COMMENTS = "/comments"
LOST = Refusal(502, after=True)
PROXY = Refusal(201, {}, "<html>welcome</html>", after=True)
QUIET = 'mode = "off"'


def own(bot: Bot, number: int) -> list[IssueComment]:
    return [c for c in bot.repository.get_issue(number).get_comments() if c.user.login == LOGIN]


def posted_unseen(
    bot: Bot, report: Report, patch: pytest.MonkeyPatch, text: str = ALIASING + VERSION, fault: Fault = LOST
) -> int:
    """An issue whose comment is there, and whose creation got no answer."""
    number = report(TITLE, text)
    with faults(patch, "POST", COMMENTS, fault) as left:
        bot.settle()
        assert left == []
    assert len(bot.comments(number)) == 1
    return number


def test_an_edit_without_an_answer_is_the_bots_own(bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    number = report(TITLE, ALIASING)
    bot.settle()
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    with faults(monkeypatch, "PATCH", COMMENTS, LOST) as left:
        bot.settle(minutes=2)
        assert left == []
    bot.say("maintainer", number, "/triage why")
    bot.settle(minutes=10)
    assert "<details open>" in bot.comments(number)[0]
    assert bot.done("edited") == 2

    bot.say("maintainer", number, "/triage wrong")
    with faults(monkeypatch, "PATCH", COMMENTS, ReadTimeout) as left:
        bot.settle(minutes=10)
        assert left == []
    bot.settle(minutes=10)
    assert WRONG in bot.comments(number)[0]
    assert bot.done("retracted") == 1
    bot.say("maintainer", number, "/triage rerun")
    bot.settle(minutes=10)
    assert "0.10.1" in bot.comments(number)[0]


def test_a_person_who_edits_what_got_no_answer_keeps_their_words(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = posted_unseen(bot, report, monkeypatch)
    (comment,) = own(bot, number)
    comment.edit(comment.body + "\nThe team looks at it.")
    bot.settle(minutes=10)
    bot.say("reporter", number, "My version is Foundry Local CLI 0.10.3.")
    bot.settle(minutes=10)
    assert bot.comments(number)[0].endswith("The team looks at it.")

    other = posted_unseen(bot, report, monkeypatch)
    own(bot, other)[0].edit("A person's words, with no marker.")
    bot.settle(minutes=10)
    bot.settle(minutes=10)
    assert bot.comments(other) == ["A person's words, with no marker."]


@pytest.mark.parametrize(
    ("words", "withdrawn"),
    [
        ("/triage wrong", WRONG),
        ("My version is Foundry Local CLI 0.10.3.", OTHER_VERSION),
        ("", NO_LONGER),
    ],
)
def test_a_comment_that_got_no_answer_is_withdrawn(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, words: str, withdrawn: str
) -> None:
    number = posted_unseen(bot, report, monkeypatch, ALIASING)
    if words:
        bot.say("maintainer" if words.startswith("/") else "reporter", number, words)
    else:
        bot.repository.get_issue(number).edit(body="Never mind, I had mistyped it.")
    bot.settle(minutes=2)

    (body,) = bot.comments(number)
    assert withdrawn in body
    assert bot.done("posted") == 1


def test_it_is_withdrawn_also_where_the_bot_was_switched_off(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = posted_unseen(bot, report, monkeypatch)
    bot.policy(QUIET)
    bot.say("maintainer", number, "/triage wrong")
    bot.settle(minutes=10)
    assert WRONG in bot.comments(number)[0]


def test_a_write_that_a_proxy_answers_is_looked_for(bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]\n[labels]\nneeds_info = "ask"')
    number = posted_unseen(bot, report, monkeypatch, ALIASING, PROXY)
    assert bot.done("unclear") == 1
    with faults(monkeypatch, "POST", "/labels", PROXY) as left:
        bot.settle(minutes=6)
        assert left == []
    assert bot.done("posted") == 1
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    with faults(monkeypatch, "PATCH", COMMENTS, PROXY._replace(status=200)) as left:
        bot.settle(minutes=10)
        assert left == []
    bot.settle(minutes=10)
    (talk,) = bot.store.talks()
    assert (talk.standing, talk.labels) == (Standing.STANDS, ())
    assert bot.repository.get_issue(number).labels == []
    assert [bot.done("posted"), bot.done("edited"), len(bot.comments(number))] == [1, 1, 1]


@pytest.mark.parametrize("fault", [LOST, PROXY])
def test_a_comment_that_got_no_answer_and_was_deleted_stays_deleted(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    number = posted_unseen(bot, report, monkeypatch, fault=fault)
    own(bot, number)[0].delete()
    bot.settle()
    bot.settle(minutes=10)
    assert bot.comments(number) == []

    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert len(bot.comments(number)) == 1


def test_a_deletion_that_no_webhook_told_of_is_in_the_timeline(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = report(TITLE, ALIASING + VERSION)
    with remembering(monkeypatch, LOGIN):
        real: Callable[[Any], Any] = bounded._answered

        def answered(connection: Any) -> Any:
            answer = real(connection)
            if connection.verb == "POST" and connection.url.endswith(COMMENTS):
                raise Killed
            return answer

        with monkeypatch.context() as patch:
            patch.setattr(bounded, "_answered", answered)
            with pytest.raises(Killed):
                bot.settle()
        with monkeypatch.context() as patch:
            patch.setattr("tests.bot.harness.ingest", lambda *_: False)  # no webhook arrives
            own(bot, number)[0].delete()
            bot.settle(minutes=10)
            bot.settle(minutes=10)
    assert bot.comments(number) == []
    talks = bot.store.talks(ref=f"{bot.repository.full_name}#{number}")
    assert [talk.standing for talk in talks] == [Standing.DELETED]


def test_a_comment_without_an_answer_counts_in_the_budget(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]\n[budget]\ncomments_per_hour = 1')
    numbers = [report(TITLE, ALIASING + VERSION) for _ in range(3)]
    with faults(monkeypatch, "POST", COMMENTS, LOST, LOST, LOST):
        bot.settle()
    bot.settle(minutes=10)
    assert sum(len(bot.comments(number)) for number in numbers) == 1
    assert bot.done("posted") == 1


@pytest.mark.parametrize("fault", [LOST, PROXY, Refusal(502)])
def test_a_note_without_an_answer_is_written_once(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    number = told_of_release(bot, report, monkeypatch, fault)
    bot.say("reporter", number, "Any news?")
    bot.settle(minutes=10)
    bot.settle(minutes=10)
    assert len(bot.comments(number)) == 2
    assert bot.done("noted") == 1


def test_a_note_that_got_no_answer_and_was_deleted_stays_deleted(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = told_of_release(bot, report, monkeypatch, LOST)
    own(bot, number)[1].delete()
    bot.settle(minutes=10)
    bot.settle(minutes=10)
    assert len(bot.comments(number)) == 1


def told_of_release(bot: Bot, report: Report, patch: pytest.MonkeyPatch, fault: Fault | None = None) -> int:
    """An issue that was answered before the release with its fix, and that a note is due for, or written."""
    bot.clock = datetime(2026, 6, 11, 12, tzinfo=UTC)
    bot.desk.as_of = lambda: bot.clock.date().isoformat()
    number = report(TITLE, ALIASING + VERSION)
    bot.settle()
    bot.clock = datetime(2026, 6, 23, 12, tzinfo=UTC)
    revisit(bot.desk, "2026-06-23")
    with faults(patch, "POST", COMMENTS, *([fault] if fault is not None else [])) as left:
        bot.settle()
        assert left == []
    return number


@pytest.mark.parametrize("wrong", [True, False])
def test_a_note_ends_with_what_it_speaks_of_and_comes_back_with_it(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, *, wrong: bool
) -> None:
    number = told_of_release(bot, report, monkeypatch)
    said = bot.comments(number)[1]
    assert "has the fix that is described above" in said
    if wrong:
        bot.say("maintainer", number, "/triage wrong")
    else:  # the release counts no more
        bot.clock = datetime(2026, 6, 11, 13, tzinfo=UTC)
        revisit(bot.desk, "withdrawn")
    bot.settle(minutes=2)

    comment, note = bot.comments(number)
    assert (WRONG in comment) == wrong
    assert "withdrawn" in note
    assert "has the fix" not in note
    if wrong:
        bot.say("maintainer", number, "/triage rerun")
    else:  # it counts again
        bot.clock = datetime(2026, 6, 24, 12, tzinfo=UTC)
        revisit(bot.desk, "released")
    bot.settle(minutes=2)
    assert bot.comments(number)[1] == said
    bot.say("maintainer", number, "/triage wrong")
    bot.settle(minutes=2)
    assert bot.comments(number)[1] == note
    words = "It is in the next build."
    own(bot, number)[1].edit(f"{note}\n{words}")
    bot.say("maintainer", number, "/triage rerun")
    bot.settle(minutes=2)
    assert bot.comments(number)[1].endswith(words)
    assert bot.done("noted") == 1


def test_a_note_that_a_person_edited_is_theirs(bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    number = told_of_release(bot, report, monkeypatch)
    words = own(bot, number)[1].body + "\nThanks to all."
    own(bot, number)[1].edit(words)
    bot.say("maintainer", number, "/triage wrong")
    bot.settle()
    assert bot.comments(number)[1] == words


def test_what_takes_an_answer_back_waits_for_no_budget(bot: Bot, report: Report) -> None:
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]\n[budget]\nedits_per_issue_and_day = 1')
    number = report(TITLE, ALIASING)
    bot.settle()
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.settle(minutes=2)
    assert bot.done("edited") == 1
    for words in ("Never mind, I had mistyped it.", f"{ALIASING}\nMy version is Foundry Local CLI 0.10.3.", ALIASING):
        bot.repository.get_issue(number).edit(body=words)
        bot.settle(minutes=2)
        assert NO_LONGER in bot.comments(number)[0]  # one line in place of another is an edit as any
    assert bot.done("edited", "retracted") == 2
    assert bot.done("wait") == 1


@pytest.mark.parametrize("status", [403, 422])
def test_labels_that_cannot_be_set_hold_nothing_up(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]\n[labels]\nknown = "known"')
    number = report(TITLE, ALIASING)
    with faults(monkeypatch, "POST", "/labels", *[Refusal(status)] * 9) as left:
        bot.settle()
        bot.clock += timedelta(minutes=30)
        while work(bot.desk):
            pass
        assert len(left) == 8
        (talk,) = bot.store.talks()
        assert talk.standing == Standing.STANDS
        bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
        bot.settle(minutes=2)
    assert "0.10.1" in bot.comments(number)[0]
    assert bot.done("failed") == 1


@pytest.mark.parametrize("known", [True, False])
def test_a_closed_issue_keeps_no_answer_that_does_not_hold(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, *, known: bool
) -> None:
    if known:
        number = report("Slow", "It is slow on my machine, Foundry Local CLI 0.10.0.")
        bot.say("maintainer", number, "/triage known fl-ep-not-registered\n/triage post")
    else:
        number = report(TITLE, ALIASING + VERSION)
    with faults(monkeypatch, "POST", COMMENTS, LOST) as left:
        bot.settle()
        assert left == []
    issue = bot.repository.get_issue(number)
    issue.edit(state="closed")
    if known:
        bot.say("maintainer", number, "/triage wrong")
    else:
        issue.edit(body="Never mind, I had mistyped it.")
    bot.settle(minutes=2)

    (body,) = bot.comments(number)
    assert (WRONG if known else NO_LONGER) in body
