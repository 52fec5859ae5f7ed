"""When a fix is in doubt: certain sightings on a version that should have it turn the problem disputed there.

Two reporters are needed, or one maintainer. One person counts once however often they report, and who is not named
counts as nobody. A sighting before the fault, or on a version of unknown standing, disputes nothing, and neither does
one whose last word is older than the release that it names.
"""

from __future__ import annotations

from operator import itemgetter

from kb.affected import Position, course_of, standing
from kb.delivery import carrying_components, date_of, scheme_of
from kb.model import Dispute, Knowledge, Problem
from kb.records import Seen
from kb.versions import same

REPORTERS = 2
_NAMED = 4  # issues that a reason lists


def disputes(knowledge: Knowledge, seen: tuple[Seen, ...]) -> tuple[Dispute, ...]:
    """The versions that sightings dispute, by problem. Earlier disputes play no part: each is found anew."""
    settled = knowledge._replace(observed=knowledge.observed._replace(disputes=()))
    found: list[Dispute] = []
    for problem in settled.problems:
        if problem.withdrawn is None:
            mine = [s for s in seen if s.sighting.problem == problem.id]
            found += _of_problem(settled, problem, mine)
    return tuple(sorted(found))


def _of_problem(knowledge: Knowledge, problem: Problem, seen: list[Seen]) -> list[Dispute]:
    groups: dict[tuple[str, str], list[Seen]] = {}
    for s in seen:
        place = _place(s)
        if place is None or not counts(knowledge, problem, s):
            continue
        scheme = scheme_of(knowledge, place[0])
        known = (k for k in groups if k[0] == place[0] and scheme is not None and same(scheme, k[1], place[1]))
        groups.setdefault(next(known, place), []).append(s)
    return [
        Dispute(problem.id, product, version, why, _since(own))
        for (product, version), own in groups.items()
        if (why := _why(version, own))
    ]


def _place(s: Seen) -> tuple[str, str] | None:
    """The product and version that a sighting is of; the component where no product is stated."""
    row = s.sighting
    if row.product and row.product_version:
        return row.product, row.product_version
    if row.component and row.component_version:
        return row.component, row.component_version
    return None


def counts(knowledge: Knowledge, problem: Problem, s: Seen) -> bool:
    """Whether a sighting is one of the fault in a version that should have the fix."""
    row = s.sighting
    if row.certainty != "certain" or s.refused or row.component is None or row.component_version is None:
        return False
    course = course_of(problem, knowledge, row.component)
    if course is None or any(len(carrying_components(knowledge, f.all)) > 1 for f in course.fixes):
        return False
    if standing(course, row.component_version).position is not Position.FIXED:
        return False
    place = _place(s)
    published = date_of(knowledge, *place) if place is not None else None
    return published is None or s.last_post_at is None or s.last_post_at.date().isoformat() >= published


def _since(seen: list[Seen]) -> str | None:
    """The day on which enough had been said: by the first maintainer, or by the last reporter who was needed. None
    where somebody spoke on a day that is not known."""
    if any(s.last_post_at is None for s in seen):
        return None
    said = sorted(
        ((s.last_post_at.date().isoformat(), s) for s in seen if s.last_post_at is not None), key=itemgetter(0)
    )
    days = [day for day, s in said if s.maintainer or s.confirmed][:1]
    people: set[str] = set()
    for day, s in said:
        people |= {s.reporter.casefold()} if s.reporter else set()
        if len(people) == REPORTERS:
            days.append(day)
            break
    return min(days, default=None)


def _why(version: str, seen: list[Seen]) -> str:
    """The reason in words, "" where the sightings are too few."""
    people = {s.reporter.casefold() for s in seen if s.reporter}
    by_maintainer = [s for s in seen if s.maintainer or s.confirmed]
    if not by_maintainer and len(people) < REPORTERS:
        return ""
    who = "a maintainer says so" if by_maintainer else f"{len(people)} reporters"
    issues = list(dict.fromkeys(s.issue for s in (*by_maintainer, *seen)))
    more = f" and {len(issues) - _NAMED} more" if len(issues) > _NAMED else ""
    return f"{version} should have the fix and was seen to fail all the same ({who}: " + (
        f"{', '.join(issues[:_NAMED])}{more})"
    )
