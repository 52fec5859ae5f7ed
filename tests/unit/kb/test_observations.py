"""Statements of several sources as one: equal ones merged, contradicting ones undecided and shown."""

from __future__ import annotations

import pytest

from kb.delivery import bundled
from kb.graph.answer import has
from kb.graph.trace import Graph
from kb.loader import from_plain, to_plain
from kb.model import Delivery, Observed, Release
from kb.observations import Recorded, merged, newer
from kb.records import BundleRecord, EdgeRecord, ReleaseRecord
from tests.unit.kb.world import APP, CHANGE, ENGINE, problem, world

KNOWN = world(problem(), releases=(), deliveries=())
TAG = ReleaseRecord(APP, "0.10.1", "2026-06-20", None, "acme/app@v0.10.1")
PAGE = TAG._replace(version="v0.10.1", date="2026-06-22", source="https://github.com/acme/app/releases/tag/v0.10.1")
DEPS = BundleRecord(APP, "0.10.1", ENGINE, "0.14.1", "acme/app@v0.10.1:deps.json")
LOCK = DEPS._replace(source="acme/app@v0.10.1:app.lock")
EDGE = EdgeRecord(CHANGE, ENGINE, "0.14.1", True, "ancestry", "git acme/engine", "2026-06-02", "certain")
SAID = EDGE._replace(how="a maintainer says so", source="acme/engine#30")


def test_one_release_of_two_sources_is_one_row_with_the_day_of_publication() -> None:
    (row,) = merged(KNOWN, Recorded((TAG, PAGE), (DEPS, LOCK))).observed.releases
    assert (row.version, row.date, row.bundles) == ("0.10.1", "2026-06-22", ((ENGINE, "0.14.1"),))
    assert row.source == DEPS.source
    assert row.unsettled == ()


def test_sources_that_disagree_decide_nothing_and_are_both_shown() -> None:
    rows = Recorded((TAG,), (DEPS, LOCK._replace(component_version="0.15.0")))
    seen = merged(KNOWN, rows).observed
    assert seen.releases[0].bundles == ()
    assert seen.releases[0].unsettled == ((ENGINE, "0.14.1", DEPS.source), (ENGINE, "0.15.0", LOCK.source))
    # also over a file that knew only one of the two
    old = Observed((Release(APP, "0.10.1", None, ((ENGINE, "0.14.1"),), "earlier"),))
    known = KNOWN._replace(observed=newer(KNOWN, old, seen))
    assert bundled(known, APP, "0.10.1", ENGINE) is None
    answer = has(Graph(known, {}), APP, "0.10.1", problem())
    assert answer.answer == "unknown"
    assert f"{DEPS.source} says 0.14.1, {LOCK.source} says 0.15.0" in answer.why


def test_a_source_without_an_exact_version_contradicts_nobody() -> None:
    rows = Recorded((TAG,), (DEPS, LOCK._replace(component_version=None)))
    assert merged(KNOWN, rows).observed.releases[0].bundles == ((ENGINE, "0.14.1"),)


def test_equal_edges_are_one_and_contradicting_ones_are_undecided() -> None:
    (both,) = merged(KNOWN, Recorded(edges=(EDGE, SAID))).observed.deliveries
    assert (both.releases, both.unknown) == (("0.14.1",), ())
    (torn,) = merged(KNOWN, Recorded(edges=(EDGE, SAID._replace(carried=False)))).observed.deliveries
    assert (torn.releases, torn.unknown) == ((), ("0.14.1",))
    assert "git acme/engine says it carries the change" in torn.how
    assert "acme/engine#30 says it does not" in torn.how
    (told,) = merged(KNOWN, Recorded(edges=(EDGE, SAID._replace(carried=None)))).observed.deliveries
    assert told.releases == ("0.14.1",)


def _delivery(releases: tuple[str, ...], unknown: tuple[str, ...] = (), absent: tuple[str, ...] = ()) -> Delivery:
    return Delivery(CHANGE, ENGINE, releases, "somehow", unknown, absent)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (_delivery(("0.14.1",)), _delivery(("0.15.0",)), (("0.14.1", "0.15.0"), ())),
        (_delivery(("0.14.1", "0.15.0")), _delivery(("0.14.1",)), (("0.14.1", "0.15.0"), ())),
        (_delivery(("0.14.1", "0.15.0")), _delivery(("0.14.1",), absent=("0.15.0",)), (("0.14.1",), ())),
        (_delivery(("0.14.1",)), _delivery((), unknown=("0.14.1",)), ((), ("0.14.1",))),
        (_delivery((), unknown=("0.14.1",)), _delivery(("v0.14.1",)), (("v0.14.1",), ())),
    ],
)
def test_newer_rows_count_release_by_release(
    old: Delivery, new: Delivery, expected: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    made = newer(KNOWN, Observed(deliveries=(old,)), Observed(deliveries=(new,))).deliveries[0]
    assert (made.releases, made.unknown) == expected


def test_what_newer_rows_do_not_speak_of_stays() -> None:
    old = Observed((Release(APP, "0.9.0", "2026-04-10", ((ENGINE, "0.13.0"),), "file"),))
    seen = merged(KNOWN, Recorded((TAG, TAG._replace(version="0.9.0", date=None, source="elsewhere")))).observed
    made = {r.version: r for r in newer(KNOWN, old, seen).releases}
    assert made["0.9.0"] == old.releases[0]
    assert made["0.10.1"].date == "2026-06-20"


def test_the_cache_gives_back_what_it_was_given() -> None:
    seen = merged(KNOWN, Recorded((TAG,), (DEPS, LOCK._replace(component_version="0.15.0")), (EDGE,))).observed
    known = KNOWN._replace(observed=seen)
    assert from_plain(to_plain(known)) == known
