"""What a problem's file claims, each claim with the references that it rests on."""

from __future__ import annotations

from kb.model import Affected, Fix, Problem
from signatures.values import NamedTuple


class Statement(NamedTuple):
    """One claim. `key` is its place in the file; without `refs` nobody can check it."""

    key: str
    text: str
    refs: tuple[str, ...]


def statements(problem: Problem) -> tuple[Statement, ...]:
    """The cause, ranges, fixes, workarounds and what is ruled out, in the order of the file. The first of a problem's
    `refs` is where its cause is told."""
    found = [Statement("cause", problem.cause, problem.refs[:1])]
    refs = problem.workaround_refs or (None,) * len(problem.workarounds)
    for i, (text, ref) in enumerate(zip(problem.workarounds, refs, strict=True)):
        found.append(Statement(f"workaround[{i}]", text, _given(ref)))
    for i, row in enumerate(problem.affected):
        found.append(Statement(f"affected[{i}]", _range(row), _given(row.ref)))
    for i, fix in enumerate(problem.fixes):
        found.append(Statement(f"fix[{i}]", _remedy(fix), tuple(dict.fromkeys((*_given(fix.ref), *fix.all)))))
    for i, ruled_out in enumerate(problem.ruled_out):
        found.append(Statement(f"ruled_out[{i}]", ruled_out.claim, _given(ruled_out.ref)))
    return tuple(found)


def _given(ref: str | None) -> tuple[str, ...]:
    return (ref,) if ref else ()


def _range(row: Affected) -> str:
    seen = f" seen in {', '.join(row.versions)}" if row.versions else ""
    since = f" since {row.introduced}" if row.introduced else ""
    return f"{row.component}{seen}{since}{f' until {row.fixed}' if row.fixed else ''}"


def _remedy(fix: Fix) -> str:
    of = f" of {fix.component}" if fix.component else ""
    return f"{fix.kind.value}{of}, {fix.state.value}{f': {fix.note}' if fix.note else ''}"
