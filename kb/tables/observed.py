"""What was seen of releases, changes and issues: each row with its source, none a key to an authored table."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from kb.tables.stored import Stored, moment, prose


class ReleaseSeen(Stored, table=True):
    __tablename__ = "release_seen"
    __table_args__ = (UniqueConstraint("product", "version", "source"),)
    id: int | None = Field(default=None, primary_key=True)
    product: str
    version: str
    date: str | None = None
    by: str | None = None
    source: str
    note: str = prose(default="")
    seen_at: datetime = moment()


class BundleSeen(Stored, table=True):
    __tablename__ = "bundle_seen"
    __table_args__ = (UniqueConstraint("product", "version", "component", "source"),)
    id: int | None = Field(default=None, primary_key=True)
    product: str
    version: str
    component: str = Field(index=True)
    component_version: str | None = None
    source: str
    seen_at: datetime = moment()


class ChangeSeen(Stored, table=True):
    """One edge of the delivery graph, as one source states it."""

    __tablename__ = "change_seen"
    __table_args__ = (UniqueConstraint("change", "component", "version", "source"),)
    id: int | None = Field(default=None, primary_key=True)
    change: str
    component: str
    version: str
    carried: bool | None = None
    how: str = prose(default="")
    source: str
    date: str | None = None
    confidence: str
    read_to: str | None = None
    seen_at: datetime = moment()


class IssueSeen(Stored, table=True):
    __tablename__ = "issue_seen"
    ref: str = Field(primary_key=True)
    title: str = prose(default="")
    reporter: str | None = Field(default=None, index=True)
    maintainer: bool = False
    opened_at: datetime | None = moment(default=None)
    last_post_at: datetime | None = moment(default=None)
    open: bool | None = None
    engine: str
    seen_at: datetime = moment(index=True)


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
    evidence: str = prose(default="")


class FindingSeen(Stored, table=True):
    __tablename__ = "finding_seen"
    __table_args__ = (UniqueConstraint("issue", "check", "artifact"),)
    id: int | None = Field(default=None, primary_key=True)
    issue: str = Field(foreign_key="issue_seen.ref", ondelete="CASCADE")
    check: str
    artifact: str
    outcome: str
    detail: str = prose(default="")


class Verdict(Stored, table=True):
    """What a person said of an answer. `problem` is "" where they meant all of it, and may be the id of a signature,
    whose cause nobody knows or which is in shadow."""

    __tablename__ = "verdict"
    __table_args__ = (UniqueConstraint("issue", "problem", "who"),)
    id: int | None = Field(default=None, primary_key=True)
    issue: str = Field(foreign_key="issue_seen.ref", ondelete="CASCADE")
    problem: str = ""
    who: str
    maintainer: bool
    said: str  # right, wrong
    said_at: datetime = moment()
