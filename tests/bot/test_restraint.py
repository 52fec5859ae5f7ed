"""Where the bot must not write: other places, other modes, other people's turns."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime

from github.Repository import Repository

from bot.service.running import revisit
from bot.watched.attachments import read_attachment
from bot.watched.policy import Mode, read_policy
from tests.bot.conftest import GitHub
from tests.bot.harness import ALIASING, VERSION, Bot
from tests.loopback import serving

Report = Callable[..., int]


def test_a_note_and_labels_are_not_written_in_shadow(bot: Bot, report: Report) -> None:
    bot.desk.as_of = lambda: bot.clock.date().isoformat()
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]')
    bot.clock = datetime(2026, 6, 11, 12, tzinfo=UTC)
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    assert len(bot.comments(number)) == 1
    bot.policy('mode = "shadow"\nproducts = ["foundry-local-cli"]\n[labels]\nfix_released = "fixed"')
    bot.clock = datetime(2026, 6, 23, 12, tzinfo=UTC)
    revisit(bot.desk, "2026-06-23")
    bot.settle()

    assert len(bot.comments(number)) == 1
    assert bot.repository.get_issue(number).labels == []


def test_another_repository_of_the_same_name_gets_nothing(
    bot: Bot, github: GitHub, repository: Repository, report: Report
) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    (talk,) = bot.store.talks()
    elsewhere = talk._replace(
        issue=f"{repository.id + 4711}#{number}", comment=None, standing="none", written="", revision=0
    )
    bot.store.keep_talk(elsewhere, bot.clock)
    body = bot.comments(number)[0]
    bot.store.want_comment(elsewhere.issue, body, (), "", bot.clock)
    bot.settle()

    assert bot.comments(number) == [body]
    assert "knows no such thing" in bot.store.deeds(what="failed")[0].detail


def test_a_comment_of_the_same_account_without_the_marker_is_not_the_bots(bot: Bot, report: Report) -> None:
    bot.policy('mode = "suggest"\nproducts = ["foundry-local-cli"]')
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.github.bot().comment(bot.repository.full_name, number, "Thanks for opening your first issue.")
    bot.say("maintainer", number, "This is known; see the release notes.")
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]')
    bot.settle()

    assert bot.comments(number) == ["Thanks for opening your first issue."]


def test_an_archive_that_unpacks_before_it_can_be_counted_is_left_alone() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.log", b"\0" * (64 << 20))
    from bot.fetch.guard import policy_of

    with serving(lambda handler, _: handler.give(200, made.getvalue())) as server:
        url = "https://github.com/user-attachments/files/1/a.zip"
        found = read_attachment(url, policy_of(server.url, ()), address=lambda _: f"{server.url}/a.zip")
    assert found.logs == ()
    assert "packed in a way that is not read" in found.why


def test_a_policy_whose_quiet_part_is_not_understood_posts_nothing() -> None:
    assert read_policy('mode = "comment"\nopt_out = "wontfix"').policy.mode is Mode.SHADOW
    assert read_policy('mode = "comment"\n[budget]\ncomments_per_hour = "2"').policy.mode is Mode.SHADOW
    assert read_policy('mode = "off"\nopt_out = "wontfix"').policy.mode is Mode.OFF
    assert read_policy("x = " + "1" * 5000).faults
