"""What changed between two diagnoses of one text, and which changed rule has to do with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bot.difference.sides import Rule
from bot.difference.texts import Item
from kb.model import Diagnosis, Problem
from signatures.extract.redact import redact
from signatures.model import CERTAINTY_ORDER, Certainty

# In the order in which they are looked at first.
CHANGES = ("gained", "lost", "moved", "raised", "lowered", "fix", "shadow")


class State(NamedTuple):
    """One thing that a text came to. kind: problem; signature, of unknown cause; shadow, which is counted only."""

    kind: str
    id: str
    signature: str
    certainty: str
    fix: str | None  # verdict, of a problem

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.id


class Change(NamedTuple):
    """`kind` is one of CHANGES. A gain may come out of shadow, and a loss go there."""

    kind: str
    before: State | None
    after: State | None


class Row(NamedTuple):
    """A change in one text. `words`: of the report, redacted."""

    item: Item
    change: Change
    words: str


def states_of(diagnosis: Diagnosis) -> tuple[State, ...]:
    """Best first."""
    known = (
        State("problem", k.problem.id, k.signature, k.certainty.value, k.fix.verdict.value) for k in diagnosis.known
    )
    bare = (State("signature", s.signature, s.signature, s.certainty.value, None) for s in diagnosis.signatures)
    counted = (State("shadow", s.signature, s.signature, s.certainty.value, None) for s in diagnosis.shadow)
    return (*known, *bare, *counted)


def rows_of(item: Item, before: Diagnosis, after: Diagnosis) -> tuple[Row, ...]:
    """Everything that a text comes to otherwise than before."""
    changes = compared(states_of(before), states_of(after))
    return tuple(Row(item, c, _words(c, before, after)) for c in changes)


def compared(before: tuple[State, ...], after: tuple[State, ...]) -> tuple[Change, ...]:
    old = {s.key: s for s in before if s.kind != "shadow"}
    new = {s.key: s for s in after if s.kind != "shadow"}
    old_shadow = {s.signature: s for s in before if s.kind == "shadow"}
    new_shadow = {s.signature: s for s in after if s.kind == "shadow"}
    found = [c for key in old.keys() & new.keys() if (c := _same_subject(old[key], new[key])) is not None]
    lost = [s for key, s in old.items() if key not in new]
    for gained in (s for key, s in new.items() if key not in old):
        came_from = old_shadow.pop(gained.signature, None)
        instead = _instead(gained, lost) if came_from is None else None
        if instead is not None:
            lost.remove(instead)
            found.append(Change("moved", instead, gained))
        else:
            found.append(Change("gained", came_from, gained))
    found += (Change("lost", s, new_shadow.pop(s.signature, None)) for s in lost)
    for signature in sorted({*old_shadow, *new_shadow}):
        pair = old_shadow.get(signature), new_shadow.get(signature)
        if pair[0] != pair[1]:
            found.append(Change("shadow", *pair))
    return tuple(sorted(found, key=lambda c: (CHANGES.index(c.kind), str(c.after or c.before))))


def _same_subject(old: State, new: State) -> Change | None:
    if old.certainty != new.certainty:
        rank = [CERTAINTY_ORDER.index(Certainty(s.certainty)) for s in (old, new)]
        return Change("raised" if rank[1] < rank[0] else "lowered", old, new)
    return Change("fix", old, new) if old.fix != new.fix else None


def _instead(gained: State, lost: list[State]) -> State | None:
    """What an answer took the place of: rather one of the same words."""
    return next((s for s in lost if s.signature == gained.signature), lost[0] if lost else None)


def _words(change: Change, before: Diagnosis, after: Diagnosis) -> str:
    state, diagnosis = (change.after, after) if change.after is not None else (change.before, before)
    if state is None:
        return ""
    quotes = (
        *(q for k in diagnosis.known if k.problem.id == state.id for q in k.evidence),
        *(q for s in diagnosis.signatures if s.signature == state.signature for q in s.evidence),
        *(q for s in diagnosis.shadow if s.signature == state.signature for q in s.evidence),
    )
    return redact(quotes[0].text) if quotes else ""


def by_rule(
    rows: Iterable[Row], changed: tuple[Rule, ...], problems: Iterable[Problem]
) -> Mapping[Rule | None, list[Row]]:
    """The rows of each changed rule; None for what no changed rule names, such as a consequence further off."""
    order: dict[Rule | None, list[Row]] = {rule: [] for rule in changed}
    order[None] = []
    shown_by: dict[str, set[str]] = {}
    for p in problems:
        for s in p.symptoms:
            shown_by.setdefault(s.signature, set()).add(p.id)
    for row in rows:
        order[_rule(row.change, changed, shown_by)].append(row)
    return {rule: own for rule, own in order.items() if own}


def _rule(change: Change, changed: tuple[Rule, ...], shown_by: dict[str, set[str]]) -> Rule | None:
    """The changed rule nearest to a change: its signature, its problem, a sibling of that, then what is no rule of one
    failure."""
    states = [s for s in (change.after, change.before) if s is not None]
    signatures = {s.signature for s in states}
    problems = {s.id for s in states if s.kind == "problem"}
    siblings = {p for s in signatures for p in shown_by.get(s, ())}
    for kind, ids in (("signature", signatures), ("problem", problems), ("problem", siblings)):
        found = next((r for r in changed if r.kind == kind and r.id in ids), None)
        if found is not None:
            return found
    rest = [r for r in changed if r.kind not in ("signature", "problem")] or list(changed)
    return rest[0] if len(rest) == 1 else None
