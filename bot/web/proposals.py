"""What `triage watch` proposes, on the board: each edit with its state, and a maintainer's no, which can be taken back.

A yes is `git apply`: the board edits no file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.service.desk import Desk
from bot.web.guard import NOT_OURS, Guard, form_of
from kb.proposals import short_id
from kb.records import Proposed

MOST = 300
_SHOWN = 8_000  # characters of a diff
_DONE = {"refused": "Refused; the same edit is not proposed again.", "reopened": "Open again."}


class Row(NamedTuple):
    """`newest`: of those about the same thing."""

    made: Proposed
    newest: bool
    csrf: str

    @property
    def id(self) -> str:
        return short_id(self.made.proposal)

    @property
    def diff(self) -> str:
        """At most what a page can hold, in whole lines."""
        text = self.made.proposal.diff
        return text if len(text) <= _SHOWN else text[:_SHOWN].rpartition("\n")[0]

    @property
    def is_cut(self) -> bool:
        return len(self.made.proposal.diff) > _SHOWN


class Proposals:
    """The page. `page` makes one of a template and its values."""

    def __init__(self, desk: Desk, guard: Guard, page: Callable[[str, dict[str, Any]], Response]) -> None:
        self._desk, self._guard, self._page = desk, guard, page

    def routes(self) -> list[Route]:
        return [
            Route("/board/proposals", self._guard(self._list)),
            Route("/board/settle", self._guard(self._settle), methods=["POST"]),
        ]

    async def _list(self, request: Request) -> Response:
        rows = await run_in_threadpool(self._rows)
        looks = await run_in_threadpool(self._desk.store.job_runs, "answers", 1)
        return self._page(
            "board_proposals.html.j2",
            {
                "open": [r for r in rows if r.made.proposal.state == "open"],
                "settled": [r for r in rows if r.made.proposal.state != "open"],
                "looked": looks[0].ended_at if looks else None,
                "said": _DONE.get(request.query_params.get("done", "")),
                "most": MOST if len(rows) == MOST else None,
            },
        )

    def _rows(self) -> list[Row]:
        rows: list[Row] = []
        met: set[str] = set()
        for made in self._desk.store.proposed(MOST):
            p = made.proposal
            rows.append(Row(made, p.key not in met, self._guard.seal("proposal", p.key, p.state, p.diff)))
            met.add(p.key)
        return rows

    async def _settle(self, request: Request) -> Response:
        form = await form_of(request)
        key, decision = form.get("key", ""), form.get("decision", "")
        done = await run_in_threadpool(self._settled, key, decision, form)
        if done is None:
            return PlainTextResponse(NOT_OURS.format(what="the proposal"), 403)
        if not done:
            return PlainTextResponse("nothing waits for that decision there", 409)
        return RedirectResponse(f"/board/proposals?{urlencode({'done': done})}", 303)

    def _settled(self, key: str, decision: str, form: dict[str, str]) -> str | None:
        """What was done, "" for nothing; None for a form of something else."""
        store = self._desk.store
        for row in self._rows():
            p = row.made.proposal
            if p.key == key and self._guard.holds(form, "proposal", p.key, p.state, p.diff):
                if decision == "refuse" and store.settle_proposal(key, "refused", self._desk.now()):
                    return "refused"
                return "reopened" if decision == "reopen" and store.reopen_proposal(key) else ""
        return None
