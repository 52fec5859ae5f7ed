"""Whatever fails, and wherever the process ends: never a second comment, never a lost event."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
from requests.exceptions import ReadTimeout

from bot.service.running import work
from tests.bot.faults import Fault, Killed, Refusal, ends_at, faults
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]
COMMENTS = "/comments"
SECONDARY = '{"message": "You have exceeded a secondary rate limit."}'


@pytest.mark.parametrize(
    "fault",
    [
        Refusal(502, after=True),
        Refusal(502),
        ReadTimeout,
        Refusal(403, {"Retry-After": "120"}, SECONDARY),
        Refusal(403, {}, SECONDARY),
        Refusal(429, {}),
        Refusal(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}),
        Refusal(401),
    ],
)
def test_a_create_that_fails_ends_in_one_comment(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    with faults(monkeypatch, "POST", COMMENTS, fault) as left:
        bot.settle()
        assert left == []
        bot.settle(minutes=10)

    (body,) = bot.comments(number)
    assert "0.10.1" in body
    bot.say("reporter", number, "thanks")
    bot.settle(minutes=10)
    assert len(bot.comments(number)) == 1


@pytest.mark.parametrize(
    "fault", [Refusal(502, after=True), Refusal(502), ReadTimeout, Refusal(403, {"Retry-After": "60"}, SECONDARY)]
)
def test_an_edit_that_fails_is_made_later(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    with faults(monkeypatch, "PATCH", COMMENTS, fault) as left:
        bot.settle(minutes=2)
        assert left == []
        bot.settle(minutes=10)

    (body,) = bot.comments(number)
    assert "0.10.1" in body


def test_a_comment_deleted_between_reading_and_editing_stays_deleted(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    with faults(monkeypatch, "PATCH", COMMENTS, Refusal(404)):
        maintainer = bot.github.user("maintainer").get_repo(bot.repository.full_name).get_issue(number)
        bot.settle(minutes=2)
        next(c for c in maintainer.get_comments() if "ondevice-triage" in c.body).delete()
    bot.settle(minutes=10)

    assert bot.comments(number) == []


def test_reading_that_fails_loses_no_event(bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    with faults(monkeypatch, "GET", f"/issues/{number}", *[Refusal(403, {"Retry-After": "300"}, SECONDARY)] * 2):
        bot.settle()
    assert bot.comments(number) == []
    bot.settle(minutes=30)
    assert len(bot.comments(number)) == 1


def test_a_process_that_ends_between_any_two_steps(bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """First answer, then an edit with a note's worth of steps: killed at each step in turn, started anew each time."""
    step = 1
    while True:
        number = report("qwen3.5 stops on WebGPU", ALIASING)
        bot.github.delivered()
        ended = _ends(bot, monkeypatch, step)
        _goes_on(bot)
        (asked,) = bot.comments(number)
        assert "?" in asked.split("<details>")[0], f"step {step}"
        bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
        bot.github.delivered()
        ended = _ends(bot, monkeypatch, step) or ended
        _goes_on(bot)
        (body,) = bot.comments(number)
        assert "0.10.1" in body, f"step {step}"
        if not ended:
            break
        step += 1
    assert step > 10


def _goes_on(bot: Bot) -> None:
    """Another process takes up what was left."""
    bot.clock += timedelta(minutes=15)
    for _ in range(3):
        work(bot.desk)
        bot.clock += timedelta(seconds=70)


def _ends(bot: Bot, patch: pytest.MonkeyPatch, step: int) -> bool:
    """Whether the work was cut off at that step."""
    bot.clock += timedelta(seconds=70)
    with ends_at(patch, bot.store.engine, step), suppress(Killed):
        while work(bot.desk):
            bot.clock += timedelta(seconds=70)
        return False
    return True
