"""The worked case of the delivery graph, as a small pair of repositories of the same shape, through the command line.

The shape is the public record of microsoft/onnxruntime-genai#2191: merged, picked onto a release branch that never got
a tag, carried by an SDK on the day it came out, and by the command line's first release only three weeks later.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import bot
from tests.upstream.story import Story

CHANGE = "microsoft/onnxruntime-genai#2191"
PROBLEM = "webgpu-recurrent-state-buffer-aliasing"
SCHEMA = json.loads((Path(bot.__file__).parent / "schemas" / "trace-1.json").read_text(encoding="utf-8"))
Run = Callable[..., subprocess.CompletedProcess[str]]


def _deps(genai: str) -> dict[str, str]:
    return {"sdk/deps_versions.json": f'{{"onnxruntime-genai": {{"version": "{genai}"}}}}\n'}


def _genai() -> tuple[Story, int, int]:
    story = Story("2026-05-01", VERSION_INFO="0.15.0-dev\n")
    story.fork("rel-0.14.0")
    story.release("0.14.0", on="rel-0.14.0", day="2026-05-25")
    fix = story.change(2191, day="2026-06-02T05:55:40", title="Fix webgpu shared buffer issue")
    story.fork("rel-0.14.1", story.heads["rel-0.14.0"])
    pick = story.pick(fix, on="rel-0.14.1", day="2026-06-02T16:38:13")
    story.version("0.14.1", on="rel-0.14.1", day="2026-06-02T16:40:03")
    story.change(2300, day="2026-07-01")
    story.fork("rel-0.15.0")
    story.release("0.15.0", on="rel-0.15.0", day="2026-07-28")
    return story, fix, pick


def _foundry() -> Story:
    story = Story("2026-05-01")
    story.tag("v1.2.0", story.commit("SDK 1.2.0", _deps("0.14.0"), day="2026-05-28"))
    story.tag("cli-preview-0.10.0", story.commit("CLI 0.10.0", {"cli": "0"}, day="2026-06-04T19:51:48"))
    story.tag("v1.2.1", story.commit("SDK 1.2.1", _deps("0.14.1"), day="2026-06-04T23:56:47"))
    story.tag("cli-preview-0.10.1", story.commit("CLI 0.10.1", {"cli": "1"}, day="2026-06-22T17:56:19"))
    newer = {"sdk_v2/deps_versions.json": '{"onnxruntime-genai": {"version": "0.15.0"}}'}
    story.tag("cli-preview-0.10.3", story.commit("CLI 0.10.3", newer, day="2026-08-07"))
    return story


@pytest.fixture
def mirrors(tmp_path: Path) -> list[str]:
    genai, _, _ = _genai()
    pairs = (("microsoft/onnxruntime-genai", genai, "genai.git"), ("microsoft/foundry-local", _foundry(), "fl.git"))
    return [w for repo, story, name in pairs for w in ("--mirror", f"{repo}={story.write(tmp_path / name)}")]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def _run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if k == "PATH" or k.startswith("COV_")}
        variables = kept | {"TRIAGE_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path), "PYTHONUTF8": "1"}
        variables["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
        done = subprocess.run(
            [sys.executable, "-m", "bot", *arguments],
            capture_output=True,
            text=True,
            env=variables,
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stderr + done.stdout
        return done

    return _run


def _json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def test_the_chain_of_the_worked_case_comes_out_exactly(run: Run, mirrors: list[str]) -> None:
    told = _json(run("trace", CHANGE, *mirrors, "--json"))
    Draft202012Validator(SCHEMA).validate(told)
    assert told["schema"] == 1
    assert (told["change"], told["state"], told["merged_at"]) == (CHANGE, "merged", "2026-06-02T05:55:40Z")
    assert {(c["branch"], c["how"]) for c in told["commits"]} == {("main", "merged"), ("rel-0.14.1", "patch-id")}
    component = told["component"]
    assert component["id"] == "onnxruntime-genai"
    assert (component["first_release"], component["releases"][:2]) == ("0.14.1", ["0.14.1", "0.15.0"])
    assert component["released_at"] == "2026-06-04"
    assert told["tag_contains"] == "0.15.0"
    products = {p["product"]: p for p in told["products"]}
    cli, sdk = products["foundry-local-cli"], products["foundry-local-sdk"]
    assert (cli["first_fixed"], cli["first_fixed_at"]) == ("0.10.1", "2026-06-22")
    assert "0.10.0" in cli["affected"]
    assert "0.10.3" in cli["fixed"]
    assert (sdk["first_fixed"], sdk["first_fixed_at"]) == ("1.2.1", "2026-06-04")
    assert "1.2.0" in sdk["affected"]


def test_the_chain_is_told_in_words_with_what_git_tag_says(run: Run, mirrors: list[str]) -> None:
    page = run("trace", CHANGE, *mirrors).stdout
    assert "`git tag --contains` says 0.15.0, and is wrong: 0.14.1" in page
    assert "has the patch-id of" in page
    assert "first fixed    0.10.1 (2026-06-22)" in page


@pytest.mark.parametrize(("day", "expected"), [("2026-06-11", None), ("2026-06-23", "0.10.1")])
@pytest.mark.parametrize("subject", [CHANGE, PROBLEM])
def test_the_board_knows_the_day(run: Run, mirrors: list[str], subject: str, day: str, expected: str | None) -> None:
    for where in (mirrors, []):  # read from the repositories, and from what ships
        done = run("status", subject, "--product", "foundry-local-cli", "--as-of", day, "--json", *where)
        product = _json(done)["board"][0]["changes"][0]["products"][0]
        assert (product["product"], product["first_fixed"]) == ("foundry-local-cli", expected)
    page = run("status", subject, "--product", "foundry-local-cli", "--as-of", day).stdout
    assert ("not yet on 2026-06-11, waiting 9 days" if expected is None else "fixed in 0.10.1") in page


@pytest.mark.parametrize(
    ("product", "version", "answer"),
    [
        ("foundry-local-cli", "0.10.0", "affected"),
        ("Foundry Local CLI", "0.10.1", "fixed"),
        ("foundry-local-sdk", "1.2.0", "affected"),
        ("foundry-local-sdk", "1.1.0", "before"),
        ("onnxruntime-genai", "0.14.1", "fixed"),
        ("onnxruntime-genai", "0.14.0", "affected"),
        ("foundry-local-cli", "0.9.0", "unknown"),
        ("foundry-local-cli", "latest", "unknown"),
        ("olive", "0.9.0", "unknown"),
    ],
)
def test_one_question_has_one_answer(run: Run, mirrors: list[str], product: str, version: str, answer: str) -> None:
    told = _json(run("has", product, version, PROBLEM, "--json", *mirrors))
    assert told["answer"] == answer
    assert told["why"]
    assert run("has", product, version, PROBLEM).stdout


def test_what_is_observed_is_written_once_and_stays_the_same(run: Run, mirrors: list[str], tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    shown = run("observe", *mirrors, "--catalogue", str(own)).stdout
    assert "+change" in shown
    assert not (own / "observed.toml").exists()
    run("observe", *mirrors, "--catalogue", str(own), "--write")
    first = (own / "observed.toml").read_text()
    assert "says all of it already" in run("observe", *mirrors, "--catalogue", str(own), "--write").stdout
    assert (own / "observed.toml").read_text() == first
    assert f'change    = "{CHANGE}"' in first
    told = _json(run("trace", CHANGE, "--catalogue", str(own), "--json"))
    Draft202012Validator(SCHEMA).validate(told)
    assert told["component"]["first_release"] == "0.14.1"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("trace", "nonsense"), "is no change; write owner/repo#123"),
        (("trace", CHANGE, "--mirror", "nowhere"), "is no folder"),
        (("trace", CHANGE, "--as-of", "yesterday"), "is no date"),
        (("status", "no-such-problem"), "there is no problem"),
        (("status", "--product", "no-such-product"), "there is no product"),
        (("has", "foundry-local-cli", "0.10.0", "no-such-problem"), "there is no problem"),
        (("has", "no-such-product", "0.10.0", PROBLEM), "there is no product"),
        (("observe",), "there is nothing to read"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run(*arguments, code=2)
    assert words in done.stderr
    assert done.stdout == ""


def test_a_change_that_nothing_names_is_not_found(run: Run, mirrors: list[str]) -> None:
    assert _json(run("trace", "microsoft/onnxruntime-genai#999999", *mirrors, "--json"))["state"] == "unknown"
    assert run("trace", "somebody/else#1").stdout


@pytest.mark.parametrize("spelling", ["https://github.com/microsoft/onnxruntime-genai/pull/2191", CHANGE.upper()])
def test_a_change_is_found_however_it_is_written(run: Run, mirrors: list[str], spelling: str) -> None:
    assert _json(run("trace", spelling, *mirrors, "--json"))["change"] == CHANGE


def test_a_commit_can_be_traced(run: Run, tmp_path: Path) -> None:
    story, fix, pick = _genai()
    path = story.write(tmp_path / "genai.git")
    for mark in (fix, pick):
        change = f"microsoft/onnxruntime-genai@{story.sha[mark][:10]}"
        told = _json(run("trace", change, "--mirror", f"microsoft/onnxruntime-genai={path}", "--json"))
        assert "0.14.1" in told["component"]["releases"]


@pytest.mark.parametrize("command", ["trace", "status", "has", "observe"])
def test_help_has_examples(run: Run, command: str) -> None:
    assert f"triage {command} " in run(command, "--help").stdout.partition("examples:")[2]
