"""What a forge says beside git: releases as they were published, and where pull requests stand.

A publication beats the day of its tag, since a tag may be made long before; what it contradicts is shown.
"""

from __future__ import annotations

from kb.graph.model import Confidence, Point
from kb.graph.points import Pin, version_in
from kb.model import Product
from kb.versions import in_range, is_prerelease, same
from signatures.values import NamedTuple


class Publication(NamedTuple):
    """One release of a repository, as its forge shows it. Drafts are none."""

    repo: str
    tag: str
    day: str  # of publication
    url: str
    prerelease: bool = False
    gone: bool = False  # shown earlier, and taken down since


class PullState(NamedTuple):
    """Where one pull request stands."""

    change: str  # owner/repo#N
    state: str  # open, draft, merged, closed (without a merge)
    merged_at: str | None
    base: str | None  # the branch that it is for
    merge_commit: str | None
    title: str
    source: str


class ForgeFacts(NamedTuple):
    publications: tuple[Publication, ...] = ()
    pulls: tuple[PullState, ...] = ()

    def pull(self, change: str) -> PullState | None:
        return next((p for p in self.pulls if p.change == change), None)


def published_versions(product: Product, facts: ForgeFacts) -> dict[str, Publication]:
    """The publications of a product by version; those that were taken down are no longer any."""
    found: dict[str, Publication] = {}
    for row in facts.publications:
        if row.repo != product.repo or row.gone:
            continue
        for layout in product.layouts:
            version = version_in(layout.tag, row.tag)
            if version is None:
                continue
            core = version.partition("-")[0] if is_prerelease(product.scheme, version) else version
            if in_range(product.scheme, core, layout.start, layout.end):
                found.setdefault(version, row)
    return found


def publication_pins(product: Product, facts: ForgeFacts) -> tuple[Pin, ...]:
    """A publication shows that a version was released, also where only its branch is left."""
    return tuple(Pin(v, row.day, row.url) for v, row in published_versions(product, facts).items())


def as_published(product: Product, points: tuple[Point, ...], facts: ForgeFacts) -> tuple[Point, ...]:
    """The points with their days of publication, and one more for each publication whose tag is not there."""
    published = published_versions(product, facts)
    found: list[Point] = []
    for point in points:
        version = next((v for v in published if same(product.scheme, v, point.version)), None)
        if version is None:
            found.append(_taken_down(product, point, facts))
            continue
        row = published.pop(version)
        early = point.date is not None and row.day < point.date and not point.by
        note = f"published {row.day}, before {point.ref} was made on {point.date}" if early else point.note
        found.append(point._replace(date=row.day, by=None, released=True, note=note))
    for version, row in published.items():
        note = f"published as {row.url}; its tag {row.tag} is not in what was read"
        found.append(Point(version, (), row.tag, row.day, None, Confidence.UNKNOWN, True, note))
    return tuple(found)


def _taken_down(product: Product, point: Point, facts: ForgeFacts) -> Point:
    gone = next((p for p in facts.publications if p.gone and p.repo == product.repo and p.tag == point.ref), None)
    return point._replace(note=f"its publication {gone.url} was taken down") if gone else point
