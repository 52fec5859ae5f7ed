"""A signature and a problem of one's own, made and used without a line of Python."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import Run

SCHEMA = Path(__file__).parents[2] / "bot" / "schemas" / "lookup-1.json"

LOG = """\
Loading plugin host
2026-05-01 10:00:00 host[12]: FluxError: the capacitor bank "C12" refused to charge: code 0x80070057 (retry 3)
   at Flux.Host.Start()
cannot open C:\\Users\\jane.doe\\flux\\bank.toml
OS: Windows 11
"""
OTHER = 'host[7]: FluxError: the capacitor bank "B3" refused to charge: code 0x80070005 (retry 1)'


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "flux.log"
    path.write_text(LOG)
    return str(path)


@pytest.fixture
def drafted(run: Run, log: str, tmp_path: Path) -> Path:
    done = run(
        "new", "flux-charge-refused", "--from", log, "--catalogue", "mine", "--problem", "--cause", "Wired backwards."
    )
    assert done.returncode == 0, done.stderr
    return tmp_path / "mine"


@pytest.fixture
def made(run: Run, drafted: Path) -> Path:
    done = run("promote", "flux-charge-refused", "--by", "jane", "--catalogue", "mine")
    assert done.returncode == 0, done.stderr
    return drafted


def test_what_is_new_is_counted_and_no_answer(run: Run, drafted: Path) -> None:
    arguments = ("lookup", OTHER, "--catalogue", "mine")
    done = run(*arguments, "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert answer["diagnoses"] == answer["signatures"] == []
    (counted,) = answer["shadow"]
    assert (counted["signature"], counted["problems"]) == ("flux-charge-refused", ["flux-charge-refused"])
    assert [line["quote"] for line in answer["unexplained"]] == [counted["evidence"][0]["quote"]]
    jsonschema.validate(answer, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert run(*arguments, "--comment").stdout == b""
    said = run(*arguments).stdout.decode()
    assert "Nothing known was recognised." in said
    assert "in shadow, so it is no" in said

    preview = json.loads(run(*arguments, "--json", "--shadow").stdout)
    assert (preview["diagnoses"][0]["cause"], preview["shadow"]) == ("Wired backwards.", [])


def test_a_promotion_edits_one_line_and_says_who(run: Run, drafted: Path) -> None:
    (file,) = (drafted / "signatures").rglob("*.toml")
    before = file.read_text()
    arguments = ("promote", "flux-charge-refused", "--by", "jane", "--reason", "seen thrice", "--catalogue", "mine")
    subprocess.run(("git", "init", "--quiet", str(drafted)), check=True)
    diff = run(*arguments, "--diff").stdout.decode()
    assert file.read_text() == before
    subprocess.run(("git", "-C", str(drafted), "apply", "--check"), input=diff, text=True, check=True)
    assert run(*arguments).returncode == 0
    after = file.read_text()
    gone = [line for line in before.splitlines() if line not in after.splitlines()]
    came = [line for line in after.splitlines() if line not in before.splitlines()]
    assert [line.partition("=")[0].strip() for line in (*gone, *came)] == ["stage", "reviewed"]
    assert f"-{gone[0]}" in diff
    assert f"+{came[0]}" in diff
    assert 'by = "jane", why = "seen thrice"' in came[0]
    assert run("validate", "flux-charge-refused", "--catalogue", "mine").returncode == 0
    shown = run("show", "flux-charge-refused", "--catalogue", "mine").stdout.decode()
    assert "by jane: seen thrice" in shown

    again = run("promote", "flux-charge-refused", "--by", "jo", "--json", "--catalogue", "mine")
    assert json.loads(again.stdout)["was"] == "promoted"
    assert file.read_text().count("reviewed") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing-like-it", "--by", "jane"), b"there is no signature 'nothing-like-it'"),
        (("flux-charge-refused",), b"--by"),
        (("flux-charge-refused", "--by", " "), b"--by is empty"),
    ],
)
def test_a_promotion_that_cannot_be_is_one_sentence(
    run: Run, drafted: Path, arguments: tuple[str, ...], words: bytes
) -> None:
    done = run("promote", *arguments, "--catalogue", "mine")
    assert done.returncode == 2
    assert words in done.stderr


def test_what_is_promoted_is_matched_at_once(run: Run, made: Path) -> None:
    done = run("lookup", OTHER, "--catalogue", "mine", "--json")
    assert done.returncode == 0
    (found,) = json.loads(done.stdout)["diagnoses"]
    assert (found["problem"], found["signature"]) == ("flux-charge-refused", "flux-charge-refused")
    assert (found["status"], found["cause"], found["certainty"]) == ("reported", "Wired backwards.", "certain")
    assert run("lookup", OTHER).returncode == 1


def test_what_is_made_is_valid_as_it_stands(run: Run, made: Path) -> None:
    done = run("validate", "flux-charge-refused", "--catalogue", "mine")
    assert done.returncode == 0, done.stdout.decode()


def test_a_file_given_by_path_is_checked_without_naming_its_folder(run: Run, made: Path, tmp_path: Path) -> None:
    for file in ("signatures/own/flux-charge-refused.toml", "problems/flux-charge-refused.toml"):
        assert run("validate", f"mine/{file}").returncode == 0
    elsewhere = tmp_path / "lost.toml"
    elsewhere.write_text("schema = 1\n")
    assert b"below no folder named signatures" in run("validate", str(elsewhere)).stderr


def test_what_is_made_holds_examples_and_no_names(made: Path) -> None:
    data = tomllib.loads((made / "signatures" / "own" / "flux-charge-refused.toml").read_text())
    assert data["match"]["all"] == ["FluxError: the capacitor bank", "refused to charge: code"]
    assert [e["match"] for e in data["example"]].count(True) == 1
    assert [e["match"] for e in data["example"]].count(False) >= 2
    assert all(e["why"] for e in data["example"] if not e["match"])
    assert "jane.doe" not in data["example"][0]["text"]
    assert data["example"][0]["facts"]["os"] == "windows"


def test_what_is_made_lies_in_one_place_whatever_it_resembles(run: Run, tmp_path: Path) -> None:
    printed = "Load model from model.onnx failed:Protobuf parsing failed."
    done = run("new", "own-parsing", "--from", printed, "--catalogue", "mine", "--title", "It does not open")
    assert done.returncode == 0, done.stderr
    assert b"wrote mine/signatures/own/own-parsing.toml" in done.stdout
    done = run("new", "own-parsing-2", "--from", printed, "--catalogue", "mine", "--family", "files")
    assert b"wrote mine/signatures/files/own-parsing-2.toml" in done.stdout


def test_a_value_that_the_vocabulary_does_not_have_is_named_with_those_it_has(run: Run, made: Path) -> None:
    file = made / "signatures" / "own" / "flux-charge-refused.toml"
    file.write_text(file.read_text().replace("[[example]]", '[when]\nos = ["beos"]\n\n[[example]]', 1))
    done = run("validate", "flux-charge-refused", "--catalogue", "mine")
    assert done.returncode == 2
    said = " ".join(done.stdout.decode().split())
    assert "when.os 'beos' is no value of the vocabulary; valid: android" in said
    assert "windows" in said


def test_nothing_is_written_over(run: Run, made: Path, log: str) -> None:
    before = {p: p.read_bytes() for p in made.rglob("*.toml")}
    done = run("new", "flux-charge-refused", "--from", log, "--catalogue", "mine")
    assert done.returncode == 2
    assert b"there is a signature flux-charge-refused already" in done.stderr
    done = run("new", "duplicate-ep-tensor-name", "--from", log, "--catalogue", "mine")
    assert done.returncode == 2
    assert {p: p.read_bytes() for p in made.rglob("*.toml")} == before


def test_arguments_in_another_encoding_are_written_all_the_same(run: Run, log: str, tmp_path: Path) -> None:
    arguments = ("new", "odd", "--from", log, "--catalogue", "mine", "--problem")
    done = run(*arguments, "--title", b"bad \xff title", "--cause", b"a \x1b[31m cause \xff")
    assert done.returncode == 0, done.stderr
    problem = tomllib.loads((tmp_path / "mine" / "problems" / "odd.toml").read_text())
    assert problem["title"] == "bad \N{REPLACEMENT CHARACTER} title"
    assert not [p for p in tmp_path.rglob("*") if p.suffix == ".part"]


def test_either_both_files_are_written_or_none(run: Run, log: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "problems").write_text("in the way")
    done = run("new", "odd", "--from", log, "--catalogue", "mine", "--problem", "--cause", "x")
    assert done.returncode == 2
    assert b"cannot be written" in done.stderr
    assert not list((tmp_path / "mine").rglob("*.toml*"))


def test_suggested_commands_can_be_pasted_and_act_on_no_terminal(run: Run) -> None:
    text = "the flux \x1b[31mreactor exploded\x1b]0;title\x07"
    done = run("new", "odd", "--from", text, "--catalogue", "my folder\x1b[31m")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert b"\x07" not in done.stdout
    assert b"--catalogue 'my folder" in done.stdout


def test_secrets_do_not_reach_the_files(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_text(
        "export OPENAI_API_KEY=Zq7xK2\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n"
        "-----END PRIVATE KEY-----\nFluxError: the capacitor bank refused to charge --password Zq7xK2\n"
    )
    assert run("new", "odd", "--from", str(path), "--catalogue", "mine").returncode == 0
    (written,) = (tmp_path / "mine").rglob("*.toml")
    assert "Zq7xK2" not in written.read_text()
    assert "MIIEvQ" not in written.read_text()


def test_a_problem_can_be_added_to_a_signature_that_is_there(run: Run, made: Path) -> None:
    done = run("new", "second-cause", "--problem", "--signature", "flux-charge-refused", "--catalogue", "mine")
    assert done.returncode == 0
    assert b"Not known yet." in done.stdout
    found = json.loads(run("lookup", OTHER, "--catalogue", "mine", "--json").stdout)
    assert {d["problem"] for d in found["diagnoses"]} == {"flux-charge-refused", "second-cause"}


def test_a_text_without_words_of_its_own_is_refused(run: Run) -> None:
    done = run("new", "my-failure", "--from", "12345 67890", "--catalogue", "mine")
    assert done.returncode == 2
    assert b"no line with words of its own" in done.stderr


def test_a_wrapped_console_log_gives_words_that_are_found_again(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wrapped.log"
    path.write_text(
        "● error: IPC error 'op_handler_failed': Error from chat: Error:\n"
        "ZorkException: the grue limit of this\nroom is exceeded by 3 grues\n"
    )
    assert run("new", "grue-limit", "--from", str(path), "--catalogue", "mine").returncode == 0
    assert run("lookup", str(path), "--shadow", "--catalogue", "mine").returncode == 0
    assert run("validate", "grue-limit", "--catalogue", "mine").returncode == 0


def test_a_broken_file_of_a_layer_is_named_and_the_rest_is_used(run: Run, made: Path) -> None:
    broken = made / "signatures" / "own" / "broken.toml"
    broken.write_text('id = "broken"\ntitle = \n')
    done = run("lookup", OTHER, "--catalogue", "mine")
    assert done.returncode == 0
    assert b"broken.toml:2: is not valid TOML" in done.stderr
    assert b"flux-charge-refused" in done.stdout


def test_a_layer_with_nothing_but_broken_files_is_refused(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "signatures"
    folder.mkdir(parents=True)
    (folder / "broken.toml").write_text("= 1")
    done = run("lookup", OTHER, "--catalogue", "mine")
    assert done.returncode == 2
    assert b"broken.toml:1" in done.stderr


def test_a_changed_layer_is_read_again(run: Run, made: Path) -> None:
    arguments = ("lookup", OTHER, "--catalogue", "mine", "--json")
    assert json.loads(run(*arguments).stdout)["diagnoses"]
    file = made / "problems" / "flux-charge-refused.toml"
    file.write_text(file.read_text().replace("Wired backwards.", "Wired twice."))
    assert json.loads(run(*arguments).stdout)["diagnoses"][0]["cause"] == "Wired twice."


def test_an_existing_file_is_no_folder_to_write_to(run: Run, log: str) -> None:
    done = run("new", "my-failure", "--from", log, "--catalogue", log)
    assert done.returncode == 2
    assert b"is a file" in done.stderr
