"""Findings as SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

One run per artifact. What was not decided is a result of kind `open`, what is clean one of kind `pass`, and a check
that failed is a notification of the tool, so that none of them looks like a finding.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.metadata import version
from urllib.parse import quote

from bot.artifacts.checked import Checked
from signatures.checks import REGISTRY
from signatures.checks.model import CheckResult, Hit, Severity, Unknown, Where
from signatures.model import Outcome

Json = dict[str, object]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVEL = {Severity.FATAL: "error", Severity.PROBABLE: "warning", Severity.INFO: "note"}


def sarif(artifacts: Iterable[Checked]) -> Json:
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(checked) for checked in artifacts]}


def _run(checked: Checked) -> Json:
    titles = {check.id: check for check in REGISTRY}
    rules = [result.check for result in checked.results]
    failed = [result for result in checked.results if result.outcome is Outcome.FAILED]
    return {
        "tool": {
            "driver": {
                "name": "triage",
                "version": version("ondevice-triage"),
                "rules": [
                    {
                        "id": id_,
                        "shortDescription": {"text": titles[id_].title},
                        "fullDescription": {"text": titles[id_].predicts or titles[id_].title},
                    }
                    for id_ in rules
                ],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not failed,
                "toolExecutionNotifications": [
                    {
                        "level": "error",
                        "message": {"text": result.error or "the check failed"},
                        "associatedRule": {"id": result.check, "index": rules.index(result.check)},
                    }
                    for result in failed
                ],
            }
        ],
        "results": [one for i, result in enumerate(checked.results) for one in _results(checked, i, result)],
        "columnKind": "unicodeCodePoints",
        "properties": {
            "ref": checked.ref,
            "revision": checked.revision,
            "sha256": checked.sha256,
            "bytesRead": checked.bytes_read,
            "requests": checked.requests,
        },
    }


def _results(checked: Checked, rule: int, result: CheckResult) -> list[Json]:
    found = [_found(checked, rule, result.check, hit) for hit in result.hits]
    found += [_open(checked, rule, result.check, unknown) for unknown in result.unknown]
    if result.outcome is Outcome.CLEAN:
        found.append(_result(rule, result.check, "pass", "none", "nothing found"))
    return found


def _found(checked: Checked, rule: int, check: str, hit: Hit) -> Json:
    text = hit.detail + (f" Remedy: {hit.remedy}" if hit.remedy else "")
    result = _result(rule, check, "fail", _LEVEL[hit.severity], text)
    result["locations"] = [_location(checked, hit.where)]
    result["properties"] = {
        "severity": hit.severity.value,
        "predictedText": hit.predicted_text,
        "remedy": hit.remedy or None,
        "proves": dict(hit.proves),
    }
    return result


def _open(checked: Checked, rule: int, check: str, unknown: Unknown) -> Json:
    result = _result(rule, check, "open", "none", unknown.why)
    if unknown.where is not None:
        result["locations"] = [_location(checked, unknown.where)]
    return result


def _result(rule: int, check: str, kind: str, level: str, text: str) -> Json:
    return {"ruleId": check, "ruleIndex": rule, "kind": kind, "level": level, "message": {"text": text}}


def _location(checked: Checked, where: Where) -> Json:
    physical: Json = {"artifactLocation": {"uri": _uri(checked, where.file)}}
    if where.offset is not None and where.offset >= 0:
        physical["region"] = {"byteOffset": where.offset, "byteLength": 0}
    location: Json = {"physicalLocation": physical}
    if where.what:
        location["logicalLocations"] = [{"fullyQualifiedName": where.what}]
    return location


def _uri(checked: Checked, name: str) -> str:
    """The address of a file of the artifact; relative where the reference was."""
    if checked.remote:
        return checked.base + _quoted(name)
    path = (checked.base + name).replace(os.sep, "/")
    if not os.path.isabs(path):
        return _quoted(path)
    return "file://" + _quoted(path if path.startswith("/") else "/" + path)


def _quoted(name: str) -> str:
    """Percent-encoded bytes of a name, which are UTF-8 or what the file system has."""
    return quote(name.encode("utf-8", "surrogateescape"))
