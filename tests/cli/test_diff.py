"""`triage diff`: two revisions of a catalogue in real git repositories, tried on the same texts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bot.cli import main
from kb.records import IssueRecord, SightingRecord
from kb.store import Store, upgrade
from tests.store.conftest import NOW

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "bot" / "schemas" / "diff-1.json"
SIGNATURE = """\
schema = 1
id     = "torn-belt"
title  = "The belt is torn"
[match]
all = ["{words}"]
[[example]]
match = true
text  = 'ConveyorError: the flux belt is torn at segment 7'
[[example]]
match = false
why   = "all[0]: another part"
text  = 'ConveyorError: the flux bolt is torn at segment 7'
"""
PROBLEM = """\
schema = 1
id     = "{id}"
title  = "It is worn"
cause  = "It is worn."
status = "reported"
[[symptom]]
signature = "torn-belt"
"""
CASES = """\
cases:
- source: acme/belt#1
  title: It stops
  log: 'ConveyorError: the flux bolt is torn at segment 9'
  expected_signature: none
"""


class Repository:
    """A git repository with a catalogue in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        author = ("-c", "user.name=jo", "-c", "user.email=jo@example.org")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {"GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            ["git", *author, *arguments], cwd=self.root, env=clean, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a state")
        return self.git("rev-parse", "HEAD")


