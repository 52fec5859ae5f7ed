"""What stops the bot from writing, whatever it would say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.service import pacing
from bot.service.running import revisit
from kb.store.conversations import Talk
from tests.bot.conftest import INSTALLATION, LOGIN
from tests.bot.faults import remembering
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]


def test_an_installation_writes_so_much_an_hour_in_all_its_repositories(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing, "WRITES_AN_HOUR", 20)
    elsewhere = Talk("9#1", "maintainer/elsewhere#1", INSTALLATION)
    others = Talk("8#1", "stranger/theirs#1", INSTALLATION + 1)
    for talk in (elsewhere, others):
        bot.store.keep_talk(talk, bot.clock)
        for _ in range(pacing.WRITES_AN_HOUR - 1):
            bot.desk.log(talk.ref.partition("#")[0], talk.ref, "posted")
    first = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    assert len(bot.comments(first)) == 1
    second = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle(minutes=1)
    assert bot.comments(second) == []
    (waits,) = bot.store.deeds(what="wait")
    assert "writes in an hour" in waits.detail

    bot.settle(minutes=70)
    assert len(bot.comments(second)) == 1


def test_the_kill_switch_stops_notes_and_reactions_as_well(bot: Bot, report: Report) -> None:
    bot.clock = datetime(2026, 6, 11, 12, tzinfo=UTC)
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    before = bot.comments(number)
    bot.desk.braked = lambda: "paused"
    bot.say("maintainer", number, "/triage wrong")
    bot.clock = datetime(2026, 6, 23, 12, tzinfo=UTC)
    revisit(bot.desk, "2026-06-23")
    bot.settle()
    assert bot.comments(number) == before
    assert bot.store.deeds(what="failed") == ()

    bot.desk.braked = str
    bot.clock += timedelta(minutes=11)
    bot.settle()
    assert bot.comments(number) != before


def test_a_command_that_was_heard_while_all_was_paused_is_answered_once_behind_it(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    with remembering(monkeypatch, LOGIN) as memory:
        bot.desk.braked = lambda: "paused"
        bot.say("maintainer", number, "/triage why")
        bot.say("other", number, "/triage off")
        bot.settle(hours=3)
        assert memory.reactions == {}
        assert bot.done("command", "refused") == 2
        bot.desk.braked = str
        bot.settle(minutes=11)
        bot.settle()
    assert [r["content"] for given in memory.reactions.values() for r in given] == ["+1", "-1"]
    assert "<details open>" in bot.comments(number)[0]
    assert len(bot.comments(number)) == 1
    assert bot.done("command", "refused") == 2


def test_one_issue_called_wrong_again_and_again_is_one_wrong_answer(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    bot.say("maintainer", number, "/triage wrong a\n/triage wrong b\n/triage wrong c")
    bot.settle()
    second = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    assert len(bot.comments(second)) == 1


@pytest.mark.parametrize("said", [True, False])
def test_what_was_never_said_cannot_have_been_wrong(bot: Bot, report: Report, *, said: bool) -> None:
    """In shadow, what is recorded is what would be said."""
    bot.policy('mode = "shadow"\nproducts = ["foundry-local-cli"]')
    numbers = [report("It stops", ALIASING + VERSION if said else "Every time.") for _ in range(3)]
    bot.settle()
    for number in numbers:
        bot.say("maintainer", number, "/triage wrong")
    bot.settle()
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]')
    fresh = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    assert bot.done("command") == 3
    assert bot.done("wrong") == (3 if said else 0)
    assert len(bot.comments(fresh)) == (0 if said else 1)
