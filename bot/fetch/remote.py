"""A Source on a file behind HTTP: reads ranges, and says exactly what a server did that it should not have.

A server that ignores ranges is read once from the start, up to a cap. Nothing is taken for an answer that does not
say which bytes it holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from bot.fetch.client import PASSES, Client, Dropped
from bot.fetch.guard import ForNow
from bot.fetch.ranges import Ranges, Store
from signatures.artifact.source import FIRST_AHEAD, LimitReached, SourceError

if TYPE_CHECKING:
    import httpx2

STREAM_CAP = 64 * 1024 * 1024  # bytes held of a file whose server ignores ranges
_ATTEMPTS = 3
_PAUSE = 0.5  # seconds before the second attempt, doubled before the third
_EXPIRED = frozenset({401, 403, 404, 410})
_CHUNK = 64 * 1024


class RemoteFile:
    """One file behind a URL. `size` is None until an answer says it. `identity` names the content (a hash), where the
    listing knows it; else a strong entity tag does, and without one nothing is kept between runs."""

    def __init__(
        self,
        client: Client,
        url: str,
        name: str,
        *,
        size: int | None = None,
        identity: str | None = None,
        store: Store | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.size = size
        self.requests = 0
        self.bytes_read = 0
        self._client = client
        self._url = self._at = url
        self._store = store
        self._sleep = sleep
        self._tag: str | None = None
        self._key: str | None = None
        self._ranges = Ranges()
        self._stream: _Stream | None = None
        if identity is not None:
            self._know(identity)

    def probe(self) -> None:
        """Ask for the beginning, so that the size is known and a file that is not there is noticed."""
        if self.size is None:
            self.read(0, FIRST_AHEAD)

    def read(self, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0:
            raise SourceError("negative offset or length", offset=offset, name=self.name)
        if self.size is not None:
            length = max(0, min(length, self.size - offset))
        if length == 0:
            return b""
        self._in_time(offset)
        held = self._ranges.get(offset, length)
        if held is not None:
            return held
        stream = self._stream
        data = self._streamed(stream, offset, length) if stream is not None else self._asked(offset, length)
        self._ranges.add(offset, data)
        return data

    def _in_time(self, offset: int) -> None:
        """The time is for what is done with the bytes too, those that are here already."""
        try:
            self._client.budget.remaining()
        except LimitReached as error:
            raise LimitReached(str(error), offset=offset, name=self.name) from error

    def close(self) -> None:
        """Keep what was read for the next run."""
        if self._stream is not None:
            self._stream.close()
        if self._store is not None and self._key is not None and self._ranges.changed:
            self._store.save(self._key, self._ranges)
            self._ranges.changed = False

    def _asked(self, offset: int, length: int) -> bytes:
        """The bytes, asked for until they are here or the server has said where the file ends."""
        data = self._ask(offset, length)
        while data and len(data) < length and self.size is None and self._stream is None:
            more = self._ask(offset + len(data), length - len(data))
            if not more:
                break
            data += more
        return data

    def _ask(self, offset: int, length: int) -> bytes:
        for attempt in range(_ATTEMPTS):
            last = attempt == _ATTEMPTS - 1
            try:
                response = self._send(offset, length)
                if response.status_code in PASSES and not last:
                    response.close()
                else:
                    return self._answer(response, offset, length)
            except Dropped as error:
                if last:
                    raise self._for_now(str(error), offset) from error
            except LimitReached as error:
                raise LimitReached(str(error), offset=offset, name=self.name) from error
            self._sleep(min(_PAUSE * 2**attempt, self._client.budget.remaining()))
        raise AssertionError("the last attempt returns or raises")

    def _send(self, offset: int, length: int) -> httpx2.Response:
        """The answer, at the place where the last one came from: a redirect is asked for once, and again when it has
        expired."""
        headers = {"range": f"bytes={offset}-{offset + length - 1}"}
        self.requests += 1
        response = self._client.get(self._at, headers)
        if response.status_code in _EXPIRED and self._at != self._url:
            response.close()
            self.requests += 1
            response = self._client.get(self._url, headers)
        self._at = str(response.url)
        return response

    def _answer(self, response: httpx2.Response, offset: int, length: int) -> bytes:
        status = response.status_code
        if status == 200:
            return self._whole(response, offset, length)
        try:
            if status == 206:
                return self._part(response, offset, length)
            if status == 416:
                return self._past_end(response, offset)
            raise (self._for_now if status in PASSES else self._error)(_status(status), offset)
        finally:
            response.close()

    def _part(self, response: httpx2.Response, offset: int, length: int) -> bytes:
        said = response.headers.get("content-range", "")
        first, last, total = content_range(said)
        wanted = offset + length - 1
        expected = wanted if total is None else min(wanted, total - 1)
        wrong = last != expected if total is not None else not said.rstrip().endswith("/*")
        if first != offset or last is None or not offset <= last <= wanted or wrong:
            raise self._error(f"the server answered {said[:80]!r} where bytes {offset}-{wanted} were asked for", offset)
        self._agree(response, total, offset)
        data = bytearray()
        for part in response.iter_raw(_CHUNK):
            self.bytes_read += len(part)
            data += part
            if len(data) > last - first + 1:
                raise self._error("the server sent more than it announced", offset)
        if len(data) < last - first + 1:
            raise Dropped("the answer ended early", offset=offset, name=self.name)
        return bytes(data)

    def _past_end(self, response: httpx2.Response, offset: int) -> bytes:
        _, _, total = content_range(response.headers.get("content-range", ""))
        if total is None or total > offset:
            raise self._error("the server refuses the range", offset)
        self._agree(response, total, offset)
        return b""

    def _whole(self, response: httpx2.Response, offset: int, length: int) -> bytes:
        """The server ignores ranges."""
        self._stream = _Stream(response)
        said = response.headers.get("content-length", "")
        if said.isascii() and said.isdecimal() and len(said) < 16:
            self._agree(response, int(said), offset)
        return self._streamed(self._stream, offset, length)

    def _streamed(self, stream: _Stream, offset: int, length: int) -> bytes:
        end = offset + length if self.size is None else min(offset + length, self.size)
        cap = min(STREAM_CAP, self._client.budget.max_bytes)
        if end > cap:
            why = f"the server ignores ranges, and byte {end} lies beyond the first {cap} that are read of such a file"
            raise LimitReached(why, offset=offset, name=self.name)
        try:
            self.bytes_read += stream.fill(end)
        except SourceError as error:
            stream.close()
            if isinstance(error, ForNow):
                self._client.budget.trouble = str(error)
            raise type(error)(str(error), offset=offset, name=self.name) from error
        if stream.ended and self.size is None:
            if not stream.framed and end > len(stream.data):
                why = f"the connection ended at byte {len(stream.data)}, and the server never said how long the file is"
                raise self._error(why, offset)
            self.size = len(stream.data) if stream.framed else None
        if stream.ended and self.size is not None and len(stream.data) < self.size:
            raise self._for_now("the answer ended early", offset)
        return bytes(stream.data[offset:end])

    def _agree(self, response: httpx2.Response, total: int | None, offset: int) -> None:
        """Note size and entity tag, which must stay what they are."""
        if total is not None and self.size is not None and total != self.size:
            raise self._error(f"its size is {total} bytes by this answer, and was {self.size}", offset)
        self.size = total if total is not None else self.size
        tag = response.headers.get("etag")
        if self._tag is not None and tag != self._tag:
            raise self._error("it changed while it was read", offset)
        self._tag = tag
        if tag is not None and self._key is None and not tag.startswith("W/"):
            self._know(f"etag {tag} of {self.size}")

    def _know(self, identity: str) -> None:
        """The content has a name now: what an earlier run read of it is here too."""
        self._key = f"{self._url} {identity}"
        kept = self._store.load(self._key) if self._store is not None else None
        if kept is not None:
            self._ranges = kept

    def _error(self, message: str, offset: int) -> SourceError:
        return SourceError(message, offset=offset, name=self.name)

    def _for_now(self, message: str, offset: int) -> SourceError:
        self._client.budget.trouble = message
        return ForNow(message, offset=offset, name=self.name)


class _Stream:
    """A body that is read from its beginning, as far as asked. `framed`: a connection that breaks is told from the end
    of the body (RFC 9112, 6.3)."""

    def __init__(self, response: httpx2.Response) -> None:
        self.data = bytearray()
        self.ended = False
        self.framed = "content-length" in response.headers or "transfer-encoding" in response.headers
        self._failed: SourceError | None = None
        self._response = response
        self._parts: Iterator[bytes] = response.iter_raw(_CHUNK)

    def fill(self, end: int) -> int:
        """Read until `end` bytes are here or the body ends; gives the number of bytes that came. Raises SourceError,
        and again each time."""
        before = len(self.data)
        while len(self.data) < end and not self.ended:
            if self._failed is not None:
                raise self._failed
            try:
                part = next(self._parts, None)
            except SourceError as error:
                self._failed = error
                raise
            if part is None:
                self.ended = True
            else:
                self.data += part
        return len(self.data) - before

    def close(self) -> None:
        self._response.close()


def content_range(text: str) -> tuple[int | None, int | None, int | None]:
    """First byte, last byte and total of a Content-Range (RFC 9110, 14.4); None for each part it does not say."""
    unit, _, rest = text.strip().partition(" ")
    span, slash, total = rest.strip().partition("/")
    if unit.lower() != "bytes" or not slash:
        return None, None, None
    first, _, last = span.partition("-")
    return _number(first), _number(last), _number(total)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def _status(status: int) -> str:
    if status in (404, 410):
        return f"is not there (HTTP {status})"
    if status in (401, 403):
        return f"needs permission (HTTP {status}); fetch it yourself and give its folder"
    if status == 429:
        return "the server asks to come back later (HTTP 429)"
    return f"the server answered HTTP {status}"
