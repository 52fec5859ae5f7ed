"""What a list shows is asked for again as long as it may have changed since it was read."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.forge import bounded
from bot.service.polling import poll
from bot.service.running import work
from tests.bot import harness
from tests.bot.faults import Refusal
from tests.bot.harness import ALIASING, VERSION, Bot

MOMENT = re.compile(r'(?<="updated_at":")[^"]+')


@pytest.mark.parametrize("edited", [False, True])
def test_what_is_written_in_the_second_of_the_reading_is_not_missed(
    bot: Bot, report: Callable[..., int], monkeypatch: pytest.MonkeyPatch, *, edited: bool
) -> None:
    answered = bounded._answered
    second = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def at_once(connection: object) -> Refusal:
        answer = answered(connection)  # type: ignore[arg-type]
        return Refusal(answer.status, dict(answer.getheaders()), MOMENT.sub(second, answer.read()))

    monkeypatch.setattr(bounded, "_answered", at_once)
    monkeypatch.setattr(harness, "ingest", lambda *_: False)  # no webhook arrives
    bot.desk.threads = lambda *_: bot.threads
    bot.desk.settle = (timedelta(0), timedelta(0))
    poll(bot.desk, bot.repository.full_name)
    time.sleep(1.1)  # the first one leaves alone what is as old as itself
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    poll(bot.desk, bot.repository.full_name)
    work(bot.desk)
    (asked,) = bot.comments(number)
    if edited:
        bot.repository.get_issue(number).edit(body=ALIASING + VERSION)
    else:
        bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    for _ in range(3):
        bot.clock += timedelta(minutes=5)
        poll(bot.desk, bot.repository.full_name)
        work(bot.desk)

    (body,) = bot.comments(number)
    assert "?" in asked.partition("<details>")[0]
    assert "Your Foundry Local CLI 0.10.0" in body
