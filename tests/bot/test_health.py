"""What `triage doctor` looks at, on real stores and servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.forge import Threads
from bot.forge.access import App
from bot.service import health
from bot.service.desk import NO_FAULTS
from bot.service.opening import Account
from bot.service.running import ingest
from bot.watched.attachments import Attachment
from bot.watched.events import Event, Kind
from bot.watching.told import tell
from kb.records import JobRecord
from tests.bot.conftest import GitHub
from tests.bot.faults import Refusal, faults
from tests.bot.harness import ALIASING, VERSION, Bot
from tests.loopback import Asked, Handler, serving

Report = Callable[..., int]
LINK = "\nhttps://github.com/user-attachments/files/1/a.log\n"


def test_an_event_that_failed_for_good_is_told_until_its_issue_is_read(bot: Bot, report: Report) -> None:
    working = bot.desk.attachment

    def broken(url: str) -> Attachment:
        raise ZeroDivisionError

    bot.desk.attachment = broken
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION + LINK)
    bot.settle()
    trying = health.events(bot.store, bot.clock)
    assert trying.state == health.NOTE
    assert "they are tried again" in trying.words
    for _ in range(8):
        bot.settle(hours=2)
    lost = health.events(bot.store, bot.clock)
    assert lost.state == health.WRONG
    assert f"{bot.repository.full_name}#{number}: this program failed: ZeroDivisionError" in lost.words
    assert "`triage db retry` has them tried again" in lost.words

    bot.desk.attachment = working
    event = Event(Kind.ISSUE, "asked", bot.repository.full_name, bot.repository.id, number, installation=100)
    ingest(bot.desk, "asked", event)
    bot.settle()
    assert health.events(bot.store, bot.clock) == health.Look(health.GOOD, "none failed")


def test_events_that_nobody_works_on_are_told(bot: Bot) -> None:
    ingest(bot.desk, "1", Event(Kind.ISSUE, "opened", bot.repository.full_name, bot.repository.id, 1))

    assert health.events(bot.store, bot.clock + timedelta(minutes=5)).state == health.GOOD
    idle = health.events(bot.store, bot.clock + timedelta(hours=2))
    assert idle.state == health.WRONG
    assert "nobody works; run `triage serve`" in idle.words


def test_a_comment_that_cannot_be_written_is_told(bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = Refusal(403, {}, '{"message": "Unable to create comment because issue is locked."}')
    with faults(monkeypatch, "POST", "/comments", *[locked] * 200):
        number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
        bot.settle()
    told = health.comments(bot.store, bot.clock)

    assert told.state in (health.NOTE, health.WRONG)  # tried again, or given up
    assert f"{bot.repository.full_name}#{number}: GitHub answers 403: Unable to create comment" in told.words
    later = health.comments(bot.store, bot.clock + timedelta(days=2))
    assert later.state == health.WRONG


def test_answers_that_were_called_wrong_are_told_for_a_day(bot: Bot) -> None:
    for number in (1, 2, 3):
        bot.desk.log("acme/engine", f"acme/engine#{number}", "wrong", "maintainer")
    bot.desk.log("acme/engine", "acme/engine#3", "restored", "maintainer", at=bot.clock + timedelta(seconds=1))

    assert "acme/engine: 2" in health.deeds(bot.store, None, bot.clock).words
    assert health.deeds(bot.store, "acme/other", bot.clock).state == health.GOOD
    assert health.deeds(bot.store, None, bot.clock + timedelta(days=2)).state == health.GOOD


def test_a_release_that_nobody_looks_at_and_a_fault_of_a_policy_are_told(bot: Bot) -> None:
    knowledge, repo = bot.desk.known().knowledge, "microsoft/onnxruntime-genai"
    tell(bot.store, repo, bot.clock)
    later = bot.clock + timedelta(hours=2)
    assert health.releases(bot.store, knowledge, bot.clock).state == health.GOOD
    waiting = health.releases(bot.store, knowledge, later)
    assert (waiting.state, repo in waiting.words) == (health.WRONG, True)
    bot.store.record_job_run(JobRecord(f"look {repo}", later, later, "ok", "", 0))
    assert health.releases(bot.store, knowledge, later).state == health.GOOD

    bot.desk.log(repo, "", "policy", detail=".github/triage.toml: moode: there is no such key.")
    bot.desk.log("acme/mended", "", "policy", detail=".github/triage.toml: foo: there is no such key.")
    bot.desk.log("acme/mended", "", "policy", detail=NO_FAULTS, at=bot.clock + timedelta(seconds=1))
    said = health.policies(bot.store, later).words
    assert "moode" in said
    assert "acme/mended" not in said
    assert health.policies(bot.store, later + timedelta(days=8)).state == health.GOOD


@pytest.mark.parametrize(
    ("token", "scopes", "state", "words"),
    [
        ("ghp_x", "read:org, gist", health.WRONG, "its scopes are read:org, gist: it needs public_repo, or repo"),
        ("ghp_x", "", health.WRONG, "its scopes are none"),
        ("ghp_x", "public_repo, gist", health.GOOD, "somebody, by a classic token; its scopes are public_repo, gist"),
        ("github_pat_x", None, health.GOOD, "a fine-grained token; it needs Issues: read and write, Contents: read"),
    ],
)
def test_the_kind_of_a_token_and_its_scopes(token: str, scopes: str | None, state: str, words: str) -> None:
    def answer(handler: Handler, asked: Asked) -> None:
        headers = {} if scopes is None else {"X_OAuth_Scopes": scopes}
        handler.give(200, b'{"login": "somebody"}', **headers)

    with serving(answer) as server:
        look = health.account(Account(None, token, server.url), token)
    assert look.state == state
    assert words in look.words


@pytest.mark.parametrize(("off", "words"), [(-500, "behind"), (500, "ahead of")])
def test_a_clock_that_is_wrong(off: int, words: str) -> None:
    with serving(lambda handler, asked: handler.give(200, b"{}")) as server:
        look = health.clock(Threads(None, server.url, spacing=0), datetime.now(UTC) + timedelta(seconds=off))
    assert look.state == health.WRONG
    assert f"seconds {words} GitHub's" in look.words


@pytest.mark.parametrize(
    ("sent", "state", "words"),
    [
        (
            [(401, "Invalid HTTP Response: 401"), (202, "OK")],
            health.WRONG,
            "signed with another secret than `serve` has",
        ),
        ([(502, "Invalid HTTP Response: 502")], health.WRONG, "answered with 502; look at the webhook's URL"),
        ([(0, "failed to connect to host")], health.WRONG, "not answered: failed to connect to host"),
        ([(202, "OK"), (401, "Invalid HTTP Response: 401")], health.GOOD, "at 2026-06-12 08:00 UTC was taken"),
        ([], health.NOTE, "nothing that it has sent"),
        (None, health.NOTE, "nothing that it has sent"),
    ],
)
def test_how_the_webhook_was_answered_is_asked_of_github(
    github: GitHub, sent: list[tuple[int, str]] | None, state: str, words: str
) -> None:
    def answer(handler: Handler, asked: Asked) -> None:
        told = [{"delivered_at": "2026-06-12T08:00:00Z", "status_code": c, "status": s} for c, s in sent or ()]
        known = asked.path.startswith("/app/hook/deliveries") and sent is not None
        handler.give(200 if known else 404, json.dumps(told if known else {"message": "Not Found"}).encode())

    with serving(answer) as server:
        look = health.hook(App("1", github.key, server.url))
    assert look.state == state
    assert words in look.words
