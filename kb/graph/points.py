"""Which releases of a component a repository shows, and at which commit each one is.

A ref counts only where the version file at it agrees with its name: real tags sit on wrong commits. A release branch
without a tag is a release only where something else shows that it was published.
"""

from __future__ import annotations

from functools import cmp_to_key

from kb.graph.model import Confidence, History, Point, Ref
from kb.model import Layout, Product
from kb.versions import compare, in_range, is_prerelease, same
from signatures.values import NamedTuple


class Pin(NamedTuple):
    """Something that shows a version of a component to have been published."""

    version: str
    day: str | None  # published on this day at the latest
    source: str


def points(product: Product, history: History, pins: tuple[Pin, ...]) -> tuple[Point, ...]:
    """The releases of a component, earliest version first, and the branches that may be releases."""
    stated = {(s.sha, s.file): s.value for s in history.stated}
    found: list[Point] = []
    for layout in product.layouts:
        tagged: dict[str, list[Ref]] = {}
        for ref in history.tags:
            version = version_in(layout.tag, ref.name.removeprefix("refs/tags/"))
            if version is not None and _belongs(product, layout, version):
                tagged.setdefault(_known(product, tagged, version), []).append(ref)
        branches: dict[str, Ref] = {}
        for ref in history.branches:
            version = version_in(layout.branch, ref.name.removeprefix("refs/heads/")) if layout.branch else None
            if version is not None and _belongs(product, layout, version) and _agrees(product, layout, stated, ref):
                branches[_known(product, tagged, version)] = ref
        for version in dict.fromkeys((*tagged, *branches)):
            made = _point(
                product, layout, history, stated, version, tagged.get(version, []), branches.get(version), pins
            )
            if made is not None and not any(same(product.scheme, p.version, version) for p in found):
                found.append(made)

    def order(a: Point, b: Point) -> int:
        return compare(product.scheme, a.version, b.version) or 0

    return tuple(sorted(found, key=cmp_to_key(order)))


def version_in(pattern: str, name: str) -> str | None:
    """The version in a name made by a pattern such as cli-preview-{version}; None where it is another family's."""
    head, _, tail = pattern.partition("{version}")
    if len(name) <= len(head) + len(tail) or not (name.startswith(head) and name.endswith(tail)):
        return None
    return name[len(head) : len(name) - len(tail)]


def _belongs(product: Product, layout: Layout, version: str) -> bool:
    return compare(product.scheme, version, version) is not None and bool(
        in_range(product.scheme, version, layout.start, layout.end)
        if not is_prerelease(product.scheme, version)
        else in_range(product.scheme, _core(version), layout.start, layout.end)
    )


def _core(version: str) -> str:
    return version.partition("-")[0]


def _known(product: Product, known: dict[str, list[Ref]], version: str) -> str:
    return next((v for v in known if same(product.scheme, v, version)), version)


def _agrees(product: Product, layout: Layout, stated: dict[tuple[str, str], str | None], ref: Ref) -> bool:
    """Whether the version file at a release branch says what the branch's name says."""
    if layout.version_file is None or layout.branch is None:
        return False
    value = stated.get((ref.sha, layout.version_file))
    version = version_in(layout.branch, ref.name.removeprefix("refs/heads/"))
    return value is not None and version is not None and same(product.scheme, value, version)


