"""What an issue's reporter attached, within what one reading may cost: the newest first, the rest is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from bot.watched.attachments import MAX_READ, MIB, Attachment, Log

MAX_ATTACHMENTS = 10  # of one issue
MAX_TEXT = 2 * MAX_READ  # characters of logs that are read for one issue
MAX_BYTES = 60 * MIB  # sent and unpacked for one issue, before another attachment is opened
_NAMED = 3  # in a remark


class Unread(NamedTuple):
    """One thing that could not be read. `what` names it, `why` is a sentence; `for_now`: asking later may help."""

    what: str
    why: str
    for_now: bool


class Attached:
    """Opens the attachments at `urls`, which are in the order of the thread, by `read`. `remarks`: what is not read of
    them; `unread`: those of which nothing is."""

    def __init__(self, read: Callable[[str], Attachment], urls: tuple[str, ...]) -> None:
        self._logs: dict[str, tuple[Log, ...]] = {}
        self.unread: list[Unread] = []
        self._read = read
        self._text, self._bytes = MAX_TEXT, MAX_BYTES
        found = [self._open(url) for url in urls[: -MAX_ATTACHMENTS - 1 : -1]][::-1]
        self.remarks = [a.why for a in found if a is not None and a.why]
        read_in_part = [name for a in found if a is not None and self._logs.get(a.url) for name in a.excerpts]
        names = list(dict.fromkeys(read_in_part))
        if names:
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            shown = ", ".join(names[:_NAMED])
            self.remarks.append(f"the middle of a long log, except lines that look like errors: {shown}{more}")
        closed = len(urls) - sum(a is not None for a in found)
        if closed:
            self.remarks.append(f"{closed} of {len(urls)} attachments, since they are many or large; the newest were")

    def take(self, url: str) -> tuple[Log, ...]:
        """The logs behind an address, for the first post that has it."""
        return self._logs.pop(url, ())

    def _open(self, url: str) -> Attachment | None:
        """An attachment, or None where there is no room for another one."""
        if self._bytes <= 0 or self._text <= 0:
            self.unread.append(Unread(url, "there is more than is read of one issue", for_now=False))
            return None
        found = self._read(url)
        self._bytes -= found.size
        size = sum(len(log.text) for log in found.logs)
        if not found.fetched:
            self.unread.append(Unread(url, found.why, found.for_now))
        elif size > self._text:
            self.unread.append(Unread(url, "there is more than is read of one issue", for_now=False))
            return None
        self._text -= size
        if found.logs:
            self._logs[url] = found.logs
        return found
