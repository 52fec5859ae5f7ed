"""Whether a release carries a change: evidence for and against, in the order of the history, weighed.

The last word counts: a revert takes a change out although its commit stays an ancestor, and a re-landing brings it
back. Words alone ("#12" in a title) count less than an equal patch, and where the lines of a change are not to be
found in what claims to be its pick, nothing is decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from kb.graph.model import Carriage, Confidence, Evidence, Patch, Point
from kb.graph.places import Place, Places
from kb.graph.titles import is_round
from signatures.values import NamedTuple

# shares of a change's lines that a pick must show
AGREES = 0.5
FOREIGN = 0.2
ALL = 0.9
# lines without which an agreement of lines alone says nothing
ENOUGH_LINES = 6
SAME_MONTHS = 120  # days
LONG_TITLE = 40  # characters, which nobody writes twice by chance
_DEPTH = 6
_WAYS = ("ancestry", "patch-id", "pick-line", "title", "body", "author", "subject")  # the telling ones first
_PICK_WORDS = {"title": "its number in the title", "body": "its number in the list of picks"}


class Change(NamedTuple):
    """A change by its number, its commits on main, or both."""

    number: int | None
    landed: tuple[Place, ...]


class _Event(NamedTuple):
    place: Place
    evidence: Evidence

    @property
    def order(self) -> tuple[int, int]:
        return self.place.order


def find_change(places: Places, number: int | None, sha: str | None) -> Change:
    """The change of a pull request's number or of a commit; its `landed` is empty where main has it not."""
    if sha is not None:
        place = places.resolve(sha)
        if place is None:
            return Change(None, ())
        if not place.main or place.title.own is None:
            return Change(None, (place,))
        number = place.title.own
    own = [p for p, _, how in places.by_number.get(number or -1, ()) if how == "title" and p.title.own == number]
    return Change(number, tuple(p for p in own if p.main))


def events(places: Places, change: Change) -> tuple[_Event, ...]:
    """Everything that speaks for or against the change anywhere, in order."""
    found: dict[tuple[int, int, int], _Event] = {}

    def add(place: Place, sign: int, how: str, confidence: Confidence, source: str) -> None:
        key = (*place.order, sign)
        known = found[key].evidence if key in found else None
        if known is None or _weight(confidence, how) < _weight(known.confidence, known.how):
            evidence = Evidence(place.commit.sha, sign, how, confidence, source, place.commit.date)
            found[key] = _Event(place, evidence)

    for place, how, confidence, source in _brought_in(places, change):
        add(place, 1, how, confidence, source)
    for place, sign, how in places.by_number.get(change.number or -1, ()):
        if sign < 1 or (how == "title" and place.title.turned and place.title.own != change.number):
            words = "re-landing" if sign == 1 else "revert"
            add(place, sign, words, _of_pick(places, place, Confidence.LIKELY), _said(place, words))
    for event in tuple(found.values()):
        if event.evidence.sign == 1:
            for place, sign in _undone(places, event.place, 1, 0):
                words = "re-landing" if sign == 1 else "revert"
                add(place, sign, words, Confidence.CERTAIN, _said(place, words))
    return tuple(sorted(found.values(), key=lambda e: (e.order, e.evidence.sign)))


def _brought_in(places: Places, change: Change) -> Iterator[tuple[Place, str, Confidence, str]]:
    landed = {p.commit.sha for p in change.landed}
    for p in change.landed:
        yield p, "ancestry", Confidence.CERTAIN, f"{p.commit.sha[:9]} is part of it"
        patch = places.patches.get(p.commit.sha)
        id_ = patch.id if patch is not None else None
        for pick in places.by_patch.get(id_, ()) if id_ else ():
            if id_ and pick.commit.sha not in landed:
                source = f"{_place(pick)} has the patch-id of {p.commit.sha[:9]}, {id_[:12]}"
                yield pick, "patch-id", _of_pick(places, pick, Confidence.CERTAIN), source
        yield from _by_trace(places, p, landed)
    for place, sign, how in places.by_number.get(change.number or -1, ()):
        own = place.title.own == change.number
        if sign != 1 or place.main or place.commit.sha in landed or (place.title.turned and not own):
            continue
        if own and not change.landed:
            yield place, "ancestry", _of_pick(places, place, Confidence.CERTAIN), f"merged as {place.commit.sha[:9]}"
            continue
        yield _worded(places, change, place, how)


