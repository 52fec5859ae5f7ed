"""Old issues and new ones beside each other: a back-fill keeps the first silent and leaves the second to the bot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from bot.service.backfill import backfill
from tests.bot.conftest import INSTALLATION
from tests.bot.harness import ALIASING, VERSION, Bot
from tests.bot.processes import until

Report = Callable[..., int]
TITLE = "qwen3.5 stops on WebGPU"


def fill(bot: Bot) -> None:
    bot.threads.installation = INSTALLATION
    bot.desk.threads = lambda *_: bot.threads
    backfill(bot.desk, bot.repository.full_name, "2026-01-01", most=50)


def lose_events(bot: Bot) -> None:
    assert until(lambda: bot.store.issues_due(bot.clock))
    for issue in bot.store.issues_due(bot.clock):
        bot.store.finish([e.id for e in bot.store.events_due(issue, bot.clock)])


def test_an_old_issue_stays_silent_for_ever_and_a_waiting_one_is_answered(bot: Bot, report: Report) -> None:
    old = report(TITLE, ALIASING + VERSION)
    lose_events(bot)
    new = report(TITLE, ALIASING + VERSION)
    bot.github.delivered()
    fill(bot)
    assert {t.ref.partition("#")[2]: t.old for t in bot.store.talks()} == {str(old): True}
    bot.settle()
    assert [len(bot.comments(n)) for n in (old, new)] == [0, 1]

    bot.store.forget(bot.clock + timedelta(days=5000))
    bot.say("reporter", old, "Any news? It is Foundry Local CLI 0.10.0 here.")
    bot.repository.get_issue(old).edit(state="closed")
    bot.repository.get_issue(old).edit(state="open")
    bot.settle()
    assert bot.comments(old) == []
    bot.say("maintainer", old, "/triage post")
    bot.settle()
    assert len(bot.comments(old)) == 1


def test_an_issue_whose_opening_is_told_behind_the_back_fill_is_a_new_one(bot: Bot, report: Report) -> None:
    number = report(TITLE, ALIASING + VERSION)
    lose_events(bot)
    (opened,) = bot.deliveries
    fill(bot)
    (talk,) = bot.store.talks()
    assert talk.old
    bot.receive(opened._replace(id="told late"))
    bot.settle()
    assert len(bot.comments(number)) == 1
