"""What checks said of one artifact, for programs: `triage artifact --json`, schema 1, described by
bot/schemas/artifact-1.json.

New keys may be added; the keys of schema 1 keep their names, types and meaning. Names and values of the artifact are
given as they are, since JSON escapes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bot.artifacts.checked import Checked
from bot.artifacts.repairing import Repaired
from bot.artifacts.reported_models import Looked
from signatures.checks.model import SEVERITY_ORDER, CheckResult, Hit, Unknown
from signatures.extract.redact import redact
from signatures.model import Outcome

SCHEMA = 1

Json = dict[str, object]

_ORDER = (Outcome.FOUND, Outcome.UNKNOWN, Outcome.FAILED, Outcome.CLEAN)


def artifact_json(checked: Checked) -> Json:
    return {
        "schema": SCHEMA,
        "artifact": {
            "ref": checked.ref,
            "revision": checked.revision,
            "sha256": checked.sha256,
            "bytes_read": checked.bytes_read,
            "requests": checked.requests,
        },
        "findings": findings_json(checked.results),
    }


def repaired_json(ref: str, repaired: Repaired | None) -> Json:
    """What --fix changed, and what the checks say of the copy; `repair` is null where there was nothing to repair."""
    if repaired is None:
        nothing = {"ref": ref, "revision": None, "sha256": None, "bytes_read": 0, "requests": 0}
        return {"schema": SCHEMA, "artifact": nothing, "findings": [], "repair": None}
    return artifact_json(repaired.checked) | {
        "repair": {
            "out": repaired.out,
            "beside": list(repaired.beside),
            "changes": [
                {"file": edit.file, "where": edit.where, "before": edit.before, "after": edit.after}
                for edit in repaired.edits
            ],
        }
    }


def looked_json(looked: Looked) -> Json:
    """A model that a report names: what was found in it, or why it was not checked."""
    checked = looked.checked
    return {
        "ref": redact(looked.ref),
        "revision": checked.revision if checked is not None else None,
        "bytes_read": checked.bytes_read if checked is not None else 0,
        "requests": checked.requests if checked is not None else 0,
        "not_checked": redact(looked.why) if looked.why is not None else None,
        "findings": findings_json(checked.results) if checked is not None else [],
    }


def findings_json(results: Iterable[CheckResult]) -> list[Json]:
    """One entry per thing found, gravest first; then what was not decided, what failed, what is clean."""
    found = [entry for result in results for entry in _entries(result)]
    return [entry for _, entry in sorted(found, key=lambda item: item[0])]


def _entries(result: CheckResult) -> Iterator[tuple[tuple[int, int], Json]]:
    for hit in result.hits:
        rank = SEVERITY_ORDER.index(hit.severity)
        yield (_ORDER.index(Outcome.FOUND), rank), _hit(result.check, hit)
    for unknown in result.unknown:
        yield (_ORDER.index(Outcome.UNKNOWN), 0), _unknown(result.check, unknown)
    if result.outcome is Outcome.FAILED:
        yield (_ORDER.index(Outcome.FAILED), 0), _entry(result.check, Outcome.FAILED, detail=result.error)
    if result.outcome is Outcome.CLEAN:
        yield (_ORDER.index(Outcome.CLEAN), 0), _entry(result.check, Outcome.CLEAN)


def _hit(check: str, hit: Hit) -> Json:
    return _entry(
        check,
        Outcome.FOUND,
        severity=hit.severity.value,
        where=str(hit.where),
        detail=hit.detail,
        predicted_text=hit.predicted_text,
        remedy=hit.remedy or None,
        proves=dict(hit.proves),
    )


def _unknown(check: str, unknown: Unknown) -> Json:
    where = str(unknown.where) if unknown.where is not None else None
    return _entry(check, Outcome.UNKNOWN, where=where, detail=unknown.why)


def _entry(
    check: str,
    outcome: Outcome,
    *,
    severity: str | None = None,
    where: str | None = None,
    detail: str | None = None,
    predicted_text: str | None = None,
    remedy: str | None = None,
    proves: dict[str, str] | None = None,
) -> Json:
    return {
        "check": check,
        "outcome": outcome.value,
        "severity": severity,
        "where": where,
        "detail": detail,
        "predicted_text": predicted_text,
        "remedy": remedy,
        "proves": proves or {},
    }
