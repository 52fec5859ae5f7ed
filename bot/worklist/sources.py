"""Where unexplained lines come from: the store, a case file, or issues and logs in files."""

from __future__ import annotations

import os
from collections import Counter

from bot.errors import InputError
from bot.input.issue_file import read_input
from bot.knowledge import Known
from bot.pipeline import diagnose_issue
from bot.sighted import read_thread, unexplained
from bot.worklist.clusters import SHORTEST, Failure
from bot.worklist.masking import mask, telling
from kb.model import Diagnosis
from signatures.index import literal
from signatures.matcher import match_report
from signatures.model import IssueText, Stage
from signatures.unexplained import MAX_LINES, error_lines
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bot.evaluation.cases import Case
    from kb.store import Store

_MOST_VERSIONS = 8  # of one issue
_LONGEST_VERSION = 64
_MOST_COUNTED = 100_000  # error lines of one issue


class Gathered(NamedTuple):
    """`left_out`: further error lines of issues that show more than are looked at. `unread`: why, of each file that is
    left out."""

    failures: tuple[Failure, ...]
    left_out: int = 0
    unread: tuple[str, ...] = ()


def of_store(store: Store, known: Known) -> Gathered:
    """The lines that recorded issues show and nothing explains."""
    wrappers = _wrappers(known)
    return Gathered(
        tuple(
            Failure(u.issue, line, u.reporter, u.day, u.versions)
            for u in store.unexplained()
            for line in u.lines
            if not _wraps_only(line, wrappers)
        )
    )


def of_cases(cases: tuple[Case, ...], known: Known) -> Gathered:
    return _together([_failures(case.issue, case.source, known, None, None) for case in cases])


def of_files(files: list[str], known: Known) -> Gathered:
    """Issues as JSON, or logs. A file that is neither is left out and named; raises InputError where all are."""
    found: list[Gathered] = []
    unread: list[str] = []
    files = list(dict.fromkeys(files))
    shared = Counter(map(os.path.basename, files))
    for file in files:
        try:
            given = read_input(file)
            with open(file, "rb") as f:
                thread = read_thread(f.read())
        except InputError as e:
            unread.append(str(e))
            continue
        except OSError as e:
            unread.append(f"{file} cannot be read: {e.strerror or e}.")
            continue
        day = thread.last_post_at.date().isoformat() if thread.last_post_at else None
        name = os.path.basename(file)
        ref = given.issue.ref or (name if shared[name] == 1 else file)
        found.append(_failures(given.issue, ref, known, thread.reporter, day))
    if not found:
        raise InputError(unread[0] if len(unread) == 1 else f"none of the {len(unread)} files can be read; {unread[0]}")
    return _together(found)._replace(unread=tuple(unread))


def _together(found: list[Gathered]) -> Gathered:
    return Gathered(tuple(f for g in found for f in g.failures), sum(g.left_out for g in found))


def _failures(issue: IssueText, ref: str, known: Known, reporter: str | None, day: str | None) -> Gathered:
    diagnosis = diagnose_issue(issue, known)
    versions = _versions(diagnosis, known)
    wrappers = _wrappers(known)
    lines = (line for line in unexplained(diagnosis) if not _wraps_only(line, wrappers))
    failures = tuple(Failure(ref, line, reporter, day, versions) for line in lines)
    return Gathered(failures, _left_out(diagnosis, known))


def _left_out(diagnosis: Diagnosis, known: Known) -> int:
    """How many more error lines an issue shows than a diagnosis lists, _MOST_COUNTED at most."""
    listed = len(diagnosis.unexplained)
    if listed < MAX_LINES:
        return 0
    in_shadow = {s.id for s in known.catalogue.signatures if s.stage is Stage.SHADOW}
    found = tuple(m for m in match_report(diagnosis.report, known.catalogue) if m.signature not in in_shadow)
    return len(error_lines(diagnosis.report, known.catalogue, found, _MOST_COUNTED)) - listed


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
