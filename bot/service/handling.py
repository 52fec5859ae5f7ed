"""One event, handled: the issue is read as it stands now, answered, and the comment it should have is written down."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from bot.comment import Comment
from bot.fetch import Fetcher
from bot.forge import NotThere, Read, Threads
from bot.publishing.decide import Standing
from bot.reported_models import check_reported, findings
from bot.service.answering import Answer, answer, issue_text, withdrawal
from bot.service.desk import Desk, Place
from bot.service.hearing import RETRACTING, hear
from bot.sighted import findings as finding_records
from bot.sighted import issue_record, sightings, thread_of, unexplained
from bot.watched.events import Event, Kind
from bot.watched.policy import Mode, Policy
from kb.model import Diagnosis, Verdict
from kb.records import Remembered
from kb.store.conversations import Talk
from signatures.model import Finding

_HISTORY = 50  # changes that are remembered of one answer
CHECK = "check"  # kind of an event of the bot's own: open the models that an issue names
DECIDED = "decided"  # another: a maintainer's word on the board, in its action
REVISIT = "revisit"  # another: read an issue again, since what is known has changed
POLLED = "polled"  # action of an event that a list showed


def key_of(place: Place, number: int) -> str:
    return f"{place.id}#{number}"


def handle(desk: Desk, kind: str, event: Event) -> None:
    """Do what an event asks for. Raises ForgeError where GitHub is in the way; then it is tried again later."""
    if kind == Kind.REPOSITORY:
        desk.forget(event.repo_id)
        return
    known = kind in (Kind.ISSUE, Kind.COMMENT, CHECK, REVISIT, DECIDED)
    if not known or (event.action == POLLED and _is_read(desk, event)):
        return
    threads = desk.threads(event.repo, event.installation)
    try:
        place = desk.place(threads, event.repo)
    except NotThere:
        desk.log(event.repo, f"{event.repo}#{event.number}", "silent", detail="the repository is gone, or hidden")
        return
    if event.repo_id and place.id != event.repo_id:
        desk.log(event.repo, "", "silent", detail="another repository has this name now")
        return
    policy = desk.policy(threads, place)
    if policy.mode is Mode.OFF:
        return
    key = key_of(place, event.number)
    talk = desk.store.talk(key) or Talk(key, f"{place.repo}#{event.number}")
    installation = event.installation or threads.installation or talk.installation
    talk = talk._replace(ref=f"{place.repo}#{event.number}", installation=installation)
    if kind == DECIDED:
        talk = talk._replace(approved=event.action == "post", off=event.action == "off")
        desk.log(place.repo, talk.ref, "command", "the board", f"/triage {event.action}")
    if _own_comment_gone(event, talk):
        desk.log(place.repo, talk.ref, "deleted", event.actor, "a person deleted the comment; it stays so")
        desk.store.keep_talk(talk._replace(standing=Standing.DELETED.value), desk.now())
        return
    try:
        read = threads.read(place.repo, event.number)
    except NotThere:
        desk.log(place.repo, talk.ref, "silent", detail="the issue is gone")
        return
    if read.item.number != event.number:  # GitHub leads from a transferred issue to its new place
        desk.log(place.repo, talk.ref, "silent", detail="the issue was transferred")
        return
    if read.item.pull_request is None:
        _answer(desk, threads, read, talk, policy, checks=kind == CHECK)
        desk.store.remember_etag(_reading(key), Remembered(None, None, read.item.updated_at), desk.now())


def _is_read(desk: Desk, event: Event) -> bool:
    """Whether an issue was read since it changed: its webhook came as well."""
    kept = desk.store.etag_of(_reading(f"{event.repo_id}#{event.number}"))
    return kept is not None and kept.cursor is not None and event.updated_at <= kept.cursor


def _reading(key: str) -> str:
    return f"read {key}"


def _own_comment_gone(event: Event, talk: Talk) -> bool:
    return event.kind is Kind.COMMENT and event.action == "deleted" and event.object_id == talk.comment


def _answer(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy, *, checks: bool) -> None:
    """Hear what people said, say what the issue shows, keep both."""
    known_checks = talk.checks
    talk = hear(desk, threads, read, talk)
    at = desk.now()
    issue, remarks = issue_text(read, desk.attachment, policy.products)
    # a first answer rests on the words alone; models are opened once that is on its way
    wanted = checks or talk.comment is not None or bool(talk.checks)
    with _Models(desk.fetcher) as models:
        known = desk.known()
        examine = models.examiner(known.knowledge, talk.checks) if wanted else None
        today, as_of = at.date().isoformat(), desk.as_of()
        found = answer(issue, talk, known, today, as_of=as_of, remarks=remarks, examine=examine)
    for ref, why in models.unread:
        if ref in talk.checks and ref not in known_checks:
            desk.log(read.repo, talk.ref, "check", detail=f"{ref} could not be checked: {why}")
    record(desk, read, talk.ref, found.diagnosis)
    talk = talk._replace(
        said="\n".join(map(str, found.said)),
        history=(*talk.history, *found.changes)[-_HISTORY:],
        due_notes=tuple(n for n in dict.fromkeys((*talk.due_notes, *found.notes)) if n not in talk.noted),
    )
    desk.store.keep_talk(talk, at)
    _want(desk, talk, found, policy)
    if not wanted and any(a.kind != "file" for a in found.diagnosis.report.artifacts):
        event = Event(
            Kind.IGNORED,
            CHECK,
            read.repo,
            int(talk.issue.partition("#")[0]),
            read.item.number,
            installation=talk.installation,
        )
        desk.store.receive(f"check {talk.issue} {read.item.updated_at}", CHECK, payload(event), at)


def _want(desk: Desk, talk: Talk, found: Answer, policy: Policy) -> None:
    """Write down the comment that the issue should have, and the notes that are due."""
    at = desk.now()
    comment = found.comment
    if talk.standing == RETRACTING:
        comment = withdrawal(None, wrong=True)
    elif comment is None and talk.comment is not None:
        comment = withdrawal(found.diagnosis, wrong=False)
    settle = desk.settle[talk.comment is not None and talk.standing != RETRACTING]
    # what may be done with the same words depends on these, so that a change of any is a new version
    state = f"{policy.mode} {talk.standing} {talk.approved} {talk.off}"
    labels = _labels(found, comment, policy)
    desk.store.want_comment(talk.issue, comment.body if comment else "", labels, state, at, at + settle)


def _labels(found: Answer, comment: Comment | None, policy: Policy) -> tuple[str, ...]:
    if comment is None:
        return ()
    verdicts = {k.fix.verdict for k in found.diagnosis.known if k.problem.id in comment.problems}
    wanted = (
        (policy.labels.known, bool(verdicts)),
        (policy.labels.needs_info, Verdict.VERSION_UNKNOWN in verdicts and bool(found.diagnosis.questions)),
        (policy.labels.fix_released, Verdict.UPGRADE in verdicts),
    )
    return tuple(name for name, holds in wanted if name and holds)


def record(desk: Desk, read: Read, ref: str, diagnosis: Diagnosis) -> None:
    """Keep what the issue shows, for the board and for recurrence."""
    before = desk.store.signatures_of(ref)
    for s in diagnosis.shadow:
        if s.signature not in before:
            shows = f" and would show {', '.join(s.problems)}" if s.problems else ""
            desk.log(read.repo, ref, "shadow", detail=f"{s.signature} is {s.certainty.value}{shows}; it is in shadow")
    seen = issue_record(ref, read.item.title, thread_of(read.raw), version("ondevice-triage"))
    desk.store.record_issue(
        seen,
        sightings(diagnosis),
        desk.now(),
        findings=finding_records(diagnosis),
        unexplained=unexplained(diagnosis),
    )


class _Models:
    """Opens the models that a report names, while it is at work. `unread`: those that could not be checked, and why."""

    def __init__(self, fetcher: Callable[[], Fetcher]) -> None:
        self._make = fetcher
        self._open: Fetcher | None = None
        self.unread: tuple[tuple[str, str], ...] = ()

    def __enter__(self) -> _Models:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open is not None:
            self._open.__exit__(None, None, None)

    def examiner(self, knowledge: Any, refs: tuple[str, ...]) -> Callable[[Diagnosis], tuple[Finding, ...]]:
        def examine(diagnosis: Diagnosis) -> tuple[Finding, ...]:
            if not refs and not diagnosis.report.artifacts:
                return ()
            if self._open is None:
                self._open = self._make().__enter__()
            looked = check_reported(diagnosis, knowledge, self._open, refs, local=False)
            self.unread = tuple((one.ref, one.why) for one in looked if one.why)
            return findings(looked)

        return examine


def payload(event: Event) -> dict[str, Any]:
    """An event as it is kept in the inbox."""
    return {**event._asdict(), "kind": event.kind.value}


def event_of(kept: dict[str, Any]) -> Event:
    return Event(**{**kept, "kind": Kind(kept["kind"])})
