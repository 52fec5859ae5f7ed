"""The whole chain of one change: where it landed, which component releases carry it, which product releases have those.

The clock is an argument: without a day, everything seen counts; with one, what was public later is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping

from kb.delivery import scheme_of
from kb.graph.bundles import ProductRelease, carried_version, pins, product_releases
from kb.graph.deliveries import component_trace, naive_first, recorded_trace
from kb.graph.evidence import Change, events, find_change
from kb.graph.model import Carriage, ComponentTrace, History, Manifested, Point, ProductTrace, Trace, Where
from kb.graph.places import Place, Places
from kb.graph.points import points
from kb.graph.published import (
    ForgeFacts,
    as_published,
    publication_pins,
    pull_notes,
    pull_standing,
    releases_as_published,
)
from kb.model import Delivery, FixState, Knowledge, Product
from kb.versions import in_range, is_prerelease, ordered, same

_NO_FACTS = ForgeFacts()


class Graph:
    """Histories and manifests of some repositories beside what is recorded; traces any change of them."""

    def __init__(
        self,
        knowledge: Knowledge,
        histories: Mapping[str, History],
        manifests: tuple[Manifested, ...] = (),
        facts: ForgeFacts = _NO_FACTS,
    ) -> None:
        """`histories` by owner/repo. Recorded releases and deliveries stand in for repositories that are not there;
        `facts` are what the forge says beside git."""
        self.knowledge = knowledge
        self.histories = dict(histories)
        self.manifests = manifests
        self.facts = facts
        recorded = knowledge.observed.releases
        self.releases: dict[str, tuple[ProductRelease, ...]] = {
            p.id: releases_as_published(
                p, product_releases(p, self.histories.get(p.repo or ""), manifests, recorded), facts
            )
            for p in knowledge.products
        }
        self._points: dict[str, tuple[Point, ...]] = {}
        self._places: dict[str, Places] = {}

    def components(self, repo: str) -> tuple[Product, ...]:
        """The products that are made in a repository."""
        return tuple(p for p in self.knowledge.products if (p.repo or "").casefold() == repo.casefold())

    def points(self, component: Product) -> tuple[Point, ...]:
        """The releases of a component, with the branches that may be some."""
        if component.id not in self._points:
            history = self.histories.get(component.repo or "")
            every = tuple(r for rows in self.releases.values() for r in rows)
            shown = pins(self.knowledge, component, every) + publication_pins(component, self.facts)
            made = points(component, history, shown) if history is not None else ()
            self._points[component.id] = as_published(component, made, self.facts) if history is not None else ()
        return self._points[component.id]

    def places(self, repo: str) -> Places:
        if repo not in self._places:
            every = tuple(point for p in self.components(repo) for point in self.points(p))
            self._places[repo] = Places(self.histories[repo], every)
        return self._places[repo]

    def trace(self, change: str, as_of: str | None = None) -> Trace:
        """The chain of owner/repo#N or owner/repo@sha. Without the repository's history, what was recorded of it.

        Raises ValueError where `change` is none.
        """
        repo, number, sha = split_change(change)
        if repo not in self.histories:
            return self._recorded_trace(change, repo, as_of)
        places = self.places(repo)
        found = find_change(places, number, sha)
        pull = self.facts.pull(change)
        if pull is not None and pull.merge_commit and not events(places, found):
            # its title does not say so, but the forge names the commit
            found = find_change(places, None, pull.merge_commit)
        # a product of the repository without any release in it comes last
        mine = sorted(self.components(repo), key=lambda p: not self.points(p))
        made = tuple(self._component(p, places, found, change, as_of) for p in mine)
        state, at, title = _state(places, found, as_of)
        notes = (*self._notes(places, found, repo), *pull_notes(pull, state, at))
        if state == "unknown" and pull is not None:
            state, at, more = pull_standing(pull, places.history.main, as_of)
            title, notes = pull.title, (*more, *notes)
        commits = tuple(c for c in self._commits(places, found, repo) if as_of is None or c.date[:10] <= as_of)
        products = tuple(t for c in made for t in self._products(c, change, at, as_of))
        naive = made[0].naive if made else None
        return Trace(change, state, at, title, commits, naive, made, products, notes)

    def _component(self, p: Product, places: Places, found: Change, change: str, as_of: str | None) -> ComponentTrace:
        made = component_trace(p, places, found, self.points(p), self.recorded(change, p.id), as_of)
        return made._replace(naive=naive_first(places, found, p))

    def _recorded_trace(self, change: str, repo: str, as_of: str | None) -> Trace:
        rows = [d for d in self.knowledge.observed.deliveries if d.change == change]
        made = tuple(
            recorded_trace(p, d, self._releases_of(p), as_of)
            for d in rows
            if (p := self._made(d.component)) is not None
        )
        named = [f for p in self.knowledge.problems for f in p.fixes if change in f.all]
        # the day of a fix that needs several changes is that of the last one
        merged = next((f.merged for f in named if f.merged and len(f.all) == 1), None)
        if as_of is not None and merged is not None and merged > as_of:
            state, merged = "not-merged", None
        else:
            settled = any(f.state in (FixState.MERGED, FixState.RELEASED) for f in named)
            state = "merged" if merged or settled or any(c.releases for c in made) else "unknown"
        pull = self.facts.pull(change)
        notes: tuple[str, ...] = (f"from what was recorded: no mirror of {repo} was read",)
        if pull is not None and state == "unknown":
            state, merged, more = pull_standing(pull, None, as_of)
            notes += more
        elif pull is not None:
            notes += pull_notes(pull, state, merged)
            if state == "merged" and merged is None and pull.state == "merged":
                state, merged, _ = pull_standing(pull, None, as_of)
        products = tuple(t for c in made for t in self._products(c, change, merged, as_of))
        return Trace(change, state, merged, pull.title if pull else "", (), None, made, products, notes)

    def _made(self, component: str) -> Product | None:
        """The product of that id, or what stands for a model, which has no file of its own."""
        found = next((p for p in self.knowledge.products if p.id == component), None)
        scheme = scheme_of(self.knowledge, component)
        return found if found is not None or scheme is None else Product(component, component, scheme)

    def _releases_of(self, product: Product) -> tuple[ProductRelease, ...]:
        recorded = self.knowledge.observed.releases
        return self.releases.get(product.id) or product_releases(product, None, (), recorded)

    def recorded(self, change: str, component: str) -> Delivery | None:
        rows = self.knowledge.observed.deliveries
        return next((d for d in rows if d.change == change and d.component == component), None)

    def _commits(self, places: Places, found: Change, repo: str) -> tuple[Where, ...]:
        rows: dict[str, Where] = {}
        for event in events(places, found):
            place, evidence = event.place, event.evidence
            how = evidence.how
            if place.main:
                how = "merged" if how == "ancestry" else how
            if place.round is not None:
                how = f"{how} in round #{place.round}"
            rows.setdefault(
                place.commit.sha,
                Where(place.commit.sha, self._branch(places, place, repo), how, place.commit.date, evidence.sign),
            )
        return tuple(rows.values())

    def _branch(self, places: Places, place: Place, repo: str) -> str:
        if place.main:
            return places.history.main
        holding = [
            point
            for p in self.components(repo)
            for point in self.points(p)
            if any(places.ancestry.within(place.holder, sha) for sha in point.shas)
        ]
        if not holding:
            return ""
        first = holding[0]
        heads = [r for r in places.history.branches if places.ancestry.within(place.holder, r.sha)]
        named = [r.name.removeprefix("refs/heads/") for r in heads if r.name.endswith(first.version)]
        return named[0] if named else first.ref

    def _notes(self, places: Places, found: Change, repo: str) -> tuple[str, ...]:
        """Tags that contain the commit and are on a wrong one, and how far the history goes."""
        landed = [p.holder for p in found.landed]
        notes = []
        for p in self.components(repo):
            for point in self.points(p):
                misplaced = point.note.startswith("the tag ")
                if misplaced and landed and point.date and point.date >= found.landed[0].commit.date[:10]:
                    notes.append(f"{p.id} {point.version}: {point.note}")
        last = max((c.date for c in places.history.commits), default="")
        return (*notes, f"what was read of {repo} ends with {last[:10]}")

    def _products(
        self, component: ComponentTrace, change: str, merged_at: str | None, as_of: str | None
    ) -> tuple[ProductTrace, ...]:
        made = self._made(component.id)
        if made is None:
            return ()
        return tuple(
            product_trace(self.knowledge, p, made, component, releases, change, merged_at, as_of)
            for p in self.knowledge.products
            if p.id != component.id and (releases := self.carrying(p, component.id))
        )

    def carrying(self, product: Product, component: str) -> tuple[ProductRelease, ...]:
        """The releases of a product that carries a component, as far as anything says so."""
        rows = self.releases[product.id]
        laid_out = any(b.component == component for layout in product.layouts for b in layout.bundles)
        said = any(c == component for r in rows for c, _, _ in r.stated)
        return rows if laid_out or said else ()


def split_change(change: str) -> tuple[str, int | None, str | None]:
    """(owner/repo, number, sha) of owner/repo#N or owner/repo@sha. Raises ValueError."""
    repo, hash_, number = change.partition("#")
    if hash_ and number.isascii() and number.isdigit() and repo.count("/") == 1:
        return repo, int(number), None
    repo, at, sha = change.partition("@")
    if at and 7 <= len(sha) <= 40 and not set(sha) - set("0123456789abcdef") and repo.count("/") == 1:
        return repo, None, sha
    raise ValueError(f"{change!r} is no change; write owner/repo#123 or owner/repo@sha")


