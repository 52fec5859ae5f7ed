"""A revert takes a change out although its commit stays an ancestor; the last word counts."""

from __future__ import annotations

from pathlib import Path

from tests.upstream.conftest import at, graph_of, traced
from tests.upstream.story import Story, part


def _released(story: Story, version: str, day: str) -> None:
    story.fork(f"rel-{version}")
    story.release(version, on=f"rel-{version}", day=day)


def test_a_revert_leaves_the_commit_an_ancestor_and_takes_the_change_out(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    story.change(7, day="2026-01-05")
    _released(story, "1.0.0", "2026-01-10")
    story.commit(
        'Revert "Mend part 7 of the runtime (#7)" (#8)',
        {"src/part7.c": None},
        day="2026-01-15",
        body="Reverts acme/engine#7",
    )
    _released(story, "1.1.0", "2026-01-20")
    trace = traced(folder, story, 7)
    assert trace.state == "reverted"
    assert trace.components[0].releases == ("1.0.0",)
    assert (at(trace, "1.1.0").carried, at(trace, "1.1.0").how) == (False, "reverted")
    assert trace.naive == "1.0.0"


def test_a_revert_that_names_only_the_commit_counts(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.write(folder / "engine.git")
    body = f"This reverts commit {story.sha[fix]}."
    story.commit('Revert "Mend part 7 of the runtime"', {"src/part7.c": None}, day="2026-01-15", body=body)
    _released(story, "1.1.0", "2026-01-20")
    assert at(traced(folder, story, 7), "1.1.0").carried is False


def test_a_revert_that_names_only_the_title_counts(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    story.change(7, day="2026-01-05")
    story.commit('Revert "Mend part 7 of the runtime" (#8)', {"src/part7.c": None}, day="2026-01-15")
    _released(story, "1.1.0", "2026-01-20")
    assert at(traced(folder, story, 7), "1.1.0").carried is False


def test_a_revert_of_a_revert_brings_the_change_back(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    story.change(7, day="2026-01-05")
    story.commit('Revert "Mend part 7 of the runtime (#7)" (#8)', {"src/part7.c": None}, day="2026-01-15")
    _released(story, "1.1.0", "2026-01-20")
    story.commit(
        'Revert "Revert "Mend part 7 of the runtime (#7)" (#8)" (#9)', {"src/part7.c": part(7)}, day="2026-01-25"
    )
    _released(story, "1.2.0", "2026-01-30")
    component = traced(folder, story, 7).components[0]
    assert component.releases == ("1.2.0",)


def test_reverts_that_name_only_commits_take_turns(folder: Path) -> None:
    """Each brings other lines, so that no patch speaks for it."""
    story = Story(VERSION_INFO="2.0.0-dev\n")
    last, title, held = story.change(7, day="2026-01-05"), "Mend part 7 of the runtime", True
    for n in range(1, 5):
        story.write(folder / "engine.git")
        title, held = f'Revert "{title}"', not held
        files = {"src/part7.c": part(7, 12 + n) if held else None}
        last = story.commit(title, files, day=f"2026-01-1{n}", body=f"This reverts commit {story.sha[last]}.")
        _released(story, f"1.{n}.0", f"2026-01-2{n}")
    trace = traced(folder, story, 7)
    assert trace.components[0].releases == ("1.2.0", "1.4.0")
    assert [at(trace, f"1.{n}.0").carried for n in (1, 3)] == [False, False]


def test_a_re_landing_under_a_new_number_brings_the_change_back(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    story.change(7, day="2026-01-05")
    story.commit('Revert "Mend part 7 of the runtime (#7)" (#8)', {"src/part7.c": None}, day="2026-01-15")
    story.commit('Reland "Mend part 7 of the runtime (#7)" (#9)', {"src/part7.c": part(7, 13)}, day="2026-01-25")
    _released(story, "1.2.0", "2026-01-30")
    trace = traced(folder, story, 7)
    assert trace.state == "merged"
    assert at(trace, "1.2.0").carried is True


def test_the_same_change_landed_again_with_the_same_patch_is_found(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    story.change(7, day="2026-01-05")
    story.commit('Revert "Mend part 7 of the runtime (#7)" (#8)', {"src/part7.c": None}, day="2026-01-15")
    story.commit("Mend part 7, second attempt (#9)", {"src/part7.c": part(7)}, day="2026-01-25")
    _released(story, "1.2.0", "2026-01-30")
    assert at(traced(folder, story, 7), "1.2.0").carried is True


def test_a_revert_on_main_leaves_the_release_branch_alone(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.commit('Revert "Mend part 7 of the runtime (#7)" (#8)', {"src/part7.c": None}, day="2026-01-07")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-08")
    _released(story, "1.1.0", "2026-01-20")
    component = traced(folder, story, 7).components[0]
    assert component.releases == ("1.0.1",)


def test_a_revert_of_a_whole_round_takes_all_its_picks_out(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    fixes = [story.change(n, day="2026-01-05") for n in (7, 8)]
    last = story.picks(*fixes, day="2026-01-06")
    story.ref("refs/pull/30/head", last)
    story.squash("Cherry-pick round 1 (#30)", last, on="rel-1.0.1", day="2026-01-06")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-08")
    story.fork("rel-1.0.2", story.heads["rel-1.0.1"])
    files = {"src/part7.c": None, "src/part8.c": None}
    story.commit('Revert "Cherry-pick round 1 (#30)" (#31)', files, day="2026-01-09", on="rel-1.0.2")
    story.release("1.0.2", on="rel-1.0.2", day="2026-01-10")
    trace = traced(folder, story, 7)
    assert trace.components[0].releases == ("1.0.1",)
    assert at(trace, "1.0.2").carried is False


def test_a_pick_that_is_reverted_inside_its_own_round_is_not_delivered_by_it(folder: Path) -> None:
    """The list of the round still names it."""
    story = Story(VERSION_INFO="2.0.0-dev\n")
    fixes = [story.change(n, day="2026-01-05") for n in (7, 8)]
    story.picks(*fixes, day="2026-01-06")
    last = story.commit('Revert "Mend part 8 of the runtime (#8)"', {"src/part8.c": None}, day="2026-01-06", on="picks")
    story.ref("refs/pull/30/head", last)
    story.squash("Round 1 (#30)", last, on="rel-1.0.1", day="2026-01-06", body="* #7\n* #8\n")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-08")
    graph = graph_of(folder, engine=story)
    assert graph.trace("acme/engine#7").components[0].releases == ("1.0.1",)
    undone = graph.trace("acme/engine#8")
    assert undone.components[0].releases == ()
    assert at(undone, "1.0.1").carried is False


def test_a_pick_whose_commit_is_reverted_inside_its_own_round_is_not_delivered_by_it(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    fixes = [story.change(n, day="2026-01-05") for n in (7, 8)]
    last = story.picks(*fixes, day="2026-01-06")
    story.write(folder / "engine.git")
    body = f"This reverts commit {story.sha[last]}."
    last = story.commit("It broke a test", {"src/part8.c": None}, day="2026-01-06", on="picks", body=body)
    story.ref("refs/pull/30/head", last)
    story.squash("Round 1 (#30)", last, on="rel-1.0.1", day="2026-01-06", body="* #7\n* #8\n")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-08")
    graph = graph_of(folder, engine=story)
    assert graph.trace("acme/engine#7").components[0].releases == ("1.0.1",)
    assert at(graph.trace("acme/engine#8"), "1.0.1").carried is not True


def test_a_revert_in_part_decides_nothing(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    story.change(7, day="2026-01-05")
    story.commit("Partially revert #7 (#8)", {"src/part7.c": part(7, 5)}, day="2026-01-15")
    _released(story, "1.1.0", "2026-01-20")
    assert at(traced(folder, story, 7), "1.1.0").carried is None


def test_a_title_that_begins_with_revert_and_names_nothing_takes_nothing_out(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    story.change(7, day="2026-01-05")
    story.commit("Revert removal of a list (#8)", {"list": "a\n"}, day="2026-01-15")
    _released(story, "1.1.0", "2026-01-20")
    assert at(traced(folder, story, 7), "1.1.0").carried is True
    assert at(traced(folder, story, 8), "1.1.0").carried is True
