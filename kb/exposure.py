"""Which versions of a component one problem affects, as other programs can be told: ranges where they say exactly what
`has` says of every release seen, else listed versions.

Formats of others know no "unknown", so a version whose standing is unknown is never listed as affected, and is named
beside.
"""

from __future__ import annotations

from kb.affected import Course, components_of, course_of, end_of
from kb.delivery import MODEL, observed_versions
from kb.graph.answer import answer, with_graph
from kb.graph.trace import Graph
from kb.model import PUBLIC, Problem, Scheme
from kb.versions import compare, is_prerelease, ordered, same
from signatures.values import NamedTuple


class Exposure(NamedTuple):
    """One component of one problem. `ranges` are half-open; without any, `affected` is all that can be said."""

    component: str
    scheme: Scheme
    ranges: tuple[tuple[str | None, str | None], ...]
    affected: tuple[str, ...]  # releases seen, earliest first
    fixed: tuple[str, ...]
    before: tuple[str, ...]
    unknown: tuple[str, ...]


def is_exported(problem: Problem) -> bool:
    """Whether a problem may be told to other programs: its cause is public, or it was and is withdrawn."""
    return problem.status in PUBLIC


def exposures(graph: Graph, problem: Problem) -> tuple[Exposure, ...]:
    """Where one problem is, for each component of which some version is known to be affected. Models have no versions
    that other programs know."""
    knowledge = with_graph(graph, problem)
    found: list[Exposure] = []
    for component in components_of(problem, knowledge):
        course = course_of(problem, knowledge, component)
        if course is None or component.startswith(MODEL):
            continue
        listed = tuple(v for row in course.rows for v in row.versions if compare(course.scheme, v, v) == 0)
        seen = observed_versions(knowledge, component)
        seen = ordered(course.scheme, (*seen, *listed))
        stands = {v: answer(graph, knowledge, component, v, problem).answer for v in seen}
        by = {word: tuple(v for v in seen if stands[v] == word) for word in ("affected", "fixed", "before")}
        rest = tuple(v for v in seen if stands[v] not in by)
        made = Exposure(component, course.scheme, _ranges(course, stands), **by, unknown=rest)
        if made.affected or made.ranges:
            found.append(made)
    return tuple(found)


def _ranges(course: Course, stands: dict[str, str]) -> tuple[tuple[str | None, str | None], ...]:
    if course.disputed or course.unrecorded or any(row.versions for row in course.rows):
        return ()
    found = tuple((row.introduced, end_of(course, row)) for row in course.rows)
    bounds = [b for pair in found for b in pair if b is not None]
    if any(compare(course.scheme, b, b) is None for b in bounds) or not _and_later(course, found):
        return ()
    said = {v: any(_inside(course.scheme, v, *pair) for pair in found) for v in stands}
    return found if all(said[v] == (stands[v] == "affected") for v in stands) else ()


def _and_later(course: Course, ranges: tuple[tuple[str | None, str | None], ...]) -> bool:
    """Whether every release seen from a range's end on carries the fix, as far as deliveries say which do."""
    if not course.delivered:
        return True
    return all(
        any(same(course.scheme, v, d) for d in course.delivered)
        for _, end in ranges
        if end is not None
        for v in course.observed
        if compare(course.scheme, v, end) != -1 and not is_prerelease(course.scheme, v)
    )


def _inside(scheme: Scheme, version: str, introduced: str | None, fixed: str | None) -> bool:
    """By order alone, as a reader of ranges decides it: a pre-release of the fix lies before the fix."""
    started = introduced is None or compare(scheme, version, introduced) in (0, 1)
    return started and (fixed is None or compare(scheme, version, fixed) == -1)
