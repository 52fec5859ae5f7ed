"""The comments that are due, written: each issue is read once more, a decision is taken, and what was done is kept.

A create that got no answer may have worked. So the thread is read before every create, and a comment of the bot's own
found there is adopted; racers agree on the oldest comment.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from bot.comment import MARKER, Comment, note, read_comment
from bot.forge import Limited, NotThere, Read, Threads
from bot.publishing.decide import (
    Bounds,
    Decision,
    Memory,
    OwnComment,
    Spent,
    Standing,
    Step,
    Thread,
    decide,
    fingerprint,
)
from bot.service.answering import is_answered, withdrawal
from bot.service.backfill import is_old
from bot.service.desk import Desk, trouble
from bot.service.hearing import RETRACTING
from bot.watched.policy import Mode, Policy
from bot.wording import Names
from kb.delivery import date_of
from kb.store.conversations import Talk
from kb.store.work import Wanted

_LEASE = timedelta(minutes=2)
_RETRY = timedelta(minutes=5)
_WAIT = timedelta(minutes=10)  # for a budget or a brake
_WRONG_TODAY = 3  # answers called wrong within a day that stop the writing
# of one installation; what is taken off or removed is not logged as a write and fits between this and GitHub's 500:
# https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
WRITES_AN_HOUR = 450
WRITES = ("posted", "edited", "retracted", "noted", "labelled", "command", "refused")
_WROTE = {Step.POST: "posted", Step.EDIT: "edited", Step.RETRACT: "retracted"}


class _At(NamedTuple):
    """One issue, as it was read for writing."""

    threads: Threads
    repo: str
    read: Read
    policy: Policy

    @property
    def number(self) -> int:
        return self.read.item.number


def write_due(desk: Desk, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Write what is due; how many issues were looked at. One issue's trouble never stops the others. `goes_on` is asked
    before each one; what is left is due again when its lease has run out."""
    due = desk.store.due_comments(desk.now(), _LEASE)
    limits: dict[int | None, Limited] = {}  # by installation: one refusal speaks for all that it would write
    for wanted in due:
        if not goes_on():
            break
        talk = desk.store.talk(wanted.issue)
        if talk is None:
            desk.store.comment_settled(wanted.issue, wanted.version)
            continue
        limit = limits.get(talk.installation)
        if limit is not None:
            desk.store.comment_failed(wanted.issue, str(limit), limit.until)
            continue
        try:
            _write(desk, wanted, talk)
        except Exception as e:
            if isinstance(e, Limited):
                limits[talk.installation] = e
            again = e.until if isinstance(e, Limited) else desk.now() + _RETRY
            desk.store.comment_failed(wanted.issue, trouble(e), again)
            desk.log(talk.ref.partition("#")[0], talk.ref, "failed", detail=trouble(e))
    return len(due)


def _write(desk: Desk, wanted: Wanted, talk: Talk) -> None:
    repo, number = talk.ref.rsplit("#", 1)
    wait = _stopped(desk, talk)
    if wait is not None:
        _put_off(desk, wanted, talk, repo, *wait)
        return
    threads = desk.threads(repo, talk.installation)
    place = desk.place(threads, repo)
    if not talk.issue.startswith(f"{place.id}#"):
        _settle(desk, wanted, talk, repo, Decision(Step.SILENT, "another repository has this name by now"))
        return
    talk = talk._replace(ref=f"{place.repo}#{number}")
    try:
        read = threads.read(place.repo, int(number))
    except NotThere:
        _settle(desk, wanted, talk, place.repo, Decision(Step.SILENT, "the issue is gone"))
        return
    if read.item.number != int(number):  # GitHub leads from a transferred issue to its new place
        _settle(desk, wanted, talk, place.repo, Decision(Step.SILENT, "the issue was transferred"))
        return
    at = _At(threads, place.repo, read, desk.policy(threads, place))
    comment = read_comment(wanted.body) if wanted.body else None
    decision = _decision(desk, talk, at, comment)
    if decision.step is Step.WAIT:
        _put_off(desk, wanted, talk, at.repo, decision.why, desk.now() + _WAIT)
        return
    for duplicate in decision.duplicates:
        threads.remove(at.repo, duplicate)
        desk.log(at.repo, talk.ref, "removed", detail=f"a second comment of its own, {duplicate}")
    talk = _carried_out(desk, talk, at, decision, comment)
    talk = _labelled(desk, talk, at, decision, wanted.labels)
    talk = _noted(desk, talk, at, decision)
    _settle(desk, wanted, talk, at.repo, decision)


