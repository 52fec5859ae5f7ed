"""Where a problem's remedy has arrived, for nobody in particular: first component releases, first product releases.

Computed by kb from observed rows; nothing here is authored and nothing depends on a report.
"""

from __future__ import annotations

from kb.affected import Course, Position, components_of, course_of, end_of, standing
from kb.delivery import carrying_products, date_of, first_product_release
from kb.model import Affected, Knowledge, Problem
from signatures.values import NamedTuple


class ProductReach(NamedTuple):
    product: str
    version: str | None  # None: no observed release carries the remedy
    date: str | None


class Reach(NamedTuple):
    """One affected range of one component. `fixed`: the first release without the fault, None where none is known."""

    component: str
    introduced: str | None
    versions: tuple[str, ...]
    fixed: str | None
    date: str | None
    delivered: tuple[str, ...]
    disputed: str
    products: tuple[ProductReach, ...]


def reach_of(problem: Problem, knowledge: Knowledge) -> tuple[Reach, ...]:
    found: list[Reach] = []
    for component in components_of(problem, knowledge):
        course = course_of(problem, knowledge, component)
        rows = course.rows if course else tuple(a for a in problem.affected if a.component == component)
        found += (_reach(row, component, course, knowledge) for row in rows)
    return tuple(found)


def _reach(row: Affected, component: str, course: Course | None, knowledge: Knowledge) -> Reach:
    if course is None:
        return Reach(component, row.introduced, row.versions, row.fixed, None, (), "", ())
    fixed = end_of(course, row) if course.remedied else None
    products: tuple[ProductReach, ...] = ()
    if fixed is not None:
        products = tuple(_product(p, component, course, knowledge) for p in carrying_products(knowledge, component))
    date = date_of(knowledge, component, fixed) if fixed else None
    return Reach(component, row.introduced, row.versions, fixed, date, course.delivered, course.disputed, products)


def _product(product: str, component: str, course: Course, knowledge: Knowledge) -> ProductReach:
    def good(_: str, inside: str) -> bool:
        return standing(course, inside).position is Position.FIXED

    version = first_product_release(knowledge, product, component, good)
    return ProductReach(product, version, date_of(knowledge, product, version) if version else None)
