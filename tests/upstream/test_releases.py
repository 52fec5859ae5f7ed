"""Which refs are releases, and what they contain."""

from __future__ import annotations

from pathlib import Path

from kb.model import Layout, Observed, Release, Scheme
from tests.upstream.conftest import ENGINE, at, carrier, graph_of, known, traced
from tests.upstream.story import Story


def test_a_tag_on_a_commit_whose_version_file_says_otherwise_is_replaced_by_its_branch(folder: Path) -> None:
    story = Story(VERSION_INFO="1.3.0-dev\n")
    story.fork("rel-1.2.2")
    fix = story.change(7, day="2026-01-05")
    picked = story.change(8, day="2026-01-06")
    story.pick(picked, on="rel-1.2.2", day="2026-01-07")
    story.version("1.2.2", on="rel-1.2.2", day="2026-01-08")
    story.tag("v1.2.2", picked)
    story.fork("rel-1.3.0")
    story.release("1.3.0", on="rel-1.3.0", day="2026-02-01")
    trace = traced(folder, story, 7)
    assert trace.naive == "1.2.2"
    assert trace.components[0].releases == ("1.3.0",)
    assert "says 1.3.0-dev" in at(trace, "1.2.2").point.note
    assert any("v1.2.2" in note for note in trace.notes)
    assert at(traced(folder, story, 8), "1.2.2").carried is True
    assert fix


def test_a_misplaced_tag_without_a_branch_leaves_its_release_undecided(folder: Path) -> None:
    story = Story(VERSION_INFO="1.3.0-dev\n")
    story.tag("v1.2.2", story.change(7, day="2026-01-05"))
    story.fork("rel-1.3.0")
    story.release("1.3.0", on="rel-1.3.0", day="2026-02-01")
    component = traced(folder, story, 7).components[0]
    assert component.unknown == ("1.2.2",)
    assert (component.first_release, component.at_latest) == (None, "1.3.0")


def test_a_branch_without_tag_or_pin_is_no_release(folder: Path) -> None:
    story = Story(VERSION_INFO="1.3.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.2.1", 1)
    story.pick(fix, on="rel-1.2.1", day="2026-01-06")
    story.version("1.2.1", on="rel-1.2.1", day="2026-01-07")
    story.fork("rel-1.3.0")
    story.release("1.3.0", on="rel-1.3.0", day="2026-02-01")
    component = traced(folder, story, 7).components[0]
    assert component.releases == ("1.3.0",)
    assert component.candidates == ("1.2.1",)
    assert (component.first_release, component.at_latest) == (None, "1.3.0")
    assert "nothing shows that it was released" in component.how


def test_a_recorded_release_makes_its_branch_one(folder: Path) -> None:
    story = Story(VERSION_INFO="1.3.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.2.1", 1)
    story.pick(fix, on="rel-1.2.1", day="2026-01-06")
    story.version("1.2.1", on="rel-1.2.1", day="2026-01-07")
    row = Release("engine", "1.2.1", "2026-01-09", (), "https://example.org/releases")
    trace = traced(folder, story, 7, known(ENGINE, observed=Observed((row,))))
    assert trace.components[0].first_release == "1.2.1"


def test_commits_after_the_version_of_an_untagged_branch_are_undecided(folder: Path) -> None:
    story = Story(VERSION_INFO="1.3.0-dev\n")
    early, late = (story.change(n, day="2026-01-05") for n in (7, 8))
    story.fork("rel-1.2.1", 1)
    story.pick(early, on="rel-1.2.1", day="2026-01-06")
    story.version("1.2.1", on="rel-1.2.1", day="2026-01-07")
    story.pick(late, on="rel-1.2.1", day="2026-01-20")
    row = Release("engine", "1.2.1", "2026-01-09", (), "https://example.org/releases")
    knowledge = known(ENGINE, observed=Observed((row,)))
    assert at(traced(folder, story, 7, knowledge), "1.2.1").carried is True
    assert at(traced(folder, story, 8, knowledge), "1.2.1").carried is None


def test_what_a_branch_has_beyond_its_tag_is_in_no_release(folder: Path) -> None:
    story = Story(VERSION_INFO="1.3.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.2.1", 1)
    story.release("1.2.1", on="rel-1.2.1", day="2026-01-06")
    story.pick(fix, on="rel-1.2.1", day="2026-01-08")
    trace = traced(folder, story, 7)
    assert trace.components[0].releases == ()
    assert at(trace, "1.2.1").carried is False


def test_a_tag_that_moved_leaves_undecided_what_its_two_places_differ_in(folder: Path) -> None:
    story = Story(VERSION_INFO="1.0.0\n")
    first = story.change(6, day="2026-01-03")
    story.tag("v1.0.0", first)
    traced(folder, story, 6)
    story.tag("v1.0.0", story.change(7, day="2026-01-05"))
    trace = traced(folder, story, 7)
    assert at(trace, "1.0.0").carried is None
    assert "moved" in at(trace, "1.0.0").point.note
    assert at(traced(folder, story, 6), "1.0.0").carried is True


