"""Which release of a product carries which release of a component, by every source that says so.

Equal statements are one; where sources disagree, which one is right is unknown and both are shown.
"""

from __future__ import annotations

from kb.graph.model import History, Manifested
from kb.graph.points import Pin, points
from kb.model import Knowledge, Product
from kb.model import Release as Recorded
from kb.versions import compare, in_range, is_prerelease, ordered, same
from signatures.values import NamedTuple


class ProductRelease(NamedTuple):
    """One release of a product, with what each source says of the components in it."""

    product: str
    version: str
    date: str | None
    by: str | None
    source: str
    stated: tuple[tuple[str, str | None, str], ...]  # (component, its version, where that is said)
    notes: tuple[str, ...] = ()

    @property
    def day(self) -> str | None:
        return self.date or self.by


def product_releases(
    product: Product, history: History | None, manifests: tuple[Manifested, ...], recorded: tuple[Recorded, ...]
) -> tuple[ProductRelease, ...]:
    """All known releases of a product, earliest version first: its tags, and what was recorded of others."""
    found: list[ProductRelease] = []
    for point in points(product, history, ()) if history is not None else ():
        if not point.released:
            continue
        mine = [m for m in manifests if m.product == product.id and same(product.scheme, m.version, point.version)]
        mine = [m for m in mine if _in_layout(product, m)]
        source = f"{history.repo}@{point.ref}" if history is not None else ""
        stated = tuple((m.component, m.value, f"{source}:{m.manifest}") for m in mine if m.found)
        notes = tuple(f"{m.manifest} is missing at {m.tag}" for m in mine if not m.found)
        notes += tuple(
            f"{m.manifest} at {m.tag} states no exact version of {m.component}" for m in mine if m.found and not m.value
        )
        if len(point.shas) > 1:
            notes += (point.note,)
            stated = tuple((component, None, where) for component, _, where in stated)
        found.append(ProductRelease(product.id, point.version, point.date, point.by, source, stated, notes))
    for row in recorded:
        if row.product == product.id:
            _record(product, found, row)
    order = ordered(product.scheme, tuple(r.version for r in found))
    return tuple(next(r for r in found if same(product.scheme, r.version, v)) for v in order)


def _in_layout(product: Product, row: Manifested) -> bool:
    """Whether the layout that a manifest was read for is the one of this version."""
    core = row.version.partition("-")[0] if is_prerelease(product.scheme, row.version) else row.version
    return any(
        in_range(product.scheme, core, layout.start, layout.end)
        and any(b.component == row.component and b.manifest == row.manifest for b in layout.bundles)
        for layout in product.layouts
    )


def _record(product: Product, found: list[ProductRelease], row: Recorded) -> None:
    """Add what was recorded of a release to what its tag says."""
    said = (*((component, version, row.source) for component, version in row.bundles), *row.unsettled)
    for i, release in enumerate(found):
        if same(product.scheme, release.version, row.version):
            found[i] = release._replace(stated=_merged(release.stated, said))
            return
    if compare(product.scheme, row.version, row.version) == 0:
        found.append(ProductRelease(row.product, row.version, row.date, row.by, row.source, said))


def _merged(
    seen: tuple[tuple[str, str | None, str], ...], more: tuple[tuple[str, str, str], ...]
) -> tuple[tuple[str, str | None, str], ...]:
    known = {(component, version) for component, version, _ in seen}
    return seen + tuple(row for row in more if row[:2] not in known)


def carried_version(release: ProductRelease, component: Product) -> tuple[str | None, str, str]:
    """(version, where that is said, contradiction) of a component in a product release."""
    rows = [(v, where) for c, v, where in release.stated if c == component.id]
    stated = [(v, where) for v, where in rows if v is not None]
    if not stated:
        return None, "; ".join(release.notes), ""
    first, where = stated[0]
    other = next(((v, w) for v, w in stated if not same(component.scheme, v, first)), None)
    if other is not None:
        return None, where, f"{release.product} {release.version}: {where} says {first}, {other[1]} says {other[0]}"
    return first, where, ""


def pins(knowledge: Knowledge, component: Product, releases: tuple[ProductRelease, ...]) -> tuple[Pin, ...]:
    """What shows versions of a component to be published: products that carry it, and what was recorded of it."""
    found = [
        Pin(version, r.day, where)
        for r in releases
        for c, version, where in r.stated
        if c == component.id and version is not None
    ]
    own = f"{component.repo}@"  # what was read from the very repository shows nothing that it does not show now
    found += [
        Pin(r.version, r.date or r.by, r.source)
        for r in knowledge.observed.releases
        if r.product == component.id and not r.source.startswith(own)
    ]
    return tuple(dict.fromkeys(found))
