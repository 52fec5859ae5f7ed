"""The revision of a database: bringing it up to date, checking it, copying it.

An upgrade is one transaction on both engines, so that a process that is killed in the middle leaves the old revision.
"""

from __future__ import annotations

import os
import sqlite3
from typing import Any, cast

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine import Engine
from sqlalchemy.schema import SchemaItem

from kb.store.engine import StoreError, alone, file_of, make_folder, open_engine, told
from kb.tables import Stored

_SCRIPTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "migrations")
_LOCK = 0x7472_6961_6765  # of upgrades
_FULL_TEXT = "searchable_fts"  # FTS5 and its shadow tables
_WORDS = "words"  # the generated tsvector


def head() -> str:
    """The revision that this program needs."""
    return str(ScriptDirectory(_SCRIPTS).get_current_head())


def revision(engine: Engine) -> str | None:
    """The revision of a database; None where there are no tables yet."""
    with told(), engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def refusal(engine: Engine) -> str | None:
    """Why a database cannot be used as it is; None where it can."""
    found, needed = revision(engine), head()
    if found == needed:
        return None
    if found is None:
        return "the database has no tables yet; run `triage db upgrade`"
    if found in {s.revision for s in ScriptDirectory(_SCRIPTS).walk_revisions()}:
        return f"the database is at revision {found}, this program needs {needed}; run `triage db upgrade`"
    return f"the database is at revision {found}, which this program does not know; a newer one wrote it: upgrade it"


def upgrade(url: str, to: str = "head") -> tuple[str | None, str]:
    """Bring a database to a revision, making it where there is none; (revision before, after). Raises StoreError."""
    # a batch operation copies tables, during which references lead nowhere
    engine = open_engine(url, foreign_keys=False)
    make_folder(engine)
    try:
        with told(), engine.execution_options(writes=True).begin() as connection:
            alone(connection, _LOCK)
            before = MigrationContext.configure(connection).get_current_revision()
            scripts = ScriptDirectory(_SCRIPTS)
            if before is not None and before not in {s.revision for s in scripts.walk_revisions()}:
                raise StoreError(f"revision {before} of the database is unknown here: a newer program wrote it")
            config = Config()
            config.set_main_option("script_location", _SCRIPTS.replace("%", "%%"))
            config.attributes["connection"] = connection
            command.upgrade(config, to)
            broken = _broken_references(connection)
            if broken:
                raise StoreError(f"the upgrade would leave references that lead nowhere: {broken[0]}")
            return before, str(MigrationContext.configure(connection).get_current_revision())
    finally:
        engine.dispose()


def options(connection: Connection) -> dict[str, Any]:
    """How Alembic works on a connection."""
    return {
        "target_metadata": Stored.metadata,
        "render_as_batch": True,
        "transactional_ddl": True,
        "include_object": _ours,
        "compare_type": True,
    }


def _ours(item: SchemaItem, name: str | None, kind: str, reflected: bool, _other: SchemaItem | None) -> bool:
    """Full text has tables, columns and indexes that no model describes."""
    if kind == "table":
        return not (name or "").startswith(_FULL_TEXT)
    if kind == "column" and reflected:
        return not (name == _WORDS and cast(Any, item).table.name == "searchable")
    return not (kind == "index" and name == "ix_searchable_words")


def check(engine: Engine) -> tuple[str, ...]:
    """Everything wrong with a database, one sentence each: its revision, its integrity, its references, its shape."""
    refused = refusal(engine)
    if refused:
        return (refused,)
    found: list[str] = []
    with told(), engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            rows = connection.exec_driver_sql("PRAGMA integrity_check(20)").all()
            found += (f"integrity: {row[0]}" for row in rows if row[0] != "ok")
            found += (f"full text: {why}" for why in _full_text(connection))
        found += (f"reference: {words}" for words in _broken_references(connection))
        context = MigrationContext.configure(connection, opts=options(connection))
        found += (f"shape: {_drift(row)}" for row in compare_metadata(context, Stored.metadata))
    return tuple(found)


def _broken_references(connection: Connection) -> list[str]:
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        return [f"row {row[1]} of {row[0]} names a missing row of {row[2]}" for row in rows[:20]]
    unchecked = "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated"
    return [f"{table}.{name} is not validated" for table, name in connection.execute(text(unchecked))]


def _full_text(connection: Connection) -> list[str]:
    if not inspect(connection).has_table(_FULL_TEXT):
        return [f"the table {_FULL_TEXT} is missing"]
    count = connection.exec_driver_sql(f"SELECT count(*) FROM {_FULL_TEXT}_docsize").scalar()  # noqa: S608 - a constant
    rows = connection.exec_driver_sql("SELECT count(*) FROM searchable").scalar()
    return [] if count == rows else [f"{count} texts are indexed, {rows} are there"]


def _drift(row: Any) -> str:
    """One difference that Alembic found, in words."""
    if isinstance(row, list):
        row = row[0]
    kind, *rest = row
    names = [str(getattr(item, "name", item)) for item in rest if item is not None and not isinstance(item, dict)]
    return f"{kind.replace('_', ' ')} {' '.join(names)}"


def backup(engine: Engine, target: str) -> int:
    """Copy a live SQLite database to a new file; its size in bytes.

    Raises StoreError for PostgreSQL, for a target that exists, and where the copy does not prove sound.
    """
    if file_of(engine) is None:
        url = engine.url.set(drivername="postgresql").render_as_string(hide_password=True)
        raise StoreError(f"PostgreSQL has a program for this: pg_dump --format=custom --file={target} {url!r}")
    if os.path.exists(target):
        raise StoreError(f"{target!r} is there already; name a new file")
    draft = f"{target}.{os.getpid()}"
    try:
        with told(), engine.connect() as connection:
            source = cast(sqlite3.Connection, connection.connection.driver_connection)
            copy = sqlite3.connect(draft)
            try:
                source.backup(copy)
                sound = copy.execute("PRAGMA integrity_check").fetchone()[0]
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
            finally:
                copy.close()
        if sound != "ok":
            raise StoreError(f"the copy is not sound: {sound}")
        os.replace(draft, target)
    finally:
        for leftover in (draft, f"{draft}-wal", f"{draft}-shm"):
            if os.path.exists(leftover):
                os.unlink(leftover)
    return os.path.getsize(target)
