"""Events of an issue, handled: it is read once as it stands now, answered, and the comment it should have is written
down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Any

from bot.artifacts.reported_models import check_reported, findings
from bot.comment import Comment, retraction
from bot.fetch import Fetcher
from bot.forge import Gone, NotThere, Read, Threads
from bot.publishing.decide import Standing
from bot.service.answering import Answer, answer, reported, withdrawal
from bot.service.attached import Unread
from bot.service.desk import Desk, Place
from bot.service.hearing import ASKED, RETRACTING, give_owed, hear, said_yes
from bot.service.inbox import ASKED as BY_HAND
from bot.service.inbox import CHECK, DECIDED, OWED, OWN, POLLED, REVISIT, Came, key_of, payload
from bot.service.recalling import remembered
from bot.service.standing import adopted, behind_deletion, circumstances_of, disowned_stands, thread_of, with_age
from bot.service.unread import NotYet, is_held_back
from bot.sighted import findings as finding_records
from bot.sighted import issue_record, sightings, unexplained
from bot.sighted import thread_of as thread_json
from bot.watched.events import Event, Kind
from bot.watched.policy import Mode, Policy
from bot.watching.told import tell, watched_as
from bot.wording.lifecycle import NOT_IT, WRONG
from kb.model import Diagnosis, Verdict
from kb.records import Remembered
from kb.store.conversations import Talk
from signatures.model import Finding

_HISTORY = 50  # changes that are remembered of one answer
_ABOUT_ISSUES = (Kind.ISSUE, Kind.COMMENT, *OWN)
_FINAL = ("deleted", "transferred")
_YOUNG = timedelta(hours=1)  # an issue that is told of as opened within this is no old one


def handle(desk: Desk, came: Sequence[Came]) -> None:
    """Do what the events of one issue ask for, oldest first, with one reading of it. Raises ForgeError where GitHub is
    in the way; then they are tried again later."""
    for one in came:
        if one.kind == Kind.REPOSITORY:
            desk.forget(one.event.repo_id)
        elif one.kind == Kind.RELEASE:
            _released(desk, one.event)
        elif one.kind == OWED:
            give_owed(desk, one.event)
    about = [c for c in came if c.kind in _ABOUT_ISSUES and not (c.event.action == POLLED and _is_read(desk, c.event))]
    if about:
        _handled(desk, about)


def _handled(desk: Desk, came: Sequence[Came]) -> None:
    event = came[-1].event  # it has the repository's latest name
    installed = next((c.event.installation for c in reversed(came) if c.event.installation), None)
    threads = desk.threads(event.repo, installed)
    try:
        place = desk.place(threads, event.repo, event.repo_id)
    except NotThere:
        _may_come(came, f"GitHub shows no repository of the id {event.repo_id}, told of as {event.repo}")
        desk.log(event.repo, f"{event.repo}#{event.number}", "silent", detail="the repository is gone, or hidden")
        return
    policy = desk.policy(threads, place)
    key = key_of(place, event.number)
    kept = desk.store.talk(key)
    talk = kept or Talk(key, f"{place.repo}#{event.number}")
    never_spoke = talk.comment is None and talk.posting is None
    if policy.mode is Mode.OFF and (never_spoke or all(c.kind in OWN for c in came)):
        return
    installation = threads.installation or installed or talk.installation
    talk = talk._replace(ref=f"{place.repo}#{event.number}", installation=installation)
    spoken = [c.event for c in came if c.event.kind is Kind.COMMENT]
    deleted = [i for i, event in enumerate(spoken) if _own_comment_gone(event, talk)]
    # what was said before it was deleted does not bring it back
    gone = frozenset(e.object_id for e in spoken[deleted[-1] + 1 :]) if deleted else None
    talk = _told(desk, place, came, talk)
    try:
        read = desk.read(threads, place, event.number)
    except NotThere as e:
        if not isinstance(e, Gone):
            _may_come(came, "GitHub does not show the issue it has told of")
        desk.log(place.repo, talk.ref, "silent", detail=str(e) if isinstance(e, Gone) else "the issue is gone")
        return
    talk = talk._replace(ref=f"{read.repo}#{event.number}")
    talk = adopted(desk, talk, read) if talk.recalled else talk  # else GitHub is asked what has become of it
    if policy.mode is Mode.OFF:
        _heed(desk, threads, read, talk, policy, gone)
    elif read.item.pull_request is None:
        if any(c.event.kind is Kind.ISSUE and c.event.action == "opened" for c in came):
            talk = talk._replace(old=talk.old and not _is_young(desk, read.item.created_at))
        recalled = remembered(desk, threads, read, talk, policy)
        if recalled is not None:
            _answer(desk, threads, read, recalled, policy, checks=any(c.kind == CHECK for c in came), gone=gone)
        desk.store.remember_etag(_reading(key), Remembered(None, None, read.item.stamp), desk.now())


def _released(desk: Desk, event: Event) -> None:
    """A release of something that is known: whoever watches its repository is told. Others are nobody's concern."""
    repo = watched_as(event.repo, desk.known().knowledge)
    if repo is not None:
        tell(desk.store, repo, desk.now())
        desk.log(repo, "", "release", event.actor, f"{event.action or 'told of'}; `triage watch` looks at it at once")


