"""From reports of a failure in shadow to its promotion, and what is stale: a real store, a folder of one's own."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.test_own_catalogue import LOG

ID = "flux-charge-refused"


@pytest.fixture
def run_here(run: Run, tmp_path: Path) -> Run:
    """With a store, and a signature in shadow in a folder of one's own."""
    (tmp_path / "flux.log").write_text(LOG)

    def _run(*arguments: str | bytes, code: int = 0, **more: Any) -> Any:
        done = run(*arguments, "--catalogue", "mine", TRIAGE_DATABASE_URL=f"sqlite:///{tmp_path}/triage.db", **more)
        assert done.returncode == code, done.stderr.decode()
        return done

    _run("new", ID, "--from", "flux.log", "--problem", "--cause", "Wired backwards.")
    return _run


def reported(run_here: Run, tmp_path: Path, number: int, day: str, *said: str) -> str:
    issue = {
        "title": "It does not charge",
        "author": {"login": f"user{number}"},
        "state": "OPEN",
        "createdAt": f"{day}T10:00:00Z",
        "url": f"https://github.com/acme/flux/issues/{number}",
        "body": f"```\n{LOG}```\n",
        "comments": [],
    }
    (tmp_path / f"{number}.json").write_text(json.dumps(issue))
    return run_here("record", f"{number}.json", *said).stdout.decode()


def shadow(run_here: Run) -> dict[str, Any]:
    (row,) = json.loads(run_here("list", "--shadow", "--json").stdout)["shadow"]
    assert isinstance(row, dict)
    return row


def test_reviewed_reports_are_counted_until_somebody_promotes_it(run_here: Run, tmp_path: Path) -> None:
    right = ("--maintainer", "jo", "--says", "right")
    assert f"{ID}: certain, in shadow" in reported(run_here, tmp_path, 1, "2026-05-01", *right)
    reported(run_here, tmp_path, 2, "2026-05-03", *right, "--about", ID)
    reported(run_here, tmp_path, 3, "2026-05-02", "--maintainer", "ann", "--says", "wrong", "--about", ID)
    reported(run_here, tmp_path, 4, "2026-05-04", *right, "--about", "fl-ep-not-registered")

    row = shadow(run_here)
    assert (row["issues"], row["last_seen"]) == (4, "2026-05-04")
    assert (row["right"], row["wrong"]) == (["acme/flux#1", "acme/flux#2"], ["acme/flux#3"])
    reported(run_here, tmp_path, 2, "2026-05-03", "--maintainer", "jo", "--says", "nothing", "--about", ID)
    assert shadow(run_here)["right"] == ["acme/flux#1"]
    reported(run_here, tmp_path, 2, "2026-05-03", *right, "--about", ID)
    assert "right in 2, wrong in 1" in run_here("list", "--shadow").stdout.decode()
    # counted, and no sighting of a problem
    board = json.loads(run_here("status", ID, "--json").stdout)["board"]
    assert all(row["open_sightings"] == 0 for row in board)

    done = run_here("promote", ID, "--by", "jane")
    assert b"maintainers called it wrong in acme/flux#3" in done.stderr
    assert b"Seen in 4 reports; reviewed right in 2, wrong in 1." in done.stdout
    assert json.loads(run_here("list", "--shadow", "--json").stdout)["shadow"] == []
    assert "1 kept" in reported(run_here, tmp_path, 5, "2026-05-05")
    assert run_here("list", "signatures", ID).stdout.decode().count("in shadow") == 0


def test_what_is_overdue_or_unseen_is_listed_with_its_owner(run_here: Run, tmp_path: Path) -> None:
    run_here("promote", ID, "--by", "jane")
    (file,) = (tmp_path / "mine" / "signatures").rglob("*.toml")
    file.write_text(file.read_text().replace("[match]", "review_by = 2026-06-30\n[match]", 1))
    assert "review_by" in tomllib.loads(file.read_text())
    (tmp_path / "mine" / "upkeep.toml").write_text('[owners]\nown = ["jo"]\n')
    reported(run_here, tmp_path, 1, "2020-05-01")

    told = json.loads(run_here("list", "--stale", "--json").stdout)
    row = next(r for r in told["stale"] if r["id"] == ID)
    assert (row["owners"], row["review_by"], row["last_seen"]) == (["jo"], "2026-06-30", "2020-05-01")
    assert row["why"][0] == "was to be looked at by 2026-06-30"
    assert row["why"][1].startswith("not seen for ")
    page = run_here("list", "--stale").stdout.decode()
    assert f"{ID} (signature)" in page
    assert "owner          jo" in page
    far = json.loads(run_here("list", "--stale", "--unseen", "36500", "--json").stdout)["stale"]
    assert next(r["why"] for r in far if r["id"] == ID) == ["was to be looked at by 2026-06-30"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("list", "--unseen", "9"), b"belongs to --stale"),
        (("list", "--stale", "--unseen", "0"), b"from 1 on"),
        (("list", "--stale", "webgpu"), b"leave the words out"),
        (("list", "--stale", "--shadow"), b"not allowed with"),
        (("record", "1.json", "--about", "x"), b"--maintainer LOGIN --says"),
        (("record", "1.json", "--maintainer", "jo", "--says", "right", "--about", ID[:-1]), b"near it: flux-charge-"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(run_here: Run, arguments: tuple[str, ...], words: bytes) -> None:
    assert words in run_here(*arguments, code=2).stderr
