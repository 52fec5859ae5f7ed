"""Repositories and issues that move: the bot goes with them, and never writes where another one took the name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from github.Repository import Repository

from bot.forge.items import IssueItem
from bot.service.running import work
from tests.bot.conftest import GitHub
from tests.bot.faults import Refusal, faults
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]
TITLE = "qwen3.5 stops on WebGPU"
POLICY = 'mode = "comment"\nproducts = ["foundry-local-cli"]\n'
COMMENTING = (".github/triage.toml", "policy", POLICY)


def renamed(github: GitHub, repository: Repository) -> tuple[Repository, Repository]:
    """The repository under another name, and another one that has its name since."""
    user, name = github.user("maintainer"), repository.name
    repository.edit(name=f"{name}-before")
    taken = user.get_user().create_repo(name, auto_init=True)  # type: ignore[union-attr]
    taken.create_file(*COMMENTING)
    return user.get_repo(f"maintainer/{name}-before"), taken


def test_an_event_whose_repository_lost_its_name_to_another_is_handled_where_it_belongs(
    bot: Bot, github: GitHub, repository: Repository, report: Report
) -> None:
    first, second = report(TITLE, ALIASING + VERSION), report(TITLE, ALIASING + VERSION)
    bot.github.delivered()
    for issue in bot.store.issues_due(bot.clock)[1:]:  # one is handled before, and the other comes late
        bot.store.put_off([e.id for e in bot.store.events_due(issue, bot.clock)], "", bot.clock + timedelta(minutes=9))
    work(bot.desk)
    now, taken = renamed(github, repository)
    for _ in range(2):
        taken.create_issue("a question", "How do I install it?")
    bot.clock += timedelta(seconds=5)
    work(bot.desk)
    bot.clock += timedelta(minutes=9)
    work(bot.desk)
    bot.clock += timedelta(seconds=5)
    work(bot.desk)

    assert [i.comments for i in now.get_issues(state="all")] == [1, 1]
    assert [i.comments for i in taken.get_issues(state="all")] == [0, 0]
    assert {t.ref for t in bot.store.talks() if t.comment} == {f"{now.full_name}#{n}" for n in (first, second)}


def test_budgets_and_the_brake_go_with_the_repository(
    bot: Bot, github: GitHub, repository: Repository, report: Report
) -> None:
    bot.policy(f"{POLICY}[budget]\ncomments_per_hour = 1\nedits_per_issue_and_day = 1")
    number = report(TITLE, ALIASING)
    bot.settle()
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.settle(minutes=2)
    assert bot.done("posted", "edited") == 2
    now, _ = renamed(github, repository)
    reporter = github.user("reporter").get_repo(now.full_name)
    other = reporter.create_issue(TITLE, ALIASING + VERSION).number
    reporter.get_issue(number).create_comment("/triage why")
    bot.settle(minutes=2)
    assert now.get_issue(other).comments == 0
    assert bot.done("posted", "edited") == 2
    assert {d.detail for d in bot.store.deeds(repo=now.full_name, what="wait")} == {
        "the repository's budget of comments is spent",
        "it was edited often enough today",
    }


def test_an_issue_that_was_transferred_is_left_alone_under_any_number(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = report(TITLE, ALIASING + VERSION)
    bot.github.delivered()
    moved = IssueItem(number=number, state="open", repository_url=f"{bot.github.url}/repos/maintainer/elsewhere")
    with faults(monkeypatch, "GET", "/issues/", Refusal(200, {}, moved.model_dump_json())) as left:
        work(bot.desk)
        assert left == []
    assert bot.store.deeds()[0].detail == "the issue was transferred"
    assert bot.store.issues_due(bot.clock + timedelta(days=3)) == ()
