"""What one affected reporter can do: each remedy of a problem on its own, and the best of them.

A remedy that is published after the day of the answer does not exist yet. No release is named of which it is not
known that it carries the remedy and is later than what the reporter runs.
"""

from __future__ import annotations

from kb.affected import Course, Position, end_of, is_local, standing
from kb.delivery import (
    MODEL,
    bundled,
    carriers,
    carrying_components,
    carrying_products,
    date_of,
    first_product_release,
    first_release,
    known_by,
    name_of,
    releases_of,
    scheme_of,
)
from kb.disputes import disputes_of, doubted_release
from kb.model import Fix, FixedIn, FixKind, FixState, Knowledge, Verdict
from kb.versions import compare, in_range, same
from signatures.values import NamedTuple

# The best remedy for the reporter first
ORDER = (
    Verdict.UPGRADE,
    Verdict.WAIT_FOR_PRODUCT,
    Verdict.CONFIGURE,
    Verdict.MERGED,
    Verdict.CANDIDATE,
    Verdict.VERSION_UNKNOWN,
    Verdict.NONE,
)


class Situation(NamedTuple):
    """One reporter's versions, and the day of the answer."""

    knowledge: Knowledge
    course: Course
    version: str | None  # None: the version does not matter
    product: str | None
    product_version: str | None
    as_of: str | None


class Remedy(NamedTuple):
    verdict: Verdict
    fixed_in: tuple[FixedIn, ...] = ()
    note: str = ""
    disputed: bool = False  # a later release should have it, and was seen to fail all the same


def best_remedy(at: Situation) -> Remedy:
    """The most helpful of the alternatives for who is affected; NONE where there is none."""
    fixes = at.course.fixes
    if not fixes and any(r.fixed for r in at.course.rows):
        fixes = (Fix(FixKind.RELEASE, FixState.RELEASED),)  # the record knows the release, not the change
    remedies = [_remedy(at, fix) for fix in fixes]
    return min(remedies, key=lambda r: ORDER.index(r.verdict), default=Remedy(Verdict.NONE))


def _remedy(at: Situation, fix: Fix) -> Remedy:
    carrying = _component_releases(at, fix)
    targets = tuple(v for v in carrying if not any(same(at.course.scheme, v, d) for d, _ in at.course.doubts))
    recorded = bool(targets) or bool(carriers(at.knowledge, fix.all, at.course.component))
    first = first_release(at.course.scheme, tuple(v for v in targets if _public(at, fix, v)), at.version)
    if fix.state is FixState.RELEASED and is_local(fix) and (fix.kind is not FixKind.PACKAGING or not recorded):
        where = () if first is None else (_in_component(at.knowledge, at.course.component, first),)
        return Remedy(Verdict.CONFIGURE, where, fix.note or "")
    doubt = next((why for v, why in at.course.doubts if any(same(at.course.scheme, v, t) for t in carrying)), "")
    if first is None and doubt:
        return Remedy(Verdict.VERSION_UNKNOWN, note=f"the fix is disputed: {doubt}", disputed=True)
    if first is not None:
        others = _other_components(at, fix)
        return _pending(at, fix) if others is None else _released(at, fix, first, others)
    if fix.state is FixState.RELEASED and not recorded:
        return Remedy(Verdict.VERSION_UNKNOWN, note="a fix is released, but its first release is not recorded")
    return _pending(at, fix)


def _component_releases(at: Situation, fix: Fix) -> tuple[str, ...]:
    """Releases of the component that carry this fix and are later than the reporter's: delivered, else claimed."""
    course = at.course
    delivered = carriers(at.knowledge, fix.all, course.component)
    if not delivered and fix.state is FixState.RELEASED and not course.delivered:
        delivered = tuple(
            end
            for row in course.rows
            if (end := end_of(course, row)) is not None
            and (at.version is None or in_range(course.scheme, at.version, row.introduced, end))
        )
    return tuple(v for v in delivered if at.version is None or compare(course.scheme, v, at.version) == 1)


def _public(at: Situation, fix: Fix, version: str) -> bool:
    if known_by(at.knowledge, at.course.component, version, at.as_of):
        return True
    # a model's revision is published by the change itself
    return fix.kind is FixKind.ARTIFACT and fix.merged is not None and fix.merged <= (at.as_of or fix.merged)


def _other_components(at: Situation, fix: Fix) -> tuple[FixedIn, ...] | None:
    """The first releases of further components that the fix needs; None where one of them is not public."""
    found: list[FixedIn] = []
    for component in carrying_components(at.knowledge, fix.all):
        if component == at.course.component:
            continue
        scheme = scheme_of(at.knowledge, component)
        public = carriers(at.knowledge, fix.all, component, at.as_of)
        first = first_release(scheme, public) if scheme else None
        if first is None:
            return None
        found.append(_in_component(at.knowledge, component, first))
    return tuple(found)


