"""What watchers write: releases, bundles, edges; what servers said; runs; proposals.

Every row keeps its source and the moment it was written. Writing what is known already changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import case
from sqlmodel import col, select

from kb.records import (
    BundleRecord,
    EdgeRecord,
    JobRecord,
    ProposalRecord,
    Proposed,
    ReleaseRecord,
    Remembered,
)
from kb.store.engine import Opened, upsert
from kb.tables import (
    BundleSeen,
    ChangeSeen,
    JobRun,
    ProposalRow,
    ReleaseSeen,
    RememberedRow,
)

_RELEASE_KEY = ("product", "version", "source")
_BUNDLE_KEY = ("product", "version", "component", "source")
_EDGE_KEY = ("change", "component", "version", "source")


class Watched(Opened):
    def record_release(self, seen: ReleaseRecord, at: datetime) -> bool:
        """Whether it says anything that was not known."""
        return self.record_releases((seen,), at) > 0

    def record_releases(self, seen: Sequence[ReleaseRecord], at: datetime) -> int:
        """The number of rows that are new or changed."""
        return self._record(ReleaseSeen, seen, _RELEASE_KEY, at)

    def record_bundle(self, seen: BundleRecord, at: datetime) -> bool:
        return self.record_bundles((seen,), at) > 0

    def record_bundles(self, seen: Sequence[BundleRecord], at: datetime) -> int:
        return self._record(BundleSeen, seen, _BUNDLE_KEY, at)

    def record_edges(self, seen: Sequence[EdgeRecord], at: datetime) -> int:
        """Edges of the delivery graph; an earlier reading of a source never replaces a later one."""
        return self._record(ChangeSeen, seen, _EDGE_KEY, at, newer="read_to")

    def releases(self) -> tuple[ReleaseRecord, ...]:
        order = (col(ReleaseSeen.product), col(ReleaseSeen.version), col(ReleaseSeen.source))
        with self._reading() as session:
            rows = session.exec(select(ReleaseSeen).order_by(*order)).all()
            return tuple(ReleaseRecord(r.product, r.version, r.date, r.by, r.source, r.note) for r in rows)

    def bundles(self) -> tuple[BundleRecord, ...]:
        order = (col(BundleSeen.product), col(BundleSeen.version), col(BundleSeen.component), col(BundleSeen.source))
        with self._reading() as session:
            rows = session.exec(select(BundleSeen).order_by(*order)).all()
            return tuple(BundleRecord(r.product, r.version, r.component, r.component_version, r.source) for r in rows)

    def edges(self) -> tuple[EdgeRecord, ...]:
        order = (
            col(ChangeSeen.change),
            col(ChangeSeen.component),
            col(ChangeSeen.version),
            col(ChangeSeen.source),
        )
        with self._reading() as session:
            rows = session.exec(select(ChangeSeen).order_by(*order)).all()
            return tuple(
                EdgeRecord(
                    r.change, r.component, r.version, r.carried, r.how, r.source, r.date, r.confidence, r.read_to
                )
                for r in rows
            )

    def etag_of(self, key: str) -> Remembered | None:
        """What a server said of a list when it was read last; `key` is the list's address."""
        with self._reading() as session:
            row = session.get(RememberedRow, key)
            return Remembered(row.etag, row.modified, row.cursor) if row is not None else None

    def remember_etag(self, key: str, said: Remembered, at: datetime) -> None:
        with self._writing() as session:
            upsert(session, RememberedRow, [{"key": key, **said._asdict(), "seen_at": at}], ("key",))

    def record_job_run(self, run: JobRecord) -> None:
        with self._writing() as session:
            session.add(JobRun(**run._asdict()))

    def job_runs(self, name: str | None = None, most: int = 50) -> tuple[JobRecord, ...]:
        """The newest runs of a job, or of all, newest first."""
        query = select(JobRun).order_by(col(JobRun.started_at).desc(), col(JobRun.id).desc()).limit(most)
        if name is not None:
            query = query.where(JobRun.name == name)
        with self._reading() as session:
            rows = session.exec(query).all()
            return tuple(JobRecord(r.name, r.started_at, r.ended_at, r.outcome, r.detail, r.found) for r in rows)

    def record_proposal(self, proposal: ProposalRecord, at: datetime) -> bool:
        """Whether it is new. An open one of the same key is superseded; one that was refused is not made again."""
        with self._writing() as session:
            known = session.exec(select(ProposalRow).where(ProposalRow.key == proposal.key)).all()
            if any(p.diff == proposal.diff and p.state in ("open", "refused") for p in known):
                return False
            for row in known:
                if row.state == "open":
                    row.state, row.settled_at = "superseded", at
            session.flush()
            session.add(ProposalRow(**proposal._asdict(), made_at=at))
            return True

    def settle_proposal(self, key: str, state: str, at: datetime) -> bool:
        """Mark the open proposal of a key as taken, refused or superseded; whether there was one."""
        with self._writing() as session:
            row = session.exec(
                select(ProposalRow).where(ProposalRow.key == key, ProposalRow.state == "open")
            ).one_or_none()
            if row is None:
                return False
            row.state, row.settled_at = state, at
            return True

    def reopen_proposal(self, key: str) -> bool:
        """Take back that the last proposal of a key was refused; whether it was, and none has come in its place."""
        query = select(ProposalRow).where(ProposalRow.key == key).order_by(col(ProposalRow.id).desc())
        with self._writing() as session:
            row = session.exec(query.limit(1)).first()
            if row is None or row.state != "refused":
                return False
            row.state, row.settled_at = "open", None
            return True

    def proposed(self, most: int) -> tuple[Proposed, ...]:
        """Proposals in every state, at most so many: open ones first, and of each the newest first."""
        order = (case((col(ProposalRow.state) == "open", 0), else_=1), col(ProposalRow.id).desc())
        with self._reading() as session:
            rows = session.exec(select(ProposalRow).order_by(*order).limit(most)).all()
            return tuple(Proposed(_proposal(r), r.made_at, r.settled_at) for r in rows)

    def proposals(self, state: str | None = "open") -> tuple[ProposalRecord, ...]:
        """Those in one state, or all, oldest first."""
        query = select(ProposalRow).order_by(col(ProposalRow.id))
        if state is not None:
            query = query.where(ProposalRow.state == state)
        with self._reading() as session:
            rows = session.exec(query).all()
            return tuple(map(_proposal, rows))

    def _record(
        self, model: type[Any], seen: Sequence[Any], key: tuple[str, ...], at: datetime, newer: str | None = None
    ) -> int:
        """Write the records that say something else than the rows there; the number written."""
        wanted = {tuple(getattr(r, k) for k in key): r._asdict() for r in seen}
        with self._writing() as session:
            # one look at the table is cheaper than one for each row
            firsts = {k[0] for k in wanted}
            query = select(model)
            if len(firsts) <= _FEW:
                query = query.where(getattr(model, key[0]).in_(firsts))
            rows = session.exec(query).all()
            known = {tuple(getattr(row, k) for k in key): row for row in rows}
            fresh = [
                {**record, "seen_at": at}
                for k, record in wanted.items()
                if (row := known.get(k)) is None or any(getattr(row, c) != v for c, v in record.items())
            ]
            return upsert(session, model, fresh, key, newer)


def _proposal(row: ProposalRow) -> ProposalRecord:
    return ProposalRecord(row.key, row.file, row.title, row.why, row.diff, row.state)


_FEW = 200  # values of one condition
