"""The delivery graph as the rows of an observed.toml: releases with what they bundle, and deliveries of named changes.

A row is written only for what evidence decides; what contradicts is left out rather than chosen. Rows of repositories
that were not read stay as they were.
"""

from __future__ import annotations

from kb.graph.bundles import ProductRelease, carried_version
from kb.graph.model import ComponentTrace
from kb.graph.trace import Graph, split_change
from kb.model import Delivery, Observed, Product, Release
from kb.versions import compare, same
from signatures.values import NamedTuple


class ObservedRows(NamedTuple):
    """Rows, and for some of them a remark that belongs beside them."""

    rows: Observed
    remarks: dict[tuple[str, str], str]  # (product, version) or (change, component)


def observe(graph: Graph, kept: Observed, elsewhere: frozenset[tuple[str, str]]) -> ObservedRows:
    """The rows that replace `kept`; `elsewhere` are (product, version) of releases that files of products state."""
    remarks: dict[tuple[str, str], str] = {}
    releases = {(r.product, r.version): r for r in kept.releases}
    for product in graph.knowledge.products:
        if product.repo in graph.histories:
            for release, remark in _releases(graph, product):
                key = _same_row(product, releases, release)
                if key not in elsewhere and not _stated(product, elsewhere, release.version):
                    releases[key] = release
                    if remark:
                        remarks[key] = remark
    deliveries = {(d.change, d.component): d for d in kept.deliveries}
    for change in _named_changes(graph, kept):
        repo, _, _ = split_change(change)
        if repo not in graph.histories:
            continue
        for component in graph.trace(change).components:
            made = _delivery(change, component)
            if made is not None:
                deliveries[change, component.id] = made
    return ObservedRows(Observed(_sorted(graph, releases), tuple(deliveries[k] for k in sorted(deliveries))), remarks)


def _stated(product: Product, elsewhere: frozenset[tuple[str, str]], version: str) -> bool:
    return any(p == product.id and same(product.scheme, v, version) for p, v in elsewhere)


def _same_row(product: Product, known: dict[tuple[str, str], Release], release: Release) -> tuple[str, str]:
    """The key of the row that stands for a release already, perhaps under another spelling of its version."""
    own = release.product, release.version
    return next((k for k in known if k[0] == product.id and same(product.scheme, k[1], release.version)), own)


def _releases(graph: Graph, product: Product) -> list[tuple[Release, str]]:
    found: list[tuple[Release, str]] = []
    points = [p for p in graph.points(product) if p.released]
    for release in graph.releases[product.id]:
        point = next((p for p in points if same(product.scheme, p.version, release.version)), None)
        if point is None:
            continue
        bundles = _bundles(graph, release)
        read = [where for c, _, where in release.stated if c in dict(bundles) and where.startswith(release.source)]
        found.append(
            (
                Release(product.id, release.version, point.date, bundles, (*read, release.source)[0], point.by),
                point.note,
            )
        )
    known = [r for r, _ in found]
    for point in points:  # those that only a branch shows
        if not any(same(product.scheme, r.version, point.version) for r in known):
            source = f"{product.repo}@{point.ref}"
            found.append((Release(product.id, point.version, point.date, (), source, point.by), point.note))
    return found


def _bundles(graph: Graph, release: ProductRelease) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for id_ in sorted({component for component, _, _ in release.stated}):
        component = next((p for p in graph.knowledge.products if p.id == id_), None)
        version = carried_version(release, component)[0] if component is not None else None
        if component is not None and version is not None and compare(component.scheme, version, version) == 0:
            found.append((id_, version))
    return tuple(found)


def _named_changes(graph: Graph, kept: Observed) -> tuple[str, ...]:
    named = [c for p in graph.knowledge.problems if p.withdrawn is None for f in p.fixes for c in f.all]
    return tuple(sorted({*named, *(d.change for d in kept.deliveries)}))


def _delivery(change: str, component: ComponentTrace) -> Delivery | None:
    if not component.releases:
        return None
    ways: dict[str, list[str]] = {}
    for c in component.carriages:
        if c.carried and c.point.released:
            ways.setdefault(c.why if c.how != "ancestry" else "ancestry", []).append(c.point.version)
    how = "; ".join(
        f"{versions[0]}: {why}" if why != "ancestry" else f"ancestry from {versions[0]}"
        for why, versions in ways.items()
    )
    return Delivery(change, component.id, component.releases, how, component.unknown)


def _sorted(graph: Graph, releases: dict[tuple[str, str], Release]) -> tuple[Release, ...]:
    """By product in the order of their ids, then from the earliest version on."""
    from functools import cmp_to_key

    schemes = {p.id: p.scheme for p in graph.knowledge.products}

    def order(a: Release, b: Release) -> int:
        if a.product != b.product:
            return -1 if a.product < b.product else 1
        scheme = schemes.get(a.product)
        found = compare(scheme, a.version, b.version) if scheme is not None else None
        return found if found else (a.version > b.version) - (a.version < b.version)

    return tuple(sorted(releases.values(), key=cmp_to_key(order)))
