"""Repositories that are called something else by now: what is kept of them goes with them.

Rows bear names, since people ask by them. Conversations bear the repository's number as well, which stays, and so tell
whose name has changed.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, delete, insert, literal, or_, select, update
from sqlmodel import Session, SQLModel, col, func

from kb.store.engine import Opened, table_of
from kb.tables import Activity, Conversation, FindingSeen, IssueSeen, Searchable, Sighting, Verdict


class Renames(Opened):
    def repository_called(self, number: int, name: str) -> None:
        """Have all rows of a repository bear the name that it has now. What another one left under that name bears its
        number as well, until that one is met again."""
        talks = table_of(Conversation).c
        mine, named = _begins(talks.issue, f"{number}#"), _begins(talks.ref, f"{name}#")
        query = select(talks.issue, talks.ref).where(or_(mine & ~named, ~mine & named))
        with self._reading() as session:
            found = {(issue.partition("#")[0], ref.rpartition("#")[0]) for issue, ref in session.execute(query)}
        if not found:
            return
        with self._writing() as session:
            for owner, old in sorted(found, key=lambda one: one[0] == str(number)):  # first the name is made free
                _rename(session, owner, old, name if owner == str(number) else f"{old}--{owner}")


def _rename(session: Session, owner: str, old: str, new: str) -> None:
    seen, words = table_of(IssueSeen), table_of(Searchable)
    for table in (seen, words):  # what is newer takes the place of what is there
        numbers = select(_number(table.c.ref, old)).where(_begins(table.c.ref, f"{old}#"))
        there = _begins(table.c.ref, f"{new}#") & _number(table.c.ref, new).in_(numbers)
        session.execute(delete(table).where(there))
    kept = [c for c in seen.c if c.name != "ref"]
    rows = select(_renamed(seen.c.ref, old, new), *kept).where(_begins(seen.c.ref, f"{old}#"))
    session.execute(insert(seen).from_select(["ref", *(c.name for c in kept)], rows))
    for model in (Sighting, FindingSeen, Verdict, Activity):
        _move(session, model, "issue", old, new)
    _move(session, Searchable, "ref", old, new)
    _move(session, Conversation, "ref", old, new, _begins(table_of(Conversation).c.issue, f"{owner}#"))
    session.execute(delete(seen).where(_begins(seen.c.ref, f"{old}#")))
    session.execute(update(table_of(Activity)).where(col(Activity.repo) == old).values(repo=new))


def _move(session: Session, model: type[SQLModel], name: str, old: str, new: str, *only: ColumnElement[bool]) -> None:
    column = table_of(model).c[name]
    changed = update(table_of(model)).where(_begins(column, f"{old}#"), *only)
    session.execute(changed.values({name: _renamed(column, old, new)}))


def _begins(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    return func.substr(column, 1, len(text)) == text  # LIKE minds the case on one engine and not on the other


def _number(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    return func.substr(column, len(name) + 2)


def _renamed(column: ColumnElement[Any], old: str, new: str) -> ColumnElement[Any]:
    return literal(f"{new}#").concat(_number(column, old))
