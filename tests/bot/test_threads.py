"""Issues read, and the bot's own comments written, as an installation of its App."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from github.Repository import Repository

from bot.forge import ForgeError, NotThere, Threads
from bot.forge.access import App
from bot.input.thread_json import issue_from_json
from signatures.model import Role
from tests.bot.conftest import APP, INSTALLATION, LOGIN, GitHub

Report = Callable[..., int]


def test_the_app_knows_its_login_and_where_it_is_installed(github: GitHub, repository: Repository) -> None:
    app = github.app()

    assert app.login() == LOGIN
    assert app.installation(repository.full_name) == INSTALLATION
    with pytest.raises(NotThere):
        app.installation("nobody/nothing")


def test_another_key_is_refused(github: GitHub, repository: Repository) -> None:
    with pytest.raises(ForgeError, match="not accepted"):
        App(str(APP + 1), github.key, github.url).login()


def test_a_thread_is_read_with_who_wrote_what(github: GitHub, repository: Repository, report: Report) -> None:
    number = report("It fails", "the body")
    github.user("maintainer").get_repo(repository.full_name).get_issue(number).create_comment("which version?")
    github.user("reporter").get_repo(repository.full_name).get_issue(number).create_comment("1.2.0")
    bot = github.bot()
    own = bot.comment(repository.full_name, number, "an answer")

    read = bot.read(repository.full_name, number)

    assert (read.item.title, read.item.state, read.whole) == ("It fails", "open", True)
    assert [(c.user and c.user.login, c.body) for c in read.comments][-1] == (LOGIN, "an answer")
    assert read.comments[-1].id == own
    issue = issue_from_json(read.raw, "the issue")
    assert issue is not None
    assert [p.role for p in issue.posts] == [Role.REPORTER, Role.MAINTAINER, Role.REPORTER, Role.BOT]


def test_a_thread_of_250_comments_is_read_to_its_end(github: GitHub, repository: Repository, report: Report) -> None:
    number = report("It fails", "the body")
    issue = github.user("other").get_repo(repository.full_name).get_issue(number)
    for n in range(250):
        issue.create_comment(f"comment {n}")

    read = github.bot().read(repository.full_name, number)

    assert [c.body for c in read.comments] == [f"comment {n}" for n in range(250)]


def test_a_comment_is_edited_and_removed_once(github: GitHub, repository: Repository, report: Report) -> None:
    number, bot, repo = report("It fails", "the body"), github.bot(), repository.full_name
    comment = bot.comment(repo, number, "first")

    bot.edit(repo, comment, "second")
    assert [c.body for c in bot.read(repo, number).comments] == ["second"]
    bot.remove(repo, comment)
    bot.remove(repo, comment)
    assert bot.read(repo, number).comments == ()
    with pytest.raises(NotThere):
        bot.edit(repo, comment, "third")


def test_labels_are_added_and_only_named_ones_taken_off(github: GitHub, repository: Repository, report: Report) -> None:
    number, bot, repo = report("It fails", "the body"), github.bot(), repository.full_name
    repository.get_issue(number).add_to_labels("bug")

    bot.label(repo, number, ["triage: known-issue"])
    assert set(bot.read(repo, number).labels) == {"bug", "triage: known-issue"}
    bot.unlabel(repo, number, "triage: known-issue")
    bot.unlabel(repo, number, "triage: known-issue")
    assert set(bot.read(repo, number).labels) == {"bug"}


def test_who_may_decide_is_asked_of_the_api(github: GitHub, repository: Repository) -> None:
    bot = github.bot()

    assert bot.may_write(repository.full_name, "maintainer")
    assert not bot.may_write(repository.full_name, "reporter")
    assert not bot.may_write(repository.full_name, "")
    assert not bot.may_write(repository.full_name, "../../maintainer")


def test_issues_that_changed_since_a_moment(github: GitHub, repository: Repository, report: Report) -> None:
    first = report("one", "x")
    report("two", "x")
    bot = github.bot()

    changed, _ = bot.changed_issues(repository.full_name, "2020-01-01T00:00:00Z", None)
    assert [i.number for i in changed] == [first, first + 1]
    assert bot.changed_issues(repository.full_name, "2999-01-01T00:00:00Z", None)[0] == []


def test_a_file_of_the_repository(github: GitHub, repository: Repository) -> None:
    repository.create_file(".github/triage.toml", "policy", 'mode = "comment"\n')

    assert github.bot().file(repository.full_name, ".github/triage.toml") == b'mode = "comment"\n'
    assert github.bot().file(repository.full_name, "missing.toml") is None


def test_without_an_account_everything_public_can_be_read(
    github: GitHub, repository: Repository, report: Report
) -> None:
    number = report("It fails", "the body")

    assert Threads(None, github.url, spacing=0).read(repository.full_name, number).item.title == "It fails"
    with pytest.raises(ForgeError):
        Threads(None, github.url, spacing=0).comment(repository.full_name, number, "an answer")
