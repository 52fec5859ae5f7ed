"""One process at a time for an issue: leases on issues, revisions of conversations, commands by their comment."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
AS_IT_STANDS = "*"  # see `kb.tables.Heard`
ANY = 0  # instead of a comment: see there


def upgrade() -> None:
    op.create_table(
        "issue_lease",
        sa.Column("issue", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("issue", name=op.f("pk_issue_lease")),
    )
    op.create_index(op.f("ix_issue_lease_until"), "issue_lease", ["until"], unique=False)
    op.create_table(
        "heard",
        sa.Column("issue", sa.String(), nullable=False),
        sa.Column("comment", sa.BigInteger(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("issue", "comment", name=op.f("pk_heard")),
    )
    _inbox()
    with op.batch_alter_table("outbox") as table:
        table.drop_column("lease_until")
    _conversations()


def _inbox() -> None:
    with op.batch_alter_table("inbox") as table:
        table.add_column(sa.Column("issue", sa.String(), nullable=False, server_default=""))
        table.drop_column("lease_until")
    with op.batch_alter_table("inbox") as table:
        table.alter_column("issue", server_default=None)
        table.create_index(op.f("ix_inbox_issue"), ["issue"], unique=False)
    inbox = sa.table("inbox", sa.column("id", sa.Integer), sa.column("issue"), sa.column("payload", sa.JSON))
    connection = op.get_bind()
    for id_, payload in connection.execute(sa.select(inbox.c.id, inbox.c.payload)).all():
        about = payload if isinstance(payload, dict) else {}
        issue = f"{about.get('repo_id', 0)}#{about.get('number', 0)}"
        connection.execute(inbox.update().where(inbox.c.id == id_).values(issue=issue))


def _conversations() -> None:
    with op.batch_alter_table("conversation") as table:
        table.add_column(sa.Column("revision", sa.Integer(), nullable=False, server_default="1"))
        table.add_column(sa.Column("recalled", sa.Boolean(), nullable=False, server_default=sa.true()))
        table.add_column(sa.Column("old", sa.Boolean(), nullable=False, server_default=sa.false()))
        table.add_column(sa.Column("relabelling", sa.JSON(), nullable=False, server_default="[]"))
        table.add_column(sa.Column("writing", sa.String(), nullable=False, server_default=""))
        table.add_column(sa.Column("posting", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("conversation") as table:
        for column in ("revision", "recalled", "old", "relabelling", "writing"):
            table.alter_column(column, server_default=None)
    changed_at = sa.column("changed_at", sa.DateTime(timezone=True))
    talk = sa.table(
        "conversation", sa.column("issue"), sa.column("old", sa.Boolean), sa.column("heard", sa.JSON), changed_at
    )
    heard = sa.table("heard", sa.column("issue"), sa.column("comment", sa.BigInteger), sa.column("words", sa.JSON))
    remembered = sa.table("remembered", sa.column("key"))
    connection = op.get_bind()
    for issue, commands, at in connection.execute(sa.select(talk.c.issue, talk.c.heard, talk.c.changed_at)).all():
        # nobody listened to whose token the bot has
        found = _by_comment(commands) | {ANY: [(at if at.tzinfo else at.replace(tzinfo=UTC)).isoformat()]}
        connection.execute(heard.insert(), [{"issue": issue, "comment": n, "words": w} for n, w in found.items()])
    marks = sa.select(sa.func.substr(remembered.c.key, 5)).where(remembered.c.key.like("old %"))
    connection.execute(talk.update().where(talk.c.issue.in_(marks)).values(old=True))
    connection.execute(remembered.delete().where(remembered.c.key.like("old %")))
    with op.batch_alter_table("conversation") as table:
        table.drop_column("heard")


def _by_comment(commands: Any) -> dict[int, list[str]]:
    """Commands were kept as `COMMENT VERB ARGUMENT`, the oldest first. VERB was None of what was no command, and the
    comment with it counts as heard as it stands."""
    found: dict[int, list[str]] = {}
    for command in commands if isinstance(commands, list) else ():
        comment, _, words = str(command).partition(" ")
        if comment.isascii() and comment.isdigit():
            found.setdefault(int(comment), []).append(words)
    return {n: [AS_IT_STANDS] if "None " in words else words for n, words in found.items()}
