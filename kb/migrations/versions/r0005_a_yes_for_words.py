"""A maintainer's yes is for the words that were shown."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    with op.batch_alter_table("conversation") as table:
        table.add_column(sa.Column("yes", sa.String(), nullable=False, server_default=""))
    with op.batch_alter_table("conversation") as table:
        table.alter_column("yes", server_default=None)
