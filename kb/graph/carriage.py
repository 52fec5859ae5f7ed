"""Whether a release carries a change: the evidence in the order of the history, weighed.

The last word counts: a revert takes a change out although its commit stays an ancestor, and a re-landing brings it
back. Where the evidence does not decide, neither is said.
"""

from __future__ import annotations

from kb.graph.content import carried_back, taken_out_unsaid, unsaid
from kb.graph.evidence import Change, Event, place_words, rank, weight
from kb.graph.model import Carriage, Confidence, Point
from kb.graph.places import Place, Places


def carriage(places: Places, change: Change, seen: tuple[Event, ...], point: Point) -> Carriage:
    """Whether one release carries the change, by all commits that the release may be."""
    if not seen:
        return Carriage(point, None, "", Confidence.UNKNOWN, (), "nothing that was read names the change")
    if not point.shas:
        return Carriage(point, None, "", Confidence.UNKNOWN, (), point.note)
    each = [_at(places, change, seen, point, sha) for sha in point.shas]
    first = each[0]
    if any(c.carried is not first.carried for c in each):
        return first._replace(carried=None, confidence=Confidence.UNKNOWN, why=f"{point.note}; the two disagree")
    return first


def _at(places: Places, change: Change, seen: tuple[Event, ...], point: Point, sha: str) -> Carriage:
    inside = [e for e in seen if places.ancestry.within(e.place.holder, sha)]
    open_ = [e for e in inside if places.ancestry.commits[e.place.holder].sha in point.unsettled]
    settled = [e for e in inside if e not in open_]
    evidence = tuple(e.evidence for e in inside)
    made = _decide(places, change, settled, point, sha)._replace(evidence=evidence)
    if open_ and made.carried is not (open_[-1].evidence.sign == 1):
        why = f"{place_words(open_[-1].place)} came after {point.version} was written on {point.ref}"
        return made._replace(carried=None, confidence=Confidence.UNKNOWN, why=why)
    return made


def _decide(places: Places, change: Change, inside: list[Event], point: Point, sha: str) -> Carriage:
    if not inside:
        return _absent(places, change, point, sha)
    last = inside[-1].evidence
    opposite = [e for e in inside if e.evidence.sign != last.sign]
    if last.sign == 0:
        return Carriage(point, None, last.how, Confidence.UNKNOWN, (), f"{last.source} in part")
    if not all(places.ancestry.descends(inside[-1].place.holder, e.place.holder) for e in opposite):
        why = "it was brought in and taken out on lines that were merged later"
        return Carriage(point, None, last.how, Confidence.UNKNOWN, (), why)
    agreeing = [e.evidence for e in inside[_after(inside, last.sign) :]]
    best = min(agreeing, key=lambda e: weight(e.confidence, e.how))
    trust = max(best.confidence, point.confidence, key=rank)
    if last.sign < 0:
        if trust is Confidence.UNKNOWN:
            return Carriage(point, None, best.how, trust, (), f"{best.source}, which cannot be confirmed")
        gone = Carriage(point, False, "reverted", trust, (), best.source)
        return unsaid(places, change, point, sha, inside[-1].order) or gone
    broken = _broken(places, [e.place for e in inside[_after(inside, 1) :]], sha)
    if broken:
        return Carriage(point, None, best.how, Confidence.UNKNOWN, (), f"conflict markers were committed in {broken}")
    if trust is Confidence.UNKNOWN:
        return Carriage(point, None, best.how, trust, (), f"{best.source}, but its lines are not seen there")
    out = taken_out_unsaid(places, change, point, sha, inside[-1].order)
    if out is not None:
        return out
    how = best.how if inside[-1].place.round is None else f"{best.how} in round #{inside[-1].place.round}"
    return Carriage(point, True, how, trust, (), best.source)


def _after(inside: list[Event], sign: int) -> int:
    """Where the last run of events with one sign begins."""
    i = len(inside)
    while i and inside[i - 1].evidence.sign == sign:
        i -= 1
    return i


def _absent(places: Places, change: Change, point: Point, sha: str) -> Carriage:
    """No word of the change: it is not there, unless a commit that says nothing may hold it."""
    if point.confidence is Confidence.UNKNOWN:
        return Carriage(point, None, "", Confidence.UNKNOWN, (), point.note)
    found = carried_back(places, change, point, sha) or unsaid(places, change, point, sha, (-1, 0))
    return found or Carriage(point, False, "", point.confidence, (), "no trace of it")


def _broken(places: Places, brought: list[Place], sha: str) -> str | None:
    """A path where a pick left conflict markers that nothing has removed."""
    left: dict[str, None] = {}
    orders = {p.order for p in brought}
    first = min(orders, default=(0, 0))
    for place in sorted(places.markers, key=lambda p: p.order):
        if place.order < first or not places.ancestry.within(place.holder, sha):
            continue
        patch = places.patches[place.commit.sha]
        if place.order in orders:
            left.update(dict.fromkeys(patch.marked))
        for path in patch.unmarked:
            left.pop(path, None)
    return next(iter(left), None)