def _stopped(desk: Desk, talk: Talk) -> tuple[str, datetime] | None:
    """Why nothing at all is written for this account now, whatever is asked, and until when."""
    now = desk.now()
    braked = desk.braked()
    if braked:
        return braked, now + _WAIT
    written = desk.store.done_since(now - timedelta(hours=1), *WRITES, installation=(talk.installation,))
    if written >= WRITES_AN_HOUR:
        return f"{written} writes in an hour, and GitHub asks for no more than 500", now + _WAIT
    return None


def _put_off(desk: Desk, wanted: Wanted, talk: Talk, repo: str, why: str, until: datetime) -> None:
    _log_once(desk, talk, repo, Decision(Step.WAIT, why))
    desk.store.keep_talk(talk._replace(why=why), desk.now())
    desk.store.comment_failed(wanted.issue, why, until)


def _decision(desk: Desk, talk: Talk, at: _At, comment: Comment | None) -> Decision:
    own = [c for c in at.read.comments if c.user is not None and c.user.login == desk.own]
    thread = Thread(
        open=at.read.item.state == "open",
        labels=at.read.labels,
        pull_request=at.read.item.pull_request is not None,
        answered=is_answered(at.read, desk.own),
        ours=tuple(sorted(OwnComment(c.id, c.body or "") for c in own if (c.body or "").startswith(MARKER))),
    )
    if not at.read.whole and not any(c.id == talk.comment for c in thread.ours):
        return Decision(Step.SILENT, "the thread is longer than is read, so its comment may stand where none was seen")
    if talk.standing == RETRACTING:
        # a maintainer asked for it: no mode, label, budget or brake is in the way, and nothing but it is written
        comment = comment if comment is not None and not comment.problems else withdrawal(None, wrong=True)
        memory = Memory(Standing.STANDS, talk.comment, talk.written, approved=True)
        decision = decide(
            comment, thread, memory, Bounds(at.policy.model_copy(update={"opt_out": (), "mode": Mode.COMMENT}))
        )
        return decision if decision.step is Step.SILENT else decision._replace(standing=Standing.RETRACTED)
    memory = Memory(Standing(talk.standing), talk.comment, talk.written, talk.off, talk.approved)
    bounds = Bounds(at.policy, _spent(desk, talk, at.repo), _brake(desk, at.repo), is_old(desk, talk.issue))
    return decide(comment, thread, memory, bounds)


def _spent(desk: Desk, talk: Talk, repo: str) -> Spent:
    now, count = desk.now(), desk.store.done_since
    return Spent(
        edits=count(now - timedelta(days=1), "edited", issue=talk.ref),
        hour=count(now - timedelta(hours=1), "posted", "noted", repo=repo),
        day=count(now - timedelta(days=1), "posted", "noted", repo=repo),
    )


def _brake(desk: Desk, repo: str) -> str:
    wrong = desk.store.done_since(desk.now() - timedelta(days=1), "wrong", repo=repo)
    if wrong >= _WRONG_TODAY:
        return f"{wrong} answers were called wrong within a day, so nothing is written until that is over"
    return ""


def _carried_out(desk: Desk, talk: Talk, at: _At, decision: Decision, comment: Comment | None) -> Talk:
    """The conversation after a decision. What was written is kept at once."""
    now = desk.now()
    if decision.step is Step.SUGGEST and comment is not None:
        return talk._replace(suggestion=comment.body)
    if decision.step not in _WROTE or comment is None:
        return _adopted(talk, at, decision)
    if decision.step is Step.POST:
        id_ = at.threads.comment(at.repo, at.number, comment.body)
        talk = talk._replace(comment=id_, posted_at=now, suggestion="")
    elif decision.comment is not None:
        at.threads.edit(at.repo, decision.comment, comment.body)
        talk = talk._replace(comment=decision.comment)
    talk = talk._replace(written=fingerprint(comment.body))
    desk.store.keep_talk(talk, now)
    detail = f"{decision.why}: {', '.join(comment.problems)}" if comment.problems else decision.why
    desk.log(at.repo, talk.ref, _WROTE[decision.step], detail=detail)
    return talk


