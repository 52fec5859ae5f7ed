"""What speaks for and against a change being anywhere in a history, in order.

Words alone ("#12" in a title) count less than an equal patch, and a claimed pick that lacks the lines of the change is
evidence of unknown worth. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from kb.graph.model import Confidence, Evidence, Patch
from kb.graph.places import Place, Places
from signatures.values import NamedTuple

# shares of a change's lines that a pick must show
AGREES = 0.5
FOREIGN = 0.2
SAME_MONTHS = 120  # days
LONG_TITLE = 40  # characters, which nobody writes twice by chance
_DEPTH = 6
_WAYS = ("ancestry", "patch-id", "pick-line", "title", "body", "author", "subject")  # the telling ones first
_PICK_WORDS = {"title": "its number in the title", "body": "its number in the list of picks"}


class Change(NamedTuple):
    """A change by its number, its commits on main, or both."""

    number: int | None
    landed: tuple[Place, ...]


class Event(NamedTuple):
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


def events(places: Places, change: Change) -> tuple[Event, ...]:
    """Everything that speaks for or against the change anywhere, in order."""
    found: dict[tuple[int, int, int], Event] = {}

    def add(place: Place, sign: int, how: str, confidence: Confidence, source: str) -> None:
        key = (*place.order, sign)
        evidence = Evidence(place.commit.sha, sign, how, confidence, source, place.commit.date)
        if key in found:
            evidence = _merged(found[key].evidence, evidence)
        found[key] = Event(place, evidence)

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


def _merged(a: Evidence, b: Evidence) -> Evidence:
    """Two ways in which one commit says the same, as one: the telling one, with the name of the other."""
    best, other = (b, a) if weight(b.confidence, b.how) < weight(a.confidence, a.how) else (a, b)
    ways = dict.fromkeys((*best.also, other.how, *other.also))
    return best._replace(also=tuple(w for w in ways if w != best.how))


def _brought_in(places: Places, change: Change) -> Iterator[tuple[Place, str, Confidence, str]]:
    landed = {p.commit.sha for p in change.landed}
    for p in change.landed:
        yield p, "ancestry", Confidence.CERTAIN, f"{p.commit.sha[:9]} is part of it"
        patch = places.patches.get(p.commit.sha)
        id_ = patch.id if patch is not None else None
        for pick in places.by_patch.get(id_, ()) if id_ else ():
            if id_ and pick.commit.sha not in landed:
                source = f"{place_words(pick)} has the patch-id of {p.commit.sha[:9]}, {id_[:12]}"
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
        yield pick, "pick-line", trust, f"{place_words(pick)} says it was picked from {p.commit.sha[:9]}"
    for pick in places.by_author.get(p.commit.authored, ()):
        if pick.commit.sha not in landed and not _foreign(places, p, pick):
            trust = _checked(places, p, pick, Confidence.UNKNOWN)
            yield pick, "author", trust, f"{place_words(pick)} keeps author and time of {p.commit.sha[:9]}"
    title = p.title
    for pick in places.by_core.get(title.core, ()) if not title.turned else ():
        if pick.main or pick.commit.sha in landed or abs(_day(pick) - _day(p)) > SAME_MONTHS:
            continue
        if len(title.core) >= LONG_TITLE or not _foreign(places, p, pick):
            trust = _checked(places, p, pick, Confidence.UNKNOWN)
            yield pick, "subject", trust, f"{place_words(pick)} has the same title"


def _day(place: Place) -> int:
    return date.fromisoformat(place.commit.date[:10]).toordinal()


def _worded(places: Places, change: Change, place: Place, how: str) -> tuple[Place, str, Confidence, str]:
    """A pick that names the change by its number."""
    source = f"{place_words(place)} has {_PICK_WORDS.get(how, 'its number')}"
    trusts = [_checked(places, p, place, Confidence.LIKELY) for p in change.landed]
    named = any(p.title.core == place.title.core for p in change.landed)
    trust = min(trusts, key=rank, default=Confidence.LIKELY)
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
        return max(best, Confidence.LIKELY, key=rank)
    found = share(own, squash)
    if found is None or found >= AGREES:
        return max(best, Confidence.LIKELY, key=rank)
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


def weight(confidence: Confidence, how: str) -> tuple[int, int]:
    return rank(confidence), _WAYS.index(how) if how in _WAYS else len(_WAYS)


def rank(confidence: Confidence) -> int:
    return (Confidence.CERTAIN, Confidence.LIKELY, Confidence.UNKNOWN).index(confidence)


def place_words(place: Place) -> str:
    inside = f" in round #{place.round}" if place.round is not None else ""
    return f"{place.commit.sha[:9]}{inside}"


def _said(place: Place, words: str) -> str:
    verb = "takes it out" if words == "revert" else "brings it back"
    return f"{place_words(place)} {verb}: {place.commit.subject[:100]}"
