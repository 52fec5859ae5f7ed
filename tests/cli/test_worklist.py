"""From reports that nothing explains to a signature, as a maintainer goes about it."""

from __future__ import annotations

import json
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
    assert run("record", *files).returncode == 1  # nothing known is in any of them
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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("worklist", "--most", "0"), b"--most takes"),
        (("worklist", "x.json", "--cases", "c.yaml"), b"not both"),
        (("new", "x", "--from-worklist", "1", "--from", "text", "--catalogue", "m"), b"leave --from"),
        (("new", "x", "--cases", "c.yaml", "--catalogue", "m"), b"belongs to --from-worklist"),
    ],
)
def test_what_cannot_be_is_refused_in_words(run: Run, arguments: tuple[str, ...], words: bytes) -> None:
    done = run(*arguments)
    assert (done.returncode, words in done.stderr) == (2, True)
