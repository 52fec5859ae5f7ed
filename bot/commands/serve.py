"""`triage serve`: takes GitHub's webhooks and does the work, in one process."""

from __future__ import annotations

import argparse
import logging
import signal
import socket
import sys

from bot import config
from bot.arguments import add_layers
from bot.errors import InputError
from bot.refs import repository
from bot.terminal import say

EXAMPLES = """\
  TRIAGE_WEBHOOK_SECRET_FILE=/run/secrets/hook triage serve
  triage serve --host 0.0.0.0 --port 8080 --poll owner/repo

Webhooks go to /webhook; /health is 200 while the work gets done, else 503 and the log says why; with TRIAGE_BOARD_TOKEN
set, /board shows what the bot would say, and takes a maintainer's yes or no. --poll also asks every five minutes, since
GitHub does not repeat a delivery that was lost or, with the database out of reach, refused with 503.
exit code: 0 ended by SIGTERM, 130 by Ctrl-C; 2 a setting is wrong, and `triage doctor` looks at each
"""
SHORTEST_TOKEN = 20  # characters


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8080, help="the port to listen on (8080)")
    parser.add_argument("--poll", metavar="OWNER/REPO", action="append", default=[], help="also ask this repository")
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    import uvicorn

    from bot.commands.issue import paused
    from bot.service.opening import desk
    from bot.service.runner_local import Runner
    from bot.web.app import app
    from bot.web.board import Board

    secrets, token = _secrets(), board_token()
    repos = tuple(repository(repo) for repo in arguments.poll)
    logging.basicConfig(level=logging.WARNING)
    # the server raises the signal once more behind its own end; what is being done is finished then
    signal.signal(signal.SIGTERM, _end)
    with desk(tuple(arguments.layers)) as at, _listening(arguments.host, arguments.port) as listening:
        runner = Runner(at, repos)
        runner.start()
        port = listening.getsockname()[1]
        say(f"listening on http://{arguments.host}:{port}/webhook as {at.own or 'nobody'}; Ctrl-C ends it.")
        if at.braked():
            say(f"paused: {paused(at)}.")
        sys.stdout.flush()  # a service manager reads it from a pipe
        try:
            layers, server = tuple(arguments.layers), config.github_server()
            board = Board(at, token, server, runner.wake, layers).routes() if token else None
            settings = uvicorn.Config(app(at, runner, secrets, board), log_level="warning", lifespan="off")
            uvicorn.Server(settings).run([listening])
        finally:
            runner.stop()
    return 0


def _end(*_: object) -> None:
    raise SystemExit(0)


def _secrets() -> tuple[str, ...]:
    try:
        secrets = config.webhook_secrets()
    except OSError as e:
        raise InputError(f"the webhook secret cannot be read: {e.strerror or e}: {e.filename}.") from None
    except UnicodeDecodeError:
        raise InputError(
            "the file of TRIAGE_WEBHOOK_SECRET_FILE is no text; it holds a secret, or one a line."
        ) from None
    if not secrets:
        raise InputError("no webhook secret is set; TRIAGE_WEBHOOK_SECRET or TRIAGE_WEBHOOK_SECRET_FILE holds it.")
    return secrets


def board_token() -> str | None:
    """The secret of whoever may use the board, None for no board. Raises InputError for one that is of no use."""
    try:
        token = config.board_token()
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"the file of TRIAGE_BOARD_TOKEN_FILE cannot be read: {e}.") from None
    if token is not None and len(token) < SHORTEST_TOKEN:
        how = "`openssl rand -hex 32` makes one"
        raise InputError(f"TRIAGE_BOARD_TOKEN is shorter than {SHORTEST_TOKEN} characters and can be guessed; {how}.")
    return token


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as e:
        why = f"{getattr(e, 'strerror', None) or e}".rstrip(".")
        raise InputError(f"{host}:{port} cannot be listened on: {why}.") from None
