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


def app(desk: Desk, runner: Runner, secrets: tuple[str, ...], board: list[Route] | None = None) -> Starlette:
    """/webhook for GitHub, /health for whoever keeps the process running, and the board's pages where there is one."""

    def receive(delivery: Delivery) -> bool:
        new = ingest(desk, delivery.id, delivery.event)
        if new:
            runner.wake()
        return new

    async def health(_: Request) -> Response:
        alive = runner.is_alive()
        return PlainTextResponse("alive" if alive else "the worker does not come back", 200 if alive else 503)

    return Starlette(
        routes=[
            Route("/webhook", webhook(secrets, receive, own=desk.own), methods=["POST"]),
            Route("/health", health),
            *(board or ()),
        ]
    )
