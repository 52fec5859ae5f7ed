"""Every command from the outside: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cli import COMMANDS
from tests import threads
from tests.cli.conftest import Run

NAMES = [name for name, _ in COMMANDS]
ERROR = "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)"


class TestHelp:
    @pytest.mark.parametrize("name", NAMES)
    def test_every_command_shows_an_example(self, run: Run, name: str) -> None:
        done = run(name, "--help")
        assert done.returncode == 0
        assert f"  triage {name}".encode() in done.stdout
        assert b"examples:" in done.stdout

    def test_the_program_lists_its_commands(self, run: Run) -> None:
        done = run("--help")
        assert done.returncode == 0
        assert all(name.encode() in done.stdout for name in NAMES)
        assert run().returncode == 2

    def test_a_mistyped_command_is_named_with_the_nearest_one(self, run: Run) -> None:
        done = run("lokup", "x")
        assert done.returncode == 2
        assert done.stderr == b"triage: there is no command 'lokup'; did you mean `triage lookup`?\n"
        assert b'write `triage lookup "..."`' in run("an error text").stderr

    @pytest.mark.parametrize(
        "arguments",
        [
            ("lookup",),
            ("lookup", "x", "--nope"),
            ("lookup", "x", "--as-of"),
            ("lookup", "x", "--as-of", "11.6.2026"),
            ("lookup", "x", "--as-of", "2026-02-30"),
            ("lookup", "x", "--as-of", "2026-W01-1"),
            ("lookup", "x", "--with", "ep=web"),
            ("lookup", "x", "--catalogue", ""),
            ("lookup", "x", "--with", "os"),
            ("lookup", "x", "--with", "=windows"),
            ("lookup", "x", "--with", "osx=1"),
            ("lookup", "x", "--json", "--comment"),
            ("lookup", "x", "--catalogue", "missing"),
            ("explain", "x", "--signature", "no-such-signature"),
            ("explain", "x"),
            ("show", "no-such-id"),
            ("list", "no-such-word"),
            ("validate", "no-such-id"),
            ("new", "Not_Kebab", "--from", "x"),
            ("new", "fine-name"),
            ("new", "fine-name", "--problem"),
        ],
        ids=lambda a: " ".join(a),
    )
    def test_bad_arguments_are_one_sentence_and_exit_code_2(self, run: Run, arguments: tuple[str, ...]) -> None:
        done = run(*arguments)
        assert done.returncode == 2
        assert done.stdout == b""
        assert done.stderr.startswith(b"triage: ")
        assert done.stderr.count(b"\n") == 1

    def test_an_unknown_fact_key_names_the_nearest(self, run: Run) -> None:
        assert b"foundry-local-cli" in run("lookup", "x", "--with", "foundry-local-cl=1.0").stderr

    def test_an_unknown_value_names_the_short_words_that_are_known(self, run: Run) -> None:
        said = run("lookup", "x", "--with", "ep=web").stderr
        assert b"did you mean webgpu or webnn?" in said
        assert b"cuda" in said
        assert run("lookup", "x", "--with", "zzzz=1").stderr.count(b"\n") == 1

    def test_the_version_is_printed(self, run: Run) -> None:
        assert run("--version").stdout.startswith(b"triage ")


class TestLookup:
    def test_the_exit_code_says_whether_something_is_known(self, run: Run) -> None:
        assert run("lookup", ERROR).returncode == 0
        done = run("lookup", "the flux capacitor is not aligned")
        assert done.returncode == 1
        assert b"Nothing known was recognised." in done.stdout
        assert b"triage new" in done.stdout

    def test_the_answer_for_people_says_cause_fix_and_evidence(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "issue.json"
        path.write_text(json.dumps(threads.buffer_conflict()))
        said = " ".join(run("lookup", str(path)).stdout.decode().split())
        assert "known cause: GenAI's RecurrentState shared one buffer" in said
        assert "Your Foundry Local CLI 0.10.0 carries 0.14.0" in said
        assert "Foundry Local CLI 0.10.1 (2026-06-22) is the first that has it" in said
        assert "Run the CPU variant of the same model." in said
        assert "https://github.com/microsoft/foundry-local/issues/799" in said
        assert "includes writable usage and another usage in the same synchronization scope" in said

    def test_a_pipe_gets_no_colour_unless_it_is_forced(self, run: Run) -> None:
        assert b"\x1b" not in run("lookup", ERROR).stdout
        assert b"\x1b[" in run("lookup", ERROR, FORCE_COLOR="1").stdout
        assert b"\x1b" not in run("lookup", ERROR, FORCE_COLOR="1", NO_COLOR="1").stdout

    def test_lines_follow_the_width_that_is_asked_for(self, run: Run) -> None:
        lines = run("lookup", ERROR, COLUMNS="60").stdout.decode().splitlines()
        assert all(len(line) <= 60 for line in lines if "https://" not in line)

    def test_standard_input_and_a_transcript_give_the_same_answer(self, run: Run, tmp_path: Path) -> None:
        thread = threads.baked_memcpy()
        text = f"{thread['issue']['title']}\n\n[reporter]\n\n{thread['issue']['body']}\n\n[maintainer]\n\nTake v4.\n"
        path = tmp_path / "thread.txt"
        path.write_text(text)
        from_file = json.loads(run("lookup", str(path), "--json").stdout)
        from_pipe = json.loads(run("lookup", "-", "--json", given=text.encode()).stdout)
        assert from_file == from_pipe
        assert from_file["diagnoses"][0]["fix"]["verdict"] == "upgrade"

    def test_a_given_version_decides(self, run: Run) -> None:
        done = run("lookup", f"Error loading model qwen3.5-0.8b-cuda-gpu:3: {ERROR}", "--json")
        assert json.loads(done.stdout)["diagnoses"][0]["fix"]["verdict"] == "upgrade"

    def test_the_evidence_points_into_the_post_as_it_was_given(self, run: Run, tmp_path: Path) -> None:
        thread = threads.baked_memcpy()
        thread["issue"]["body"] = "\U0001f600 " + thread["issue"]["body"].replace("\n", "\r\n")
        path = tmp_path / "issue.json"
        path.write_text(json.dumps(thread))
        (found,) = json.loads(run("lookup", str(path), "--json").stdout)["diagnoses"]
        span = found["evidence"][0]
        assert span["post"] == 0
        assert (
            "Duplicate definition of name (pad_CUDAExecutionProvider)"
            in thread["issue"]["body"][span["start"] : span["end"]]
        )

    def test_the_comment_is_markdown_or_nothing(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "issue.json"
        path.write_text(json.dumps(threads.buffer_conflict()))
        done = run("lookup", str(path), "--comment")
        assert done.returncode == 0
        assert done.stdout.startswith(b"<!-- ondevice-triage schema=1 problems=webgpu-recurrent-state-buffer-aliasing")
        silent = run("lookup", "nothing of interest", "--comment")
        assert (silent.returncode, silent.stdout, silent.stderr) == (1, b"", b"")


class TestShowAndList:
    @pytest.mark.parametrize(
        ("id_", "words"),
        [
            (
                "webgpu-recurrent-state-buffer-aliasing",
                "Foundry Local CLI 0.10.1 (2026-06-22) is the first that carries it",
            ),
            ("duplicate-ep-tensor-name", "baked-memcpy-duplicate-ep-name"),
            ("foundry-local-cli", "cli-preview-{version}"),
            ("baked-memcpy-duplicate-ep-name", "A corrupt local cache"),
            # two ranges of one component, each with the thread that speaks of it
            ("litert-program-cache-data-loss", "0.17.0-5 https://github.com/leehack/llamadart/issues/521"),
        ],
    )
    def test_everything_known_has_a_page(self, run: Run, id_: str, words: str) -> None:
        done = run("show", id_)
        assert done.returncode == 0
        assert words in " ".join(done.stdout.decode().split())
        assert json.loads(run("show", id_, "--json").stdout)["schema"] == 1

    def test_every_id_that_is_listed_can_be_shown(self, run: Run) -> None:
        tables = json.loads(run("list", "--json").stdout)
        assert tables.pop("schema") == 1
        assert set(tables) == {"signatures", "problems", "products"}
        assert all(tables.values())
        for rows in tables.values():
            assert run("show", rows[0]["id"]).returncode == 0

    def test_a_list_can_be_narrowed(self, run: Run) -> None:
        rows = json.loads(run("list", "problems", "memcpy", "--json").stdout)["problems"]
        assert {"baked-memcpy-duplicate-ep-name", "memcpy-kernel-missing"} <= {r["id"] for r in rows}
        assert b"problems" in run("list", "problems").stdout


class TestExplain:
    def test_clauses_are_shown_as_they_are_written(self, run: Run) -> None:
        said = run(
            "explain", "--text", "Duplicate definition", "--signature", "duplicate-ep-tensor-name"
        ).stdout.decode()
        assert r"not found: Duplicate definition of name \((?P<tensor>" in said
        assert "absent, as it must be: Load model from" in said

    def test_the_clause_that_failed_first_and_the_nearest_line_are_named(self, run: Run) -> None:
        text = "This is an invalid model.\nError: Duplicate definition of name (Add_12_output_0)."
        done = run("explain", "--text", text, "--signature", "duplicate-ep-tensor-name")
        assert done.returncode == 0
        assert b"regex[0] failed first" in done.stdout
        assert b"Error: Duplicate definition of name (Add_12_output_0)." in done.stdout
        value = json.loads(run("explain", "--text", text, "--signature", "duplicate-ep-tensor-name", "--json").stdout)
        assert (value["matches"], value["failed_first"]) == (False, "regex[0]")

    def test_a_match_is_exit_code_0(self, run: Run) -> None:
        assert run("explain", ERROR, "--signature", "duplicate-ep-tensor-name").returncode == 0

    def test_a_fact_that_is_not_stated_is_unknown(self, run: Run) -> None:
        done = run("explain", ERROR, "--signature", "webgpu-buffer-usage-conflict", "--json")
        assert {c["held"] for c in json.loads(done.stdout)["clauses"]} <= {True, False, None}


class TestValidate:
    def test_the_built_in_files_keep_their_promises(self, run: Run) -> None:
        done = run("validate", "--json")
        value = json.loads(done.stdout)
        assert value["errors"] == []
        assert done.returncode == 0
        assert value["signatures"] > 0

    def test_a_broken_file_is_named_with_key_and_remedy(self, run: Run, tmp_path: Path) -> None:
        folder = tmp_path / "mine" / "signatures" / "own"
        folder.mkdir(parents=True)
        (folder / "my-error.toml").write_text(
            'schema = 1\nid = "my-error"\ntitle = "x"\n[match]\nal = ["some words"]\n'
        )
        done = run("validate", "my-error", "--catalogue", "mine")
        assert done.returncode == 2
        assert b"mine/signatures/own/my-error.toml" in done.stdout
        assert b"unknown key; did you mean `all`?" in done.stdout
        assert b"(line 5)" in done.stdout
