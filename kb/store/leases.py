"""Leases on issues: whoever holds one is the only one of all processes that answers and writes there.

A lease that ran out is anybody's, so that a process that was killed holds nothing for long; so is one that ends later
than any that is taken now, since it comes from a clock that was ahead. Being late is noticed by
asking `keep_lease` right before each write: whoever lost the lease learns it there.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import delete, or_, update
from sqlmodel import col

from kb.store.engine import Opened, inserting, table_of
from kb.tables import IssueLease

SKEW = timedelta(minutes=10)  # that clocks of several machines may differ by


class Leases(Opened):
    def take_lease(self, issue: str, owner: str, at: datetime, lease: timedelta) -> bool:
        """Whether the issue is the owner's from here on: nobody else has it, or their lease ran out."""
        table = table_of(IssueLease)
        with self._writing() as session:
            statement = inserting(session, table).values(issue=issue, owner=owner, until=at + lease)
            free = or_(table.c.owner == owner, table.c.until <= at, table.c.until > at + lease + SKEW)
            taken = {"owner": owner, "until": at + lease}
            statement = statement.on_conflict_do_update(index_elements=["issue"], set_=taken, where=free)
            return session.execute(statement.returning(table.c.issue)).first() is not None

    def keep_lease(self, issue: str, owner: str, at: datetime, lease: timedelta) -> bool:
        """Hold an issue on; False where somebody else has it, or had it since."""
        mine = (col(IssueLease.issue) == issue, col(IssueLease.owner) == owner)
        with self._writing() as session:
            done = session.execute(update(table_of(IssueLease)).where(*mine).values(until=at + lease))
            return bool(cast(Any, done).rowcount == 1)

    def is_taken(self, issue: str, at: datetime, lease: timedelta) -> bool:
        """Whether anybody has the issue, where a lease is as long as that."""
        with self._reading() as session:
            row = session.get(IssueLease, issue)
            return row is not None and at < row.until <= at + lease + SKEW

    def end_lease(self, issue: str, owner: str) -> None:
        mine = (col(IssueLease.issue) == issue, col(IssueLease.owner) == owner)
        with self._writing() as session:
            session.execute(delete(table_of(IssueLease)).where(*mine))
