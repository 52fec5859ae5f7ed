"""Where changes come in and go out in one history: each commit off the main branch, and each pick inside a round.

A squashed round of picks is opened with the commits of its pull request, where the repository keeps these. Nothing is
decided here: places are indexed by what they say (numbers, commits, titles) and by what they are (patch, authorship).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from zlib import crc32

from kb.graph.ancestry import Ancestry
from kb.graph.model import Commit, History, Patch, Point
from kb.graph.titles import Body, Title, is_round, read_body, read_title
from signatures.values import NamedTuple


class Place(NamedTuple):
    """A commit that counts for whatever contains its holder."""

    commit: Commit
    holder: int  # the number of the commit that releases contain: itself, or the round it was squashed into
    inner: int  # its place in the round, 0 for a commit of its own
    main: bool
    round: int | None  # the pull request of the round

    @property
    def order(self) -> tuple[int, int]:
        return self.holder, self.inner

    @property
    def title(self) -> Title:
        return read_title(self.commit.subject)


class Places:
    """The places of one history, and how to find them."""

    def __init__(self, history: History, releases: tuple[Point, ...]) -> None:
        self.history = history
        self.patches: dict[str, Patch] = dict(history.patches)
        self.trees = dict(history.trees)
        self.version_files = frozenset(crc32(s.file.encode()) for s in history.stated)
        self._off_lines: dict[str, Patch] = {}
        self._unexplained: tuple[int, ...] | None = None
        # whether a commit that says nothing holds a change, by its commits on main and the number of the other
        self.verdicts: dict[tuple[tuple[str, ...], int], int | None] = {}
        refs = [sha for p in releases for sha in p.shas]
        pulls = dict(history.pulls)
        squashes = _squashes(history, pulls)
        parents = [c.parents[0] for _, c in squashes if c.parents]
        shown = (r.sha for r in (*history.tags, *history.branches))
        tips = (history.head, *refs, *shown, *(pulls[n] for n, _ in squashes), *parents)
        self.ancestry = Ancestry(history.commits, tips)
        self._index(refs)
        self._open(squashes, pulls)
        self._find()

    def _index(self, refs: list[str]) -> None:
        ancestry = self.ancestry
        main = ancestry.of(self.history.head)
        self.on_main = frozenset(main)
        off = {i for sha in dict.fromkeys(refs) for i in ancestry.off(sha, self.history.head)}
        self.off_main = tuple(sorted(off))
        self.places = [Place(self.history.commits[i], i, 0, True, None) for i in main]
        self.places += (Place(self.history.commits[i], i, 0, False, None) for i in self.off_main)

    def _open(self, squashes: list[tuple[int, Commit]], pulls: dict[int, str]) -> None:
        """The picks of each squashed round, taken from its pull request."""
        self.opened: dict[int, bool] = {}  # holder -> whether the round is exactly these picks
        wanted = set(self.off_main)
        for number, squash in squashes:
            holder = self.ancestry.index[squash.sha]
            if holder not in wanted or not squash.parents:
                continue
            head = pulls[number]
            inside = self.ancestry.off(head, self.history.head, squash.parents[0])
            if not inside:
                continue
            self.opened[holder] = self.trees.get(head, "head") == self.trees.get(squash.sha, "squash")
            for n, i in enumerate(inside, 1):
                self.places.append(Place(self.history.commits[i], holder, n, False, number))

    @property
    def unexplained(self) -> tuple[int, ...]:
        """The commits off main of which nothing says what they pick: no change on main has their number or patch."""
        if self._unexplained is None:
            numbers = {p.title.own for p in self.places if p.main}
            ids = {patch.id for p in self.places if p.main and (patch := self.patches.get(p.commit.sha)) is not None}
            self._unexplained = tuple(
                i
                for i in self.off_main
                if i not in self.opened
                and read_title(self.ancestry.commits[i].subject).own not in numbers - {None}
                and ((patch := self.patches.get(self.ancestry.commits[i].sha)) is None or patch.id not in ids - {None})
            )
        return self._unexplained

    def off_main_lines(self, sha: str) -> Patch:
        """All lines that the commits of a release change which main does not have, as one patch."""
        if sha not in self._off_lines:
            mine = (
                self.patches.get(self.ancestry.commits[i].sha) for i in self.off_main if self.ancestry.within(i, sha)
            )
            known = [p for p in mine if p is not None]
            self._off_lines[sha] = Patch(
                frozenset[int]().union(*(p.touched for p in known)),
                all(p.read for p in known),
                None,
                frozenset[int]().union(*(p.added for p in known)),
                frozenset[int]().union(*(p.removed for p in known)),
            )
        return self._off_lines[sha]

    def _find(self) -> None:
        self.by_sha = {p.commit.sha: p for p in reversed(self.places)}
        self.by_number: dict[int, list[tuple[Place, int, str]]] = defaultdict(list)
        self.by_patch: dict[str, list[Place]] = defaultdict(list)
        self.by_author: dict[str, list[Place]] = defaultdict(list)
        self.by_core: dict[str, list[Place]] = defaultdict(list)
        self.picked_from: dict[str, list[Place]] = defaultdict(list)
        self.undone: dict[str, list[tuple[Place, int]]] = defaultdict(list)  # commit -> places that take it out
        self.markers: list[Place] = []
        bodies: dict[str, Body] = {}
        for place in self.places:
            commit = place.commit
            body = bodies.setdefault(commit.sha, read_body(commit.body, self.history.repo))
            self._by_words(place, body)
            self._by_nature(place)
        for place in self.places:
            for sha, sign in self._taken_out(place, bodies[place.commit.sha]):
                self.undone[sha].append((place, sign))

    def _by_words(self, place: Place, body: Body) -> None:
        title = place.title
        if title.own is not None:
            self.by_number[title.own].append((place, 1, "title"))
        for number, sign in title.says:
            # a number in the title of a commit on main is often another repository's, except beside a revert
            if title.turned or not place.main:
                self.by_number[number].append((place, sign, "revert" if sign < 1 else "title"))
        for number in body.reverts_numbers:
            self.by_number[number].append((place, -1 if title.turned else 0, "revert"))
        if place.main:
            return
        for sha in body.picked_from:
            self.picked_from[sha].append(place)
        for number in body.picked_numbers:
            self.by_number[number].append((place, 1, "body"))
        if len(body.listed) > 1 or (body.listed and is_round(place.commit.subject)):
            for number in body.listed:
                self.by_number[number].append((place, 1, "body"))

    def _by_nature(self, place: Place) -> None:
        patch = self.patches.get(place.commit.sha)
        if patch is not None and patch.id:
            self.by_patch[patch.id].append(place)
        if patch is not None and (patch.marked or patch.unmarked) and not place.main:
            self.markers.append(place)
        title = place.title
        if title.undoes == 1 and not title.turned and title.core:
            self.by_core[title.core].append(place)
        if not place.main:
            self.by_author[place.commit.authored].append(place)

    def _taken_out(self, place: Place, body: Body) -> Iterator[tuple[str, int]]:
        """The commits that a place takes out, as it names them: by their sha, else by a title without a number."""
        title = place.title
        named = [sha for given in body.reverts if (sha := self._resolve(given)) is not None]
        for sha in named:
            yield sha, -1 if title.turned else 0
        if named or not title.turned or title.says or body.reverts_numbers or title.undoes == 1:
            return
        for p in self.by_core.get(title.core, ()):
            if p.order < place.order and self.ancestry.descends(place.holder, p.holder):
                yield p.commit.sha, title.undoes

    def _resolve(self, sha: str) -> str | None:
        if sha in self.by_sha:
            return sha
        if len(sha) == 40:
            return None
        found = [known for known in self.by_sha if known.startswith(sha)]
        return found[0] if len(found) == 1 else None

    def resolve(self, sha: str) -> Place | None:
        """The place of a commit, also by the beginning of its name; None where that is not one place."""
        full = self._resolve(sha)
        return self.by_sha[full] if full else None


def _squashes(history: History, pulls: dict[int, str]) -> list[tuple[int, Commit]]:
    """Commits that a pull request of known last commit was squashed into."""
    found: list[tuple[int, Commit]] = []
    known = {c.sha for c in history.commits}
    for commit in history.commits:
        if len(commit.parents) != 1:
            continue
        number = read_title(commit.subject).own
        if number is not None and number in pulls and pulls[number] in known:
            found.append((number, commit))
    return found
