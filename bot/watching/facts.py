"""What GitHub said, kept in the store between two looks: each repository's publications, and pull requests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from kb.graph.observed import named_changes
from kb.graph.published import ForgeFacts, Kept, Publication, PullState
from kb.model import FixState, Knowledge
from kb.records import Remembered
from kb.store import Store


def kept_publications(store: Store, repo: str) -> tuple[Kept | None, str | None]:
    """(what was listed, the day on which the whole list was read last)."""
    said = store.etag_of(_releases(repo))
    data = _loaded(said)
    if said is None or data is None:
        return None, None
    rows = tuple((int(id_), Publication(*row)) for id_, row in data["rows"])
    return Kept(said.etag, rows), data["whole"]


def keep_publications(store: Store, repo: str, kept: Kept, whole: str, at: datetime) -> None:
    cursor = json.dumps({"rows": kept.rows, "whole": whole}, separators=(",", ":"))
    store.remember_etag(_releases(repo), Remembered(kept.etag, None, cursor), at)


def kept_pull(store: Store, change: str) -> tuple[PullState | None, str | None]:
    """(where a pull request stood when it was read last, its ETag)."""
    said = store.etag_of(_pull(change))
    data = _loaded(said)
    return (PullState(*data["pull"]), said.etag) if said is not None and data is not None else (None, None)


def keep_pull(store: Store, pull: PullState, etag: str | None, at: datetime) -> None:
    store.remember_etag(_pull(pull.change), Remembered(etag, None, json.dumps({"pull": pull})), at)


def forge_facts(store: Store, repos: Iterable[str], changes: Iterable[str]) -> ForgeFacts:
    """All that is kept of these repositories and changes."""
    listed = (kept_publications(store, repo)[0] for repo in repos)
    pulls = (kept_pull(store, change)[0] for change in changes)
    publications = tuple(row for kept in listed if kept is not None for _, row in kept.rows)
    return ForgeFacts(publications, tuple(p for p in pulls if p is not None))


def watched_changes(knowledge: Knowledge) -> tuple[str, ...]:
    """The changes that problems name, the open ones first: a limit may end the asking."""
    candidates = (
        c
        for p in knowledge.problems
        if p.withdrawn is None
        for f in p.fixes
        if f.state is FixState.CANDIDATE
        for c in f.all
    )
    return tuple(dict.fromkeys((*candidates, *named_changes(knowledge))))


def _releases(repo: str) -> str:
    return f"releases {repo}"


def _pull(change: str) -> str:
    return f"pull {change}"


def _loaded(said: Remembered | None) -> dict[str, Any] | None:
    """What this module wrote; None for what an older one did."""
    try:
        data = json.loads(said.cursor or "") if said is not None else None
    except ValueError:
        return None
    return data if isinstance(data, dict) else None
