"""The values of the delivery graph: what a repository shows, and what follows from it for changes and releases.

Moments are UTC, written 2026-06-02T05:55:12Z; days are their first ten characters. Nothing is computed here.
"""

from __future__ import annotations

from enum import StrEnum

from signatures.values import NamedTuple


class Commit(NamedTuple):
    sha: str
    parents: tuple[str, ...]
    date: str  # the committer's
    authored: str  # author and moment of authorship, which a cherry-pick keeps
    subject: str
    body: str


class Ref(NamedTuple):
    name: str  # refs/tags/v0.14.0, refs/heads/rel-0.14.1
    sha: str  # the commit, also of an annotated tag
    date: str


class Patch(NamedTuple):
    """What one commit changes. A line is a number: the upper half stands for its path, the lower for its text."""

    touched: frozenset[int]  # the files, as the upper halves of their lines
    read: bool = False  # whether the contents could be read; without, only `touched` is known
    id: str | None = None  # `git patch-id --stable`; None for a commit that changes no text
    added: frozenset[int] = frozenset()
    removed: frozenset[int] = frozenset()
    marked: tuple[str, ...] = ()  # paths into which conflict markers come
    unmarked: tuple[str, ...] = ()  # paths from which they go


class Stated(NamedTuple):
    """What a file says at one commit. `value` is None where the file or the place in it is missing."""

    sha: str
    file: str
    pointer: str
    value: str | None


class History(NamedTuple):
    """What one repository shows, as far as deliveries need it."""

    repo: str
    main: str  # the name of the branch that changes are merged to
    head: str  # its commit
    commits: tuple[Commit, ...]  # parents before children
    tags: tuple[Ref, ...] = ()
    branches: tuple[Ref, ...] = ()  # release branches
    pulls: tuple[tuple[int, str], ...] = ()  # the last commit of pull requests that may be rounds of picks
    stated: tuple[Stated, ...] = ()
    patches: tuple[tuple[str, Patch], ...] = ()
    trees: tuple[tuple[str, str], ...] = ()  # commit -> tree, of rounds and of the last commits of their requests
    wrote: tuple[tuple[str, str], ...] = ()  # (commit, file): commits off main that change a version file
    earlier: tuple[Ref, ...] = ()  # refs as they were seen before, where they have moved or gone since


class Manifested(NamedTuple):
    """What a product's manifest at one tag says of one component."""

    product: str
    version: str
    tag: str
    component: str
    manifest: str
    value: str | None  # None where it states no exact version
    found: bool  # whether the file is there at all


class Confidence(StrEnum):
    CERTAIN = "certain"
    LIKELY = "likely"
    UNKNOWN = "unknown"


class Point(NamedTuple):
    """One release of a component, and the commits that may be it."""

    version: str
    shas: tuple[str, ...]  # several where a tag has moved
    ref: str
    date: str | None  # day of publication, as far as the ref shows it
    by: str | None  # else public on this day at the latest
    confidence: Confidence  # of what the release contains
    released: bool  # False for a release branch that nothing shows to have been published
    note: str
    unsettled: frozenset[str] = frozenset()  # commits of the ref that may have come after the release
    since: str | None = None  # not public before this day, where `date` is not known


class Evidence(NamedTuple):
    """One thing that speaks for or against a change being in a release."""

    sha: str
    sign: int  # 1 brings the change in, -1 takes it out, 0 does one of both
    how: str  # ancestry, patch-id, pick-line, title, body, author, subject, content, revert, re-landing
    confidence: Confidence
    source: str
    date: str
    also: tuple[str, ...] = ()  # other ways in which the same commit says the same


class Carriage(NamedTuple):
    """Whether one release carries a change. `carried` is None where the evidence does not decide."""

    point: Point
    carried: bool | None
    how: str
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    why: str


class Where(NamedTuple):
    """One commit that brings a change somewhere, or takes it out."""

    sha: str
    branch: str
    how: str
    date: str
    sign: int = 1


class ComponentTrace(NamedTuple):
    id: str
    first_release: str | None
    at_latest: str | None  # where the first release is unknown: it is this one or an earlier one
    released_at: str | None
    how: str
    confidence: Confidence
    releases: tuple[str, ...]  # earliest first
    unknown: tuple[str, ...]  # releases for which nothing decides
    candidates: tuple[str, ...]  # branches that carry it and that nothing shows to be released
    carriages: tuple[Carriage, ...]
    contradictions: tuple[str, ...] = ()
    naive: str | None = None  # the first release that `git tag --contains` names
    bound: bool = False  # `released_at` is a day by which it was public, for want of the day itself


class ProductTrace(NamedTuple):
    product: str
    first_fixed: str | None
    at_latest: str | None  # where the first fixed release is unknown: it is this one or an earlier one
    first_fixed_at: str | None
    affected: tuple[str, ...]
    fixed: tuple[str, ...]
    unknown: tuple[str, ...]
    before: tuple[str, ...]  # releases from before the fault, by the problems that name the change
    how: str
    carries: tuple[tuple[str, str, str], ...]  # (release, component version, source)
    contradictions: tuple[str, ...] = ()


class Trace(NamedTuple):
    change: str
    state: str  # merged, reverted, not-merged, unknown; open, draft or closed where only the forge knows it
    merged_at: str | None
    title: str
    commits: tuple[Where, ...]
    naive: str | None  # that of the first component
    components: tuple[ComponentTrace, ...]
    products: tuple[ProductTrace, ...]
    notes: tuple[str, ...] = ()
