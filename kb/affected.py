"""Where one component version stands towards a problem: before it, affected, fixed, or unknown.

The ranges are authored, the deliveries computed; where the two disagree, nothing is claimed. A version that no
observation covers is unknown, however new it is. The day of the answer plays no part here: what a version contains
does not depend on it.
"""

from __future__ import annotations

from enum import StrEnum

from kb.delivery import carriers, carrying_components, first_release, observed_versions, scheme_of
from kb.disputes import doubts_of
from kb.model import Affected, Fix, FixKind, FixState, Knowledge, Problem, Scheme
from kb.versions import compare, in_range, is_partial, same
from signatures.values import NamedTuple

# Remedies that the reporter applies, rather than waits for in a release
_LAST_PATCH = 9999
_SETTLED_LOCALLY = (FixKind.CONFIG, FixKind.DRIVER)


class Position(StrEnum):
    BEFORE = "before"
    AFFECTED = "affected"
    FIXED = "fixed"
    DISPUTED = "disputed"  # should have the fix, and was seen to fail all the same
    UNKNOWN = "unknown"


class Standing(NamedTuple):
    position: Position
    why: str


class Course(NamedTuple):
    """What is known of one problem in the versions of one component."""

    component: str
    scheme: Scheme
    rows: tuple[Affected, ...]
    fixes: tuple[Fix, ...]  # those that concern the component
    delivered: tuple[str, ...]  # releases that carry a fix, by deliveries, earliest first
    observed: tuple[str, ...]  # every version seen, earliest first
    disputed: str  # why claim and delivery disagree, "" where they do not
    problem: str = ""
    doubts: tuple[tuple[str, str], ...] = ()  # versions that should have the fix and are disputed, with the reason

    @property
    def always(self) -> bool:
        """Whether every version is affected, so that the reporter's does not matter."""
        return not (self.delivered or self.unrecorded) and all(r == _unbounded(r) for r in self.rows)

    @property
    def claims(self) -> bool:
        """Whether an authored `fixed` counts: not where the only remedies known are unreleased ones."""
        return not self.fixes or bool(self.delivered) or any(f.state is FixState.RELEASED for f in self.fixes)

    @property
    def unrecorded(self) -> bool:
        """A release has the fix, but which one nobody wrote down."""
        ends = self.delivered or any(r.fixed for r in self.rows)
        return not ends and any(f.state is FixState.RELEASED and not is_local(f) for f in self.fixes)

    @property
    def remedied(self) -> bool:
        """Whether some release is known to have the fix."""
        return not self.disputed and bool(self.delivered or (self.claims and any(r.fixed for r in self.rows)))


def _unbounded(row: Affected) -> Affected:
    return row._replace(introduced=None, fixed=None, versions=())


def is_local(fix: Fix) -> bool:
    """Whether a remedy of this kind can be applied without a release of the component."""
    return fix.kind in _SETTLED_LOCALLY or fix.kind is FixKind.PACKAGING


def components_of(problem: Problem, knowledge: Knowledge) -> tuple[str, ...]:
    """The components where the fault is: as authored, else those whose releases carry a fix."""
    authored = [a.component for a in problem.affected]
    if not authored:
        authored = [c for f in problem.fixes for c in carrying_components(knowledge, f.all)]
    return tuple(dict.fromkeys(authored))


def course_of(problem: Problem, knowledge: Knowledge, component: str) -> Course | None:
    """None for a component of which not even the version scheme is known."""
    scheme = scheme_of(knowledge, component)
    if scheme is None:
        return None
    rows = tuple(a for a in problem.affected if a.component == component) or (Affected(component),)
    fixes = tuple(f for f in problem.fixes if f.component in (None, component))
    found = tuple(v for f in fixes for v in carriers(knowledge, f.all, component))
    course = Course(component, scheme, rows, fixes, found, observed_versions(knowledge, component), "", problem.id)
    course = course._replace(doubts=doubts_of(knowledge, problem.id, component))
    return course._replace(disputed=_dispute(course))


def _dispute(course: Course) -> str:
    """An authored range that the deliveries contradict, or that cannot be compared with them."""
    if not course.delivered:
        return ""
    for row in course.rows:
        unreadable = [v for v in (row.introduced, row.fixed) if v and compare(course.scheme, v, v) is None]
        if unreadable:
            return f"{unreadable[0]} is no version that can be read"
        if row.fixed is None:
            continue
        first = _first_delivery(course, row)
        if first is None and any(compare(course.scheme, row.fixed, v) != 1 for v in course.observed):
            return f"the record says fixed in {row.fixed}, but no delivery to that release is seen"
        if first is not None and not same(course.scheme, first, row.fixed):
            return f"the record says fixed in {row.fixed}, the deliveries say {first}"
    return ""


