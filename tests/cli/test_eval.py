"""`triage eval`: real reports with known answers, scored from the outside."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from bot.evaluation.scoring import Share
from tests.cli.conftest import Run

SCHEMA = Path(__file__).parents[2] / "bot" / "schemas" / "eval-1.json"

CASES = """\
cases:
- source: owner/repo#1
  title: The exported decoder does not open
  log: |
    This is an invalid model. Error: Duplicate definition of name (image_grid_thw_CUDAExecutionProvider).
  env: {os: Windows 11, release: 2026-06-11}
  artifacts: [some-model-cuda-gpu:3]
  expected_signature: baked-memcpy-duplicate-ep-name
- source: owner/repo#2
  title: Dark mode
  log: Please add a dark mode.
  env: {}
  artifacts: []
  expected_signature: none
- source: owner/repo#3
  title: The file is damaged
  log: The tool says <b>nothing</b> that anybody knows, token=ghp_0123456789abcdefghijABCDEFGHIJ012345
  env: {}
  artifacts: []
  expected_signature: webgpu-max-buffer-size
"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "cases.yaml"
    file.write_text(CASES, encoding="utf-8")
    return file


def test_figures_misses_and_their_clause(run: Run, cases: Path) -> None:
    done = run("eval", str(cases))

    said = done.stdout.decode()
    assert done.returncode == 0
    assert "1 of 1 (100.0 %" in said
    assert "recall         1 of 2 (50.0 %, 95 % interval 9.5 to 90.5)" in said
    assert "owner/repo#3 expects webgpu-max-buffer-size" in said
    assert re.search(r"nearest +ort-webgpu-\S+, regex\[0\]: not found", said)
    assert "ghp_" not in said


def test_json_keeps_its_schema(run: Run, cases: Path) -> None:
    answer = json.loads(run("eval", str(cases), "--json").stdout)

    jsonschema.validate(answer, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert [r["outcome"] for r in answer["results"]] == ["found", "silent", "missed"]
    assert answer["results"][0]["claims"][0]["problem"] == "baked-memcpy-duplicate-ep-name"
    assert answer["figures"]["silence"]["value"] == 1.0


def test_a_claim_that_nobody_expects_is_wrong_and_shown_with_its_words(run: Run, cases: Path) -> None:
    cases.write_text(CASES.replace("baked-memcpy-duplicate-ep-name", "none"), encoding="utf-8")

    answer = json.loads(run("eval", str(cases), "--json").stdout)
    page = run("eval", str(cases), "--html").stdout.decode()

    assert answer["confusion"] == [{"expected": "none", "claimed": "baked-memcpy-duplicate-ep-name", "count": 1}]
    assert answer["figures"]["precision"]["value"] == 0.0
    assert "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)" in page


def test_the_page_escapes_what_a_report_says(run: Run, cases: Path) -> None:
    hostile = CASES.replace("Duplicate definition of name", "<script>alert(1)</script> Duplicate definition of name")
    cases.write_text(hostile.replace("baked-memcpy-duplicate-ep-name", "none"), encoding="utf-8")

    page = run("eval", str(cases), "--html").stdout.decode()

    assert "<script" not in page
    assert page.count("<table>") == page.count("</table>") == 2


def test_a_drop_against_the_scorecard_fails_and_names_the_report(run: Run, cases: Path, tmp_path: Path) -> None:
    card = tmp_path / "scorecard.json"
    assert run("eval", str(cases), "--scorecard", str(card), "--write").returncode == 0
    assert run("eval", str(cases), "--scorecard", str(card)).returncode == 0
    assert "Duplicate" not in card.read_text(encoding="utf-8")

    cases.write_text(CASES.replace("Duplicate definition", "Twofold definition"), encoding="utf-8")
    done = run("eval", str(cases), "--scorecard", str(card))

    assert done.returncode == 2
    assert b"recall fell from 1 of 2 to 0 of 2" in done.stderr
    assert b"owner/repo#1 was found and is missed" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cases: []", b"holds no cases"),
        ("cases:\n- {source: a/b#1, title: t, log: l}", b"case 1: expected_signature: field required"),
        (CASES.replace("  env: {}", "  envy: {}", 1), b"case 2: envy: extra inputs"),
        (CASES.replace("webgpu-max-buffer-size", "no-such-problem"), b"owner/repo#3 expects 'no-such-problem'"),
        ("a: &x [1]\nb: *x", b"it holds an alias"),
        ("cases: [", b"is no YAML"),
        ("[" * 5000, b"cases.yaml"),
        ("!!python/object/apply:os.system ['true']", b"is no YAML"),
    ],
)
def test_a_broken_case_file_is_named_with_its_place(run: Run, cases: Path, text: str, words: bytes) -> None:
    cases.write_text(text, encoding="utf-8")

    done = run("eval", str(cases))

    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == b""


def test_bounds_are_those_of_the_wilson_interval() -> None:
    # reference values: 8 of 10 and 0 of 5 in the usual tables of the score interval
    low, high = Share(8, 10).bounds or (0, 0)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert [round(b, 3) for b in Share(0, 5).bounds or ()] == [0.0, 0.434]
    assert Share(0, 0).bounds is None
