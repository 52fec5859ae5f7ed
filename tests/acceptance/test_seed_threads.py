"""The main job on the four seed threads, through the installed program: text in, answer for this reporter out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import threads

Json = dict[str, Any]
Ask = Callable[..., tuple[int, Json]]
DAWN = (
    "usage (Storage(read-write)|Storage(read-only)) includes writable usage and another usage "
    "in the same synchronization scope."
)


def triage(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("triage")), *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Ask about a thread or a text, with options; the exit code and the JSON answer."""

    def _ask(about: Json | str, *options: str) -> tuple[int, Json]:
        if isinstance(about, str):
            done = triage("lookup", "--text", about, "--json", *options)
        else:
            path = tmp_path / "issue.json"
            path.write_text(json.dumps(about))
            done = triage("lookup", str(path), "--json", *options)
        assert "Traceback" not in done.stderr
        return done.returncode, json.loads(done.stdout)

    return _ask


def problems(answer: Json) -> list[str]:
    return [d["problem"] for d in answer["diagnoses"]]


def verdict(answer: Json, problem: str) -> str:
    found: str = next(d for d in answer["diagnoses"] if d["problem"] == problem)["fix"]["verdict"]
    return found


def fixed_in(answer: Json) -> set[tuple[str, str, str]]:
    return {(f["kind"], f["id"], f["version"]) for f in answer["diagnoses"][0]["fix"]["fixed_in"]}


class TestBufferConflict:
    """Seed 000."""

    problem = "webgpu-recurrent-state-buffer-aliasing"

    @pytest.mark.parametrize("fenced", [False, True], ids=["pasted as prose", "in a fence"])
    def test_the_reporter_is_told_the_first_cli_that_has_the_fix(self, ask: Ask, fenced: bool) -> None:
        code, answer = ask(threads.buffer_conflict(fenced=fenced))
        diagnosis = answer["diagnoses"][0]

        assert (0, [self.problem], "certain", "confirmed") == (
            code, problems(answer), diagnosis["certainty"], diagnosis["status"],
        )  # fmt: skip
        assert diagnosis["fix"]["verdict"] == "upgrade"
        assert {
            ("component", "onnxruntime-genai", "0.14.1"),
            ("product", "foundry-local-cli", "0.10.1"),
        } <= fixed_in(answer)
        reporter = diagnosis["fix"]["reporter"]
        assert (
            reporter["product"], reporter["component"], reporter["component_version"],
        ) == ("foundry-local-cli", "onnxruntime-genai", "0.14.0")  # fmt: skip
        assert reporter["product_version"].startswith("0.10.0")
        assert diagnosis["workarounds"] == ["Run the CPU variant of the same model."]

    def test_the_evidence_is_the_sentence_that_the_console_broke(self, ask: Ask) -> None:
        thread = threads.buffer_conflict()
        _, answer = ask(thread)
        evidence = answer["diagnoses"][0]["evidence"][0]
        body = thread["issue"]["body"]

        assert f"WebGPU validation failed. [Buffer (unlabeled)] {DAWN}" in evidence["quote"]
        assert evidence["post"] == 0
        assert "same synchronization scope" in body[evidence["start"] : evidence["end"]]

    def test_on_the_day_of_the_report_no_cli_had_it(self, ask: Ask) -> None:
        _, answer = ask(threads.buffer_conflict(), "--as-of", "2026-06-11")

        assert verdict(answer, self.problem) == "wait-for-product"
        assert "0.10.1" not in {v for _, _, v in fixed_in(answer)}
        assert ("component", "onnxruntime-genai", "0.14.1") in fixed_in(answer)

    @pytest.mark.parametrize(
        "known", ["foundry-local-cli=0.10.1", "onnxruntime-genai=0.13.1", "onnxruntime-genai=0.13.2"]
    )
    def test_a_version_past_the_fix_or_before_the_fault_is_not_explained(self, ask: Ask, known: str) -> None:
        _, answer = ask(threads.buffer_conflict(), "--with", known)

        assert verdict(answer, self.problem) == "not-explained"

    def test_nothing_public_is_said_where_the_problem_does_not_explain_it(self, tmp_path: Path) -> None:
        path = tmp_path / "issue.json"
        path.write_text(json.dumps(threads.buffer_conflict()))

        done = triage("lookup", str(path), "--comment", "--with", "foundry-local-cli=0.10.1")

        assert (done.returncode, done.stdout) == (1, "")

    def test_the_bare_dawn_sentence_is_not_diagnosed(self, ask: Ask) -> None:
        _, answer = ask(f"[Buffer (unlabeled)] {DAWN}")

        assert answer["diagnoses"] == []

    def test_the_prefix_alone_asks_at_most_one_question(self, ask: Ask) -> None:
        _, answer = ask(f"WebGPU validation failed. [Buffer (unlabeled)] {DAWN}")

        assert len(answer["questions"]) <= 1
        assert all(d["certainty"] != "certain" and d["fix"]["verdict"] != "upgrade" for d in answer["diagnoses"])

    def test_a_given_provider_that_contradicts_the_log_rules_the_problem_out_aloud(self, ask: Ask) -> None:
        _, answer = ask(threads.buffer_conflict(), "--with", "ep=cuda")

        assert answer["diagnoses"] == []
        why = {r["problem"]: r["why"] for r in answer["ruled_out"]}
        assert "CUDAExecutionProvider (given)" in why[self.problem]

    def test_the_envelope_alone_is_unexplained(self, ask: Ask) -> None:
        code, answer = ask("● error: IPC error 'op_handler_failed': Error from chat_completions command:")

        assert (code, answer["diagnoses"]) == (1, [])
        assert any("op_handler_failed" in u["quote"] for u in answer["unexplained"])

    @pytest.mark.parametrize("version", ["0.0.0", "included with Foundry", "latest", "_No response_", "unknown"])
    def test_an_unknown_version_is_never_told_to_upgrade(self, ask: Ask, version: str) -> None:
        _, answer = ask(threads.buffer_conflict(version))

        assert verdict(answer, self.problem) == "version-unknown"
        assert [f for f in answer["facts"] if f["key"] == "foundry-local-cli"] == []


