"""The store: every query of this project, by name. Nothing else speaks SQL.

Moments come in as arguments; values of kb.records go in and come out. A method is one transaction.
"""

from __future__ import annotations

from kb.store.authored import AuthoredTables
from kb.store.conversations import Conversations
from kb.store.engine import StoreError, is_writable, open_engine
from kb.store.leases import Leases
from kb.store.renames import Renames
from kb.store.rules import Rules
from kb.store.schema import backup, check, refusal, upgrade
from kb.store.search import Search
from kb.store.showing import Showing
from kb.store.sightings import Sightings
from kb.store.troubled import Troubled
from kb.store.watched import Watched
from kb.store.work import Work

__all__ = ["Store", "StoreError", "upgrade"]


class Store(AuthoredTables, Watched, Sightings, Rules, Work, Leases, Conversations, Renames, Search, Showing, Troubled):
    """An open database."""

    @classmethod
    def at(cls, url: str) -> Store:
        """A database that is there, at any revision. Raises StoreError for an address that is none."""
        return cls(open_engine(url))

    def refusal(self) -> str | None:
        """Why the database cannot be used as it is, and what to do; None where it can. Raises StoreError."""
        return refusal(self.engine)

    def check(self) -> tuple[str, ...]:
        """Everything wrong with the database, one sentence each. Raises StoreError."""
        return check(self.engine)

    def write_nothing(self) -> None:
        """Begin a transaction that would write, and end it. Raises StoreError where another program holds the database
        or this account may not write to it."""
        with self._writing() as session:
            if not is_writable(session.connection()):
                raise StoreError("the database can only be read: a standby, or an account without the right to write")

    def backup(self, target: str) -> int:
        """Copy the database to a new file; its size in bytes. Raises StoreError."""
        return backup(self.engine, target)
