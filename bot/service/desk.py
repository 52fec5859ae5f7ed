"""What the bot works with: the store, GitHub as the account at hand sees it, what is known, a clock."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import uuid4

from bot.fetch import Fetcher
from bot.forge import ForgeError, Gone, Limited, Read, Threads
from bot.knowledge import Known
from bot.watched.attachments import Attachment
from bot.watched.policy import FILE, Policy, ReadPolicy, read_policy
from kb.store import Store
from kb.store.conversations import Deed
from kb.store.leases import SKEW
from kb.store.work import LONGEST_WAIT
from signatures.extract.redact import redact

SETTLE = timedelta(seconds=3), timedelta(seconds=60)
MAX_DETAIL = 2_000  # characters of what is kept of a deed
NO_FAULTS = "every key is understood"
UNSIGNED = "unsigned"  # deed: a delivery was signed with another secret than is set
_FRESH = timedelta(minutes=5)  # how long a policy is taken as it was read,
_CALLED = timedelta(minutes=1)  # and a repository's name


def trouble(e: Exception) -> str:
    """What stopped the work on one issue: GitHub's words, or the place in this program that failed."""
    if isinstance(e, ForgeError):
        return str(e)
    where = traceback.extract_tb(e.__traceback__)[-1]
    return f"this program failed: {type(e).__name__} at {where.name} line {where.lineno}"


class Place(NamedTuple):
    """A repository as it is called now. `id` stays when it is renamed or transferred."""

    id: int
    repo: str


class Desk:
    """`threads` gives GitHub for a repository and, of an App, its installation. `own` is the bot's login, `braked`
    says why nothing may be written, "" where it may. `settle` is how long a first comment and an edit wait for what
    comes next: several events in a minute are one edit. `as_of` gives the day by which releases count, None for all."""

    def __init__(
        self,
        store: Store,
        threads: Callable[[str, int | None], Threads],
        own: str,
        known: Callable[[], Known],
        now: Callable[[], datetime],
        attachment: Callable[[str], Attachment],
        fetcher: Callable[[], Fetcher],
        braked: Callable[[], str] = str,
        *,
        settle: tuple[timedelta, timedelta] = SETTLE,
        as_of: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.store = store
        self.owner = uuid4().hex  # who this is to others with the same store
        self.threads = threads
        self.own = own
        self.known = known
        self.now = now
        self.attachment = attachment
        self.fetcher = fetcher
        self.braked = braked
        self.settle = settle
        self.noticed: Known | None = None  # what was known when issues were last read again for it
        self.as_of = as_of
        self._places: dict[str | int, tuple[datetime, Place]] = {}  # by name, and by id
        self._policies: dict[int, tuple[datetime, ReadPolicy]] = {}
        self._limits: dict[int | None, Limited] = {}  # by installation

    def limited(self, installation: int | None, reached: Limited | None = None) -> Limited | None:
        """GitHub's limit that holds for an installation now, None for none; `reached` is one that was just met. It
        speaks for all that the installation would ask."""
        if reached is not None:
            self._limits[installation] = reached
        limit = self._limits.get(installation)
        return limit if limit is not None and self.now() < limit.until < self.now() + LONGEST_WAIT else None

    def done_within(self, span: timedelta, *what: str, **where: Any) -> int:
        """How often any of these deeds was done within a time that ends now. `where` is as in `Store.done_since`."""
        now = self.now()
        return self.store.done_since(now - span, *what, until=now + SKEW, **where)

    def place(self, threads: Threads, repo: str, id_: int = 0, *, fresh: bool = False) -> Place:
        """Where a repository is now. `id_` is its own where that is known, since another one may have its name;
        `fresh`: as GitHub says at this moment. Raises ForgeError."""
        at = self.now()
        held = self._places.get(id_ or repo)
        if fresh or held is None or abs(at - held[0]) > _CALLED:
            found = threads.repository(repo, id_)
            held = self._places[id_ or repo] = at, Place(found.id, found.full_name)
            self.store.repository_called(found.id, found.full_name)
        return held[1]

    def read(self, threads: Threads, place: Place, number: int) -> Read:
        """An issue of a repository as it stands now. Raises Gone where it is another one's by now, and ForgeError."""
        read = threads.read(place.repo, number)
        if read.item.number == number and read.home.casefold() != place.repo.casefold():
            place = self.place(threads, place.repo, place.id, fresh=True)  # was it renamed a moment ago?
        if read.item.number != number or read.home.casefold() != place.repo.casefold():
            raise Gone("the issue was transferred")
        return read._replace(repo=place.repo)

    def policy(self, threads: Threads, place: Place) -> Policy:
        """The repository's policy; that its file's faults are others than before is logged. Raises ForgeError."""
        at = self.now()
        held = self._policies.get(place.id)
        if held is None or abs(at - held[0]) > _FRESH:
            products = frozenset(p.id for p in self.known().knowledge.products)
            read = read_policy(threads.file(place.repo, FILE), products)
            self._log_faults(place.repo, read.faults)
            held = self._policies[place.id] = at, read
        return held[1].policy

    def _log_faults(self, repo: str, faults: tuple[str, ...]) -> None:
        """The newest line of a repository says all that is wrong there."""
        said = "\n".join(faults)[:2000] or NO_FAULTS
        before = self.store.deeds(repo=repo, what="policy", most=1)
        if said != (before[0].detail if before else NO_FAULTS):
            self.log(repo, "", "policy", detail=said)

    def forget(self, repo_id: int) -> None:
        """Read a repository's name and policy again when they are needed next."""
        self._policies.pop(repo_id, None)
        self._places = {k: v for k, v in self._places.items() if v[1].id != repo_id}

    def log(
        self, repo: str, issue: str, what: str, who: str = "", detail: str = "", *, at: datetime | None = None
    ) -> None:
        """Keep a deed, without what must not be repeated. `at`: when it was done, where that is not now."""
        self.store.log(Deed(at or self.now(), repo, issue, what, who, redact(detail)[:MAX_DETAIL]))
