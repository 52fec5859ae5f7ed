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
    ("least", "code", "words"),
    [
        (("recall=0.5", "precision=1"), 0, b""),
        (("recall=0.6", "precision=1"), 2, b"recall is 1 of 2 (0.500), below 0.6"),
        (("recall=high",), 2, b"write FIGURE=SHARE"),
        (("speed=0.5",), 2, b"write FIGURE=SHARE"),
    ],
)
def test_a_figure_below_its_least_share_fails(
    run: Run, cases: Path, least: tuple[str, ...], code: int, words: bytes
) -> None:
    done = run("eval", str(cases), *(a for share in least for a in ("--least", share)))

    assert (done.returncode, words in done.stderr) == (code, True)


def test_a_figure_without_a_case_reaches_no_least_share(run: Run, cases: Path) -> None:
    cases.write_text(CASES[: CASES.index("- source: owner/repo#1")] + CASES[CASES.index("- source: owner/repo#2") :])
    done = run("eval", str(cases), "--least", "precision=0.9", "--json")

    assert done.returncode == 2
    assert b"precision has no case" in done.stderr


def test_a_false_claim_at_certain_is_named_whatever_the_form(run: Run, cases: Path) -> None:
    cases.write_text(CASES.replace("baked-memcpy-duplicate-ep-name", "none"), encoding="utf-8")

    for form in ((), ("--json",), ("--html",)):
        done = run("eval", str(cases), *form)
        assert done.returncode == 0
        assert b"owner/repo#1 expects none, and baked-memcpy-duplicate-ep-name is claimed at certain" in done.stderr


def test_two_failures_of_one_issue_are_two_cases_and_keep_apart_in_the_scorecard(
    run: Run, cases: Path, tmp_path: Path
) -> None:
    cases.write_text(CASES.replace("owner/repo#2", "owner/repo#1"), encoding="utf-8")
    card = tmp_path / "scorecard.json"

    assert run("eval", str(cases), "--scorecard", str(card), "--write").returncode == 0
    assert json.loads(card.read_text())["results"] == {
        "owner/repo#1": "found",
        "owner/repo#1 (2)": "silent",
        "owner/repo#3": "missed",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cases: []", b"cases.yaml holds no cases"),
        ("cases:\n- {source: a/b#1, title: t, log: l}", b"cases.yaml:2: case 1: expected_signature: field required"),
        (
            CASES.replace("  env: {}", "  envy: {}", 1),
            b"cases.yaml:12: case 2: envy: is no key of a case; there are source,",
        ),
        ("casez: 1\n" + CASES, b"cases.yaml:1: casez: is no key here; a case file has one key, `cases`"),
        ("cases: []\n" + CASES, b"cases.yaml:2: cases: stands twice, first on line 1; keep one"),
        (CASES.replace("  env: {}", "  log: x", 1), b"cases.yaml:12: log: stands twice, first on line 11; keep one"),
        (CASES.replace("webgpu-max-buffer-size", "no-such-problem"), b"owner/repo#3 expects 'no-such-problem'"),
        (CASES + CASES.partition("cases:\n")[2], b"case 4: owner/repo#1 is case 1 again"),
        ("a: &x [1]\nb: *x", b"cases.yaml:2: it holds an alias"),
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


def figures(run: Run, cases: Path, old: str, new: str) -> tuple[list[str], dict[str, tuple[int, int]]]:
    """The outcome of each case, and (hits, of) of each figure, with the case file edited."""
    cases.write_text(CASES.replace(old, new), encoding="utf-8")
    answer = json.loads(run("eval", str(cases), "--json").stdout)
    shares = {key: (f["hits"], f["of"]) for key, f in answer["figures"].items() if isinstance(f, dict)}
    return [r["outcome"] for r in answer["results"]], shares


def test_what_is_also_acceptable_is_right_in_every_figure(run: Run, cases: Path) -> None:
    expected = "expected_signature: baked-memcpy-duplicate-ep-name"
    claimed = "expected_signature: none\n  also_acceptable: [baked-memcpy-duplicate-ep-name]"
    outcomes, shares = figures(run, cases, expected, claimed)
    assert outcomes == ["claimed", "silent", "missed"]
    assert (shares["precision"], shares["silence"], shares["recall"]) == ((1, 1), (2, 2), (0, 1))

    missed = "expected_signature: webgpu-max-buffer-size"
    outcomes, shares = figures(run, cases, missed, f"{missed}\n  also_acceptable: [none]")
    assert outcomes == ["found", "silent", "silent"]
    assert (shares["recall"], shares["top1"], shares["any"], shares["silence"]) == ((2, 2), (2, 2), (2, 2), (1, 1))


def test_a_scorecard_of_other_cases_is_told_from_one_of_these(run: Run, cases: Path, tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    assert run("eval", str(cases), "--scorecard", str(card), "--write").returncode == 0
    cases.write_text(CASES.replace("owner/repo#2", "owner/repo#5"), encoding="utf-8")
    done = run("eval", str(cases), "--scorecard", str(card))
    assert done.returncode == 0
    assert b"is of cases.yaml; since then 1 case came and 1 went" in done.stderr

    cases.write_text(CASES.replace("owner/repo", "other/repo"), encoding="utf-8")
    done = run("eval", str(cases), "--scorecard", str(card))
    assert done.returncode == 2
    assert b"card.json is of other cases, those of cases.yaml" in done.stderr


def test_a_scorecard_that_cannot_be_is_named_by_its_path(run: Run, cases: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "card.json"
    done = run("eval", str(cases), "--scorecard", str(nowhere), "--write")
    assert done.returncode == 2
    assert done.stderr.decode() == f"triage: {nowhere} cannot be written: No such file or directory.\n"

    broken = tmp_path / "broken.json"
    broken.write_text('{"schema": 1, "results": {}, "figures": {"precision": "x"}}', encoding="utf-8")
    done = run("eval", str(cases), "--scorecard", str(broken))
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"{broken}: figures.precision is none of a scorecard" in done.stderr.decode()


def test_one_is_not_told_as_many(run: Run, cases: Path) -> None:
    cases.write_text(CASES.partition("- source: owner/repo#2")[0], encoding="utf-8")
    assert "cases.yaml: 1 report, 1 with a known problem" in run("eval", str(cases)).stdout.decode()


def test_bounds_are_those_of_the_wilson_interval() -> None:
    # reference values: 8 of 10 and 0 of 5 in the usual tables of the score interval
    low, high = Share(8, 10).bounds or (0, 0)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert [round(b, 3) for b in Share(0, 5).bounds or ()] == [0.0, 0.434]
    assert Share(0, 0).bounds is None
