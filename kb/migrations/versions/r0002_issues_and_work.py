"""Issues and what they show, the work of watchers and writers, and what becomes of the bot's comments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _issues()
    _letters()
    _conversations()
    _watching()


def _issues() -> None:
    op.create_table(
        "issue_seen",
        sa.Column("ref", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("reporter", sa.String(), nullable=True),
        sa.Column("maintainer", sa.Boolean(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_post_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("open", sa.Boolean(), nullable=True),
        sa.Column("engine", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("ref", name=op.f("pk_issue_seen")),
    )
    op.create_index(op.f("ix_issue_seen_reporter"), "issue_seen", ["reporter"], unique=False)
    op.create_index(op.f("ix_issue_seen_seen_at"), "issue_seen", ["seen_at"], unique=False)
    op.create_table(
        "sighting",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issue", sa.String(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.Column("problem", sa.String(), nullable=True),
        sa.Column("certainty", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("product", sa.String(), nullable=True),
        sa.Column("product_version", sa.String(), nullable=True),
        sa.Column("component", sa.String(), nullable=True),
        sa.Column("component_version", sa.String(), nullable=True),
        sa.Column("verdict", sa.String(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["issue"], ["issue_seen.ref"], name=op.f("fk_sighting_issue"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sighting")),
        sa.UniqueConstraint("issue", "signature", "problem", name=op.f("uq_sighting_issue_signature_problem")),
    )
    op.create_index(op.f("ix_sighting_problem"), "sighting", ["problem"], unique=False)
    op.create_index(op.f("ix_sighting_signature"), "sighting", ["signature"], unique=False)
    op.create_table(
        "finding_seen",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issue", sa.String(), nullable=False),
        sa.Column("check", sa.String(), nullable=False),
        sa.Column("artifact", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["issue"], ["issue_seen.ref"], name=op.f("fk_finding_seen_issue"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finding_seen")),
        sa.UniqueConstraint("issue", "check", "artifact", name=op.f("uq_finding_seen_issue_check_artifact")),
    )
    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issue", sa.String(), nullable=False),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("maintainer", sa.Boolean(), nullable=False),
        sa.Column("said", sa.String(), nullable=False),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["issue"], ["issue_seen.ref"], name=op.f("fk_verdict_issue"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
        sa.UniqueConstraint("issue", "problem", "who", name=op.f("uq_verdict_issue_problem_who")),
    )


def _letters() -> None:
    """What comes in, and what is to go out."""
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("delivery", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("delivery", name=op.f("uq_inbox_delivery")),
    )
    op.create_index(op.f("ix_inbox_received_at"), "inbox", ["received_at"], unique=False)
    op.create_index(op.f("ix_inbox_state"), "inbox", ["state"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("issue", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("written", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("wanted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("issue", name=op.f("pk_outbox")),
    )


def _conversations() -> None:
    lists = [
        sa.Column(name, sa.JSON(), nullable=False)
        for name in ("known", "refused", "checks", "labels", "unwanted", "heard", "noted", "due_notes", "history")
    ]
    op.create_table(
        "conversation",
        sa.Column("issue", sa.String(), nullable=False),
        sa.Column("ref", sa.String(), nullable=False),
        sa.Column("installation", sa.BigInteger(), nullable=True),
        sa.Column("standing", sa.String(), nullable=False),
        sa.Column("comment", sa.BigInteger(), nullable=True),
        sa.Column("written", sa.String(), nullable=False),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("off", sa.Boolean(), nullable=False),
        sa.Column("approved", sa.Boolean(), nullable=False),
        *lists,
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("unfolded", sa.Boolean(), nullable=False),
        sa.Column("suggestion", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("issue", name=op.f("pk_conversation")),
    )
    for column in ("ref", "posted_at", "changed_at"):
        op.create_index(op.f(f"ix_conversation_{column}"), "conversation", [column], unique=False)
    op.create_table(
        "activity",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("repo", sa.String(), nullable=False),
        sa.Column("issue", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_activity")),
    )
    for column in ("at", "repo", "issue", "what"):
        op.create_index(op.f(f"ix_activity_{column}"), "activity", [column], unique=False)


def _watching() -> None:
    op.create_table(
        "job_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_run")),
    )
    op.create_index(op.f("ix_job_run_ended_at"), "job_run", ["ended_at"], unique=False)
    op.create_index(op.f("ix_job_run_name"), "job_run", ["name"], unique=False)
    op.create_table(
        "remembered",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("etag", sa.String(), nullable=True),
        sa.Column("modified", sa.String(), nullable=True),
        sa.Column("cursor", sa.String(), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_remembered")),
    )
    op.create_index(op.f("ix_remembered_seen_at"), "remembered", ["seen_at"], unique=False)
    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("diff", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
    )
    op.create_index(op.f("ix_proposal_state"), "proposal", ["state"], unique=False)
    op.create_index(
        "uq_proposal_open",
        "proposal",
        ["key"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
