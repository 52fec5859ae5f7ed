"""The board: what the bot would say, why it is silent, which fix is where, and a maintainer's yes or no.

Whoever has the board's token may see and decide: a browser asks for it as the password of any name. Nothing is loaded
from elsewhere, no script runs, and every word of an issue is escaped.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
from collections.abc import Awaitable, Callable
from datetime import date
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.rendering import TEMPLATES, templates
from bot.service.desk import NO_FAULTS, Desk
from bot.service.inbox import DECIDED, payload
from bot.watched.events import Event, Kind
from bot.web.fixes import address_of, fix_table
from bot.web.shown import Shown, grouped
from kb.store.showing import About

MOST = 300  # conversations of a page
DECISIONS = {
    "post": "It is posted as soon as the bot comes to it.",
    "off": "The issue is left alone.",
    "on": "The issue is answered again.",
}
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
        self._pages.globals.update(address=lambda change: address_of(change, server))

    def routes(self) -> list[Route]:
        return [
            Route("/board", self._guarded(self._list)),
            Route("/board/issue", self._guarded(self._issue)),
            Route("/board/fixes", self._guarded(self._fixes)),
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

    async def _list(self, request: Request) -> Response:
        def context() -> dict[str, Any]:
            store = self._desk.store
            talks = store.talks(most=MOST)
            about = store.about([t.issue for t in talks])
            return {
                "groups": grouped([Shown(t, about.get(t.issue, About())) for t in talks]),
                "most": MOST if len(talks) == MOST else None,
                "faults": self._faults(),
                "said": DECISIONS.get(request.query_params.get("decided", "")),
            }

        return self._page("board.html.j2", await run_in_threadpool(context))

    def _faults(self) -> dict[str, list[str]]:
        """What is wrong in each repository's policy, as it was read last."""
        newest: dict[str, str] = {}
        for deed in self._desk.store.deeds(what="policy", most=MOST):
            newest.setdefault(deed.repo, deed.detail)
        return {repo: said.splitlines() for repo, said in sorted(newest.items()) if said != NO_FAULTS}

    async def _issue(self, request: Request) -> Response:
        key = request.query_params.get("key", "")

        def context() -> dict[str, Any] | None:
            shown = self._shown(key)
            if shown is None:
                return None
            repo, _, number = shown.talk.ref.rpartition("#")
            return {
                "shown": shown,
                "address": f"{self._server}/{repo}/issues/{number}",
                "evidence": self._desk.store.evidence(shown.talk.ref),
                "deeds": self._desk.store.deeds(issue=shown.talk.ref, most=50),
                "csrf": self._seal(shown),
            }

        found = await run_in_threadpool(context)
        if found is None:
            return PlainTextResponse("no such issue is known here", 404)
        return self._page("board_issue.html.j2", found)

    def _shown(self, key: str) -> Shown | None:
        talk = self._desk.store.talk(key)
        return Shown(talk, self._desk.store.about([key]).get(key, About())) if talk is not None else None

    async def _fixes(self, request: Request) -> Response:
        asked = request.query_params.get("as_of", "")[:40].strip()
        try:
            day = date.fromisoformat(asked).isoformat() if asked else None
        except ValueError:
            return PlainTextResponse("as_of is no date; write it like 2026-06-11", 400)

        def context() -> dict[str, Any]:
            knowledge = self._desk.known().knowledge
            today = self._desk.now().date().isoformat()
            return {"table": fix_table(knowledge, self._desk.store, day, today), "day": day}

        return self._page("board_fixes.html.j2", await run_in_threadpool(context))

    async def _style(self, _: Request) -> Response:
        with open(os.path.join(TEMPLATES, "board.css"), encoding="utf-8") as f:
            return PlainTextResponse(f.read(), media_type="text/css")

    async def _decide(self, request: Request) -> Response:
        """A decision is an event like any other, so that the worker alone writes conversations."""
        form = await _form(request)
        key, decision = form.get("key", ""), form.get("decision", "")
        shown = await run_in_threadpool(self._shown, key)
        if shown is None or not hmac.compare_digest(form.get("csrf", "").encode(), self._seal(shown).encode()):
            return PlainTextResponse("this form is not of this board, or the comment has changed; load it again", 403)
        if decision not in shown.decisions:
            return PlainTextResponse("nothing waits for that decision there", 409)
        repo, _, number = shown.talk.ref.rpartition("#")
        repo_id = int(key.partition("#")[0])
        event = Event(Kind.IGNORED, decision, repo, repo_id, int(number), installation=shown.talk.installation)
        at = self._desk.now()
        delivery = f"board {key} {decision} {at.isoformat()}"
        await run_in_threadpool(self._desk.store.receive, delivery, key, DECIDED, payload(event), at)
        self._wake()
        return RedirectResponse(f"/board?{urlencode({'decided': decision})}", 303)

    def _page(self, name: str, context: dict[str, Any]) -> Response:
        return HTMLResponse(self._pages.get_template(name).render(context))

    def _seal(self, shown: Shown) -> str:
        """Proves that a form was made here, for this issue and for the words that stood beside it: a browser sends the
        password to any form's target."""
        words = f"board {shown.talk.issue} {shown.comment}"
        return hmac.new(self._token, words.encode("utf-8", "replace"), sha256).hexdigest()


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
