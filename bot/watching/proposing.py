"""Answers computed anew after something changed, and the proposals that follow from them."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime

from bot.authoring.rule_life import life_of
from bot.commands.observe import NAME, kept_rows, text_of
from bot.knowledge import load_known
from bot.storage import export, record_graph, seen_by
from bot.upstream.asking import known_knowledge, repositories
from bot.upstream.mirrors import kept_mirrors
from bot.upstream.observed_text import observed_text
from bot.upstream.reading import read_graph
from bot.watching.facts import forge_facts, watched_changes
from bot.watching.files import authored_files, signature_files
from kb.graph.observed import observed_rows
from kb.loader import SHIPPED
from kb.model import Knowledge, Observed
from kb.proposals import AuthoredFile, file_proposal, problem_proposals
from kb.records import ProposalRecord
from kb.store import Store
from kb.upkeep import asked, promotion_proposals
from signatures.loader import SHIPPED as CATALOGUE
from signatures.loader import SignatureFile
from signatures.model import Stage
from signatures.upkeep import load_upkeep
from signatures.values import NamedTuple

_LISTED = 6  # releases named in a title


class Recomputed(NamedTuple):
    new: tuple[ProposalRecord, ...]
    trouble: tuple[str, ...]


def recompute(
    store: Store, layers: list[str], moment: Callable[[], datetime], tick: Callable[[str], None]
) -> Recomputed:
    """Read what the mirrors show, keep it, and propose what follows; settle what nothing calls for any more."""
    knowledge = known_knowledge(layers)
    stated = load_known(tuple(layers), newer=False).knowledge
    repos = repositories(knowledge)
    facts = forge_facts(store, repos, watched_changes(knowledge))
    read = read_graph(knowledge, kept_mirrors(repos), tick, facts=facts)
    record_graph(store, read.graph)
    export(store, stated)
    made = list(problem_proposals(read.graph, authored_files(layers)))
    snapshot = _snapshot(store, layers, stated)
    made += [snapshot] if snapshot is not None else []
    in_shadow = [f for f in signature_files(layers) if f[0].signature.stage is Stage.SHADOW]
    made += _promotions(store, layers, stated, in_shadow)
    new = tuple(p for p in made if store.record_proposal(p, moment()))
    _settle(store, {p.key for p in made} | {asked(f.signature.id) for f, _ in in_shadow}, layers, moment)
    return Recomputed(new, read.failed)


def _snapshot(store: Store, layers: list[str], stated: Knowledge) -> ProposalRecord | None:
    """The releases and bundles that the store knows and observed.toml does not."""
    path = os.path.join(layers[-1] if layers else SHIPPED, NAME)
    kept, elsewhere = kept_rows(path, layers, stated.observed)
    rows = observed_rows(stated, kept, elsewhere, seen_by(store))
    file = AuthoredFile(NAME if layers else f"kb/{NAME}", text_of(path))
    news = _news(kept, rows.rows)
    if not news:
        return None
    title = f"{NAME}: {'; '.join(news[:_LISTED])}{f' and {len(news) - _LISTED} more' if len(news) > _LISTED else ''}"
    return file_proposal("observed", file, observed_text(rows), title, "; ".join(news))


def _promotions(
    store: Store, layers: list[str], stated: Knowledge, in_shadow: list[tuple[SignatureFile, AuthoredFile]]
) -> tuple[ProposalRecord, ...]:
    """Signatures in shadow that maintainers called right often enough."""
    if not in_shadow:
        return ()
    folder = os.path.join(layers[-1], "signatures") if layers else CATALOGUE
    enough = load_upkeep(folder)[0].promote_at
    tallied = life_of(store, stated).tallies
    return promotion_proposals(in_shadow, tallied, enough)


def _news(old: Observed, new: Observed) -> list[str]:
    known = {(r.product, r.version): r for r in old.releases}
    found: list[str] = []
    for r in new.releases:
        before = known.get((r.product, r.version))
        inside = ", ".join(f"{c} {v}" for c, v in r.bundles)
        if before is None:
            found.append(f"{r.product} {r.version}{f' bundles {inside}' if inside else ''}")
        elif before != r:
            found.append(f"{r.product} {r.version} differs")
    deliveries = {(d.change, d.component): d for d in old.deliveries}
    found += (f"{d.change} in {d.component}" for d in new.deliveries if deliveries.get((d.change, d.component)) != d)
    return found


def _settle(store: Store, wanted: set[str], layers: list[str], moment: Callable[[], datetime]) -> None:
    """A proposal whose lines are in its file was taken; one that is called for no more is superseded."""
    texts = {f.path: f.text for f in authored_files(layers).values()}
    texts |= {f.path: f.text for _, f in signature_files(layers)}
    texts["observed.toml" if layers else f"kb/{NAME}"] = text_of(os.path.join(layers[-1] if layers else SHIPPED, NAME))
    for p in store.proposals():
        added = [line[1:] for line in p.diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
        taken = bool(added) and set(added) <= set(texts.get(p.file, "").splitlines())
        if taken:
            store.settle_proposal(p.key, "taken", moment())
        elif p.key not in wanted and not p.key.startswith("family "):
            store.settle_proposal(p.key, "superseded", moment())
