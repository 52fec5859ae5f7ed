"""Changes that reach a release by other ways than ancestry."""

from __future__ import annotations

from pathlib import Path

from tests.upstream.conftest import at, traced
from tests.upstream.story import Story, part


def _released(story: Story, version: str, day: str) -> str:
    """A release branch from main, with its version and tag."""
    branch = f"rel-{version}"
    story.fork(branch)
    story.release(version, on=branch, day=day)
    return branch


def test_a_cherry_pick_is_found_by_its_patch_although_the_tag_does_not_contain_the_commit(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    _released(story, "1.0.0", "2026-01-10")
    fix = story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", story.heads["rel-1.0.0"])
    pick = story.pick(fix, on="rel-1.0.1", day="2026-01-21")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    _released(story, "1.1.0", "2026-02-10")
    trace = traced(folder, story, 7)
    component = trace.components[0]
    assert trace.state == "merged"
    assert trace.merged_at == "2026-01-20T12:00:00Z"
    assert (component.first_release, component.confidence) == ("1.0.1", "certain")
    assert component.releases == ("1.0.1", "1.1.0")
    assert trace.naive == "1.1.0"
    assert (story.sha[pick], "rel-1.0.1", "patch-id") in [(c.sha, c.branch, c.how) for c in trace.commits]


def test_a_pick_with_another_title_and_number_is_found_by_its_patch(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-21", subject="Backward compatible repair (#19)", keep_author=False)
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    found = at(traced(folder, story, 7), "1.0.1")
    assert (found.carried, found.how, found.confidence) == (True, "patch-id", "certain")


def test_a_pick_that_met_a_conflict_is_likely_by_its_title(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    story.pick(
        fix, on="rel-1.0.1", day="2026-01-21", files={"src/part7.c": part(7) + "// as before\n"}, keep_author=False
    )
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    found = at(traced(folder, story, 7), "1.0.1")
    assert (found.carried, found.how, found.confidence) == (True, "title", "likely")


def test_a_pick_under_another_title_with_conflicts_is_likely_by_its_author_and_lines(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    story.pick(
        fix, on="rel-1.0.1", day="2026-01-21", subject="Repair (#19)", files={"src/part7.c": part(7) + "// as before\n"}
    )
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    found = at(traced(folder, story, 7), "1.0.1")
    assert (found.carried, found.how, found.confidence) == (True, "author", "likely")


def test_a_title_whose_lines_are_not_there_decides_nothing(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    story.commit("Mend part 7 of the runtime (#7)", {"docs.md": part(99)}, day="2026-01-21", on="rel-1.0.1")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    _released(story, "1.1.0", "2026-02-10")
    trace = traced(folder, story, 7)
    assert at(trace, "1.0.1").carried is None
    assert (trace.components[0].first_release, trace.components[0].at_latest) == (None, "1.1.0")
    assert trace.components[0].how.startswith("unknown, at the latest in 1.1.0")


def test_a_pick_line_names_its_source(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-20")
    story.write(folder / "engine.git")
    story.fork("rel-1.0.1", 1)
    files = {"src/part7.c": part(7)[:-2] + "// kept\n}\n"}
    line = f"(cherry picked from commit {story.sha[fix]})"
    story.pick(fix, on="rel-1.0.1", day="2026-01-21", subject="Repair", body=line, files=dict(files), keep_author=False)
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    found = at(traced(folder, story, 7), "1.0.1")
    assert (found.carried, found.how) == (True, "pick-line")


def test_conflict_markers_that_were_committed_leave_a_release_undecided_until_they_are_gone(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    torn = f"<<<<<<< HEAD\nint old;\n=======\n{part(7)}>>>>>>> pick\n"
    story.pick(fix, on="rel-1.0.1", day="2026-01-21", files={"src/part7.c": torn})
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    story.fork("rel-1.0.2", story.heads["rel-1.0.1"])
    story.commit("remove merge conflict", {"src/part7.c": part(7)}, day="2026-01-23", on="rel-1.0.2")
    story.release("1.0.2", on="rel-1.0.2", day="2026-01-24")
    trace = traced(folder, story, 7)
    assert at(trace, "1.0.1").carried is None
    assert "conflict markers" in at(trace, "1.0.1").why
    assert at(trace, "1.0.2").carried is True


def test_a_fix_in_one_release_may_miss_the_next_two(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.fork("rel-1.1.0")
    story.fork("rel-1.2.0")
    fix = story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-21")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    story.release("1.1.0", on="rel-1.1.0", day="2026-01-25")
    story.release("1.2.0", on="rel-1.2.0", day="2026-01-28")
    _released(story, "1.3.0", "2026-02-10")
    component = traced(folder, story, 7).components[0]
    assert component.releases == ("1.0.1", "1.3.0")
    assert component.first_release == "1.0.1"


def test_a_squashed_round_is_opened_with_the_commits_of_its_pull_request(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fixes = [story.change(n, day="2026-01-20") for n in (7, 8, 9)]
    story.picks(*fixes, day="2026-01-21")
    last = story.commit('Revert "Mend part 8 of the runtime (#8)"', {"src/part8.c": None}, day="2026-01-21", on="picks")
    story.ref("refs/pull/30/head", last)
    story.squash("Patches for 1.0.1 (#30)", last, on="rel-1.0.1", day="2026-01-21")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    _released(story, "1.1.0", "2026-02-10")
    assert at(traced(folder, story, 7), "1.0.1").how == "patch-id in round #30"
    undone = traced(folder, story, 8)
    assert at(undone, "1.0.1").carried is False
    assert undone.components[0].releases == ("1.1.0",)
    assert undone.components[0].first_release == "1.1.0"


def test_numbers_in_the_body_of_a_squashed_round_count_where_their_lines_are_there(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    for n in (7, 8, 9):
        story.change(n, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    body = "Update the version and cherry pick these changes:\n\n#7 mend part 7\nMend part 8 (#8)\n#9 mend part 9\n"
    files = {f"src/part{n}.c": part(n) for n in (7, 8)}
    story.commit("1.0.1 cherry picks (#30)", files, day="2026-01-21", on="rel-1.0.1", body=body)
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    assert at(traced(folder, story, 7), "1.0.1")[1:4] == (True, "body", "likely")
    assert at(traced(folder, story, 8), "1.0.1").carried is True
    assert at(traced(folder, story, 9), "1.0.1").carried is None


def test_a_round_that_says_nothing_is_read_by_its_lines(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    for n in (7, 8):
        story.change(n, day="2026-01-20")
    half = part(9, 12).replace("step_9_1(", "other(").replace("step_9_2(", "other(")
    story.change(9, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    files = {"src/part7.c": part(7), "src/part9.c": half.replace("step_9_3(", "o(").replace("step_9_4(", "o(")}
    story.commit("Cherry-pick round 2 (#30)", files, day="2026-01-21", on="rel-1.0.1")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    assert at(traced(folder, story, 7), "1.0.1")[1:4] == (True, "content", "likely")
    assert at(traced(folder, story, 8), "1.0.1").carried is False
    assert at(traced(folder, story, 9), "1.0.1").carried is None


def test_a_merge_commit_names_its_pull_request(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.fork("topic")
    last = story.commit("work", {"src/part7.c": part(7)}, day="2026-01-19", on="topic")
    story.commit("Merge pull request #7 from ann/topic", {}, day="2026-01-20", merging=last)
    _released(story, "1.1.0", "2026-02-10")
    assert traced(folder, story, 7).components[0].first_release == "1.1.0"


def test_a_change_of_a_release_branch_alone_is_merged_there(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.fork("rel-1.0.1", 1)
    story.change(7, day="2026-01-20", on="rel-1.0.1")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    _released(story, "1.1.0", "2026-02-10")
    trace = traced(folder, story, 7)
    assert trace.state == "merged"
    assert trace.components[0].releases == ("1.0.1",)


def test_a_number_of_another_repository_in_a_title_is_no_pick(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    story.commit("Roll extensions to pick up a fix (#7) (#31)", {"deps.txt": "abc\n"}, day="2026-01-21", on="rel-1.0.1")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-22")
    assert at(traced(folder, story, 7), "1.0.1").carried is not True


def test_an_unknown_number_is_unknown(folder: Path) -> None:
    story = Story(VERSION_INFO="1.0.0\n")
    story.tag("v1.0.0", 1)
    trace = traced(folder, story, 404)
    assert (trace.state, trace.merged_at, trace.components[0].first_release) == ("unknown", None, None)
