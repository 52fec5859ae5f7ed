"""Which commits are part of which: reachability over the commits of one history.

Commits are numbered in the order of the history, parents before children. A commit that the history does not hold
is reached by nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from kb.graph.model import Commit


class Ancestry:
    """Reachability from a fixed set of tips, found in one pass over all commits."""

    def __init__(self, commits: tuple[Commit, ...], tips: Iterable[str]) -> None:
        self.commits = commits
        self.index = {c.sha: i for i, c in enumerate(commits)}
        self._parents = [tuple(self.index[p] for p in c.parents if p in self.index) for c in commits]
        self._bit = {sha: 1 << n for n, sha in enumerate(dict.fromkeys(t for t in tips if t in self.index))}
        masks = [0] * len(commits)
        for sha, bit in self._bit.items():
            masks[self.index[sha]] |= bit
        for i in range(len(commits) - 1, -1, -1):
            if masks[i]:
                for p in self._parents[i]:
                    masks[p] |= masks[i]
        self._masks = masks
        self._descends: dict[tuple[int, int], bool] = {}

    def within(self, i: int, tip: str) -> bool:
        """Whether commit number `i` is part of what `tip` names."""
        return bool(self._masks[i] & self._bit.get(tip, 0))

    def of(self, tip: str) -> list[int]:
        """The numbers of all commits that `tip` contains, in order."""
        bit = self._bit.get(tip, 0)
        return [i for i, mask in enumerate(self._masks) if mask & bit] if bit else []

    def off(self, tip: str, *others: str) -> list[int]:
        """The numbers of commits of `tip` that none of the others contains, in order."""
        bit = self._bit.get(tip, 0)
        rest = 0
        for other in others:
            rest |= self._bit.get(other, 0)
        return [i for i, mask in enumerate(self._masks) if mask & bit and not mask & rest] if bit else []

    def descends(self, later: int, earlier: int) -> bool:
        """Whether commit `later` contains commit `earlier`."""
        if later == earlier:
            return True
        if later < earlier:
            return False
        key = later, earlier
        if key not in self._descends:
            todo, seen, found = [later], {later}, False
            while todo and not found:
                for p in self._parents[todo.pop()]:
                    if p == earlier:
                        found = True
                    elif p > earlier and p not in seen:
                        seen.add(p)
                        todo.append(p)
            self._descends[key] = found
        return self._descends[key]
