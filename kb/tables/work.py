"""The work of watchers and of the bot: events, comments, proposals, and the words that full text finds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlmodel import Field

from kb.tables.stored import Stored, json, moment, prose


class Inbox(Stored, table=True):
    """Events, each once: the row is the truth, a queue carries its id."""

    __tablename__ = "inbox"
    id: int | None = Field(default=None, primary_key=True)
    delivery: str = Field(unique=True)
    issue: str = Field(index=True)  # what it is about, as Conversation.issue has it
    kind: str
    payload: dict[str, Any] = json()
    state: str = Field(default="new", index=True)  # new, done, failed
    attempts: int = 0
    not_before: datetime | None = moment(default=None)
    error: str = prose(default="")
    received_at: datetime = moment(index=True)


class Outbox(Stored, table=True):
    """The comment that an issue should have. A writer takes the newest version and no other."""

    __tablename__ = "outbox"
    issue: str = Field(primary_key=True)
    version: int = 1
    written: int = 0
    body: str = prose()
    labels: list[str] = json()
    digest: str  # of what decides beside the words
    attempts: int = 0
    not_before: datetime | None = moment(default=None)
    error: str = prose(default="")  # why the newest version is not written, also where that was given up
    wanted_at: datetime = moment()


class IssueLease(Stored, table=True):
    """Who works on an issue: one process at a time reads, answers and writes there."""

    __tablename__ = "issue_lease"
    issue: str = Field(primary_key=True)
    owner: str
    until: datetime = moment(index=True)


class Conversation(Stored, table=True):
    """What has become of the bot's comment on one issue, and what people said to it."""

    __tablename__ = "conversation"
    issue: str = Field(primary_key=True)  # repository's number and issue's, which a rename leaves alone: 7#3
    revision: int = 1  # of this row, so that nobody writes over what he has not read
    ref: str = Field(index=True)  # owner/repo#N, as it was last called
    installation: int | None = Field(default=None, sa_type=BigInteger)
    standing: str = "none"
    comment: int | None = Field(default=None, sa_type=BigInteger)
    written: str = ""
    writing: str = ""  # fingerprint of the body that is about to be written: without an answer it may be there
    posting: int | None = Field(default=None, sa_type=BigInteger)  # the last comment there when the first was tried
    posted_at: datetime | None = moment(default=None, index=True)
    off: bool = False
    approved: bool = False  # a maintainer asked for a comment here,
    yes: str = ""  # and this is the digest of the words that they saw; "asked" until those are known
    recalled: bool = False  # whether what GitHub itself remembers was asked for
    old: bool = False  # a back-fill read it, so that a first comment there is for a maintainer to ask for
    known: list[str] = json()  # problems that people said it is
    refused: list[str] = json()  # problems that people said it is not
    checks: list[str] = json()  # models that people asked to be checked
    labels: list[str] = json()  # of the issue, set by the bot
    unwanted: list[str] = json()  # labels that a person took off
    relabelling: list[str] = json()  # labels that are about to be set (+) or taken off (-)
    noted: list[str] = json()  # releases that a note was written about
    due_notes: list[str] = json()  # those that one is due about
    said: str = prose(default="")  # the last answer: its problems, verdicts and versions
    history: list[str] = json()  # how the answer has changed, a sentence each
    unfolded: bool = False  # whether somebody asked why
    suggestion: str = prose(default="")  # the finished comment that waits for a maintainer
    why: str = prose(default="")  # the last decision, in words
    changed_at: datetime = moment(index=True)


class Heard(Stored, table=True):
    """The commands of one comment that were dealt with, so that none is carried out twice. The word * stands for
    whatever the comment says when it is read next. Comment 0, with a moment: until then, nothing was heard of what is
    written under the bot's own login, and none of it is to be carried out."""

    __tablename__ = "heard"
    issue: str = Field(primary_key=True)
    comment: int = Field(primary_key=True, sa_type=BigInteger)
    words: list[str] = json()


class Activity(Stored, table=True):
    """What the bot did, would have done, or was told, and why: the log that `triage activity` shows."""

    __tablename__ = "activity"
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = moment(index=True)
    repo: str = Field(index=True)
    issue: str = Field(index=True)
    what: str = Field(index=True)
    who: str = ""
    detail: str = prose(default="")


class JobRun(Stored, table=True):
    __tablename__ = "job_run"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(index=True)
    started_at: datetime = moment()
    ended_at: datetime = moment(index=True)
    outcome: str
    detail: str = prose(default="")
    found: int = 0


class RememberedRow(Stored, table=True):
    __tablename__ = "remembered"
    key: str = Field(primary_key=True)
    etag: str | None = None
    modified: str | None = None
    cursor: str | None = None
    seen_at: datetime = moment(index=True)


class ProposalRow(Stored, table=True):
    __tablename__ = "proposal"
    __table_args__ = (
        Index(
            "uq_proposal_open",
            "key",
            unique=True,
            sqlite_where=text("state = 'open'"),
            postgresql_where=text("state = 'open'"),
        ),
    )
    id: int | None = Field(default=None, primary_key=True)
    key: str
    file: str
    title: str
    why: str = prose(default="")
    diff: str = prose()
    state: str = Field(default="open", index=True)
    made_at: datetime = moment()
    settled_at: datetime | None = moment(default=None)


class Searchable(Stored, table=True):
    """The words of problems, sightings and unexplained lines, as full text finds them."""

    __tablename__ = "searchable"
    __table_args__ = (UniqueConstraint("kind", "ref"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    ref: str
    title: str = prose(default="")
    body: str = prose(default="")