def _point(
    product: Product,
    layout: Layout,
    history: History,
    stated: dict[tuple[str, str], str | None],
    version: str,
    tags: list[Ref],
    branch: Ref | None,
    pins: tuple[Pin, ...],
) -> Point | None:
    said = {t.sha: stated.get((t.sha, layout.version_file)) if layout.version_file else None for t in tags}
    wrong = [t for t in tags if (value := said[t.sha]) is not None and not same(product.scheme, value, version)]
    right = [t for t in tags if t not in wrong]
    if right:
        moved = _moved(history, right)
        unread = layout.version_file is not None and any(said[t.sha] is None for t in right)
        note = f"{_short(right[0])} has moved: it was at {moved[0][:9]}" if moved else ""
        if unread:
            note = note or f"{layout.version_file} is missing at {_short(right[0])}"
        shas = tuple(dict.fromkeys((*(t.sha for t in right), *moved)))
        trust = Confidence.LIKELY if unread else Confidence.CERTAIN
        return Point(version, shas, _short(right[0]), min(t.date for t in right)[:10], None, trust, True, note)
    misplaced = ""
    if wrong:
        said_there = f"{layout.version_file} says {said[wrong[0].sha]}"
        misplaced = f"the tag {_short(wrong[0])} is on {wrong[0].sha[:9]}, where {said_there}"
    if branch is not None:
        return _branch_point(product, layout, history, version, branch, wrong, misplaced, pins)
    if wrong:
        return Point(version, (), _short(wrong[0]), wrong[0].date[:10], None, Confidence.UNKNOWN, True, misplaced)
    return None


def _branch_point(
    product: Product,
    layout: Layout,
    history: History,
    version: str,
    branch: Ref,
    wrong: list[Ref],
    misplaced: str,
    pins: tuple[Pin, ...],
) -> Point:
    """A release that only its branch shows: what came after its version was written may not be part of it."""
    mine = [p for p in pins if same(product.scheme, p.version, version)]
    days = sorted(p.day for p in mine if p.day)
    pinned = min(mine, key=lambda p: p.day or "9999") if mine else None
    note = misplaced or f"no tag; the branch {_short(branch)} says {version}"
    if pinned is not None:
        note += f", and {pinned.source} pins it"
    elif wrong:
        note += f"; the branch {_short(branch)} says {version}"
    gone = any(r.name == branch.name and r.sha == branch.sha for r in history.earlier)
    if gone:
        note += "; the branch has been deleted since"
    date = max(branch.date, *(t.date for t in wrong))[:10] if wrong and not days else None
    released = bool(mine or wrong)
    by = days[0] if days else None
    unsettled = _after_bump(history, layout, branch, by)
    return Point(
        version,
        (branch.sha,),
        _short(branch),
        date,
        by,
        Confidence.LIKELY,
        released,
        note,
        unsettled,
        _written(history, layout, branch),
    )


def _after_bump(history: History, layout: Layout, branch: Ref, public: str | None) -> frozenset[str]:
    """Commits of a branch that came after its version was written, and after the day it was public at the latest."""
    by_sha = {c.sha: c for c in history.commits}
    bumps = {sha for sha, file in history.wrote if file == layout.version_file}
    found: list[str] = []
    sha = branch.sha
    while sha in by_sha and sha not in bumps:
        commit = by_sha[sha]
        if public is None or commit.date[:10] > public:
            found.append(sha)
        if not commit.parents:
            break
        sha = commit.parents[0]
    else:
        return frozenset(found)
    return frozenset()  # nobody wrote the version on this branch


def _written(history: History, layout: Layout, branch: Ref) -> str:
    """The day on which a branch got its version, or its last commit where it did not."""
    by_sha = {c.sha: c for c in history.commits}
    bumps = {sha for sha, file in history.wrote if file == layout.version_file}
    sha = branch.sha
    while sha in by_sha and sha not in bumps and by_sha[sha].parents:
        sha = by_sha[sha].parents[0]
    return by_sha[sha].date[:10] if sha in bumps and sha in by_sha else branch.date[:10]


def _moved(history: History, tags: list[Ref]) -> list[str]:
    known = {c.sha for c in history.commits}
    names = {t.name: t.sha for t in tags}
    return [r.sha for r in history.earlier if r.name in names and r.sha != names[r.name] and r.sha in known]


def _short(ref: Ref) -> str:
    return ref.name.removeprefix("refs/tags/").removeprefix("refs/heads/")
