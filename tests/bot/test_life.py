"""The life of one comment on a stateful GitHub: webhooks in, one comment out, kept true."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from bot.knowledge import load_known
from bot.service.running import notice, revisit
from bot.wording.lifecycle import OTHER_VERSION, WRONG
from tests.bot.conftest import LOGIN
from tests.bot.faults import Refusal, faults
from tests.bot.harness import ALIASING, VERSION, Bot

Report = Callable[..., int]


def test_a_known_failure_gets_one_comment_as_the_design_has_it(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()

    (body,) = bot.comments(number)
    visible = body.split("<details>")[0]
    assert "**Cause** (confirmed)" in visible
    assert "Your Foundry Local CLI 0.10.0 carries 0.14.0; Foundry Local CLI 0.10.1 (2026-06-22)" in visible
    assert "CPU variant" in visible
    assert len([line for line in visible.splitlines() if line.strip()]) <= 12


def test_ten_deliveries_shuffled_with_edits_are_one_comment_in_the_last_state(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    issue = bot.github.user("reporter").get_repo(bot.repository.full_name).get_issue(number)
    for n in range(4):
        issue.edit(body=ALIASING + f"\nedit {n}")
    issue.edit(body=ALIASING + VERSION)
    bot.github.delivered()
    known = list(bot.deliveries)
    shuffled = known * 10
    random.Random(7).shuffle(shuffled)  # noqa: S311
    assert not any(bot.receive(delivery) for delivery in shuffled)
    bot.settle()

    (body,) = bot.comments(number)
    assert "0.10.1" in body
    assert bot.done("posted", "edited") == 1


def test_a_version_that_is_added_edits_the_answer(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    (asked,) = bot.comments(number)
    assert "?" in asked.split("<details>")[0]

    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.settle()

    (body,) = bot.comments(number)
    assert "0.10.1" in body.split("<details>")[0]
    assert "changed on " in body
    assert bot.done("edited") == 1


def test_a_bare_answer_to_the_bots_question_is_understood_and_stays_so(bot: Bot, report: Report) -> None:
    """Its question is gone from the comment once it is answered."""
    question = "Which Foundry Local CLI version do you run (`foundry --version`)?"
    answered = {"0.10.0": "Your Foundry Local CLI 0.10.0", "v0.10.3": OTHER_VERSION}
    numbers = {answer: report("qwen3.5 stops on WebGPU", ALIASING) for answer in answered}
    bot.settle()
    for answer, number in numbers.items():
        assert question in bot.comments(number)[0]
        bot.say("reporter", number, answer)
    bot.settle(hours=1)
    for number in numbers.values():
        bot.say("other", number, "I am curious about this, too.")
    bot.settle(hours=1)
    for answer, number in numbers.items():
        (comment,) = bot.comments(number)
        assert answered[answer] in comment
        assert question not in comment
    assert bot.done("edited", "retracted") == 2


def test_a_version_with_the_fix_and_no_new_log_gets_one_neutral_line(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    bot.say("reporter", number, "My version is Foundry Local CLI 0.10.3.")
    bot.settle()

    (body,) = bot.comments(number)
    words = body.split("-->", 1)[1].split("<sub>")[0].strip()
    assert words == OTHER_VERSION
    (seen,) = bot.store.sightings()
    assert seen.sighting.product_version is None


def test_a_release_that_carries_the_fix_edits_and_adds_one_note(bot: Bot, report: Report) -> None:
    bot.clock = datetime(2026, 6, 11, 12, tzinfo=UTC)
    bot.desk.as_of = lambda: bot.clock.date().isoformat()
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    (before,) = bot.comments(number)
    assert "no release of Foundry Local CLI" in before or "no Foundry Local CLI release" in before

    bot.clock = datetime(2026, 6, 23, 12, tzinfo=UTC)
    for _ in range(3):
        revisit(bot.desk, "2026-06-23")
        bot.settle()

    body, note = bot.comments(number)
    assert "0.10.1" in body.split("<details>")[0]
    assert note.startswith("<!-- ondevice-triage-note ")
    assert "Foundry Local CLI 0.10.1, released on 2026-06-22, has the fix" in note
    assert bot.done("noted") == 1


def test_a_release_that_becomes_known_has_every_open_issue_read_again_once(bot: Bot, report: Report) -> None:
    known = load_known()
    seen = known.knowledge.observed
    early = tuple(r for r in seen.releases if r.product != "foundry-local-cli" or r.version == "0.10.0")
    without = known._replace(knowledge=known.knowledge._replace(observed=seen._replace(releases=early)))
    bot.desk.known = lambda: without
    notice(bot.desk)
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    (before,) = bot.comments(number)
    assert "0.10.1" not in before
    assert notice(bot.desk) == 0

    bot.desk.known = lambda: known
    assert notice(bot.desk) == 1
    bot.settle()
    body, note = bot.comments(number)
    assert "0.10.1" in body.split("<details>")[0]
    assert "0.10.1" in note
    bot.desk.noticed = None  # as in another process
    assert notice(bot.desk) == 0

    # a process that knows less, as while a release is rolled out, undoes nothing
    for other in (without, known, without):
        bot.desk.known = lambda other=other: other
        assert notice(bot.desk) == 0


def test_the_bots_own_echo_and_other_bots_cause_nothing(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    bot.deliveries.clear()
    bot.github.bot().comment(bot.repository.full_name, number, "an echo")
    bot.github.delivered()
    assert bot.deliveries == []


def test_a_long_thread_finds_its_own_comment_after_a_lost_database(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    (body,) = bot.comments(number)
    for n in range(250):
        bot.say("other", number, f"me too {n}")
    bot.lose_database()
    bot.say("reporter", number, "Any news?")
    bot.settle()

    assert bot.comments(number) == [body]


def test_a_deleted_comment_stays_deleted(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    maintainer = bot.github.user("maintainer").get_repo(bot.repository.full_name).get_issue(number)
    next(iter(maintainer.get_comments())).delete()
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.settle()

    assert bot.comments(number) == []


def test_a_maintainer_alone_brings_a_deleted_comment_back(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    for command in ("/triage post", "/triage rerun"):
        maintainer = bot.repository.get_issue(number)
        next(c for c in maintainer.get_comments() if c.user.login == LOGIN).delete()
        bot.say("reporter", number, "/triage rerun")
        bot.say("other", number, "/triage post")
        bot.settle(minutes=5)
        assert bot.comments(number) == []
        bot.say("maintainer", number, command)
        bot.settle()
        assert len(bot.comments(number)) == 1
    # a command from before the deletion is no wish from after it
    bot.say("maintainer", number, "/triage post")
    next(c for c in bot.repository.get_issue(number).get_comments() if c.user.login == LOGIN).delete()
    bot.settle(minutes=5)
    bot.say("reporter", number, "Where is it?")
    bot.settle()
    assert bot.comments(number) == []


def test_what_was_left_alone_for_a_label_or_for_being_closed_is_answered_when_that_is_over(
    bot: Bot, report: Report
) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    issue = bot.repository.get_issue(number)
    issue.edit(state="closed")
    bot.settle()
    assert bot.comments(number) == []
    bot.repository.create_label("No-Triage", "ffffff")
    issue.add_to_labels("No-Triage")
    issue.edit(state="open")
    bot.settle()
    assert bot.comments(number) == []
    issue.remove_from_labels("No-Triage")
    bot.settle()
    assert len(bot.comments(number)) == 1


def test_a_second_comment_of_its_own_is_removed_wherever_it_came_from(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    (body,) = bot.comments(number)
    for _ in range(2):
        bot.threads.comment(bot.repository.full_name, number, body)
    bot.say("reporter", number, "Any news?")
    bot.settle()
    assert bot.comments(number) == [body]
    assert bot.done("removed") == 2


def test_what_a_person_edited_is_left_alone(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    maintainer = bot.github.user("maintainer").get_repo(bot.repository.full_name).get_issue(number)
    comment = next(iter(maintainer.get_comments()))
    comment.edit(comment.body + "\nIt is fixed in the nightly build.")
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.settle()

    (body,) = bot.comments(number)
    assert body.endswith("nightly build.")


def test_wrong_retracts_and_rerun_takes_that_back(bot: Bot, report: Report) -> None:
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    bot.say("other", number, "/triage wrong")
    bot.say("reporter", number, "/triage wrong")
    bot.settle()
    assert "0.10.1" in bot.comments(number)[0]

    bot.say("maintainer", number, "Not this.\n/triage wrong another cause")
    bot.settle()
    (body,) = bot.comments(number)
    assert WRONG in body
    assert "0.10.1" not in body
    bot.say("reporter", number, "Again: Foundry Local CLI 0.10.0.")
    bot.settle()
    assert WRONG in bot.comments(number)[0]

    bot.say("maintainer", number, "/triage rerun")
    bot.settle()
    assert "0.10.1" in bot.comments(number)[0]
    assert [d.who for d in bot.store.deeds(what="refused")] == ["reporter", "other"]


def test_shadow_and_suggest_post_nothing_until_a_maintainer_asks(bot: Bot, report: Report) -> None:
    bot.policy('mode = "shadow"')
    shadowed = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    assert bot.comments(shadowed) == []
    assert any("shadow" in d.detail for d in bot.store.deeds())

    bot.policy('mode = "suggest"')
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle(minutes=6)
    assert bot.comments(number) == []
    (talk,) = bot.store.talks(ref=f"{bot.repository.full_name}#{number}")
    assert "0.10.1" in talk.suggestion
    bot.say("maintainer", number, "/triage post")
    bot.settle()
    assert len(bot.comments(number)) == 1


def test_three_wrong_answers_in_a_day_stop_the_writing(bot: Bot, report: Report) -> None:
    for _ in range(3):
        number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
        bot.settle()
        bot.say("maintainer", number, "/triage wrong")
        bot.settle()
    last, number = number, report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle(hours=2)
    assert bot.comments(number) == []
    assert any("called wrong" in d.detail for d in bot.store.deeds(what="wait"))

    bot.say("maintainer", last, "/triage rerun")
    bot.settle(minutes=11)
    assert len(bot.comments(number)) == 1
    assert "0.10.1" in bot.comments(last)[0]
    bot.say("maintainer", last, "/triage wrong")
    bot.settle()
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle(hours=2)
    assert bot.comments(number) == []

    bot.settle(hours=25)
    assert len(bot.comments(number)) == 1


def test_labels_are_added_and_one_that_a_person_took_off_stays_off(bot: Bot, report: Report) -> None:
    bot.policy(
        'mode = "comment"\nproducts = ["foundry-local-cli"]\n[labels]\nneeds_info = "ask"\nfix_released = "fixed"'
    )
    theirs = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.repository.get_issue(theirs).add_to_labels("ASK")
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    bot.settle()
    issue = bot.repository.get_issue(number)
    assert {label.name for label in issue.labels} == {"ask"}
    assert {label.name for label in bot.repository.get_issue(theirs).labels} == {"ASK"}  # the same label on GitHub
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    bot.settle()
    issue = bot.repository.get_issue(number)
    assert {label.name for label in issue.labels} == {"fixed"}
    issue.remove_from_labels("fixed")
    bot.say("reporter", number, "Indeed, Foundry Local CLI 0.10.0 it is.")
    bot.settle()
    assert bot.repository.get_issue(number).labels == []


def test_whose_a_label_is_stays_known_whatever_became_of_the_request(
    bot: Bot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot.policy(
        'mode = "comment"\nproducts = ["foundry-local-cli"]\n[labels]\nneeds_info = "ask"\nfix_released = "fixed"'
    )
    number = report("qwen3.5 stops on WebGPU", ALIASING)
    with faults(monkeypatch, "POST", "/labels", Refusal(502), Refusal(502, after=True)) as left:
        bot.settle()
        bot.settle(minutes=10)
        assert left == []
        bot.settle(minutes=10)
    (talk,) = bot.store.talks()
    assert talk.labels == ("ask",)
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.0.")
    with faults(monkeypatch, "DELETE", "/labels", Refusal(502, after=True)) as left:
        bot.settle()
        assert left == []
    bot.settle(minutes=10)
    (talk,) = bot.store.talks()
    assert (talk.labels, talk.unwanted) == (("fixed",), ())
    bot.repository.get_issue(number).remove_from_labels("fixed")
    bot.say("reporter", number, "/triage why")
    bot.settle()
    assert "<details open>" in bot.comments(number)[0]
    assert bot.repository.get_issue(number).labels == []
    assert bot.store.talks()[0].unwanted == ("fixed",)


def test_faults_of_the_policy_file_are_told_in_the_activity_alone_and_once(bot: Bot, report: Report) -> None:
    bot.policy('mode = "comment"\nmoode = "loud"\nproducts = ["foundry-local-cli", "no-such"]\n[labels]\nknwon = "x"')
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle()
    bot.say("reporter", number, "Any news?")
    bot.settle(minutes=30)

    (told,) = bot.store.deeds(what="policy")
    assert told.detail.count(".github/triage.toml: ") == 3
    assert "moode: there is no such key; did you mean mode?" in told.detail
    assert "labels.knwon: there is no such key; did you mean known?" in told.detail
    assert "'no-such' is no product" in told.detail
    assert bot.comments(number) == []  # what is not understood may have been meant to make it quiet
