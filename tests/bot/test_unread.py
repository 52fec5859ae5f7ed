"""Logs and models that cannot be read for a while: an answer that stands is never made worse by that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.fetch import Fetcher
from bot.fetch.guard import policy_of
from bot.service.inbox import DECIDED, payload
from bot.watched.attachments import Attachment, Log
from bot.watched.events import Event, Kind
from tests.bot.conftest import INSTALLATION
from tests.bot.harness import ALIASING, VERSION, Bot
from tests.loopback import serving

Report = Callable[..., int]
URL = "https://github.com/user-attachments/files/1/a.log"
MODEL = "\nThe model: https://huggingface.co/owner/model"
AWAY = "a.log could not be fetched: the server answers 503"
ALIASED = "webgpu-recurrent-state-buffer-aliasing"
BODY = f"It stops. The log: [a.log]({URL})"


class Host:
    """GitHub's file host, as the desk sees it."""

    def __init__(self, bot: Bot) -> None:
        self.away = self.gone = False
        self.log = ALIASING.split("```")[1] + VERSION
        bot.desk.attachment = self

    def __call__(self, url: str) -> Attachment:
        if self.away or self.gone:
            why = AWAY if self.away else "a.log could not be fetched: the server answers 404"
            return Attachment(url, "a.log", why=why, fetched=False, for_now=self.away)
        return Attachment(url, "a.log", (Log("a.log", self.log),))


def folded(body: str) -> str:
    return body.partition("<details>")[2]


def test_a_log_that_does_not_come_is_waited_for_and_then_said(bot: Bot, report: Report) -> None:
    host = Host(bot)
    host.away = True
    number = report("qwen3.5 stops on WebGPU", BODY + "\n\n" + ALIASING)
    bot.settle()
    assert bot.comments(number) == []
    assert bot.store.deeds(what="wait")[0].detail == f"{AWAY}; it is tried again"

    bot.settle(minutes=30)
    bot.settle(minutes=30)
    (asked,) = bot.comments(number)
    assert f"not read: {AWAY}" in folded(asked)
    assert "?" in asked.partition("<details>")[0]

    host.away = False
    bot.say("other", number, "Any news?")
    bot.settle(minutes=30)
    (body,) = bot.comments(number)
    assert "0.10.1" in body
    assert "not read" not in body


def test_what_rests_on_a_log_stands_while_that_cannot_be_read(bot: Bot, report: Report) -> None:
    host = Host(bot)
    number = report("qwen3.5 stops on WebGPU", BODY)
    bot.settle()
    (body,) = bot.comments(number)
    assert "0.10.1" in body
    for state in ("away", "gone"):
        setattr(host, state, True)
        bot.say("other", number, "Any news?")
        for _ in range(6):
            bot.settle(minutes=30)
        assert bot.comments(number) == [body]
        setattr(host, state, False)
    assert "rests on what cannot be read" in bot.store.deeds(what="keep")[0].detail

    host.away = True
    bot.say("maintainer", number, "/triage wrong")
    bot.settle()
    assert "0.10.1" not in bot.comments(number)[0]


@pytest.mark.parametrize("words", ["I have Foundry Local CLI 0.10.3.", "onnxruntime-genai 0.14.1"])
def test_a_version_that_stood_in_a_lost_log_is_not_replaced_by_another(bot: Bot, report: Report, words: str) -> None:
    host = Host(bot)
    number = report("qwen3.5 stops on WebGPU", f"{BODY}\n\n{ALIASING}\n{words}")
    bot.settle()
    before = bot.comments(number)
    assert len(before) == 1
    host.gone = True
    bot.say("reporter", number, "Any news?")
    bot.settle(minutes=20)
    assert bot.comments(number) == before


def test_a_log_that_went_away_while_nothing_changed_is_still_rested_on(bot: Bot, report: Report) -> None:
    host = Host(bot)
    number = report("qwen3.5 stops on WebGPU", f"{BODY}\n\n{ALIASING}")
    bot.settle()
    host.gone = True
    issue = bot.github.user("reporter").get_repo(bot.repository.full_name).get_issue(number)
    issue.edit(body=f"{BODY}\n\n{ALIASING}{VERSION}")
    bot.settle(minutes=20)
    assert "0.10.1" in bot.comments(number)[0]
    issue.edit(body=BODY + VERSION)
    bot.settle(minutes=20)
    assert "0.10.1" in bot.comments(number)[0]


def test_what_a_maintainer_says_holds_while_a_log_cannot_be_read(bot: Bot, report: Report) -> None:
    host = Host(bot)
    host.log = "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)"
    number = report("qwen3.5 stops on WebGPU", BODY + "\n\n" + ALIASING + VERSION)
    bot.settle()
    assert ALIASED in bot.comments(number)[0].splitlines()[0]
    bot.say("maintainer", number, "/triage off")
    bot.settle()
    host.gone = True
    (talk,) = bot.store.talks()
    event = Event(Kind.IGNORED, "on", bot.repository.full_name, bot.repository.id, number)
    bot.store.receive("on", talk.issue, DECIDED, payload(event._replace(installation=INSTALLATION)), bot.clock)
    bot.settle()
    assert not bot.store.talks()[0].off
    assert ALIASED in bot.comments(number)[0].splitlines()[0]

    bot.say("maintainer", number, f"/triage not {ALIASED}")
    bot.settle(minutes=20)
    assert ALIASED not in bot.comments(number)[0].splitlines()[0]


def test_a_model_that_cannot_be_asked_for_is_tried_again_and_said_at_last(bot: Bot, report: Report) -> None:
    with serving(lambda handler, _: handler.give(503)) as hub:
        policy = policy_of(hub.url, ())
        bot.desk.fetcher = lambda: Fetcher(policy, hub.url)
        number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION + MODEL)
        bot.settle()
        (body,) = bot.comments(number)
        assert "not read" not in body
        for _ in range(6):
            bot.settle(minutes=30)
        (said,) = bot.comments(number)
    (line,) = [line for line in folded(said).splitlines() if line.startswith("- not read")]
    assert line.endswith("huggingface.co/owner/model could not be checked: the hub answered HTTP 503 for owner/model")
    assert said.partition("<details>")[0].split("-->")[1] == body.partition("<details>")[0].split("-->")[1]
