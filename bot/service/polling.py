"""Issues that changed, asked for: where no webhook arrives, and behind webhooks, since GitHub repeats no lost one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.service.desk import Desk
from bot.service.inbox import POLLED
from bot.service.running import ingest
from bot.watched.events import Event, Kind
from kb.records import Remembered

_OVERLAP = timedelta(minutes=5)  # GitHub's lists lag behind its clock


def poll(desk: Desk, repo: str, *, since: datetime | None = None) -> int:
    """Write an event down for each issue of owner/repo that changed since the last poll; how many were new.

    The first poll begins at this moment by GitHub's clock, so that old issues are left alone, or at `since`; what
    changed before is never asked for. Raises ForgeError.
    """
    threads = desk.threads(repo, None)
    place = desk.place(threads, repo)
    key = f"poll {place.id}"
    kept = desk.store.etag_of(key)
    # the first cursor is ahead of its moment by the overlap, so that no question ever reaches behind that moment
    if kept is not None and kept.cursor:
        start = _moment(kept.cursor)
    else:
        start = (since or threads.server_date() or desk.now()) + _OVERLAP
    asked = (start - _OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
    items, etag = threads.changed_issues(place.repo, asked, kept.etag if kept is not None and since is None else None)
    new = 0
    for item in items:
        event = Event(Kind.ISSUE, POLLED, place.repo, place.id, item.number, updated_at=item.stamp)
        new += ingest(desk, f"poll {place.id}#{item.number} {item.stamp}", event)
    last = max((_moment(i.updated_at) for i in items), default=start)
    desk.store.remember_etag(key, Remembered(etag, None, last.isoformat()), desk.now())
    return new


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
