"""The store on both engines: every test of this folder that takes `url` or `store` runs on each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import psycopg
import pytest

from kb.store import Store, upgrade
from tests.postgres import server

ENGINES = ("sqlite", "postgresql")
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
_numbers = count(1)


def later(**by: float) -> datetime:
    return NOW + timedelta(**by)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A server that runs for as long as the tests do."""
    with server() as url:
        yield url


@pytest.fixture(params=ENGINES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'triage.db'}"
        return
    base = str(request.getfixturevalue("postgresql"))
    name = f"triage_{next(_numbers)}_{tmp_path.name.lower()[:20].replace('-', '_')}"
    with psycopg.connect(base, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield f"{base.rpartition('/')[0]}/{name}"
    with psycopg.connect(base, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A database at this program's revision."""
    upgrade(url)
    opened = Store.at(url)
    yield opened
    opened.close()
