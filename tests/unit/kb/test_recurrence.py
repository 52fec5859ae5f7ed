"""When sightings dispute a fix, and what a dispute changes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kb.graph.answer import has
from kb.graph.board import board
from kb.graph.trace import Graph
from kb.model import Dispute, Knowledge, Verdict
from kb.records import Seen, SightingRecord
from kb.recurrence import disputes
from kb.verdict import fix_verdict
from tests.unit.kb.world import APP, ENGINE, SDK, problem, stated, world

PROBLEM = problem()
LATE = datetime(2026, 8, 1, tzinfo=UTC)
ROW = SightingRecord("buffer-conflict", PROBLEM.id, "certain", "d", APP, "0.10.1", ENGINE, "0.14.1", "not-explained")


def seen(reporter: str | None, row: SightingRecord = ROW, **more: object) -> Seen:
    made = Seen(f"acme/app#{abs(hash(reporter)) % 90}", reporter, False, LATE, True, row)
    return made._replace(**more)  # type: ignore[arg-type]


def disputed(*rows: Seen, knowledge: Knowledge | None = None) -> list[tuple[str, str, str]]:
    found = disputes(knowledge or world(PROBLEM), rows)
    return [(d.problem, d.product, d.version) for d in found]


HERE = [(PROBLEM.id, APP, "0.10.1")]


def test_two_reporters_dispute_a_version_that_should_have_the_fix() -> None:
    assert disputed(seen("ann"), seen("ben")) == HERE
    assert disputed(seen("ann")) == []


def test_one_person_counts_once_however_often_and_however_written() -> None:
    assert disputed(seen("ann", issue="acme/app#1"), seen("Ann", issue="acme/app#2")) == []
    assert disputed(seen("ann"), seen(None), seen(None)) == []


def test_one_maintainer_is_enough_and_may_say_it_of_anothers_report() -> None:
    assert disputed(seen("jo", maintainer=True)) == HERE
    assert disputed(seen("ann", confirmed=True)) == HERE
    assert disputed(seen("ann", refused=True), seen("ben")) == []


@pytest.mark.parametrize(
    "row",
    [
        ROW._replace(certainty="likely"),
        ROW._replace(component_version="0.13.0", product_version="0.9.0"),  # from before the fault
        ROW._replace(component_version="0.14.0", product_version="0.10.0"),  # affected
        ROW._replace(component_version="0.14.9"),  # nobody knows
        ROW._replace(component_version="nonsense"),
        ROW._replace(component_version=None),
        ROW._replace(component="other", component_version="0.14.1"),
        ROW._replace(problem="another"),
        ROW._replace(problem=None),
    ],
)
def test_what_disputes_nothing(row: SightingRecord) -> None:
    assert disputed(seen("ann", row), seen("ben", row)) == []


def test_a_word_from_before_the_release_disputes_nothing() -> None:
    early = datetime(2026, 6, 21, 23, tzinfo=UTC)  # 0.10.1 came out on the 22nd
    assert disputed(seen("ann", last_post_at=early), seen("ben")) == []
    on_the_day = datetime(2026, 6, 22, 1, tzinfo=UTC)
    assert disputed(seen("ann", last_post_at=on_the_day), seen("ben", last_post_at=None)) == HERE


def test_versions_are_disputed_one_by_one() -> None:
    other = ROW._replace(product_version="0.10.2")
    assert disputed(seen("ann"), seen("ben", other)) == []
    assert disputed(seen("ann"), seen("ben", ROW._replace(product_version="v0.10.1"))) == HERE
    bare = ROW._replace(product=None, product_version=None)
    assert disputed(seen("ann", bare), seen("ben", bare)) == [(PROBLEM.id, ENGINE, "0.14.1")]


@pytest.mark.parametrize(
    ("rows", "since"),
    [
        ((seen("ann"), seen("ben", last_post_at=LATE.replace(day=3)), seen("cy", last_post_at=LATE.replace(day=9))), 3),
        ((seen("ann"), seen("Ann", last_post_at=LATE.replace(day=3)), seen("cy", last_post_at=LATE.replace(day=9))), 9),
        ((seen("ann"), seen("jo", maintainer=True, last_post_at=LATE.replace(day=2))), 2),
        ((seen("ann", confirmed=True), seen("ben", last_post_at=LATE.replace(day=9))), 1),
        ((seen("ann"), seen("ben", last_post_at=None)), None),
    ],
)
def test_a_dispute_begins_when_enough_has_been_said(rows: tuple[Seen, ...], since: int | None) -> None:
    (dispute,) = disputes(world(PROBLEM), rows)
    assert dispute.since == (since and f"2026-08-{since:02}")


def _with(*rows: Dispute) -> Knowledge:
    known = world(PROBLEM)
    return known._replace(observed=known.observed._replace(disputes=rows))


IN_APP = Dispute(PROBLEM.id, APP, "0.10.1", "seen in 0.10.1 all the same")
IN_ENGINE = Dispute(PROBLEM.id, ENGINE, "0.14.1", "seen in 0.14.1 all the same")


def test_a_day_hides_the_disputes_of_later_days() -> None:
    known = _with(IN_APP._replace(since="2026-08-03"))
    reporter = stated((APP, "0.10.1"))
    for day, disputed_then in ((None, True), ("2026-08-03", True), ("2026-08-02", False)):
        fix = fix_verdict(PROBLEM, known, reporter, (), day)
        assert (fix.verdict, fix.disputed) == (Verdict.NOT_EXPLAINED, disputed_then)
        graph = Graph(known, {})
        assert has(graph, APP, "0.10.1", PROBLEM, day).answer == ("disputed" if disputed_then else "fixed")
        (row,) = board(graph, (PROBLEM,), None, day, "2026-12-01")
        assert bool(row.disputes) is disputed_then


def test_disputes_are_found_anew_whatever_was_disputed_before() -> None:
    rows = (seen("ann"), seen("ben"))
    assert disputed(*rows, knowledge=_with(IN_APP, IN_ENGINE)) == HERE
    assert disputed(seen("ann"), knowledge=_with(IN_APP)) == []


def test_a_reporter_of_a_disputed_version_is_told_so_and_never_to_upgrade_to_it() -> None:
    known = _with(IN_APP)
    fix = fix_verdict(PROBLEM, known, stated((APP, "0.10.1")), ())
    assert (fix.verdict, fix.disputed, fix.excludes) == (Verdict.NOT_EXPLAINED, True, False)
    assert fix.note == IN_APP.why
    before = fix_verdict(PROBLEM, known, stated((APP, "0.10.0")), ())
    assert before.verdict is Verdict.WAIT_FOR_PRODUCT
    assert IN_APP.why in before.note
    # 0.10.2 carries the same engine, so it is no better advice
    assert APP not in [f.id for f in before.fixed_in]


def test_a_dispute_of_one_product_says_nothing_of_another() -> None:
    known = _with(IN_APP)
    assert fix_verdict(PROBLEM, known, stated((SDK, "1.2.0")), ()).verdict is Verdict.UPGRADE
    after = fix_verdict(PROBLEM, known, stated((SDK, "1.2.1")), ())
    assert (after.verdict, after.disputed) == (Verdict.NOT_EXPLAINED, False)


def test_a_disputed_component_release_is_no_advice_for_anybody() -> None:
    known = _with(IN_ENGINE)
    fix = fix_verdict(PROBLEM, known, stated((ENGINE, "0.14.0")), ())
    assert [f.version for f in fix.fixed_in if f.id == ENGINE] == ["0.15.0"]
    assert "0.14.1" not in [f.version for f in fix.fixed_in]
    both = _with(IN_ENGINE, IN_ENGINE._replace(version="0.15.0"))
    fix = fix_verdict(PROBLEM, both, stated((ENGINE, "0.14.0")), ())
    assert (fix.verdict, fix.fixed_in) == (Verdict.VERSION_UNKNOWN, ())
    assert "disputed" in fix.note


@pytest.mark.parametrize(
    ("dispute", "product", "version", "answer"),
    [
        (IN_APP, APP, "0.10.1", "disputed"),
        (IN_APP, APP, "0.10.2", "fixed"),
        (IN_APP, APP, "0.10.0", "affected"),
        (IN_APP, SDK, "1.2.1", "fixed"),
        (IN_ENGINE, ENGINE, "0.14.1", "disputed"),
        (IN_ENGINE, APP, "0.10.1", "disputed"),
        (IN_ENGINE, ENGINE, "0.15.0", "fixed"),
        (IN_ENGINE, ENGINE, "0.13.0", "before"),
        (IN_APP._replace(version="0.9.0"), APP, "0.9.0", "before"),
    ],
)
def test_has_answers_disputed_for_that_version_alone(dispute: Dispute, product: str, version: str, answer: str) -> None:
    found = has(Graph(_with(dispute), {}), product, version, PROBLEM)
    assert found.answer == answer
    assert (dispute.why in found.why) == (answer == "disputed")
