"""Signatures in shadow on the board: what each recognised, a maintainer's word on it, and its promotion.

A word is kept as `triage record --says` keeps it. A promotion is the edit that `triage promote` makes, as a proposal:
the board edits no file.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.authoring.rule_life import Rule, life_of, rules_of
from bot.service.desk import Desk
from bot.terminal import one_line
from bot.watching.files import signature_files
from bot.web.guard import NOT_OURS, Guard, form_of, named
from kb.records import ProposalRecord, Shows
from kb.upkeep import Tally, asked, asked_promotion, is_ready
from signatures.model import Stage

BOARD = "the board"  # no login has a space in it
MOST = 300  # sightings of a page
_WORDS = ("right", "wrong", "open")  # the last takes the board's word back
Page = Callable[[str, dict[str, Any]], Response]


class InShadow(NamedTuple):
    """A signature in shadow, with the problems that it would show and how it has done."""

    rule: Rule
    problems: tuple[str, ...]
    tally: Tally

    @property
    def id(self) -> str:
        return self.rule.file.signature.id

    @property
    def unreviewed(self) -> int:
        return self.tally.issues - len(self.tally.right) - len(self.tally.wrong)

    @property
    def state(self) -> str:
        if is_ready(self.tally, self.rule.upkeep.promote_at):
            return "ready"
        if self.tally.wrong:
            return "doubted"
        return "seen" if self.tally.issues else "unseen"


class Reviewed(NamedTuple):
    """One sighting. `word`: right, wrong, or "" while no maintainer said anything; `own`: the board's own word."""

    shows: Shows
    word: str
    own: str
    csrf: str

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(who for who, _ in self.shows.by if who != BOARD)


_GROUPS = (
    ("Ready to be promoted", "Called right often enough, and never wrong.", "ready"),
    ("Called wrong", "To be narrowed, or promoted in spite of it.", "doubted"),
    ("Seen", "What waits for a review stands first.", "seen"),
    ("Not seen", "No report that is kept here shows them.", "unseen"),
)