def _may_come(came: Sequence[Came], missing: str) -> None:
    """Raises NotYet in the words `missing` for what GitHub told of: what it does not show now, it may show later.
    What was deleted will not come; who asked by hand has an answer, and what this program asked for itself it asks
    for again."""
    told = any(c.kind not in (CHECK, REVISIT) and c.event.action != BY_HAND for c in came)
    ended = any(c.kind == Kind.ISSUE and c.event.action in _FINAL for c in came)
    if told and not ended:
        raise NotYet(missing)


def _is_young(desk: Desk, created_at: str) -> bool:
    return bool(created_at) and desk.now() - datetime.fromisoformat(created_at) < _YOUNG


def _told(desk: Desk, place: Place, came: Sequence[Came], talk: Talk) -> Talk:
    """The conversation after decisions on the board, and after somebody deleted the bot's comment."""
    for kind, event, _ in came:
        if kind == DECIDED:
            posts = event.action == "post"
            yes = talk._replace(approved=True, yes=event.why or ASKED)
            decided = yes if posts else talk._replace(off=event.action == "off")
            if decided != talk:  # kept at once: what comes behind may fail, and be tried again
                talk = desk.store.keep_talk(decided, desk.now())
                desk.log(place.repo, talk.ref, "command", "the board", f"/triage {event.action}")
        if _own_comment_gone(event, talk) and talk.standing != Standing.DELETED:
            desk.log(place.repo, talk.ref, "deleted", event.actor, "a person deleted the comment; it stays so")
        elif event.own and event.action == "deleted":  # perhaps a note whose creation got no answer
            talk = talk._replace(due_notes=tuple(k for k in talk.due_notes if k not in talk.noted))
    return talk


def _is_read(desk: Desk, event: Event) -> bool:
    """Whether an issue was read since it changed: its webhook came as well."""
    kept = desk.store.etag_of(_reading(f"{event.repo_id}#{event.number}"))
    if kept is None or kept.cursor is None:
        return False
    return kept.cursor == event.updated_at or kept.cursor.split(" ")[0] > event.updated_at.split(" ")[0]


def _reading(key: str) -> str:
    return f"read {key}"


def _own_comment_gone(event: Event, talk: Talk) -> bool:
    gone = event.kind is Kind.COMMENT and event.action == "deleted"
    tried = talk.comment is None and talk.posting is not None
    return gone and (event.object_id == talk.comment or (event.own and tried))


def _heard(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy, gone: frozenset[int] | None) -> Talk:
    """The conversation after what people said, and after somebody deleted the comment in between. `gone`: events tell
    that it was deleted, and these were written behind that."""
    gone = behind_deletion(desk, threads, read, talk, gone)
    if gone is not None:
        before = read._replace(comments=tuple(c for c in read.comments if c.id not in gone))
        talk = hear(desk, threads, before, talk, policy)
        talk = desk.store.keep_talk(talk._replace(standing=Standing.DELETED.value), desk.now())
    return hear(desk, threads, read, talk, policy)


def _heed(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy, gone: frozenset[int] | None) -> None:
    """Nothing is recorded or answered, but a comment that stands can be withdrawn by its people."""
    talk = _heard(desk, threads, read, talk, policy, gone)
    at = desk.now()
    talk = desk.store.keep_talk(talk, at)
    thread = thread_of(read, desk.own)
    if talk.standing == RETRACTING or disowned_stands(talk, thread):
        comment = retraction(WRONG if talk.standing == RETRACTING else NOT_IT)
        desk.store.want_comment(talk.issue, comment.body, (), circumstances_of(thread, talk, policy), at, at)


