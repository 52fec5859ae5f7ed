"""Lists whose pages are more than one answer may hold, from a server on loopback."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.forge import ForgeError, Threads, bounded
from tests.loopback import Answer, Asked, Handler, Server, serving

LIMIT = 20_000  # bytes of an answer, in these tests


def _thread(sizes: list[int]) -> Answer:
    """A thread of comments of so many characters each, in pages as GitHub makes them."""

    def answer(handler: Handler, asked: Asked) -> None:
        parts = urlsplit(asked.path)
        if not parts.path.endswith("/comments"):
            handler.give(200, json.dumps({"number": 1, "state": "open", "title": "x", "body": "x"}).encode())
            return
        query = parse_qs(parts.query)
        size, page = int(query["per_page"][0]), int(query.get("page", ["1"])[0])
        rows = [_comment(n, sizes[n]) for n in range(len(sizes))][(page - 1) * size : page * size]
        assert isinstance(handler.server, Server)
        more = page * size < len(sizes)
        link = f'<{handler.server.url}{parts.path}?per_page={size}&page={page + 1}>; rel="next"'
        handler.give(200, json.dumps(rows).encode(), **({"Link": link} if more else {}))

    return answer


def _comment(number: int, size: int) -> dict[str, Any]:
    return {"id": number + 1, "body": "x" * size, "user": {"login": "other"}}


def _read(sizes: list[int]) -> tuple[list[int], tuple[str, ...], int]:
    """(ids of the comments, what is said of the rest, number of requests)."""
    with serving(_thread(sizes)) as server:
        read = Threads(None, server.url, spacing=0).read("acme/engine", 1)
        return [c.id for c in read.comments], read.unread, len(server.asked)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "LARGEST", LIMIT)


def test_a_thread_of_large_comments_is_read_in_smaller_pages() -> None:
    ids, unread, requests = _read([10] * 100 + [900] * 45 + [10] * 150)

    assert ids == list(range(1, 296))
    assert unread == ()
    assert requests <= 2 + 1 + 10 + 2


def test_one_comment_that_is_too_large_is_passed_over_and_said() -> None:
    ids, unread, _ = _read([10] * 30 + [LIMIT] + [10] * 30)

    assert ids == [*range(1, 31), *range(32, 62)]
    assert unread == ("comment 31 of this thread, which is larger than is read",)


def test_the_last_comment_may_be_the_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ids, unread, _ = _read([10] * 3 + [LIMIT])

    assert ids == [1, 2, 3]
    assert len(unread) == 1


def test_a_thread_without_a_readable_comment_ends() -> None:
    with pytest.raises(ForgeError, match="more than"):
        _read([LIMIT] * 200)


def test_a_thread_is_cut_at_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.forge.threads.MOST_BYTES", 50_000)
    ids, unread, _ = _read([100] * 900)

    assert len(ids) < 900
    assert unread == (f"only the first {len(ids)} comments of this thread",)
