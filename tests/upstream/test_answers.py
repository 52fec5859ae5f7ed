"""Boards, single answers and snapshots made from the delivery graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.upstream.observed_text import observed_text
from kb.exposure import exposures
from kb.graph.answer import has
from kb.graph.board import board
from kb.graph.observed import ObservedRows, named_changes, observed_rows, recorded
from kb.graph.trace import Graph, split_change
from kb.model import Affected, Delivery, Fix, FixKind, FixState, Knowledge, Observed, Problem, Release, Status
from tests.upstream.conftest import ENGINE, at, carrier, graph_of, known
from tests.upstream.story import Story, part

TOOL = carrier("tool", "v{version}")
TORN = Problem(
    "torn-buffer",
    "A buffer is torn",
    "It is.",
    Status.CONFIRMED,
    (),
    (),
    affected=(Affected("engine", introduced="1.0.0"),),
    fixes=(Fix(FixKind.COMMIT, FixState.RELEASED, ("acme/engine#7",)),),
)
DRIVER = TORN._replace(
    id="old-driver",
    affected=(),
    fixes=(Fix(FixKind.DRIVER, FixState.RELEASED, note="Install driver 5.", ref="https://example.org"),),
)
SECRET = TORN._replace(id="refuted-one", status=Status.REFUTED)


def _graph(folder: Path, problems: tuple[Problem, ...] = (TORN, DRIVER, SECRET)) -> Graph:
    """Engine 0.9.0 and 1.0.0 without the fix, 1.0.1 and 1.1.0 with it; tool 3.0.0 to 3.2.0 on them."""
    story = Story(VERSION_INFO="1.1.0-dev\n")
    for version, day in (("0.9.0", "2026-01-01"), ("1.0.0", "2026-01-02")):
        story.fork(f"rel-{version}", 1)
        story.release(version, on=f"rel-{version}", day=day)
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.1", story.heads["rel-1.0.0"])
    story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.version("1.0.1", on="rel-1.0.1", day="2026-01-07")
    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-02-01")
    tool = Story()
    rows = (("v2.9.0", "0.9.0", "2026-01-02"), ("v3.0.0", "1.0.0", "2026-01-04"), ("v3.1.0", "1.0.1", "2026-01-09"))
    for tag, version, day in rows:
        files = {"deps.json": f'{{"engine": {{"version": "{version}"}}}}\n'}
        tool.tag(tag, tool.commit(f"release {tag}", files, day=day))
    tool.tag("v3.2.0", tool.commit("release", {"deps.json": "{}"}, day="2026-02-09"))
    knowledge = known(ENGINE, TOOL)._replace(problems=problems)
    return graph_of(folder, knowledge, engine=story, tool=tool)


@pytest.mark.parametrize(
    ("product", "version", "day", "expected"),
    [
        ("tool", "2.9.0", None, "before"),
        ("tool", "3.0.0", None, "affected"),
        ("tool", "3.1.0", None, "fixed"),
        ("tool", "v3.1.0", None, "fixed"),
        ("tool", "3.2.0", None, "unknown"),
        ("tool", "9.0.0", None, "unknown"),
        ("tool", "latest", None, "unknown"),
        ("tool", "3.1.0", "2026-01-08", "unknown"),
        ("engine", "1.0.0", None, "affected"),
        ("engine", "1.0.1", None, "fixed"),
        ("engine", "1.1.0", None, "fixed"),
        ("engine", "7.0.0", None, "unknown"),
    ],
)
def test_one_version_has_one_answer(folder: Path, product: str, version: str, day: str | None, expected: str) -> None:
    answer = has(_graph(folder), product, version, TORN, day)
    assert answer.answer == expected, answer.why
    assert answer.why


def test_a_later_release_that_misses_the_fix_is_affected(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    for version in ("1.0.0", "1.1.0", "1.2.0"):
        story.fork(f"rel-{version}", 1)
    story.release("1.0.0", on="rel-1.0.0", day="2026-01-02")
    fix = story.change(7, day="2026-01-20")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-21")
    for version, day in (("1.0.1", "2026-01-22"), ("1.1.0", "2026-01-25"), ("1.2.0", "2026-01-28")):
        story.release(version, on=f"rel-{version}", day=day)
    story.fork("rel-1.3.0")
    story.release("1.3.0", on="rel-1.3.0", day="2026-02-10")
    graph = graph_of(folder, known()._replace(problems=(TORN,)), engine=story)
    told = {v: has(graph, "engine", v, TORN) for v in ("1.0.0", "1.0.1", "1.1.0", "1.2.0", "1.3.0", "1.4.0")}
    assert {v: a.answer for v, a in told.items()} == {
        "1.0.0": "affected",
        "1.0.1": "fixed",
        "1.1.0": "affected",
        "1.2.0": "affected",
        "1.3.0": "fixed",
        "1.4.0": "unknown",
    }
    assert told["1.1.0"].why == "1.1.0 was looked into and does not carry acme/engine#7"
    listed = exposures(graph, TORN)[0]
    assert (listed.ranges, listed.affected) == ((), ("1.0.0", "1.1.0", "1.2.0"))


def test_a_release_that_nothing_decides_is_an_unknown_answer(folder: Path) -> None:
    story = Story(VERSION_INFO="1.0.0\n")
    story.change(7, day="2026-01-05")
    story.commit("Partially revert #7 (#8)", {"src/part7.c": part(7, 5)}, day="2026-01-06")
    story.tag("v1.0.0", story.heads["main"])
    graph = graph_of(folder, known()._replace(problems=(TORN,)), engine=story)
    answer = has(graph, "engine", "1.0.0", TORN)
    assert answer.answer == "unknown"
    assert "not decided" in answer.why


def test_a_product_that_is_not_known_to_carry_the_component_is_unknown(folder: Path) -> None:
    other = TOOL._replace(id="other", layouts=(), repo=None)
    graph = Graph(known(ENGINE, other)._replace(problems=(TORN,)), {})
    assert has(graph, "other", "1.0.0", TORN).answer == "unknown"
    assert has(graph, "other", "1.0.0", DRIVER).why == "nothing says in which component the fault is"


def test_the_board_says_who_has_the_fix_and_who_waits(folder: Path) -> None:
    rows = board(_graph(folder), (TORN, DRIVER, SECRET), None, None, "2026-03-01")
    assert [r.problem for r in rows] == ["torn-buffer", "old-driver"]
    change = rows[0].changes[0]
    assert (change.state, change.component, change.first_release) == ("merged", "engine", "1.0.1")
    product = change.products[0]
    assert (product.first_fixed, product.first_fixed_at, product.waited) == ("3.1.0", "2026-01-09", 4)
    assert (product.affected, product.fixed, product.unknown) == (("3.0.0",), ("3.1.0",), ("3.2.0",))
    assert rows[1].remedies == ("driver (on the reporter's side): Install driver 5.",)


def test_the_board_of_a_day_counts_the_days_of_waiting(folder: Path) -> None:
    graph = _graph(folder)
    row = board(graph, (TORN,), "tool", "2026-01-08", "2026-03-01")[0].changes[0].products[0]
    assert (row.first_fixed, row.waited, row.waiting) == (None, 3, True)
    assert board(graph, (TORN,), "nothing", None, "2026-03-01")[0].changes[0].products == ()
    early = board(graph, (TORN,), "tool", "2026-01-04", "2026-03-01")[0].changes[0]
    assert (early.state, early.products[0].waited) == ("not-merged", None)


def _observed(graph: Graph, kept: Observed) -> ObservedRows:
    """The rows of the file, by what the repositories show."""
    rows = recorded(graph, named_changes(graph.knowledge))
    return observed_rows(graph.knowledge, kept, frozenset({("tool", "2.9.0")}), rows)


def test_a_snapshot_is_sorted_stable_and_says_where_it_was_read(folder: Path) -> None:
    graph = _graph(folder)
    stale = Observed(
        (
            Release("tool", "v3.0.0", None, (), "somewhere"),
            Release("model:m", "4", None, (), "acme/models#1", "2026-03-01"),
        ),
        (Delivery("other/repo#1", "engine", ("0.9.0",), "by hand"),),
    )
    rows = _observed(graph, stale)
    text = observed_text(rows)
    versions = [(r.product, r.version) for r in rows.rows.releases]
    assert versions == [
        *(("engine", v) for v in ("0.9.0", "1.0.0", "1.0.1", "1.1.0")),
        ("model:m", "4"),
        *(("tool", v) for v in ("3.0.0", "3.1.0", "3.2.0")),
    ]
    assert [d.change for d in rows.rows.deliveries] == ["acme/engine#7", "other/repo#1"]
    assert rows.rows.deliveries[0].releases == ("1.0.1", "1.1.0")
    assert 'source  = "acme/tool@v3.1.0:deps.json"' in text
    assert "# no tag; the branch rel-1.0.1 says 1.0.1" in text
    again = Graph(graph.knowledge._replace(observed=rows.rows), graph.histories)
    assert again.trace("acme/engine#7").components[0].releases == ("1.0.1", "1.1.0")
    assert observed_text(_observed(graph, rows.rows)) == text


def test_what_was_recorded_and_is_contradicted_now_is_shown_and_undecided(folder: Path) -> None:
    recorded = Observed(deliveries=(Delivery("acme/engine#7", "engine", ("0.9.0", "1.1.0", "2.0.0"), "by hand"),))
    graph = _graph(folder)
    graph = Graph(graph.knowledge._replace(observed=recorded), graph.histories)
    component = graph.trace("acme/engine#7").components[0]
    assert component.unknown == ("0.9.0",)
    assert "by hand" in component.contradictions[0]
    assert "2.0.0" in component.releases  # seen earlier, and the repository shows it no more
    assert component.first_release is None


def test_a_change_that_carries_a_branch_back_to_main_may_have_been_there_before(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.fork("rel-1.0.1", 1)
    story.commit("Repair the build (#20)", {"build": part(20)}, day="2026-01-05", on="rel-1.0.1")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-06")
    files = {"build": part(20), "more": part(21)}
    story.commit("Cherry-pick changes from rel-1.0.1 back to main (#22)", files, day="2026-01-09")
    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-02-01")
    trace = graph_of(folder, engine=story).trace("acme/engine#22")
    assert at(trace, "1.0.1").carried is None
    assert trace.components[0].at_latest == "1.1.0"


def test_a_revert_beside_a_pick_on_lines_that_were_merged_later_decides_nothing(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("topic", fix)
    last = story.commit('Revert "Mend part 7 of the runtime (#7)"', {"src/part7.c": None}, day="2026-01-06", on="topic")
    story.commit("Mend part 7, second attempt (#9)", {"src/part7.c": part(7) + "// more\n"}, day="2026-01-07")
    story.commit('Reapply "Mend part 7 of the runtime (#7)"', {"note": "x\n"}, day="2026-01-07")
    story.commit("Merge branch topic", {}, day="2026-01-08", merging=last)
    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-02-01")
    assert at(graph_of(folder, engine=story).trace("acme/engine#7"), "1.1.0").carried is None


def test_a_round_that_was_changed_after_its_picks_is_believed_less(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fixes = [story.change(n, day="2026-01-05") for n in (7, 8)]
    last = story.picks(*fixes, day="2026-01-06")
    story.ref("refs/pull/30/head", last)
    story.commit("Patches (#30)", {"src/part7.c": part(7), "README": "less\n"}, day="2026-01-06", on="rel-1.0.1")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-08")
    graph = graph_of(folder, engine=story)
    assert at(graph.trace("acme/engine#7"), "1.0.1")[1:4:2] == (True, "likely")
    assert at(graph.trace("acme/engine#8"), "1.0.1").carried is None


def test_a_commit_is_traced_by_the_beginning_of_its_name(folder: Path) -> None:
    story = Story(VERSION_INFO="1.0.0\n")
    direct = story.commit("a direct push", {"x": part(3)}, day="2026-01-03")
    story.tag("v1.0.0", story.change(7, day="2026-01-05"))
    graph = graph_of(folder, engine=story)
    assert graph.trace(f"acme/engine@{story.sha[direct][:8]}").components[0].releases == ("1.0.0",)
    assert graph.trace("acme/engine@0123456789").state == "unknown"


def test_of_a_change_that_is_not_known_no_release_is_called_affected(folder: Path) -> None:
    trace = _graph(folder).trace("acme/engine#404")
    assert trace.products[0].affected == ()
    assert trace.components[0].confidence == "unknown"


@pytest.mark.parametrize(
    "text", ["", "acme", "acme/engine", "acme/engine#", "a/b/c#1", "acme/engine@xyz", "acme/engine#1x"]
)
def test_what_is_no_change_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no change"):
        split_change(text)


def test_knowledge_without_products_has_an_empty_board() -> None:
    assert board(Graph(Knowledge((), (), Observed()), {}), (), None, None, "2026-01-01") == ()
