"""The store on both engines: every test of this folder that takes `url` or `store` runs on each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kb.store import Store, upgrade
from tests.postgres import database, server

ENGINES = ("sqlite", "postgresql")
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


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
    with database(str(request.getfixturevalue("postgresql"))) as empty:
        yield empty


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A database at this program's revision."""
    upgrade(url)
    opened = Store.at(url)
    yield opened
    opened.close()