def _by_trace(places: Places, p: Place, landed: set[str]) -> Iterator[tuple[Place, str, Confidence, str]]:
    """Picks that keep something of the commit that landed: its name in a line, its authorship, its title.

    Titles repeat over the years ("Fix build"), so only those of the same months count.
    """
    for pick in places.picked_from.get(p.commit.sha, ()):
        trust = _checked(places, p, pick, Confidence.CERTAIN)
        yield pick, "pick-line", trust, f"{_place(pick)} says it was picked from {p.commit.sha[:9]}"
    for pick in places.by_author.get(p.commit.authored, ()):
        if pick.commit.sha not in landed and not _foreign(places, p, pick):
            trust = _checked(places, p, pick, Confidence.UNKNOWN)
            yield pick, "author", trust, f"{_place(pick)} keeps author and time of {p.commit.sha[:9]}"
    title = p.title
    for pick in places.by_core.get(title.core, ()) if not title.turned else ():
        if pick.main or pick.commit.sha in landed or abs(_day(pick) - _day(p)) > SAME_MONTHS:
            continue
        if len(title.core) >= LONG_TITLE or not _foreign(places, p, pick):
            trust = _checked(places, p, pick, Confidence.UNKNOWN)
            yield pick, "subject", trust, f"{_place(pick)} has the same title"


def _day(place: Place) -> int:
    return date.fromisoformat(place.commit.date[:10]).toordinal()


def _worded(places: Places, change: Change, place: Place, how: str) -> tuple[Place, str, Confidence, str]:
    """A pick that names the change by its number."""
    source = f"{_place(place)} has {_PICK_WORDS.get(how, 'its number')}"
    trusts = [_checked(places, p, place, Confidence.LIKELY) for p in change.landed]
    named = any(p.title.core == place.title.core for p in change.landed)
    trust = min(trusts, key=_rank, default=Confidence.LIKELY)
    unseen = all(_share(places, p, place) is None for p in change.landed)
    if how == "title" and unseen and not named and change.landed:
        trust = Confidence.UNKNOWN  # a number alone, under another title: it may be another repository's
    return place, how, trust, source


def _checked(places: Places, landed: Place, pick: Place, unseen: Confidence) -> Confidence:
    """How far a claimed pick is believed, by the lines it shares with the change."""
    share = _share(places, landed, pick)
    if share is None:
        return _of_pick(places, pick, unseen)
    if share >= AGREES:
        return _of_pick(places, pick, Confidence.LIKELY if share < 1 or unseen is not Confidence.CERTAIN else unseen)
    if share >= FOREIGN and unseen is not Confidence.UNKNOWN:
        return Confidence.LIKELY
    return Confidence.UNKNOWN


def _foreign(places: Places, landed: Place, pick: Place) -> bool:
    """Whether two commits that only look alike from outside have next to nothing in common."""
    found = _share(places, landed, pick)
    return found is not None and found < FOREIGN


def _share(places: Places, landed: Place, pick: Place) -> float | None:
    """The share of a change's lines that a pick has, and where the round is known only as a whole, the round."""
    mine, other = places.patches.get(landed.commit.sha), places.patches.get(pick.commit.sha)
    return None if mine is None or other is None else share(mine, other)


def share(mine: Patch, other: Patch) -> float | None:
    """The share of one patch's lines that another has too; None where there are none that can be compared."""
    if not mine.touched & other.touched:
        return 0.0
    lines = len(mine.added) + len(mine.removed)
    if not lines or not (mine.read and other.read):
        return None
    return (len(mine.added & other.added) + len(mine.removed & other.removed)) / lines


def _of_pick(places: Places, place: Place, best: Confidence) -> Confidence:
    """The confidence of a pick inside a round: less where the round was changed after its picks."""
    if place.round is None or places.opened.get(place.holder, False):
        return best
    squash = places.patches.get(places.ancestry.commits[place.holder].sha)
    own = places.patches.get(place.commit.sha)
    if squash is None or own is None:
        return max(best, Confidence.LIKELY, key=_rank)
    found = share(own, squash)
    if found is None or found >= AGREES:
        return max(best, Confidence.LIKELY, key=_rank)
    return Confidence.UNKNOWN


def _undone(places: Places, place: Place, sign: int, depth: int) -> Iterator[tuple[Place, int]]:
    """The reverts of a place, their reverts, and so on; a revert of a round takes all its picks out."""
    if depth >= _DEPTH:
        return
    holder = places.ancestry.commits[place.holder].sha
    known: list[tuple[Place, int]] = []
    for sha in dict.fromkeys((place.commit.sha, holder)):
        known += places.undone.get(sha, ())
    if place.round is not None:
        known += ((p, s) for p, s, how in places.by_number.get(place.round, ()) if how == "revert")
    number = place.title.own
    if depth and number is not None:
        known += ((p, s) for p, s, how in places.by_number.get(number, ()) if how == "revert")
    for other, turn in known:
        if other.order <= place.order:
            continue
        now = sign * turn
        yield other, now
        yield from _undone(places, other, now, depth + 1)


def carriage(places: Places, change: Change, seen: tuple[_Event, ...], point: Point) -> Carriage:
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


def _at(places: Places, change: Change, seen: tuple[_Event, ...], point: Point, sha: str) -> Carriage:
    inside = [e for e in seen if places.ancestry.within(e.place.holder, sha)]
    open_ = [e for e in inside if places.ancestry.commits[e.place.holder].sha in point.unsettled]
    settled = [e for e in inside if e not in open_]
    evidence = tuple(e.evidence for e in inside)
    made = _decide(places, change, settled, point, sha)._replace(evidence=evidence)
    if open_ and made.carried is not (open_[-1].evidence.sign == 1):
        why = f"{_place(open_[-1].place)} came after {point.version} was written on {point.ref}"
        return made._replace(carried=None, confidence=Confidence.UNKNOWN, why=why)
    return made


