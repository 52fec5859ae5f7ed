"""The board: what the bot would say, why it is silent, which fix is where, and a maintainer's yes or no.

Nothing is loaded from elsewhere, no script runs, and every word of an issue is escaped.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.publishing.decide import words_digest
from bot.rendering import TEMPLATES, templates
from bot.service.desk import NO_FAULTS, Desk
from bot.service.inbox import DECIDED, payload
from bot.watched.events import Event, Kind
from bot.web.fixes import address_of, fix_table
from bot.web.guard import NOT_OURS, Guard, form_of
from bot.web.proposals import Proposals
from bot.web.rules import Rules
from bot.web.shown import Shown, grouped
from kb.store.showing import About

MOST = 300  # conversations of a page
DECISIONS = {
    "post": "It is posted as soon as the bot comes to it.",
    "off": "The issue is left alone.",
    "on": "The issue is answered again.",
}


class Board:
    """`token`: the secret of whoever may use it. `server`: GitHub's pages. `wake` is told of each decision. `layers`:
    folders with rules of one's own."""

    def __init__(
        self, desk: Desk, token: str, server: str, wake: Callable[[], None], layers: tuple[str, ...] = ()
    ) -> None:
        self._desk, self._server, self._wake = desk, server, wake
        self._guard = Guard(token)
        self._pages = templates()
        self._pages.globals.update(
            address=lambda change: address_of(change, server), issue_address=lambda ref: issue_address(ref, server)
        )
        self._rules = Rules(desk, self._guard, self._page, layers)
        self._proposals = Proposals(desk, self._guard, self._page)

    def routes(self) -> list[Route]:
        guard = self._guard
        return [
            *self._rules.routes(),
            *self._proposals.routes(),
            Route("/board", guard(self._list)),
            Route("/board/issue", guard(self._issue)),
            Route("/board/fixes", guard(self._fixes)),
            Route("/board/style.css", guard(self._style)),
            Route("/board/decide", guard(self._decide), methods=["POST"]),
        ]

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
            return {
                "shown": shown,
                "evidence": self._desk.store.evidence(shown.talk.ref),
                "deeds": self._desk.store.deeds(issue=shown.talk.ref, most=50),
                "csrf": self._guard.seal(shown.talk.issue, shown.comment),
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
        form = await form_of(request)
        key, decision = form.get("key", ""), form.get("decision", "")
        shown = await run_in_threadpool(self._shown, key)
        if shown is None or not self._guard.holds(form, shown.talk.issue, shown.comment):
            return PlainTextResponse(NOT_OURS.format(what="the comment"), 403)
        if decision not in shown.decisions:
            return PlainTextResponse("nothing waits for that decision there", 409)
        repo, _, number = shown.talk.ref.rpartition("#")
        repo_id = int(key.partition("#")[0])
        why = words_digest(shown.comment) if decision == "post" else ""
        event = Event(Kind.IGNORED, decision, repo, repo_id, int(number), installation=shown.talk.installation, why=why)
        at = self._desk.now()
        delivery = f"board {key} {decision} {at.isoformat()}"
        await run_in_threadpool(self._desk.store.receive, delivery, key, DECIDED, payload(event), at)
        self._wake()
        return RedirectResponse(f"/board?{urlencode({'decided': decision})}", 303)

    def _page(self, name: str, context: dict[str, Any]) -> Response:
        return HTMLResponse(self._pages.get_template(name).render(context))


def issue_address(ref: str, server: str) -> str:
    """The page of an issue."""
    repo, _, number = ref.rpartition("#")
    return f"{server}/{repo}/issues/{number}"
