"""What watchers write: each row with its source, nothing twice, nothing back in time."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from kb.records import (
    BundleRecord,
    EdgeRecord,
    JobRecord,
    ProposalRecord,
    ReleaseRecord,
    Remembered,
)
from kb.store import Store
from tests.store.conftest import NOW, later

TAG = ReleaseRecord("engine", "1.0.1", "2026-06-02", None, "acme/engine@v1.0.1")
PAGE = TAG._replace(date="2026-06-04", source="https://github.com/acme/engine/releases/tag/v1.0.1")
EDGE = EdgeRecord(
    "acme/engine#7", "engine", "1.0.1", True, "ancestry", "git acme/engine", "2026-06-02", "certain", "2026-06-05"
)
PROPOSAL = ProposalRecord("fixed torn engine", "problems/torn.toml", "torn is fixed in 1.0.1", "a tag", "-a\n+b\n")


def test_a_release_is_kept_by_each_source_that_states_it(store: Store) -> None:
    assert store.record_release(TAG, NOW) is True
    assert store.record_release(TAG, later(days=1)) is False
    assert store.record_release(PAGE, NOW) is True
    assert store.record_release(TAG._replace(note="no tag"), NOW) is True
    assert store.releases() == (TAG._replace(note="no tag"), PAGE)


def test_a_bundle_may_have_no_exact_version(store: Store) -> None:
    row = BundleRecord("tool", "3.0.0", "engine", None, "acme/tool@v3.0.0:deps.json")
    assert store.record_bundle(row, NOW)
    assert store.record_bundle(row._replace(component_version="1.0.0"), NOW)
    assert store.bundles() == (row._replace(component_version="1.0.0"),)


def test_an_earlier_reading_never_replaces_a_later_one(store: Store) -> None:
    assert store.record_edges([EDGE], NOW) == 1
    store.record_edges([EDGE._replace(carried=None, read_to="2026-06-03")], later(days=9))
    assert store.edges() == (EDGE,)
    reverted = EDGE._replace(carried=False, how="reverted", read_to="2026-06-06")
    assert store.record_edges([reverted], later(days=9)) == 1
    assert store.edges() == (reverted,)


def test_thousands_of_edges_are_written_in_one_go(store: Store) -> None:
    many = [EDGE._replace(version=f"1.{i}.0") for i in range(3000)]
    assert store.record_edges(many, NOW) == 3000
    assert store.record_edges(many, NOW) == 0
    assert len(store.edges()) == 3000


def test_what_a_server_said_is_remembered(store: Store) -> None:
    assert store.etag_of("https://x/releases") is None
    store.remember_etag("https://x/releases", Remembered('W/"1"'), NOW)
    store.remember_etag("https://x/releases", Remembered('W/"2"', None, "page 3"), NOW)
    assert store.etag_of("https://x/releases") == Remembered('W/"2"', None, "page 3")


def test_moments_come_back_aware_and_in_utc(store: Store) -> None:
    east = timezone(timedelta(hours=9))
    run = JobRecord("releases", NOW.astimezone(east), later(seconds=3), "ok", "", 4)
    store.record_job_run(run)
    store.record_job_run(run._replace(started_at=later(hours=1), ended_at=later(hours=1), outcome="failed"))
    newest, oldest = store.job_runs("releases")
    assert newest.outcome == "failed"
    assert oldest.started_at == NOW
    assert oldest.started_at.utcoffset() == timedelta(0)


def test_a_moment_without_a_time_zone_is_refused(store: Store) -> None:
    naive = datetime(2026, 7, 1)
    with pytest.raises(Exception, match="has no time zone"):
        store.record_job_run(JobRecord("releases", naive, naive, "ok"))
    assert store.job_runs() == ()


def test_one_proposal_of_a_key_is_open_and_a_refused_one_is_not_made_again(store: Store) -> None:
    assert store.record_proposal(PROPOSAL, NOW)
    assert not store.record_proposal(PROPOSAL, NOW)
    better = PROPOSAL._replace(diff="-a\n+c\n")
    assert store.record_proposal(better, NOW)
    assert store.proposals() == (better,)
    assert [p.state for p in store.proposals(None)] == ["superseded", "open"]
    assert store.settle_proposal(better.key, "refused", NOW)
    assert not store.settle_proposal(better.key, "refused", NOW)
    assert not store.record_proposal(better, NOW)
    assert store.proposals() == ()
    other = PROPOSAL._replace(key="another")
    store.record_proposal(other, later(seconds=1))
    shown = [(p.proposal.key, p.proposal.state, p.made_at, p.settled_at) for p in store.proposed(2)]
    assert shown == [("another", "open", later(seconds=1), None), (better.key, "refused", NOW, NOW)]

    assert store.reopen_proposal(better.key)
    assert not store.reopen_proposal(better.key)  # it is open
    assert store.proposals() == (better, other)
    assert store.settle_proposal(better.key, "taken", NOW)
    assert not store.reopen_proposal(better.key)
    assert not store.reopen_proposal("nothing")
