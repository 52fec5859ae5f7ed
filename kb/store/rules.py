"""Signatures as sightings show them: how often and when each was seen, what maintainers said of it, and the words that
are kept of reports."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, func, select

from kb.records import ANSWER, Judged, KeptReport, RuleSeen, Shows, Word
from kb.store.engine import Opened
from kb.store.search import UNEXPLAINED
from kb.store.sightings import sighting_record
from kb.tables import Conversation, IssueSeen, Searchable, Sighting, Verdict

_WRITTEN = func.coalesce(col(IssueSeen.last_post_at), col(IssueSeen.opened_at), col(IssueSeen.seen_at))
_RETRACTED = ("retracting", "retracted")  # standings of a comment that a maintainer called wrong


class Rules(Opened):
    def rules_seen(self) -> tuple[RuleSeen, ...]:
        """Every signature that an issue shows."""
        query = (
            select(col(Sighting.signature), func.count(func.distinct(col(Sighting.issue))), func.max(_WRITTEN))
            .join(IssueSeen, col(IssueSeen.ref) == col(Sighting.issue))
            .group_by(col(Sighting.signature))
            .order_by(col(Sighting.signature))
        )
        with self._reading() as session:
            return tuple(RuleSeen(*row) for row in session.exec(query).all())

    def seeing_since(self) -> datetime | None:
        """When the first of the issues that are kept was written down; None where none is."""
        with self._reading() as session:
            return session.exec(select(func.min(IssueSeen.seen_at))).one()

    def signatures_of(self, issue: str) -> frozenset[str]:
        """The signatures that an issue showed when it was read last."""
        with self._reading() as session:
            return frozenset(session.exec(select(Sighting.signature).where(Sighting.issue == issue)).all())

    def shown_by(self, signature: str) -> tuple[Shows, ...]:
        """Each issue that shows a signature, the one written last first."""
        query = (
            select(Sighting, IssueSeen, _WRITTEN)
            .join(IssueSeen, col(IssueSeen.ref) == col(Sighting.issue))
            .where(Sighting.signature == signature)
            .order_by(_WRITTEN.desc(), col(Sighting.issue), col(Sighting.id))
        )
        talks = select(Conversation.ref, Conversation.issue).join(
            Sighting, (col(Sighting.issue) == col(Conversation.ref)) & (col(Sighting.signature) == signature)
        )
        about = select(Verdict).where(Verdict.problem == signature, col(Verdict.maintainer).is_(True))
        with self._reading() as session:
            keys = dict(session.exec(talks).all())
            by: dict[str, list[tuple[str, bool]]] = {}
            for v in session.exec(about.order_by(col(Verdict.id))).all():
                by.setdefault(v.issue, []).append((v.who, v.said == "right"))
            found: dict[str, Shows] = {}
            for row, issue, written in session.exec(query).all():
                key, said = keys.get(issue.ref), tuple(by.get(issue.ref, ()))
                shows = Shows(issue.ref, issue.title, issue.open, written, row.certainty, row.evidence, key, said)
                found.setdefault(issue.ref, shows)
            return tuple(found.values())

    def judged(self) -> tuple[Judged, ...]:
        """The sightings of issues of which a maintainer said something, to the bot or to `triage record`."""
        with self._reading() as session:
            words = _words(session)
            query = select(Sighting, _WRITTEN).join(IssueSeen, col(IssueSeen.ref) == col(Sighting.issue))
            rows = session.exec(query.order_by(col(Sighting.issue), col(Sighting.id))).all() if words else ()
            return tuple(
                Judged(row.issue, row.signature, row.problem, written, tuple(words[row.issue]))
                for row, written in rows
                if row.issue in words
            )

    def kept_reports(self, most: int) -> tuple[KeptReport, ...]:
        """What is kept of the issues that were read last, at most so many, in the order of their names."""
        newest = select(IssueSeen).order_by(col(IssueSeen.seen_at).desc(), col(IssueSeen.ref)).limit(most)
        with self._reading() as session:
            issues = {row.ref: row.title for row in session.exec(newest).all()}
            sightings: dict[str, list[Sighting]] = {}
            for row in session.exec(select(Sighting).order_by(col(Sighting.id))).all():
                sightings.setdefault(row.issue, []).append(row)
            odd = select(Searchable.ref, Searchable.body).where(Searchable.kind == UNEXPLAINED)
            unexplained = dict(session.exec(odd).all())
            return tuple(
                KeptReport(ref, title, tuple(map(sighting_record, sightings.get(ref, ()))), unexplained.get(ref, ""))
                for ref, title in sorted(issues.items())
            )


def _words(session: Session) -> dict[str, list[Word]]:
    """What maintainers said, by issue. A conversation holds what still stands of it: `rerun` takes `wrong` back."""
    found: dict[str, list[Word]] = {}
    for verdict in session.exec(select(Verdict).where(col(Verdict.maintainer).is_(True)).order_by(col(Verdict.id))):
        found.setdefault(verdict.issue, []).append(Word(verdict.problem, verdict.said == "right"))
    said = select(Conversation.ref, Conversation.known, Conversation.refused, Conversation.standing)
    for ref, known, refused, standing in session.exec(said.order_by(col(Conversation.issue))):
        words = [*(Word(p, True) for p in known), *(Word(p, False) for p in refused)]
        words += [Word(ANSWER, False)] if standing in _RETRACTED else []
        if words:
            found.setdefault(ref, []).extend(words)
    return found