class TestBakedMemcpy:
    """Seed 003."""

    problem = "baked-memcpy-duplicate-ep-name"

    def test_the_failing_model_gets_its_fixed_revision(self, ask: Ask) -> None:
        code, answer = ask(threads.baked_memcpy())
        diagnosis = answer["diagnoses"][0]

        assert (0, [self.problem]) == (code, problems(answer))
        assert diagnosis["captures"] == {"tensor": "pad", "ep": "CUDAExecutionProvider"}
        assert diagnosis["fix"]["verdict"] == "upgrade"
        assert {("artifact", "qwen3.5-0.8b-cuda-gpu", "4")} == fixed_in(answer)
        assert diagnosis["fix"]["reporter"]["component_version"] == "3"
        assert any("generic-cpu" in w for w in diagnosis["workarounds"])

    def test_models_that_load_are_not_reported_as_failing(self, ask: Ask) -> None:
        _, answer = ask(threads.baked_memcpy())
        roles = {(a["name"], a["revision"]): a["role"] for a in answer["artifacts"]}

        assert roles["qwen3.5-0.8b-cuda-gpu", "3"] == "failing"
        assert {("qwen3.5-0.8b-cuda-gpu", "3")} == {k for k, role in roles.items() if role == "failing"}

    def test_the_side_test_that_the_reporter_ruled_out_is_no_diagnosis(self, ask: Ask) -> None:
        _, answer = ask(threads.baked_memcpy())

        assert "fl-ep-not-registered" not in problems(answer)
        assert answer["signatures"] == []

    def test_one_field_names_two_products(self, ask: Ask) -> None:
        _, answer = ask(threads.baked_memcpy())
        stated = {f["key"]: f["value"] for f in answer["facts"]}

        assert (stated["foundry-local-sdk"], stated["foundry-local-cli"]) == ("2.0.1", "0.8.119")

    def test_contradicting_platforms_are_kept_and_shown(self, ask: Ask) -> None:
        thread = threads.baked_memcpy()
        thread["issue"]["body"] = thread["issue"]["body"].replace("Windows 11 Enterprise 26200", "macOS 15.7.9")

        _, answer = ask(thread)

        assert {"windows", "macos"} <= {f["value"] for f in answer["facts"] if f["key"] == "os"}

    def test_the_bare_sentence_works(self, ask: Ask) -> None:
        code, answer = ask("Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)")

        assert (0, [self.problem]) == (code, problems(answer))
        assert verdict(answer, self.problem) == "version-unknown"
        assert len(answer["questions"]) == 1

    def test_another_variant_is_not_promised_a_revision(self, ask: Ask) -> None:
        _, answer = ask(
            "Error loading model qwen3.5-2b-cuda-gpu:3: This is an invalid model. Error: "
            "Duplicate definition of name (pad_CUDAExecutionProvider)."
        )

        assert verdict(answer, self.problem) != "upgrade"


