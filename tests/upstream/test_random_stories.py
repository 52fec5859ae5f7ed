"""Random histories of changes, picks, rounds, reverts and re-landings, against what the trees of the releases hold."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.upstream.conftest import graph_of
from tests.upstream.story import Story, part

_CHANGES = 8


class _Teller:
    """Tells one random story, and knows for each release which changes its files show."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a story, no secret
        self.story = Story(VERSION_INFO="9.0.0-dev\n")
        self.day = 1
        self.number = 100
        self.landed: dict[int, int] = {}
        self.truth: dict[str, set[int]] = {}

    def tell(self) -> None:
        for n in range(1, _CHANGES + 1):
            self.landed[n] = self.story.change(n, day=self._next())
            if self.random.random() < 0.3:
                self._turn("main")
            if self.random.random() < 0.35:
                self._release(n)
        self._release(_CHANGES + 1)

    def _next(self) -> str:
        self.day += 1
        return f"2026-{1 + self.day // 28:02d}-{1 + self.day % 28:02d}"

    def _own(self) -> int:
        self.number += 1
        return self.number

    def _there(self, branch: str) -> set[int]:
        tree = self.story.tree(branch)
        return {n for n in self.landed if f"src/part{n}.c" in tree}

    def _turn(self, branch: str) -> None:
        """Take a change out, or bring one back, in one of the ways that people do."""
        n = self.random.choice(sorted(self.landed))
        title = f"Mend part {n} of the runtime (#{n})"
        own = f" (#{self._own()})" if self.random.random() < 0.7 else ""
        if n in self._there(branch):
            self.story.commit(f'Revert "{title}"{own}', {f"src/part{n}.c": None}, day=self._next(), on=branch)
        elif branch == "main":
            verb = self.random.choice(("Reland", "Reapply"))
            self.story.commit(f'{verb} "{title}"{own}', {f"src/part{n}.c": part(n)}, day=self._next(), on=branch)

    def _release(self, minor: int) -> None:
        base = "main" if self.random.random() < 0.6 or not self.truth else self.random.choice(sorted(self.truth))
        version = f"1.{minor}.0"
        branch = f"rel-{version}"
        self.story.fork(branch, self.story.heads["main"] if base == "main" else self.story.heads[f"rel-{base}"])
        missing = sorted(set(self.landed) - self._there(branch))
        picks = self.random.sample(missing, min(len(missing), self.random.randint(0, 3)))
        if len(picks) > 1 and self.random.random() < 0.5:
            self._round(branch, picks)
        else:
            for n in picks:
                self._pick(branch, n)
        if self.random.random() < 0.3:
            self._turn(branch)
        self.story.release(version, on=branch, day=self._next())
        self.truth[version] = self._there(branch)

    def _pick(self, branch: str, n: int) -> None:
        subject = self.random.choice((None, f"Mend part {n} of the runtime (#{n}) (#{self._own()})", f"Repair {n}"))
        keep = self.random.random() < 0.5
        self.story.pick(self.landed[n], on=branch, day=self._next(), subject=subject, keep_author=keep)

    def _round(self, branch: str, picks: list[int]) -> None:
        own = self._own()
        self.story.fork(f"topic-{own}", self.story.heads[branch])
        for n in picks:
            self._pick(f"topic-{own}", n)
        if self.random.random() < 0.4:
            self._turn(f"topic-{own}")
        last = self.story.heads[f"topic-{own}"]
        if self.random.random() < 0.7:
            self.story.ref(f"refs/pull/{own}/head", last)
        title = self.random.choice(("Cherry-pick round", "Patches of the week"))
        self.story.squash(f"{title} (#{own})", last, on=branch, day=self._next())


@pytest.mark.parametrize("seed", range(8))
def test_no_random_story_is_told_wrongly(folder: Path, seed: int) -> None:
    wrong, unknown, right = _judge(folder, seed)
    assert wrong == []
    assert unknown <= right


def _judge(folder: Path, seed: int) -> tuple[list[str], int, int]:
    teller = _Teller(seed)
    teller.tell()
    graph = graph_of(folder, engine=teller.story)
    wrong: list[str] = []
    unknown = right = 0
    for n in teller.landed:
        for c in graph.trace(f"acme/engine#{n}").components[0].carriages:
            truth = n in teller.truth[c.point.version]
            if c.carried is None:
                unknown += 1
            elif c.carried is not truth:
                wrong.append(f"#{n} in {c.point.version} is {truth}: {c.how} {c.why}")
            else:
                right += 1
    return wrong, unknown, right
