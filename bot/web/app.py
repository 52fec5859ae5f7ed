"""All that is served, put together."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.service.desk import Desk
from bot.service.runner_local import Runner
from bot.service.running import ingest
from bot.web.webhook import Delivery, webhook
from kb.store import StoreError


def app(desk: Desk, runner: Runner, secrets: tuple[str, ...], board: list[Route] | None = None) -> Starlette:
    """/webhook for GitHub, /health for whoever keeps the process running, and the board's pages where there is one."""

    def receive(delivery: Delivery) -> bool:
        new = ingest(desk, delivery.id, delivery.event)
        if new:
            runner.wake()
        return new

    async def health(_: Request) -> Response:
        trouble = runner.trouble()
        return PlainTextResponse(trouble or "alive", 503 if trouble else 200)

    async def unusable(_: Request, e: Exception) -> Response:
        return PlainTextResponse(f"{e}", 503)

    return Starlette(
        routes=[
            Route("/webhook", webhook(secrets, receive, own=desk.own, failed=runner.falters), methods=["POST"]),
            Route("/health", health),
            *(board or ()),
        ],
        exception_handlers={StoreError: unusable},
    )