class TestDesktopWebGpu:
    """Seed 001: tracks that never blend."""

    @pytest.mark.parametrize("address", ["https://github.com/leehack/litert-lm-native/issues/41", None])
    def test_exactly_two_problems_each_with_its_own_version(self, ask: Ask, address: str | None) -> None:
        thread = threads.desktop_webgpu()
        thread["issue"]["html_url"] = address
        code, answer = ask(thread)
        versions = {d["problem"]: d["fix"]["reporter"]["component_version"] for d in answer["diagnoses"]}

        assert code == 0
        assert versions == {
            "dawn-dxc-loader-error-87": "0.17.0-5",
            "litert-webgpu-win-access-violation": "0.17.0-3",
        }

    def test_no_problem_inherits_the_fix_of_the_other(self, ask: Ask) -> None:
        _, answer = ask(threads.desktop_webgpu())
        crash = next(d for d in answer["diagnoses"] if d["problem"] == "litert-webgpu-win-access-violation")

        assert (crash["fix"]["verdict"], crash["fix"]["fixed_in"]) == ("none", [])
        assert not any("dxil" in w.lower() for w in crash["workarounds"])

    def test_the_linux_crash_is_recognised_without_a_cause(self, ask: Ask) -> None:
        _, answer = ask(threads.desktop_webgpu())

        assert "litert-webgpu-accelerator-segfault" in [s["signature"] for s in answer["signatures"]]

    def test_a_sentence_without_llvmpipe_is_no_software_adapter(self, ask: Ask) -> None:
        _, answer = ask(threads.desktop_webgpu())

        assert "linux-llvmpipe-software-adapter" not in problems(answer)
        assert "software-adapter-selected" not in [s["signature"] for s in answer["signatures"]]

    def test_an_adapter_line_of_llvmpipe_is_one(self, ask: Ask) -> None:
        _, answer = ask(
            "environment.cc:526] Selected adapter: llvmpipe (LLVM 20.1.2, 256 bits), arch=software, vendor=mesa, "
            "backend=Vulkan, adapterType=CPU / Software"
        )

        assert problems(answer) == ["linux-llvmpipe-software-adapter"]
        assert verdict(answer, "linux-llvmpipe-software-adapter") == "configure"

    def test_the_deadline_never_reaches_the_comment(self, tmp_path: Path) -> None:
        path = tmp_path / "issue.json"
        path.write_text(json.dumps(threads.desktop_webgpu()))

        done = triage("lookup", str(path), "--comment")

        assert done.returncode == 0
        assert "deadline" not in done.stdout
        assert "dxil" in done.stdout

    def test_what_the_thread_ruled_out_is_shown(self) -> None:
        done = triage("show", "litert-webgpu-win-access-violation")

        assert done.returncode == 0
        assert "0.16.0-native.2 crashes" in " ".join(done.stdout.split())


def test_seed_004_a_pull_request_without_a_log_is_not_diagnosed(ask: Ask, tmp_path: Path) -> None:
    code, answer = ask(threads.graph_capture_change())
    path = tmp_path / "pull.json"
    path.write_text(json.dumps(threads.graph_capture_change()))

    said = triage("lookup", str(path), "--comment")

    assert (code, answer["diagnoses"], answer["signatures"]) == (1, [], [])
    assert (said.returncode, said.stdout) == (1, "")
