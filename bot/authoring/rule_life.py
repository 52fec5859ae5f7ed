"""The signatures at hand with who owns them, when each is due, and how it has done by the store's sightings."""

from __future__ import annotations

import os
from datetime import datetime

from kb.model import Knowledge
from kb.upkeep import Stale, Tally, stale_problems, stale_signature, tallies
from signatures import loader as catalogue_files
from signatures.loader import LoadError, SignatureFile
from signatures.upkeep import Upkeep, load_upkeep, owners_of, review_due, reviewed_on
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kb.store import Store


class Rule(NamedTuple):
    """A signature with what its folder says of its upkeep."""

    file: SignatureFile
    upkeep: Upkeep

    @property
    def owners(self) -> tuple[str, ...]:
        return owners_of(self.file, self.upkeep)

    @property
    def due(self) -> str | None:
        """The day by which somebody is to look at it again."""
        return review_due(self.file, self.upkeep)

    @property
    def reviewed(self) -> str | None:
        return reviewed_on(self.file, self.upkeep)


class Life(NamedTuple):
    """How signatures have done. `since`: the day from which reports are kept; None where there is no store."""

    tallies: dict[str, Tally]
    since: datetime | None


def rules_of(
    layers: tuple[str, ...], only: frozenset[str] | None = None
) -> tuple[tuple[Rule, ...], tuple[LoadError, ...]]:
    """Every signature of the built-in folder and of `layers`, which replace one of the same id; withdrawn ones not.
    `only`: the ids that are wanted."""
    found: dict[str, Rule] = {}
    errors: list[LoadError] = []
    for folder in (catalogue_files.SHIPPED, *(os.path.join(os.path.abspath(d), "signatures") for d in layers)):
        upkeep, broken = load_upkeep(folder)
        errors += broken
        for path in catalogue_files.signature_files(folder):
            if only is not None and os.path.basename(path).removesuffix(".toml") not in only:
                continue
            file = catalogue_files.load_file(path, check=False)
            if isinstance(file, SignatureFile):
                found[file.signature.id] = Rule(file, upkeep)
    return tuple(r for r in found.values() if r.file.signature.withdrawn is None), tuple(errors)


def life_of(store: Store | None, knowledge: Knowledge) -> Life:
    if store is None:
        return Life({}, None)
    return Life(tallies(knowledge, store.rules_seen(), store.judged()), store.seeing_since())


def stale_rules(
    rules: tuple[Rule, ...], knowledge: Knowledge, life: Life, now: datetime, unseen_days: int | None
) -> tuple[Stale, ...]:
    """What somebody should look at, what is due first. `unseen_days` stands in for what the folders say."""
    found: list[Stale] = []
    for rule in rules:
        upkeep = rule.upkeep if unseen_days is None else rule.upkeep._replace(unseen_days=unseen_days)
        tally = life.tallies.get(rule.file.signature.id)
        stale = stale_signature(rule.file, rule.owners, upkeep, tally, now, life.since)
        found += [stale] if stale is not None else []
    found += stale_problems(knowledge, now.date().isoformat())
    return tuple(sorted(found, key=lambda s: (s.review_by or "9999", s.id)))
