"""What has become of the bot's comments, what people said to it, and the log of what it did."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import col, func, select

from kb.store.engine import Opened, upsert
from kb.tables import Activity, Conversation
from signatures.values import NamedTuple

MOST_HEARD = 200  # commands of one issue that are remembered


class Talk(NamedTuple):
    """One issue's conversation; see `kb.tables.Conversation` for what each field says."""

    issue: str
    ref: str
    installation: int | None = None
    standing: str = "none"
    comment: int | None = None
    written: str = ""
    posted_at: datetime | None = None
    off: bool = False
    approved: bool = False
    known: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    due_notes: tuple[str, ...] = ()
    said: str = ""
    history: tuple[str, ...] = ()
    unfolded: bool = False
    suggestion: str = ""
    why: str = ""


class Deed(NamedTuple):
    """One line of the log. `what`: posted, edited, retracted, suggested, silent, command, refused, failed, ..."""

    at: datetime
    repo: str
    issue: str
    what: str
    who: str
    detail: str


class Conversations(Opened):
    def talk(self, issue: str) -> Talk | None:
        with self._reading() as session:
            row = session.get(Conversation, issue)
            return _talk(row) if row is not None else None

    def talks(self, *, ref: str | None = None, standing: str | None = None, most: int = 500) -> tuple[Talk, ...]:
        """Conversations, the last changed first."""
        query = select(Conversation).order_by(col(Conversation.changed_at).desc()).limit(most)
        query = query if ref is None else query.where(Conversation.ref == ref)
        query = query if standing is None else query.where(Conversation.standing == standing)
        with self._reading() as session:
            return tuple(_talk(row) for row in session.exec(query).all())

    def keep_talk(self, talk: Talk, at: datetime) -> None:
        """Write a conversation down as it is now."""
        row = {k: list(v) if isinstance(v, tuple) else v for k, v in talk._asdict().items()}
        row["heard"] = row["heard"][-MOST_HEARD:]
        with self._writing() as session:
            upsert(session, Conversation, [{**row, "changed_at": at}], ("issue",))

    def log(self, deed: Deed) -> None:
        with self._writing() as session:
            session.add(Activity(**deed._asdict()))

    def deeds(
        self, *, repo: str | None = None, issue: str | None = None, what: str | None = None, most: int = 100
    ) -> tuple[Deed, ...]:
        """The log, newest first."""
        query = select(Activity).order_by(col(Activity.at).desc(), col(Activity.id).desc()).limit(most)
        for column, wanted in ((Activity.repo, repo), (Activity.issue, issue), (Activity.what, what)):
            query = query if wanted is None else query.where(column == wanted)
        with self._reading() as session:
            return tuple(Deed(r.at, r.repo, r.issue, r.what, r.who, r.detail) for r in session.exec(query).all())

    def done_since(
        self,
        since: datetime,
        *what: str,
        repo: str | None = None,
        issue: str | None = None,
        installation: tuple[int | None] | None = None,
    ) -> int:
        """How often any of these deeds was done since a moment. `installation`: by this one of an App, (None,) for what
        no App did."""
        query = select(func.count()).select_from(Activity).where(col(Activity.at) > since, col(Activity.what).in_(what))
        query = query if repo is None else query.where(Activity.repo == repo)
        query = query if issue is None else query.where(Activity.issue == issue)
        if installation is not None:
            its_own = select(Conversation.ref).where(Conversation.installation == installation[0])
            query = query.where(col(Activity.issue).in_(its_own))
        with self._reading() as session:
            return session.exec(query).one()


def _talk(row: Conversation) -> Talk:
    values = (getattr(row, name) for name in Talk._fields)
    return Talk._make(tuple(v) if isinstance(v, list) else v for v in values)
