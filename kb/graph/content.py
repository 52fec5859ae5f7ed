"""What commits hold without saying so: rounds that nobody opened, and changes carried back from a release branch.

Lines are compared, never words. Between "has all of it" and "has nothing of it" nothing is decided.
"""

from __future__ import annotations

from kb.graph.evidence import AGREES, FOREIGN, Change, share
from kb.graph.model import Carriage, Confidence, Patch, Point
from kb.graph.places import Place, Places
from kb.graph.titles import is_round

ALL = 0.9
# lines without which an agreement of lines alone says nothing
ENOUGH_LINES = 6


def unsaid(places: Places, change: Change, point: Point, sha: str, after: tuple[int, int]) -> Carriage | None:
    """Whether a commit that says nothing of the change brings it into a release, after a place in the history.

    None where no commit does.
    """
    for i in places.unexplained:
        if i <= after[0] or not places.ancestry.within(i, sha):
            continue
        commit = places.ancestry.commits[i]
        round_ = is_round(commit.subject)
        key = tuple(p.commit.sha for p in change.landed), i
        if key not in places.verdicts:
            landed = [p for p in change.landed if p.commit.date <= commit.date or not round_]
            places.verdicts[key] = _maybe(places, landed, commit.sha, round_) if landed else 0
        verdict = places.verdicts[key]
        if verdict is None:
            why = f"{commit.sha[:9]} ({commit.subject[:60]}) may be several picks, and which ones is not known"
            return Carriage(point, None, "content", Confidence.UNKNOWN, (), why)
        if verdict == 1:
            why = f"{commit.sha[:9]} ({commit.subject[:60]}) has its lines"
            return Carriage(point, True, "content", Confidence.LIKELY, (), why)
    return None


def taken_out_unsaid(places: Places, change: Change, point: Point, sha: str, after: tuple[int, int]) -> Carriage | None:
    """Whether a commit that says nothing of the change takes most of it out of a release; then nothing is decided."""
    for i in places.unexplained:
        if i <= after[0] or not places.ancestry.within(i, sha):
            continue
        commit = places.ancestry.commits[i]
        other = places.patches.get(commit.sha)
        limit = AGREES if is_round(commit.subject) else ALL
        if other is not None and any(_taken(places, p, other) >= limit for p in change.landed):
            why = f"{commit.sha[:9]} ({commit.subject[:60]}) takes most of its lines out"
            return Carriage(point, None, "content", Confidence.UNKNOWN, (), why)
    return None


def _taken(places: Places, landed: Place, other: Patch) -> float:
    """The share of what a change added that another commit removes and does not write anew."""
    mine = places.patches.get(landed.commit.sha)
    if mine is None or len(mine.added) < ENOUGH_LINES or not mine.touched & other.touched:
        return 0.0
    if mine.touched & places.version_files:
        return 0.0  # the next version is written over it, and that takes nothing out
    return len(mine.added & (other.removed - other.added)) / len(mine.added)


def carried_back(places: Places, change: Change, point: Point, sha: str) -> Carriage | None:
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
