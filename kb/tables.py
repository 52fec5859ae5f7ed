"""The tables of the store, the same on SQLite and PostgreSQL.

Authored tables mirror reviewed files and are rebuilt by `sync`; observed tables are written row by row, each row with
its source. No key leads from an observed table to an authored one, so that rebuilding never touches what was seen.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Index, MetaData, Text, UniqueConstraint, text
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

# names by rule, so that migrations can find every constraint on both engines
_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Moment(TypeDecorator[datetime]):
    """An aware datetime in UTC. SQLite keeps no time zone, so it is put back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone; give moments in UTC")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Stored(SQLModel):
    """What all tables share: their metadata."""

    metadata = MetaData(naming_convention=_NAMES)


def _prose(**more: Any) -> Any:
    return Field(sa_type=Text, **more)


def _moment(**more: Any) -> Any:
    return Field(sa_type=Moment, **more)


def _json(**more: Any) -> Any:
    return Field(sa_type=JSON, **more)


# authored


class ProductRow(Stored, table=True):
    __tablename__ = "product"
    id: str = Field(primary_key=True)
    title: str
    scheme: str
    repo: str | None = None


class AliasRow(Stored, table=True):
    __tablename__ = "product_alias"
    product: str = Field(foreign_key="product.id", primary_key=True)
    alias: str = Field(primary_key=True)


class SignatureRow(Stored, table=True):
    __tablename__ = "signature"
    id: str = Field(primary_key=True)
    title: str
    withdrawn: str | None = None


class ProblemRow(Stored, table=True):
    __tablename__ = "problem"
    id: str = Field(primary_key=True)
    title: str
    cause: str = _prose()
    status: str = Field(index=True)
    workarounds: list[str] = _json()
    checks: list[str] = _json()
    review_by: str | None = None
    owner: str | None = None
    withdrawn: str | None = None


class SymptomRow(Stored, table=True):
    __tablename__ = "problem_symptom"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    position: int = Field(primary_key=True)
    signature: str = Field(foreign_key="signature.id", index=True)


class RefRow(Stored, table=True):
    __tablename__ = "problem_ref"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    position: int = Field(primary_key=True)
    ref: str = Field(index=True)


class AffectedRow(Stored, table=True):
    __tablename__ = "problem_affected"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    position: int = Field(primary_key=True)
    component: str = Field(index=True)
    introduced: str | None = None
    fixed: str | None = None
    versions: list[str] = _json()
    ref: str | None = None


class FixRow(Stored, table=True):
    __tablename__ = "problem_fix"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    position: int = Field(primary_key=True)
    kind: str
    state: str
    component: str | None = None
    merged: str | None = None
    note: str | None = _prose(default=None)
    ref: str | None = None


class FixChangeRow(Stored, table=True):
    __tablename__ = "problem_fix_change"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    fix: int = Field(primary_key=True)
    change: str = Field(primary_key=True, index=True)


# observed


class ReleaseSeen(Stored, table=True):
    __tablename__ = "release_seen"
    __table_args__ = (UniqueConstraint("product", "version", "source"),)
    id: int | None = Field(default=None, primary_key=True)
    product: str
    version: str
    date: str | None = None
    by: str | None = None
    source: str
    note: str = _prose(default="")
    seen_at: datetime = _moment()


class BundleSeen(Stored, table=True):
    __tablename__ = "bundle_seen"
    __table_args__ = (UniqueConstraint("product", "version", "component", "source"),)
    id: int | None = Field(default=None, primary_key=True)
    product: str
    version: str
    component: str = Field(index=True)
    component_version: str | None = None
    source: str
    seen_at: datetime = _moment()


class ChangeSeen(Stored, table=True):
    """One edge of the delivery graph, as one source states it."""

    __tablename__ = "change_seen"
    __table_args__ = (UniqueConstraint("change", "component", "version", "source"),)
    id: int | None = Field(default=None, primary_key=True)
    change: str
    component: str
    version: str
    carried: bool | None = None
    how: str = _prose(default="")
    source: str
    date: str | None = None
    confidence: str
    read_to: str | None = None
    seen_at: datetime = _moment()


class ChangeStateSeen(Stored, table=True):
    __tablename__ = "change_state_seen"
    __table_args__ = (UniqueConstraint("change", "source"),)
    id: int | None = Field(default=None, primary_key=True)
    change: str
    state: str
    merged_at: str | None = None
    title: str = _prose(default="")
    source: str
    seen_at: datetime = _moment()


class IssueSeen(Stored, table=True):
    __tablename__ = "issue_seen"
    ref: str = Field(primary_key=True)
    title: str = _prose(default="")
    reporter: str | None = Field(default=None, index=True)
    maintainer: bool = False
    opened_at: datetime | None = _moment(default=None)
    last_post_at: datetime | None = _moment(default=None)
    open: bool | None = None
    engine: str
    seen_at: datetime = _moment(index=True)


class Sighting(Stored, table=True):
    __tablename__ = "sighting"
    __table_args__ = (UniqueConstraint("issue", "signature", "problem"),)
    id: int | None = Field(default=None, primary_key=True)
    issue: str = Field(foreign_key="issue_seen.ref", ondelete="CASCADE")
    signature: str = Field(index=True)
    problem: str | None = Field(default=None, index=True)
    certainty: str
    digest: str
    product: str | None = None
    product_version: str | None = None
    component: str | None = None
    component_version: str | None = None
    verdict: str | None = None
    evidence: str = _prose(default="")


