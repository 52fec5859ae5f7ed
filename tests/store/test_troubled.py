"""Work that does not get done, as both engines tell of it."""

from __future__ import annotations

from datetime import timedelta

from kb.records import Remembered
from kb.store import Store
from kb.store.conversations import Talk
from tests.store.conftest import NOW, later

EVENT = {"repo": "acme/engine", "repo_id": 7, "number": 3}


def test_events_that_wait_or_failed_until_their_issue_is_read(store: Store) -> None:
    id_ = store.receive("guid-1", "7#3", "issue", EVENT, NOW)
    assert id_ is not None
    assert store.stuck_events(later(minutes=30)) == ()
    (waits,) = store.stuck_events(later(hours=2))
    assert (waits.what, waits.error, waits.lost) == ("acme/engine#3", "", False)

    store.begin([id_], later(minutes=1))
    store.put_back([id_], "502", later(days=1), most=1)
    (lost,) = store.stuck_events(later(minutes=5))
    assert (lost.error, lost.lost) == ("502", True)
    store.remember_etag("read 7#3", Remembered(None), later(minutes=10))
    assert store.stuck_events(later(minutes=20)) == ()


def test_comments_that_cannot_be_written(store: Store) -> None:
    store.keep_talk(Talk("7#3", "acme/engine#3"), NOW)
    version = store.want_comment("7#3", "words", (), "", NOW)
    assert store.stuck_comments(NOW) == ()
    store.comment_put_off("7#3", version, "403", later(minutes=5), counts=False)
    (stuck,) = store.stuck_comments(NOW + timedelta(minutes=1))
    assert (stuck.what, stuck.error, stuck.lost) == ("acme/engine#3", "403", False)
    store.comment_settled("7#3", version)
    assert store.stuck_comments(later(days=1)) == ()