def test_a_branch_that_was_deleted_is_remembered(folder: Path) -> None:
    story = Story(VERSION_INFO="1.3.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.2.1", 1)
    story.pick(fix, on="rel-1.2.1", day="2026-01-06")
    story.version("1.2.1", on="rel-1.2.1", day="2026-01-07")
    row = Release("engine", "1.2.1", "2026-01-09", (), "https://example.org/releases")
    knowledge = known(ENGINE, observed=Observed((row,)))
    assert traced(folder, story, 7, knowledge).components[0].first_release == "1.2.1"
    (folder / "engine.git" / "refs" / "heads" / "rel-1.2.1").unlink()
    from bot.upstream.reading import read_graph

    graph = read_graph(knowledge, {"acme/engine": str(folder / "engine.git")}).graph
    trace = graph.trace("acme/engine#7")
    assert trace.components[0].first_release == "1.2.1"
    assert "deleted since" in at(trace, "1.2.1").point.note


def test_tags_of_another_family_are_no_releases(folder: Path) -> None:
    story = Story(VERSION_INFO="1.0.0\n")
    story.tag("tools-v9.0.0", story.change(7, day="2026-01-05"))
    story.tag("n9.1.0", story.heads["main"])
    story.tag("v9.2.0-tools/linux", story.heads["main"])
    story.tag("v1.0.0", story.change(8, day="2026-01-06"))
    trace = traced(folder, story, 7)
    assert [c.point.version for c in trace.components[0].carriages] == ["1.0.0"]


def test_two_products_of_one_repository_each_read_their_own_tags(folder: Path) -> None:
    cli, kit = carrier("cli", "cli-{version}"), carrier("kit", "v{version}")
    tool = Story(**{"deps.json": '{"engine": {"version": "1.0.0"}}'})
    tool.tag("cli-0.1.0", 1)
    tool.tag("v5.0.0", tool.commit("bump", {"deps.json": '{"engine": {"version": "1.1.0"}}'}, day="2026-02-20"))
    graph = graph_of(folder, known(ENGINE, cli, kit), tool=tool)
    assert [r.version for r in graph.releases["cli"]] == ["0.1.0"]
    assert [(r.version, r.stated[0][1]) for r in graph.releases["kit"]] == [("5.0.0", "1.1.0")]


def test_a_pre_release_is_never_named_as_the_first_release(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.change(7, day="2026-01-05")
    story.fork("rel-1.1.0")
    story.release("1.1.0-rc1", on="rel-1.1.0", day="2026-01-10")
    story.release("1.1.0", on="rel-1.1.0", day="2026-01-20")
    component = traced(folder, story, 7).components[0]
    assert component.releases == ("1.1.0-rc1", "1.1.0")
    assert component.first_release == "1.1.0"


def test_releases_that_came_out_of_order_are_first_by_their_day(folder: Path) -> None:
    story = Story(VERSION_INFO="2.0.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.5.0")
    story.release("1.5.0", on="rel-1.5.0", day="2026-01-10")
    story.fork("rel-1.4.1", 1)
    story.pick(fix, on="rel-1.4.1", day="2026-02-01")
    story.release("1.4.1", on="rel-1.4.1", day="2026-02-02")
    component = traced(folder, story, 7).components[0]
    assert component.releases == ("1.4.1", "1.5.0")
    assert component.first_release == "1.5.0"


def test_a_rebuild_is_a_release_of_its_own(folder: Path) -> None:
    engine = ENGINE._replace(scheme=Scheme.REBUILD, layouts=(Layout("v{version}"),))
    story = Story()
    story.tag("v0.17.0", story.change(6, day="2026-01-03"))
    story.tag("v0.17.0-1", story.change(7, day="2026-01-05"))
    component = traced(folder, story, 7, known(engine)).components[0]
    assert component.releases == ("0.17.0-1",)


def test_a_version_file_that_is_missing_at_a_tag_lowers_the_confidence(folder: Path) -> None:
    story = Story()
    story.tag("v1.0.0", story.change(7, day="2026-01-05"))
    component = traced(folder, story, 7).components[0]
    assert (component.first_release, component.confidence) == ("1.0.0", "likely")


def test_a_day_hides_what_was_released_later(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.change(7, day="2026-01-05")
    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-01-20")
    graph = graph_of(folder, engine=story)
    assert graph.trace("acme/engine#7", "2026-01-04").state == "not-merged"
    assert graph.trace("acme/engine#7", "2026-01-19").components[0].first_release is None
    assert graph.trace("acme/engine#7", "2026-01-20").components[0].first_release == "1.1.0"
