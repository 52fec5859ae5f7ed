"""Issues and the failures they show, and what people said of the answers. One issue is read and written as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, insert
from sqlmodel import col, func, select

from kb.records import FindingRecord, IssueRecord, Seen, SightingRecord, Unexplained
from kb.store.engine import Opened, table_of, upsert
from kb.store.search import SIGHTING, UNEXPLAINED, searchable
from kb.tables import FindingSeen, IssueSeen, Searchable, Sighting, Verdict


class Sightings(Opened):
    def record_issue(
        self,
        issue: IssueRecord,
        sightings: Sequence[SightingRecord],
        at: datetime,
        *,
        findings: Sequence[FindingRecord] = (),
        unexplained: Sequence[str] = (),
    ) -> None:
        """Write down what an issue shows, in place of what it showed when it was read before."""
        ref = issue.ref
        with self._writing() as session:
            upsert(session, IssueSeen, [{**issue._asdict(), "seen_at": at}], ("ref",))
            for table in (Sighting, FindingSeen):
                session.execute(delete(table_of(table)).where(col(table.issue) == ref))
            session.execute(
                delete(table_of(Searchable)).where(
                    col(Searchable.kind).in_((SIGHTING, UNEXPLAINED)), col(Searchable.ref) == ref
                )
            )
            if sightings:
                rows = {(s.signature, s.problem): {"issue": ref, **s._asdict()} for s in sightings}
                session.execute(insert(table_of(Sighting)), list(rows.values()))
            if findings:
                found = {(f.check, f.artifact): {"issue": ref, **f._asdict()} for f in findings}
                session.execute(insert(table_of(FindingSeen)), list(found.values()))
            words = []
            if sightings:
                body = "\n".join(dict.fromkeys(s.evidence for s in sightings if s.evidence))
                words.append(searchable(SIGHTING, ref, issue.title, body))
            if unexplained:
                words.append(searchable(UNEXPLAINED, ref, issue.title, "\n".join(unexplained)))
            if words:
                session.execute(insert(table_of(Searchable)), words)

    def record_verdict(
        self, issue: str, who: str, said: str, *, maintainer: bool, at: datetime, problem: str = ""
    ) -> bool:
        """Keep that somebody called an answer right or wrong, their newest word; False where the issue is not known.

        Without a problem it is meant of all that the issue shows.
        """
        with self._writing() as session:
            if session.get(IssueSeen, issue) is None:
                return False
            row = {"issue": issue, "problem": problem, "who": who.casefold(), "maintainer": maintainer}
            upsert(session, Verdict, [{**row, "said": said, "said_at": at}], ("issue", "problem", "who"))
            return True

    def withdraw_verdict(self, issue: str, who: str, *, problem: str = "") -> bool:
        """Take a person's word back, as if it had not been said; whether there was one."""
        said = (Verdict.issue == issue, Verdict.problem == problem, Verdict.who == who.casefold())
        with self._writing() as session:
            row = session.exec(select(Verdict).where(*said)).one_or_none()
            if row is not None:
                session.delete(row)
            return row is not None

    def sightings(self, problem: str | None = None) -> tuple[Seen, ...]:
        """The sightings of a problem, or of every one, in the order of their issues."""
        query = select(Sighting, IssueSeen, _said("right"), _said("wrong")).join(
            IssueSeen, col(IssueSeen.ref) == col(Sighting.issue)
        )
        query = query.where(col(Sighting.problem).is_not(None) if problem is None else Sighting.problem == problem)
        with self._reading() as session:
            rows = session.exec(query.order_by(col(Sighting.issue), col(Sighting.id))).all()
            return tuple(
                Seen(
                    issue.ref,
                    issue.reporter,
                    issue.maintainer,
                    issue.last_post_at,
                    issue.open,
                    sighting_record(row),
                    right,
                    wrong,
                )
                for row, issue, right, wrong in rows
            )

    def unexplained(self, most: int = 5_000) -> tuple[Unexplained, ...]:
        """The lines that nothing explains of each issue, of at most so many, those last posted to first."""
        posted = func.coalesce(col(IssueSeen.last_post_at), col(IssueSeen.opened_at))
        query = (
            select(Searchable, IssueSeen)
            .join(IssueSeen, col(IssueSeen.ref) == col(Searchable.ref))
            .where(Searchable.kind == UNEXPLAINED)
            .order_by(posted.is_(None), posted.desc(), col(IssueSeen.ref))
            .limit(most)
        )
        with self._reading() as session:
            rows = session.exec(query).all()
            stated: dict[str, dict[tuple[str, str], None]] = {}
            shown = select(Sighting).where(col(Sighting.issue).in_([issue.ref for _, issue in rows]))
            for s in session.exec(shown.order_by(col(Sighting.id))).all():
                for product, version in ((s.product, s.product_version), (s.component, s.component_version)):
                    if product and version:
                        stated.setdefault(s.issue, {})[product, version] = None
            return tuple(
                Unexplained(
                    issue.ref,
                    issue.reporter,
                    at.date().isoformat() if (at := issue.last_post_at or issue.opened_at) else None,
                    tuple(line for line in words.body.splitlines() if line.strip()),
                    tuple(stated.get(issue.ref, ())),
                )
                for words, issue in rows
            )

    def open_sightings(self) -> dict[str, int]:
        """For each problem, the number of issues not known to be closed that show it at LIKELY or better."""
        query = (
            select(col(Sighting.problem), func.count(func.distinct(col(Sighting.issue))))
            .join(IssueSeen, col(IssueSeen.ref) == col(Sighting.issue))
            .where(col(Sighting.problem).is_not(None), col(IssueSeen.open).is_not(False))
            .where(col(Sighting.certainty).in_(("certain", "likely")))
            .group_by(col(Sighting.problem))
        )
        with self._reading() as session:
            return {problem: count for problem, count in session.exec(query).all() if problem is not None}


def _said(what: str) -> ColumnElement[bool]:
    """Whether a maintainer said this of the sighting, or of all that its issue shows."""
    about = (col(Verdict.problem) == col(Sighting.problem)) | (col(Verdict.problem) == "")
    return exists().where(
        col(Verdict.issue) == col(Sighting.issue), about, col(Verdict.maintainer).is_(True), col(Verdict.said) == what
    )


def sighting_record(row: Sighting) -> SightingRecord:
    return SightingRecord(
        row.signature,
        row.problem,
        row.certainty,
        row.digest,
        row.product,
        row.product_version,
        row.component,
        row.component_version,
        row.verdict,
        row.evidence,
    )
