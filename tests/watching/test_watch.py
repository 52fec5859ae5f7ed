"""Watching from end to end: real repositories, a stateful GitHub, a real store; what is proposed applies."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from github.Repository import Repository

from bot.cli import main
from tests.forge.conftest import TOKEN, github_url, pull, release, upstream
from tests.upstream.story import Story

__all__ = ["github_url", "upstream"]  # fixtures

_PROBLEM = """\
schema = 1
id     = "torn"
title  = "Torn"
cause  = "It is."
status = "confirmed"
refs   = ["acme/engine#5"]

[[symptom]]
signature = "webgpu-buffer-usage-conflict"

[[affected]]
component  = "engine"
introduced = "1.0.0"  # seen by bisecting
ref        = "acme/engine#5"

[[fix]]
kind  = "commit"
state = "candidate"
all   = ["CHANGE"]
"""


class Watched:
    """A folder of one's own knowledge of one repository, watched."""

    def __init__(self, root: Path, repo: str, change: int) -> None:
        self.own = root / "own"
        self.repo = repo
        self.change = f"{repo}#{change}"
        self.remote = root / "remotes" / f"{repo}.git"
        self.remote.parent.mkdir(parents=True)
        (self.own / "products").mkdir(parents=True)
        (self.own / "problems").mkdir()
        (self.own / "products" / "engine.toml").write_text(
            'schema = 1\nid = "engine"\ntitle = "Engine"\nscheme = "pep440"\naliases = ["acme-engine"]\n'
            f'repo = "{repo}"\n\n[[layout]]\ntag = "v{{version}}"\nversion_file = "VERSION_INFO"\n'
        )
        (self.own / "problems" / "torn.toml").write_text(_PROBLEM.replace("CHANGE", self.change))
        subprocess.run(["git", "init", "--quiet"], cwd=self.own, check=True)

    def push(self, story: Story) -> None:
        story.write(self.remote)
        for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
            subprocess.run(["git", "-C", str(self.remote), "config", key, "true"], check=True)

    def look(self, code: int = 0) -> None:
        assert main(["watch", "--once", self.repo, "--catalogue", str(self.own)]) == code


@pytest.fixture
def watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, github_url: str, upstream: Repository
) -> tuple[Watched, Repository, int]:
    number = pull(upstream, "Mend part 7 of the runtime", "mend")
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRIAGE_DATABASE_URL", f"sqlite:///{tmp_path}/store/triage.db")
    monkeypatch.setenv("GITHUB_API_URL", github_url)
    monkeypatch.setenv("GITHUB_SERVER_URL", f"file://{tmp_path}/remotes")
    monkeypatch.setenv("TRIAGE_GITHUB_TOKEN", TOKEN)
    return Watched(tmp_path, upstream.full_name, number), upstream, number


def _story(number: int) -> tuple[Story, int]:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.fork("rel-1.0.0", 1)
    story.release("1.0.0", on="rel-1.0.0", day="2026-01-02")
    return story, number


