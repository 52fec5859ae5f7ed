"""What maintainers called right often enough is proposed to leave shadow, once, as a diff that applies."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.watching.proposing import recompute
from kb.records import IssueRecord, SightingRecord
from kb.store import Store, upgrade
from kb.store.conversations import Talk

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
SIGNATURE = """\
schema = 1
id     = "torn-belt"
title  = "The belt is torn"
stage  = "shadow"

[match]
all = ["the flux belt is torn"]
"""
PROBLEM = """\
schema = 1
id     = "worn-belt"
title  = "It is worn"
cause  = "It is worn."
status = "reported"
[[symptom]]
signature = "torn-belt"
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "own"
    (folder / "signatures" / "belts").mkdir(parents=True)
    (folder / "problems").mkdir()
    (folder / "signatures" / "belts" / "torn-belt.toml").write_text(SIGNATURE)
    (folder / "problems" / "worn-belt.toml").write_text(PROBLEM)
    (folder / "upkeep.toml").write_text("promote_at = 2\n")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def test_two_right_words_propose_it_and_a_refusal_holds_until_there_is_another(own: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'triage.db'}"
    upgrade(url)
    store = Store.at(url)

    def seen(number: int, day: int) -> None:
        at = datetime(2026, 6, day, tzinfo=UTC)
        issue = IssueRecord(f"acme/belt#{number}", "It stops", "ann", False, at, at, True, "0.1.0")
        store.record_issue(issue, [SightingRecord("torn-belt", None, "certain", "d")], NOW)
        store.keep_talk(Talk(f"7#{number}", issue.ref, known=("worn-belt",)), NOW)

    def proposed() -> list[str]:
        recompute(store, [str(own)], lambda: NOW, lambda _: None)
        return [p.diff for p in store.proposals() if p.key == "promote torn-belt"]

    seen(1, 5)
    assert proposed() == []
    seen(2, 9)
    (diff,) = proposed()
    assert proposed() == [diff]
    store.settle_proposal("promote torn-belt", "refused", NOW)
    assert proposed() == []
    seen(3, 11)
    (diff,) = proposed()
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=own, check=True)
    text = (own / "signatures" / "belts" / "torn-belt.toml").read_text()
    assert "stage" not in text
    assert 'reviewed = { on = 2026-06-11, by = "reviewed sightings"' in text
    assert proposed() == []
    assert [p.key for p in store.proposals("taken")] == ["promote torn-belt"]
    store.close()
