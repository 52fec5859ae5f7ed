"""What a forge says beside git: releases as they were published, and where pull requests stand.

A publication beats the day of its tag, since a tag may be made long before; what it contradicts is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key

from kb.graph.bundles import ProductRelease
from kb.graph.model import Confidence, Point
from kb.graph.points import Pin, version_in
from kb.model import Product
from kb.versions import compare, in_range, is_prerelease, same
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any


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


class Kept(NamedTuple):
    """What an earlier reading of a list of releases left behind: its ETag, and each release by its number."""

    etag: str | None
    rows: tuple[tuple[int, Publication], ...]


class ForgeFacts(NamedTuple):
    publications: tuple[Publication, ...] = ()
    pulls: tuple[PullState, ...] = ()

    def pull(self, change: str) -> PullState | None:
        return next((p for p in self.pulls if p.change == change), None)

    def over(self, base: ForgeFacts) -> ForgeFacts:
        """These over others: a release or a pull request that both name counts as it is here."""
        publications = {(p.repo, p.url): p for p in (*base.publications, *self.publications)}
        pulls = {p.change: p for p in (*base.pulls, *self.pulls)}
        return ForgeFacts(tuple(publications.values()), tuple(pulls.values()))


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


def versions_of(product: Product, rows: tuple[Publication, ...]) -> tuple[tuple[str, Publication], ...]:
    """The publications that are releases of a product, each with its version; also those that were taken down."""
    kept = tuple(row._replace(gone=False) for row in rows)
    made = published_versions(product, ForgeFacts(kept))
    return tuple((v, row) for row in rows for v, k in made.items() if row._replace(gone=False) == k)


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
            found.append(_taken_down(point, product, facts))
            continue
        row = published.pop(version)
        found.append(point._replace(date=row.day, by=None, released=True, note=_dated(point.note, row, point.date)))
    for version, row in published.items():
        note = f"published as {row.url}; its tag {row.tag} is not in what was read"
        found.append(Point(version, (), row.tag, row.day, None, Confidence.UNKNOWN, True, note))
    return tuple(sorted(found, key=_order(product)))


def releases_as_published(
    product: Product, releases: tuple[ProductRelease, ...], facts: ForgeFacts
) -> tuple[ProductRelease, ...]:
    """The same for the releases of a product. One without a tag carries what was recorded of it, or nothing known."""
    published = published_versions(product, facts)
    found: list[ProductRelease] = []
    for release in releases:
        version = next((v for v in published if same(product.scheme, v, release.version)), None)
        if version is None:
            found.append(release)
            continue
        row = published.pop(version)
        note = _dated("", row, release.date)
        notes = (*release.notes, note) if note else release.notes
        found.append(release._replace(date=row.day, by=None, notes=notes))
    found += (ProductRelease(product.id, v, row.day, None, row.url, ()) for v, row in published.items())
    return tuple(sorted(found, key=_order(product)))


def _order(product: Product) -> Callable[[Point | ProductRelease], Any]:
    return cmp_to_key(lambda a, b: compare(product.scheme, a.version, b.version) or 0)


def _dated(note: str, row: Publication, tagged: str | None) -> str:
    """A note, with what the publication and git say differently."""
    words = [note] if note else []
    if tagged is not None and row.day < tagged:
        words.append(f"{row.url} says published {row.day}, but what {row.tag} is on was made {tagged}")
    if row.prerelease:
        words.append(f"{row.url} calls it a pre-release")
    return "; ".join(words)


def _taken_down(point: Point, product: Product, facts: ForgeFacts) -> Point:
    gone = next((p for p in facts.publications if p.gone and p.repo == product.repo and p.tag == point.ref), None)
    return point._replace(note=f"its publication {gone.url} was taken down") if gone else point


def pull_notes(pull: PullState | None, state: str, merged_at: str | None) -> tuple[str, ...]:
    """What GitHub says of a pull request otherwise than git does; equal words are one and need none."""
    if pull is None or state not in ("merged", "reverted"):
        return ()
    if pull.state != "merged":
        how = "is closed without a merge" if pull.state == "closed" else f"is {pull.state}"
        return (f"contradiction: {pull.source} says that it {how}, git that it is part of main",)
    if merged_at is not None and pull.merged_at is not None and pull.merged_at[:10] != merged_at[:10]:
        return (f"contradiction: {pull.source} says merged {pull.merged_at}, git says {merged_at}",)
    return ()


def pull_standing(pull: PullState, main: str | None, as_of: str | None) -> tuple[str, str | None, tuple[str, ...]]:
    """(state, when it was merged, notes) of a pull request of which git shows nothing."""
    if pull.state != "merged":
        note = () if as_of is None else (f"{pull.source} is {pull.state}, as it was read last",)
        return pull.state, None, note
    if as_of is not None and (pull.merged_at or "")[:10] > as_of:
        return "not-merged", None, ()
    where = f"{pull.base}{f' as {pull.merge_commit[:9]}' if pull.merge_commit else ''}"
    unread = "" if main is None else ", which is not part of what was read" if pull.base == main else f", not {main}"
    return "merged", pull.merged_at, (f"{pull.source} says merged into {where}{unread}",)
