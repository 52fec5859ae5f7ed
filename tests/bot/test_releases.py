"""Releases that GitHub tells of: of what is known they are looked at, of all else nothing is kept."""

from __future__ import annotations

from collections.abc import Callable

from bot.service.running import ingest
from bot.watched.events import Event, Kind
from bot.watching.told import told
from tests.bot.harness import Bot

Report = Callable[..., int]


def test_a_release_of_a_component_is_told_to_whoever_watches(bot: Bot) -> None:
    known = "microsoft/onnxruntime-genai"
    ingest(bot.desk, "1", Event(Kind.RELEASE, "published", known.upper(), 4711, object_id=5, actor="somebody"))
    bot.repository.create_git_release("v1.0.0", "Engine", "")
    bot.github.delivered()
    assert [d.event.kind for d in bot.deliveries] == [Kind.RELEASE]
    bot.settle()

    assert told(bot.store, known) is not None
    assert told(bot.store, bot.repository.full_name) is None
    (deed,) = bot.store.deeds(what="release")
    assert (deed.repo, deed.who) == (known, "somebody")
