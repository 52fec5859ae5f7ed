"""Commands on a stateful GitHub: who may give them, what each changes, how it is undone; never another comment."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.lifecycle_words import WRONG
from bot.service import pacing
from signatures.extract.redact import redact
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]
PROBLEM = "webgpu-recurrent-state-buffer-aliasing"
OTHER = "fl-ep-not-registered"
NOTHING_KNOWN = "It is slow on my machine, Foundry Local CLI 0.10.0."


@pytest.fixture
def answered(bot: Bot, report: Report) -> int:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    assert "0.10.1" in only(bot, number)
    return number


def only(bot: Bot, number: int) -> str:
    """The one comment of the bot's; a command never makes it write another."""
    (body,) = bot.comments(number)
    return body


def refusals(bot: Bot) -> list[tuple[str, str]]:
    return [(d.who, d.detail) for d in bot.store.deeds(what="refused")]


@pytest.mark.parametrize(
    "command",
    ["/triage wrong", "/triage off", "/triage on", "/triage post", f"/triage not {PROBLEM}", "/triage known x"],
)
def test_what_a_maintainer_decides_is_refused_to_others(bot: Bot, answered: int, command: str) -> None:
    before = only(bot, answered)
    bot.say("reporter", answered, command)
    bot.say("other", answered, command)
    bot.settle()

    assert only(bot, answered) == before
    assert {who for who, _ in refusals(bot)} == {"reporter", "other"}
    assert all("may not decide here" in detail for _, detail in refusals(bot))


def test_why_unfolds_and_rerun_folds_and_the_reporter_may_both(bot: Bot, answered: int) -> None:
    bot.say("other", answered, "/triage why")
    bot.settle()
    assert "<details open>" not in only(bot, answered)

    bot.say("reporter", answered, "/triage why")
    bot.settle()
    assert "<details open>" in only(bot, answered)

    bot.say("reporter", answered, "/triage rerun")
    bot.settle()
    assert "<details open>" not in only(bot, answered)


def test_a_reporter_does_not_take_back_what_a_maintainer_called_wrong(bot: Bot, answered: int) -> None:
    bot.say("maintainer", answered, "/triage wrong")
    bot.settle()
    bot.say("reporter", answered, "/triage rerun")
    bot.settle(minutes=5)

    assert WRONG in only(bot, answered)


def test_not_takes_a_problem_out_and_known_puts_it_back(bot: Bot, answered: int) -> None:
    bot.say("maintainer", answered, f"/triage not {PROBLEM}")
    bot.settle()
    assert PROBLEM not in only(bot, answered)
    assert "does not apply" in only(bot, answered)

    bot.say("maintainer", answered, f"/triage known {PROBLEM}")
    bot.settle()
    assert "0.10.1" in only(bot, answered)


def test_known_answers_an_issue_that_shows_nothing(bot: Bot, report: Report) -> None:
    number = report("Slow", NOTHING_KNOWN)
    bot.settle()
    assert bot.comments(number) == []

    bot.say("maintainer", number, f"/triage known {OTHER}\n/triage post")
    bot.settle()
    assert "is not registered" in only(bot, number)


def test_known_needs_a_problem_that_is_public(bot: Bot, answered: int) -> None:
    before = only(bot, answered)
    bot.say("maintainer", answered, "/triage known fl-ep-not-registred\n/triage known litert-engine-create-deadline")
    bot.settle()

    assert only(bot, answered) == before
    near, hidden = [detail for _, detail in refusals(bot)]
    assert "near it: fl-ep-not-registered" in near + hidden
    assert "there is no problem 'litert-engine-create-deadline'" in near + hidden


