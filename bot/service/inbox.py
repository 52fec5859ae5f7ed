"""Events as the inbox holds them: the kinds of the bot's own beside GitHub's, and which issue each is about."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from bot.service.desk import Place
from bot.watched.events import Event, Kind

CHECK = "check"  # kind of an event of the bot's own: open the models that an issue names
DECIDED = "decided"  # another: a maintainer's word on the board, in its action
REVISIT = "revisit"  # another: read an issue again, since what is known has changed
OWED = "owed"  # another: a reaction to a comment, in its action, that could not be given when that was heard
POLLED = "polled"  # action of an event that a list showed
ASKED = "asked"  # action of an event that a person waits for
OWN = (CHECK, REVISIT, DECIDED)


def key_of(place: Place, number: int) -> str:
    return f"{place.id}#{number}"


class Came(NamedTuple):
    """One event of the inbox: its kind there, and when it was taken in."""

    kind: str
    event: Event
    at: datetime


def about(event: Event) -> str:
    """The issue that an event is about, as the inbox has it."""
    return f"{event.repo_id}#{event.number}"


def payload(event: Event) -> dict[str, Any]:
    """An event as it is kept in the inbox."""
    return {**event._asdict(), "kind": event.kind.value}


def event_of(kept: dict[str, Any]) -> Event:
    return Event(**{**kept, "kind": Kind(kept["kind"])})
