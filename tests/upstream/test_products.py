"""Which release of a product carries which release of a component, and so which has a fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.graph.model import ProductTrace
from kb.model import Affected, Bundle, Fix, FixKind, FixState, Layout, Observed, Problem, Release, Status
from tests.upstream.conftest import ENGINE, carrier, graph_of, known
from tests.upstream.story import Story

TOOL = carrier("tool", "v{version}")


@pytest.fixture
def engine() -> Story:
    """1.0.0 without the fix, 1.0.1 and 1.1.0 with it, 1.0.2 without."""
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.fork("rel-1.0.0", 1)
    story.release("1.0.0", on="rel-1.0.0", day="2026-01-02")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.2", story.heads["rel-1.0.0"])
    story.fork("rel-1.0.1", story.heads["rel-1.0.0"])
    story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-07")
    story.release("1.0.2", on="rel-1.0.2", day="2026-01-08")
    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-02-01")
    return story


def pins(*rows: tuple[str, str | None, str]) -> Story:
    """A product: (tag, pinned version or None for no manifest, day)."""
    story = Story()
    for tag, version, day in rows:
        text = None if version is None else f'{{"engine": {{"version": "{version}"}}}}\n'
        story.tag(tag, story.commit(f"release {tag}", {"deps.json": text}, day=day))
    return story


def of_tool(
    folder: Path, engine: Story, tool: Story, observed: Observed | None = None, problem: Problem | None = None
) -> ProductTrace:
    knowledge = known(ENGINE, TOOL, observed=observed)
    if problem is not None:
        knowledge = knowledge._replace(problems=(problem,))
    trace = graph_of(folder, knowledge, engine=engine, tool=tool).trace("acme/engine#7")
    return next(p for p in trace.products if p.product == "tool")


def test_a_product_is_fixed_by_the_release_that_it_pins_and_not_by_its_size(folder: Path, engine: Story) -> None:
    tool = pins(
        ("v3.0.0", "1.0.0", "2026-01-04"),
        ("v3.1.0", "1.0.1", "2026-01-09"),
        ("v3.2.0", "1.0.2", "2026-01-20"),
        ("v4.0.0", "1.0.0", "2026-02-05"),
        ("v4.1.0", "1.1.0", "2026-02-10"),
    )
    found = of_tool(folder, engine, tool)
    assert found.fixed == ("3.1.0", "4.1.0")
    assert found.affected == ("3.0.0", "3.2.0", "4.0.0")
    assert (found.first_fixed, found.first_fixed_at) == ("3.1.0", "2026-01-09")


def test_a_pin_of_a_pre_release_or_of_an_unseen_release_is_unknown(folder: Path, engine: Story) -> None:
    tool = pins(
        ("v3.0.0", "1.1.0-rc1", "2026-01-20"), ("v3.1.0", "9.9.9", "2026-01-21"), ("v3.2.0", "1.1.0", "2026-02-10")
    )
    found = of_tool(folder, engine, tool)
    assert found.unknown == ("3.0.0", "3.1.0")
    assert (found.first_fixed, found.at_latest) == (None, "3.2.0")


def test_a_release_from_before_the_merge_does_not_make_the_first_one_unknown(folder: Path, engine: Story) -> None:
    tool = pins(("v2.0.0", None, "2026-01-03"), ("v3.1.0", "1.0.1", "2026-01-09"))
    found = of_tool(folder, engine, tool)
    assert found.unknown == ("2.0.0",)
    assert found.first_fixed == "3.1.0"


def test_a_manifest_that_is_missing_at_one_tag_leaves_that_release_unknown(folder: Path, engine: Story) -> None:
    tool = pins(("v3.0.0", None, "2026-01-09"), ("v3.1.0", "1.0.1", "2026-01-10"))
    found = of_tool(folder, engine, tool)
    assert found.unknown == ("3.0.0",)
    assert (found.first_fixed, found.at_latest) == (None, "3.1.0")
    assert ("3.0.0", "unknown", "deps.json is missing at v3.0.0") in found.carries


def test_a_stale_manifest_is_contradicted_by_what_was_recorded(folder: Path, engine: Story) -> None:
    row = Release("tool", "3.0.0", "2026-01-09", (("engine", "1.0.1"),), "https://example.org/notes")
    found = of_tool(folder, engine, pins(("v3.0.0", "1.0.0", "2026-01-09")), Observed((row,)))
    assert found.unknown == ("3.0.0",)
    assert len(found.contradictions) == 1
    assert "says 1.0.0" in found.contradictions[0]
    assert "https://example.org/notes says 1.0.1" in found.contradictions[0]


def test_equal_statements_of_two_sources_are_one(folder: Path, engine: Story) -> None:
    row = Release("tool", "v3.0.0", "2026-01-09", (("engine", "1.0.1"),), "https://example.org/notes")
    found = of_tool(folder, engine, pins(("v3.0.0", "1.0.1", "2026-01-09")), Observed((row,)))
    assert (found.fixed, found.contradictions) == (("3.0.0",), ())


def test_two_manifests_that_disagree_are_both_shown(folder: Path, engine: Story) -> None:
    bundles = tuple(Bundle("engine", f"{at}/deps.json", "/engine/version") for at in ("sdk", "sdk_v2"))
    tool_product = TOOL._replace(layouts=(Layout("v{version}", bundles=bundles),))
    tool = Story()
    files = {
        f"{at}/deps.json": f'{{"engine": {{"version": "{v}"}}}}' for at, v in (("sdk", "1.0.0"), ("sdk_v2", "1.1.0"))
    }
    tool.tag("v3.0.0", tool.commit("release", files, day="2026-02-09"))
    graph = graph_of(folder, known(ENGINE, tool_product), engine=engine, tool=tool)
    found = graph.trace("acme/engine#7").products[0]
    assert found.unknown == ("3.0.0",)
    assert "sdk/deps.json says 1.0.0" in found.contradictions[0]
    assert "sdk_v2/deps.json says 1.1.0" in found.contradictions[0]


def test_the_layout_of_a_version_names_its_manifest(folder: Path, engine: Story) -> None:
    old, new = (Bundle("engine", f"{at}/deps.json", "/engine/version") for at in ("sdk", "sdk_v2"))
    layouts = (Layout("v{version}", None, "2.0.0", (old,)), Layout("v{version}", "2.0.0", None, (new,)))
    tool = Story()
    files = {
        f"{at}/deps.json": f'{{"engine": {{"version": "{v}"}}}}' for at, v in (("sdk", "1.0.0"), ("sdk_v2", "1.1.0"))
    }
    mark = tool.commit("release", files, day="2026-02-09")
    tool.tag("v1.9.0", mark)
    tool.tag("v2.0.0", mark)
    graph = graph_of(folder, known(ENGINE, TOOL._replace(layouts=layouts)), engine=engine, tool=tool)
    found = graph.trace("acme/engine#7").products[0]
    assert (found.affected, found.fixed, found.unknown) == (("1.9.0",), ("2.0.0",), ())


def test_a_pin_shows_that_an_untagged_branch_was_released(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.version("1.0.1", on="rel-1.0.1", day="2026-01-07")
    knowledge = known(ENGINE, TOOL)
    graph = graph_of(folder, knowledge, engine=story, tool=pins(("v3.1.0", "1.0.1", "2026-01-09")))
    trace = graph.trace("acme/engine#7")
    component = trace.components[0]
    assert (component.first_release, component.released_at) == ("1.0.1", "2026-01-09")
    assert trace.products[0].first_fixed == "3.1.0"


def test_releases_from_before_the_fault_are_not_affected(folder: Path, engine: Story) -> None:
    problem = Problem(
        "torn-buffer",
        "A buffer is torn",
        "It is.",
        Status.CONFIRMED,
        (),
        (),
        affected=(Affected("engine", introduced="1.0.2"),),
        fixes=(Fix(FixKind.COMMIT, FixState.RELEASED, ("acme/engine#7",)),),
    )
    tool = pins(("v3.0.0", "1.0.0", "2026-01-04"), ("v3.2.0", "1.0.2", "2026-01-20"), ("v4.1.0", "1.1.0", "2026-02-10"))
    found = of_tool(folder, engine, tool, problem=problem)
    assert (found.before, found.affected, found.fixed) == (("3.0.0",), ("3.2.0",), ("4.1.0",))


def test_without_a_mirror_the_recorded_rows_answer(folder: Path) -> None:
    from kb.graph.trace import Graph
    from kb.model import Delivery

    rows = (
        Release("engine", "1.0.0", "2026-01-02", (), "acme/engine@v1.0.0"),
        Release("engine", "1.0.1", "2026-01-07", (), "acme/engine@v1.0.1"),
        Release("tool", "3.0.0", "2026-01-04", (("engine", "1.0.0"),), "acme/tool@v3.0.0"),
        Release("tool", "3.1.0", "2026-01-09", (("engine", "1.0.1"),), "acme/tool@v3.1.0"),
    )
    observed = Observed(rows, (Delivery("acme/engine#7", "engine", ("1.0.1",), "seen"),))
    graph = Graph(known(ENGINE, TOOL, observed=observed), {})
    trace = graph.trace("acme/engine#7")
    assert trace.components[0].first_release == "1.0.1"
    assert (trace.products[0].affected, trace.products[0].fixed) == (("3.0.0",), ("3.1.0",))
    assert graph.trace("acme/engine#7", "2026-01-08").products[0].fixed == ()