def test_off_stops_and_on_goes_on(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    asked = only(bot, number)
    bot.say("maintainer", number, "/triage off")
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.settle()
    assert only(bot, number) == asked

    bot.say("maintainer", number, "/triage on")
    bot.settle()
    assert "0.10.1" in only(bot, number)


def test_post_is_undone_by_wrong(bot: Bot, report: Report) -> None:
    bot.policy('mode = "suggest"\nproducts = ["foundry-local-cli"]')
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle(minutes=6)
    assert bot.comments(number) == []
    bot.say("reporter", number, "/triage post")
    bot.settle()
    assert bot.comments(number) == []

    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert "0.10.1" in only(bot, number)
    bot.say("maintainer", number, "/triage wrong")
    bot.settle()
    assert WRONG in only(bot, number)


def test_an_edited_comment_is_heard_for_what_is_new_in_it(bot: Bot, answered: int) -> None:
    issue = bot.github.user("maintainer").get_repo(bot.repository.full_name).get_issue(answered)
    comment = issue.create_comment("Let me see.")
    bot.settle()
    comment.edit("Let me see.\n\n/triage why")
    bot.settle()
    assert "<details open>" in only(bot, answered)

    bot.say("maintainer", answered, "/triage rerun")
    bot.settle()
    comment.edit("Let me see.\n\n/triage why\n\n(edited)")
    bot.settle()
    assert "<details open>" not in only(bot, answered)  # the same command in the same comment is one command
    assert bot.done("command") == 2


def test_a_command_that_is_edited_into_another_and_back_is_heard_each_time(bot: Bot, answered: int) -> None:
    issue = bot.github.user("maintainer").get_repo(bot.repository.full_name).get_issue(answered)
    comment = issue.create_comment("/triage off")
    for words, off in (("/triage off", True), ("/triage on", False), ("/triage off", True)):
        comment.edit(words)
        bot.settle()
        (talk,) = bot.store.talks()
        assert talk.off is off
    assert bot.done("command") == 3


def test_strangers_neither_replay_old_commands_nor_stop_the_writing(
    bot: Bot, answered: int, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing, "WRITES_AN_HOUR", 20)
    bot.say("maintainer", answered, "/triage wrong")
    bot.settle()
    bot.say("maintainer", answered, "/triage rerun")
    bot.settle()
    assert "0.10.1" in only(bot, answered)
    stranger = bot.github.user("other").get_repo(bot.repository.full_name).get_issue(answered)
    for n in range(12):
        stranger.create_comment("\n".join(f"/triage check z{n}-{m}" for m in range(5)))
    bot.settle()
    bot.say("other", answered, "hello")
    bot.settle()

    assert bot.done("refused") == 60
    assert bot.done("wrong") == 1
    assert "0.10.1" in only(bot, answered)
    failed = [d for d in bot.store.deeds(what="failed", most=500) if "no reaction" in d.detail]
    assert len(failed) <= 15 + 2  # the emulator has no reactions, so that each one that is tried is told
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    assert len(bot.comments(number)) == 1


@pytest.mark.parametrize(
    "words",
    [
        "> /triage off",
        "```\n/triage off\n```",
        "- /triage off",
        "please /triage off",
        "<!--\n/triage off\n-->",
        "`/triage off`",
    ],
)
def test_what_only_looks_like_a_command_is_none(bot: Bot, answered: int, words: str) -> None:
    bot.say("maintainer", answered, words)
    bot.settle()

    assert bot.done("command", "refused") == 0


def test_a_command_that_is_none_is_refused_with_the_reason(bot: Bot, answered: int) -> None:
    before = only(bot, answered)
    bot.say("maintainer", answered, "/triage rong\n/triage known\n/triage why not")
    bot.settle()

    assert only(bot, answered) == before
    said = " ".join(detail for _, detail in refusals(bot))
    assert "there is no command 'rong'" in said
    assert "needs the id of a problem" in said
    assert "takes nothing behind it" in said


def test_a_reaction_that_fails_is_logged_and_the_command_is_heard_once(bot: Bot, answered: int) -> None:
    """The emulator has no reactions."""
    bot.say("maintainer", answered, "/triage why")
    bot.settle()
    bot.say("reporter", answered, "Anything else that I can do?")
    bot.settle()

    failed = [d for d in bot.store.deeds(what="failed") if "no reaction" in d.detail]
    assert len(failed) == 1
    assert bot.done("command") == 1
    assert "<details open>" in only(bot, answered)


_SEEN: list[tuple[str, Any]] = []
_WATCHING = threading.Event()


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _WATCHING.is_set() and event in ("open", "socket.connect", "socket.getaddrinfo"):
        _SEEN.append((event, arguments[1] if event == "socket.connect" else arguments[0]))


sys.addaudithook(_hook)


@contextmanager
def watched() -> Iterator[list[tuple[str, Any]]]:
    """Every file that this process opens and every address it connects to."""
    _SEEN.clear()
    _WATCHING.set()
    try:
        yield _SEEN
    finally:
        _WATCHING.clear()


def test_check_opens_no_local_path_and_no_private_address(bot: Bot, answered: int, tmp_path: Path) -> None:
    secret = tmp_path / "model.onnx"
    secret.write_bytes(b"local")
    before = only(bot, answered)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        refs = [
            str(secret),
            f"file://{secret}",
            "/etc/passwd",
            "..",
            "C:\\Users\\x\\model.onnx",
            "host\\share\\model.onnx",
            f"http://127.0.0.1:{port}/model.onnx",
            f"https://127.0.0.1:{port}/model.onnx",
            f"https://localhost:{port}/model.onnx",
            f"https://[::1]:{port}/model.onnx",
            f"https://2130706433:{port}/model.onnx",
            "https://169.254.169.254/latest/meta-data/model.onnx",
            "https://10.0.0.1/model.onnx",
            "hf:../../etc/passwd",
        ]
        with watched() as seen:
            for ref in refs:
                bot.say("maintainer", answered, f"/triage check {ref}")
                bot.settle()
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    opened = [str(what) for event, what in seen if event == "open"]
    assert not [path for path in opened if path in (str(secret), "/etc/passwd")]
    connected = {what[1] for event, what in seen if event == "socket.connect" and isinstance(what, tuple)}
    assert port not in connected
    assert {what[0] for event, what in seen if event == "socket.connect" and isinstance(what, tuple)} <= {
        "127.0.0.1",
        "::1",
    }

    assert only(bot, answered) == before
    told = [d.detail for d in bot.store.deeds(what="refused")] + [d.detail for d in bot.store.deeds(what="check")]
    assert [ref for ref in refs if not any(redact(ref) in d or repr(ref)[1:60] in d for d in told)] == [], told


def test_check_by_the_reporter_is_heard_and_its_trouble_told(bot: Bot, answered: int) -> None:
    bot.say("other", answered, "/triage check hf:owner/name@main")
    bot.say("reporter", answered, "/triage check hf:owner/model@main")
    bot.settle()

    assert [who for who, _ in refusals(bot)] == ["other"]
    (told,) = bot.store.deeds(what="check")
    assert told.detail.startswith("hf:owner/model@main could not be checked: ")
