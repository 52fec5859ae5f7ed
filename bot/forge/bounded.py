"""PyGithub's connections with an end: so many bytes, so many seconds, so many redirections for one answer."""

from __future__ import annotations

from threading import Event, Timer, local
from typing import Any

from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester
from requests import Response
from requests.exceptions import RequestException

LONGEST = 60.0  # seconds for one answer
LARGEST = 8 << 20  # bytes of one answer, decoded
_REDIRECTS = 3
_SEEN = local()  # answers in a row that PyGithub would follow by itself


class TooMuch(RequestException):
    """An answer without an end."""


class Oversized(TooMuch):
    """An answer of more than LARGEST bytes."""


def bind_connections() -> None:
    """Make PyGithub use these connections from here on."""
    Requester.injectConnectionClasses(_BoundedHttp, _BoundedHttps)


def begin_request() -> None:
    """Forget the redirections of the request before."""
    _SEEN.followed = 0


class _Bytes:
    """An answer that was read with bounds, as PyGithub's requester takes it."""

    def __init__(self, response: Response) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self._text = _bounded(response)

    def getheaders(self) -> list[tuple[str, str]]:
        return list(self.headers.items())

    def read(self) -> str:
        return self._text


def _bounded(response: Response) -> str:
    """The text of an answer. A timer ends one that drips, since each byte would begin the read timeout anew."""
    late = Event()

    def end() -> None:
        late.set()
        response.raw.shutdown()

    timer = Timer(LONGEST, end)
    timer.daemon = True
    timer.start()
    parts: list[bytes] = []
    size = 0
    try:
        for piece in response.iter_content(65_536):
            size += len(piece)
            if size > LARGEST:
                raise Oversized(f"an answer of more than {LARGEST >> 20} MiB")
            parts.append(piece)
    except RequestException:
        if not late.is_set():
            raise
    finally:
        timer.cancel()
    if late.is_set():
        raise TooMuch(f"an answer that takes longer than {LONGEST:.0f} seconds")
    return b"".join(parts).decode("utf-8", "replace")


def _answered(connection: Any) -> _Bytes:
    """One request, its session closed after it. PyGithub follows 202 and 301 by itself, without counting."""
    url = f"{connection.protocol}://{connection.host}:{connection.port}{connection.url}"
    with connection.session as session:
        response = session.request(
            connection.verb,
            url,
            headers=connection.headers,
            data=connection.input,
            timeout=connection.timeout,
            verify=connection.verify,
            allow_redirects=False,
            stream=True,
        )
        with response:
            if response.status_code in (202, 301):
                _SEEN.followed = getattr(_SEEN, "followed", 0) + 1
                if _SEEN.followed > _REDIRECTS:
                    raise RuntimeError(f"more than {_REDIRECTS} redirections")
            return _Bytes(response)


class _BoundedHttp(HTTPRequestsConnectionClass):
    def getresponse(self) -> Any:
        return _answered(self)


class _BoundedHttps(HTTPSRequestsConnectionClass):
    def getresponse(self) -> Any:
        return _answered(self)
