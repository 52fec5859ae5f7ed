"""Edits of authored files that observations suggest, as unified diffs. Nothing is edited: a person takes or refuses.

What is computed without doubt alone makes a proposal; an undecided release makes none.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256

from kb.affected import Course, course_of
from kb.delivery import carriers, carrying_components, first_release, scheme_of
from kb.graph.answer import with_graph
from kb.graph.points import version_in
from kb.graph.published import PullState
from kb.graph.trace import Graph
from kb.model import Affected, Fix, FixState, Knowledge, Layout, Problem, Product
from kb.records import ProposalRecord
from kb.toml_edit import NotEdited, append_tables, replace_table, set_in
from kb.versions import compare, same
from signatures.linear import linear
from signatures.values import NamedTuple

_FAMILY = r"^((?:.*[^0-9.])?)(\d+\.\d+(?:\.\d+){0,3}(?:[-.+]?(?:a|b|rc|dev|alpha|beta|pre|preview|post)[.-]?\d*)?)$"
_CONTEXT = 3


class AuthoredFile(NamedTuple):
    path: str  # as a diff names it, with forward slashes
    text: str


Files = Mapping[tuple[str, str], AuthoredFile]  # ("problem" or "product", id)


def problem_proposals(graph: Graph, files: Files) -> tuple[ProposalRecord, ...]:
    """What the graph says of the fixes of all problems otherwise than their files do."""
    found: list[ProposalRecord] = []
    for problem in graph.knowledge.problems:
        file = files.get(("problem", problem.id))
        if file is not None and problem.withdrawn is None and problem.fixes:
            knowledge = with_graph(graph, problem)
            for i, fix in enumerate(problem.fixes):
                if fix.all:
                    found += _of_fix(graph, knowledge, problem, i, fix, file)
            for i, row in enumerate(problem.affected):
                found += _of_range(knowledge, problem, i, row, file)
    return tuple(found)


def _of_fix(
    graph: Graph, knowledge: Knowledge, problem: Problem, i: int, fix: Fix, file: AuthoredFile
) -> Iterator[ProposalRecord]:
    """A merged fix that is released; a candidate that was merged, or closed without a merge."""
    changes = " and ".join(fix.all)
    released = _released(knowledge, fix)
    pulls = [graph.facts.pull(c) for c in fix.all]
    traces = [graph.trace(c) for c in fix.all]
    if fix.state is not FixState.RELEASED and released:
        where = "; ".join(f"{c} {v}" for c, v in released)
        title = f"{problem.id}: the fix {changes} is released"
        why = f"{where} carry it: " + "; ".join(_ways(knowledge, fix))
        yield from _edit(f"released {problem.id} {i}", file, title, why, lambda t: _state(t, i, "released"))
    elif fix.state is FixState.CANDIDATE and all(t.state == "merged" for t in traces):
        day = max((t.merged_at or "")[:10] for t in traces)
        title, why = f"{problem.id}: the candidate {changes} was merged", "; ".join(n for t in traces for n in t.notes)

        def merged(text: str) -> str:
            text = _state(text, i, "merged")
            return set_in(text, "fix", i, "merged", day) if day else text

        yield from _edit(f"merged {problem.id} {i}", file, title, why, merged)
    elif fix.state is FixState.CANDIDATE and len(fix.all) == 1 and pulls[0] is not None and pulls[0].state == "closed":
        yield from _closed(problem, i, fix, pulls[0], file)
    merged_at = max((t.merged_at or "" for t in traces), default="")[:10]
    settled = fix.state is not FixState.CANDIDATE and all(t.state == "merged" and t.merged_at for t in traces)
    if settled and fix.merged != merged_at:
        title = f"{problem.id}: {changes} was merged on {merged_at}"
        why = f"the record says {fix.merged or 'nothing of it'}"
        yield from _edit(
            f"merged-at {problem.id} {i}", file, title, why, lambda t: set_in(t, "fix", i, "merged", merged_at)
        )


def _closed(problem: Problem, i: int, fix: Fix, pull: PullState, file: AuthoredFile) -> Iterator[ProposalRecord]:
    """A candidate that nobody took: what is no fix is knowledge too."""
    claim = f"{fix.all[0]} fixes it: it was closed without a merge."
    block = f'[[ruled_out]]\nclaim = "{claim}"\nref   = "{fix.all[0]}"\n'
    title = f"{problem.id}: the candidate {fix.all[0]} was closed without a merge"
    why = f"{pull.source} says so"
    yield from _edit(f"closed {problem.id} {i}", file, title, why, lambda t: replace_table(t, "fix", i, block))


def _of_range(
    knowledge: Knowledge, problem: Problem, i: int, row: Affected, file: AuthoredFile
) -> Iterator[ProposalRecord]:
    """An end of an affected range that the deliveries name, and the file does not or otherwise."""
    course = course_of(problem, knowledge, row.component)
    if course is None or not course.delivered:
        return
    first = _first(course, row)
    if first is None or (row.fixed is not None and same(course.scheme, row.fixed, first)):
        return
    if _undecided_before(knowledge, problem, course, row, first):
        return
    said = f"the record says {row.fixed}" if row.fixed else "the record names no end"
    ways = "; ".join(w for f in course.fixes for w in _ways(knowledge, f))
    title = f"{problem.id}: fixed in {row.component} {first}"
    why = f"{said}; {ways}"
    yield from _edit(
        f"fixed {problem.id} {row.component} {i}",
        file,
        title,
        why,
        lambda t: set_in(t, "affected", i, "fixed", f'"{first}"'),
    )


def _first(course: Course, row: Affected) -> str | None:
    start = row.introduced
    later = tuple(v for v in course.delivered if start is None or compare(course.scheme, v, start) in (0, 1))
    return first_release(course.scheme, later)


def _undecided_before(knowledge: Knowledge, problem: Problem, course: Course, row: Affected, first: str) -> bool:
    """Whether a release of the range, earlier than `first`, may carry the fix as well."""
    changes = {c for f in problem.fixes for c in f.all}
    open_ = (
        v
        for d in knowledge.observed.deliveries
        if d.component == course.component and d.change in changes
        for v in d.unknown
    )
    return any(
        compare(course.scheme, v, first) != 1
        and (row.introduced is None or compare(course.scheme, v, row.introduced) != -1)
        for v in open_
    )


def _released(knowledge: Knowledge, fix: Fix) -> tuple[tuple[str, str], ...]:
    """The first releases that carry all of a fix, by component."""
    found: list[tuple[str, str]] = []
    for component in carrying_components(knowledge, fix.all):
        scheme = scheme_of(knowledge, component)
        versions = carriers(knowledge, fix.all, component)
        first = first_release(scheme, versions) if scheme is not None else None
        if first is not None and fix.component in (None, component):
            found.append((component, first))
    return tuple(found)


def _ways(knowledge: Knowledge, fix: Fix) -> tuple[str, ...]:
    rows = (d for d in knowledge.observed.deliveries if d.change in fix.all and d.releases)
    return tuple(f"{d.component}: {d.how}" for d in rows)


def _state(text: str, i: int, state: str) -> str:
    return set_in(text, "fix", i, "state", f'"{state}"')


def _edit(key: str, file: AuthoredFile, title: str, why: str, edit: Callable[[str], str]) -> Iterator[ProposalRecord]:
    try:
        made = edit(file.text)
    except NotEdited as e:
        yield ProposalRecord(key, file.path, title, f"{why}; it is to be edited by hand: {e}", "")
        return
    diff = unified(file.path, file.text, made)
    if diff:
        yield ProposalRecord(key, file.path, title, why, diff)


def unified(path: str, old: str, new: str) -> str:
    """A diff that `git apply` and `patch -p1` take; "" where nothing differs."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=_CONTEXT
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def tag_families(tags: Iterable[str], layouts: tuple[Layout, ...]) -> dict[str, str]:
    """Families of tags that no layout covers, as patterns, each with one tag of it."""
    found: dict[str, str] = {}
    for tag in tags:
        if any(version_in(row.tag, tag) is not None for row in layouts):
            continue
        match = linear(_FAMILY).match(tag)
        if match and len(tag) < 100 and '"' not in tag and "\\" not in tag:
            found[f"{match.group(1)}{{version}}"] = tag
    return found


def family_proposal(product: Product, family: str, tag: str, file: AuthoredFile) -> ProposalRecord | None:
    """A layout for a new family of tags; whether it is this product's own is for a person to say."""
    title = f"{product.id}: tags such as {tag} are of no known family"
    why = (
        f"{product.repo} has them since it was read last; if they are another product's, refuse this and write its file"
    )
    block = f'[[layout]]\ntag = "{family}"\n'
    return next(_edit(f"family {product.repo} {family}", file, title, why, lambda t: append_tables(t, block)), None)


def short_id(proposal: ProposalRecord) -> str:
    """What a person calls it: the same as long as it is about the same."""
    return sha256(proposal.key.encode("utf-8", "replace")).hexdigest()[:8]


def file_proposal(key: str, file: AuthoredFile, new: str, title: str, why: str) -> ProposalRecord | None:
    """A whole file that was written anew."""
    diff = unified(file.path, file.text, new)
    return ProposalRecord(key, file.path, title, why, diff) if diff else None
