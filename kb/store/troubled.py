"""Work that does not get done: events that failed or wait for nobody, comments that cannot be written."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import or_
from sqlmodel import col, select

from kb.store.engine import Opened
from kb.store.work import is_due
from kb.tables import Conversation, Inbox, Outbox, RememberedRow
from signatures.values import NamedTuple

SOON = timedelta(hours=1)  # in which whatever is due is done


class Stuck(NamedTuple):
    """`what` is an issue or a repository. `lost`: it will not be tried again. `error` "": nobody has tried."""

    what: str
    error: str
    tries: int
    since: datetime
    lost: bool


class Troubled(Opened):
    def stuck_events(self, at: datetime, most: int = 200) -> tuple[Stuck, ...]:
        """Events that failed for good and whose issue was not read since, that failed and will be tried again, or that
        have been due for longer than SOON; the oldest first."""
        came = col(Inbox.received_at)
        waits = is_due(Inbox, at) & or_(came < at - SOON, came > at + SOON)  # the latter by a clock that was ahead
        new = (col(Inbox.state) == "new") & or_(col(Inbox.error) != "", waits)
        query = select(Inbox).where(or_(col(Inbox.state) == "failed", new)).order_by(col(Inbox.id)).limit(most)
        found: list[Stuck] = []
        with self._reading() as session:
            for row in session.exec(query).all():
                event = row.payload
                number = event.get("number")
                what = f"{event.get('repo', '')}{f'#{number}' if number else ''}"
                read = session.get(RememberedRow, f"read {event.get('repo_id')}#{number}")
                lost = row.state == "failed"
                if not lost or read is None or read.seen_at < row.received_at:
                    found.append(Stuck(what, row.error, row.attempts, row.received_at, lost))
        return tuple(found)

    def stuck_comments(self, at: datetime, most: int = 200) -> tuple[Stuck, ...]:
        """Comments that could not be written, or have waited for longer than SOON; the oldest first."""
        since = col(Outbox.wanted_at)
        waits = (col(Outbox.written) < col(Outbox.version)) & or_(since < at - SOON, since > at + SOON)
        query = select(Outbox).where(or_(col(Outbox.error) != "", waits)).order_by(col(Outbox.wanted_at)).limit(most)
        with self._reading() as session:
            found: list[Stuck] = []
            for row in session.exec(query).all():
                talk = session.get(Conversation, row.issue)
                what, lost = talk.ref if talk is not None else row.issue, row.written >= row.version
                found.append(Stuck(what, row.error, row.attempts, row.wanted_at, lost))
            return tuple(found)
