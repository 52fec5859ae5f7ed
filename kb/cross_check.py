"""What no single file shows: references between records that lead nowhere, and statements that contradict each other.

Used by validation alone. It reports and never mends.
"""

from __future__ import annotations

from collections.abc import Iterator

from kb.affected import course_of, is_local
from kb.delivery import MODEL, product_of, scheme_of
from kb.model import PUBLIC, FixKind, FixState, Knowledge, Problem, Product
from kb.statements import statements
from kb.versions import compare
from signatures.linear import PatternError, linear
from signatures.loader import LoadError


def cross_check(
    knowledge: Knowledge, signature_ids: frozenset[str], vocabulary_keys: frozenset[str]
) -> tuple[LoadError, ...]:
    """Everything wrong between the records; () where nothing is.

    `signature_ids` are those of the catalogue, `vocabulary_keys` the fact keys that a `when` may name besides the
    ids of products.
    """
    keys = vocabulary_keys | {p.id for p in knowledge.products}
    errors: list[LoadError] = []
    for problem in knowledge.problems:
        file = f"problems/{problem.id}.toml"
        found = (
            *_references(problem, knowledge, signature_ids, keys),
            *_status(problem),
            *_ranges(problem, knowledge),
            *_fixes(problem, knowledge),
            *_unfounded(problem),
        )
        errors += (LoadError(file, key, None, message) for key, message in found)
    for product in knowledge.products:
        file = f"products/{product.id}.toml"
        errors += (LoadError(file, key, None, message) for key, message in _product(product, knowledge))
    errors += (LoadError("products", "", None, message) for message in _shared_names(knowledge))
    errors += (LoadError("observed.toml", key, None, message) for key, message in _observed(knowledge))
    return tuple(errors)


def _references(
    problem: Problem, knowledge: Knowledge, signature_ids: frozenset[str], keys: frozenset[str]
) -> Iterator[tuple[str, str]]:
    if not problem.symptoms and problem.withdrawn is None:
        yield "symptom", "is missing: without a symptom the problem is never recognised"
    for i, s in enumerate(problem.symptoms):
        if s.signature not in signature_ids:
            yield f"symptom[{i}].signature", f"{s.signature} is no signature{_near(s.signature, signature_ids)}"
        for w in s.when:
            if w.key not in keys:
                yield f"symptom[{i}].when.{w.key}", f"is neither a fact key nor a product{_near(w.key, keys)}"
    problems = frozenset(p.id for p in knowledge.problems)
    for i, d in enumerate(problem.distinct_from):
        if d.problem not in problems:
            yield f"distinct_from[{i}].problem", f"{d.problem} is no problem{_near(d.problem, problems)}"


def _status(problem: Problem) -> Iterator[tuple[str, str]]:
    released = any(f.state is FixState.RELEASED for f in problem.fixes) or any(a.fixed for a in problem.affected)
    if problem.status not in PUBLIC and released:
        yield "status", f"is {problem.status}: what has no settled cause can have no released fix"
    if problem.status not in PUBLIC and not problem.ruled_out and not problem.refs:
        yield "status", f"is {problem.status}, with neither refs nor [[ruled_out]] to show why"