class Rules:
    """The pages. `page` makes one of a template and its values; `layers` are folders with rules of one's own."""

    def __init__(self, desk: Desk, guard: Guard, page: Page, layers: tuple[str, ...]) -> None:
        self._desk, self._guard, self._page, self._layers = desk, guard, page, layers

    def routes(self) -> list[Route]:
        return [
            Route("/board/rules", self._guard(self._list)),
            Route("/board/rule", self._guard(self._rule)),
            Route("/board/review", self._guard(self._review), methods=["POST"]),
            Route("/board/promote", self._guard(self._promote), methods=["POST"]),
        ]

    async def _list(self, _: Request) -> Response:
        def context() -> dict[str, Any]:
            rows = sorted(self._in_shadow(), key=lambda r: (-r.unreviewed, r.id))
            groups = [(title, hint, [r for r in rows if r.state == state]) for title, hint, state in _GROUPS]
            return {"groups": [group for group in groups if group[2]]}

        return self._page("board_rules.html.j2", await run_in_threadpool(context))

    async def _rule(self, request: Request) -> Response:
        asked_for, name = request.query_params.get("id", ""), named(request)
        said, about = request.query_params.get("said", ""), request.query_params.get("issue", "")

        def context() -> dict[str, Any] | None:
            found = self._in_shadow(asked_for)
            if not found:
                return None
            (row,) = found
            sightings = self._sightings(row)
            unreviewed = [s for s in sightings if not s.word]
            return {
                "row": row,
                "unreviewed": unreviewed[:MOST],
                "left_out": max(0, len(unreviewed) - MOST),
                "reviewed": [s for s in sightings if s.word][:MOST],
                "last": next((s for s in sightings if s.shows.issue == about and said == (s.own or "open")), None),
                "proposal": self._open_promotion(row.id),
                "name": name,
                "csrf": self._guard.seal("promote", row.id),
            }

        values = await run_in_threadpool(context)
        if values is None:
            return PlainTextResponse("no such rule is in shadow; it may have been promoted", 404)
        return self._page("board_rule.html.j2", values)

    async def _review(self, request: Request) -> Response:
        form = await form_of(request)
        id_, issue, word = form.get("rule", ""), form.get("issue", ""), form.get("word", "")
        shows = await run_in_threadpool(self._shown, id_, issue)
        if shows is None or not self._guard.holds(form, "review", id_, issue, shows.evidence):
            return PlainTextResponse(NOT_OURS.format(what="what the issue shows"), 403)
        if word not in _WORDS:
            return PlainTextResponse("a sighting is right or wrong", 409)
        await run_in_threadpool(self._keep_word, id_, issue, word)
        return RedirectResponse(f"/board/rule?{urlencode({'id': id_, 'said': word, 'issue': issue})}", 303)

    async def _promote(self, request: Request) -> Response:
        form = await form_of(request)
        id_, by = form.get("rule", ""), one_line(form.get("by", ""), 100)
        if not self._guard.holds(form, "promote", id_) or not await run_in_threadpool(self._in_shadow, id_):
            return PlainTextResponse(NOT_OURS.format(what="the rule"), 403)
        if not by:
            return PlainTextResponse("nobody is named who stands up for it; go back, and write a name", 409)
        why = one_line(form.get("why", ""), 400) or None
        at = self._desk.now()
        await run_in_threadpool(self._propose, id_, by, why, at)
        return RedirectResponse("/board/proposals", 303)

    def _in_shadow(self, id_: str | None = None) -> list[InShadow]:
        """All of them, or the one that is asked for."""
        known = self._desk.known()
        signatures = (s.id for s in known.catalogue.signatures if s.stage is Stage.SHADOW)
        wanted = frozenset(s for s in signatures if id_ is None or s == id_)
        if not wanted:
            return []
        tallies = life_of(self._desk.store, known.knowledge).tallies
        shows: dict[str, list[str]] = {}
        for problem in known.knowledge.problems:
            for symptom in problem.symptoms:
                shows.setdefault(symptom.signature, []).append(problem.id)
        return [
            InShadow(rule, tuple(dict.fromkeys(shows.get(name, ()))), tallies.get(name, Tally()))
            for rule in rules_of(self._layers, wanted)[0]
            if (name := rule.file.signature.id) in wanted
        ]

    def _sightings(self, row: InShadow) -> list[Reviewed]:
        words = dict.fromkeys(row.tally.right, "right") | dict.fromkeys(row.tally.wrong, "wrong")
        return [
            Reviewed(
                shows,
                words.get(shows.issue, ""),
                next(("right" if is_right else "wrong" for who, is_right in shows.by if who == BOARD), ""),
                self._guard.seal("review", row.id, shows.issue, shows.evidence),
            )
            for shows in self._desk.store.shown_by(row.id)
        ]

    def _shown(self, id_: str, issue: str) -> Shows | None:
        if not self._in_shadow(id_):
            return None
        return next((s for s in self._desk.store.shown_by(id_) if s.issue == issue), None)

    def _keep_word(self, id_: str, issue: str, word: str) -> None:
        store, repo = self._desk.store, issue.rpartition("#")[0]
        if word == "open":
            if store.withdraw_verdict(issue, BOARD, problem=id_):
                self._desk.log(repo, issue, "reviewed", BOARD, f"{id_}: the board's word is taken back")
        elif store.record_verdict(issue, BOARD, word, maintainer=True, at=self._desk.now(), problem=id_):
            self._desk.log(repo, issue, "reviewed", BOARD, f"{id_} is {word}")

    def _propose(self, id_: str, by: str, why: str | None, at: datetime) -> None:
        store = self._desk.store
        for _, file in signature_files(list(self._layers), frozenset((id_,))):
            proposal = asked_promotion(id_, file, at.date().isoformat(), by, why)
            # the same that was refused is wanted after all
            if proposal is not None and not store.record_proposal(proposal, at):
                store.reopen_proposal(proposal.key)

    def _open_promotion(self, id_: str) -> ProposalRecord | None:
        keys = (f"promote {id_}", asked(id_))
        return next((p for p in self._desk.store.proposals() if p.key in keys), None)
