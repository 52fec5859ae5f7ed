"""From reports that nothing explains to a signature, as a maintainer goes about it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import Run

SCHEMA = json.loads((Path(__file__).parents[2] / "bot" / "schemas" / "worklist-1.json").read_text())
LINE = "FluxError: the capacitor bank '{}' refused to charge after {} attempts"
CASE = """\
- source: acme/flux#{n}
  title: It does not charge
  log: |-
    flux is starting
    {line}
  env: {{onnxruntime: "1.2{n}.0"}}
  expected_signature: none
"""


def _issue(folder: Path, number: int, login: str, line: str, day: str) -> str:
    issue = {
        "number": number,
        "title": "It does not charge",
        "body": f"I ran it.\n\n```\nflux is starting\n{line}\n```\n\nonnxruntime 1.2{number}.0\n",
        "state": "open",
        "html_url": f"https://github.com/acme/flux/issues/{number}",
        "user": {"login": login},
        "author_association": "NONE",
        "created_at": f"{day}T08:00:00Z",
    }
    path = folder / f"{number}.json"
    path.write_text(json.dumps({"issue": issue, "comments": []}))
    return str(path)


def _listed(run: Run, *arguments: str) -> dict[str, object]:
    done = run("worklist", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA, cls=jsonschema.Draft202012Validator)
    return found


def test_recorded_issues_become_a_list_from_which_a_signature_starts(run: Run, tmp_path: Path) -> None:
    assert run("worklist").returncode == 2  # there is no store yet
    files = [
        _issue(tmp_path, 1, "ada", LINE.format("north", 3), "2026-05-01"),
        _issue(tmp_path, 2, "Ada", LINE.format("south", 17), "2026-06-01"),
        _issue(tmp_path, 3, "grace", LINE.format("west", 5), "2026-04-01"),
        _issue(tmp_path, 4, "alan", "GrueError: nobody lit the lantern of this room", "2026-07-01"),
    ]
    assert run("record", *files).returncode == 0  # though nothing known is in any of them
    found = _listed(run)
    first, second = found["clusters"]  # type: ignore[misc]
    assert first["template"] == "FluxError the capacitor bank <name> refused to charge after <n> attempts"
    assert (first["issues"], first["reporters"], first["last_seen"]) == (3, 2, "2026-06-01")
    assert [e["issue"] for e in first["examples"]] == ["acme/flux#2", "acme/flux#1", "acme/flux#3"]
    assert (second["issues"], second["examples"][0]["url"]) == (1, "https://github.com/acme/flux/issues/4")

    assert run("new", "flux-refused", "--from-worklist", first["id"], "--catalogue", "mine").returncode == 0
    (written,) = (tmp_path / "mine").rglob("*.toml")
    draft = written.read_text()
    assert [f'from  = "acme/flux#{n}"' in draft for n in (1, 2, 3)] == [True] * 3
    assert run("validate", "flux-refused", "--catalogue", "mine").returncode == 0
    again = run("lookup", LINE.format("east", 99), "--catalogue", "mine", "--json")
    assert [s["signature"] for s in json.loads(again.stdout)["shadow"]] == ["flux-refused"]
    assert b"shows ids and places" in run("new", "other", "--from-worklist", "9", "--catalogue", "mine").stderr


def test_a_case_file_needs_no_store(run: Run, tmp_path: Path) -> None:
    rows = "".join(CASE.format(n=n, line=LINE.format("x", n)) for n in (1, 2))
    (tmp_path / "cases.yaml").write_text(f"cases:\n{rows}")
    found = _listed(run, "--cases", "cases.yaml")
    (cluster,) = found["clusters"]  # type: ignore[misc]
    assert cluster["versions"] == [
        {"product": "onnxruntime", "version": "1.21.0", "issues": 1},
        {"product": "onnxruntime", "version": "1.22.0", "issues": 1},
    ]
    shown = run("worklist", "--cases", "cases.yaml").stdout.decode()
    assert f"triage new ID --from-worklist {cluster['id']}" in shown
    assert not (tmp_path / "home" / ".local").exists()


def test_the_command_to_start_with_works_as_it_is_printed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "one log.txt").write_text("GrueError: nobody lit the lantern of this room\n")
    (tmp_path / "other.log").write_text("ZorkError: the mailbox of the white house is locked\n")
    files = ("one log.txt", "other.log", "--catalogue", "mine")
    shown = run("worklist", *files).stdout.decode()
    for at, cluster in enumerate(_listed(run, *files)["clusters"]):  # type: ignore[arg-type, var-annotated]
        assert cluster["start"] in shown
        _, _, _, *rest = shlex.split(cluster["start"])
        done = run("new", f"my-failure-{at}", *rest)
        assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "mine").rglob("*.toml"))) == 2


def test_what_is_not_looked_at_and_what_is_taken_for_one_is_counted(run: Run, tmp_path: Path) -> None:
    words = ("grand", "small", "broken", "northern", "hidden", "rusty", "wooden", "silent")
    lines = [f"{w.title()}Error: nobody has charged the {w} bank" for w in words]
    (tmp_path / "flux.log").write_text("\n".join(lines))
    found = _listed(run, "flux.log")
    assert (found["lines"], found["lines_left_out"], found["clusters_found"], found["templates_found"]) == (5, 3, 1, 5)
    shown = run("worklist", "flux.log").stdout.decode()
    assert "3 more lines were not looked at" in shown
    assert "5 different lines" in shown
    assert "and 2 more of the same issue" in shown


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_gathered(run: Run, tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "core.log").write_bytes(b"\0\0core\0")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.log").write_text("GrueError: nobody lit the lantern of this room\n")
    done = run("worklist", "--json", "list.json", "a/run.log", "core.log", "b/run.log")
    assert (done.returncode, json.loads(done.stdout)["clusters"][0]["issues"]) == (0, 2)
    assert [n in done.stderr for n in (b"list.json", b"core.log", b"run.log")] == [True, True, False]
    assert run("worklist", "list.json", "core.log").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("worklist", "--most", "0"), b"--most takes"),
        (("worklist", "x.json", "--cases", "c.yaml"), b"not both"),
        (("new", "x", "--from-worklist", "1", "--from", "text", "--catalogue", "m"), b"leave --from"),
        (("new", "x", "--files", "a.log", "--catalogue", "m"), b"belongs to --from-worklist"),
        (("new", "x", "--cases", "c.yaml", "--catalogue", "m"), b"belongs to --from-worklist"),
    ],
)
def test_what_cannot_be_is_refused_in_words(run: Run, arguments: tuple[str, ...], words: bytes) -> None:
    done = run(*arguments)
    assert (done.returncode, words in done.stderr) == (2, True)


def test_lines_that_are_too_short_are_told(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "short.log"
    log.write_text("error: foo failed\n", "utf-8")

    done = run("worklist", str(log))

    assert done.returncode == 0
    assert "1 line that nothing explains" in done.stdout.decode()