class FindingSeen(Stored, table=True):
    __tablename__ = "finding_seen"
    __table_args__ = (UniqueConstraint("issue", "check", "artifact"),)
    id: int | None = Field(default=None, primary_key=True)
    issue: str = Field(foreign_key="issue_seen.ref", ondelete="CASCADE")
    check: str
    artifact: str
    outcome: str
    detail: str = _prose(default="")


class Verdict(Stored, table=True):
    """What a person said of an answer. `problem` is "" where they meant all of it."""

    __tablename__ = "verdict"
    __table_args__ = (UniqueConstraint("issue", "problem", "who"),)
    id: int | None = Field(default=None, primary_key=True)
    issue: str = Field(foreign_key="issue_seen.ref", ondelete="CASCADE")
    problem: str = ""
    who: str
    maintainer: bool
    said: str  # right, wrong
    said_at: datetime = _moment()


# work


class Posted(Stored, table=True):
    __tablename__ = "posted"
    issue: str = Field(primary_key=True)
    comment: int
    digest: str
    posted_at: datetime = _moment()
    edited_at: datetime | None = _moment(default=None)


class Inbox(Stored, table=True):
    """Events, each once: the row is the truth, a queue carries its id."""

    __tablename__ = "inbox"
    id: int | None = Field(default=None, primary_key=True)
    delivery: str = Field(unique=True)
    kind: str
    payload: dict[str, Any] = _json()
    state: str = Field(default="new", index=True)  # new, done, failed
    attempts: int = 0
    lease_until: datetime | None = _moment(default=None)
    not_before: datetime | None = _moment(default=None)
    error: str = _prose(default="")
    received_at: datetime = _moment(index=True)


class Outbox(Stored, table=True):
    """The comment that an issue should have. A writer takes the newest version and no other."""

    __tablename__ = "outbox"
    issue: str = Field(primary_key=True)
    version: int = 1
    written: int = 0
    body: str = _prose()
    labels: list[str] = _json()
    digest: str
    attempts: int = 0
    lease_until: datetime | None = _moment(default=None)
    not_before: datetime | None = _moment(default=None)
    error: str = _prose(default="")
    wanted_at: datetime = _moment()


class Conversation(Stored, table=True):
    """What has become of the bot's comment on one issue, and what people said to it."""

    __tablename__ = "conversation"
    issue: str = Field(primary_key=True)  # repository's number and issue's, which a rename leaves alone: 7#3
    ref: str = Field(index=True)  # owner/repo#N, as it was last called
    installation: int | None = Field(default=None, sa_type=BigInteger)
    standing: str = "none"
    comment: int | None = Field(default=None, sa_type=BigInteger)
    written: str = ""
    posted_at: datetime | None = _moment(default=None, index=True)
    off: bool = False
    approved: bool = False
    known: list[str] = _json()  # problems that people said it is
    refused: list[str] = _json()  # problems that people said it is not
    checks: list[str] = _json()  # models that people asked to be checked
    labels: list[str] = _json()  # of the issue, set by the bot
    unwanted: list[str] = _json()  # labels that a person took off
    heard: list[str] = _json()  # commands that were carried out, each by its comment and words
    noted: list[str] = _json()  # releases that a note was written about
    due_notes: list[str] = _json()  # those that one is due about
    said: str = _prose(default="")  # the last answer: its problems, verdicts and versions
    history: list[str] = _json()  # how the answer has changed, a sentence each
    unfolded: bool = False  # whether somebody asked why
    suggestion: str = _prose(default="")  # the finished comment that waits for a maintainer
    why: str = _prose(default="")  # the last decision, in words
    changed_at: datetime = _moment(index=True)


class Activity(Stored, table=True):
    """What the bot did, would have done, or was told, and why: the log that `triage activity` shows."""

    __tablename__ = "activity"
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = _moment(index=True)
    repo: str = Field(index=True)
    issue: str = Field(index=True)
    what: str = Field(index=True)
    who: str = ""
    detail: str = _prose(default="")


class JobRun(Stored, table=True):
    __tablename__ = "job_run"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(index=True)
    started_at: datetime = _moment()
    ended_at: datetime = _moment(index=True)
    outcome: str
    detail: str = _prose(default="")
    found: int = 0


class RememberedRow(Stored, table=True):
    __tablename__ = "remembered"
    key: str = Field(primary_key=True)
    etag: str | None = None
    modified: str | None = None
    cursor: str | None = None
    seen_at: datetime = _moment(index=True)


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
    why: str = _prose(default="")
    diff: str = _prose()
    state: str = Field(default="open", index=True)
    made_at: datetime = _moment()
    settled_at: datetime | None = _moment(default=None)


class Searchable(Stored, table=True):
    """The words of problems, sightings and unexplained lines, as full text finds them."""

    __tablename__ = "searchable"
    __table_args__ = (UniqueConstraint("kind", "ref"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    ref: str
    title: str = _prose(default="")
    body: str = _prose(default="")
