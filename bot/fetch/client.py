"""One HTTP client behind the guard: every connection, redirect and byte of a fetched artifact passes through here.

It sends no credentials, keeps no cookies, uses no proxy and decodes no compression. Errors of the network come out
as SourceError, so that nothing above it knows which HTTP library this is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

import httpcore2
import httpx2

from bot.fetch.budget import Budget
from bot.fetch.guard import ForNow, Policy, Refused
from signatures.artifact.source import LimitReached, SourceError

MAX_REDIRECTS = 5
CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0
AGENT = "ondevice-triage"
PASSES = frozenset({408, 429, 500, 502, 503, 504})  # answers of a server in trouble

_DECODED = 3  # times that a path is read behind percent signs
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CREDENTIALS = ("authorization", "proxy-authorization", "cookie")


class Dropped(ForNow):
    """The connection failed or ended early; the same question may be answered when it is asked again."""


class Client:
    """GET with the guard, one budget, and redirects followed by hand. Close it after use."""

    def __init__(self, policy: Policy, budget: Budget) -> None:
        self.policy = policy
        self.budget = budget
        self._http = client_of(GuardedTransport(policy, budget), follow_redirects=False)

    def get(self, url: str, headers: dict[str, str]) -> httpx2.Response:
        """The answer behind at most five redirects, its body unread; the caller closes it. Raises SourceError."""
        try:
            target = _straight(url)
            for _ in range(MAX_REDIRECTS + 1):
                request = self._http.build_request("GET", target, headers=headers)
                response = self._http.send(request, stream=True)
                location = response.headers.get("location")
                if response.status_code not in _REDIRECTS or location is None:
                    return response
                response.close()
                target = _next(response.url, location)
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise Refused(f"leads to a broken address: {error}", name=url) from error
        except httpx2.HTTPError as error:
            raise Dropped(f"cannot be fetched: {error}", name=url) from error
        raise SourceError(f"more than {MAX_REDIRECTS} redirects", name=url)

    def close(self) -> None:
        self._http.close()


def client_of(transport: httpx2.BaseTransport, *, follow_redirects: bool) -> httpx2.Client:
    """A client without proxies, .netrc and environment, whose requests all go through `transport`."""
    return httpx2.Client(
        transport=transport,
        trust_env=False,
        follow_redirects=follow_redirects,
        max_redirects=MAX_REDIRECTS,
        timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
        headers={"user-agent": AGENT, "accept-encoding": "identity"},
    )


def _straight(url: str) -> httpx2.URL:
    """An address as it is written. Raises Refused where a step of its path leads up, which would be asked as another
    address than the one that was looked at."""
    path = url.partition("?")[0].partition("#")[0]
    for _ in range(_DECODED):
        path = unquote(path)
    if "\\" in path or not {".", ".."}.isdisjoint(path.split("/")):
        raise Refused("the path of its address leads up", name=url)
    return httpx2.URL(url)


def _next(here: httpx2.URL, location: str) -> httpx2.URL:
    there = here.join(_straight(location))
    if here.scheme == "https" and there.scheme == "http":
        raise Refused("a redirect leads away from https", name=str(here.host))
    return there


class GuardedTransport(httpx2.BaseTransport):
    """Asks the policy before each request, redirected ones included. `largest_body` caps one answer, in bytes."""

    def __init__(self, policy: Policy, budget: Budget, *, largest_body: int | None = None) -> None:
        self._policy = policy
        self._budget = budget
        self._largest = largest_body
        self._pool = httpcore2.ConnectionPool(network_backend=_Backend(policy, budget), max_connections=4)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        self._policy.check_url(url.scheme, url.raw_host.decode("ascii", "replace"), url.port, url.userinfo)
        self._budget.request()
        for name in _CREDENTIALS:
            request.headers.pop(name, None)
        request.headers["accept-encoding"] = "identity"
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _source_errors(url.host):
            answer = self._pool.handle_request(asked)
        body = _Body(answer.stream, url.host, self._largest)
        response = httpx2.Response(answer.status, headers=answer.headers, stream=body, extensions=answer.extensions)
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("", "identity"):
            body.close()
            raise SourceError(f"the server sends it compressed ({encoding[:40]}), unasked", name=url.host)
        return response

    def close(self) -> None:
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """An answer's body, counted and with errors of the network as SourceError."""

    def __init__(self, stream: Any, host: str, largest: int | None) -> None:
        self._stream = stream
        self._host = host
        self._largest = largest

    def __iter__(self) -> Iterator[bytes]:
        total = 0
        with _source_errors(self._host):
            for part in self._stream:
                total += len(part)
                if self._largest is not None and total > self._largest:
                    raise LimitReached(f"the answer is larger than {self._largest} bytes", name=self._host)
                yield part

    def close(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            with _source_errors(self._host):
                close()


@contextmanager
def _source_errors(host: str) -> Iterator[None]:
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise Dropped(f"{host} does not answer", name=host) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        why = f": {error}" if str(error) else ""
        raise Dropped(f"the connection to {host} failed{why}", name=host) from error


class _Backend(httpcore2.NetworkBackend):
    """Connects to the very address that the policy approved, so that a second look-up cannot give another one. The
    library still knows the connection by its host name: TLS is checked, and connections are reused, for that name."""

    def __init__(self, policy: Policy, budget: Budget) -> None:
        self._policy = policy
        self._budget = budget
        self._system = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        failed: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
        for address in self._policy.addresses(host, port):
            patience = min(timeout or CONNECT_SECONDS, self._budget.remaining())
            try:
                stream = self._system.connect_tcp(address, port, patience, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
                continue
            return _Stream(stream, self._budget)
        raise failed if failed is not None else httpcore2.ConnectError("no address")


class _Stream(httpcore2.NetworkStream):
    """A connection that counts what arrives and never waits past the budget's end."""

    def __init__(self, stream: httpcore2.NetworkStream, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        patience = min(timeout or READ_SECONDS, self._budget.remaining())
        try:
            data = self._stream.read(max_bytes, patience)
        except httpcore2.ReadTimeout:
            self._budget.remaining()  # raises where the budget's end is what stopped the waiting
            raise
        self._budget.arrived(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, min(timeout or READ_SECONDS, self._budget.remaining()))

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        patience = min(timeout or CONNECT_SECONDS, self._budget.remaining())
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, patience), self._budget)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        self._stream.close()
