"""What several sources state, as one: equal statements are merged, contradicting ones decide nothing and are shown.

Recorded rows of the store become the rows that every answer is computed from; newer rows are laid over older ones
release by release, since a delivery is a set and each member of it is a fact of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb.delivery import scheme_of
from kb.model import Delivery, Knowledge, Observed, Release
from kb.records import BundleRecord, EdgeRecord, ReleaseRecord
from kb.versions import ordered, same
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import TypeVar

    _Row = TypeVar("_Row", ReleaseRecord, BundleRecord, EdgeRecord)


class Recorded(NamedTuple):
    """Rows as they go into the store and come out of it."""

    releases: tuple[ReleaseRecord, ...] = ()
    bundles: tuple[BundleRecord, ...] = ()
    edges: tuple[EdgeRecord, ...] = ()


class Merged(NamedTuple):
    observed: Observed
    remarks: dict[tuple[str, str], str]  # (product, version) -> a remark that belongs beside the release


def merged(knowledge: Knowledge, rows: Recorded) -> Merged:
    """One row for each release, and one for each change and component."""
    remarks: dict[tuple[str, str], str] = {}
    releases: list[Release] = []
    by_product: dict[str, tuple[list[ReleaseRecord], list[BundleRecord]]] = {}
    for r in rows.releases:
        by_product.setdefault(r.product, ([], []))[0].append(r)
    for b in rows.bundles:
        by_product.setdefault(b.product, ([], []))[1].append(b)
    for product, (stated, bundles) in by_product.items():
        groups = _by_version(knowledge, product, bundles)
        for version, own in _by_version(knowledge, product, stated).items():
            inside = groups.get(next((v for v in groups if _same(knowledge, product, v, version)), ""), [])
            releases.append(_release(knowledge, own, inside))
            remark = next((r.note for r in own if r.note), "")
            if remark:
                remarks[product, version] = remark
    edges: dict[tuple[str, str], list[EdgeRecord]] = {}
    for e in rows.edges:
        edges.setdefault((e.change, e.component), []).append(e)
    deliveries = tuple(_delivery(knowledge, own) for _, own in sorted(edges.items()))
    return Merged(Observed(tuple(releases), deliveries), remarks)


def _same(knowledge: Knowledge, component: str, a: str, b: str) -> bool:
    scheme = scheme_of(knowledge, component)
    return a == b or (scheme is not None and same(scheme, a, b))


def _by_version(knowledge: Knowledge, component: str, rows: Iterable[_Row]) -> dict[str, list[_Row]]:
    """Rows of one product by version, whichever way a source spells it."""
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        known = row.version if row.version in groups else None
        known = known or next((v for v in groups if _same(knowledge, component, v, row.version)), row.version)
        groups.setdefault(known, []).append(row)
    return groups


def _release(knowledge: Knowledge, rows: Sequence[ReleaseRecord], bundles: Sequence[BundleRecord]) -> Release:
    first = rows[0]
    # a page of releases knows the day of publication; a tag only shows the day of its commit
    published = [r.date for r in rows if r.date and "://" in r.source]
    date = min(published or [r.date for r in rows if r.date], default=None)
    by = min((r.by for r in rows if r.by), default=None) if date is None else None
    settled: list[tuple[str, str]] = []
    unsettled: list[tuple[str, str, str]] = []
    for component in sorted({b.component for b in bundles}):
        said = {b.component_version: b.source for b in reversed(bundles) if b.component == component}
        exact = {v: source for v, source in said.items() if v is not None}
        distinct: list[str] = []
        for v in sorted(exact):
            if not any(_same(knowledge, component, v, other) for other in distinct):
                distinct.append(v)
        if len(distinct) == 1:
            settled.append((component, distinct[0]))
        elif distinct:
            unsettled += ((component, v, exact[v]) for v in distinct)
    read = [b.source for b in bundles if b.component in dict(settled) and b.source.startswith(first.source)]
    return Release(first.product, first.version, date, tuple(settled), (*read, first.source)[0], by, tuple(unsettled))


def _delivery(knowledge: Knowledge, rows: Sequence[EdgeRecord]) -> Delivery:
    change, component = rows[0].change, rows[0].component
    carried: dict[str, str] = {}
    undecided: dict[str, str] = {}
    absent: list[str] = []
    for version, own in _by_version(knowledge, component, rows).items():
        told = {e.carried for e in own if e.carried is not None}
        if told == {True}:
            carried[version] = next(e.how for e in own if e.carried)
        elif told == {False}:
            absent.append(version)
        else:
            undecided[version] = "; ".join(f"{e.source} says {_words(e)}" for e in own) if told else ""
    ways: dict[str, list[str]] = {}
    for version in _in_order(knowledge, component, carried):
        ways.setdefault(carried[version], []).append(version)
    how = [f"{v[0]}: {why}" if why != "ancestry" else f"ancestry from {v[0]}" for why, v in ways.items()]
    how += [f"{v}: {undecided[v]}" for v in _in_order(knowledge, component, undecided) if undecided[v]]
    return Delivery(
        change,
        component,
        _in_order(knowledge, component, carried),
        "; ".join(how) or "no release of it is decided",
        _in_order(knowledge, component, undecided),
        _in_order(knowledge, component, absent),
    )


def _words(e: EdgeRecord) -> str:
    said = {True: "it carries the change", False: "it does not", None: "nothing"}[e.carried]
    return f"{said} ({e.how})" if e.how else said


def _in_order(knowledge: Knowledge, component: str, versions: Iterable[str]) -> tuple[str, ...]:
    found = tuple(versions)
    scheme = scheme_of(knowledge, component)
    return ordered(scheme, found) if scheme is not None else tuple(sorted(found))


def newer(knowledge: Knowledge, base: Observed, top: Observed) -> Observed:
    """`top` over `base`: each statement of `top` counts, and those of `base` that it says nothing of stay."""
    releases = {(r.product, r.version): r for r in base.releases}
    spelled: dict[str, list[str]] = {}
    for r in base.releases:
        spelled.setdefault(r.product, []).append(r.version)
    for r in top.releases:
        version = next((v for v in spelled.get(r.product, ()) if _same(knowledge, r.product, v, r.version)), r.version)
        old = releases.get((r.product, version))
        releases[r.product, version] = r if old is None else _over(old, r)
    deliveries = {(d.change, d.component): d for d in base.deliveries}
    for d in top.deliveries:
        known = deliveries.get((d.change, d.component))
        deliveries[d.change, d.component] = d if known is None else _delivered(knowledge, known, d)
    told = tuple(d for d in deliveries.values() if d.releases or d.unknown)
    return Observed(tuple(releases.values()), told, (*base.disputes, *top.disputes))


def _over(old: Release, new: Release) -> Release:
    doubted = {c for c, _, _ in new.unsettled}
    bundles = {c: v for c, v in old.bundles if c not in doubted} | dict(new.bundles)
    settled = doubted | {c for c, _ in new.bundles}
    unsettled = (*(u for u in old.unsettled if u[0] not in settled), *new.unsettled)
    date = new.date or old.date
    by = None if date else new.by or old.by
    carried = tuple(sorted(bundles.items()))
    # a place that said all of this before is as good, and a reviewed file changes only where a fact does
    repeated = (date, by, carried) == (old.date, old.by, tuple(sorted(old.bundles)))
    source = old.source if repeated or (old.bundles and not new.bundles) else new.source
    return Release(new.product, new.version, date, carried, source, by, unsettled)


def _delivered(knowledge: Knowledge, old: Delivery, new: Delivery) -> Delivery:
    decided = (*new.releases, *new.unknown, *new.absent)

    def left(versions: tuple[str, ...]) -> tuple[str, ...]:
        """Those of which the newer row says nothing."""
        return tuple(v for v in versions if not any(_same(knowledge, old.component, v, d) for d in decided))

    how = new.how if not left(old.releases) or not new.releases else f"{new.how}; earlier: {old.how}"
    return Delivery(
        old.change,
        old.component,
        _in_order(knowledge, old.component, (*left(old.releases), *new.releases)),
        how if new.releases else old.how,
        _in_order(knowledge, old.component, (*left(old.unknown), *new.unknown)),
        _in_order(knowledge, old.component, (*left(old.absent), *new.absent)),
    )
