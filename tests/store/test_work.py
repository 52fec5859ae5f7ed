"""The inbox, the outbox, and what may be forgotten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from kb.records import IssueRecord, JobRecord, ProposalRecord, Remembered, SightingRecord
from kb.store import Store
from kb.store.conversations import Deed, Overtaken, Talk
from kb.store.work import MOST_ATTEMPTS, Failed, Wanted
from tests.store.conftest import NOW, later

LEASE = timedelta(minutes=5)
COMMENT = 2**31 + 4711  # GitHub counts its comments beyond 31 bits


def receive(store: Store, delivery: str, issue: str = "7#1") -> int:
    id_ = store.receive(delivery, issue, "issue", {"n": delivery}, NOW)
    assert id_ is not None
    return id_


def test_an_event_is_taken_in_once_however_often_it_comes(store: Store) -> None:
    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda _: store.receive("guid-1", "7#1", "issue", {"n": 7}, NOW), range(12)))
    assert sorted(i is not None for i in ids) == [False] * 11 + [True]
    (event,) = store.events_due("7#1", NOW)
    assert (event.id, event.payload, event.attempts) == (next(i for i in ids if i is not None), {"n": 7}, 0)


def test_one_of_many_gets_the_issue_until_it_is_let_go_or_the_lease_ran_out(store: Store) -> None:
    owners = [f"process {n}" for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda owner: store.take_lease("7#1", owner, NOW, LEASE), owners))
    assert got.count(True) == 1
    first = owners[got.index(True)]
    assert store.take_lease("7#2", "another", NOW, LEASE)
    assert store.take_lease("7#1", first, NOW, LEASE)
    assert [store.is_taken("7#1", later(minutes=m), LEASE) for m in (0, 5)] == [True, False]
    assert store.keep_lease("7#1", first, later(minutes=4), LEASE)
    assert not store.take_lease("7#1", "late", later(minutes=8), LEASE)
    assert store.take_lease("7#1", "late", later(minutes=9), LEASE)
    assert not store.keep_lease("7#1", first, later(minutes=9), LEASE)
    store.end_lease("7#1", first)
    assert not store.take_lease("7#1", first, later(minutes=10), LEASE)
    store.end_lease("7#1", "late")
    assert store.take_lease("7#1", first, later(minutes=10), LEASE)


def test_nobody_writes_over_a_conversation_that_he_has_not_read(store: Store) -> None:
    first = store.keep_talk(Talk("7#1", "acme/tool#1"), NOW)
    with pytest.raises(Overtaken):
        store.keep_talk(Talk("7#1", "acme/tool#1", off=True), NOW)
    store.keep_talk(first._replace(off=True), NOW, (4711, ("off ",)))
    with pytest.raises(Overtaken):
        store.keep_talk(first._replace(approved=True), NOW, (4712, ("post ",)))
    talk = store.talk("7#1")
    assert talk is not None
    assert (talk.off, talk.approved, talk.revision) == (True, False, 2)
    assert store.heard("7#1") == {4711: ("off ",)}

    def write(n: int) -> bool:
        try:
            store.keep_talk(talk._replace(said=str(n)), NOW)
        except Overtaken:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(8))).count(True) == 1


def test_the_events_of_an_issue_are_one_piece_of_work(store: Store) -> None:
    ids = [receive(store, f"guid-{n}", f"7#{n % 2}") for n in range(6)]
    assert store.issues_due(NOW) == ("7#0", "7#1")
    assert [e.id for e in store.events_due("7#1", NOW)] == ids[1::2]
    store.begin(ids[1::2], later(seconds=30))
    assert store.issues_due(NOW) == ("7#0",)  # whatever happens to the process meanwhile
    assert store.issues_due(later(seconds=30)) == ("7#0", "7#1")
    store.finish(ids[1::2])
    assert store.issues_due(later(hours=1)) == ("7#0",)
    assert (store.is_waiting("7#0"), store.is_waiting("7#1")) == (True, False)


def test_an_event_that_failed_waits_is_given_up_and_is_revived(store: Store) -> None:
    id_ = receive(store, "guid-1")
    for attempt in range(MOST_ATTEMPTS):
        at = later(hours=attempt)
        assert [e.attempts for e in store.events_due("7#1", at)] == [attempt]
        store.begin([id_], at)
        store.put_back([id_], "a limit", at, counts=False)
        store.begin([id_], at)
        store.put_back([id_], "502", at + timedelta(minutes=30))
        assert store.issues_due(at + timedelta(minutes=10)) == ()
    assert store.issues_due(later(days=9)) == ()
    assert store.failed() == (Failed("7#1", "issue", "502"),)
    assert store.is_waiting("7#1")
    store.finish([id_])  # by somebody who was late
    assert store.revive() == 1
    assert store.issues_due(NOW) == ("7#1",)
    assert store.failed() == ()


def test_ten_wishes_for_one_issue_are_one_comment(store: Store) -> None:
    versions = [store.want_comment("7#1", f"body {i}", (), f"d{i}", later(seconds=i)) for i in range(10)]
    assert versions == list(range(1, 11))
    assert store.want_comment("7#1", "body 9", (), "d9", NOW) == 10
    assert store.comments_due(later(minutes=1)) == ("7#1",)
    due = store.wanted("7#1", later(minutes=1))
    assert due == Wanted("7#1", 10, "body 9", (), "d9", 0)
    store.want_comment("7#1", "newer", ("triage: known-issue",), "d10", later(minutes=3))
    store.comment_settled("7#1", 10, "what decided on the tenth")
    newer = store.wanted("7#1", later(minutes=4))
    assert newer == Wanted("7#1", 11, "newer", ("triage: known-issue",), "d10", 0)
    store.comment_put_off("7#1", 11, "502", later(minutes=30))
    assert store.wanted("7#1", later(minutes=10)) is None
    assert store.comments_due(later(minutes=10)) == ()
    assert store.wanted("7#1", later(minutes=31)) == newer._replace(attempts=1)


def test_the_same_words_are_due_again_where_what_decides_on_them_has_changed(store: Store) -> None:
    version = store.want_comment("7#1", "body", (), "open", NOW)
    store.comment_settled("7#1", version, "closed")
    assert store.want_comment("7#1", "body", (), "closed", NOW) == version
    assert store.wanted("7#1", NOW) is None
    assert store.want_comment("7#1", "body", (), "open", NOW) == version + 1
    assert store.wanted("7#1", NOW) is not None


def test_a_comment_that_was_given_up_is_tried_again_when_it_is_wanted_again_or_revived(store: Store) -> None:
    version = store.want_comment("7#1", "body", (), "", NOW)
    for again in (lambda: store.want_comment("7#1", "body", (), "", NOW), store.revive):
        store.comment_settled("7#1", version, error="the issue is locked")
        assert store.failed() == (Failed("7#1", "comment", "the issue is locked"),)
        assert store.wanted("7#1", later(days=9)) is None
        again()
        version += 1
        assert store.wanted("7#1", NOW) == Wanted("7#1", version, "body", (), "", 0)
        assert store.failed() == ()


def test_what_is_old_and_settled_is_forgotten_and_nothing_else(store: Store) -> None:
    done, new = receive(store, "guid-0"), receive(store, "guid-1")
    store.finish([done])
    store.take_lease("7#1", "killed", NOW, LEASE)
    store.record_job_run(JobRecord("releases", NOW, NOW, "ok"))
    store.record_proposal(ProposalRecord("a", "f", "t", "w", "d"), NOW)
    store.record_proposal(ProposalRecord("b", "f", "t", "w", "d"), NOW)
    store.settle_proposal("b", "taken", NOW)
    store.remember_etag("k", Remembered("1"), NOW)
    for ref, is_open in (("acme/tool#1", True), ("acme/tool#2", False)):
        issue = IssueRecord(ref, "capacitor", None, False, None, None, is_open, "0.1.0")
        store.record_issue(issue, [SightingRecord("s", "p", "certain", "d", evidence="capacitor")], NOW)
    store.log(Deed(NOW, "acme/tool", "acme/tool#1", "command", "jane", "/triage why"))
    spoke, ended, old = Talk("7#1", "a#1", comment=COMMENT), Talk("7#2", "a#2", off=True), Talk("7#4", "a#4", old=True)
    for talk in (spoke, ended, old):
        store.keep_talk(talk, NOW, (1, ("why ",)))
    for issue in ("7#1", "7#3"):
        store.comment_settled(issue, store.want_comment(issue, "body", (), "d", NOW))
    store.keep_talk(Talk("7#3", "a#3"), NOW, (2, ("why ",)))
    assert set(store.forget(later(days=1)).values()) == {0}
    gone = store.forget(later(days=2000))
    one = (
        "inbox",
        "issue_lease",
        "job_run",
        "activity",
        "proposal",
        "remembered",
        "conversation",
        "outbox",
        "issue_seen",
    )
    assert gone == dict.fromkeys(one, 1)
    assert {t.issue for t in store.talks()} == {"7#1", "7#2", "7#4"}
    assert (store.heard("7#1"), store.heard("7#3")) == ({1: ("why ",)}, {})
    assert store.deeds() == ()
    assert [e.id for e in store.events_due("7#1", later(days=2000))] == [new]
    assert [p.key for p in store.proposals(None)] == ["a"]
    assert [s.issue for s in store.sightings()] == ["acme/tool#1"]
    assert [s.ref for s in store.similar("capacitor")] == ["acme/tool#1"]


def test_a_comment_keeps_its_number_beyond_31_bits(store: Store) -> None:
    store.keep_talk(Talk("7#1", "acme/tool#1", installation=2**33, comment=COMMENT), NOW)
    talk = store.talk("7#1")
    assert talk is not None
    assert (talk.installation, talk.comment) == (2**33, COMMENT)


def test_what_a_clock_that_was_ahead_took_or_put_off_is_free_and_due_by_the_right_one(store: Store) -> None:
    id_ = receive(store, "a")
    ahead = later(days=1500)
    assert store.take_lease("7#1", "killed", ahead, LEASE)
    store.begin([id_], ahead)
    store.want_comment("7#1", "words", (), "", ahead, ahead)
    assert not store.is_taken("7#1", NOW, LEASE)
    assert store.take_lease("7#1", "second", NOW, LEASE)
    assert store.issues_due(NOW) == store.comments_due(NOW) == ("7#1",)
    assert [s.what for s in store.stuck_comments(NOW)] == ["7#1"]

    store.put_off([id_], "a limit", later(hours=24))
    store.comment_put_off("7#1", 1, "a budget", later(hours=24))
    assert store.issues_due(NOW) == store.comments_due(NOW) == ()
    assert not store.take_lease("7#1", "a little behind", NOW - timedelta(minutes=5), LEASE)
