"""What every table is made of: names of constraints, moments in UTC, prose, JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, MetaData, Text
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

# names by rule, so that migrations can find every constraint on both engines
_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Moment(TypeDecorator[datetime]):
    """An aware datetime in UTC. SQLite keeps no time zone, so it is put back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone; give moments in UTC")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Stored(SQLModel):
    """What all tables share: their metadata."""

    metadata = MetaData(naming_convention=_NAMES)


def prose(**more: Any) -> Any:
    return Field(sa_type=Text, **more)


def moment(**more: Any) -> Any:
    return Field(sa_type=Moment, **more)


def json(**more: Any) -> Any:
    return Field(sa_type=JSON, **more)
