"""Commands on a stateful GitHub: who may give them, what each changes, how it is undone; never another comment.

The emulator has no reactions, so that each attempt at one is found in the log.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.forge.items import Writer
from bot.service import opening, pacing
from bot.service.answering import answer
from bot.service.hearing import hear
from bot.service.running import ingest, work
from bot.watched.policy import Policy
from bot.wording.lifecycle import NOT_IT, WRONG
from kb.model import PUBLIC
from kb.store.conversations import Talk
from signatures.artifact.source import SourceError
from signatures.extract.redact import redact
from signatures.model import IssueText, Post, Role
from tests.bot.conftest import LOGIN
from tests.bot.faults import remembering
from tests.bot.harness import ALIASING, VERSION, Bot
from tests.loopback import files, serving

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


def reactions(bot: Bot) -> int:
    return sum("no reaction" in d.detail for d in bot.store.deeds(what="failed"))


def refusals(bot: Bot) -> list[tuple[str, str]]:
    return [(d.who, d.detail) for d in bot.store.deeds(what="refused")]


@pytest.mark.parametrize(
    "command",
    ["/triage wrong", "/triage off", "/triage on", "/triage post", f"/triage not {PROBLEM}", "/triage known x-y"],
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
    assert NOT_IT in only(bot, answered)

    bot.say("maintainer", answered, f"/triage known {PROBLEM}")
    bot.settle()
    assert "0.10.1" in only(bot, answered)


def test_a_problem_may_have_a_reason_behind_it_and_is_alone_in_the_answer(bot: Bot, answered: int) -> None:
    bot.say("maintainer", answered, f"/triage known {OTHER}, as the log says")
    bot.settle(minutes=2)
    body = only(bot, answered)
    assert "is not registered" in body
    assert "0.10.1" not in body.split("<details>")[0]
    assert f"{PROBLEM}: a maintainer said that it is another one" in body
    assert [d.detail for d in bot.store.deeds(what="command")] == [f"/triage known {OTHER} as the log says"]

    bot.say("maintainer", answered, f"/triage not {OTHER} after all\n/triage not no-such-problem at all")
    bot.settle(minutes=2)
    assert "0.10.1" in only(bot, answered)
    assert [detail for _, detail in refusals(bot)] == [
        "/triage not no-such-problem at all: there is no problem 'no-such-problem'"
    ]


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


def test_post_and_wrong_undo_each_other_and_post_a_deletion(bot: Bot, report: Report) -> None:
    bot.policy('mode = "suggest"\nproducts = ["foundry-local-cli"]')
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle(minutes=6)
    assert bot.comments(number) == []
    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert "0.10.1" in only(bot, number)
    bot.say("maintainer", number, "/triage wrong")
    bot.settle()
    assert WRONG in only(bot, number)
    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert "0.10.1" in only(bot, number)

    (comment,) = (c for c in bot.repository.get_issue(number).get_comments() if "ondevice-triage" in c.body)
    comment.delete()
    bot.settle()
    assert bot.comments(number) == []
    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert "0.10.1" in only(bot, number)


def test_post_says_what_stands_in_its_way(bot: Bot, answered: int) -> None:
    (comment,) = (c for c in bot.repository.get_issue(answered).get_comments() if "ondevice-triage" in c.body)
    comment.edit(comment.body + "\nIt was the driver.")
    bot.settle()
    bot.say("maintainer", answered, "/triage post")
    bot.say("maintainer", answered, "/triage off\n\n/triage post")
    bot.settle()

    assert only(bot, answered).endswith("It was the driver.")
    said = " ".join(detail for _, detail in refusals(bot))
    assert "a person edited the comment" in said
    assert "the bot is off for this issue" in said


def test_an_answer_can_be_withdrawn_where_the_policy_says_off(bot: Bot, answered: int, report: Report) -> None:
    bot.policy('mode = "off"')
    silent = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    seen = len(bot.store.sightings())
    bot.say("maintainer", silent, "/triage why")
    bot.say("reporter", answered, "/triage wrong")
    bot.settle()
    assert "0.10.1" in only(bot, answered)
    assert reactions(bot) == 0

    bot.say("maintainer", answered, "/triage wrong")
    bot.settle()
    assert WRONG in only(bot, answered)
    assert reactions(bot) == 1
    assert bot.store.talk(f"{bot.repository.id}#{silent}") is None
    assert len(bot.store.sightings()) == seen

    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]')
    bot.say("maintainer", answered, "/triage rerun")
    bot.settle()
    assert "0.10.1" in only(bot, answered)


def test_in_shadow_only_who_decides_gets_a_reaction(bot: Bot, report: Report) -> None:
    bot.policy('mode = "shadow"\nproducts = ["foundry-local-cli"]')
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.say("maintainer", number, "/triage accepted")
    bot.say("other", number, "/triage needs-information")
    bot.say("other", number, "/triage off")
    bot.say("reporter", number, "/triage why")
    bot.settle()
    assert bot.comments(number) == []
    assert reactions(bot) == 0
    assert [who for who, _ in refusals(bot)] == ["other"]
    assert "shadow" in bot.store.talks()[0].why  # what other bots are told is no answer of a maintainer

    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert "0.10.1" in only(bot, number)
    assert reactions(bot) == 1


def test_what_an_app_wrote_for_a_person_is_not_their_word(bot: Bot, answered: int) -> None:
    bot.say("maintainer", answered, "/triage off")
    read = bot.threads.read(bot.repository.full_name, answered)
    (talk,) = bot.store.talks()

    def heard(**change: object) -> bool:
        comments = tuple(c.model_copy(update=change) for c in read.comments)
        return hear(bot.desk, bot.threads, read._replace(comments=comments), talk, Policy()).off

    assert not heard(performed_via_github_app={"id": 7, "slug": "mail-bridge"})
    assert not heard(user=Writer(login="a-bot", type="Bot"))
    assert heard()


def test_the_person_whose_token_the_bot_has_is_heard(bot: Bot, answered: int) -> None:
    bot.say("maintainer", answered, "/triage off")
    read = bot.threads.read(bot.repository.full_name, answered)
    (talk,) = bot.store.talks()
    bot.desk.own = "maintainer"
    assert hear(bot.desk, bot.threads, read, talk, Policy()).off


def test_what_the_person_whose_token_the_bot_has_said_before_they_were_heard_is_not_carried_out_late(
    bot: Bot, answered: int
) -> None:
    bot.say("maintainer", answered, "/triage off")
    (talk,) = bot.store.talks()
    talk = bot.store.keep_talk(talk, bot.clock, (0, (datetime.now(UTC).isoformat(),)))  # as an upgrade leaves it
    bot.desk.own = "maintainer"

    def heard(talk: Talk) -> Talk:
        return hear(bot.desk, bot.threads, bot.threads.read(talk.ref.split("#")[0], answered), talk, Policy())

    talk = heard(talk)
    assert not talk.off
    bot.say("maintainer", answered, "/triage off")
    assert heard(talk).off


def test_words_of_the_public_reach_no_host_that_the_operator_trusts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("TRIAGE_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "TRIAGE_GITHUB_APP_ID", "TRIAGE_GITHUB_APP_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRIAGE_DATABASE_URL", f"sqlite:///{tmp_path / 'triage.db'}")
    with serving(files({"model.onnx": b"inside"})) as inner:
        monkeypatch.setenv("TRIAGE_FETCH_HOSTS", inner.url)
        with opening.desk() as desk, desk.fetcher() as fetcher, pytest.raises(SourceError, match="bare address"):
            fetcher.open(f"{inner.url}/model.onnx", local=False)
        assert inner.asked == []


def test_a_problem_that_is_public_no_more_is_not_named(bot: Bot) -> None:
    known = bot.desk.known()
    hidden = "litert-engine-create-deadline"
    assert next(p for p in known.knowledge.problems if p.id == hidden).status not in PUBLIC
    issue = IssueText("Slow", (Post(Role.REPORTER, "It is slow."),))
    said = answer(issue, Talk("1#1", "owner/repo#1", known=(hidden, OTHER)), known, "2026-06-23")
    assert [told.problem for told in said.said] == [OTHER]


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


def test_what_comments_say_by_now_counts_in_the_order_of_their_last_edits(bot: Bot, report: Report) -> None:
    number = report("a question", "How do I install it?")
    for _ in range(2):
        bot.say("maintainer", number, "Let me see.")
    read = bot.threads.read(bot.repository.full_name, number)
    talk = Talk("1#1", read.repo)

    def after(*bodies: tuple[str, str]) -> bool:
        nonlocal talk
        comments = zip(read.comments, bodies, strict=True)
        said = tuple(c.model_copy(update={"body": body, "updated_at": at}) for c, (body, at) in comments)
        talk = hear(bot.desk, bot.threads, read._replace(comments=said), talk, Policy())
        return talk.off

    assert after(("/triage off", "2026-06-01T10"), ("Hm.", "2026-06-01T11"))
    assert not after(("/triage on", "2026-06-01T12"), ("Hm.", "2026-06-01T11"))
    assert after(("/triage off", "2026-06-01T13"), ("Hm.", "2026-06-01T11"))
    assert after(("Never mind.", "2026-06-01T14"), ("Hm.", "2026-06-01T11"))
    assert not after(("/triage on", "2026-06-01T16"), ("/triage off", "2026-06-01T15"))
    assert after(("/triage off\n\n/triage on\n\n/triage off", "2026-06-01T17"), ("/triage off", "2026-06-01T15"))
    assert after(("/triage off", "2026-06-01T18"), ("/triage off", "2026-06-01T19"))
    assert bot.done("command") == 7  # what stood there before an edit is not given again


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
        "<details>\n\n/triage off\n\n</details>",
        "\\/triage off",
    ],
)
def test_what_only_looks_like_a_command_is_none(bot: Bot, answered: int, words: str) -> None:
    bot.say("maintainer", answered, words)
    bot.settle()

    assert bot.done("command", "refused") == 0


def test_a_command_that_is_none_is_refused_with_the_reason(bot: Bot, answered: int) -> None:
    before = only(bot, answered)
    bot.say("maintainer", answered, "/triage known\n/triage why not")
    bot.settle()

    assert only(bot, answered) == before
    said = " ".join(detail for _, detail in refusals(bot))
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


@pytest.mark.parametrize("command", ["rerun", "post"])
def test_a_comment_deleted_behind_a_command_stays_deleted(bot: Bot, report: Report, command: str) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    issue = bot.github.user("maintainer").get_repo(bot.repository.full_name).get_issue(number)
    bot.say("maintainer", number, f"/triage {command}")
    bot.github.delivered()
    next(c for c in issue.get_comments() if c.user.login == LOGIN).delete()
    bot.github.delivered()
    bot.say("other", number, "me too")
    bot.settle()
    bot.settle(minutes=5)
    assert bot.comments(number) == []

    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert len(bot.comments(number)) == 1


def test_a_secret_in_a_command_is_kept_nowhere(bot: Bot, answered: int) -> None:
    bot.say("maintainer", answered, "/triage wrong my token is ghp_" + "Ab3dE" * 8 + r" and C:\Users\maxm\x")
    bot.settle()
    bot.say("maintainer", answered, "/triage check https://jane:Hunter2Secret@example.org/x.onnx")
    bot.settle()

    issue = f"{bot.repository.full_name}#{answered}"
    details = {deed.what: deed.detail for deed in bot.store.deeds(issue=issue)}
    assert details["wrong"] == r"my token is <token> and C:\Users\<user>\x"
    kept = " ".join(details.values()) + str(bot.store.heard(bot.store.talks()[0].issue))
    assert not [secret for secret in ("ghp_", "maxm", "Hunter2") if secret in kept]


@pytest.mark.parametrize("late", ["in another batch", "in front", "never"])
def test_a_deletion_holds_whenever_it_is_told_of(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    (own,) = (c for c in bot.repository.get_issue(number).get_comments() if c.user.login == LOGIN)

    def passes(*told: int) -> int:
        """How many comments of its own are there, once these deliveries came in."""
        for n in told:
            ingest(bot.desk, bot.deliveries[n].id, bot.deliveries[n].event)
        for _ in range(3):
            bot.clock += timedelta(minutes=5)
            work(bot.desk)
        return len(bot.comments(number))

    with remembering(monkeypatch, LOGIN):
        monkeypatch.setattr("tests.bot.harness.ingest", lambda *_: True)
        bot.say("maintainer", number, "/triage post")
        own.delete()
        bot.github.delivered()
        command, deletion = sorted((1, 2), key=lambda n: bot.deliveries[n].event.action == "deleted")
        order = {"in another batch": (command,), "in front": (deletion, command), "never": (command,)}[late]
        assert passes(*order) == 0
        bot.say("maintainer", number, "/triage post")
        bot.github.delivered()
        assert passes(3) == 1
        assert passes(*(deletion,) if late == "in another batch" else ()) == 1


def test_a_command_that_asks_for_an_answer_is_not_silenced_by_the_words_beside_or_before_it(
    bot: Bot, report: Report
) -> None:
    number = report("It stops", "It does not work at all, Foundry Local CLI 0.10.0.")
    bot.say("maintainer", number, "We have a look.")
    bot.settle()
    bot.say("maintainer", number, f"Looks like the aliasing one.\n\n/triage known {PROBLEM}")
    bot.settle()
    assert len(bot.comments(number)) == 1
