"""Events that came in, comments that are to go out, and what may be forgotten.

A row of the inbox is the truth, and whoever handles it holds a lease on it; a lease that ran out frees the row, so that
a process that was killed loses nothing. The outbox holds the comment that an issue should have: only its newest
version is ever written.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import delete, or_, update
from sqlmodel import SQLModel, col, select

from kb.store.engine import Opened, insert_once, table_of
from kb.tables import (
    Activity,
    Conversation,
    Inbox,
    IssueSeen,
    JobRun,
    Outbox,
    ProposalRow,
    RememberedRow,
    Searchable,
)
from signatures.values import NamedTuple

# what is kept, and for how long since it was last written; all else is bounded by what the projects themselves publish
KEPT_DAYS = {
    "inbox": 30,
    "job_run": 90,
    "activity": 365,
    "proposal": 365,
    "remembered": 365,
    "outbox": 1095,
    "conversation": 1095,
    "issue_seen": 1095,
}
MOST_ATTEMPTS = 8


class Event(NamedTuple):
    id: int
    delivery: str
    kind: str
    payload: dict[str, Any]
    attempts: int


class Wanted(NamedTuple):
    """A comment to be written."""

    issue: str
    version: int
    body: str
    labels: tuple[str, ...]
    digest: str


class Work(Opened):
    def receive(self, delivery: str, kind: str, payload: dict[str, Any], at: datetime) -> int | None:
        """Take an event in; its id, or None for one that came already."""
        row = {"delivery": delivery, "kind": kind, "payload": payload, "received_at": at}
        with self._writing() as session:
            if not insert_once(session, Inbox, {**row, "state": "new", "attempts": 0, "error": ""}, ("delivery",)):
                return None
            return session.exec(select(Inbox.id).where(Inbox.delivery == delivery)).one()

    def claim(self, id_: int, at: datetime, lease: timedelta) -> Event | None:
        """The event, for as long as the lease lasts; None where it is done, or in other hands."""
        free = or_(col(Inbox.lease_until).is_(None), col(Inbox.lease_until) <= at)
        due = or_(col(Inbox.not_before).is_(None), col(Inbox.not_before) <= at)
        with self._writing() as session:
            taken = session.execute(
                update(table_of(Inbox))
                .where(col(Inbox.id) == id_, col(Inbox.state) == "new", free, due)
                .values(lease_until=at + lease, attempts=Inbox.attempts + 1)
            )
            if cast(Any, taken).rowcount != 1:
                return None
            row = session.get_one(Inbox, id_)
            return Event(id_, row.delivery, row.kind, row.payload, row.attempts)

    def finish(self, id_: int) -> None:
        self._settle(id_, state="done", lease_until=None, error="")

    def put_back(self, id_: int, error: str, not_before: datetime) -> None:
        """Free an event that failed, to be tried again later, or never where it has failed often enough."""
        with self._writing() as session:
            row = session.get_one(Inbox, id_)
            row.state = "failed" if row.attempts >= MOST_ATTEMPTS else "new"
            row.lease_until, row.not_before, row.error = None, not_before, error[:2000]

    def unfinished(self, at: datetime, most: int = 200) -> tuple[int, ...]:
        """Events that nobody holds and that are due, oldest first."""
        free = or_(col(Inbox.lease_until).is_(None), col(Inbox.lease_until) <= at)
        due = or_(col(Inbox.not_before).is_(None), col(Inbox.not_before) <= at)
        query = select(Inbox.id).where(Inbox.state == "new", free, due).order_by(col(Inbox.id)).limit(most)
        with self._reading() as session:
            return tuple(i for i in session.exec(query).all() if i is not None)

    def want_comment(
        self,
        issue: str,
        body: str,
        labels: tuple[str, ...],
        digest: str,
        at: datetime,
        not_before: datetime | None = None,
    ) -> int:
        """Say what comment an issue should have; its version. The same again is the version there is. What is wanted
        before an earlier version was written is written when that one would have been."""
        with self._writing() as session:
            row = session.get(Outbox, issue, with_for_update=True)
            if row is None:
                row = Outbox(issue=issue, body=body, labels=list(labels), digest=digest, wanted_at=at)
                row.not_before = not_before
                session.add(row)
                return 1
            if (row.body, row.labels, row.digest) != (body, list(labels), digest):
                waits = row.written < row.version and row.not_before is not None and not row.error
                row.body, row.labels, row.digest, row.wanted_at = body, list(labels), digest, at
                row.version, row.attempts, row.error = row.version + 1, 0, ""
                row.not_before = row.not_before if waits else not_before
            return row.version

    def due_comments(self, at: datetime, lease: timedelta, most: int = 20) -> tuple[Wanted, ...]:
        """Comments to write, each in its newest version and leased to the caller."""
        free = or_(col(Outbox.lease_until).is_(None), col(Outbox.lease_until) <= at)
        due = or_(col(Outbox.not_before).is_(None), col(Outbox.not_before) <= at)
        query = select(Outbox).where(col(Outbox.written) < col(Outbox.version), free, due)
        with self._writing() as session:
            query = query.order_by(col(Outbox.wanted_at)).limit(most).with_for_update(skip_locked=True)
            rows = session.exec(query).all()
            for row in rows:
                row.lease_until, row.attempts = at + lease, row.attempts + 1
            return tuple(Wanted(r.issue, r.version, r.body, tuple(r.labels), r.digest) for r in rows)

    def comment_settled(self, issue: str, version: int) -> None:
        """Keep that a version is dealt with, whatever came of it. A version wanted meanwhile stays due."""
        with self._writing() as session:
            row = session.get(Outbox, issue, with_for_update=True)
            if row is not None:
                row.written, row.lease_until, row.error = max(row.written, version), None, ""

    def comment_failed(self, issue: str, error: str, not_before: datetime) -> None:
        with self._writing() as session:
            row = session.get_one(Outbox, issue)
            row.lease_until, row.not_before, row.error = None, not_before, error[:2000]

    def forget(self, at: datetime) -> dict[str, int]:
        """Remove what is older than KEPT_DAYS says; the number of rows by table.

        Open proposals and new events stay, and so does an issue where a comment stands or where the bot was told to be
        silent: without the row, it would speak there again.
        """
        written = col(Outbox.written) >= col(Outbox.version)
        spoke = select(Conversation.issue)
        rules: tuple[tuple[type[SQLModel], Any], ...] = (
            (Inbox, (col(Inbox.state) != "new") & (col(Inbox.received_at) < _before(at, "inbox"))),
            (JobRun, col(JobRun.ended_at) < _before(at, "job_run")),
            (Activity, col(Activity.at) < _before(at, "activity")),
            (ProposalRow, (col(ProposalRow.state) != "open") & (col(ProposalRow.settled_at) < _before(at, "proposal"))),
            (RememberedRow, col(RememberedRow.seen_at) < _before(at, "remembered")),
            (Conversation, _silent() & (col(Conversation.changed_at) < _before(at, "conversation"))),
            (Outbox, written & (col(Outbox.wanted_at) < _before(at, "outbox")) & col(Outbox.issue).not_in(spoke)),
            (IssueSeen, col(IssueSeen.open).is_(False) & (col(IssueSeen.seen_at) < _before(at, "issue_seen"))),
        )
        gone: dict[str, int] = {}
        with self._writing() as session:
            for model, condition in rules:
                done = session.execute(delete(table_of(model)).where(condition))
                gone[table_of(model).name] = cast(Any, done).rowcount
            orphaned = col(Searchable.kind) != "problem"
            known = select(IssueSeen.ref)
            session.execute(delete(table_of(Searchable)).where(orphaned, col(Searchable.ref).not_in(known)))
        return gone

    def _settle(self, id_: int, **values: Any) -> None:
        with self._writing() as session:
            session.execute(update(table_of(Inbox)).where(col(Inbox.id) == id_).values(**values))


def _silent() -> Any:
    """Conversations in which the bot has written nothing, and that nobody ended for good."""
    return col(Conversation.comment).is_(None) & col(Conversation.off).is_(False) & (Conversation.standing == "none")


def _before(at: datetime, table: str) -> datetime:
    return at - timedelta(days=KEPT_DAYS[table])
