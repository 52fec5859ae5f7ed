"""Run by Alembic for each upgrade, on a connection that `kb.store.schema` opened and whose transaction it ends."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from kb.store.schema import options


def _run(connection: Connection) -> None:
    context.configure(connection=connection, **options(connection))
    context.run_migrations()


_run(context.config.attributes["connection"])
