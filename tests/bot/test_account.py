"""Who the bot is to GitHub: its own login, and installations that come and go."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from github.Repository import Repository

from bot.forge import ForgeError, NoAccess, Threads
from bot.service.opening import Account
from bot.service.running import work
from tests.bot.conftest import INSTALLATION, LOGIN, GitHub
from tests.bot.faults import Refusal, faults
from tests.bot.harness import ALIASING, Bot

GONE = INSTALLATION + 899  # the number of an installation that was removed


def test_an_app_that_was_installed_anew_is_found_under_its_new_number(github: GitHub, repository: Repository) -> None:
    account = Account(github.app(), None, github.url)
    with pytest.raises(NoAccess, match="gives no token"):
        Threads(github.app().access(GONE), github.url, spacing=0).repository(repository.full_name)

    threads = account.threads(repository.full_name, GONE)

    assert threads.installation == INSTALLATION
    assert threads.repository(repository.full_name).id == repository.id
    assert account.threads(repository.full_name, GONE) is threads


def test_a_token_that_is_taken_back_is_asked_for_anew(
    github: GitHub, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = Account(github.app(), None, github.url)
    threads = account.threads(repository.full_name, INSTALLATION)
    with faults(monkeypatch, "GET", f"/repos/{repository.full_name}", Refusal(401)), pytest.raises(ForgeError):
        threads.repository(repository.full_name)

    again = account.threads(repository.full_name, INSTALLATION)

    assert again is not threads
    assert again.repository(repository.full_name).id == repository.id


def test_a_login_that_is_not_the_tokens_is_an_error(github: GitHub) -> None:
    assert Account(None, "token-of-other", github.url).login == "other"
    assert Account(None, "token-of-other", github.url, "Other").login == "other"
    with pytest.raises(ForgeError, match=r"says github-actions\[bot\], and .* is other.s; set it to other"):
        Account(None, "token-of-other", github.url, "github-actions[bot]")


def test_the_login_of_an_apps_token_is_asked_of_graphql(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Refusal(403, {}, '{"message": "Resource not accessible by integration"}')
    viewer = Refusal(200, {}, json.dumps({"data": {"viewer": {"login": LOGIN}}}))
    with faults(monkeypatch, "GET", "/user", person, person), faults(monkeypatch, "POST", "/graphql", viewer, viewer):
        assert Account(None, "token-of-other", github.url).login == LOGIN
        with pytest.raises(ForgeError, match="says github-actions"):
            Account(None, "token-of-other", github.url, "github-actions[bot]")


def test_a_login_that_github_does_not_tell_has_to_be_stated(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The emulator has no GraphQL."""
    person = Refusal(403, {}, '{"message": "Resource not accessible by integration"}')
    with faults(monkeypatch, "GET", "/user", person, person):
        assert Account(None, "token-of-other", github.url, "robot").login == "robot"
        with pytest.raises(ForgeError, match="names the login"):
            Account(None, "token-of-other", github.url)


@pytest.mark.parametrize("account", ["maintainer", ""])
def test_what_another_account_wrote_is_not_deleted_and_nothing_is_written_beside_it(
    bot: Bot, report: Callable[..., int], account: str
) -> None:
    def comments() -> list[str]:
        return [c.body for c in bot.repository.get_issue(number).get_comments() if c.body.startswith("<!--")]

    bot.threads = Threads("token-of-other", bot.github.url, spacing=0, write_spacing=0)
    bot.threads.installation = INSTALLATION
    bot.desk.own = "other"
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.github.delivered()
    work(bot.desk)
    before = comments()
    bot.desk.own = account  # the edit that is due now is not this one's
    bot.clock += timedelta(minutes=2)
    work(bot.desk)
    bot.say("maintainer", number, "/triage rerun")
    bot.settle()
    (talk,) = bot.store.talks()
    assert (comments(), talk.standing) == (before, "stands")
    assert len(before) == 1
    (told,) = bot.store.deeds(what="failed")
    assert told.detail.startswith(
        f"other wrote the comment that stands here, and this account is {account or 'nobody'}"
    )

    bot.desk.own = "other"
    bot.say("reporter", number, "Any news?")
    bot.settle()
    (body,) = comments()
    assert "0.10.1" in body
