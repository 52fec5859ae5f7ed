"""Requests to GitHub, with its limits heeded and its faults waited out, as far as that takes no long time.

PyGithub's own retries are off: a 429 without a Retry-After would not be one to them, and a Retry-After of an hour would
be slept through (both seen with 2.10).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from github import Auth, Github
from github.GithubException import GithubException
from requests.exceptions import RequestException

from bot.forge.bounded import Oversized, begin_request, bind_connections
from bot.forge.errors import ForgeError, Gone, Limited, Moved, NoAccess, NotThere, TooLarge, Unclear
from bot.forge.shapes import message, message_of
from signatures.values import NamedTuple

TIMEOUT = 15  # seconds without a byte
PATIENCE = 30.0  # seconds that one call may wait for a limit or a fault to pass
_TRIES = 3
_SLOWLY = 60.0  # seconds to wait for a secondary limit that names no time
_LONGEST_LIMIT = 86_400.0  # seconds


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, Any]
    body: str


class _Requests(Protocol):
    """How PyGithub asks: see github.Requester."""

    def requestJson(  # noqa: N802 - PyGithub's name
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        input: Any | None = None,  # noqa: A002
    ) -> tuple[int, dict[str, Any], str]: ...

    @property
    def graphql_url(self) -> str: ...


class Asking:
    """One server, asked anonymously, with a token, or as an installation of an App. Not for several threads at once."""

    def __init__(
        self,
        token: str | Auth.Auth | None,
        base_url: str,
        *,
        timeout: int = TIMEOUT,
        patience: float = PATIENCE,
        spacing: float = 0.25,
        write_spacing: float = 1.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """`spacing` and `write_spacing` are the seconds between requests, and between writes, that GitHub asks for."""
        bind_connections()
        github = Github(
            auth=Auth.Token(token) if isinstance(token, str) and token else token or None,
            base_url=base_url,
            timeout=timeout,
            user_agent="ondevice-triage",
            retry=None,
            seconds_between_requests=spacing,
            seconds_between_writes=write_spacing,
        )
        self.requests: _Requests = github.requester
        self.origin = urlsplit(base_url)[:2]
        self.share_left = 1.0  # of the hour's requests, as the last answer said
        self.refused = False  # whether the server has taken this access back
        self.date: str | None = None  # the moment of the last answer, an HTTP date
        self._patience = patience
        self._sleep = sleep

    def get(self, url: str, etag: str | None, parameters: dict[str, Any] | None = None) -> Answer:
        """An answer with status 200 or 304. Waits for what passes soon."""
        headers = {"If-None-Match": etag} if etag else {}
        waited = 0.0
        for attempt in range(1, _TRIES + 1):
            begin_request()
            try:
                answer = Answer(*self.requests.requestJson("GET", url, dict(parameters or {}), dict(headers)))
            except Oversized as e:
                raise TooLarge(f"GitHub cannot be read: {e}") from None
            except RequestException as e:
                trouble: ForgeError = ForgeError(f"GitHub cannot be reached: {reason(e)}")
                wait: float | None = _backoff(attempt)
            except (GithubException, RuntimeError, AssertionError) as e:
                raise self._no_answer(e) from None
            else:
                self._heard(answer)
                if answer.status in (200, 304):
                    return answer
                trouble, wait = _refusal(answer, attempt)
            if wait is None or attempt == _TRIES or waited + wait > self._patience:
                raise trouble
            self._sleep(wait)
            waited += wait
        raise AssertionError("unreachable")

    def send(self, verb: str, url: str, body: dict[str, Any] | None = None) -> Answer:
        """One write, tried once: whether one that failed was carried out cannot be told, so that repeating it is for
        those who can look. Raises Unclear for such a failure, Moved for a repository with another name, else what
        `get` raises."""
        begin_request()
        try:
            answer = Answer(*self.requests.requestJson(verb, url, None, None, body))
        except RequestException as e:
            raise Unclear(f"GitHub cannot be reached: {reason(e)}") from None
        except (GithubException, RuntimeError, AssertionError) as e:
            raise self._no_answer(e) from None
        self._heard(answer)
        if answer.status in (200, 201, 204):
            return answer
        if answer.status in (301, 302, 307, 308):
            raise Moved("GitHub has this repository under another name")
        if answer.status >= 500 or answer.status < 300:
            raise Unclear(f"GitHub answers {answer.status}: {message(answer.body)}")
        raise _refusal(answer, 1)[0]

    def _heard(self, answer: Answer) -> None:
        """What every answer says by the way."""
        self.share_left = _share(answer)
        said = answer.headers.get("date")
        self.date = str(said) if said else self.date
        self.refused = self.refused or answer.status == 401

    def _no_answer(self, e: Exception) -> ForgeError:
        """What stands behind an exception of PyGithub's: it fetches an installation's token by itself, and raises for
        that alone what GitHub refuses."""
        if isinstance(e, GithubException) and e.status in (401, 403, 404):
            self.refused = True
            return NoAccess(f"GitHub gives no token for this installation of the App: {message_of(e.data)}")
        return ForgeError(f"GitHub sent what cannot be followed: {str(e)[:200]}")


def _refusal(answer: Answer, attempt: int) -> tuple[ForgeError, float | None]:
    """What a refusal means, and after how many seconds asking again makes sense; None: not at all."""
    said = message(answer.body)
    if answer.status == 404:
        return NotThere("GitHub knows no such thing, or does not show it"), None
    if answer.status == 410 and "deleted" in said:  # where issues are switched off it is a 410 as well
        return Gone(said), None
    if answer.status == 401:
        return ForgeError(f"GitHub refuses the token: {said}"), None
    if answer.status in (403, 429):
        wait = _limit(answer, said)
        if wait is not None:
            until = datetime.fromtimestamp(time.time() + wait, UTC)
            words = f"GitHub's limit is reached ({said}); it lasts until {until:%H:%M:%S} UTC"
            return Limited(until, words), wait
    if answer.status >= 500:
        return ForgeError(f"GitHub answers {answer.status}: {said}"), _backoff(attempt)
    return ForgeError(f"GitHub answers {answer.status}: {said}"), None


def _limit(answer: Answer, said: str) -> float | None:
    """Seconds until a limit ends; None where the refusal is none."""
    after = str(answer.headers.get("retry-after", ""))
    if after.isascii() and after.isdigit():
        return min(float(after), _LONGEST_LIMIT)
    reset = str(answer.headers.get("x-ratelimit-reset", ""))
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit():
        return min(max(0.0, int(reset[:12]) - time.time()) + 1, _LONGEST_LIMIT)
    return _SLOWLY if answer.status == 429 or "rate limit" in said.casefold() else None


def _share(answer: Answer) -> float:
    """https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"""
    left, limit = (str(answer.headers.get(f"x-ratelimit-{name}", "")) for name in ("remaining", "limit"))
    known = left.isascii() and left.isdigit() and limit.isascii() and limit.isdigit() and int(limit[:9]) > 0
    return int(left[:9]) / int(limit[:9]) if known else 1.0


def _backoff(attempt: int) -> float:
    return 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)  # noqa: S311 - spreads requests, hides nothing


def reason(e: RequestException) -> str:
    """Why a server was not reached."""
    return str(getattr(e.args[0], "reason", e) if e.args else e)[:200] or type(e).__name__
