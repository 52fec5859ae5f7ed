"""Where each problem's fix is: the change, the component release, and for each product affected, fixed or not yet.

Waiting days count from the merge to the product's first fixed release, or to the day of the answer while there is none.
"""

from __future__ import annotations

from datetime import date

from kb.affected import Position, course_of, is_local
from kb.disputes import known_on
from kb.graph.answer import answer, with_graph
from kb.graph.bundles import ProductRelease
from kb.graph.model import Trace
from kb.graph.trace import Graph, first_fixed
from kb.model import PUBLIC, Affected, Dispute, FixState, Knowledge, Problem, Product
from kb.versions import same
from signatures.values import NamedTuple


class ProductRow(NamedTuple):
    product: str
    first_fixed: str | None
    at_latest: str | None
    first_fixed_at: str | None
    affected: tuple[str, ...]
    fixed: tuple[str, ...]
    unknown: tuple[str, ...]
    waited: int | None  # days
    waiting: bool  # still


class ChangeRow(NamedTuple):
    change: str
    state: str
    merged_at: str | None
    component: str | None
    first_release: str | None
    at_latest: str | None
    released_at: str | None
    how: str
    products: tuple[ProductRow, ...]
    bound: bool = False  # as in ComponentTrace


class ReleaseRow(NamedTuple):
    """A release that is said to have the fix, without a change that could be followed."""

    component: str
    first_release: str
    released_at: str | None
    ref: str | None  # where that is said
    products: tuple[ProductRow, ...]


class BoardRow(NamedTuple):
    problem: str
    title: str
    status: str
    changes: tuple[ChangeRow, ...]
    remedies: tuple[str, ...]  # remedies that are no change of a repository
    releases: tuple[ReleaseRow, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    open_sightings: int | None = None  # issues not known to be closed that show it; None: nobody counts


def board(
    graph: Graph,
    problems: tuple[Problem, ...],
    product: str | None,
    as_of: str | None,
    today: str,
    sightings: dict[str, int] | None = None,
) -> tuple[BoardRow, ...]:
    """One row for each problem that has any remedy; `today` is the day that waiting counts to without `as_of`.

    `sightings` is how many open issues show each problem, where that is counted.
    """
    disputes = known_on(graph.knowledge, as_of).observed.disputes
    rows: list[BoardRow] = []
    for problem in problems:
        if problem.withdrawn is not None or problem.status not in PUBLIC:
            continue
        changes = tuple(dict.fromkeys(c for f in problem.fixes for c in f.all))
        made = tuple(row for c in changes for row in change_rows(graph.trace(c, as_of), product, as_of or today))
        others = tuple(_remedy(problem, i) for i, f in enumerate(problem.fixes) if not f.all)
        releases = _release_rows(graph, problem, product, as_of)
        if made or others or releases:
            doubted = tuple(d for d in disputes if d.problem == problem.id)
            count = sightings.get(problem.id, 0) if sightings is not None else None
            rows.append(
                BoardRow(problem.id, problem.title, problem.status.value, made, others, releases, doubted, count)
            )
    return tuple(rows)


def _release_rows(graph: Graph, problem: Problem, product: str | None, as_of: str | None) -> tuple[ReleaseRow, ...]:
    """One row for each component whose first fixed release is only said; with a day, where it was public by then."""
    knowledge = with_graph(graph, problem)
    rows: list[ReleaseRow] = []
    for claim in problem.affected:
        course = course_of(problem, knowledge, claim.component)
        made = next((p for p in knowledge.products if p.id == claim.component), None)
        if claim.fixed is None or course is None or course.delivered or not course.claims:
            continue
        day = _day_of(graph, made, claim)
        if as_of is not None and (day is None or day > as_of):
            continue
        carrying = tuple(
            _answered(graph, knowledge, problem, p, releases, as_of)
            for p in knowledge.products
            if made is not None and p.id != made.id and product in (None, p.id)
            if (releases := graph.carrying(p, made.id))
        )
        rows.append(ReleaseRow(claim.component, claim.fixed, day, claim.ref, carrying))
    return tuple(rows)


def _day_of(graph: Graph, made: Product | None, claim: Affected) -> str | None:
    """The day on which the release that a claim names was public, where that is known."""
    if made is None or claim.fixed is None:
        return None
    return next((r.day for r in graph.releases[made.id] if same(made.scheme, r.version, claim.fixed)), None)


def _answered(
    graph: Graph,
    knowledge: Knowledge,
    problem: Problem,
    product: Product,
    releases: tuple[ProductRelease, ...],
    as_of: str | None,
) -> ProductRow:
    """Where each release of a product stands, by what `triage has` says of it."""
    sorted_: dict[str, list[ProductRelease]] = {p.value: [] for p in Position}
    for release in releases:
        if as_of is None or (release.day is not None and release.day <= as_of):
            said = answer(graph, knowledge, product.id, release.version, problem, as_of).answer
            sorted_[said].append(release)
    open_ = [*sorted_[Position.UNKNOWN], *sorted_[Position.DISPUTED]]
    # what is undecided and older than a release that is affected leaves the first fixed one no less certain
    last = max((r.day for r in sorted_[Position.AFFECTED] if r.day is not None), default="")
    after = [r for r in open_ if r.day is None or r.day > last]
    first, at_latest = first_fixed(product, sorted_[Position.FIXED], after, None)
    return ProductRow(
        product.id,
        first.version if first else None,
        at_latest.version if at_latest else None,
        first.day if first else None,
        tuple(r.version for r in sorted_[Position.AFFECTED]),
        tuple(r.version for r in sorted_[Position.FIXED]),
        tuple(r.version for r in open_),
        None,
        not sorted_[Position.FIXED],
    )


def _remedy(problem: Problem, i: int) -> str:
    fix = problem.fixes[i]
    where = "on the reporter's side" if is_local(fix) else fix.component or "where the fault is"
    state = "" if fix.state is FixState.RELEASED else f", {fix.state.value}"
    return f"{fix.kind.value} ({where}{state}){f': {fix.note}' if fix.note else ''}"


def change_rows(trace: Trace, product: str | None, day: str) -> tuple[ChangeRow, ...]:
    """One row for each component that a change was made in; one without a component where none is known."""
    found: list[ChangeRow] = []
    for component in trace.components or (None,):
        rows = tuple(
            ProductRow(
                p.product,
                p.first_fixed,
                p.at_latest,
                p.first_fixed_at,
                p.affected,
                p.fixed,
                p.unknown,
                _days(trace.merged_at, p.first_fixed_at or (None if p.fixed else day)),
                not p.fixed,
            )
            for p in trace.products
            if product in (None, p.product)
        )
        if component is None:
            found.append(ChangeRow(trace.change, trace.state, trace.merged_at, None, None, None, None, "", rows))
            continue
        found.append(
            ChangeRow(
                trace.change,
                trace.state,
                trace.merged_at,
                component.id,
                component.first_release,
                component.at_latest,
                component.released_at,
                component.how,
                rows,
                component.bound,
            )
        )
    return tuple(found)


def _days(since: str | None, until: str | None) -> int | None:
    if since is None or until is None:
        return None
    return max(0, (date.fromisoformat(until[:10]) - date.fromisoformat(since[:10])).days)
