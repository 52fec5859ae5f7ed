"""The inbox, the outbox, and what may be forgotten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from kb.records import IssueRecord, JobRecord, ProposalRecord, Remembered, SightingRecord
from kb.store import Store
from kb.store.conversations import Deed, Talk
from kb.store.work import MOST_ATTEMPTS
from tests.store.conftest import NOW, later

LEASE = timedelta(minutes=5)
COMMENT = 2**31 + 4711  # GitHub counts its comments beyond 31 bits


def test_an_event_is_taken_in_once_however_often_it_comes(store: Store) -> None:
    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda _: store.receive("guid-1", "issues", {"n": 7}, NOW), range(12)))
    assert sorted(i is not None for i in ids) == [False] * 11 + [True]
    first = next(i for i in ids if i is not None)
    assert store.unfinished(NOW) == (first,)


def test_one_of_many_gets_the_event_and_a_lease_that_ran_out_frees_it(store: Store) -> None:
    id_ = store.receive("guid-1", "issues", {"n": 7}, NOW)
    assert id_ is not None
    with ThreadPoolExecutor(4) as pool:
        taken = [e for e in pool.map(lambda _: store.claim(id_, NOW, LEASE), range(8)) if e is not None]
    assert [(e.payload, e.attempts) for e in taken] == [({"n": 7}, 1)]
    assert store.unfinished(later(minutes=1)) == ()
    assert store.unfinished(later(minutes=5)) == (id_,)
    again = store.claim(id_, later(minutes=6), LEASE)
    assert again is not None
    assert again.attempts == 2
    store.finish(id_)
    assert store.claim(id_, later(hours=1), LEASE) is None
    assert store.receive("guid-1", "issues", {"n": 7}, later(hours=1)) is None


def test_an_event_that_failed_waits_and_is_given_up_in_the_end(store: Store) -> None:
    id_ = store.receive("guid-1", "issues", {}, NOW)
    assert id_ is not None
    for attempt in range(MOST_ATTEMPTS):
        at = later(hours=attempt)
        assert store.claim(id_, at, LEASE) is not None
        store.put_back(id_, "502", at + timedelta(minutes=30))
        assert store.claim(id_, at + timedelta(minutes=10), LEASE) is None
    assert store.claim(id_, later(days=9), LEASE) is None
    assert store.unfinished(later(days=9)) == ()


def test_ten_wishes_for_one_issue_are_one_comment(store: Store) -> None:
    versions = [store.want_comment("acme/tool#7", f"body {i}", (), f"d{i}", later(seconds=i)) for i in range(10)]
    assert versions == list(range(1, 11))
    assert store.want_comment("acme/tool#7", "body 9", (), "d9", NOW) == 10
    (due,) = store.due_comments(later(minutes=1), LEASE)
    assert (due.version, due.body) == (10, "body 9")
    assert store.due_comments(later(minutes=2), LEASE) == ()
    store.want_comment("acme/tool#7", "newer", ("triage: known-issue",), "d10", later(minutes=3))
    store.comment_settled("acme/tool#7", due.version)
    (next_,) = store.due_comments(later(minutes=4), LEASE)
    assert (next_.version, next_.labels) == (11, ("triage: known-issue",))
    store.comment_failed("acme/tool#7", "502", later(minutes=30))
    assert store.due_comments(later(minutes=10), LEASE) == ()
    assert len(store.due_comments(later(minutes=31), LEASE)) == 1


def test_what_is_old_and_settled_is_forgotten_and_nothing_else(store: Store) -> None:
    done, new = (store.receive(f"guid-{i}", "issues", {}, NOW) for i in range(2))
    assert done is not None
    store.finish(done)
    store.record_job_run(JobRecord("releases", NOW, NOW, "ok"))
    store.record_proposal(ProposalRecord("a", "f", "t", "w", "d"), NOW)
    store.record_proposal(ProposalRecord("b", "f", "t", "w", "d"), NOW)
    store.settle_proposal("b", "taken", NOW)
    store.remember_etag("k", Remembered("1"), NOW)
    for ref, is_open in (("acme/tool#1", True), ("acme/tool#2", False)):
        issue = IssueRecord(ref, "capacitor", None, False, None, None, is_open, "0.1.0")
        store.record_issue(issue, [SightingRecord("s", "p", "certain", "d", evidence="capacitor")], NOW)
    store.log(Deed(NOW, "acme/tool", "acme/tool#1", "command", "jane", "/triage why"))
    for talk in (Talk("7#1", "acme/tool#1", comment=COMMENT, heard=("1 why ",)), Talk("7#2", "acme/tool#2", off=True)):
        store.keep_talk(talk, NOW)
    for issue in ("7#1", "7#3"):
        store.comment_settled(issue, store.want_comment(issue, "body", (), "d", NOW))
    store.keep_talk(Talk("7#3", "acme/tool#3", heard=("2 why ",)), NOW)
    assert set(store.forget(later(days=1)).values()) == {0}
    gone = store.forget(later(days=2000))
    one = ("inbox", "job_run", "activity", "proposal", "remembered", "conversation", "outbox", "issue_seen")
    assert gone == dict.fromkeys(one, 1)
    assert {t.issue for t in store.talks()} == {"7#1", "7#2"}
    assert store.deeds() == ()
    assert store.unfinished(later(days=2000)) == (new,)
    assert [p.key for p in store.proposals(None)] == ["a"]
    assert [s.issue for s in store.sightings()] == ["acme/tool#1"]
    assert [s.ref for s in store.similar("capacitor")] == ["acme/tool#1"]


def test_a_comment_keeps_its_number_beyond_31_bits(store: Store) -> None:
    store.keep_talk(Talk("7#1", "acme/tool#1", installation=2**33, comment=COMMENT), NOW)
    talk = store.talk("7#1")
    assert talk is not None
    assert (talk.installation, talk.comment) == (2**33, COMMENT)