def _ranges(problem: Problem, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for i, row in enumerate(problem.affected):
        key = f"affected[{i}]"
        scheme = scheme_of(knowledge, row.component)
        if scheme is None:
            ids = frozenset(p.id for p in knowledge.products)
            yield f"{key}.component", f'{row.component} is no product and no "model:" id{_near(row.component, ids)}'
            continue
        unreadable = [
            (name, version)
            for name, version in (
                ("introduced", row.introduced),
                ("fixed", row.fixed),
                *(("versions", v) for v in row.versions),
            )
            if version is not None and compare(scheme, version, version) is None
        ]
        yield from ((f"{key}.{n}", f"{v!r} is no {scheme} version of {row.component}") for n, v in unreadable)
        if unreadable:
            continue
        if row.introduced and row.fixed and compare(scheme, row.introduced, row.fixed) in (0, 1):
            yield f"{key}.fixed", f"{row.fixed} is not later than {row.introduced}: nothing would be affected"
        course = course_of(problem, knowledge, row.component)
        if course is None or row.component in seen:
            continue
        seen.add(row.component)
        if course.disputed:
            yield f"{key}.fixed", f"{course.disputed}; the verdict is version-unknown until one of them is corrected"
        if row.fixed and not course.claims:
            yield f"{key}.fixed", "is stated although every [[fix]] of the component is still unreleased"


def _fixes(problem: Problem, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    components = {a.component for a in problem.affected}
    for i, fix in enumerate(problem.fixes):
        key = f"fix[{i}]"
        if fix.component is not None and components and fix.component not in components:
            yield f"{key}.component", f"{fix.component} is not among the [[affected]] components"
        if fix.component is not None and scheme_of(knowledge, fix.component) is None:
            yield f"{key}.component", f'{fix.component} is no product and no "model:" id'
        settled = fix.kind is FixKind.PACKAGING and any(a.fixed for a in problem.affected)
        if is_local(fix) and not settled and not fix.note:
            yield f"{key}.note", "is missing: say what to install or set"
        if fix.state is FixState.RELEASED and fix.kind in (FixKind.COMMIT, FixKind.RELEASE, FixKind.ARTIFACT):
            courses = [c for a in components if (c := course_of(problem, knowledge, a)) is not None]
            if courses and all(c.unrecorded for c in courses):
                yield f"{key}.state", "is released, but neither a `fixed` nor a [[delivery]] says in which release"


_WHERE = {
    "cause": "name in `refs`, in the first place, where the cause is told",
    "workaround": "write [[workaround]] with `text` and `ref`, where it is told",
    "affected": "say where the range is stated",
    "fix": "name the change in `all`, or say in `ref` where the remedy is stated",
    "ruled_out": "say in `ref` where that is shown",
}


def _unfounded(problem: Problem) -> Iterator[tuple[str, str]]:
    """Claims that name nothing to check them by."""
    for claim in statements(problem) if problem.withdrawn is None else ():
        untold = claim.key == "cause" and problem.status not in PUBLIC  # what no comment says
        if not claim.refs and not untold:
            key = "refs" if claim.key == "cause" else f"{claim.key}.ref"
            yield key, f"is missing: {_WHERE[claim.key.partition('[')[0]]}"


def _product(product: Product, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    if product.version is not None:
        try:
            linear(product.version)
        except PatternError as e:
            yield "version", f"is refused by the linear-time engine: {e}"
    for i, row in enumerate(product.layouts):
        key = f"layout[{i}]"
        if "{version}" not in row.tag:
            yield f"{key}.tag", "has no {version} in it"
        for name, version in (("from", row.start), ("to", row.end)):
            if version is not None and compare(product.scheme, version, version) is None:
                yield f"{key}.{name}", f"{version!r} is no {product.scheme} version"
        for j, bundle in enumerate(row.bundles):
            if product_of(knowledge, bundle.component) is None:
                yield f"{key}.bundles[{j}].component", f"{bundle.component} is no product"


def _shared_names(knowledge: Knowledge) -> Iterator[str]:
    """An alias belongs to one product; a label may be shared where the shapes of the versions tell products apart."""
    aliases: dict[str, list[Product]] = {}
    labels: dict[str, list[Product]] = {}
    for p in knowledge.products:
        for names, table in ((p.aliases, aliases), (p.labels, labels)):
            for name in dict.fromkeys(" ".join(n.casefold().split()) for n in names):
                table.setdefault(name, []).append(p)
    for name, owners in aliases.items():
        if len(owners) > 1:
            yield f"the alias {name!r} belongs to {' and '.join(p.id for p in owners)}; it can belong to one"
    for name, owners in labels.items():
        if len(owners) > 1 and any(p.version is None for p in owners):
            ids = " and ".join(p.id for p in owners)
            yield f"the label {name!r} is shared by {ids}; give each a `version` shape that tells them apart"


def _observed(knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    for r in knowledge.observed.releases:
        key = f"release {r.product} {r.version}"
        yield from ((key, message) for message in _versions(knowledge, r.product, (r.version,)))
        for component, version in r.bundles:
            yield from ((f"{key}.bundles", message) for message in _versions(knowledge, component, (version,)))
        if r.date and r.by and r.date > r.by:
            yield key, f"was published on {r.date}, after {r.by}, its own latest day"
    for d in knowledge.observed.deliveries:
        key = f"delivery {d.change} {d.component}"
        if not d.releases:
            yield key, "names no release; leave the row out until one is seen"
        yield from ((key, message) for message in _versions(knowledge, d.component, d.releases))


def _versions(knowledge: Knowledge, component: str, versions: tuple[str, ...]) -> Iterator[str]:
    scheme = scheme_of(knowledge, component)
    if scheme is None:
        yield f'{component} is no product and no "model:" id'
        return
    for version in versions:
        if compare(scheme, version, version) is None:
            yield f"{version!r} is no {scheme} version of {component}"


def _near(name: str, names: frozenset[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.removeprefix(MODEL), sorted(names), 1, 0.6)
    return f"; did you mean {near[0]}?" if near else ""
