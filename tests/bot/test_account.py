"""Who the bot is to GitHub: its own login, and installations that come and go."""

from __future__ import annotations

import json

import pytest
from github.Repository import Repository

from bot.forge import ForgeError, NoAccess, Threads
from bot.service.opening import Account
from tests.bot.conftest import INSTALLATION, LOGIN, GitHub
from tests.bot.faults import Refusal, faults

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
