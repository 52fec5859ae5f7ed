"""Where unexplained lines come from: the store, a case file, or issues and logs in files."""

from __future__ import annotations

import os

from bot.issue_file import read_input
from bot.knowledge import Known
from bot.pipeline import diagnose_issue
from bot.sighted import read_thread, unexplained
from bot.worklist.clusters import SHORTEST, Failure
from bot.worklist.masking import mask, telling
from kb.model import Diagnosis
from signatures.index import literal
from signatures.model import IssueText
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.evaluation.cases import Case
    from kb.store import Store

_MOST_VERSIONS = 8  # of one issue
_LONGEST_VERSION = 64


def of_store(store: Store, known: Known) -> tuple[Failure, ...]:
    """The lines that recorded issues show and nothing explains."""
    wrappers = _wrappers(known)
    return tuple(
        Failure(u.issue, line, u.reporter, u.day, u.versions)
        for u in store.unexplained()
        for line in u.lines
        if not _wraps_only(line, wrappers)
    )


def of_cases(cases: tuple[Case, ...], known: Known) -> tuple[Failure, ...]:
    return tuple(f for case in cases for f in _failures(case.issue, case.source, known, None, None))


def of_files(files: list[str], known: Known) -> tuple[Failure, ...]:
    """Issues as JSON, or logs. Raises InputError for what is neither."""
    found: list[Failure] = []
    for file in files:
        given = read_input(file)
        with open(file, "rb") as f:
            thread = read_thread(f.read())
        day = thread.last_post_at.date().isoformat() if thread.last_post_at else None
        found += _failures(given.issue, given.issue.ref or os.path.basename(file), known, thread.reporter, day)
    return tuple(found)


def _failures(issue: IssueText, ref: str, known: Known, reporter: str | None, day: str | None) -> list[Failure]:
    diagnosis = diagnose_issue(issue, known)
    versions = _versions(diagnosis, known)
    wrappers = _wrappers(known)
    lines = (line for line in unexplained(diagnosis) if not _wraps_only(line, wrappers))
    return [Failure(ref, line, reporter, day, versions) for line in lines]


def _versions(diagnosis: Diagnosis, known: Known) -> tuple[tuple[str, str], ...]:
    products = {p.id for p in known.knowledge.products}
    stated = ((f.key, f.value) for f in diagnosis.report.facts if f.key in products)
    return tuple(dict.fromkeys((p, " ".join(v.split())[:_LONGEST_VERSION]) for p, v in stated))[:_MOST_VERSIONS]


def _wrappers(known: Known) -> tuple[str, ...]:
    return tuple(literal(line.text) for line in known.catalogue.lines if line.envelope)


def _wraps_only(line: str, wrappers: tuple[str, ...]) -> bool:
    """Whether a line is an envelope with next to nothing in it."""
    words = literal(line)
    return any(w in words and telling(mask(words.replace(w, " "))) < SHORTEST for w in wrappers)
