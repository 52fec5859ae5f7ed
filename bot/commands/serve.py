"""`triage serve`: takes GitHub's webhooks and does the work, in one process."""

from __future__ import annotations

import argparse
import logging

from bot import config
from bot.arguments import add_layers
from bot.errors import InputError
from bot.terminal import say

EXAMPLES = """\
  TRIAGE_WEBHOOK_SECRET_FILE=/run/secrets/hook triage serve
  triage serve --host 0.0.0.0 --port 8080 --poll owner/repo

Webhooks go to /webhook; /health answers while the worker is alive. --poll also asks every five minutes, since GitHub
does not repeat a delivery that was lost.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8080, help="the port to listen on (8080)")
    parser.add_argument("--poll", metavar="OWNER/REPO", action="append", default=[], help="also ask this repository")
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    import uvicorn

    from bot.service.opening import desk
    from bot.service.runner_local import Runner
    from bot.web.app import app

    try:
        secrets = config.webhook_secrets()
    except OSError as e:
        raise InputError(f"the webhook secret cannot be read: {e.strerror or e}: {e.filename}.") from None
    if not secrets:
        raise InputError("no webhook secret is set; TRIAGE_WEBHOOK_SECRET or TRIAGE_WEBHOOK_SECRET_FILE holds it.")
    logging.basicConfig(level=logging.WARNING)
    with desk(tuple(arguments.layers)) as at:
        runner = Runner(at, tuple(arguments.poll))
        runner.start()
        say(f"listening on http://{arguments.host}:{arguments.port}/webhook as {at.own or 'nobody'}; Ctrl-C ends it.")
        try:
            uvicorn.run(app(at, runner, secrets), host=arguments.host, port=arguments.port, log_level="warning")
        finally:
            runner.stop()
    return 0