def _proposals(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    capsys.readouterr()
    main(["proposals", "--json"])
    told: Any = json.loads(capsys.readouterr().out)
    assert told["schema"] == 1
    rows: list[dict[str, str]] = told["proposals"]
    return rows


def _keys(rows: list[dict[str, str]]) -> set[str]:
    return {r["key"].split(" ")[0] for r in rows}


def test_a_candidate_is_merged_then_released_and_every_step_is_proposed(
    watched: tuple[Watched, Repository, int], capsys: pytest.CaptureFixture[str]
) -> None:
    mine, github, number = watched
    story, _ = _story(number)
    mine.push(story)
    mine.look()
    first = _proposals(capsys)
    assert _keys(first) == {"observed"}  # 1.0.0 is seen for the first time
    assert "engine 1.0.0" in first[0]["title"]
    assert main(["trace", mine.change, "--catalogue", str(mine.own), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "open"

    github.get_pull(number).merge()
    story.change(number, day="2026-01-05")
    mine.push(story)
    mine.look()
    assert "proposed: torn: the candidate" in capsys.readouterr().out
    assert _keys(_proposals(capsys)) == {"observed", "merged"}

    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-02-01")
    mine.push(story)
    release(github, "1.1.0")
    mine.look()
    rows = {r["key"].split(" ")[0]: r for r in _proposals(capsys)}
    assert set(rows) == {"observed", "released", "fixed"}
    assert rows["released"]["file"] == "problems/torn.toml"

    for kind in ("released", "fixed", "observed"):
        main(["proposals", "show", rows[kind]["id"]])
        diff = capsys.readouterr().out
        subprocess.run(["git", "apply"], input=diff, text=True, cwd=mine.own, check=True)
    text = (mine.own / "problems" / "torn.toml").read_text()
    assert 'introduced = "1.0.0"  # seen by bisecting\n' in text
    assert 'fixed      = "1.1.0"' in text
    assert 'state = "released"' in text
    day = github.get_release("v1.1.0").published_at.date().isoformat()
    assert f"date    = {day}" in (mine.own / "observed.toml").read_text()  # of publication, not of the tag
    mine.look()
    assert _keys(_proposals(capsys)) == {"merged-at"}  # by its state, the day of the merge can be filled in
    assert main(["validate", "torn", "--catalogue", str(mine.own)]) == 0


def test_nothing_new_proposes_nothing_new_and_a_refused_edit_stays_refused(
    watched: tuple[Watched, Repository, int], capsys: pytest.CaptureFixture[str]
) -> None:
    mine, github, number = watched
    github.get_pull(number).edit(state="closed")
    mine.push(_story(number)[0])
    before = (mine.own / "problems" / "torn.toml").read_bytes()
    mine.look()
    rows = _proposals(capsys)
    assert _keys(rows) == {"observed", "closed"}
    mine.look()
    assert "proposed" not in capsys.readouterr().out
    refused = next(r for r in rows if r["key"].startswith("closed"))
    assert main(["proposals", "refuse", refused["id"]]) == 0
    mine.look()
    assert _keys(_proposals(capsys)) == {"observed"}
    assert main(["proposals", "--settled", "--json"]) == 0
    assert [r["state"] for r in json.loads(capsys.readouterr().out)["proposals"]] == ["refused"]
    assert main(["proposals", "reopen", refused["id"]]) == 0
    assert _keys(_proposals(capsys)) == {"observed", "closed"}
    assert main(["proposals", "reopen", refused["id"]]) == 2
    assert (mine.own / "problems" / "torn.toml").read_bytes() == before  # never edited


def test_a_new_family_of_tags_is_proposed_and_known_ones_are_not(
    watched: tuple[Watched, Repository, int], capsys: pytest.CaptureFixture[str]
) -> None:
    mine, _, number = watched
    story, _ = _story(number)
    story.tag("nightly-2026.1.1", 1)
    mine.push(story)
    mine.look()
    assert "family" not in _keys(_proposals(capsys))
    story.tag("cli-preview-0.1.0", story.change(99, day="2026-03-01"))
    mine.push(story)
    mine.look()
    row = next(r for r in _proposals(capsys) if r["key"].startswith("family"))
    assert row["file"] == "products/engine.toml"
    assert '+tag = "cli-preview-{version}"' in row["diff"]


def test_a_remote_that_is_gone_is_said_and_the_rest_goes_on(
    watched: tuple[Watched, Repository, int], capsys: pytest.CaptureFixture[str]
) -> None:
    mine, github, _ = watched
    release(github, "1.0.0")
    mine.look(2)  # nothing was pushed
    err = capsys.readouterr().err
    assert f"{mine.repo}: file://" in err
    assert "cannot be fetched" in err
    rows = _proposals(capsys)
    assert "engine 1.0.0" in rows[0]["title"]  # GitHub's word came all the same


def test_a_release_that_is_taken_down_has_no_day_any_more(
    watched: tuple[Watched, Repository, int], capsys: pytest.CaptureFixture[str]
) -> None:
    mine, github, number = watched
    mine.push(_story(number)[0])
    release(github, "1.0.0")
    mine.look()
    github.get_release("v1.0.0").delete_release()
    mine.look()
    assert main(["trace", mine.change, "--catalogue", str(mine.own), "--json"]) == 0
    capsys.readouterr()
    rows = _proposals(capsys)
    assert "date    = 2026-01-02" in next(r for r in rows if r["key"] == "observed")["diff"]


def test_a_trace_asks_github_when_told_to_and_goes_on_where_it_cannot(
    watched: tuple[Watched, Repository, int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mine, github, number = watched
    mine.push(_story(number)[0])
    release(github, "1.0.0")
    command = ["trace", mine.change, "--catalogue", str(mine.own), "--mirror", f"{mine.repo}={mine.remote}", "--json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "unknown"
    assert main([*command, "--online"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["state"], told["title"]) == ("open", "Mend part 7 of the runtime")
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    assert main([*command, "--online"]) == 0
    assert "GitHub cannot be reached" in capsys.readouterr().err


def test_what_is_no_use_is_refused(watched: object, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        (["watch", "--once", "somebody/else"], "is no repository of a product"),
        (["watch", "--every", "0.1"], "is not polite"),
        (["proposals", "show"], "want the ID"),
        (["proposals", "show", "12345678"], "no open proposal"),
    ):
        assert main(arguments) == 2
        assert words in capsys.readouterr().err
    assert main(["proposals"]) == 0
