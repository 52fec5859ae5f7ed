"""What the board shows of issues beside their conversations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import col, select

from kb.store.engine import Opened
from kb.tables import Conversation, IssueSeen, Outbox, Sighting
from signatures.values import NamedTuple


class About(NamedTuple):
    """`wanted`: the comment that the issue should have, "" for none. `open` None: not known."""

    title: str = ""
    open: bool | None = None
    wanted: str = ""
    changed_at: datetime | None = None


class Showing(Opened):
    def about(self, issues: Sequence[str]) -> dict[str, About]:
        """By issue, as conversations name it; only those that have a conversation."""
        query = (
            select(Conversation, IssueSeen, Outbox)
            .outerjoin(IssueSeen, col(IssueSeen.ref) == col(Conversation.ref))
            .outerjoin(Outbox, col(Outbox.issue) == col(Conversation.issue))
            .where(col(Conversation.issue).in_(issues))
        )
        with self._reading() as session:
            return {talk.issue: _about(talk, seen, out) for talk, seen, out in session.exec(query).all()}

    def evidence(self, ref: str) -> tuple[str, ...]:
        """The words, redacted, on which an issue's sightings rest, each once."""
        query = select(Sighting.evidence).where(Sighting.issue == ref).order_by(col(Sighting.id))
        with self._reading() as session:
            return tuple(dict.fromkeys(words for words in session.exec(query).all() if words))


def _about(talk: Conversation, seen: IssueSeen | None, out: Outbox | None) -> About:
    title, is_open = (seen.title, seen.open) if seen is not None else ("", None)
    return About(title, is_open, out.body if out is not None else "", talk.changed_at)
