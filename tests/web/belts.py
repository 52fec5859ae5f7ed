"""A rule in shadow in a folder of one's own, and reports that show it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from kb.records import IssueRecord, SightingRecord
from kb.store import Store

RULE = "torn-belt"
NOW = datetime(2026, 6, 24, 9, 30, tzinfo=UTC)
_SIGNATURE = """\
schema = 1
id     = "torn-belt"
title  = "The flux belt is torn"
stage  = "shadow"

[match]
all = ["the flux belt is torn"]
"""
_PROBLEM = """\
schema = 1
id     = "worn-belt"
title  = "It is worn"
cause  = "It is worn."
status = "reported"
refs   = ["acme/belt#1"]
[[symptom]]
signature = "torn-belt"
"""


def folder_with_a_rule(folder: Path) -> Path:
    """Also its file of upkeep: two right words are enough."""
    (folder / "signatures" / "belts").mkdir(parents=True)
    (folder / "problems").mkdir()
    (folder / "signatures" / "belts" / f"{RULE}.toml").write_text(_SIGNATURE)
    (folder / "problems" / "worn-belt.toml").write_text(_PROBLEM)
    (folder / "upkeep.toml").write_text('promote_at = 2\n[owners]\nbelts = ["jo"]\n')
    return folder


def saw(store: Store, number: int, title: str = "It stops", words: str = "E: the flux belt is torn") -> str:
    """The issue, which shows the rule; the higher its number, the earlier it was written."""
    at = NOW - timedelta(hours=number)
    ref = f"acme/belt#{number}"
    sighting = SightingRecord(RULE, None, "certain", "d", evidence=words)
    store.record_issue(IssueRecord(ref, title, "ann", False, at, at, True, "1"), [sighting], NOW)
    return ref
