"""What a forge says beside git: its days beat tags, pull requests speak where git is silent, contradictions show."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.upstream.reading import read_graph
from kb.graph.model import Trace
from kb.graph.published import ForgeFacts, Publication, PullState
from kb.graph.trace import Graph
from kb.model import Fix, FixKind, FixState, Knowledge, Problem, Status
from tests.upstream.conftest import at, carrier, known
from tests.upstream.story import Story, part

CHANGE = "acme/engine#7"
URL = "https://github.com/acme/engine"


def _publication(version: str, day: str, *, gone: bool = False, prerelease: bool = False) -> Publication:
    return Publication("acme/engine", f"v{version}", day, f"{URL}/releases/tag/v{version}", prerelease, gone)


def _pull(state: str, merged_at: str | None = None, base: str = "main", commit: str | None = None) -> PullState:
    return PullState(CHANGE, state, merged_at, base, commit, "Mend it", f"{URL}/pull/7")


def _graph(folder: Path, story: Story, *rows: Publication, pull: PullState | None = None) -> Graph:
    facts = ForgeFacts(rows, (pull,) if pull else ())
    read = read_graph(known(), {"acme/engine": str(story.write(folder / "engine.git"))}, facts=facts)
    assert read.failed == ()
    return read.graph


def _story(*, landed: bool = True) -> Story:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.fork("rel-1.0.0", 1)
    story.release("1.0.0", on="rel-1.0.0", day="2026-01-02")
    if landed:
        story.change(7, day="2026-01-05")
    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-02-01")
    return story


def test_a_publication_beats_the_day_of_its_tag(folder: Path) -> None:
    graph = _graph(folder, _story(), _publication("1.1.0", "2026-02-09"))
    assert graph.trace(CHANGE).components[0].released_at == "2026-02-09"
    assert graph.trace(CHANGE, "2026-02-05").components[0].releases == ()
    assert graph.trace(CHANGE, "2026-02-09").components[0].first_release == "1.1.0"


def test_a_publication_from_before_its_tag_is_shown_as_a_contradiction(folder: Path) -> None:
    trace = _graph(folder, _story(), _publication("1.1.0", "2026-01-20")).trace(CHANGE)
    assert "says published 2026-01-20, but what v1.1.0 is on was made 2026-02-01" in at(trace, "1.1.0").point.note


def test_a_publication_without_a_tag_is_a_release_of_unknown_contents(folder: Path) -> None:
    trace = _graph(folder, _story(), _publication("1.2.0", "2026-03-01")).trace(CHANGE)
    assert at(trace, "1.2.0").carried is None
    assert trace.components[0].unknown == ("1.2.0",)
    assert trace.components[0].first_release == "1.1.0"  # which came earlier


def test_a_publication_makes_a_branch_a_release(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.version("1.0.1", on="rel-1.0.1", day="2026-01-07")
    assert _graph(folder, story).trace(CHANGE).components[0].candidates == ("1.0.1",)
    component = _graph(folder, story, _publication("1.0.1", "2026-01-08")).trace(CHANGE).components[0]
    assert (component.first_release, component.released_at) == ("1.0.1", "2026-01-08")


def test_a_tag_without_a_publication_stays_a_release_and_one_taken_down_is_noted(folder: Path) -> None:
    trace = _graph(folder, _story(), _publication("1.1.0", "2026-02-09", gone=True)).trace(CHANGE)
    assert trace.components[0].released_at == "2026-02-01"
    assert "was taken down" in at(trace, "1.1.0").point.note


def test_a_mark_of_a_pre_release_is_noted(folder: Path) -> None:
    trace = _graph(folder, _story(), _publication("1.1.0", "2026-02-09", prerelease=True)).trace(CHANGE)
    assert "calls it a pre-release" in at(trace, "1.1.0").point.note


@pytest.mark.parametrize("state", ["open", "draft", "closed"])
def test_a_pull_request_speaks_where_git_is_silent(folder: Path, state: str) -> None:
    trace = _graph(folder, _story(landed=False), pull=_pull(state)).trace(CHANGE)
    assert (trace.state, trace.merged_at, trace.title) == (state, None, "Mend it")
    assert trace.components[0].releases == ()


def test_a_merge_to_another_branch_is_named_with_it(folder: Path) -> None:
    pull = _pull("merged", "2026-01-05T10:00:00Z", "feature", "c" * 40)
    trace = _graph(folder, _story(landed=False), pull=pull).trace(CHANGE)
    assert (trace.state, trace.merged_at) == ("merged", "2026-01-05T10:00:00Z")
    assert f"{URL}/pull/7 says merged into feature as ccccccccc, not main" in trace.notes
    assert _graph(folder, _story(landed=False), pull=pull).trace(CHANGE, "2026-01-04").state == "not-merged"


def test_a_commit_that_the_forge_names_is_found_whatever_its_title(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    landed = story.commit("Mend it", {"src/part7.c": part(7)}, day="2026-01-05")
    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-02-01")
    assert _graph(folder, story).trace(CHANGE).state == "unknown"
    pull = _pull("merged", "2026-01-05T12:00:00Z", "main", story.sha[landed])
    trace = _graph(folder, story, pull=pull).trace(CHANGE)
    assert (trace.state, trace.components[0].first_release) == ("merged", "1.1.0")


def _contradictions(trace: Trace) -> list[str]:
    return [n for n in trace.notes if n.startswith("contradiction")]


def test_equal_words_of_git_and_forge_are_one_and_others_are_shown(folder: Path) -> None:
    same = _graph(folder, _story(), pull=_pull("merged", "2026-01-05T12:00:00Z")).trace(CHANGE)
    assert _contradictions(same) == []
    closed = _graph(folder, _story(), pull=_pull("closed")).trace(CHANGE)
    assert closed.state == "merged"
    assert _contradictions(closed) == [
        f"contradiction: {URL}/pull/7 says that it is closed without a merge, git that it is part of main"
    ]
    later = _graph(folder, _story(), pull=_pull("merged", "2026-01-09T12:00:00Z")).trace(CHANGE)
    assert "says merged 2026-01-09T12:00:00Z, git says 2026-01-05T12:00:00Z" in _contradictions(later)[0]


def test_without_a_mirror_the_forge_and_the_record_answer() -> None:
    fix = Fix(FixKind.COMMIT, FixState.CANDIDATE, (CHANGE,))
    problem = Problem("torn", "Torn", "It is.", Status.CONFIRMED, (), (), fixes=(fix,))
    knowledge: Knowledge = known()._replace(problems=(problem,))
    for state in ("open", "closed"):
        assert Graph(knowledge, {}, (), ForgeFacts((), (_pull(state),))).trace(CHANGE).state == state
    merged = Graph(knowledge, {}, (), ForgeFacts((), (_pull("merged", "2026-01-05T12:00:00Z"),))).trace(CHANGE)
    assert (merged.state, merged.merged_at) == ("merged", "2026-01-05T12:00:00Z")
    assert Graph(knowledge, {}).trace(CHANGE).state == "unknown"


def test_a_product_release_that_only_the_forge_shows_carries_nothing_known(folder: Path) -> None:
    tool = carrier("tool", "v{version}")
    story = Story()
    files = {"deps.json": '{"engine": {"version": "1.0.0"}}\n'}
    story.tag("v3.0.0", story.commit("release", files, day="2026-01-04"))
    rows = tuple(
        Publication("acme/tool", f"v{v}", day, f"https://github.com/acme/tool/releases/tag/v{v}")
        for v, day in (("3.0.0", "2026-01-06"), ("3.1.0", "2026-02-06"))
    )
    path = str(story.write(folder / "tool.git"))
    graph = read_graph(known(tool), {"acme/tool": path}, facts=ForgeFacts(rows)).graph
    shown = {r.version: (r.date, r.stated) for r in graph.releases["tool"]}
    assert shown["3.0.0"] == ("2026-01-06", (("engine", "1.0.0", "acme/tool@v3.0.0:deps.json"),))
    assert shown["3.1.0"] == ("2026-02-06", ())
