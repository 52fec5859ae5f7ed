"""The delivery graph as rows of the store, and the rows of the store as an observed.toml.

A row of the file is written only for what evidence decides; what contradicts is left out rather than chosen. Rows of
repositories that were not read stay as they were.
"""

from __future__ import annotations

from kb.graph.bundles import ProductRelease
from kb.graph.model import Carriage, ComponentTrace, Point
from kb.graph.trace import Graph, split_change
from kb.model import Delivery, Knowledge, Observed, Product, Release
from kb.observations import Recorded, merged, newer
from kb.records import BundleRecord, EdgeRecord, ReleaseRecord
from kb.versions import compare, same
from signatures.values import NamedTuple


class ObservedRows(NamedTuple):
    """Rows, and for some of them a remark that belongs beside them."""

    rows: Observed
    remarks: dict[tuple[str, str], str]  # (product, version)


def named_changes(knowledge: Knowledge) -> tuple[str, ...]:
    """The changes that problems name as their fix, and those of which a delivery is recorded."""
    named = [c for p in knowledge.problems if p.withdrawn is None for f in p.fixes for c in f.all]
    return tuple(sorted({*named, *(d.change for d in knowledge.observed.deliveries)}))


def recorded(graph: Graph, changes: tuple[str, ...]) -> Recorded:
    """What the repositories of the graph show, and they alone: nothing of it rests on what was recorded earlier."""
    known = graph.knowledge
    fresh = Graph(known._replace(observed=known.observed._replace(deliveries=())), graph.histories, graph.manifests)
    releases: list[ReleaseRecord] = []
    bundles: list[BundleRecord] = []
    for product in known.products:
        if product.repo in graph.histories:
            points = [p for p in fresh.points(product) if p.released]
            releases += (_release(product, p) for p in points)
            for row in fresh.releases[product.id]:
                bundles += _bundles(product, row)
    edges: list[EdgeRecord] = []
    for change in changes:
        repo, _, _ = split_change(change)
        if repo in graph.histories:
            read_to = max((c.date for c in graph.histories[repo].commits), default=None)
            trace = fresh.trace(change)
            if trace.state != "unknown":  # else it is not seen at all, which says nothing of any release
                for component in trace.components:
                    edges += _edges(change, component, repo, read_to)
    return Recorded(tuple(dict.fromkeys(releases)), tuple(dict.fromkeys(bundles)), tuple(edges))


def _release(product: Product, point: Point) -> ReleaseRecord:
    return ReleaseRecord(
        product.id, point.version, point.date, point.by, f"{product.repo}@{point.ref}", " ".join(point.note.split())
    )


def _bundles(product: Product, release: ProductRelease) -> list[BundleRecord]:
    return [
        BundleRecord(product.id, release.version, component, version, where)
        for component, version, where in release.stated
        if where.startswith(f"{product.repo}@")
    ]


def _edges(change: str, component: ComponentTrace, repo: str, read_to: str | None) -> list[EdgeRecord]:
    return [
        EdgeRecord(
            change,
            component.id,
            c.point.version,
            c.carried,
            "ancestry" if c.how == "ancestry" else c.why,
            f"git {repo}",
            _day(c),
            c.confidence.value,
            read_to,
        )
        for c in component.carriages
        if c.point.released
    ]


def _day(c: Carriage) -> str | None:
    return c.evidence[0].date if c.evidence else None


def observed_rows(
    knowledge: Knowledge, kept: Observed, elsewhere: frozenset[tuple[str, str]], rows: Recorded
) -> ObservedRows:
    """The rows that replace `kept`; `elsewhere` are (product, version) of releases that files of products state."""
    seen, remarks = merged(knowledge, rows)
    mine = tuple(r for r in seen.releases if not _stated(knowledge, elsewhere, r))
    made = newer(knowledge, kept, seen._replace(releases=mine))
    decided = tuple(sorted(_unlisted(knowledge, d, made.releases) for d in made.deliveries if d.releases))
    releases = tuple(r._replace(unsettled=()) for r in sorted_releases(knowledge, made.releases))
    return ObservedRows(Observed(releases, decided, kept.disputes), remarks)


def _unlisted(knowledge: Knowledge, delivery: Delivery, releases: tuple[Release, ...]) -> Delivery:
    """The delivery without the releases that lack the change and have a row, which shows as much."""
    rows = {r.version for r in (*releases, *knowledge.observed.releases) if r.product == delivery.component}
    return delivery._replace(absent=tuple(v for v in delivery.absent if v not in rows))


def _stated(knowledge: Knowledge, elsewhere: frozenset[tuple[str, str]], release: Release) -> bool:
    scheme = next((p.scheme for p in knowledge.products if p.id == release.product), None)
    return any(
        product == release.product
        and (version == release.version or (scheme and same(scheme, version, release.version)))
        for product, version in elsewhere
    )


def sorted_releases(knowledge: Knowledge, releases: tuple[Release, ...]) -> tuple[Release, ...]:
    """By product in the order of their ids, then from the earliest version on."""
    from functools import cmp_to_key

    schemes = {p.id: p.scheme for p in knowledge.products}

    def order(a: Release, b: Release) -> int:
        if a.product != b.product:
            return -1 if a.product < b.product else 1
        scheme = schemes.get(a.product)
        found = compare(scheme, a.version, b.version) if scheme is not None else None
        return found if found else (a.version > b.version) - (a.version < b.version)

    return tuple(sorted(releases, key=cmp_to_key(order)))
