"""Artifacts by reference: from a path, a Hugging Face repository, a URL or a Foundry id to a Package to be checked.

Everything remote goes through one guard (hosts, addresses) and one budget (bytes, requests, seconds) per artifact. What
needs a network library is imported when something remote is opened.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import unquote, urljoin, urlsplit

from bot.fetch.budget import MAX_BYTES, MAX_REQUESTS, MAX_SECONDS, Budget
from bot.fetch.guard import Policy
from bot.fetch.references import Foundry, Hub, Local, Reference, Url, parse
from signatures.artifact.package import Entry, Package
from signatures.artifact.source import Limits, SourceError

if TYPE_CHECKING:
    from bot.fetch.client import Client
    from bot.fetch.listings import Listings
    from bot.fetch.ranges import Store


class Caps(NamedTuple):
    """What one artifact may cost."""

    max_bytes: int = MAX_BYTES
    max_requests: int = MAX_REQUESTS
    seconds: float = MAX_SECONDS


DEFAULT_CAPS = Caps()


class Opened(NamedTuple):
    """A package, and the budget it was read under; None for local files, which cost nothing. `base` with a file's name
    behind it is that file's path or address."""

    package: Package
    budget: Budget | None
    base: str

    @property
    def bytes_read(self) -> int:
        return self.budget.bytes if self.budget is not None else self.package.bytes_read

    @property
    def requests(self) -> int:
        return self.budget.requests if self.budget is not None else 0


class Fetcher:
    """Opens artifacts; a context manager that closes what it opened. `cache` is the folder for parts that were read,
    `listings` what several of these are to remember together.

    `public`: anybody on the web may say what is opened. Then no address leads to an origin that the operator trusts,
    and the hub's endpoint is asked for its repositories alone."""

    def __init__(
        self,
        policy: Policy,
        endpoint: str,
        *,
        caps: Caps = DEFAULT_CAPS,
        cache: str | None = None,
        public: bool = False,
        listings: Listings | None = None,
    ) -> None:
        self._policy = policy
        self._public = public
        self._endpoint = endpoint.rstrip("/")
        self._caps = caps
        self._cache = cache
        self._listings = listings
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def open(self, ref: str, *, local: bool = True, started: Callable[[Budget], None] | None = None) -> Opened:
        """The artifact that `ref` names. `local`: whether it may be a path on this computer, which a stranger's words
        must not be. `started` is told the budget of a remote artifact before anything is asked. Raises SourceError."""
        meant = parse(ref, self._endpoint, local=local)
        if isinstance(meant, Foundry):
            from bot.fetch.foundry import location

            meant = parse(location(meant), self._endpoint, local=False)
        if isinstance(meant, Local):
            package = Package.from_path(meant.path)
            self._open.callback(package.close)
            folder = meant.path if os.path.isdir(meant.path) else os.path.dirname(meant.path)
            return Opened(package, None, os.path.join(folder, ""))
        return self._remote(ref, meant, started)

    def _remote(self, ref: str, meant: Reference, started: Callable[[Budget], None] | None) -> Opened:
        try:
            from bot.fetch.client import Client
        except ImportError:
            raise SourceError(
                "reading from the network needs `pip install '.[fetch]'` in the sources", name=ref
            ) from None
        budget = Budget(*self._caps)
        if started is not None:
            started(budget)
        trusting = isinstance(meant, Hub) or not self._public
        client = Client(self._policy if trusting else self._policy._replace(trusted=frozenset()), budget)
        self._open.callback(client.close)
        package, base = self._package(ref, meant, client)
        self._open.callback(package.close)
        return Opened(package, budget, base)

    def _package(self, ref: str, meant: Reference, client: Client) -> tuple[Package, str]:
        from bot.fetch.ranges import Store

        store = Store(self._cache) if self._cache is not None else None
        limits = Limits(self._caps.max_bytes, self._caps.max_requests)
        if isinstance(meant, Hub):
            from bot.fetch.huggingface import open_repository

            endpoint, kept = self._endpoint, self._listings
            return open_repository(ref, meant, endpoint, client, store=store, limits=limits, listings=kept)
        if isinstance(meant, Url):
            return _single(ref, meant.url, client, store, limits), urljoin(meant.url, ".")
        raise SourceError("cannot be fetched", name=ref)


def _single(ref: str, url: str, client: Client, store: Store | None, limits: Limits) -> Package:
    """One file behind a URL. What lies beside it is not known."""
    from bot.fetch.remote import RemoteFile

    name = unquote(urlsplit(url).path).rstrip("/").rsplit("/", 1)[-1] or "file"
    source = RemoteFile(client, url, name, store=store)
    source.probe()
    package = Package(ref, [Entry(name, source.size, None, lambda: source)], complete=False, limits=limits)
    package.open(name)  # so that what was read of it is counted and kept
    return package
