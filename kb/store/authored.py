"""The authored tables: rebuilt as a whole from reviewed files, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import delete, insert
from sqlmodel import SQLModel, col, func, select

from kb.model import Knowledge, Problem, Product
from kb.store.engine import Opened, alone, table_of
from kb.store.search import PROBLEM, searchable
from kb.tables import (
    AffectedRow,
    AliasRow,
    FixChangeRow,
    FixRow,
    ProblemRow,
    ProductRow,
    RefRow,
    Searchable,
    SignatureRow,
    SymptomRow,
)
from signatures.model import Signature
from signatures.values import NamedTuple

# rows that are pointed at come first
_TABLES: tuple[type[SQLModel], ...] = (
    ProductRow,
    AliasRow,
    SignatureRow,
    ProblemRow,
    SymptomRow,
    RefRow,
    AffectedRow,
    FixRow,
    FixChangeRow,
)
_LOCK = 0x7472_6961_6766  # of rebuilding
Row = dict[str, Any]


class Authored(NamedTuple):
    """How many records the database holds."""

    problems: int
    signatures: int
    products: int


class AuthoredTables(Opened):
    def rebuild(self, knowledge: Knowledge, signatures: tuple[Signature, ...]) -> Authored:
        """Replace all authored tables. Until it is done, everybody else sees the old ones."""
        rows: dict[type[SQLModel], list[Row]] = {t: [] for t in _TABLES}
        for product in knowledge.products:
            _product(rows, product)
        rows[SignatureRow] = [{"id": s.id, "title": s.title, "withdrawn": s.withdrawn} for s in signatures]
        known = {s.id for s in signatures}
        for problem in knowledge.problems:
            _problem(rows, problem, known)
        words = [searchable(PROBLEM, p.id, p.title, _words(p)) for p in knowledge.problems if p.withdrawn is None]
        with self._writing() as session:
            alone(session.connection(), _LOCK)
            for table in reversed(_TABLES):
                session.execute(delete(table_of(table)))
            session.execute(delete(table_of(Searchable)).where(col(Searchable.kind) == PROBLEM))
            for table in _TABLES:
                if rows[table]:
                    session.execute(insert(table_of(table)), rows[table])
            if words:
                session.execute(insert(table_of(Searchable)), words)
        return Authored(len(rows[ProblemRow]), len(rows[SignatureRow]), len(rows[ProductRow]))

    def authored(self) -> Authored:
        """What the last `sync` wrote."""
        with self._reading() as session:
            counts = [
                session.exec(select(func.count()).select_from(t)).one() for t in (ProblemRow, SignatureRow, ProductRow)
            ]
            return Authored(*counts)


def _product(rows: dict[type[SQLModel], list[Row]], product: Product) -> None:
    rows[ProductRow].append(
        {"id": product.id, "title": product.title, "scheme": product.scheme.value, "repo": product.repo}
    )
    names = dict.fromkeys((*product.aliases, *product.labels))
    rows[AliasRow] += ({"product": product.id, "alias": name} for name in names)


def _problem(rows: dict[type[SQLModel], list[Row]], p: Problem, signatures: set[str]) -> None:
    rows[ProblemRow].append(
        {
            "id": p.id,
            "title": p.title,
            "cause": p.cause,
            "status": p.status.value,
            "workarounds": list(p.workarounds),
            "checks": list(p.checks),
            "review_by": p.review_by,
            "owner": p.owner,
            "withdrawn": p.withdrawn,
        }
    )
    rows[SymptomRow] += _numbered(p, ({"signature": s.signature} for s in p.symptoms if s.signature in signatures))
    rows[RefRow] += _numbered(p, ({"ref": r} for r in p.refs))
    rows[AffectedRow] += _numbered(p, ({**a._asdict(), "versions": list(a.versions)} for a in p.affected))
    for i, fix in enumerate(p.fixes):
        own = {k: v for k, v in fix._asdict().items() if k != "all"}
        own |= {"kind": fix.kind.value, "state": fix.state.value}
        rows[FixRow].append({"problem": p.id, "position": i, **own})
        rows[FixChangeRow] += ({"problem": p.id, "fix": i, "change": c} for c in dict.fromkeys(fix.all))


def _numbered(problem: Problem, rows: Iterable[Row]) -> list[Row]:
    return [{"problem": problem.id, "position": i, **row} for i, row in enumerate(rows)]


def _words(p: Problem) -> str:
    return "\n".join((p.cause, *p.workarounds, *(s.signature for s in p.symptoms)))
