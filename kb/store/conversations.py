"""What has become of the bot's comments, what people said to it, and the log of what it did."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sqlalchemy import update
from sqlmodel import col, func, select

from kb.store.engine import Opened, insert_once, table_of, upsert
from kb.tables import Activity, Conversation, Heard
from signatures.values import NamedTuple


class Overtaken(Exception):
    """Somebody else took the issue, or wrote its conversation, since it was read here."""


class Talk(NamedTuple):
    """One issue's conversation; see `kb.tables.Conversation` for what each field says. `revision` 0: not stored yet."""

    issue: str
    ref: str
    installation: int | None = None
    standing: str = "none"
    comment: int | None = None
    written: str = ""
    writing: str = ""
    posting: int | None = None
    posted_at: datetime | None = None
    off: bool = False
    approved: bool = False
    yes: str = ""
    recalled: bool = False
    old: bool = False
    known: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    relabelling: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    due_notes: tuple[str, ...] = ()
    said: str = ""
    history: tuple[str, ...] = ()
    unfolded: bool = False
    suggestion: str = ""
    why: str = ""
    revision: int = 0


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

    def keep_talk(self, talk: Talk, at: datetime, heard: tuple[int, tuple[str, ...]] | None = None) -> Talk:
        """Write a conversation down as it is now; as it is stored. `heard`: a comment and the commands in it that are
        dealt with, kept with it. Raises Overtaken where somebody else wrote it since it was read."""
        row = {k: list(v) if isinstance(v, tuple) else v for k, v in talk._asdict().items()}
        row |= {"revision": talk.revision + 1, "changed_at": at}
        with self._writing() as session:
            if talk.revision == 0:
                kept = insert_once(session, Conversation, row, ("issue",))
            else:
                read = (col(Conversation.issue) == talk.issue, col(Conversation.revision) == talk.revision)
                done = session.execute(update(table_of(Conversation)).where(*read).values(**row))
                kept = cast(Any, done).rowcount == 1
            if not kept:
                raise Overtaken(f"the conversation of {talk.ref} was written by somebody else meanwhile")
            if heard is not None:
                said = {"issue": talk.issue, "comment": heard[0], "words": list(heard[1])}
                upsert(session, Heard, [said], ("issue", "comment"))
        return talk._replace(revision=talk.revision + 1)

    def heard(self, issue: str) -> dict[int, tuple[str, ...]]:
        """The commands of an issue that were dealt with, by their comment."""
        with self._reading() as session:
            return {r.comment: tuple(r.words) for r in session.exec(select(Heard).where(Heard.issue == issue)).all()}

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
        until: datetime | None = None,
        repo: str | None = None,
        issue: str | None = None,
        installation: tuple[int | None] | None = None,
    ) -> int:
        """How often any of these deeds was done since a moment, `until` another, behind which lies what was logged by a
        clock that was ahead. `installation`: by this one of an App, (None,) for what no App did."""
        query = select(func.count()).select_from(Activity).where(col(Activity.at) > since)
        query = query if until is None else query.where(col(Activity.at) <= until)
        with self._reading() as session:
            return session.exec(query.where(*_among(what, repo, issue, installation))).one()

    def nth_last(
        self,
        n: int,
        *what: str,
        until: datetime | None = None,
        repo: str | None = None,
        issue: str | None = None,
        installation: tuple[int | None] | None = None,
    ) -> datetime | None:
        """When the n-th last of these deeds was done; None where there were fewer. The rest is as in `done_since`."""
        query = select(Activity.at).where(*_among(what, repo, issue, installation))
        query = query if until is None else query.where(col(Activity.at) <= until)
        with self._reading() as session:
            return session.exec(query.order_by(col(Activity.at).desc()).offset(n - 1).limit(1)).first()


def _among(
    what: tuple[str, ...], repo: str | None, issue: str | None, installation: tuple[int | None] | None
) -> list[Any]:
    found: list[Any] = [col(Activity.what).in_(what)]
    found += [col(Activity.repo) == repo] if repo is not None else []
    found += [col(Activity.issue) == issue] if issue is not None else []
    if installation is not None:
        its_own = select(Conversation.ref).where(Conversation.installation == installation[0])
        found.append(col(Activity.issue).in_(its_own))
    return found


def _talk(row: Conversation) -> Talk:
    values = (getattr(row, name) for name in Talk._fields)
    return Talk._make(tuple(v) if isinstance(v, list) else v for v in values)
