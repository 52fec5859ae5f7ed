"""A store that was lost, as a workflow's cache may be: GitHub itself says what was done and said before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from github.IssueComment import IssueComment

from bot.service.backfill import backfill
from bot.wording.lifecycle import WRONG
from tests.bot.conftest import INSTALLATION, LOGIN
from tests.bot.faults import Remembering, remembering
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]
TITLE = "qwen3.5 stops on WebGPU"


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Remembering]:
    with remembering(monkeypatch, LOGIN) as made:
        yield made


def lose(bot: Bot, **later: float) -> None:
    bot.lose_database()
    bot.clock += timedelta(**later)


def own(bot: Bot, number: int) -> IssueComment:
    """Its own comment, in the maintainer's hands."""
    issue = bot.github.user("maintainer").get_repo(bot.repository.full_name).get_issue(number)
    return next(c for c in issue.get_comments() if c.user.login == LOGIN)


def fill(bot: Bot) -> None:
    bot.threads.installation = INSTALLATION
    bot.desk.threads = lambda *_: bot.threads
    backfill(bot.desk, bot.repository.full_name, "2020-01-01", most=50)


def test_a_comment_that_a_person_deleted_is_not_written_again(bot: Bot, report: Report) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.settle()
    own(bot, number).delete()
    bot.settle()
    lose(bot)
    bot.say("reporter", number, "Any news?")
    bot.settle()

    assert bot.comments(number) == []
    assert any("a comment was deleted here" in d.detail for d in bot.store.deeds(what="silent"))


def test_commands_that_were_heard_hold_and_are_not_answered_again(
    bot: Bot, report: Report, memory: Remembering
) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.settle()
    bot.say("maintainer", number, "/triage wrong")
    bot.settle()
    (said,) = memory.reactions.values()
    assert [(r["content"], r["user"]["login"]) for r in said] == [("+1", LOGIN)]
    (body,) = bot.comments(number)
    assert WRONG in body

    lose(bot, hours=1)
    bot.say("reporter", number, "Any news?")
    bot.settle()
    assert bot.comments(number) == [body]
    assert len(said) == 1
    assert bot.done("command") == 0

    lose(bot, hours=1)
    bot.say("maintainer", number, "/triage rerun")
    bot.settle()
    assert "0.10.1" in bot.comments(number)[0]
    assert bot.done("command") == 1


@pytest.mark.parametrize("command", ["post", "rerun"])
def test_a_command_from_before_a_comment_was_deleted_brings_none_back(bot: Bot, report: Report, command: str) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.settle()
    bot.say("maintainer", number, f"/triage {command}")
    bot.settle()
    own(bot, number).delete()
    bot.settle()
    lose(bot, hours=2)
    if command == "post":
        fill(bot)
    bot.say("reporter", number, "Any news?")
    bot.settle()
    assert bot.comments(number) == []

    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert len(bot.comments(number)) == 1


def test_a_withdrawn_answer_says_so_itself(bot: Bot, report: Report) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.settle()
    bot.say("maintainer", number, "/triage rerun")
    bot.settle()
    bot.say("maintainer", number, "/triage wrong")
    bot.settle()
    for comment in bot.repository.get_issue(number).get_comments():
        if comment.body == "/triage wrong":
            comment.delete()
    (body,) = bot.comments(number)
    assert WRONG in body
    lose(bot, hours=2)
    bot.say("reporter", number, "Any news?")
    bot.settle()
    assert bot.comments(number) == [body]


def test_a_comment_that_a_person_replaced_is_not_written_again(bot: Bot, report: Report) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.settle()
    own(bot, number).edit("Duplicate of #1, please see there.")
    bot.settle()
    lose(bot, hours=2)
    bot.say("reporter", number, "Any news?")
    bot.settle()
    assert bot.comments(number) == ["Duplicate of #1, please see there."]


def test_a_command_from_before_the_bot_was_there_posts_nothing_behind_a_back_fill(bot: Bot, report: Report) -> None:
    bot.policy('mode = "off"')
    number = report(TITLE, ALIASING + VERSION)
    bot.say("maintainer", number, "/triage post")
    bot.settle()
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]')
    bot.clock += timedelta(days=400)
    fill(bot)
    bot.say("other", number, "me too")
    bot.settle()
    assert bot.comments(number) == []


def test_a_new_wrong_withdraws_a_comment_that_only_github_remembers(bot: Bot, report: Report) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.settle()
    lose(bot)
    bot.say("maintainer", number, "/triage wrong")
    bot.settle()

    assert WRONG in bot.comments(number)[0]
    assert bot.done("wrong") == 1


def test_answers_called_wrong_long_ago_brake_nothing_today(bot: Bot, report: Report) -> None:
    numbers = [report(TITLE, ALIASING + VERSION) for _ in range(3)]
    bot.settle()
    for number in numbers:
        bot.say("maintainer", number, "/triage wrong")
    bot.settle()
    lose(bot, hours=48)
    for number in numbers:
        bot.say("other", number, "me too")
    bot.settle()
    assert bot.done("wrong") == 3
    fresh = report(TITLE, ALIASING + VERSION)
    bot.settle()

    assert len(bot.comments(fresh)) == 1


def test_an_old_command_without_an_answer_asks_for_nothing_now(bot: Bot, report: Report, memory: Remembering) -> None:
    bot.policy('mode = "suggest"\nproducts = ["foundry-local-cli"]')
    number = report(TITLE, ALIASING + VERSION)
    bot.say("maintainer", number, "/triage post")
    lose(bot, hours=30)
    bot.settle()
    assert bot.comments(number) == []
    assert memory.reactions == {}

    bot.say("maintainer", number, "/triage why\n/triage post")
    bot.clock -= timedelta(hours=30)
    bot.settle()
    assert len(bot.comments(number)) == 1


def test_a_label_that_a_person_took_off_stays_off_and_an_own_one_is_known(bot: Bot, report: Report) -> None:
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]\n[labels]\nknown = "known"\nneeds_info = "ask"')
    number = report(TITLE, ALIASING)
    bot.settle()
    issue = bot.repository.get_issue(number)
    assert {label.name for label in issue.labels} == {"known", "ask"}
    issue.remove_from_labels("known")
    lose(bot)
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.settle()

    assert bot.repository.get_issue(number).labels == []
    assert "0.10.1" in bot.comments(number)[0]


def test_another_login_than_its_own_is_told_and_nothing_is_written_twice(bot: Bot, report: Report) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.say("maintainer", number, "/triage why")
    bot.settle()
    lose(bot)
    bot.desk.own = "github-actions[bot]"
    bot.say("reporter", number, "Any news?")
    bot.say("reporter", number, "None?")
    bot.settle()

    assert len(bot.comments(number)) == 1
    (told,) = bot.store.deeds(what="failed")
    assert told.detail.startswith(f"{LOGIN} answers here with this program already, and this account is github-actions")

    bot.desk.own = LOGIN
    bot.say("reporter", number, "Still none?")
    bot.settle()
    assert len(bot.comments(number)) == 1
    assert bot.store.talks()[0].standing == "stands"
    assert bot.done("command") == 0
