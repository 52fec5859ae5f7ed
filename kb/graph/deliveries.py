"""The releases of one component that carry one change: a set with its first release, or "unknown, at the latest in X".

A branch that nothing shows to be released is no release; where such a branch carries the change before the first
release that does, which one was first is unknown.
"""

from __future__ import annotations

from kb.graph.bundles import ProductRelease
from kb.graph.carriage import carriage
from kb.graph.evidence import Change, events
from kb.graph.model import Carriage, ComponentTrace, Confidence, Point
from kb.graph.places import Places
from kb.graph.points import version_in
from kb.model import Delivery, Product
from kb.versions import is_prerelease, ordered, same


def component_trace(
    product: Product,
    places: Places,
    change: Change,
    points: tuple[Point, ...],
    recorded: Delivery | None = None,
    as_of: str | None = None,
) -> ComponentTrace:
    """Which releases carry the change, as known on a day (all of them without one).

    `points` come earliest version first; `recorded` is what an earlier observation said, for releases that the
    repository shows no more and to be shown where the two contradict.
    """
    seen = events(places, change)
    known = tuple(p for p in points if as_of is None or not p.released or _public(p, as_of))
    all_ = tuple(carriage(places, change, seen, p) for p in known)
    all_, contradictions = _against_record(product, all_, recorded if as_of is None else None)
    return _summed(product, all_, contradictions)


def recorded_trace(
    product: Product, recorded: Delivery, releases: tuple[ProductRelease, ...], as_of: str | None = None
) -> ComponentTrace:
    """The same from a recorded delivery alone: a release that it does not name is not known to carry the change."""
    seen = (r.version for r in releases)
    versions = ordered(product.scheme, (*recorded.releases, *recorded.unknown, *recorded.absent, *seen))
    all_: list[Carriage] = []
    for version in versions:
        row = next((r for r in releases if same(product.scheme, r.version, version)), None)
        date, by, source = (row.date, row.by, row.source) if row else (None, None, "")
        point = Point(version, (), source, date, by, Confidence.LIKELY, True, "")
        if as_of is not None and not _public(point, as_of):
            continue
        looked_into = row is not None or _names(product, recorded.absent, version)
        carried = True if _names(product, recorded.releases, version) else False if looked_into else None
        if _names(product, recorded.unknown, version):
            carried = None
        trust = Confidence.UNKNOWN if carried is None else Confidence.LIKELY
        all_.append(Carriage(point, carried, "observed", trust, (), recorded.how))
    return _summed(product, tuple(all_), ())


def _names(product: Product, versions: tuple[str, ...], version: str) -> bool:
    return any(same(product.scheme, v, version) for v in versions)


def _summed(product: Product, all_: tuple[Carriage, ...], contradictions: tuple[str, ...]) -> ComponentTrace:
    carrying = [c for c in all_ if c.carried and c.point.released]
    open_ = [c for c in all_ if c.carried is None and c.point.released]
    candidates = [c for c in all_ if c.carried is not False and not c.point.released]
    first = _first(product, carrying)
    # whatever is undecided and may have come before makes the first release unknown
    earlier = [c for c in (*open_, *candidates) if first is None or _may_precede(c.point, first.point)]
    settled = first if not earlier else None
    how, trust = _how(first, earlier, any_seen=bool(all_))
    return ComponentTrace(
        product.id,
        settled.point.version if settled else None,
        first.point.version if first and earlier else None,
        (settled.point.date or settled.point.by) if settled else None,
        how,
        trust,
        tuple(c.point.version for c in carrying),
        tuple(c.point.version for c in open_),
        tuple(c.point.version for c in candidates),
        all_,
        contradictions,
        bound=settled is not None and settled.point.date is None,
    )


def _public(point: Point, day: str) -> bool:
    date = point.date or point.by
    return date is not None and date <= day


def _first(product: Product, carrying: list[Carriage]) -> Carriage | None:
    """The release that was public first; of those of one day the earliest version, and a pre-release only for want."""
    final = [c for c in carrying if not is_prerelease(product.scheme, c.point.version)]
    return min(final or carrying, key=lambda c: c.point.date or c.point.by or "9999", default=None)


def _may_precede(point: Point, first: Point) -> bool:
    """Whether a release may have been public before another one: unless its day says otherwise."""
    mine, other = point.date or point.since or point.by, first.date or first.by
    return mine is None or other is None or mine <= other


def _how(first: Carriage | None, earlier: list[Carriage], *, any_seen: bool) -> tuple[str, Confidence]:
    if first is None and earlier and len({c.why for c in earlier}) == 1:
        return f"unknown: {earlier[0].why}", Confidence.UNKNOWN
    if earlier:
        latest = f"unknown, at the latest in {first.point.version}" if first else "unknown"
        reasons = "; ".join(f"{c.point.version}: {_reason(c)}" for c in earlier[:3])
        return f"{latest} ({reasons})", Confidence.UNKNOWN
    if first is None and not any_seen:
        return "no release of it is seen in that repository", Confidence.UNKNOWN
    if first is None:
        return "no release is seen to carry it", Confidence.CERTAIN
    return f"{first.how}: {first.why}", first.confidence


def _reason(c: Carriage) -> str:
    if not c.point.released:
        return f"{c.point.note}, and nothing shows that it was released"
    return c.why


def _against_record(
    product: Product, all_: tuple[Carriage, ...], recorded: Delivery | None
) -> tuple[tuple[Carriage, ...], tuple[str, ...]]:
    """The carriages with an earlier observation beside them: equal evidence adds nothing, contradicting is shown."""
    if recorded is None:
        return all_, ()
    kept: list[Carriage] = []
    contradictions: list[str] = []
    for c in all_:
        was = any(same(product.scheme, c.point.version, v) for v in recorded.releases)
        if was and c.carried is False:
            words = (
                f"{c.point.version}: an earlier observation says it carries the change ({recorded.how}), now: {c.why}"
            )
            contradictions.append(words)
            c = c._replace(carried=None, confidence=Confidence.UNKNOWN, why=words)
        kept.append(c)
    lost = [v for v in recorded.releases if not any(same(product.scheme, c.point.version, v) for c in all_)]
    for version in lost:
        note = "seen earlier, and the repository shows that release no more"
        point = Point(version, (), "", None, None, Confidence.LIKELY, True, note)
        kept.append(Carriage(point, True, "observed", Confidence.LIKELY, (), note))
    return tuple(kept), tuple(contradictions)


def naive_first(places: Places, change: Change, product: Product) -> str | None:
    """The first release that `git tag --contains` names: by ancestry of the commit on main, whatever the tag says."""
    landed = [p.holder for p in change.landed]
    versions: list[str] = []
    for tag in places.history.tags if landed else ():
        names = (version_in(row.tag, tag.name.removeprefix("refs/tags/")) for row in product.layouts)
        version = next((v for v in names if v), None)
        if version and all(places.ancestry.within(i, tag.sha) for i in landed):
            versions.append(version)
    final = tuple(v for v in versions if not is_prerelease(product.scheme, v))
    return next(iter(ordered(product.scheme, final or tuple(versions))), None)
