"""One engine for either database, and the transactions of the store.

SQLite: write-ahead log, foreign keys on, a busy timeout, and transactions that this module begins itself, since the
driver begins none before a statement that changes the schema. PostgreSQL: as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from sqlalchemy import Connection, Engine, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.pool import NullPool
from sqlmodel import Session, SQLModel

BUSY_SECONDS = 15
_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_RO = "readonly database"
# a server that is gone without a word is given up within seconds; an address may say otherwise
_PATIENCE = {
    "connect_timeout": 10,
    "tcp_user_timeout": 15_000,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
# what psycopg calls no OperationalError, though the database is what is wrong
_UNUSABLE = ("InterfaceError", "InternalError", "UndefinedTable", "UndefinedColumn", "ReadOnlySqlTransaction")
_BATCH = 500  # rows of one statement; SQLite takes 32,766 values


class StoreError(Exception):
    """The database cannot be used. Its text says why, and what to do."""


def open_engine(url: str, *, foreign_keys: bool = True) -> Engine:
    """An engine for sqlite:///FILE or postgresql://... . Nothing is connected to yet. Raises StoreError."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the second for a port that is no number
        raise StoreError("the address of the database is no URL; write sqlite:///FILE or postgresql://...") from None
    driver = _DRIVERS.get(parsed.drivername.partition("+")[0])
    if driver is None:
        raise StoreError(f"{parsed.drivername} is no database this program knows; it knows sqlite and postgresql")
    if driver == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise StoreError("the address of the database names no file; write sqlite:///FILE")
    if driver == "sqlite" and parsed.query:
        raise StoreError("the address of an SQLite file takes no options after a question mark; write sqlite:///FILE")
    # no pool: a file has nothing to save, and a server's connection must not outlive what used it
    patience = {k: v for k, v in _PATIENCE.items() if driver != "sqlite" and k not in parsed.query}
    engine = create_engine(parsed.set(drivername=driver), poolclass=NullPool, connect_args=patience)
    if driver == "sqlite":
        _prepare_sqlite(engine, foreign_keys)
        _keep_to_file(engine)
    return engine


def _keep_to_file(engine: Engine) -> None:
    """Refuse to go on without the file: SQLite makes an empty one, which would stand where the other one belongs."""
    file, was_there = engine.url.database or "", False

    @event.listens_for(engine, "do_connect")
    def _look(*_: object) -> None:
        nonlocal was_there
        if os.path.exists(file):
            was_there = True
        elif was_there:
            raise StoreError(f"the database {file} is gone; put it back, or a backup of it")


def _prepare_sqlite(engine: Engine, foreign_keys: bool) -> None:
    @event.listens_for(engine, "connect")
    def _connect(connection: DBAPIConnection, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for setting in (
            f"busy_timeout = {BUSY_SECONDS * 1000}",
            "journal_mode = WAL",
            "synchronous = NORMAL",
            f"foreign_keys = {'ON' if foreign_keys else 'OFF'}",
        ):
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # a transaction that will write takes its lock at once: one that reads first can be refused later, without
        # waiting
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def file_of(engine: Engine) -> str | None:
    """The path of an SQLite database; None on PostgreSQL."""
    return engine.url.database if engine.dialect.name == "sqlite" else None


class Opened:
    """An open database. Sessions last for one transaction each."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """For who has much to read and write: whenever its last connection is closed, SQLite writes the log back into
        the file, which takes ten times as long as a transaction. So one is held meanwhile, and not used."""
        if file_of(self.engine) is None:
            yield
            return
        with told():
            connection = self.engine.connect()
        try:
            yield
        finally:
            connection.close()

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with told(), Session(self.engine) as session:
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        """One transaction: all of it is kept, or nothing."""
        with told(), Session(self.engine.execution_options(writes=True)) as session, session.begin():
            yield session


@contextmanager
def told() -> Iterator[None]:
    """Turn what a driver says into a StoreError that a person can act on; what is a fault of this program stays."""
    try:
        yield
    except OperationalError as e:
        line = _first_line(e)
        how = "; who reads it writes beside it too: give this account the file and its folder" if _RO in line else ""
        raise StoreError(f"the database cannot be used: {line}{how}") from e
    except DBAPIError as e:
        if type(e.orig).__name__ in _UNUSABLE:
            raise StoreError(f"the database cannot be used: {_first_line(e)}") from e
        # the driver's own type for a file that is damaged, or no database at all
        if type(e.orig).__name__ == "DatabaseError":
            raise StoreError(f"the database is damaged: {_first_line(e)}; restore a backup of it") from e
        raise


def _first_line(e: DBAPIError) -> str:
    return (str(e.orig).strip().splitlines() or ["no reason given"])[0]


def alone(connection: Connection, key: int) -> None:
    """Hold a key to the end of a transaction, after whoever holds it now. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def is_writable(connection: Connection) -> bool:
    """Whether a transaction that has begun can write; that SQLite let it begin says so."""
    if connection.dialect.name == "sqlite":
        return True
    return connection.execute(text("SHOW transaction_read_only")).scalar() == "off"


def table_of(model: type[SQLModel]) -> Table:
    return cast(Table, model.__table__)  # type: ignore[attr-defined]


def upsert(
    session: Session,
    model: type[SQLModel],
    rows: Sequence[dict[str, Any]],
    key: Iterable[str],
    newer: str | None = None,
) -> int:
    """Insert rows, or replace those with the same key; the number of rows written.

    `newer` names a column that must not go back: a row is left as it is where its own value is later.
    """
    table, keys = table_of(model), tuple(key)
    written = 0
    for at in range(0, len(rows), _BATCH):
        statement = inserting(session, table).values(list(rows[at : at + _BATCH]))
        fresh = {c: statement.excluded[c] for c in rows[at] if c not in keys}
        where = None
        if newer is not None:
            old, new = table.c[newer], statement.excluded[newer]
            where = old.is_(None) | (old <= new)
        statement = statement.on_conflict_do_update(index_elements=list(keys), set_=fresh, where=where)
        written += len(session.execute(statement.returning(table.c[keys[0]])).all())
    return written


def insert_once(session: Session, model: type[SQLModel], row: dict[str, Any], key: Iterable[str]) -> bool:
    """Insert a row unless there is one of its key, also one that somebody else inserts at this moment."""
    table, keys = table_of(model), list(key)
    statement = inserting(session, table).values(row).on_conflict_do_nothing(index_elements=keys)
    return session.execute(statement.returning(table.c[keys[0]])).first() is not None


def inserting(session: Session, table: Table) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if session.get_bind().dialect.name == "sqlite" else postgresql.insert(table)


def make_folder(engine: Engine) -> None:
    """Make the folder of an SQLite file, for its owner alone."""
    path = file_of(engine)
    if path:
        os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