def _decide(places: Places, change: Change, inside: list[_Event], point: Point, sha: str) -> Carriage:
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
    best = min(agreeing, key=lambda e: _weight(e.confidence, e.how))
    trust = max(best.confidence, point.confidence, key=_rank)
    if last.sign < 0:
        if trust is Confidence.UNKNOWN:
            return Carriage(point, None, best.how, trust, (), f"{best.source}, which cannot be confirmed")
        return Carriage(point, False, "reverted", trust, (), best.source)
    broken = _broken(places, [e.place for e in inside[_after(inside, 1) :]], sha)
    if broken:
        return Carriage(point, None, best.how, Confidence.UNKNOWN, (), f"conflict markers were committed in {broken}")
    if trust is Confidence.UNKNOWN:
        return Carriage(point, None, best.how, trust, (), f"{best.source}, but its lines are not seen there")
    how = best.how if inside[-1].place.round is None else f"{best.how} in round #{inside[-1].place.round}"
    return Carriage(point, True, how, trust, (), best.source)


def _after(inside: list[_Event], sign: int) -> int:
    """Where the last run of events with one sign begins."""
    i = len(inside)
    while i and inside[i - 1].evidence.sign == sign:
        i -= 1
    return i


def _absent(places: Places, change: Change, point: Point, sha: str) -> Carriage:
    """No word of the change: it is not there, unless a round that nobody opened may hold it."""
    if point.confidence is Confidence.UNKNOWN:
        return Carriage(point, None, "", Confidence.UNKNOWN, (), point.note)
    back = _carried_back(places, change, point, sha)
    if back is not None:
        return back
    for i in places.unexplained:
        if not places.ancestry.within(i, sha):
            continue
        commit = places.ancestry.commits[i]
        round_ = is_round(commit.subject)
        landed = [p for p in change.landed if p.commit.date <= commit.date or not round_]
        verdict = _maybe(places, landed, commit.sha, round_) if landed else 0
        if verdict is None:
            why = f"{commit.sha[:9]} ({commit.subject[:60]}) may be several picks, and which ones is not known"
            return Carriage(point, None, "content", Confidence.UNKNOWN, (), why)
        if verdict == 1:
            why = f"{commit.sha[:9]} ({commit.subject[:60]}) has its lines"
            return Carriage(point, True, "content", Confidence.LIKELY, (), why)
    return Carriage(point, False, "", point.confidence, (), "no trace of it")


def _carried_back(places: Places, change: Change, point: Point, sha: str) -> Carriage | None:
    """A change that carries the work of a release branch back to main: the branch may have had it first."""
    if not any(is_round(p.commit.subject) for p in change.landed):
        return None
    branch = places.off_main_lines(sha)
    mine = [places.patches.get(p.commit.sha) for p in change.landed]
    shares = [None if m is None else share(m, branch) for m in mine]
    if any(s is not None and s >= FOREIGN for s in shares):
        why = f"it picks commits, and the commits that only {point.ref} has hold some of its lines"
        return Carriage(point, None, "content", Confidence.UNKNOWN, (), why)
    return None


def _maybe(places: Places, landed: list[Place], other: str, round_: bool) -> int | None:
    """1 where a commit has all lines of a change, 0 where it has not, None where that cannot be told.

    A round may hold a part of a change, or a small one that a later pick of the same round wrote over; any other
    commit is taken for what its title says unless most of the change is in it.
    """
    squash = places.patches.get(other)
    found: list[int | None] = []
    for p in landed:
        mine = places.patches.get(p.commit.sha)
        if mine is not None and mine.touched & places.version_files:
            return 0  # versions are written everywhere, and in the same words
        part = None if squash is None or mine is None else share(mine, squash)
        if squash is None or mine is None or part is None:
            found.append(None if round_ else 0)
            continue
        few = len(mine.added) + len(mine.removed) < ENOUGH_LINES
        if part >= ALL:
            found.append(None if few else 1)
        elif part >= (FOREIGN if round_ else AGREES) or (round_ and few and mine.touched & squash.touched):
            found.append(None)
        else:
            found.append(0)
    return found[0] if len(set(found)) == 1 else None


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


def _weight(confidence: Confidence, how: str) -> tuple[int, int]:
    return _rank(confidence), _WAYS.index(how) if how in _WAYS else len(_WAYS)


def _rank(confidence: Confidence) -> int:
    return (Confidence.CERTAIN, Confidence.LIKELY, Confidence.UNKNOWN).index(confidence)


def _place(place: Place) -> str:
    inside = f" in round #{place.round}" if place.round is not None else ""
    return f"{place.commit.sha[:9]}{inside}"


def _said(place: Place, words: str) -> str:
    verb = "takes it out" if words == "revert" else "brings it back"
    return f"{_place(place)} {verb}: {place.commit.subject[:100]}"