def _state(places: Places, found: Change, as_of: str | None) -> tuple[str, str | None, str]:
    """(state, when it was merged, its title)."""
    seen = events(places, found)
    brought = [e for e in seen if e.evidence.sign == 1 and e.evidence.how == "ancestry"]
    if not brought:
        return "unknown", None, ""
    first = min(brought, key=lambda e: e.evidence.date).place.commit
    if as_of is not None and first.date[:10] > as_of:
        return "not-merged", None, first.subject
    main = [e for e in seen if e.place.main and (as_of is None or e.evidence.date[:10] <= as_of)]
    if main and main[-1].evidence.sign == -1:
        return "reverted", first.date, first.subject
    return "merged", first.date, first.subject


def product_trace(
    knowledge: Knowledge,
    product: Product,
    component: Product,
    traced: ComponentTrace,
    releases: tuple[ProductRelease, ...],
    change: str,
    merged_at: str | None,
    as_of: str | None,
) -> ProductTrace:
    """Where each release of a product stands, by the component release that it carries: a set, never "and later"."""
    sorted_: dict[str, list[ProductRelease]] = {"fixed": [], "affected": [], "before": [], "unknown": []}
    carries: list[tuple[str, str, str]] = []
    contradictions: list[str] = []
    for release in releases:
        if as_of is not None and (release.day is None or release.day > as_of):
            continue
        version, where, contradiction = carried_version(release, component)
        if contradiction:
            contradictions.append(contradiction)
        carries.append((release.version, version or "unknown", where))
        sorted_[_standing(knowledge, component, traced, version, change)].append(release)
    first, at_latest = first_fixed(product, sorted_["fixed"], sorted_["unknown"], merged_at)
    versions = {k: tuple(r.version for r in rows) for k, rows in sorted_.items()}
    how = _product_how(first or at_latest, carries, component)
    return ProductTrace(
        product.id,
        first.version if first else None,
        at_latest.version if at_latest else None,
        first.day if first else None,
        versions["affected"],
        versions["fixed"],
        versions["unknown"],
        versions["before"],
        how,
        tuple(carries),
        tuple(contradictions),
    )


