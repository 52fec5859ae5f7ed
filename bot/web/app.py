"""All that is served, put together."""

from __future__ import annotations

import logging
import time

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.service.desk import UNSIGNED, Desk
from bot.service.runner_local import Runner
from bot.service.running import ingest
from bot.web.webhook import Delivery, webhook
from kb.store import StoreError

_LOG = logging.getLogger("triage")
_TOLD_AGAIN = 3600.0  # seconds between two words on deliveries with a wrong signature: anybody can send those


def app(desk: Desk, runner: Runner, secrets: tuple[str, ...], board: list[Route] | None = None) -> Starlette:
    """/webhook for GitHub, /health for whoever keeps the process running, and the board's pages where there is one."""

    def receive(delivery: Delivery) -> bool:
        new = ingest(desk, delivery.id, delivery.event)
        if new:
            runner.wake()
        return new

    told: list[float] = []

    def unsigned() -> None:
        if told and time.monotonic() - told[-1] < _TOLD_AGAIN:
            return
        told[:] = [time.monotonic()]
        _LOG.warning("a delivery is refused: it is not signed with a secret that is set here")
        try:
            desk.log("", "", UNSIGNED)
        except StoreError as e:
            _LOG.warning("which is not written down: %s", e)

    async def health(_: Request) -> Response:
        trouble = runner.trouble()
        return PlainTextResponse(trouble or "alive", 503 if trouble else 200)

    async def unusable(_: Request, e: Exception) -> Response:
        return PlainTextResponse(f"{e}", 503)

    endpoint = webhook(secrets, receive, own=desk.own, failed=runner.falters, unsigned=unsigned)
    return Starlette(
        routes=[
            Route("/webhook", endpoint, methods=["POST"]),
            Route("/health", health),
            *(board or ()),
        ],
        exception_handlers={StoreError: unusable},
    )
