"""`triage event`: handles the event that started a workflow of GitHub Actions."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from bot import config
from bot.arguments import add_layers
from bot.commands.issue import told
from bot.errors import InputError
from bot.service.desk import Desk
from bot.service.inbox import about
from bot.service.opening import desk
from bot.service.running import ingest, work_off
from bot.terminal import say
from bot.watched.events import LARGEST, BadPayload, Event, Kind, read_event

EXAMPLES = """\
  triage event                           # in a workflow: GITHUB_EVENT_NAME and GITHUB_EVENT_PATH name the event
  triage event --name issues event.json  # a file with the same content

deploy/action is an action that runs it. An event that nothing is to be done about is said and is no error.
exit code: 0 done, or nothing was to be done; 2 bad input, or it failed, which is said
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE", help="the payload (GITHUB_EVENT_PATH)")
    parser.add_argument("--name", help="the event's name: issues, issue_comment, ... (GITHUB_EVENT_NAME)")
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    named, path, run_of = config.github_event()
    name, file = arguments.name or named, arguments.file or path
    if not name or not file:
        raise InputError("no event is named; GitHub Actions sets GITHUB_EVENT_NAME and GITHUB_EVENT_PATH.")
    body = _body(file)
    began = datetime.now(UTC)
    _event(name, body, "", file)  # what is no event at all needs no account
    with desk(tuple(arguments.layers), at_once=True) as at:
        event = _event(name, body, at.own, file)
        if event.kind is Kind.IGNORED:
            say(f"{name}: nothing to do: {event.why}.")
            return 0
        ingest(at, f"event {run_of or began.isoformat()}", event)
        work_off(at, about(event))
        return _told(at, event, began)


def _told(at: Desk, event: Event, began: datetime) -> int:
    if not event.number:
        say(f"{event.kind}: taken note of.")
        return 0
    return told(at, f"{event.repo_id}#{event.number}", f"{event.repo}#{event.number}", began)


def _event(name: str, body: bytes, own: str, file: str) -> Event:
    try:
        return read_event(name, body, own)
    except BadPayload as e:
        raise InputError(f"{file}: {e}.") from None


def _body(file: str) -> bytes:
    try:
        with open(file, "rb") as f:
            return f.read(LARGEST + 1)
    except OSError as e:
        raise InputError(f"the event cannot be read: {e.strerror or e}: {file}.") from None
