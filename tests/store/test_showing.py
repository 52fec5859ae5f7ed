"""What the board shows of issues beside their conversations."""

from __future__ import annotations

from kb.records import IssueRecord, SightingRecord
from kb.store import Store
from kb.store.conversations import Talk
from kb.store.showing import About
from tests.store.conftest import NOW


def test_title_comment_and_words_of_an_issue(store: Store) -> None:
    store.keep_talk(Talk("7#1", "owner/repo#1"), NOW)
    store.keep_talk(Talk("7#2", "owner/repo#2"), NOW)
    store.want_comment("7#1", "the comment", (), "", NOW)
    words = (("b", "x"), ("a", "y"), ("c", "x"))
    seen = [SightingRecord(name, "problem", "certain", "0", evidence=said) for name, said in words]
    store.record_issue(IssueRecord("owner/repo#1", "It stops", "someone", False, NOW, NOW, True, "1"), seen, NOW)

    about = store.about(["7#1", "7#2", "7#3"])
    assert about == {"7#1": About("It stops", True, "the comment", NOW), "7#2": About(changed_at=NOW)}
    assert store.evidence("owner/repo#1") == ("x", "y")
    assert store.evidence("owner/repo#2") == ()
