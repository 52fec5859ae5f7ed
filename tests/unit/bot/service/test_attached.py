"""What one reading of an issue may cost, whatever is attached to it."""

from __future__ import annotations

from bot.service.attached import MAX_ATTACHMENTS, MAX_BYTES, MAX_TEXT, Attached
from bot.watched.attachments import MAX_BYTES as MAX_SENT
from bot.watched.attachments import MAX_READ, Attachment, Log


class Host:
    """Serves attachments, and counts what it had to open."""

    def __init__(self, text: str, size: int, gaps: tuple[tuple[int, int], ...] = ()) -> None:
        self.opened: list[str] = []
        self._text, self._size, self._gaps = text, size, gaps

    def __call__(self, url: str) -> Attachment:
        self.opened.append(url)
        return Attachment(url, f"{url}.zip", (Log(f"{url}.zip/a.log", self._text, self._gaps),), size=self._size)


URLS = tuple(map(str, range(15)))


def test_small_logs_are_all_read_and_the_newest_ten_of_more() -> None:
    host = Host("x", 1)
    found = Attached(host, URLS)

    assert host.opened == list(URLS[: -MAX_ATTACHMENTS - 1 : -1])
    assert [bool(found.take(url)) for url in URLS] == [False] * 5 + [True] * 10
    assert found.remarks == ["5 of 15 attachments, since they are many or large; the newest were"]
    assert Attached(host, URLS[:10]).remarks == []


def test_bytes_that_are_sent_and_unpacked_have_an_end() -> None:
    host = Host("x", 2 * MAX_SENT)
    found = Attached(host, URLS[:10])

    assert host.opened == ["9", "8"]
    assert len(host.opened) * 2 * MAX_SENT < MAX_BYTES + 2 * MAX_SENT
    assert found.remarks == ["8 of 10 attachments, since they are many or large; the newest were"]
    assert {u.what for u in found.unread} == set(URLS[:8])
    assert not any(u.for_now for u in found.unread)


def test_text_that_is_read_has_an_end_and_a_long_log_is_named() -> None:
    host = Host("x" * MAX_READ, MAX_READ, ((5, 9),))
    found = Attached(host, URLS[:4])
    taken = [log for url in URLS[:4] for log in found.take(url)]

    assert sum(len(log.text) for log in taken) == MAX_TEXT
    assert found.remarks == [
        "the middle of a long log, except lines that look like errors: 2.zip/a.log, 3.zip/a.log",
        "2 of 4 attachments, since they are many or large; the newest were",
    ]


def test_a_log_that_two_posts_name_is_read_once() -> None:
    found = Attached(Host("x", 1), ("1",))

    assert [len(found.take("1")), len(found.take("1"))] == [1, 0]
