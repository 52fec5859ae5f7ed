"""GitHub in the way for long, for a moment, or for good: nothing is lost, nothing is asked for without end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from bot.forge import bounded
from bot.service.running import ingest, revisit, work
from bot.watched.events import Event, Kind, read_event
from tests.bot.conftest import INSTALLATION
from tests.bot.faults import Refusal, faults
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]
TITLE = "qwen3.5 stops on WebGPU"
SECONDARY = '{"message": "You have exceeded a secondary rate limit."}'
LOCKED = Refusal(403, {}, '{"message": "Unable to create comment because issue is locked."}')


@contextmanager
def counted(patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The requests that are made meanwhile."""
    asked: list[str] = []
    real = bounded._answered

    def answered(connection: Any) -> Any:
        asked.append(f"{connection.verb} {connection.url}")
        return real(connection)

    with patch.context() as changed:
        changed.setattr(bounded, "_answered", answered)
        yield asked


def test_a_long_limit_is_asked_about_once_in_its_time_and_ends_no_event(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = [report(TITLE, ALIASING + VERSION) for _ in range(3)]
    bot.github.delivered()
    # a limit ends by the clock of this machine, and the bot's own is eleven minutes further at each turn
    limits = [Refusal(403, {"Retry-After": str(660 * turn - 60)}, SECONDARY) for turn in range(1, 11)]
    with faults(monkeypatch, "GET", "/repos", *limits) as left:
        for turn in range(10):
            work(bot.desk)
            work(bot.desk)
            assert len(left) == 9 - turn
            bot.clock += timedelta(minutes=11)
    assert left == []
    assert bot.store.failed() == ()
    bot.settle()
    bot.settle()
    assert [len(bot.comments(number)) for number in numbers] == [1, 1, 1]


@pytest.mark.parametrize("hidden", ["/issues/", "/repos"])
def test_what_github_does_not_show_for_hours_is_no_lost_event(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, hidden: str
) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.github.delivered()
    revisit(bot.desk, "1")
    with faults(monkeypatch, "GET", hidden, *[Refusal(404)] * 12) as left:
        for _ in range(14):
            work(bot.desk)
            bot.clock += timedelta(hours=1)
        assert left == []
    assert len(bot.comments(number)) == 1


def test_an_issue_that_is_hidden_when_its_comment_is_due_gets_it_later(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.github.delivered()
    work(bot.desk)
    bot.clock += timedelta(seconds=5)
    with faults(monkeypatch, "GET", "/issues/", Refusal(404)) as left:
        work(bot.desk)
        assert left == []
    bot.clock += timedelta(minutes=6)
    work(bot.desk)
    assert len(bot.comments(number)) == 1


def test_an_issue_that_was_deleted_is_asked_for_once(bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    report(TITLE, ALIASING + VERSION)
    bot.github.delivered()
    gone = Refusal(410, {}, '{"message": "This issue was deleted"}')
    with faults(monkeypatch, "GET", "/issues/", gone) as left:
        work(bot.desk)
        assert left == []
    assert bot.store.issues_due(bot.clock + timedelta(days=3)) == ()
    assert "deleted" in bot.store.deeds(what="silent")[0].detail


def test_an_issue_that_is_deleted_before_its_comment_is_written_is_done(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.github.delivered()
    work(bot.desk)
    gone = Refusal(410, {}, '{"message": "This issue was deleted"}')
    with faults(monkeypatch, "GET", f"/issues/{number}", *[gone] * 9) as left:
        bot.settle(minutes=1)
        deleted = Event(Kind.ISSUE, "deleted", bot.repository.full_name, bot.repository.id, number)
        ingest(bot.desk, "deleted", deleted._replace(installation=INSTALLATION))
        bot.settle(hours=7)
        assert len(left) == 7
    assert bot.store.comments_due(bot.clock + timedelta(days=3)) == ()
    assert bot.store.failed() == ()
    assert bot.done("failed") == 0


@pytest.mark.parametrize("action", ["unlocked", "reopened"])
def test_what_was_given_up_on_a_locked_issue_is_written_when_it_is_open_again(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    number = report(TITLE, ALIASING + VERSION)
    with faults(monkeypatch, "POST", "/comments", *[LOCKED] * 12) as left:
        bot.settle()
        for _ in range(12):
            bot.clock += timedelta(hours=6)
            work(bot.desk)
        assert left == []
    assert len(bot.store.failed()) == 1
    repository = {"id": bot.repository.id, "full_name": bot.repository.full_name}
    told = {"action": action, "issue": {"number": number}, "repository": repository}
    event = read_event("issues", json.dumps(told | {"installation": {"id": INSTALLATION}}).encode())
    assert ingest(bot.desk, "told", event)
    bot.settle()
    assert len(bot.comments(number)) == 1
    assert bot.store.failed() == ()


def test_what_this_program_fails_at_is_given_up_seen_and_revived(bot: Bot, report: Report) -> None:
    attachment = bot.desk.attachment

    def broken(url: str) -> Any:
        raise ArithmeticError(url)

    bot.desk.attachment = broken
    number = report(TITLE, ALIASING + VERSION + "\nhttps://github.com/user-attachments/files/1/a.log\n")
    for _ in range(6):
        bot.settle(hours=1)
    (failed,) = bot.store.failed()
    assert "this program failed: ArithmeticError" in failed.error
    bot.desk.attachment = attachment
    bot.settle(hours=5)
    assert bot.comments(number) == []
    assert bot.store.revive() == 1
    bot.settle()
    bot.settle()
    assert len(bot.comments(number)) == 1
    assert bot.store.failed() == ()


def test_what_is_refused_for_good_is_given_up_until_the_issue_changes(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = report(TITLE, ALIASING + VERSION)
    with faults(monkeypatch, "POST", "/comments", *[LOCKED] * 100) as left:
        bot.settle()
        for _ in range(20):
            bot.clock += timedelta(hours=6)
            work(bot.desk)
        assert 100 - len(left) == 12
        (failed,) = bot.store.failed()
        assert "issue is locked" in failed.error
        with counted(monkeypatch) as asked:
            bot.settle(days=6)
        assert asked == []
    bot.say("other", number, "I see it, too.")
    bot.settle()
    bot.settle()
    assert len(bot.comments(number)) == 1
    assert bot.store.failed() == ()


def test_twenty_events_of_an_issue_are_one_reading(bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.settle()
    for n in range(20):
        bot.say("other", number, f"me too {n}")
    bot.github.delivered()
    with counted(monkeypatch) as asked:
        bot.settle()
    assert len(asked) <= 4  # the repository and its policy; the issue and its comments


def test_what_waits_for_a_budget_costs_no_request_and_is_written_when_there_is_room(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]\n[budget]\ncomments_per_hour = 1\n')
    first, second = (report(TITLE, ALIASING + VERSION) for _ in range(2))
    bot.settle()
    assert sorted(len(bot.comments(n)) for n in (first, second)) == [0, 1]
    (posted,) = bot.store.deeds(what="posted")
    with counted(monkeypatch) as asked:
        while bot.clock < posted.at + timedelta(minutes=59):
            work(bot.desk)
            bot.clock += timedelta(minutes=2)
    assert asked == []
    bot.settle(minutes=2)
    assert [len(bot.comments(n)) for n in (first, second)] == [1, 1]
    assert bot.done("wait") == 1
