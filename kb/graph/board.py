"""Where each problem's fix is: the change, the component release, and for each product affected, fixed or not yet.

Waiting days count from the merge to the product's first fixed release, or to the day of the answer while there is none.
"""

from __future__ import annotations

from datetime import date

from kb.affected import is_local
from kb.disputes import known_on
from kb.graph.model import Trace
from kb.graph.trace import Graph
from kb.model import PUBLIC, Dispute, FixState, Problem
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


class BoardRow(NamedTuple):
    problem: str
    title: str
    status: str
    changes: tuple[ChangeRow, ...]
    remedies: tuple[str, ...]  # remedies that are no change of a repository, or of which no more is known
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
        others += tuple(
            f"{a.component}: the record says fixed in {a.fixed}" for a in problem.affected if a.fixed and not changes
        )
        if made or others:
            doubted = tuple(d for d in disputes if d.problem == problem.id)
            count = sightings.get(problem.id, 0) if sightings is not None else None
            rows.append(BoardRow(problem.id, problem.title, problem.status.value, made, others, doubted, count))
    return tuple(rows)


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
            )
        )
    return tuple(found)


def _days(since: str | None, until: str | None) -> int | None:
    if since is None or until is None:
        return None
    return max(0, (date.fromisoformat(until[:10]) - date.fromisoformat(since[:10])).days)
