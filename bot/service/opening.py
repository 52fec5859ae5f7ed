"""A Desk as this computer is set up: the account at GitHub, the store, what is known."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Lock

from bot import config
from bot.errors import InputError
from bot.fetch.guard import policy_of
from bot.fetch.listings import Listings
from bot.fetch.opening import fetcher
from bot.forge import ForgeError, Threads
from bot.forge.access import App
from bot.forge.errors import BadKey
from bot.knowledge import Known, load_known
from bot.service.desk import SETTLE, Desk
from bot.storage import export_known, passing, writable
from bot.watched.attachments import Attachment, Remembering, read_attachment
from kb.store import Store

_FRESH = 60.0  # seconds that what is known is taken as it was read


class Account:
    """Who the bot is to GitHub. `app` is None for a token or nobody; `login` is "" for nobody."""

    def __init__(self, app: App | None, token: str | None, api: str, login: str | None = None) -> None:
        self.app = app
        self.login = app.login() if app is not None else _login(Threads(token, api), login) if token else ""
        self._token, self._api = token, api
        self._installed: dict[str, int] = {}
        self._replaced: dict[int, int] = {}  # installations that are no more, by those that took their place
        self._open: dict[int | None, Threads] = {}

    def threads(self, repo: str, installation: int | None) -> Threads:
        """GitHub as it is seen there. One connection for each installation, so that its writes keep their distance.
        Raises ForgeError."""
        if self.app is None:
            return self._open.setdefault(None, Threads(self._token, self._api))
        number = self._replaced.get(installation, installation) if installation else self._installed.get(repo)
        if number is None or not self._works(self.app, number):
            before, number = number, self.app.installation(repo)
            if before is not None and before != number:
                self._replaced[before] = number
                self._replaced |= {old: number for old, new in self._replaced.items() if new == before}
        self._installed[repo] = number
        held = self._open.get(number)
        if held is None or held.refused:
            held = self._open[number] = Threads(self.app.access(number), self._api)
            held.installation = number
        return held

    def _works(self, app: App, number: int) -> bool:
        """Whether an installation is there, as far as it was used; the first time GitHub is asked."""
        held = self._open.get(number)
        return not held.refused if held is not None else app.holds(number)


def _login(threads: Threads, stated: str | None) -> str:
    """The login of a token's comments. Raises ForgeError where what is stated is another: the bot would take its own
    comments for somebody else's, and write them again."""
    told = threads.own_login()
    if told and stated and told.casefold() != stated.casefold():
        raise ForgeError(
            f"TRIAGE_GITHUB_LOGIN (the action's input `login`) says {stated}, and what this token writes is {told}'s; "
            f"set it to {told}"
        )
    if not told and not stated:
        raise ForgeError("GitHub does not say whose token this is; TRIAGE_GITHUB_LOGIN names the login of its comments")
    return told or stated or ""


def account() -> Account:
    """The account of the settings. Raises InputError where GitHub does not accept it."""
    try:
        app = config.github_app()
        made = App(*app, config.github_api()) if app is not None else None
        return Account(made, None if made else config.github_token(), config.github_api(), config.github_login())
    except OSError as e:
        raise InputError(f"the App's key or the token cannot be read: {e.strerror or e}: {e.filename}.") from None
    except UnicodeDecodeError:
        raise InputError("the file of the App's key or of the token is no text; GitHub gives a key as PEM.") from None
    except BadKey as e:
        raise InputError(f"{config.secret_place('TRIAGE_GITHUB_APP_KEY')} cannot be used: {e}.") from None
    except (ForgeError, ValueError) as e:
        raise InputError(f"{e}; `triage doctor` looks at each setting.") from None


@contextmanager
def desk(layers: tuple[str, ...] = (), *, at_once: bool = False, reads: bool = False) -> Iterator[Desk]:
    """The desk, with the store opened; `at_once`: a person waits for what is written; `reads`: nothing is to be
    kept, so that it goes without a store. Raises InputError for settings that do not work."""
    who = account()
    attachments = policy_of(config.hub_endpoint(), config.fetch_hosts())

    def attachment(url: str) -> Attachment:
        return read_attachment(url, attachments)

    remembering, listings = Remembering(attachment), Listings()
    with passing() if reads else writable() as store, store.kept_open():
        yield Desk(
            store,
            who.threads,
            who.login,
            _Known(layers, store),
            lambda: datetime.now(UTC),
            remembering,
            lambda: fetcher(public=True, listings=listings),
            lambda: "TRIAGE_PAUSED stops all writing (of the action, its input `paused`)" if config.paused() else "",
            settle=(timedelta(0), timedelta(0)) if at_once else SETTLE,
        )


class _Known:
    """What is known, read again once a minute, so that what watching found counts, also on another machine."""

    def __init__(self, layers: tuple[str, ...], store: Store) -> None:
        self._layers = layers
        self._store = store
        self._held: tuple[float, Known] | None = None
        self._reading = Lock()

    def __call__(self) -> Known:
        with self._reading:
            if self._held is None or time.monotonic() - self._held[0] > _FRESH:
                export_known(self._store, list(self._layers))
                self._held = time.monotonic(), load_known(self._layers)
            return self._held[1]
