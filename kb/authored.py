"""The authored TOML tables of problems, products and observed facts, read into values.

Reads what it understands and names the key it does not; which keys may exist at all is the business of kb.schema.
"""

from __future__ import annotations

from enum import StrEnum

from kb.model import (
    Affected,
    Bundle,
    Delivery,
    Dispute,
    Distinct,
    Fix,
    FixKind,
    FixState,
    Layout,
    Problem,
    Product,
    Release,
    RuledOut,
    Scheme,
    Status,
    Symptom,
)
from signatures.model import When
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Choice = TypeVar("_Choice", bound=StrEnum)


class Unreadable(ValueError):
    """A table without the value that is needed. `key` is the dotted path, `message` what to do."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key}: {message}")
        self.key = key
        self.message = message


class Table:
    """One TOML table with the path that leads to it, so that a complaint can name its key."""

    def __init__(self, data: dict[str, Any], path: str = "") -> None:
        self.data = data
        self.path = path

    def key(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def text(self, name: str) -> str:
        value = self.optional(name)
        if value is None:
            raise Unreadable(self.key(name), "is missing")
        return value

    def optional(self, name: str) -> str | None:
        value = self.data.get(name)
        if value is not None and not isinstance(value, str):
            raise Unreadable(self.key(name), f"must be text in quotes, not {type(value).__name__}")
        return value

    def date(self, name: str) -> str | None:
        """An ISO date, written as a TOML date or as text."""
        value = self.data.get(name)
        text = value if value is None or isinstance(value, str) else str(value)
        if text is not None and not _is_date(text):
            raise Unreadable(self.key(name), f"must be a date like 2026-06-22, not {text!r}")
        return text

    def choice(self, name: str, choices: type[_Choice]) -> _Choice:
        value = self.text(name)
        try:
            return choices(value)
        except ValueError:
            raise Unreadable(self.key(name), f"is {value!r}; one of: {', '.join(choices)}") from None

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.data.get(name, [])
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise Unreadable(self.key(name), 'must be a list of texts, such as ["a", "b"]')
        return tuple(value)

    def flag(self, name: str) -> bool:
        value = self.data.get(name, False)
        if not isinstance(value, bool):
            raise Unreadable(self.key(name), "must be true or false")
        return value

    def table(self, name: str) -> Table:
        value = self.data.get(name, {})
        if not isinstance(value, dict):
            raise Unreadable(self.key(name), "must be a table, such as { key = [...] }")
        return Table(value, self.key(name))

    def tables(self, name: str) -> list[Table]:
        value = self.data.get(name, [])
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise Unreadable(self.key(name), f"must be written as [[{name}]]")
        return [Table(v, f"{self.key(name)}[{i}]") for i, v in enumerate(value)]


def problem(t: Table) -> Problem:
    """The problem of one file. Raises Unreadable."""
    _schema(t)
    told = t.tables("workaround")
    return Problem(
        id=t.text("id"),
        title=t.text("title"),
        cause=t.text("cause"),
        status=t.choice("status", Status),
        refs=t.texts("refs"),
        symptoms=tuple(_symptom(s) for s in t.tables("symptom")),
        affected=tuple(_affected(a) for a in t.tables("affected")),
        fixes=tuple(_fix(f) for f in t.tables("fix")),
        workarounds=(*t.texts("workarounds"), *(w.text("text") for w in told)),
        checks=t.texts("checks"),
        distinct_from=tuple(Distinct(d.text("problem"), d.text("why")) for d in t.tables("distinct_from")),
        ruled_out=tuple(RuledOut(r.text("claim"), r.text("ref")) for r in t.tables("ruled_out")),
        review_by=t.date("review_by"),
        owner=t.optional("owner"),
        withdrawn=t.optional("withdrawn"),
        workaround_refs=(*(None for _ in t.texts("workarounds")), *(w.text("ref") for w in told)) if told else (),
    )


def product(t: Table) -> tuple[Product, tuple[Release, ...]]:
    """The product of one file, and the releases that it states itself. Raises Unreadable."""
    _schema(t)
    made = Product(
        id=t.text("id"),
        title=t.text("title"),
        scheme=t.choice("scheme", Scheme),
        aliases=t.texts("aliases"),
        labels=t.texts("labels"),
        version=t.optional("version"),
        repo=t.optional("repo"),
        layouts=tuple(
            Layout(
                row.text("tag"),
                row.optional("from"),
                row.optional("to"),
                tuple(
                    Bundle(b.text("component"), b.text("manifest"), b.text("pointer")) for b in row.tables("bundles")
                ),
                row.optional("branch"),
                row.optional("version_file"),
                row.optional("version_pointer") or "/",
            )
            for row in t.tables("layout")
        ),
        packages=t.texts("packages"),
        spoken=t.texts("spoken"),
    )
    return made, tuple(_release(r, made.id) for r in t.tables("release"))


def observed(t: Table) -> tuple[tuple[Release, ...], tuple[Delivery, ...], tuple[Dispute, ...]]:
    """The rows of an observed.toml. Raises Unreadable."""
    deliveries = tuple(
        Delivery(
            d.text("change"),
            d.text("component"),
            d.texts("releases"),
            d.text("how"),
            d.texts("unknown"),
            d.texts("absent"),
        )
        for d in t.tables("delivery")
    )
    disputes = tuple(
        Dispute(d.text("problem"), d.text("product"), d.text("version"), d.text("why"), d.date("since"))
        for d in t.tables("dispute")
    )
    return tuple(_release(r, None) for r in t.tables("release")), deliveries, disputes


def _symptom(t: Table) -> Symptom:
    when = t.table("when")
    capture = t.table("capture")
    return Symptom(
        t.text("signature"),
        tuple(_when(when, key) for key in when.data),
        tuple((name, capture.texts(name)) for name in capture.data),
        t.texts("decisive"),
    )


def _when(t: Table, key: str) -> When:
    if isinstance(t.data[key], dict):
        clause = t.table(key)
        return When(key, clause.texts("any"), clause.texts("none"), clause.flag("known"))
    return When(key, t.texts(key))


def _affected(t: Table) -> Affected:
    return Affected(
        t.text("component"), t.optional("introduced"), t.optional("fixed"), t.texts("versions"), t.optional("ref")
    )


def _fix(t: Table) -> Fix:
    return Fix(
        kind=t.choice("kind", FixKind),
        state=t.choice("state", FixState),
        all=t.texts("all"),
        component=t.optional("component"),
        merged=t.date("merged"),
        note=t.optional("note"),
        ref=t.optional("ref"),
    )


def _release(t: Table, product_id: str | None) -> Release:
    bundles = t.table("bundles")
    stated = t.optional("product") if product_id else t.text("product")
    if product_id and stated not in (None, product_id):
        raise Unreadable(t.key("product"), f"is {stated!r} in the file of {product_id!r}")
    return Release(
        product_id or str(stated),
        t.text("version"),
        t.date("date"),
        tuple((component, bundles.text(component)) for component in bundles.data),
        t.text("source"),
        t.date("by"),
        tuple((u.text("component"), u.text("version"), u.text("source")) for u in t.tables("unsettled")),
    )


def _schema(t: Table) -> None:
    if t.data.get("schema") != 1:
        raise Unreadable("schema", f"is {t.data.get('schema')!r}; this program reads `schema = 1`")


def _is_date(text: str) -> bool:
    year, month, day = text[:4], text[5:7], text[8:10]
    digits = year + month + day
    return (
        len(text) == 10
        and text.isascii()
        and text[4] == text[7] == "-"
        and len(digits) == 8
        and digits.isdigit()
        and "01" <= month <= "12"
        and "01" <= day <= "31"
    )
