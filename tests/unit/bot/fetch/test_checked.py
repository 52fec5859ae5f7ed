"""What is shown of an artifact's checks: outcomes that a good run never has, and what is kept of a report's models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bot.artifacts.checked import Checked
from bot.machine.artifact import artifact_json
from bot.machine.sarif import sarif
from bot.terminal import Paper
from bot.terminal.artifact import size, write_artifact
from signatures.checks.model import CheckResult, Hit, Severity, Unknown, Where
from signatures.model import Outcome

SCHEMA = Path(__file__).parents[4] / "bot" / "schemas" / "artifact-1.json"
HIT = Hit(Where("a b.onnx", "node 'x\x1b[2J'", 7), "why\nso", Severity.PROBABLE, "a  text", "do it", (("tensor", "x"),))
RESULTS = (
    CheckResult("gc-int64", Outcome.CLEAN),
    CheckResult("memcpy-baked", Outcome.FAILED, error="ValueError: broken\x07"),
    CheckResult("gc-cpu-op", Outcome.UNKNOWN, unknown=(Unknown("no version"), Unknown("no type", Where("a.onnx")))),
    CheckResult("memcpy-collision", Outcome.FOUND, (HIT, HIT._replace(severity=Severity.FATAL)), (Unknown("more"),)),
)
CHECKED = Checked(
    "hf:owner/name", "0" * 40, None, 1_234_567, 12, RESULTS, True, "https://huggingface.co/owner/name/resolve/0/"
)


def test_json_lists_what_was_found_first_and_gravest_first() -> None:
    document = artifact_json(CHECKED)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    findings = document["findings"]
    assert isinstance(findings, list)
    told = [(finding["check"], finding["outcome"], finding["severity"]) for finding in findings]
    assert told == [
        ("memcpy-collision", "found", "fatal"),
        ("memcpy-collision", "found", "probable"),
        ("gc-cpu-op", "unknown", None),
        ("gc-cpu-op", "unknown", None),
        ("memcpy-collision", "unknown", None),
        ("memcpy-baked", "failed", None),
        ("gc-int64", "clean", None),
    ]
    assert findings[0]["proves"] == {"tensor": "x"}
    assert CHECKED.severity is Severity.FATAL


def test_sarif_keeps_what_failed_and_what_is_open_apart_from_findings() -> None:
    runs = sarif([CHECKED])["runs"]
    assert isinstance(runs, list)
    (run,) = runs
    kinds = [(result["ruleId"], result["kind"], result["level"]) for result in run["results"]]
    assert kinds == [
        ("gc-int64", "pass", "none"),
        ("gc-cpu-op", "open", "none"),
        ("gc-cpu-op", "open", "none"),
        ("memcpy-collision", "fail", "warning"),
        ("memcpy-collision", "fail", "error"),
        ("memcpy-collision", "open", "none"),
    ]
    place = run["results"][3]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "https://huggingface.co/owner/name/resolve/0/a%20b.onnx"
    assert place["region"] == {"byteOffset": 7, "byteLength": 0}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (note,) = invocation["toolExecutionNotifications"]
    assert note["associatedRule"] == {"id": "memcpy-baked", "index": 1}


@pytest.mark.parametrize(
    ("base", "remote", "uri"),
    [
        ("folder/", False, "folder/a%FF%0A%3Ab.onnx"),
        ("/folder/", False, "file:///folder/a%FF%0A%3Ab.onnx"),
        ("https://host.test/r/", True, "https://host.test/r/a%FF%0A%3Ab.onnx"),
    ],
)
def test_a_name_that_is_no_utf8_has_an_address(base: str, remote: bool, uri: str) -> None:
    hit = HIT._replace(where=Where("a\udcff\n:b.onnx"))
    checked = CHECKED._replace(
        base=base, remote=remote, results=(CheckResult("memcpy-baked", Outcome.FOUND, hits=(hit,)),)
    )
    runs = sarif([checked])["runs"]
    assert isinstance(runs, list)
    assert runs[0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_the_text_says_all_of_it_without_control_characters() -> None:
    page = Paper(width=100)
    write_artifact(page, CHECKED)
    text = str(page)
    assert text.index("fatal") < text.index("probable")
    for words in (
        "the check itself failed: ValueError: broken",
        "no version",
        'prints  "a text"',
        "Clean     gc-int64",
    ):
        assert words in text
    assert "4 checks: 1 fatal, 1 probable, 1 unknown, 1 failed, 1 clean; 1.2 MB in 12 requests" in text
    assert not {"\x1b", "\x07"} & set(text)


def test_an_artifact_without_anything_to_check_is_said() -> None:
    page = Paper(width=100)
    write_artifact(page, Checked("folder", None, None, 0, 0, ()))
    assert "nothing in it is of a kind that is checked; 0 B read" in str(page)


def test_sizes_are_short() -> None:
    assert [size(n) for n in (0, 999, 1000, 64 << 20, 5_000_000_000)] == ["0 B", "999 B", "1.0 kB", "67.1 MB", "5.0 GB"]