def _answer(
    desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy, *, checks: bool, gone: frozenset[int] | None
) -> None:
    """Hear what people said, say what the issue shows, keep both. `gone` is as in `_heard`."""
    before = talk
    talk = _heard(desk, threads, read, talk, policy, gone)
    at = desk.now()
    issue, remarks, unread = reported(read, desk.attachment, policy.products)
    # a first answer rests on the words alone; models are opened once that is on its way
    wanted = checks or talk.comment is not None or bool(talk.checks)
    with _Models(desk.fetcher) as models:
        known = desk.known()
        examine = models.examiner(known.knowledge, talk.checks) if wanted else None
        today, as_of = at.date().isoformat(), desk.as_of()
        missed = models.missed
        found = answer(issue, talk, known, today, as_of=as_of, remarks=remarks, examine=examine, missed=missed)
    for model in models.unread:
        if model.what in talk.checks and model.what not in before.checks:
            desk.log(read.repo, talk.ref, "check", detail=model.why)
    looked_at = models.read | {post.url for post in issue.posts if not post.markdown and post.url}
    if talk.standing != RETRACTING and is_held_back(desk, talk, found, (*unread, *models.unread), looked_at):
        desk.store.keep_talk(talk, at)
        desk.log(read.repo, talk.ref, "keep", detail="what stands is kept, since it rests on what cannot be read now")
        return
    record(desk, read, talk.ref, found.diagnosis)
    talk = said_yes(before, talk, found.comment)
    talk = talk._replace(
        said="\n".join(map(str, found.said)),
        history=(*talk.history, *found.changes)[-_HISTORY:],
        due_notes=tuple(dict.fromkeys((*talk.due_notes, *(n for n in found.notes if n not in talk.noted)))),
    )
    talk = desk.store.keep_talk(talk, at)
    _want(desk, read, talk, found, policy)
    if not wanted and any(a.kind != "file" for a in found.diagnosis.report.artifacts):
        event = Event(
            Kind.IGNORED,
            CHECK,
            read.repo,
            int(talk.issue.partition("#")[0]),
            read.item.number,
            installation=talk.installation,
        )
        desk.store.receive(f"check {talk.issue} {read.item.updated_at}", talk.issue, CHECK, payload(event), at)


def _want(desk: Desk, read: Read, talk: Talk, found: Answer, policy: Policy) -> None:
    """Write down the comment that the issue should have, and the notes that are due."""
    at = desk.now()
    comment = found.comment
    if talk.standing == RETRACTING:
        comment = retraction(WRONG)
    elif comment is None and talk.comment is not None:
        comment = withdrawal(found.diagnosis, refused=found.refused)
    thread = thread_of(read, desk.own)
    settle = desk.settle[talk.comment is not None and talk.standing != RETRACTING and len(thread.ours) < 2]
    state = circumstances_of(thread, with_age(desk, talk, read, policy), policy)
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
    seen = issue_record(ref, read.item.title, thread_json(read.raw), version("ondevice-triage"))
    desk.store.record_issue(
        seen,
        sightings(diagnosis),
        desk.now(),
        findings=finding_records(diagnosis),
        unexplained=unexplained(diagnosis),
    )


class _Models:
    """Opens the models that a report names, while it is at work. `unread`: those that could not be checked; `read`: the
    others."""

    def __init__(self, fetcher: Callable[[], Fetcher]) -> None:
        self._make = fetcher
        self._open: Fetcher | None = None
        self.unread: tuple[Unread, ...] = ()
        self.read: frozenset[str] = frozenset()

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
            self.unread = tuple(
                Unread(one.ref, f"{one.ref} could not be checked: {one.why or one.for_now}", bool(one.for_now))
                for one in looked
                if one.why or one.for_now
            )
            self.read = frozenset(one.ref for one in looked if not (one.why or one.for_now))
            return findings(looked)

        return examine

    def missed(self) -> tuple[str, ...]:
        """Of those, the ones that may be read another time; what is out of reach for good is no news in a comment."""
        return tuple(model.why for model in self.unread if model.for_now)
