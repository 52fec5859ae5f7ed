"""What becomes of the bot's comments, and the log of what it did."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
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
