"""Whether one version of a product has the fix of one problem, and why.

The authored ranges and the computed deliveries are asked together; where they contradict, or where the version's
contents are not known, the answer is unknown.
"""

from __future__ import annotations

from kb.affected import Course, Position, components_of, course_of, standing
from kb.delivery import carrying_components, scheme_of
from kb.disputes import dispute_of, known_on
from kb.graph.bundles import ProductRelease, carried_version
from kb.graph.trace import Graph, split_change
from kb.model import Delivery, Knowledge, Observed, Problem, Release
from kb.versions import compare, in_range, same
from signatures.values import NamedTuple


class Answer(NamedTuple):
    product: str
    version: str
    problem: str
    answer: str  # fixed, affected, before, disputed, unknown
    component: str | None
    component_version: str | None
    why: str
    source: str


def has(graph: Graph, product: str, version: str, problem: Problem, as_of: str | None = None) -> Answer:
    """One answer for a product or component by its id. With a day, a release that was public later is unknown."""
    return answer(graph, with_graph(graph, problem), product, version, problem, as_of)


def answer(
    graph: Graph, knowledge: Knowledge, product: str, version: str, problem: Problem, as_of: str | None = None
) -> Answer:
    """`has` over the knowledge that `with_graph` made for this problem, for who asks about many versions."""
    knowledge = known_on(knowledge, as_of)
    unknown = Answer(product, version, problem.id, "unknown", None, None, "", "")
    components = components_of(problem, knowledge)
    if not components:
        return unknown._replace(why="nothing says in which component the fault is")
    made = next(p for p in knowledge.products if p.id == product)
    if compare(made.scheme, version, version) is None:
        return unknown._replace(why=f"{version!r} is no {made.scheme.value} version")
    release = next((r for r in graph.releases[product] if same(made.scheme, r.version, version)), None)
    if as_of is not None and release is not None and (release.day is None or release.day > as_of):
        when = f"not before {release.day}" if release.day else "on a day that nobody recorded"
        return unknown._replace(why=f"it was published {when}")
    found = [a for c in components if (a := _of_component(knowledge, graph, problem, c, unknown, release)) is not None]
    if not found:
        return unknown._replace(why=f"{product} is not known to carry {' or '.join(components)}")
    decided = [a for a in found if a.answer != Position.UNKNOWN.value]
    if decided and product in components and any(a.component == product for a in found if a not in decided):
        found = decided  # what nobody says of the product itself, a component that it carries may decide
    if len({a.answer for a in found}) == 1:
        return found[0]
    return found[0]._replace(answer="unknown", why="; ".join(f"{a.component}: {a.why}" for a in found))


def with_graph(graph: Graph, problem: Problem) -> Knowledge:
    """What is known, with the releases that the graph shows and the deliveries that it computes for one problem."""
    observed = graph.knowledge.observed
    deliveries = {(d.change, d.component): d for d in observed.deliveries}
    for change in dict.fromkeys(c for f in problem.fixes for c in f.all):
        if split_change(change)[0] in graph.histories:
            for c in graph.trace(change).components:
                without = tuple(x.point.version for x in c.carriages if x.carried is False and x.point.released)
                deliveries[change, c.id] = Delivery(change, c.id, c.releases, c.how, c.unknown, without)
    kept = tuple(d for d in deliveries.values() if d.releases or d.unknown)
    seen = {(r.product, r.version) for r in observed.releases}
    more = tuple(
        Release(p.id, point.version, point.date, (), f"{p.repo}@{point.ref}", point.by)
        for p in graph.knowledge.products
        for point in graph.points(p)
        if point.released and (p.id, point.version) not in seen
    )
    return graph.knowledge._replace(observed=Observed((*observed.releases, *more), kept, observed.disputes))


def _of_component(
    knowledge: Knowledge, graph: Graph, problem: Problem, component: str, start: Answer, release: ProductRelease | None
) -> Answer | None:
    """The answer by one component; None where nothing says that the product carries it."""
    version, source = start.version, ""
    if component != start.product:
        made = next((p for p in knowledge.products if p.id == component), None)
        if made is None or not any(c == component for r in graph.releases[start.product] for c, _, _ in r.stated):
            return None
        start = start._replace(component=component)
        if release is None:
            return start._replace(why=f"no release {start.version} of {start.product} is seen")
        carried, source, contradiction = carried_version(release, made)
        if carried is None and not contradiction and start.product in components_of(problem, knowledge):
            return None  # what is said of the product itself decides
        if carried is None:
            return start._replace(why=contradiction or f"nothing says which {component} it carries", source=source)
        version = carried
    start = start._replace(component=component, component_version=version, source=source)
    undecided = _undecided(knowledge, problem, component, version)
    if undecided:
        return start._replace(why=undecided)
    course = course_of(problem, knowledge, component)
    if course is None:
        return start._replace(why=f"nothing is known of the versions of {component}")
    found = standing(course, version)
    if found.position is Position.FIXED and any(len(carrying_components(knowledge, f.all)) > 1 for f in course.fixes):
        return start._replace(why=f"{found.why}, but the fix needs other components as well")
    missing = _missing(knowledge, course, version) if found.position is Position.UNKNOWN else ""
    if missing:
        return start._replace(answer=Position.AFFECTED.value, why=missing)
    doubt = dispute_of(knowledge, problem.id, start.product, start.version)
    if found.position is Position.FIXED and doubt:
        return start._replace(answer=Position.DISPUTED.value, why=doubt)
    return start._replace(answer=found.position.value, why=found.why)


def _missing(knowledge: Knowledge, course: Course, version: str) -> str:
    """Why a release past the first fixed one is affected all the same: it was looked into and has no part of any fix.

    "" where that is not so, where claims and deliveries disagree, or where it may be from before the fault.
    """
    inside = (r for r in course.rows if not r.versions and in_range(course.scheme, version, r.introduced, None))
    if course.disputed or not course.fixes or next(inside, None) is None:
        return ""
    lacking: list[str] = []
    for fix in course.fixes:
        without = next(
            (
                d.change
                for d in knowledge.observed.deliveries
                if d.component == course.component and d.change in fix.all
                if any(same(course.scheme, v, version) for v in d.absent)
            ),
            None,
        )
        if without is None:
            return ""
        lacking.append(without)
    return f"{version} was looked into and does not carry {' or '.join(lacking)}"


def _undecided(knowledge: Knowledge, problem: Problem, component: str, version: str) -> str:
    """Why a release may or may not carry the fix, where the evidence decides neither."""
    scheme = scheme_of(knowledge, component)
    changes = {c for f in problem.fixes for c in f.all}
    mine = (d for d in knowledge.observed.deliveries if d.component == component and d.change in changes)
    for d in mine:
        if scheme is not None and any(same(scheme, v, version) for v in d.unknown):
            return f"whether {component} {version} carries {d.change} is not decided: {d.how}"
    return ""
