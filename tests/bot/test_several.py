"""Several processes on one store: one comment, no answer lost, whoever is slow, late or killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.service.desk import Desk
from bot.service.holding import LEASE, held
from bot.service.running import work
from bot.service.writing import write_due
from bot.watched.attachments import Attachment
from kb.store import Store, upgrade
from kb.store.conversations import Overtaken
from tests import postgres
from tests.bot.conftest import LOGIN, GitHub
from tests.bot.faults import Killed, ends_at
from tests.bot.harness import ALIASING, VERSION, Bot
from tests.bot.processes import environment

Report = Callable[..., int]
on_both = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database of one's own."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield f"sqlite:///{tmp_path / 'several.db'}"
        return
    with postgres.database(str(request.getfixturevalue("server"))) as empty:
        yield empty


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    upgrade(url)
    with closing(Store.at(url)) as store, store.kept_open():
        yield store


def other(bot: Bot) -> Desk:
    """Another process: a desk of its own with a connection of its own."""
    threads, desk = bot.github.bot(), bot.desk
    return Desk(bot.store, lambda *_: threads, LOGIN, desk.known, desk.now, desk.attachment, desk.fetcher)


@on_both
def test_a_writer_that_comes_late_ends_in_one_comment(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.github.delivered()
    work(bot.desk)
    bot.clock += timedelta(seconds=5)
    second, create = other(bot), bot.threads.comment

    def slow(repo: str, number: int, body: str) -> int:
        bot.threads.comment = create  # type: ignore[method-assign]
        assert write_due(second) == 0  # the issue is in the first one's hands
        bot.clock += timedelta(minutes=3)
        assert write_due(second) == 1
        return create(repo, number, body)

    bot.threads.comment = slow  # type: ignore[method-assign]
    assert write_due(bot.desk) == 0
    assert bot.done("posted") == 2
    bot.settle()

    (_,) = bot.comments(number)
    assert bot.done("removed") == 1
    bot.say("reporter", number, "My version is Foundry Local CLI 0.10.3.")
    bot.settle()
    assert len(bot.comments(number)) == 1
    assert bot.done("edited") == 1


def test_what_was_decided_meanwhile_is_not_overwritten_by_who_is_late(bot: Bot, report: Report) -> None:
    second = other(bot)
    number = report("qwen3.5 stops on WebGPU", ALIASING + "\nhttps://github.com/user-attachments/files/1/a.log\n")
    bot.github.delivered()

    def slow(url: str) -> Attachment:
        bot.desk.attachment = second.attachment
        bot.say("maintainer", number, "/triage off")
        bot.github.delivered()
        work(second)
        assert bot.store.talks() == ()  # in the first one's hands
        bot.clock += timedelta(minutes=1)
        work(second)
        return Attachment(url, "a.log", why="it cannot be read")

    bot.desk.attachment = slow
    work(bot.desk)
    (talk,) = bot.store.talks()
    assert talk.off
    bot.settle()
    bot.settle(minutes=5)
    (talk,) = bot.store.talks()
    assert talk.off
    assert bot.comments(number) == []
    assert bot.done("posted") == 0


def test_the_lease_is_looked_at_right_before_a_write(bot: Bot) -> None:
    second = other(bot)
    with held(bot.desk, "7#1") as first:
        assert first is not None
        with held(second, "7#1") as none:
            assert none is None
        bot.clock += LEASE
        with held(second, "7#1") as taken:
            assert taken is not None
            with pytest.raises(Overtaken):
                first.check()


def test_what_a_killed_process_held_is_taken_up_within_a_minute(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while it reads the issue, then behind the request that wrote the comment."""
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.github.delivered()
    for step, written in ((5, 0), (8, 1)):
        with ends_at(monkeypatch, bot.store.engine, step), suppress(Killed):
            work(bot.desk)
            pytest.fail("it was to be killed")
        assert len(bot.comments(number)) == written
        bot.desk = other(bot)
        assert work(bot.desk) == 0
        bot.clock += LEASE + timedelta(seconds=1)
        assert work(bot.desk) == 1
        bot.clock += timedelta(seconds=4)
    assert len(bot.comments(number)) == 1


def test_a_clock_that_was_years_ahead_when_a_process_was_killed_holds_nothing(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.github.delivered()
    right = bot.clock
    bot.clock += timedelta(days=1500)
    for n in range(3):
        bot.desk.log(bot.repository.full_name, f"{bot.repository.full_name}#{90 + n}", "wrong")
    with ends_at(monkeypatch, bot.store.engine, 5), suppress(Killed):
        work(bot.desk)
        pytest.fail("it was to be killed")
    bot.clock = right
    bot.desk = other(bot)
    bot.settle()
    assert len(bot.comments(number)) == 1


@on_both
def test_processes_that_answer_an_issue_at_once_leave_one_comment(
    url: str, github: GitHub, repository: Any, report: Report, tmp_path: Path
) -> None:
    repository.create_file(".github/triage.toml", "policy", 'mode = "comment"\nproducts = ["foundry-local-cli"]\n')
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    upgrade(url)
    settings = environment(github, tmp_path) | {"TRIAGE_DATABASE_URL": url}
    command = [sys.executable, "-m", "bot", "issue", f"{repository.full_name}#{number}"]
    running = [
        subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], said
    assert ["stands: a known failure" in words for words in said] == [True, True], said

    found = [c.body for c in repository.get_issue(number).get_comments() if c.user.login == LOGIN]
    assert len(found) == 1, said
    with closing(Store.at(url)) as store:
        assert [d.what for d in store.deeds() if d.what in ("posted", "failed")] == ["posted"]
        (talk,) = store.talks()
        assert talk.standing == "stands"