def _adopted(talk: Talk, at: _At, decision: Decision) -> Talk:
    """With the comment that stands there, where it is the bot's own and the store did not know of it."""
    found = next((c.body for c in at.read.comments if c.id == decision.comment), None)
    if talk.comment is not None or found is None:
        return talk
    return talk._replace(comment=decision.comment, written=fingerprint(found))


def _may_add(desk: Desk, talk: Talk, at: _At, decision: Decision) -> bool:
    """Whether more than the comment may be written: it stands, the mode allows it, and no brake is on."""
    allowed = at.policy.mode is Mode.COMMENT or talk.approved
    return decision.standing is Standing.STANDS and allowed and not _brake(desk, at.repo)


def _labelled(desk: Desk, talk: Talk, at: _At, decision: Decision, wanted: tuple[str, ...]) -> Talk:
    """Add the labels that hold; take off those of the bot's own that do not. One that a person took off stays off."""
    retracted = decision.standing is Standing.RETRACTED
    if decision.step not in (*_WROTE, Step.KEEP) or not (retracted or _may_add(desk, talk, at, decision)):
        return talk
    wanted = () if retracted else wanted
    unwanted = (*talk.unwanted, *(name for name in talk.labels if name not in at.read.labels))
    new = [name for name in wanted if name not in at.read.labels and name not in unwanted]
    old = [name for name in talk.labels if name in at.read.labels and name not in wanted]
    if new:
        at.threads.label(at.repo, at.number, new)
        desk.log(at.repo, talk.ref, "labelled", detail=", ".join(new))
    for name in old:
        at.threads.unlabel(at.repo, at.number, name)
    own = [name for name in (*talk.labels, *new) if name not in old and name not in unwanted]
    return talk._replace(labels=tuple(dict.fromkeys(own)), unwanted=tuple(dict.fromkeys(unwanted)))


def _noted(desk: Desk, talk: Talk, at: _At, decision: Decision) -> Talk:
    """Write the notes that are due; one that is there already, after an answer that never came, is not repeated."""
    due = talk.due_notes and decision.step in (Step.EDIT, Step.KEEP) and at.read.item.state == "open"
    spent, budget = _spent(desk, talk, at.repo), at.policy.budget
    room = min(budget.comments_per_hour - spent.hour, budget.comments_per_day - spent.day)
    if not due or not _may_add(desk, talk, at, decision) or room < len(talk.due_notes):
        return talk
    knowledge = desk.known().knowledge
    names = Names(knowledge.products)
    bodies = [c.body or "" for c in at.read.comments if c.user is not None and c.user.login == desk.own]
    for key in talk.due_notes:
        _, product, version = key.split(":", 2)
        text = note(key, names[product], version, date_of(knowledge, product, version))
        if not any(body.startswith(text.splitlines()[0]) for body in bodies):
            at.threads.comment(at.repo, at.number, text)
            desk.log(at.repo, talk.ref, "noted", detail=key)
        talk = talk._replace(noted=(*talk.noted, key), due_notes=tuple(k for k in talk.due_notes if k != key))
        desk.store.keep_talk(talk, desk.now())
    return talk


def _settle(desk: Desk, wanted: Wanted, talk: Talk, repo: str, decision: Decision) -> None:
    """Write down that this version is dealt with, and why it came out as it did."""
    _log_once(desk, talk, repo, decision)
    standing = decision.standing.value if decision.standing is not None else talk.standing
    desk.store.keep_talk(talk._replace(standing=standing, why=decision.why), desk.now())
    desk.store.comment_settled(wanted.issue, wanted.version)


def _log_once(desk: Desk, talk: Talk, repo: str, decision: Decision) -> None:
    """What was not done, once for each new reason."""
    if decision.step not in _WROTE and decision.why != talk.why:
        desk.log(repo, talk.ref, decision.step.value, detail=decision.why)
