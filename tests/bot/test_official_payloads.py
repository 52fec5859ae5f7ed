"""GitHub's own examples of payloads, and thousands of damaged ones: accepted or refused in words, never an error."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import count

import pytest

from bot.watched.events import BadPayload, Event, Kind, read_event
from tests.bot.conftest import INSTALLATION, LOGIN, SECRET, GitHub
from tests.bot.harness import ALIASING, VERSION, Bot
from tests.forge import payloads
from tests.forge.payloads import Payload
from tests.web.conftest import Answer, post, signed

Report = Callable[..., int]
MUTATIONS = 5_000
SERVED = 400  # of the mutations, over a real connection
_IDS = count(1)


def deliver(bot: Bot, payload: Payload) -> Answer:
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": payload.event,
        "X-GitHub-Delivery": f"official-{next(_IDS)}",
        "X-Hub-Signature-256": signed(payload.body, SECRET),
    }
    return post(bot.github.hook, payload.body, headers)


def outcome(payload: Payload) -> Event | str:
    try:
        return read_event(payload.event, payload.body, LOGIN)
    except BadPayload as e:
        return str(e)


@pytest.fixture
def corpus(github: GitHub) -> None:
    """The emulator's packages hold the examples."""
    assert payloads.FILE.exists(), "run `npm ci` in tests/forge"


@pytest.mark.usefixtures("corpus")
class TestReading:
    def test_every_official_example_of_what_is_acted_on_is_an_event(self) -> None:
        found = [outcome(p) for p in payloads.official(*payloads.ACTED_ON)]

        assert len(found) == 51
        assert [f for f in found if isinstance(f, str)] == []
        kinds = Counter(f.kind for f in found if isinstance(f, Event))
        assert kinds == {Kind.ISSUE: 16, Kind.COMMENT: 9, Kind.RELEASE: 10, Kind.IGNORED: 16}

    def test_every_other_official_example_is_left_alone_or_read_anew(self) -> None:
        others = [p for p in payloads.official() if p.event not in payloads.ACTED_ON]
        found = [outcome(p) for p in others]

        assert len(found) == 278
        assert {f.kind for f in found if isinstance(f, Event)} == {Kind.IGNORED, Kind.REPOSITORY}
        assert [f for f in found if isinstance(f, str)] == []

    def test_mutations_are_events_or_refused_with_the_place(self) -> None:
        found = [outcome(p) for p in payloads.mutated(MUTATIONS)]
        refused = [f for f in found if isinstance(f, str)]

        assert 500 < len(refused) < MUTATIONS - 500
        assert all(words.isprintable() and 5 < len(words) < 300 for words in refused)
        for event in found:
            if isinstance(event, Event):
                said = (event.action, event.repo, event.actor, event.updated_at, event.why)
                assert all(word.isprintable() and len(word) <= 201 for word in said)


@pytest.fixture
def anywhere(bot: Bot) -> Bot:
    """Whichever installation a payload names, this GitHub is asked."""
    bot.desk.threads = lambda repo, installation: bot.threads
    return bot


@pytest.mark.usefixtures("corpus")
class TestServed:
    def test_every_official_example_is_answered(self, anywhere: Bot) -> None:
        answers = [deliver(anywhere, p) for p in payloads.official()]

        assert {a.status for a in answers} == {200, 202}
        assert len(anywhere.deliveries) == sum(a.status == 202 for a in answers)
        anywhere.settle()  # repositories that are not there are asked for again, later and later
        assert anywhere.store.issues_due(anywhere.clock) == ()
        assert anywhere.done("failed") == 0
        assert anywhere.store.failed() == ()

    def test_mutations_are_answered_and_handled(self, anywhere: Bot) -> None:
        answers = [deliver(anywhere, p) for p in payloads.mutated(SERVED, seed=1)]

        assert {a.status for a in answers} == {200, 202, 400}
        anywhere.settle()
        assert anywhere.store.issues_due(anywhere.clock) == ()
        assert anywhere.done("failed") == 0
        assert anywhere.store.failed() == ()

    def test_an_official_example_about_an_issue_that_is_there_ends_in_its_comment(
        self, bot: Bot, report: Report
    ) -> None:
        number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
        for name, example in payloads.examples():
            if name in ("issues", "issue_comment") and "issue" in example:
                example = example | {
                    "repository": example["repository"]
                    | {"id": bot.repository.id, "full_name": bot.repository.full_name},
                    "issue": example["issue"] | {"number": number},
                    "installation": {"id": INSTALLATION},
                }
                assert deliver(bot, Payload(name, json.dumps(example).encode())).status in (200, 202)
        bot.settle()

        (body,) = bot.comments(number)
        assert "0.10.1" in body
        assert bot.done("failed") == 0
