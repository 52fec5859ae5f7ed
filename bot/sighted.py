"""From a diagnosis to what the store keeps of an issue: who reported it, when, and which failures it shows.

Quotes are redacted before they are kept, and cut: a store of strangers' logs is nothing that anybody needs.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from bot.errors import InputError
from bot.terminal import one_line
from kb.model import CountedSignature, Diagnosis, KnownProblem, Quote, RecognisedSignature, ReporterVersion
from kb.records import FindingRecord, IssueRecord, SightingRecord
from signatures.extract.redact import redact
from signatures.model import Report
from signatures.values import NamedTuple

_MAINTAINERS = ("OWNER", "MEMBER", "COLLABORATOR")
_QUOTE = 300  # characters of one line
_MOST_QUOTES = 5
_LONGEST_VERSION = 64


class Thread(NamedTuple):
    """What an issue's record says beside its words."""

    reporter: str | None
    maintainer: bool
    opened_at: datetime | None
    last_post_at: datetime | None
    open: bool | None


def read_thread(data: bytes) -> Thread:
    """That of an issue as JSON: GitHub's REST objects, or what `gh issue view --json` gives.

    What is missing is unknown. `data` has been read as an issue before, so its shape is known to be one.
    """
    try:
        record = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return Thread(None, False, None, None, None)
    return thread_of(record) if isinstance(record, dict) else Thread(None, False, None, None, None)


def thread_of(record: dict[str, Any]) -> Thread:
    """That of an issue that has been parsed already."""
    issue = record.get("issue", record)
    issue = issue if isinstance(issue, dict) else {}
    comments = record.get("comments")
    user = issue.get("user") or issue.get("author")
    login = user.get("login") if isinstance(user, dict) else None
    opened = _moment(issue, "created_at", "createdAt")
    posts = [c for c in comments if isinstance(c, dict)] if isinstance(comments, list) else []
    own = [_moment(c, "created_at", "createdAt") for c in posts if _by(c) == login and login]
    said = [at for at in (opened, *own) if at is not None]
    state = str(issue.get("state") or "").casefold()
    association = issue.get("author_association") or issue.get("authorAssociation")
    return Thread(
        login if isinstance(login, str) and login else None,
        association in _MAINTAINERS,
        opened,
        max(said, default=None),
        {"open": True, "closed": False}.get(state),
    )


def _by(comment: dict[str, object]) -> object:
    user = comment.get("user") or comment.get("author")
    return user.get("login") if isinstance(user, dict) else None


def _moment(record: dict[str, object], *keys: str) -> datetime | None:
    for key in keys:
        value = record.get(key)
        if isinstance(value, str):
            try:
                at = datetime.fromisoformat(value)
            except ValueError:
                continue
            return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return None


def issue_record(ref: str, title: str, thread: Thread, engine: str) -> IssueRecord:
    """Raises InputError where `ref` is no owner/repo#N."""
    repo, hash_, number = ref.partition("#")
    if not (hash_ and number.isascii() and number.isdigit() and repo.count("/") == 1 and len(ref) <= 200):
        raise InputError(f"{ref!r} is no issue; write owner/repo#123.")
    return IssueRecord(ref, one_line(redact(title), _QUOTE), *thread, engine)


def sightings(diagnosis: Diagnosis) -> tuple[SightingRecord, ...]:
    """Every failure that is recognised, with the versions that it was seen in. What a signature in shadow would show is
    no sighting of a problem."""
    known = (_known(k, is_of_log=_is_of_log(k, diagnosis.report)) for k in diagnosis.known)
    return (*known, *map(_recognised, diagnosis.signatures), *map(_recognised, diagnosis.shadow))


def _is_of_log(k: KnownProblem, report: Report) -> bool:
    """Whether the log may be of the version that is stated: one that is only named in a later post is of another run,
    and says nothing of that version."""
    own = k.fix.reporter
    versions = {v for v in (own.product_version, own.component_version) if v is not None}
    stated = [f.span.post for f in report.facts if f.value in versions and f.span is not None]
    shown = [quote.span.post for quote in k.evidence]
    return not stated or not shown or min(stated) <= max(shown)


def _known(k: KnownProblem, *, is_of_log: bool) -> SightingRecord:
    reporter = k.fix.reporter if is_of_log else ReporterVersion()
    return SightingRecord(
        k.signature,
        k.problem.id,
        k.certainty.value,
        _digest(k.signature, k.captures),
        reporter.product,
        _version(reporter.product_version),
        reporter.component,
        _version(reporter.component_version),
        k.fix.verdict.value,
        _words(k.evidence),
    )


def _recognised(s: RecognisedSignature | CountedSignature) -> SightingRecord:
    digest = _digest(s.signature, s.captures)
    return SightingRecord(s.signature, None, s.certainty.value, digest, evidence=_words(s.evidence))


def _version(text: str | None) -> str | None:
    return one_line(text, _LONGEST_VERSION) if text is not None else None


def _digest(signature: str, captures: tuple[tuple[str, str], ...]) -> str:
    """What tells one way of failing from another: the signature and the names it captured."""
    parts = (signature, *(f"{name}={value.casefold()}" for name, value in sorted(captures)))
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def findings(diagnosis: Diagnosis) -> tuple[FindingRecord, ...]:
    found = dict.fromkeys(f for k in diagnosis.known for f in k.findings)
    return tuple(
        FindingRecord(
            f.check, one_line(redact(f.artifact), _QUOTE), f.outcome.value, one_line(redact(f.detail), _QUOTE)
        )
        for f in found
    )


def unexplained(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The lines that nothing accounts for, not even a signature in shadow."""
    counted = [q.span for s in diagnosis.shadow for q in s.evidence]
    return tuple(
        one_line(redact(q.text), _QUOTE)
        for q in diagnosis.unexplained
        if not any(s.post == q.span.post and s.start < q.span.end and q.span.start < s.end for s in counted)
    )


def _words(quotes: tuple[Quote, ...]) -> str:
    return "\n".join(one_line(redact(q.text), _QUOTE) for q in quotes[:_MOST_QUOTES])