class Folder(Repository):
    """A folder of one's own, as --catalogue reads it; compared within this process."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (root / "signatures" / "belts").mkdir(parents=True)
        (root / "problems").mkdir()
        super().__init__(root)
        self.capsys = capsys

    def write(self, words: str = "the flux belt is torn", *problems: str) -> None:
        (self.root / "signatures" / "belts" / "torn-belt.toml").write_text(SIGNATURE.format(words=words))
        for id_ in problems:
            (self.root / "problems" / f"{id_}.toml").write_text(PROBLEM.format(id=id_))

    def said(self, *arguments: str, code: int = 0) -> str:
        """What is printed; where it is refused, why."""
        self.capsys.readouterr()
        assert main(["diff", *arguments, "--catalogue", str(self.root)]) == code
        out, err = self.capsys.readouterr()
        return err if code else out

    def diff(self, *arguments: str) -> Any:
        told = json.loads(self.said(*arguments, "--json"))
        jsonschema.validate(told, json.loads(SCHEMA.read_text(encoding="utf-8")))
        return told


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    return Folder(tmp_path / "mine", capsys)


def changes(told: Any) -> dict[str, list[tuple[str, str, str]]]:
    """By rule: change, kind of text, its name."""
    return {
        f"{rule['kind']} {rule['id']}": [(v["change"], v["in"], v["name"]) for v in rule["verdicts"]]
        for rule in told["rules"]
    }


def test_nothing_is_changed_by_a_state_that_is_committed(folder: Folder) -> None:
    folder.write()
    sha = folder.commit()
    told = folder.diff("HEAD")
    assert (told["before"]["revision"], told["rules"], told["without_consequence"]) == (sha, [], [])
    assert not any(told["summary"].values())
    assert told["read"]["example"] > 100


def test_edits_at_hand_are_shown_by_the_texts_whose_answer_they_change(folder: Folder, tmp_path: Path) -> None:
    folder.write()
    folder.commit()
    (tmp_path / "cases.yaml").write_text(CASES)
    # too wide: its own near miss and a case that expects nothing
    folder.write("is torn at segment", "worn-belt")
    status = folder.git("status", "--porcelain")

    told = folder.diff("HEAD", "--cases", str(tmp_path / "cases.yaml"))
    assert changes(told) == {
        "signature torn-belt": [
            ("moved", "example", "torn-belt[0]"),
            ("gained", "near miss", "torn-belt[1]"),
            ("gained", "case", "acme/belt#1"),
        ]
    }
    moved, _, case = told["rules"][0]["verdicts"]
    assert (moved["before"]["kind"], moved["after"]["id"]) == ("signature", "worn-belt")
    assert (case["words"], case["expected"]) == ("ConveyorError: the flux bolt is torn at segment 9", ["none"])
    assert told["summary"]["gained"] == 2
    assert told["without_consequence"] == [{"kind": "problem", "id": "worn-belt", "change": "added"}]
    assert folder.git("status", "--porcelain") == status


def test_what_a_rival_does_to_a_certainty_is_put_down_to_it(folder: Folder) -> None:
    folder.write("the flux belt is torn", "worn-belt")
    folder.commit()
    folder.write("the flux belt is torn", "worn-belt", "cut-belt")
    told = folder.diff("HEAD")
    assert changes(told) == {
        "problem cut-belt": [("gained", "example", "torn-belt[0]"), ("lowered", "example", "torn-belt[0]")]
    }
    lowered = told["rules"][0]["verdicts"][1]
    assert (lowered["before"]["certainty"], lowered["after"]["certainty"]) == ("certain", "possible")


def test_a_stage_and_a_removal_are_changes_too(folder: Folder) -> None:
    folder.write("the flux belt is torn", "worn-belt")
    first = folder.commit()
    file = folder.root / "signatures" / "belts" / "torn-belt.toml"
    file.write_text(file.read_text().replace("[match]", 'stage = "shadow"\n[match]'))
    folder.commit()
    (verdict,) = folder.diff("HEAD~1")["rules"][0]["verdicts"]
    assert (verdict["change"], verdict["after"]["kind"]) == ("lost", "shadow")
    assert folder.diff("HEAD")["summary"] == dict.fromkeys(verdict_kinds(), 0)

    file.unlink()
    told = folder.diff(first)
    assert changes(told) == {"signature torn-belt": [("lost", "example", "torn-belt[0] (removed)")]}
    assert told["rules"][0]["change"] == "removed"


def verdict_kinds() -> list[str]:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    kinds: list[str] = schema["properties"]["summary"]["required"]
    return kinds


def test_kept_reports_are_read_again_without_being_fetched(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'triage.db'}"
    upgrade(url)
    store = Store.at(url)
    line = "ConveyorError: the flux bolt is torn at segment 3, token=ghp_0123456789abcdefghijABCDEFGHIJ012345"
    seen = SightingRecord("torn-belt", None, "certain", "d", evidence="ConveyorError: the flux belt is torn")
    for number, sightings, unexplained in ((1, [seen], []), (2, [], [line])):
        issue = IssueRecord(f"acme/belt#{number}", "It stops", "ann", False, NOW, NOW, True, "0.1.0")
        store.record_issue(issue, sightings, NOW, unexplained=unexplained)
    store.close()
    folder.write()
    folder.commit()
    folder.write("flux bolt is torn")

    monkeypatch.setenv("TRIAGE_DATABASE_URL", url)
    told = folder.diff("HEAD")
    assert told["read"]["sighting"] == 2
    found = {name: change for change, kind, name in changes(told)["signature torn-belt"] if kind == "sighting"}
    assert found == {"acme/belt#1": "lost", "acme/belt#2": "gained"}
    assert "ghp_" not in json.dumps(told)


def test_a_page_says_first_how_much_and_then_what(folder: Folder) -> None:
    folder.write()
    folder.commit()
    folder.write("is torn at segment")
    page = folder.said("HEAD")
    head, _, rest = page.partition("\n\n")
    assert "1 rule changed" in head
    assert "verdicts       1 gained" in head
    assert rest.startswith("signature torn-belt (changed)\n  gained         torn-belt (cause unknown): certain\n")
    assert "1 near miss: torn-belt[1]" in rest
    assert '"ConveyorError: the flux bolt is torn at segment 7"' in rest


def test_files_that_todays_program_cannot_read_are_named_and_the_rest_is_compared(folder: Folder) -> None:
    folder.write("the flux belt is torn", "worn-belt")
    old = folder.root / "signatures" / "belts" / "old-form.toml"
    old.write_text('schema = 0\nid = "old-form"\npattern = "x"\n')
    (folder.root / "signatures" / "belts" / "link.toml").symlink_to("/etc/hostname")
    folder.commit()
    old.unlink()
    (folder.root / "signatures" / "belts" / "link.toml").unlink()
    told = folder.diff("HEAD")
    assert told["rules"] == []
    assert told["left_out"]
    assert all(" mine/signatures/belts/old-form.toml" in w for w in told["left_out"])
    assert not any("link.toml" in w for w in told["left_out"])


def test_a_file_that_the_edits_at_hand_broke_is_refused_and_not_called_removed(folder: Folder) -> None:
    folder.write("the flux belt is torn", "worn-belt")
    folder.commit()
    file = folder.root / "signatures" / "belts" / "torn-belt.toml"
    file.write_text(file.read_text().replace("[match]", "[match", 1))
    assert f"a file of the working tree is broken: {file}:4: " in folder.said("HEAD", code=2)


@pytest.mark.parametrize(
    "asked", ["no-such-branch", "HEAD~1", "--upload-pack=x", "HEAD:signatures", "", "a\nb", "@{u}"]
)
def test_what_is_no_revision_is_one_sentence(folder: Folder, asked: str) -> None:
    folder.write()
    folder.commit()
    said = folder.said(asked, code=2)
    assert said.count("\n") == 1
    assert "is no commit" in said or "is no revision" in said or "the following arguments are required: REV" in said


def test_a_folder_outside_git_and_a_file_that_is_too_large_are_refused(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "plain" / "signatures").mkdir(parents=True)
    assert main(["diff", "HEAD", "--catalogue", str(tmp_path / "plain")]) == 2
    assert "lies in no git repository" in folder.capsys.readouterr().err
    folder.write()
    big = folder.root / "problems" / "big.toml"
    big.write_text("#" * 2_000_000)
    folder.commit()
    big.unlink()
    assert "has 2000000 bytes" in folder.said("HEAD", code=2)


class Checkout(Repository):
    """A checkout of this program, run from there."""

    def __init__(self, root: Path, cache: Path) -> None:
        for part in ("bot", "kb", "signatures"):
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", root)
        super().__init__(root)
        self.program = cache / "triage"
        self.program.write_text(f'#!/bin/sh\nPYTHONPATH=. exec "{sys.executable}" -m bot "$@"\n')
        self.program.chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if k == "PATH" or k.startswith("COV_")}
        self.environment = kept | {"TRIAGE_CACHE_DIR": str(cache), "TRIAGE_DATABASE_URL": ""}

    def here(self, *command: str, where: Path | None = None, code: int = 0) -> str:
        done = subprocess.run(
            command, cwd=where or self.root, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stderr if code else done.stdout

    def ci(self, where: Path | None = None) -> str:
        return self.here("bash", str(ROOT / "tests" / "radius"), str(self.program), where=where)


def test_in_a_checkout_the_shipped_catalogue_is_compared_and_ci_prints_it(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    checkout = Checkout(tmp_path / "checkout", tmp_path / "cache")
    for extra in ("sqlmodel", "yaml"):  # without a store and cases, no extra is asked for
        (checkout.root / f"{extra}.py").write_text(f"raise ModuleNotFoundError(name={extra!r})\n")
    checkout.commit()
    assert "No earlier revision is here" in checkout.ci()
    file = next((checkout.root / "signatures" / "catalogue").rglob("duplicate-ep-tensor-name.toml"))
    file.write_text(file.read_text().replace("Duplicate definition", "Twofold definition", 1))
    checkout.commit()
    said = checkout.ci()
    assert "1 rule changed" in said
    assert "signature duplicate-ep-tensor-name (changed)" in said
    assert "lost           baked-memcpy-duplicate-ep-name" in said

    shallow = tmp_path / "shallow"
    checkout.git("clone", "--quiet", "--depth=1", f"file://{checkout.root}", str(shallow))
    assert "No earlier revision is here" in checkout.ci(shallow)
    why = checkout.here(str(checkout.program), "diff", "HEAD~1", where=shallow, code=2)
    assert "which is a shallow clone" in why
    (checkout.root / "README.md").write_text("words\n")
    checkout.commit()
    assert checkout.ci().startswith("The catalogue is that of ")

    # without its sources around it, the same is an installed copy
    (checkout.root / "pyproject.toml").unlink()
    for command in (("diff", "HEAD"), ("promote", "duplicate-ep-tensor-name", "--by", "jane")):
        why = checkout.here(str(checkout.program), *command, code=2)
        assert "installed copy" in why
        assert "run a checkout of the sources, which `pip install -e .` in it installs" in why