def end_of(course: Course, row: Affected) -> str | None:
    """The first release that ends a range: by deliveries, else by the claim. None: no end is known."""
    return _first_delivery(course, row) or row.fixed


def _first_delivery(course: Course, row: Affected) -> str | None:
    scheme, start = course.scheme, row.introduced
    later = tuple(v for v in course.delivered if start is None or compare(scheme, v, start) in (0, 1))
    return first_release(scheme, later)


def standing(course: Course, version: str) -> Standing:
    """Where a version stands, and why in words. Disputed is only what would be fixed."""
    found = _undisputed(course, version)
    why = next((why for v, why in course.doubts if same(course.scheme, v, version)), "")
    return Standing(Position.DISPUTED, why) if why and found.position is Position.FIXED else found


def _undisputed(course: Course, version: str) -> Standing:
    """Where a version stands by ranges and deliveries.

    `0.14` may be any 0.14.x, so it stands somewhere only where the first and the last of these stand alike.
    """
    if course.scheme is Scheme.PEP440 and is_partial(version):  # SemVer refuses such a version
        first, last = _standing(course, f"{version}.0"), _standing(course, f"{version}.{_LAST_PATCH}")
        if first.position is last.position:
            return first
        return Standing(Position.UNKNOWN, f"{version} leaves open which release of that series it is")
    return _standing(course, version)


def _standing(course: Course, version: str) -> Standing:
    scheme = course.scheme
    if course.disputed:
        return Standing(Position.UNKNOWN, course.disputed)
    if compare(scheme, version, version) is None:
        return Standing(Position.UNKNOWN, f"{version} is no version that can be read")
    listed = any(same(scheme, v, version) for r in course.rows for v in r.versions)
    if any(same(scheme, v, version) for v in course.delivered):
        if listed:
            return Standing(Position.UNKNOWN, f"{version} carries the fix and is listed as affected")
        return Standing(Position.FIXED, f"{version} carries the fix")
    if listed:
        return Standing(Position.AFFECTED, f"{version} is a version this was seen in")
    if course.unrecorded:
        return Standing(Position.UNKNOWN, "a fix is released, but its first release is not recorded")
    each = [_towards(course, row, version) for row in course.rows]
    for wanted in (Position.AFFECTED, Position.UNKNOWN):
        found = next((s for s in each if s.position is wanted), None)
        if found is not None:
            return found
    past = [s for s in each if s.position is Position.FIXED]
    return _past(course, version, past[0]) if past else each[0]


def _towards(course: Course, row: Affected, version: str) -> Standing:
    """Where a version stands towards one range. FIXED here means past its end, whatever it contains."""
    scheme, end = course.scheme, end_of(course, row)
    if row.versions and row.introduced is None:
        # a closed list says nothing of the versions between and before
        if end is not None and in_range(scheme, version, end, None):
            return Standing(Position.FIXED, f"{version} is not earlier than the fix in {end}")
        return Standing(Position.UNKNOWN, f"{version} is not among the versions this was seen in")
    inside = in_range(scheme, version, row.introduced, end)
    if inside:
        since = f"since {row.introduced}" if row.introduced else "in every version known"
        return Standing(Position.AFFECTED, f"affected {since}{f', fixed in {end}' if end else ''}")
    if inside is None:
        return Standing(Position.UNKNOWN, f"{version} cannot be placed in the affected range")
    if row.introduced is not None and in_range(scheme, version, None, row.introduced):
        return Standing(Position.BEFORE, f"{version} is from before the fault, which came with {row.introduced}")
    return Standing(Position.FIXED, f"{version} is not earlier than the fix in {end}")


def _past(course: Course, version: str, found: Standing) -> Standing:
    """Past a fix: fixed only where the record says so and no observation leaves the version out."""
    if not course.claims:
        return Standing(Position.UNKNOWN, "the fix is announced, not confirmed")
    if not course.delivered:
        return found
    newest = course.observed[-1]
    if any(r.fixed for r in course.rows) and compare(course.scheme, version, newest) == 1:
        return found
    return Standing(Position.UNKNOWN, f"no observation says whether {version} carries the fix")
