"""Mirrors of reviewed files, rebuilt by `sync`."""

from __future__ import annotations

from sqlmodel import Field

from kb.tables.stored import Stored, json, prose


class ProductRow(Stored, table=True):
    __tablename__ = "product"
    id: str = Field(primary_key=True)
    title: str
    scheme: str
    repo: str | None = None


class AliasRow(Stored, table=True):
    __tablename__ = "product_alias"
    product: str = Field(foreign_key="product.id", primary_key=True)
    alias: str = Field(primary_key=True)


class SignatureRow(Stored, table=True):
    __tablename__ = "signature"
    id: str = Field(primary_key=True)
    title: str
    withdrawn: str | None = None


class ProblemRow(Stored, table=True):
    __tablename__ = "problem"
    id: str = Field(primary_key=True)
    title: str
    cause: str = prose()
    status: str = Field(index=True)
    workarounds: list[str] = json()
    checks: list[str] = json()
    review_by: str | None = None
    owner: str | None = None
    withdrawn: str | None = None


class SymptomRow(Stored, table=True):
    __tablename__ = "problem_symptom"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    position: int = Field(primary_key=True)
    signature: str = Field(foreign_key="signature.id", index=True)


class RefRow(Stored, table=True):
    __tablename__ = "problem_ref"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    position: int = Field(primary_key=True)
    ref: str = Field(index=True)


class AffectedRow(Stored, table=True):
    __tablename__ = "problem_affected"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    position: int = Field(primary_key=True)
    component: str = Field(index=True)
    introduced: str | None = None
    fixed: str | None = None
    versions: list[str] = json()
    ref: str | None = None


class FixRow(Stored, table=True):
    __tablename__ = "problem_fix"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    position: int = Field(primary_key=True)
    kind: str
    state: str
    component: str | None = None
    merged: str | None = None
    note: str | None = prose(default=None)
    ref: str | None = None


class FixChangeRow(Stored, table=True):
    __tablename__ = "problem_fix_change"
    problem: str = Field(foreign_key="problem.id", primary_key=True)
    fix: int = Field(primary_key=True)
    change: str = Field(primary_key=True, index=True)
