"""Repositories of which GitHub told that a release was made: whoever watches looks at them before their turn."""

from __future__ import annotations

from datetime import datetime

from kb.model import Knowledge
from kb.records import Remembered
from kb.store import Store


def watched_as(repo: str, knowledge: Knowledge) -> str | None:
    """The repository of a product or a component, as the knowledge spells it; None for any other."""
    return next((p.repo for p in knowledge.products if p.repo and p.repo.casefold() == repo.casefold()), None)


def tell(store: Store, repo: str, at: datetime) -> None:
    """Keep that something new is there since a moment."""
    store.remember_etag(_key(repo), Remembered(None, None, at.isoformat()), at)


def told(store: Store, repo: str) -> datetime | None:
    """Since when something new is there, as far as anybody told."""
    kept = store.etag_of(_key(repo))
    return datetime.fromisoformat(kept.cursor) if kept is not None and kept.cursor else None


def _key(repo: str) -> str:
    return f"told {repo}"
