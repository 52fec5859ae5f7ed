"""Where the bot must not write: other places, other modes, other people's turns."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime

from github.Repository import Repository

from bot.comment import MARKER
from bot.service.running import revisit
from bot.watched.attachments import read_attachment
from bot.watched.policy import Mode, read_policy
from bot.web.shown import Shown
from bot.wording.lifecycle import NOT_IT, OTHER_VERSION, OUTDATED
from tests.bot.conftest import GitHub
from tests.bot.harness import ALIASING, DUPLICATE, VERSION, Bot
from tests.loopback import serving

Report = Callable[..., int]
PROBLEM = "webgpu-recurrent-state-buffer-aliasing"


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


def test_what_is_taken_back_passes_in_every_mode_and_what_is_new_waits(bot: Bot, report: Report) -> None:
    products = 'products = ["foundry-local-cli"]\n[labels]\nfix_released = "fixed"'
    bot.policy(f'mode = "comment"\n{products}')
    refused, later, other, shadowed, off, opted_out, braked, swapped = (
        report("qwen3.5 stops on WebGPU", ALIASING + VERSION) for _ in range(8)
    )
    bot.settle()

    def reported(number: int, words: str) -> None:
        github = bot.github.user("reporter").get_repo(bot.repository.full_name)
        github.get_issue(number).edit(body=words)

    def only(number: int) -> str:
        (body,) = bot.comments(number)
        return body

    no = f"/triage not {PROBLEM}"
    bot.policy(f'mode = "suggest"\n{products}')
    bot.say("maintainer", refused, no)
    reported(later, f"{ALIASING}\nFoundry Local CLI 0.10.3")
    reported(other, DUPLICATE)
    bot.settle(minutes=5)
    assert NOT_IT in only(refused)
    assert OTHER_VERSION in only(later)
    assert OUTDATED in only(other)
    assert all(bot.repository.get_issue(n).labels == [] for n in (refused, later, other))
    (talk,) = bot.store.talks(ref=f"{bot.repository.full_name}#{other}")
    assert "Duplicate definition" in talk.suggestion
    assert "suggest" in [d.what for d in bot.store.deeds(issue=talk.ref)]
    bot.say("maintainer", other, "/triage post")
    bot.settle(minutes=5)
    assert "baked-memcpy-duplicate-ep-name" in only(other)

    bot.policy(f'mode = "shadow"\n{products}')
    bot.say("maintainer", shadowed, no)
    bot.settle(minutes=5)
    assert NOT_IT in only(shadowed)
    bot.policy('mode = "off"')
    bot.say("maintainer", off, no)
    bot.settle(minutes=5)
    assert NOT_IT in only(off)

    bot.policy(f'mode = "comment"\n{products}')
    bot.say("maintainer", opted_out, f"/triage off\n{no}")
    for n in range(3):
        bot.desk.log(bot.repository.full_name, f"{bot.repository.full_name}#9{n}", "wrong")
    reported(braked, f"{ALIASING}\nFoundry Local CLI 0.10.3")
    reported(swapped, DUPLICATE)
    bot.settle(minutes=5)
    assert NOT_IT in only(opted_out)
    assert OTHER_VERSION in only(braked)
    assert OUTDATED in only(swapped)
    bot.settle(hours=25)
    assert "baked-memcpy-duplicate-ep-name" in only(swapped)
    assert NOT_IT in only(off)


def test_of_a_deleted_comment_nothing_is_left_that_speaks_of_it(bot: Bot, report: Report) -> None:
    bot.desk.as_of = lambda: bot.clock.date().isoformat()
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]\n[labels]\nfix_released = "fixed"')
    bot.clock = datetime(2026, 6, 11, 12, tzinfo=UTC)
    numbers = [report("qwen3.5 stops on WebGPU", ALIASING + VERSION) for _ in range(2)]
    bot.settle()
    bot.clock = datetime(2026, 6, 23, 12, tzinfo=UTC)
    revisit(bot.desk, "2026-06-23")
    bot.settle()

    def labels(number: int) -> list[str]:
        return [label.name for label in bot.repository.get_issue(number).labels]

    for number in numbers:
        _, note = bot.comments(number)
        assert "has the fix" in note
        assert labels(number) == ["fixed"]
        main = next(c for c in bot.repository.get_issue(number).get_comments() if c.body.startswith(MARKER))
        main.delete()
    bot.say("maintainer", numbers[1], "/triage wrong")
    bot.settle(minutes=5)
    for number in numbers:
        (note,) = bot.comments(number)
        assert "withdrawn" in note
        assert labels(number) == []

    bot.say("maintainer", numbers[0], "/triage post")
    bot.settle(minutes=5)
    note, body = bot.comments(numbers[0])
    assert "has the fix" in note
    assert "0.10.1" in body
    assert labels(numbers[0]) == ["fixed"]
    bot.policy('mode = "shadow"\nproducts = ["foundry-local-cli"]\n[labels]\nfix_released = "fixed"')
    bot.clock = datetime(2026, 6, 12, 12, tzinfo=UTC)  # the release is gone again
    revisit(bot.desk, "2026-06-12")
    bot.settle()
    note, body = bot.comments(numbers[0])
    assert "withdrawn" in note
    assert OUTDATED in body
    assert bot.done("retracted") == 2 + 2
    assert labels(numbers[0]) == []


def test_a_yes_is_for_the_words_that_were_shown_and_a_change_waits_where_it_is_seen(bot: Bot, report: Report) -> None:
    products = 'products = ["foundry-local-cli"]'
    bot.policy(f'mode = "suggest"\n{products}')
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle(minutes=5)
    github = bot.github.user("reporter").get_repo(bot.repository.full_name).get_issue(number)
    github.edit(body=DUPLICATE)
    bot.say("maintainer", number, "/triage post")  # to what was suggested
    bot.settle(minutes=5)
    assert bot.comments(number) == []
    key = f"{bot.repository.id}#{number}"

    def shown() -> Shown:
        talk = bot.store.talk(key)
        assert talk is not None
        return Shown(talk, bot.store.about([key])[key])

    assert "Duplicate definition" in shown().comment
    assert shown().state == "waits"
    bot.say("maintainer", number, "/triage post\n/triage why")
    bot.settle(minutes=5)
    (body,) = bot.comments(number)
    assert "Duplicate definition" in body
    assert "<details open>" in body
    assert (shown().state, shown().comment) == ("posted", "")

    # one problem more: nothing of what stands is wrong
    github.edit(body=DUPLICATE + ALIASING)
    bot.settle(minutes=5)
    assert bot.comments(number) == [body]
    assert (shown().state, shown().decisions) == ("waits", ("post", "off"))
    assert PROBLEM not in body
    assert "It also matches" in shown().comment
    bot.policy(f'mode = "shadow"\n{products}')
    bot.say("other", number, "me too")
    bot.settle(minutes=5)
    assert bot.comments(number) == [body]
    bot.say("maintainer", number, "/triage post")
    bot.settle(minutes=5)
    (both,) = bot.comments(number)
    assert "It also matches" in both


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
