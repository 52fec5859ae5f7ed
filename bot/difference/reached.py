"""Which texts a change of the catalogue can make a difference to, found without diagnosing them."""

from __future__ import annotations

from collections.abc import Callable

from bot.difference.sides import Rule
from bot.difference.texts import Item
from bot.knowledge import Known
from signatures.extract.blocks import read_blocks
from signatures.extract.context import in_context
from signatures.loader import catalogue_of
from signatures.matcher import match_report
from signatures.model import Report

_LOCAL = ("signature", "problem")  # rules that have to do with the words of single failures


def reached_by(changed: tuple[Rule, ...], before: Known, after: Known) -> Callable[[Item], bool]:
    """Whether a text shows the words of a changed signature, or of one that shows a changed problem; in either state,
    and whatever its preconditions say. Any other text is read alike by both, unless what turns words into facts has
    changed: then every text is reached."""
    if any(rule.kind not in _LOCAL for rule in changed):
        return lambda _: True
    ids = {kind: {rule.id for rule in changed if rule.kind == kind} for kind in _LOCAL}
    problems = (p for side in (before, after) for p in side.knowledge.problems if p.id in ids["problem"])
    touched = ids["signature"] | {s.signature for p in problems for s in p.symptoms}
    every = (s for side in (before, after) for s in side.catalogue.signatures if s.id in touched)
    catalogue = catalogue_of(tuple(dict.fromkeys(s._replace(when=()) for s in every)))
    labels = tuple(label for p in after.names for label in p.labels)

    def reaches(item: Item) -> bool:
        blocks = in_context(item.issue, read_blocks(item.issue, after.vocabulary, labels))
        return bool(match_report(Report(item.issue, blocks, (), ()), catalogue))

    return reaches
