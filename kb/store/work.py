"""Events that came in, comments that are to go out, and what may be forgotten.

A row of the inbox is the truth. Whoever works on an issue holds its lease, see `kb.store.leases`, and takes all its
events at once; a process that was killed loses nothing but that lease. The outbox holds the comment that an issue
should have: only its newest version is ever written.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import case, delete, or_, update
from sqlmodel import SQLModel, col, func, select

from kb.store.engine import Opened, insert_once, table_of
from kb.tables import (
    Activity,
    Conversation,
    Heard,
    Inbox,
    IssueLease,
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
    "issue_lease": 1,
    "job_run": 90,
    "activity": 365,
    "proposal": 365,
    "remembered": 365,
    "outbox": 1095,
    "conversation": 1095,
    "issue_seen": 1095,
}
MOST_ATTEMPTS = 8
LONGEST_WAIT = timedelta(days=2)  # nothing is put off for longer: GitHub's limits and the budgets end within a day
_EVENTS_AT_ONCE = 500  # of one issue


class Event(NamedTuple):
    id: int
    kind: str
    payload: dict[str, Any]
    attempts: int
    received_at: datetime


class Wanted(NamedTuple):
    """A comment to be written. `attempts`: how often that has failed."""

    issue: str
    version: int
    body: str
    labels: tuple[str, ...]
    digest: str
    attempts: int


class Failed(NamedTuple):
    """What was given up: an event, or a comment. `error` says why."""

    issue: str
    what: str
    error: str


class Work(Opened):
    def receive(self, delivery: str, issue: str, kind: str, payload: dict[str, Any], at: datetime) -> int | None:
        """Take an event about an issue in; its id, or None for one that came already."""
        row = {"delivery": delivery, "issue": issue, "kind": kind, "payload": payload, "received_at": at}
        with self._writing() as session:
            if not insert_once(session, Inbox, {**row, "state": "new", "attempts": 0, "error": ""}, ("delivery",)):
                return None
            return session.exec(select(Inbox.id).where(Inbox.delivery == delivery)).one()

    def issues_due(self, at: datetime, most: int = 20) -> tuple[str, ...]:
        """Issues with an event that is due, that of the oldest first."""
        query = select(Inbox.issue).where(Inbox.state == "new", is_due(Inbox, at)).group_by(col(Inbox.issue))
        with self._reading() as session:
            return tuple(session.exec(query.order_by(func.min(Inbox.id)).limit(most)).all())

    def events_due(self, issue: str, at: datetime) -> tuple[Event, ...]:
        """The events of an issue that are due, oldest first."""
        query = select(Inbox).where(Inbox.issue == issue, Inbox.state == "new", is_due(Inbox, at))
        with self._reading() as session:
            rows = session.exec(query.order_by(col(Inbox.id)).limit(_EVENTS_AT_ONCE)).all()
            return tuple(Event(r.id or 0, r.kind, r.payload, r.attempts, r.received_at) for r in rows)

    def is_waiting(self, issue: str) -> bool:
        """Whether an event of an issue is still to be handled, now or later."""
        query = select(Inbox.id).where(Inbox.issue == issue, col(Inbox.state).in_(("new", "failed"))).limit(1)
        with self._reading() as session:
            return session.exec(query).first() is not None

    def finish(self, ids: Sequence[int]) -> None:
        self._settle(ids, state="done", error="")

    def begin(self, ids: Sequence[int], not_before: datetime) -> None:
        """Count a try of events; where it ends with the process, they come again at a moment."""
        self._settle(ids, attempts=Inbox.attempts + 1, not_before=not_before)

    def put_off(self, ids: Sequence[int], why: str, not_before: datetime) -> None:
        """Have events that were not begun handled later."""
        self._settle(ids, not_before=not_before, error=why[:2000])

    def put_back(
        self, ids: Sequence[int], error: str, not_before: datetime, *, counts: bool = True, most: int = MOST_ATTEMPTS
    ) -> None:
        """Have events that were begun handled later, or not before somebody revives them where they were tried `most`
        times. `counts`: whether this try was one."""
        self._settle(
            ids,
            state=case((col(Inbox.attempts) >= most, "failed"), else_="new") if counts else "new",
            attempts=Inbox.attempts - int(not counts),
            not_before=not_before,
            error=error[:2000],
        )

    def failed(self) -> tuple[Failed, ...]:
        """Everything that was given up and that nothing has taken the place of, oldest first."""
        events = select(Inbox).where(Inbox.state == "failed").order_by(col(Inbox.id))
        comments = select(Outbox).where(_given_up()).order_by(col(Outbox.wanted_at))
        with self._reading() as session:
            found = [Failed(r.issue, r.kind, r.error) for r in session.exec(events).all()]
            return (*found, *(Failed(r.issue, "comment", r.error) for r in session.exec(comments).all()))

    def revive(self) -> int:
        """Have all that was given up tried again; how much that is."""
        events = update(table_of(Inbox)).where(col(Inbox.state) == "failed")
        comments = update(table_of(Outbox)).where(_given_up())
        with self._writing() as session:
            done = (
                session.execute(events.values(state="new", attempts=0, not_before=None)),
                session.execute(comments.values(version=Outbox.version + 1, attempts=0, not_before=None, error="")),
            )
            return sum(cast(Any, one).rowcount for one in done)

    def want_comment(
        self,
        issue: str,
        body: str,
        labels: tuple[str, ...],
        digest: str,
        at: datetime,
        not_before: datetime | None = None,
    ) -> int:
        """Say what comment an issue should have; its version. `digest` is of what decides beside the words. The same
        again is the version there is, unless that one was given up. What is wanted before an earlier version was
        written is written when that one would have been."""
        with self._writing() as session:
            row = session.get(Outbox, issue, with_for_update=True)
            if row is None:
                row = Outbox(issue=issue, body=body, labels=list(labels), digest=digest, wanted_at=at)
                row.not_before = not_before
                session.add(row)
                return 1
            given_up = row.written >= row.version and row.error
            if given_up or (row.body, row.labels, row.digest) != (body, list(labels), digest):
                waits = row.written < row.version and row.not_before is not None and not row.error
                row.body, row.labels, row.digest, row.wanted_at = body, list(labels), digest, at
                row.version, row.attempts, row.error = row.version + 1, 0, ""
                row.not_before = row.not_before if waits else not_before
            return row.version

    def comments_due(self, at: datetime, most: int = 20) -> tuple[str, ...]:
        """Issues whose comment is to be written, that which waits longest first."""
        query = select(Outbox.issue).where(col(Outbox.written) < col(Outbox.version), is_due(Outbox, at))
        with self._reading() as session:
            return tuple(session.exec(query.order_by(col(Outbox.wanted_at)).limit(most)).all())

    def wanted(self, issue: str, at: datetime) -> Wanted | None:
        """The newest version of an issue's comment; None where it is written, or not due."""
        query = select(Outbox).where(col(Outbox.written) < col(Outbox.version), is_due(Outbox, at))
        with self._reading() as session:
            r = session.exec(query.where(Outbox.issue == issue)).first()
            return Wanted(issue, r.version, r.body, tuple(r.labels), r.digest, r.attempts) if r is not None else None

    def comment_settled(self, issue: str, version: int, digest: str | None = None, error: str = "") -> None:
        """Keep that a version is dealt with, whatever came of it, and what decided on it; `error`: why it was given
        up. A version wanted meanwhile stays due."""
        with self._writing() as session:
            row = session.get(Outbox, issue, with_for_update=True)
            if row is not None:
                row.written = max(row.written, version)
                if row.written == row.version:
                    row.error, row.digest = error[:2000], row.digest if digest is None else digest

    def comment_put_off(self, issue: str, version: int, why: str, not_before: datetime, *, counts: bool = True) -> None:
        """Have a version written later. `counts`: whether this was a failure. One wanted meanwhile is not touched."""
        with self._writing() as session:
            row = session.get(Outbox, issue, with_for_update=True)
            if row is not None and row.version == version:
                row.not_before, row.error, row.attempts = not_before, why[:2000], row.attempts + counts

    def forget(self, at: datetime) -> dict[str, int]:
        """Remove what is older than KEPT_DAYS says; the number of rows by table.

        Open proposals and new events stay, and so does an issue where a comment stands or where the bot was told to be
        silent: without the row, it would speak there again.
        """
        written = col(Outbox.written) >= col(Outbox.version)
        spoke = select(Conversation.issue)
        rules: tuple[tuple[type[SQLModel], Any], ...] = (
            (Inbox, (col(Inbox.state) != "new") & (col(Inbox.received_at) < _before(at, "inbox"))),
            (IssueLease, col(IssueLease.until) < _before(at, "issue_lease")),
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
            session.execute(delete(table_of(Heard)).where(col(Heard.issue).not_in(spoke)))
            orphaned = col(Searchable.kind) != "problem"
            known = select(IssueSeen.ref)
            session.execute(delete(table_of(Searchable)).where(orphaned, col(Searchable.ref).not_in(known)))
        return gone

    def _settle(self, ids: Sequence[int], **values: Any) -> None:
        with self._writing() as session:
            mine = (col(Inbox.id).in_(ids), col(Inbox.state) == "new")
            session.execute(update(table_of(Inbox)).where(*mine).values(**values))


def is_due(model: type[Inbox] | type[Outbox], at: datetime) -> Any:
    """Whether an event or a comment waits for no later moment. One that nothing waits for is of a clock that was
    ahead."""
    moment = col(model.not_before)
    return or_(moment.is_(None), moment <= at, moment > at + LONGEST_WAIT)


def _given_up() -> Any:
    return (col(Outbox.written) >= col(Outbox.version)) & (col(Outbox.error) != "")


def _silent() -> Any:
    """Conversations in which the bot has written nothing, and that nobody ended for good."""
    ended = col(Conversation.off) | col(Conversation.old)
    return col(Conversation.comment).is_(None) & ~ended & (Conversation.standing == "none")


def _before(at: datetime, table: str) -> datetime:
    return at - timedelta(days=KEPT_DAYS[table])
