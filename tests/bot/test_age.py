"""Old issues, and clocks that are wrong: what is answered unasked is young, by GitHub's own time."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import Session, delete

from bot.service.polling import poll
from bot.service.running import revisit
from kb.tables import Inbox
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]
TITLE = "qwen3.5 stops on WebGPU"


def missed(bot: Bot) -> None:
    """The webhooks that came were lost."""
    bot.github.delivered()
    with Session(bot.store.engine) as session:
        session.exec(delete(Inbox))
        session.commit()


def polled(bot: Bot) -> int:
    bot.desk.threads = lambda _repo, _installation: bot.threads
    return poll(bot.desk, bot.repository.full_name)


def test_an_old_issue_is_recorded_and_answered_when_somebody_asks(bot: Bot, report: Report) -> None:
    """Another bot labels what is stale: a webhook, a poll and a revisit each lead to it."""
    old = report(TITLE, ALIASING + VERSION)
    missed(bot)
    polled(bot)
    bot.clock += timedelta(days=15)
    time.sleep(1.1)
    bot.threads.label(bot.repository.full_name, old, ["stale"])
    bot.github.delivered()
    assert polled(bot) == 1
    bot.say("other", old, "Still there?")
    bot.settle()
    revisit(bot.desk, "news")
    bot.settle()

    assert bot.comments(old) == []
    assert len(bot.store.sightings()) == 1
    assert bot.store.deeds(what="silent")[0].detail == "the issue is old, and nobody asked"

    bot.say("maintainer", old, "/triage post")
    bot.settle()
    assert len(bot.comments(old)) == 1


def test_an_issue_that_is_no_longer_old_is_decided_on_again(bot: Bot, report: Report) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.settle(days=15)
    assert bot.comments(number) == []

    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]\nanswer_within_days = 30\n')
    bot.say("other", number, "Me too.")
    bot.settle()
    assert len(bot.comments(number)) == 1


@pytest.mark.parametrize("wrong", [timedelta(hours=2), -timedelta(hours=2)], ids=["ahead", "behind"])
def test_the_first_poll_begins_by_githubs_clock(bot: Bot, report: Report, wrong: timedelta) -> None:
    before = report(TITLE, ALIASING + VERSION)
    time.sleep(1.1)
    bot.clock += wrong
    assert polled(bot) == 0
    time.sleep(1.1)
    after = report(TITLE, ALIASING + VERSION)
    missed(bot)
    assert polled(bot) == 1
    bot.settle()

    assert bot.comments(before) == []
    assert len(bot.comments(after)) == 1
