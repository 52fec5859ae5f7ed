"""Which release carries a change, and which product release carries that: the edges of the delivery graph.

Computed from observed rows alone, never from a version's size: a delivery is a set of releases, not "X and later".
Where no row speaks, the answer is None or nothing. A day (`as_of`, an ISO date) hides what was published after it.
"""

from __future__ import annotations

from collections.abc import Callable

from kb.model import Knowledge, Product, Release, Scheme
from kb.versions import compare, is_prerelease, ordered, same

MODEL = "model:"


def product_of(knowledge: Knowledge, id_: str) -> Product | None:
    return next((p for p in knowledge.products if p.id == id_), None)


def scheme_of(knowledge: Knowledge, component: str) -> Scheme | None:
    """How a component's versions compare; None for a component that nothing is known of."""
    if component.startswith(MODEL):
        return Scheme.REVISION
    known = product_of(knowledge, component)
    return known.scheme if known else None


def name_of(knowledge: Knowledge, component: str) -> str:
    """What people call a component: its title, or a model's name."""
    known = product_of(knowledge, component)
    return known.title if known else component.removeprefix(MODEL)


def releases_of(knowledge: Knowledge, product: str, version: str) -> tuple[Release, ...]:
    """The observed rows of one version of a product."""
    scheme = scheme_of(knowledge, product)
    if scheme is None:
        return ()
    return tuple(r for r in knowledge.observed.releases if r.product == product and same(scheme, r.version, version))


def bundled(knowledge: Knowledge, product: str, version: str, component: str) -> tuple[str, str] | None:
    """(component version, source) that a product's release carries; None where unobserved or rows contradict."""
    stated = {v: r.source for r in releases_of(knowledge, product, version) for c, v in r.bundles if c == component}
    return next(iter(stated.items())) if len(stated) == 1 else None


def carrying_products(knowledge: Knowledge, component: str) -> tuple[str, ...]:
    """The products of which a release is seen to carry a component, or whose manifests would state it."""
    seen = {r.product: None for r in knowledge.observed.releases if any(c == component for c, _ in r.bundles)}
    laid_out = (
        p.id for p in knowledge.products for row in p.layouts if any(b.component == component for b in row.bundles)
    )
    return tuple(seen | dict.fromkeys(laid_out))


def known_by(knowledge: Knowledge, component: str, version: str, as_of: str | None) -> bool:
    """Whether a release is known to have been public on a day. Without a day, every release is.

    The day it was published counts, else the day it was public at the latest, else the day of the first product
    release that carries it.
    """
    return as_of is None or any(day <= as_of for day in _days(knowledge, component, version))


def _days(knowledge: Knowledge, component: str, version: str) -> list[str]:
    rows = releases_of(knowledge, component, version)
    exact = [r.date for r in rows if r.date]
    if exact:
        return exact
    bounds = [r.by for r in rows if r.by]
    scheme = scheme_of(knowledge, component)
    if scheme is None:
        return bounds
    carrying = (
        r for r in knowledge.observed.releases if any(c == component and same(scheme, v, version) for c, v in r.bundles)
    )
    return bounds + [day for r in carrying if (day := r.date or r.by)]


def date_of(knowledge: Knowledge, component: str, version: str) -> str | None:
    """The day a release was published; None where only a bound or nothing is known."""
    return next((r.date for r in releases_of(knowledge, component, version) if r.date), None)


def carrying_components(knowledge: Knowledge, changes: tuple[str, ...]) -> tuple[str, ...]:
    """The components whose releases are seen to carry some of the changes; () unless each change is delivered."""
    rows = [d for d in knowledge.observed.deliveries if d.change in changes and d.releases]
    if {d.change for d in rows} != set(changes):
        return ()
    return tuple(dict.fromkeys(d.component for d in rows))


def carriers(
    knowledge: Knowledge, changes: tuple[str, ...], component: str, as_of: str | None = None
) -> tuple[str, ...]:
    """The releases of a component, earliest first, seen to carry all of the changes that concern it.

    () where a change is delivered nowhere: half a fix is none. Changes that only other components deliver are
    `carrying_components`' matter.
    """
    scheme = scheme_of(knowledge, component)
    if scheme is None or component not in carrying_components(knowledge, changes):
        return ()
    sets = [d.releases for d in knowledge.observed.deliveries if d.component == component and d.change in changes]
    common = [v for v in sets[0] if all(any(same(scheme, v, other) for other in s) for s in sets[1:])]
    return tuple(v for v in ordered(scheme, tuple(common)) if known_by(knowledge, component, v, as_of))


def observed_versions(knowledge: Knowledge, component: str) -> tuple[str, ...]:
    """Every version of a component that any observed row names, earliest first."""
    scheme = scheme_of(knowledge, component)
    if scheme is None:
        return ()
    rows = knowledge.observed
    named = [r.version for r in rows.releases if r.product == component]
    named += (v for r in rows.releases for c, v in r.bundles if c == component)
    named += (v for d in rows.deliveries if d.component == component for v in d.releases)
    return ordered(scheme, tuple(named))


def first_release(scheme: Scheme, versions: tuple[str, ...], after: str | None = None) -> str | None:
    """The earliest of these versions that is later than `after`; a pre-release only for who runs one."""
    early = after is not None and is_prerelease(scheme, after)
    return next(
        (
            v
            for v in ordered(scheme, versions)
            if (after is None or compare(scheme, v, after) == 1) and (early or not is_prerelease(scheme, v))
        ),
        None,
    )


def first_product_release(
    knowledge: Knowledge,
    product: str,
    component: str,
    good: Callable[[str, str], bool],
    *,
    after: str | None = None,
    as_of: str | None = None,
) -> str | None:
    """The earliest public release of a product that is later than `after` and `good(version, component version)`."""
    scheme = scheme_of(knowledge, product)
    if scheme is None:
        return None
    carrying = tuple(
        r.version
        for r in knowledge.observed.releases
        if r.product == product
        and known_by(knowledge, product, r.version, as_of)
        and (inside := bundled(knowledge, product, r.version, component)) is not None
        and good(r.version, inside[0])
    )
    return first_release(scheme, carrying, after)
