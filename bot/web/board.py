"""The board: what the bot would say, why it is silent, and a maintainer's yes or no.

Whoever has the board's token may see and decide: a browser asks for it as the password of any name. Nothing is loaded
from elsewhere, no script runs, and every word of an issue is escaped.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.publishing.decide import Standing
from bot.rendering import TEMPLATES, templates
from bot.service.answering import Told
from bot.service.desk import Desk
from bot.service.handling import DECIDED, payload
from bot.watched.events import Event, Kind
from kb.store.conversations import Talk

MOST = 300  # conversations of a page
DECISIONS = ("post", "off")
_LARGEST = 4096  # bytes of a form
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_Answer = Callable[[Request], Awaitable[Response]]


class Board:
    """`token`: the secret of whoever may use it. `server`: GitHub's pages. `wake` is told of each decision."""

    def __init__(self, desk: Desk, token: str, server: str, wake: Callable[[], None]) -> None:
        self._desk, self._token, self._server, self._wake = desk, token.encode(), server, wake
        self._pages = templates()
        self._pages.globals.update(waits=_waits, told=lambda talk: Told.read(talk.said))

    def routes(self) -> list[Route]:
        return [
            Route("/board", self._guarded(self._list)),
            Route("/board/issue", self._guarded(self._issue)),
            Route("/board/style.css", self._guarded(self._style)),
            Route("/board/decide", self._guarded(self._decide), methods=["POST"]),
        ]

    def _guarded(self, page: _Answer) -> _Answer:
        async def answer(request: Request) -> Response:
            if hmac.compare_digest(_password(request), self._token):
                response = await page(request)
            else:
                response = PlainTextResponse("the board's token is the password", 401)
                response.headers["WWW-Authenticate"] = 'Basic realm="triage", charset="UTF-8"'
            response.headers.update(_HEADERS)
            return response

        return answer

    async def _list(self, _: Request) -> Response:
        def context() -> dict[str, Any]:
            talks = sorted(self._desk.store.talks(most=MOST), key=lambda t: not _waits(t))
            faults = {(d.repo, d.detail): d for d in self._desk.store.deeds(what="policy", most=20)}
            return {"talks": talks, "faults": list(faults.values())}

        return self._page("board.html.j2", await run_in_threadpool(context))

    async def _issue(self, request: Request) -> Response:
        key = request.query_params.get("key", "")

        def context() -> dict[str, Any] | None:
            store = self._desk.store
            talk = store.talk(key)
            if talk is None:
                return None
            repo, _, number = talk.ref.rpartition("#")
            seen = {s.sighting.evidence for s in store.sightings() if s.issue == talk.ref and s.sighting.evidence}
            return {
                "talk": talk,
                "address": f"{self._server}/{repo}/issues/{number}",
                "evidence": sorted(seen),
                "deeds": store.deeds(issue=talk.ref, most=50),
                "csrf": self._seal(key),
            }

        found = await run_in_threadpool(context)
        if found is None:
            return PlainTextResponse("no such issue is known here", 404)
        return self._page("board_issue.html.j2", found)

    async def _style(self, _: Request) -> Response:
        with open(os.path.join(TEMPLATES, "board.css"), encoding="utf-8") as f:
            return PlainTextResponse(f.read(), media_type="text/css")

    async def _decide(self, request: Request) -> Response:
        """A decision is an event like any other, so that the worker alone writes conversations."""
        form = await _form(request)
        key, decision = form.get("key", ""), form.get("decision", "")
        if not hmac.compare_digest(form.get("csrf", "").encode(), self._seal(key).encode()):
            return PlainTextResponse("this form is not of this board; load its page again", 403)
        talk = await run_in_threadpool(self._desk.store.talk, key)
        if talk is None or decision not in DECISIONS or not _waits(talk):
            return PlainTextResponse("nothing waits for a decision there", 409)
        repo, _, number = talk.ref.rpartition("#")
        repo_id = int(key.partition("#")[0])
        event = Event(Kind.IGNORED, decision, repo, repo_id, int(number), installation=talk.installation)
        at = self._desk.now()
        delivery = f"board {key} {decision} {at.isoformat()}"
        await run_in_threadpool(self._desk.store.receive, delivery, key, DECIDED, payload(event), at)
        self._wake()
        return RedirectResponse("/board", 303)

    def _page(self, name: str, context: dict[str, Any]) -> Response:
        return HTMLResponse(self._pages.get_template(name).render(context))

    def _seal(self, key: str) -> str:
        """Proves that a form was made here, for this issue: a browser sends the password to any form's target."""
        return hmac.new(self._token, f"board {key}".encode("utf-8", "replace"), sha256).hexdigest()


def _waits(talk: Talk) -> bool:
    return bool(talk.suggestion) and talk.standing == Standing.NONE and not talk.off and not talk.approved


def _password(request: Request) -> bytes:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    try:
        return base64.b64decode(given, validate=True).partition(b":")[2] if scheme.lower() == "basic" else b""
    except (binascii.Error, ValueError):
        return b""


async def _form(request: Request) -> dict[str, str]:
    """The fields of a small form, each once; none of what is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST:
            return {}
    fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10) if body.count(b"&") < 10 else {}
    return {name: values[0] for name, values in fields.items()}
