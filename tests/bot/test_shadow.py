"""A signature in shadow on a stateful GitHub: seen, logged once, reviewed by maintainers' commands, and never said."""

from __future__ import annotations

from collections.abc import Callable

from bot.authoring.rule_life import life_of
from bot.knowledge import Known, load_known
from signatures.model import Stage
from tests.bot.harness import ALIASING, VERSION, Bot

SIGNATURE = "webgpu-buffer-usage-conflict"
PROBLEM = "webgpu-recurrent-state-buffer-aliasing"


def in_shadow() -> Known:
    known = load_known()
    signatures = (s._replace(stage=Stage.SHADOW) if s.id == SIGNATURE else s for s in known.catalogue.signatures)
    return known._replace(catalogue=known.catalogue._replace(signatures=tuple(signatures)))


def test_it_is_counted_and_reviewed_and_stands_in_no_comment(bot: Bot, report: Callable[..., int]) -> None:
    known = in_shadow()
    bot.desk.known = lambda: known
    first = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    second = report("WebGPU stops", ALIASING + VERSION)
    bot.settle()
    bot.say("other", first, "The same here.")
    bot.settle()

    assert bot.comments(first) == bot.comments(second) == []
    logged = bot.store.deeds(what="shadow")
    assert sorted(d.issue.partition("#")[2] for d in logged) == sorted(map(str, (first, second)))
    assert all(f"{SIGNATURE} is " in d.detail and PROBLEM in d.detail for d in logged)
    assert bot.store.open_sightings() == {}

    bot.say("maintainer", first, f"/triage known {PROBLEM}")
    bot.say("maintainer", second, f"/triage not {PROBLEM}")
    bot.settle()
    tally = life_of(bot.store, known.knowledge).tallies[SIGNATURE]
    name = bot.repository.full_name
    assert (tally.issues, tally.right, tally.wrong) == (2, (f"{name}#{first}",), (f"{name}#{second}",))
    assert bot.comments(second) == []
