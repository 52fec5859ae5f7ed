"""Folders of problems, products and observed facts read into one Knowledge, and that to plain data and back.

A broken file is named in a LoadError and the rest is used. Nothing is diagnosed or compared here.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from kb.authored import Table, Unreadable, observed, problem, product
from kb.model import (
    Affected,
    Bundle,
    Delivery,
    Dispute,
    Distinct,
    Fix,
    FixKind,
    FixState,
    Knowledge,
    Layout,
    Observed,
    Problem,
    Product,
    Release,
    RuledOut,
    Scheme,
    Status,
    Symptom,
)
from signatures.loader import LoadError, read_toml
from signatures.model import When
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Value = TypeVar("_Value")

SHIPPED = os.path.dirname(os.path.abspath(__file__))


def load_knowledge(folders: tuple[str, ...] = (SHIPPED,), *, check: bool) -> tuple[Knowledge, tuple[LoadError, ...]]:
    """What the folders know. Each may hold problems/*.toml, products/*.toml and observed.toml.

    A later folder replaces a record of an earlier one that has the same id (releases: product and version;
    deliveries: change and component). `check` also applies the pydantic shapes, which refuse unknown keys; the
    shipped files were checked before they shipped, and a lookup skips that. A file that the shape refuses is still
    used where it can be read, so that one typo does not look like many dangling references.
    """
    known = Knowledge((), (), Observed())
    errors: list[LoadError] = []
    for folder in folders:
        top, broken = _load_folder(folder, check)
        known = layer(known, top)
        errors += broken
    return known, tuple(errors)


def layer(base: Knowledge, top: Knowledge) -> Knowledge:
    """`top` over `base`: records with the same key are replaced, the others added."""
    releases = _over(base.observed.releases, top.observed.releases, lambda r: (r.product, r.version))
    deliveries = _over(base.observed.deliveries, top.observed.deliveries, lambda d: (d.change, d.component))
    return Knowledge(
        _over(base.problems, top.problems, lambda p: p.id),
        _over(base.products, top.products, lambda p: p.id),
        Observed(releases, deliveries, (*base.observed.disputes, *top.observed.disputes)),
    )


def _over(base: tuple[_Value, ...], top: tuple[_Value, ...], key: Callable[[_Value], object]) -> tuple[_Value, ...]:
    return tuple({key(v): v for v in (*base, *top)}.values())


def _load_folder(folder: str, check: bool) -> tuple[Knowledge, list[LoadError]]:
    errors: list[LoadError] = []
    problems: dict[str, Problem] = {}
    for file in _files(folder, "problems"):
        made = _read(file, "problem", problem, check, errors)
        if made is not None:
            _named(file, made.id, check, errors)
            problems[made.id] = made
    products: dict[str, Product] = {}
    releases: dict[tuple[str, str], Release] = {}
    for file in _files(folder, "products"):
        both = _read(file, "product", product, check, errors)
        if both is not None:
            _named(file, both[0].id, check, errors)
            products[both[0].id] = both[0]
            _add(releases, both[1], file, check, errors)
    seen: tuple[Delivery, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    file = os.path.join(folder, "observed.toml")
    if os.path.exists(file):
        rows = _read(file, "observed", observed, check, errors)
        if rows is not None:
            _add(releases, rows[0], file, check, errors)
            seen, disputes = rows[1:]
    return Knowledge(
        tuple(problems.values()), tuple(products.values()), Observed(tuple(releases.values()), seen, disputes)
    ), errors


def load_observed(file: str) -> tuple[Observed, tuple[LoadError, ...]]:
    """The rows of one observed.toml; nothing where there is no such file."""
    if not os.path.exists(file):
        return Observed(), ()
    errors: list[LoadError] = []
    rows = _read(file, "observed", observed, check=False, errors=errors)
    return Observed(*rows) if rows is not None else Observed(), tuple(errors)


def _files(folder: str, part: str) -> list[str]:
    inside = os.path.join(folder, part)
    names = os.listdir(inside) if os.path.isdir(inside) else []
    return [os.path.join(inside, n) for n in sorted(names) if n.endswith(".toml")]


def _read(file: str, kind: str, make: Callable[[Table], _Value], check: bool, errors: list[LoadError]) -> _Value | None:
    data = read_toml(file)
    if isinstance(data, LoadError):
        errors.append(data)
        return None
    shape: list[LoadError] = []
    if check:
        from kb.schema import check_knowledge

        shape = check_knowledge(kind, file, data)
        errors += shape
    try:
        return make(Table(data))
    except Unreadable as e:
        if not shape:  # else the shape has said it already
            errors.append(LoadError(file, e.key, None, e.message))
        return None


def _named(file: str, id_: str, check: bool, errors: list[LoadError]) -> None:
    name = os.path.basename(file).removesuffix(".toml")
    if check and name != id_:
        errors.append(LoadError(file, "id", None, f"is {id_!r}; name the file {id_}.toml, a record bears its id"))


def _add(
    known: dict[tuple[str, str], Release],
    rows: tuple[Release, ...],
    file: str,
    check: bool,
    errors: list[LoadError],
) -> None:
    for row in rows:
        key = (row.product, row.version)
        if check and key in known:
            why = f"{row.product} {row.version} is stated twice; a fact has one home"
            errors.append(LoadError(file, "release", None, why))
        known[key] = row


def to_plain(knowledge: Knowledge) -> list[Any]:
    """Lists, strings and None, for a JSON cache."""
    plain: list[Any] = _plain(knowledge)
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return str(value) if isinstance(value, str) else value


def from_plain(data: Any) -> Knowledge:
    """The inverse of `to_plain`. Raises ValueError for anything else, such as a cache of another version."""
    try:
        problems, products, (releases, deliveries, disputes) = data
        return Knowledge(
            tuple(map(_problem, problems)),
            tuple(map(_product, products)),
            Observed(
                tuple(map(_release, releases)),
                tuple(_delivery(row) for row in deliveries),
                tuple(map(Dispute._make, disputes)),
            ),
        )
    except (TypeError, ValueError, AttributeError) as e:
        raise ValueError(f"no plain form of this knowledge: {e}") from e


def _problem(row: list[Any]) -> Problem:
    id_, title, cause, status, refs, symptoms, affected, fixes, workarounds, checks, distinct, ruled_out, *more = row
    review_by, owner, withdrawn, told = more
    return Problem(
        id_,
        title,
        cause,
        Status(status),
        tuple(refs),
        tuple(_symptom(*s) for s in symptoms),
        tuple(Affected(c, start, end, tuple(versions), ref) for c, start, end, versions, ref in affected),
        tuple(Fix(FixKind(kind), FixState(state), tuple(changes), *more) for kind, state, changes, *more in fixes),
        tuple(workarounds),
        tuple(checks),
        tuple(map(Distinct._make, distinct)),
        tuple(map(RuledOut._make, ruled_out)),
        review_by,
        owner,
        withdrawn,
        tuple(told),
    )


def _symptom(signature: str, when: list[Any], capture: list[Any], decisive: list[str]) -> Symptom:
    return Symptom(
        signature,
        tuple(When(key, tuple(wanted), tuple(barred), known) for key, wanted, barred, known in when),
        tuple((name, tuple(values)) for name, values in capture),
        tuple(decisive),
    )


def _product(row: list[Any]) -> Product:
    id_, title, scheme, aliases, labels, version, repo, layouts, packages, spoken = row
    return Product(
        id_,
        title,
        Scheme(scheme),
        tuple(aliases),
        tuple(labels),
        version,
        repo,
        tuple(
            Layout(tag, start, end, tuple(map(Bundle._make, bundles)), *rest)
            for tag, start, end, bundles, *rest in layouts
        ),
        tuple(packages),
        tuple(spoken),
    )


def _release(row: list[Any]) -> Release:
    id_, version, date, bundles, source, by, unsettled = row
    said = tuple((c, v, where) for c, v, where in unsettled)
    return Release(id_, version, date, tuple((c, v) for c, v in bundles), source, by, said)


def _delivery(row: list[Any]) -> Delivery:
    change, component, releases, how, unknown, absent = row
    return Delivery(change, component, tuple(releases), how, tuple(unknown), tuple(absent))