def _standing(
    knowledge: Knowledge, component: Product, traced: ComponentTrace, version: str | None, change: str
) -> str:
    if version is None:
        return "unknown"
    found: Carriage | None = next(
        (c for c in traced.carriages if same(component.scheme, c.point.version, version)), None
    )
    if found is None or found.carried is None:
        return "unknown"
    if found.carried:
        return "fixed"
    return "before" if _before(knowledge, component, version, change) else "affected"


def _before(knowledge: Knowledge, component: Product, version: str, change: str) -> bool:
    """Whether every problem that names the change says that the fault came in after this version."""
    rows = [
        row
        for problem in knowledge.problems
        if problem.withdrawn is None and any(change in fix.all for fix in problem.fixes)
        for row in problem.affected
        if row.component == component.id
    ]
    starts = [row.introduced for row in rows]
    return bool(starts) and all(s is not None and in_range(component.scheme, version, None, s) for s in starts)


def first_fixed(
    product: Product, fixed: list[ProductRelease], unknown: list[ProductRelease], merged_at: str | None
) -> tuple[ProductRelease | None, ProductRelease | None]:
    """(first fixed, at the latest): the second where a release that nothing decides may have come before."""
    final = [r for r in fixed if not is_prerelease(product.scheme, r.version)]
    if not final:
        return None, None
    order = ordered(product.scheme, tuple(r.version for r in final))
    first = min(final, key=lambda r: (r.day or "9999", order.index(r.version) if r.version in order else 0))
    since = merged_at[:10] if merged_at else ""
    open_ = [r for r in unknown if (r.day is None or first.day is None or since <= r.day <= first.day)]
    return (None, first) if open_ else (first, None)


def _product_how(first: ProductRelease | None, carries: list[tuple[str, str, str]], component: Product) -> str:
    if first is None:
        return "no release is seen to carry it"
    row = next(c for c in carries if c[0] == first.version)
    return f"{row[2]} says {component.id} {row[1]}"
