"""Rows of a repository that is called something else by now."""

from __future__ import annotations

from kb.records import FindingRecord, IssueRecord, SightingRecord
from kb.store import Store
from kb.store.conversations import Deed, Talk
from tests.store.conftest import NOW, later


def keep(store: Store, number: int, ref: str, what: str = "posted") -> None:
    repo, _, issue = ref.partition("#")
    store.keep_talk(Talk(f"{number}#{issue}", ref, 5), NOW)
    store.log(Deed(NOW, repo, ref, what, "", ""))
    seen = [SightingRecord("signature", "problem", "certain", "0", evidence="x", product="p", product_version="1")]
    found = [FindingRecord("check", "artifact", "found", "y")]
    store.record_issue(IssueRecord(ref, "It stops", "someone", False, NOW, NOW, True, "1"), seen, NOW, findings=found)
    store.record_verdict(ref, "jane", "right", maintainer=True, at=NOW)


def test_everything_goes_with_the_name(store: Store) -> None:
    keep(store, 7, "owner/repo#1")
    keep(store, 7, "owner/repo#12")
    keep(store, 8, "owner/repo-two#1")
    store.repository_called(8, "owner/repo-two")
    store.repository_called(7, "Owner/_%")
    store.repository_called(7, "Owner/_%")

    assert {t.issue: t.ref for t in store.talks()} == {
        "7#1": "Owner/_%#1",
        "7#12": "Owner/_%#12",
        "8#1": "owner/repo-two#1",
    }
    assert {d.issue for d in store.deeds(repo="Owner/_%")} == {"Owner/_%#1", "Owner/_%#12"}
    assert store.deeds(repo="owner/repo") == ()
    assert store.done_since(later(hours=-1), "posted", installation=(5,)) == 3
    assert sorted(s.issue for s in store.sightings()) == ["Owner/_%#1", "Owner/_%#12", "owner/repo-two#1"]
    assert store.evidence("Owner/_%#12") == ("x",)
    assert store.check() == ()


def test_a_name_that_another_one_took_over_is_not_shared(store: Store) -> None:
    keep(store, 7, "owner/repo#1", "wrong")
    store.repository_called(9, "owner/repo")
    keep(store, 9, "owner/repo#1")
    assert [d.what for d in store.deeds(repo="owner/repo")] == ["posted"]
    store.repository_called(7, "owner/before")

    assert {t.issue: t.ref for t in store.talks()} == {"7#1": "owner/before#1", "9#1": "owner/repo#1"}
    assert [d.what for d in store.deeds(repo="owner/before")] == ["wrong"]
    assert [d.what for d in store.deeds(repo="owner/repo")] == ["posted"]
    assert {s.issue for s in store.sightings()} == {"owner/before#1", "owner/repo#1"}


def test_what_stands_under_the_new_name_already_gives_way(store: Store) -> None:
    store.record_issue(IssueRecord("owner/new#1", "by hand", None, False, NOW, NOW, True, "1"), [], NOW)
    store.record_issue(IssueRecord("owner/new#2", "by hand", None, False, NOW, NOW, True, "1"), [], NOW)
    keep(store, 7, "owner/old#1")
    store.repository_called(7, "owner/new")

    assert [s.issue for s in store.sightings()] == ["owner/new#1"]
    assert store.about(["7#1"])["7#1"].title == "It stops"
    assert store.record_verdict("owner/new#2", "jane", "right", maintainer=True, at=NOW)
