"""Where a problem's remedy has arrived, for nobody in particular: first component releases, first product releases.

Computed by kb from observed rows; nothing here is authored and nothing depends on a report.
"""

from __future__ import annotations

from itertools import chain

from kb.affected import Course, Position, components_of, course_of, end_of, standing
from kb.delivery import carrying_products, date_of, first_product_release, releases_of
from kb.model import Affected, Knowledge, Problem
from signatures.values import NamedTuple


class ProductReach(NamedTuple):
    """`source` is the reference in which the release states what it bundles."""

    product: str
    version: str | None  # None: no observed release carries the remedy
    date: str | None
    source: str | None


class Reach(NamedTuple):
    """One affected range of one component, and the reference `source` that tells of it. `fixed`: the first release
    without the fault, None where none is known; `how` it is known."""

    component: str
    introduced: str | None
    versions: tuple[str, ...]
    fixed: str | None
    date: str | None
    delivered: tuple[str, ...]
    disputed: str
    products: tuple[ProductReach, ...]
    source: str
    how: str = ""


def reach_of(problem: Problem, knowledge: Knowledge) -> tuple[Reach, ...]:
    found: list[Reach] = []
    for component in components_of(problem, knowledge):
        course = course_of(problem, knowledge, component)
        rows = course.rows if course else tuple(a for a in problem.affected if a.component == component)
        found += (_reach(row, problem, component, course, knowledge) for row in rows)
    return tuple(found)


def _reach(row: Affected, problem: Problem, component: str, course: Course | None, knowledge: Knowledge) -> Reach:
    told = _told(row, problem, component)
    if course is None:
        return Reach(component, row.introduced, row.versions, row.fixed, None, (), "", (), source=told)
    fixed = end_of(course, row) if course.remedied else None
    reach = Reach(
        component, row.introduced, row.versions, fixed, None, course.delivered, course.disputed, (), source=told
    )
    if fixed is None:
        return reach
    changes = {change for fix in problem.fixes for change in fix.all}
    seen = [d for d in knowledge.observed.deliveries if d.component == component and d.change in changes]
    how = "; ".join(d.how for d in seen if fixed in d.releases)
    return reach._replace(
        date=date_of(knowledge, component, fixed),
        products=tuple(_product(p, component, course, knowledge) for p in carrying_products(knowledge, component)),
        how=how,
        source=(how and _source(knowledge, component, fixed)) or told,
    )


def _told(row: Affected, problem: Problem, component: str) -> str:
    """Where a range is told of: with the remedy of that component, with the range, with any remedy, with the cause."""
    own = [f.ref for f in problem.fixes if f.component == component]
    other = chain.from_iterable((f.ref, *f.all) for f in problem.fixes)
    return next(filter(None, chain(own, [row.ref], other, problem.refs)))


def _source(knowledge: Knowledge, product: str, version: str) -> str | None:
    return next((r.source for r in releases_of(knowledge, product, version)), None)


def _product(product: str, component: str, course: Course, knowledge: Knowledge) -> ProductReach:
    def good(_: str, inside: str) -> bool:
        return standing(course, inside).position is Position.FIXED

    version = first_product_release(knowledge, product, component, good)
    if version is None:
        return ProductReach(product, None, None, None)
    return ProductReach(product, version, date_of(knowledge, product, version), _source(knowledge, product, version))
