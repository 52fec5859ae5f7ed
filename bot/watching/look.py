"""One look at one repository: its mirror brought up to date, its publications and pull requests asked for.

What fails is said and leaves the rest to go on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock

from bot.errors import InputError
from bot.forge import Forge, ForgeError, Limited, NotThere
from bot.upstream.git import GitFailed
from bot.upstream.mirrors import PATIENCE, bring, mirror_folder, refresh
from bot.upstream.reading import read_graph
from bot.upstream.refs import find_git_folder, read_refs
from bot.watching.facts import keep_publications, keep_pull, kept_publications, kept_pull, watched_changes
from bot.watching.files import authored_files
from kb.graph.published import versions_of
from kb.graph.trace import split_change
from kb.model import Knowledge, Product
from kb.proposals import family_proposal, tag_families
from kb.records import ReleaseRecord, Remembered
from kb.store import Store
from signatures.values import NamedTuple

_WHOLE_EVERY = timedelta(days=7)  # what was taken down long ago shows only in the whole list
Tick = Callable[[str], None]


class Looked(NamedTuple):
    found: int  # what was new or changed
    trouble: tuple[str, ...] = ()  # one sentence each
    until: datetime | None = None  # a limit of the forge lasts until then


class Looker:
    """Looks at repositories for one store. The forge is asked by one thread at a time, as it wants to be."""

    def __init__(
        self,
        store: Store,
        forge: Forge,
        layers: list[str],
        moment: Callable[[], datetime],
        patience: float = PATIENCE,
    ) -> None:
        """`patience` are the seconds that one fetch may take."""
        self._patience = patience
        self._store = store
        self._forge = forge
        self._layers = layers
        self._moment = moment
        self._asking = Lock()

    def look(self, repo: str, knowledge: Knowledge, tick: Tick) -> Looked:
        products = tuple(p for p in knowledge.products if p.repo == repo and p.layouts)
        trouble: list[str] = []
        found = self._mirror(repo, knowledge, products, tick, trouble) if products else 0
        until: datetime | None = None
        with self._asking:
            try:
                found += self._publications(repo, products, trouble) if products else 0
                found += self._pulls(repo, knowledge, trouble)
            except Limited as e:
                trouble.append(f"{repo}: {e}")
                until = e.until
            except ForgeError as e:
                trouble.append(f"{repo}: {e}")
        return Looked(found, tuple(trouble), until)

    def _mirror(
        self, repo: str, knowledge: Knowledge, products: tuple[Product, ...], tick: Tick, trouble: list[str]
    ) -> int:
        """1 where the mirror shows something new, else 0."""
        before = _refs(mirror_folder(repo))
        try:
            path = refresh(repo, patience=self._patience, tick=tick)
        except GitFailed as e:
            trouble.append(f"{repo}: {e}")
            return 0
        after = _refs(path)
        if after == before:
            return 0
        trouble += read_graph(knowledge, {repo: path}, tick, bring).failed
        self._families(repo, products, after)
        return 1

    def _families(self, repo: str, products: tuple[Product, ...], refs: dict[str, str]) -> None:
        """Propose a layout for tags of a family that was not there at the last look. At the first, all are known."""
        layouts = tuple(layout for p in products for layout in p.layouts)
        tags = (name.removeprefix("refs/tags/") for name in sorted(refs) if name.startswith("refs/tags/"))
        families = tag_families(tags, layouts)
        key = f"families {repo}"
        said = self._store.etag_of(key)
        known = json.loads(said.cursor) if said is not None and said.cursor else None
        files = authored_files(self._layers)
        for family, tag in families.items():
            file = files.get(("product", products[0].id))
            if known is None or family in known or file is None:
                continue
            made = family_proposal(products[0], family, tag, file)
            if made is not None:
                self._store.record_proposal(made, self._moment())
        self._store.remember_etag(key, Remembered(None, None, json.dumps(sorted(families))), self._moment())

    def _publications(self, repo: str, products: tuple[Product, ...], trouble: list[str]) -> int:
        kept, whole = kept_publications(self._store, repo)
        now = self._moment()
        due = whole is None or whole < (now - _WHOLE_EVERY).date().isoformat()
        listed = self._forge.publications(repo, kept, whole=due)
        trouble += listed.skipped
        rows = [
            ReleaseRecord(p.id, version, None if row.gone else row.day, None, row.url, _note(row.gone, row.prerelease))
            for p in products
            for version, row in versions_of(p, listed.changed)
        ]
        found = self._store.record_releases(rows, now) if rows else 0
        today = now.date().isoformat()
        keep_publications(self._store, repo, listed.kept, today if due or whole is None else whole, now)
        return found

    def _pulls(self, repo: str, knowledge: Knowledge, trouble: list[str]) -> int:
        found = 0
        for change in watched_changes(knowledge):
            owner, number, _ = split_change(change)
            if owner != repo or number is None:
                continue
            before, etag = kept_pull(self._store, change)
            if before is not None and before.state == "merged":
                continue  # which nothing takes back
            try:
                pull, etag = self._forge.pull(repo, number, etag)
            except NotThere as e:
                trouble.append(f"{change}: {e}")
                continue
            if pull is not None:
                keep_pull(self._store, pull, etag, self._moment())
                found += pull != before
        return found


def _note(gone: bool, prerelease: bool) -> str:
    return "taken down" if gone else "pre-release" if prerelease else ""


def _refs(path: str | None) -> dict[str, str]:
    try:
        return read_refs(find_git_folder(path)).named if path is not None else {}
    except InputError:  # no mirror yet: everything is new
        return {}
