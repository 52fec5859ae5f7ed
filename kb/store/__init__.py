"""The store: every query of this project, by name. Nothing else speaks SQL.

Moments come in as arguments; values of kb.records go in and come out. A method is one transaction.
"""

from __future__ import annotations

from kb.store.engine import StoreError, open_engine
from kb.store.watched import Watched

__all__ = ["Store", "StoreError"]


class Store(Watched):
    """An open database."""

    @classmethod
    def at(cls, url: str) -> Store:
        """Raises StoreError for an address that is none."""
        return cls(open_engine(url))
