"""Versions that should have a fix and are disputed: whether one is, and in whose words."""

from __future__ import annotations

from kb.delivery import bundled, scheme_of
from kb.model import Dispute, Knowledge
from kb.versions import same


def known_on(knowledge: Knowledge, as_of: str | None) -> Knowledge:
    """What is known, without the disputes that arose after a day. Without a day, all of it."""
    held = knowledge.observed.disputes
    kept = tuple(d for d in held if as_of is None or d.since is None or d.since <= as_of)
    return knowledge if kept == held else knowledge._replace(observed=knowledge.observed._replace(disputes=kept))


def dispute_of(knowledge: Knowledge, problem: str, product: str, version: str | None) -> str:
    """Why a version of a product or component is disputed; "" where it is not."""
    found = next(
        (d for d in disputes_of(knowledge, problem, product) if version and _same(knowledge, d, version)), None
    )
    return found.why if found is not None else ""


def doubts_of(knowledge: Knowledge, problem: str, component: str) -> tuple[tuple[str, str], ...]:
    """The disputed versions of a component itself, each with the reason."""
    return tuple((d.version, d.why) for d in disputes_of(knowledge, problem, component))


def doubted_release(knowledge: Knowledge, problem: str, product: str, version: str, component: str) -> str:
    """Why a product release is no advice: it is disputed, or carries the same component as a disputed one."""
    inside = bundled(knowledge, product, version, component)
    for d in disputes_of(knowledge, problem, product):
        other = bundled(knowledge, product, d.version, component)
        if _same(knowledge, d, version) or (inside is not None and other is not None and inside[0] == other[0]):
            return d.why
    return ""


def disputes_of(knowledge: Knowledge, problem: str, product: str) -> tuple[Dispute, ...]:
    """Every dispute about a problem in the versions of one product or component."""
    return tuple(d for d in knowledge.observed.disputes if d.problem == problem and d.product == product)


def _same(knowledge: Knowledge, dispute: Dispute, version: str) -> bool:
    scheme = scheme_of(knowledge, dispute.product)
    return scheme is not None and same(scheme, dispute.version, version)
