"""Revisions: every earlier one is brought up to date with its rows, and what is wrong with a database is named."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, Boolean, DateTime, Integer, MetaData, Table, insert, inspect, select

from kb.store import Store, StoreError, upgrade
from kb.store.engine import open_engine
from kb.store.schema import _SCRIPTS, head

GONE = {"inbox": {"lease_until"}, "outbox": {"lease_until"}, "conversation": {"heard"}}  # columns taken out since
REVISIONS = [str(s.revision) for s in ScriptDirectory(_SCRIPTS).walk_revisions()][::-1]


def _row(table: Table) -> dict[str, Any]:
    """A row with a value in every column that needs one; references lead to the rows that this makes."""
    values: dict[str, Any] = {}
    for column in table.columns:
        if column.computed is not None:
            continue
        kind = column.type
        if isinstance(kind, Integer):
            values[column.name] = 1
        elif isinstance(kind, Boolean):
            values[column.name] = True
        elif isinstance(kind, DateTime):
            values[column.name] = datetime(2026, 1, 1, tzinfo=UTC)
        elif isinstance(kind, JSON):
            values[column.name] = ["x"]
        else:
            values[column.name] = "x"
    return values


def _tables(url: str) -> dict[str, Table]:
    engine = open_engine(url)
    metadata = MetaData()
    metadata.reflect(engine, only=lambda name, _: not name.startswith(("searchable_fts", "alembic")))
    engine.dispose()
    return {t.name: t for t in metadata.sorted_tables}


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_earlier_revision_is_upgraded_with_its_rows(url: str, revision: str) -> None:
    assert upgrade(url, revision) == (None, revision)
    tables = _tables(url)
    engine = open_engine(url)
    with engine.begin() as connection:
        for table in tables.values():
            connection.execute(insert(table), _row(table))
    assert upgrade(url) == (revision, head())
    with engine.connect() as connection:
        for name, table in _tables(url).items():
            if name in tables:
                row = connection.execute(select(table)).mappings().one()
                kept = _row(tables[name]).keys() - GONE.get(name, set())
                assert kept <= row.keys()
                assert all(row[k] is not None for k in kept), name
    engine.dispose()
    store = Store.at(url)
    assert store.check() == ()
    store.close()


def test_what_was_heard_and_which_issues_are_old_is_kept_by_the_upgrade(url: str) -> None:
    upgrade(url, "0003")
    tables = _tables(url)
    engine = open_engine(url)
    talk = _row(tables["conversation"]) | {
        "heard": ["4711 wrong another cause", "4711 why ", "12 off ", "x", "13 why ", "13 None "]
    }
    event = _row(tables["inbox"]) | {"payload": {"repo_id": 7, "number": 3}}
    mark = {"key": "old 7#3", "seen_at": datetime(2025, 1, 1, tzinfo=UTC)}
    with engine.begin() as connection:
        connection.execute(insert(tables["conversation"]), [talk | {"issue": "7#3"}, talk | {"issue": "7#4"}])
        connection.execute(insert(tables["inbox"]), event | {"state": "new", "not_before": None})
        connection.execute(insert(tables["remembered"]), mark)
    engine.dispose()
    upgrade(url)
    store = Store.at(url)
    until = (talk["changed_at"].isoformat(),)
    assert store.heard("7#3") == {4711: ("wrong another cause", "why "), 12: ("off ",), 13: ("*",), 0: until}
    assert {t.issue: (t.old, t.revision) for t in store.talks()} == {"7#3": (True, 1), "7#4": (False, 1)}
    assert store.etag_of("old 7#3") is None
    assert store.issues_due(datetime(2026, 1, 1, tzinfo=UTC)) == ("7#3",)
    assert store.check() == ()
    store.close()


def test_an_upgrade_of_what_is_up_to_date_changes_nothing(url: str) -> None:
    upgrade(url)
    assert upgrade(url) == (head(), head())


def test_a_database_without_tables_says_so(url: str) -> None:
    store = Store.at(url)
    assert "run `triage db upgrade`" in (store.refusal() or "")
    assert len(store.check()) == 1
    store.close()


def test_an_older_and_a_newer_revision_are_told_apart(url: str) -> None:
    upgrade(url, REVISIONS[0])
    store = Store.at(url)
    assert f"is at revision {REVISIONS[0]}" in (store.refusal() or "")
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    assert "a newer one wrote it" in (store.refusal() or "")
    store.close()
    with pytest.raises(StoreError, match="a newer program wrote it"):
        upgrade(url)


def test_a_column_that_no_model_knows_is_named(store: Store) -> None:
    with store.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE problem ADD COLUMN mood VARCHAR")
        connection.exec_driver_sql("DROP INDEX ix_problem_status")
    said = " ".join(store.check())
    assert "remove column problem mood" in said
    assert "add index ix_problem_status" in said


def test_a_reference_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'triage.db'}"
    upgrade(url)
    with sqlite3.connect(tmp_path / "triage.db") as connection:  # foreign keys are off unless asked for
        connection.execute("INSERT INTO product_alias VALUES ('gone', 'Gone')")
    connection.close()
    store = Store.at(url)
    assert any("product_alias names a missing row of product" in w for w in store.check())
    store.close()


def test_a_damaged_file_is_named_and_never_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "triage.db"
    url = f"sqlite:///{file}"
    upgrade(url)
    data = bytearray(file.read_bytes())
    data[4096 * 3 : 4096 * 5] = b"\xff" * 8192
    file.write_bytes(data)
    store = Store.at(url)
    try:
        wrong = store.check()
    except StoreError as e:
        wrong = (str(e),)
    store.close()
    assert any("integrity" in w or "damaged" in w for w in wrong)
    file.write_bytes(b"this is no database " * 500)
    with pytest.raises(StoreError, match="damaged"):
        Store.at(url).refusal()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "is no URL"),
        ("mysql://localhost/x", "it knows sqlite and postgresql"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:////srv/triage.db?mode=ro", "takes no options"),
        ("postgresql://jane:se@cret@[::1/x", "is no URL"),
        ("postgresql://127.0.0.1:port/x", "is no URL"),
    ],
)
def test_an_address_that_cannot_be_used_is_explained(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        Store.at(url)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_only_be_read_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "triage.db"
    upgrade(f"sqlite:///{file}")
    file.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(StoreError, match="give this account the file and its folder"):
            Store.at(f"sqlite:///{file}").refusal()
    finally:
        tmp_path.chmod(0o755)


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    store = Store.at("postgresql://nobody@127.0.0.1:1/x?connect_timeout=2")
    with pytest.raises(StoreError, match="the database cannot be used"):
        store.refusal()


def test_a_live_database_is_copied(tmp_path: Path) -> None:
    upgrade(f"sqlite:///{tmp_path / 'triage.db'}")
    store = Store.at(f"sqlite:///{tmp_path / 'triage.db'}")
    target = tmp_path / "copy.db"
    with store.engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO product VALUES ('p', 'P', 'semver', NULL)")
    with store.engine.connect() as reading:
        reading.exec_driver_sql("SELECT * FROM product")
        assert store.backup(str(target)) == target.stat().st_size
    assert [p.name for p in tmp_path.glob("copy*")] == ["copy.db"]
    copy = Store.at(f"sqlite:///{target}")
    assert copy.check() == ()
    assert copy.authored().products == 1
    copy.close()
    with pytest.raises(StoreError, match="is there already"):
        store.backup(str(target))
    store.close()


def test_a_server_is_backed_up_by_its_own_program() -> None:
    store = Store.at("postgresql://triage:secret@db.example.org/triage")
    with pytest.raises(StoreError, match="pg_dump --format=custom") as refused:
        store.backup("x.dump")
    assert "secret" not in str(refused.value)


def test_sqlite_is_set_up_to_be_safe(tmp_path: Path) -> None:
    upgrade(f"sqlite:///{tmp_path / 'triage.db'}")
    store = Store.at(f"sqlite:///{tmp_path / 'triage.db'}")
    with store.engine.connect() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        }
    assert settings == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 1, "busy_timeout": 15000}
    assert inspect(store.engine).has_table("searchable_fts")
    store.close()