def _released(at: Situation, fix: Fix, first: str, others: tuple[FixedIn, ...]) -> Remedy:
    course, product = at.course, at.product
    where = (_in_component(at.knowledge, course.component, first), *others)
    if product is None or _carries_fix_already(at):
        return Remedy(Verdict.UPGRADE, where)
    target = _product_target(at, fix, product, at.product_version)
    if target is not None:
        return Remedy(Verdict.UPGRADE, (*where, _in_product(at.knowledge, product, target)))
    elsewhere = tuple(
        _in_product(at.knowledge, p, v)
        for p in carrying_products(at.knowledge, course.component)
        if p != product and (v := _product_target(at, fix, p, None)) is not None
    )
    name = name_of(at.knowledge, product)
    doubts = disputes_of(at.knowledge, course.problem, product)
    note = f"no release of {name} is known to carry it {'beyond doubt' if doubts else 'yet'}"
    note = "; ".join((note, *(d.why for d in doubts)))
    return Remedy(Verdict.WAIT_FOR_PRODUCT, (*where, *elsewhere), note, bool(doubts))


def _carries_fix_already(at: Situation) -> bool:
    """The stated product release is not where the affected component comes from, so a later one is no remedy."""
    if at.product is None or at.product_version is None:
        return False
    inside = bundled(at.knowledge, at.product, at.product_version, at.course.component)
    return inside is not None and standing(at.course, inside[0]).position is Position.FIXED


def _product_target(at: Situation, fix: Fix, product: str, after: str | None) -> str | None:
    """The first release of a product, later than `after`, that carries every component that the fix needs."""
    course = at.course

    def good(version: str, inside: str) -> bool:
        later = at.version is None or compare(course.scheme, inside, at.version) == 1
        if doubted_release(at.knowledge, course.problem, product, version, course.component):
            return False
        return later and standing(course, inside).position is Position.FIXED and carries_others(version)

    def carries_others(version: str) -> bool:
        return all(
            (inside := bundled(at.knowledge, product, version, other)) is not None
            and inside[0] in carriers(at.knowledge, fix.all, other)
            for other in carrying_components(at.knowledge, fix.all)
            if other != course.component
        )

    return first_product_release(at.knowledge, product, course.component, good, after=after, as_of=at.as_of)


def _pending(at: Situation, fix: Fix) -> Remedy:
    """A remedy that no release carries on the day of the answer."""
    if fix.state is FixState.CANDIDATE:
        return Remedy(Verdict.CANDIDATE, note=fix.note or "")
    unmerged = at.as_of is not None and (
        fix.merged > at.as_of if fix.merged is not None else fix.state is FixState.RELEASED
    )
    if unmerged:
        return Remedy(Verdict.NONE, note=f"no fix is known to have been merged by {at.as_of}")
    when = f"merged on {fix.merged}" if fix.merged else "merged"
    needs = f"; needs {' and '.join(fix.all)}" if len(fix.all) > 1 else ""
    note = f"{when}{needs}; no later release is known to carry it"
    return Remedy(Verdict.MERGED, note=f"{note}. {fix.note}" if fix.note else note)


def _in_component(knowledge: Knowledge, component: str, version: str) -> FixedIn:
    kind = "artifact" if component.startswith(MODEL) else "component"
    return FixedIn(
        kind,
        component.removeprefix(MODEL),
        _canonical(knowledge, component, version),
        date_of(knowledge, component, version),
    )


def _in_product(knowledge: Knowledge, product: str, version: str) -> FixedIn:
    return FixedIn("product", product, version, date_of(knowledge, product, version))


def _canonical(knowledge: Knowledge, component: str, version: str) -> str:
    rows = releases_of(knowledge, component, version)
    return rows[0].version if rows else version


def known_fix(at: Situation) -> tuple[FixedIn, ...]:
    """Where the fix is released, whoever asks: information for a reporter of unknown version, no advice."""
    if not at.course.remedied:
        return ()
    anyone = at._replace(version=None, product=None, product_version=None)
    found = best_remedy(anyone)
    if found.verdict is not Verdict.UPGRADE:
        return ()
    carrying = carrying_products(at.knowledge, at.course.component) if len(found.fixed_in) == 1 else ()
    alone = Fix(FixKind.RELEASE, FixState.RELEASED)
    firsts = ((p, _product_target(anyone, alone, p, None)) for p in carrying)
    return (*found.fixed_in, *(_in_product(at.knowledge, p, v) for p, v in firsts if v is not None))
