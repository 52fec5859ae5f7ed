"""The store through the command line, on both engines: what is written by one command is known to the next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from kb.store import Store, upgrade
from tests.store.conftest import NOW
from tests.upstream.test_commands import CHANGE, PROBLEM, _foundry, _genai

Run = Callable[..., subprocess.CompletedProcess[str]]
LOG = """\
Foundry Local CLI {version}

```
Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer (unlabeled)] usage
(Storage(read-write)|Storage(read-only)) includes writable usage and another usage in the same synchronization scope.
```
"""
NEVER = {"sqlmodel", "sqlalchemy", "pydantic", "alembic", "psycopg", "sqlite3"}


@pytest.fixture
def run(tmp_path: Path, url: str) -> Run:
    """Run `triage` on an up-to-date database; a traceback, or another exit code, fails the test."""
    upgrade(url)

    def _run(*arguments: str, code: int | None = 0, program: str | None = None) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if k == "PATH" or k.startswith("COV_")}
        kept |= {"TRIAGE_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path), "PYTHONUTF8": "1"}
        kept |= {"TRIAGE_DATABASE_URL": url, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        start = ["-c", program] if program is not None else ["-m", "bot"]
        done = subprocess.run(
            [sys.executable, *start, *arguments],
            capture_output=True,
            text=True,
            env=kept,
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert code is None or done.returncode == code, done.stderr + done.stdout
        return done

    return _run


def _json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def _issue(tmp_path: Path, number: int, login: str, version: str = "0.10.1", **more: object) -> str:
    issue = {
        "title": "The GPU variant fails",
        "author": {"login": login},
        "state": "OPEN",
        "createdAt": "2026-07-01T10:00:00Z",
        "url": f"https://github.com/microsoft/foundry-local/issues/{number}",
        "body": LOG.format(version=version),
        "comments": [],
    }
    path = tmp_path / f"{number}.json"
    path.write_text(json.dumps(issue | more))
    return str(path)


@pytest.fixture
def mirrors(tmp_path: Path) -> list[str]:
    pairs = (
        ("microsoft/onnxruntime-genai", _genai()[0], "genai.git"),
        ("microsoft/foundry-local", _foundry(), "fl.git"),
    )
    return [w for repo, story, name in pairs for w in ("--mirror", f"{repo}={story.write(tmp_path / name)}")]


def test_a_database_is_checked_and_found_in_order(run: Run) -> None:
    told = _json(run("db", "upgrade", "--json"))
    assert told["before"] == told["revision"]
    assert _json(run("db", "check", "--json"))["wrong"] == []


def test_sync_tells_what_it_wrote(run: Run) -> None:
    first = _json(run("sync", "--json"))
    assert first["problems"] > 50
    assert _json(run("sync", "--json")) == first


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("problems/torn.toml", 'schema = 1\nid = "torn"\ntitle = [', ("torn.toml", "is not valid TOML")),
        ("problems/torn.toml", 'schema = 1\nid = "torn"\ntitle = "t"\ncause = "c"\nstatus = "sure"\n', ("status",)),
        (
            "problems/torn.toml",
            'schema = 1\nid = "torn"\ntitle = "t"\ncause = "c"\nstatus = "reported"\n[[symptom]]\nsignature = "gone"\n',
            ("torn.toml", "symptom[0].signature", "gone is no signature"),
        ),
        (
            "products/odd.toml",
            'schema = 1\nid = "odd"\ntitle = "Odd"\nscheme = "semver"\ncolour = 1\n',
            ("odd.toml", "colour"),
        ),
        ("signatures/own/bad.toml", 'schema = 1\nid = "bad"\n', ("bad.toml", "title")),
    ],
)
def test_a_broken_file_is_named_and_leaves_the_old_state(
    run: Run, tmp_path: Path, file: str, text: str, words: tuple[str, ...]
) -> None:
    before = _json(run("sync", "--json"))
    own = tmp_path / "own"
    (own / file).parent.mkdir(parents=True)
    (own / file).write_text(text)
    said = run("sync", "--catalogue", str(own), code=2).stderr
    assert "nothing was changed" in said
    assert all(w in said for w in words), said
    (own / file).unlink()
    assert _json(run("sync", "--catalogue", str(own), "--json")) == before


def test_two_reporters_turn_a_version_disputed_everywhere(run: Run, tmp_path: Path) -> None:
    ask = ("has", "foundry-local-cli", "0.10.1", PROBLEM, "--json")
    told = _json(run("record", _issue(tmp_path, 901, "ann"), _issue(tmp_path, 903, "Ann"), "--json"))
    assert told["issues"][0]["sightings"][0]["certainty"] == "certain"
    assert _json(run(*ask))["answer"] == "fixed"
    assert "disputed" in run("record", _issue(tmp_path, 902, "ben")).stdout
    assert _json(run(*ask))["answer"] == "disputed"
    assert _json(run("has", "foundry-local-sdk", "1.2.1", PROBLEM, "--json"))["answer"] == "fixed"
    fix = _json(run("lookup", _issue(tmp_path, 904, "cid"), "--json"))["diagnoses"][0]["fix"]
    assert (fix["verdict"], fix["disputed"]) == ("not-explained", True)
    assert "microsoft/foundry-local#901" in fix["note"]
    before = _json(run("lookup", _issue(tmp_path, 905, "dan", "0.10.0"), "--json"))["diagnoses"][0]["fix"]
    assert before["verdict"] != "upgrade"
    assert not any(f["id"] == "foundry-local-cli" for f in before["fixed_in"])
    (row,) = _json(run("status", PROBLEM, "--json"))["board"]
    assert row["open_sightings"] == 3
    assert [(d["product"], d["version"]) for d in row["disputes"]] == [("foundry-local-cli", "0.10.1")]
    eve = (date.fromisoformat(row["disputes"][0]["since"]) - timedelta(days=1)).isoformat()
    assert _json(run(*ask, "--as-of", eve))["answer"] == "fixed"
    assert _json(run("status", PROBLEM, "--as-of", eve, "--json"))["board"][0]["disputes"] == []
    assert "3 open issues" in run("status", PROBLEM).stdout
    assert _json(run("show", PROBLEM, "--json"))["problem"]["disputes"][0]["version"] == "0.10.1"
    # one of them was mistaken, says a maintainer: one reporter is left
    run("record", _issue(tmp_path, 902, "ben", state="CLOSED"), "--maintainer", "jo", "--says", "wrong")
    assert _json(run(*ask))["answer"] == "fixed"
    assert _json(run("status", PROBLEM, "--json"))["board"][0]["open_sightings"] == 2


def test_a_maintainers_own_report_is_enough_and_one_from_before_the_fault_is_nothing(run: Run, tmp_path: Path) -> None:
    early = [_issue(tmp_path, n, who, "0.9.0", authorAssociation="MEMBER") for n, who in ((1, "jo"), (2, "al"))]
    assert _json(run("record", *early, "--json", code=None))["disputes"] == []
    own = _issue(tmp_path, 3, "jo", author_association="MEMBER")
    assert [d["version"] for d in _json(run("record", own, "--json"))["disputes"]] == ["0.10.1"]


def test_what_a_mirror_shows_is_kept_and_known_without_it(run: Run, tmp_path: Path, mirrors: list[str]) -> None:
    change = "microsoft/onnxruntime-genai#2300"
    assert _json(run("trace", change, "--json"))["state"] == "unknown"
    told = _json(run("trace", change, *mirrors, "--json"))
    kept = _json(run("trace", change, "--json"))
    assert kept["component"]["releases"] == told["component"]["releases"] == ["0.15.0"]
    # a release that only the mirror has
    assert _json(run("has", "foundry-local-cli", "0.10.1", PROBLEM, "--json"))["answer"] == "fixed"


def test_observe_writes_the_file_from_the_database(run: Run, tmp_path: Path, mirrors: list[str]) -> None:
    own = tmp_path / "own"
    own.mkdir()
    assert "+change" in run("observe", *mirrors, "--catalogue", str(own)).stdout
    # read once, it is written without any mirror
    assert "is written" in run("observe", "--catalogue", str(own), "--write").stdout
    first = (own / "observed.toml").read_text()
    assert f'change    = "{CHANGE}"' in first
    assert "says all of it already" in run("observe", *mirrors, "--catalogue", str(own), "--write").stdout
    assert (own / "observed.toml").read_text() == first


PROBE = """
import sys
before = set(sys.modules)
from bot.cli import main
code = main(sys.argv[1:])
sys.stdout.flush()
print(sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""


def test_a_lookup_knows_what_is_newer_and_opens_no_database(run: Run, tmp_path: Path) -> None:
    run("record", _issue(tmp_path, 901, "ann"), _issue(tmp_path, 902, "ben"))
    issue = _issue(tmp_path, 904, "cid")
    for _ in range(2):  # cold, and from the cache
        done = run("lookup", issue, "--json", program=PROBE)
        assert _json(done)["diagnoses"][0]["fix"]["disputed"] is True
        assert not {m.strip("' []") for m in done.stderr.split(",")} & NEVER
    assert run("lookup", issue, "--comment", code=1).stdout == ""


def test_what_is_similar_is_shown_as_such_and_never_in_a_comment(run: Run, tmp_path: Path) -> None:
    run("sync")
    run("record", _issue(tmp_path, 901, "ann"))
    text = "some pass has writable usage in one synchronization scope"
    assert "which does not make it the same" in run("similar", text).stdout
    found = _json(run("similar", text, "--most", "50", "--json"))["similar"]
    assert "microsoft/foundry-local#901" in [s["ref"] for s in found]
    assert run("similar", "zyzzyva quokka").stdout.startswith("Nothing similar")
    assert "Similar by its words" in run("lookup", text, "--similar", code=1).stdout
    assert _json(run("lookup", text, "--similar", "--json", code=1))["similar"] == found[:5]
    assert "stands in no comment" in run("lookup", text, "--similar", "--comment", code=2).stderr


def test_what_was_given_up_is_seen_and_tried_again(run: Run, url: str) -> None:
    assert run("db", "retry").stdout.strip() == "Nothing was given up."
    with closing(Store.at(url)) as store:
        version = store.want_comment("7#3", "body", (), "", NOW)
        store.comment_settled("7#3", version, error="GitHub answers 403: the issue is locked")
    said = "from bot.commands import doctor; print(*doctor._work(None), sep='\\n')"
    seen = run(program=said).stdout
    assert "GitHub answers 403: the issue is locked" in seen
    assert "`triage db retry`" in seen
    assert "7#3 comment: GitHub answers 403: the issue is locked\n1 are tried again" in run("db", "retry").stdout
    with closing(Store.at(url)) as store:
        assert store.comments_due(NOW) == ("7#3",)
