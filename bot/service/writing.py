"""The comments that are due, written: each issue is read once more, a decision is taken, and what was done is kept.

A create that got no answer may have worked, and another process may be late with one. So the thread is read before
every create and behind it: a comment of the bot's own found there is adopted, and all agree on the oldest.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from bot.comment import Comment, read_comment, retraction
from bot.forge import Gone, Limited
from bot.publishing.decide import (
    Bounds,
    Decision,
    Standing,
    Step,
    Thread,
    decide,
    fingerprint,
    words_digest,
)
from bot.service.desk import Desk, trouble
from bot.service.hearing import RETRACTING
from bot.service.holding import Hold, held
from bot.service.labelling import relabelled
from bot.service.noting import noted, true_notes
from bot.service.pacing import Wait, brake, may_take_back, note_room, spent, stopped, waits
from bot.service.posting import At, look_again, posted, without
from bot.service.standing import (
    adopted,
    circumstances_of,
    disowned_stands,
    is_fresh,
    is_left_alone,
    left_to_another,
    memory_of,
    other_voice,
    thread_of,
    was_deleted,
    with_age,
)
from bot.service.taking_back import less, taken_back, withdrawn
from bot.watched.policy import Mode
from bot.wording.lifecycle import NOT_IT, WRONG
from kb.store.conversations import Overtaken, Talk
from kb.store.work import Wanted

_FIRST_RETRY = timedelta(minutes=5)
_LONGEST_RETRY = timedelta(hours=6)
_MOST_TRIES = 12  # two days, and then not before the issue changes or somebody revives it
_NOT_SHOWN = "its comment is not shown yet"
_WROTE = {Step.POST: "posted", Step.EDIT: "edited", Step.RETRACT: "retracted"}


def write_due(desk: Desk, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Write what is due; how many issues were looked at. One issue's trouble never stops the others. `goes_on` is asked
    before each one."""
    done = 0
    for issue in desk.store.comments_due(desk.now()):
        if not goes_on():
            break
        with held(desk, issue) as hold:
            wanted = desk.store.wanted(issue, desk.now()) if hold is not None else None
            if hold is not None and wanted is not None:
                done += _tried(desk, hold, wanted)
    return done


def _tried(desk: Desk, hold: Hold, wanted: Wanted) -> bool:
    """Whether it came to an end here; if not, another process has the issue."""
    talk = desk.store.talk(wanted.issue)
    if talk is None:
        desk.store.comment_settled(wanted.issue, wanted.version)
        return True
    limit = desk.limited(talk.installation)
    if limit is not None:
        desk.store.comment_put_off(wanted.issue, wanted.version, str(limit), limit.until, counts=False)
        return True
    try:
        _write(desk, hold, wanted, talk)
    except Overtaken:
        return False
    except Exception as e:
        _failed(desk, wanted, talk, e)
    return True


def _failed(desk: Desk, wanted: Wanted, talk: Talk, e: Exception) -> None:
    """Try it again later, each time after a longer wait, until that is enough. A limit is no failure."""
    why, tries = trouble(e), wanted.attempts + 1
    if isinstance(e, Limited):
        desk.limited(talk.installation, e)
        desk.store.comment_put_off(wanted.issue, wanted.version, why, e.until, counts=False)
    elif tries < _MOST_TRIES:
        wait = min(_FIRST_RETRY * 2**wanted.attempts, _LONGEST_RETRY)
        desk.store.comment_put_off(wanted.issue, wanted.version, why, desk.now() + wait)
    else:
        why = f"given up after {tries} tries, until the issue changes: {why}"
        desk.store.comment_settled(wanted.issue, wanted.version, error=why)
    desk.log(talk.ref.partition("#")[0], talk.ref, "failed", detail=why)


def _write(desk: Desk, hold: Hold, wanted: Wanted, talk: Talk) -> None:
    repo, number = talk.ref.rsplit("#", 1)
    wait = stopped(desk, talk)
    if wait is not None:
        _put_off(desk, wanted, talk, repo, wait)
        return
    threads = desk.threads(repo, talk.installation)
    place = desk.place(threads, repo, int(talk.issue.partition("#")[0]), fresh=True)
    talk = talk._replace(ref=f"{place.repo}#{number}")
    policy = desk.policy(threads, place)
    wait = waits(desk, wanted, talk, place.repo, policy)
    if wait is not None and not may_take_back(wanted, talk):
        _put_off(desk, wanted, talk, place.repo, wait)
        return
    try:
        read = desk.read(threads, place, int(number))
    except Gone as e:
        _settle(desk, wanted, talk, place.repo, Decision(Step.SILENT, str(e)))
        return
    other = other_voice(read, desk.own, talk)
    if other:  # its digest is forgotten, so that the account that wrote it goes on from here
        talk = left_to_another(desk, read, talk, other)
        _settle(desk, wanted, talk, place.repo, Decision(Step.SILENT, other), rests_on="")
        return
    talk = adopted(desk, talk, read)
    _decided(desk, wanted, talk, At(hold, threads, place.repo, read, thread_of(read, desk.own), policy))


def _decided(desk: Desk, wanted: Wanted, talk: Talk, at: At) -> None:
    comment = read_comment(wanted.body) if wanted.body else None
    decision = _decision(desk, talk, at, comment)
    if decision.step is Step.WAIT:
        until = desk.now() + _FIRST_RETRY
        _put_off(
            desk, wanted, talk, at.repo, waits(desk, wanted, talk, at.repo, at.policy) or Wait(decision.why, until)
        )
        return
    at = without(desk, talk, at, decision.duplicates)
    if decision.standing is Standing.DELETED and talk.comment is not None and talk.standing != Standing.DELETED:
        if talk.standing == RETRACTING:
            talk, at = taken_back(desk, talk, at, (), retracted=True)
        _settle(desk, wanted, talk, at.repo, decision._replace(standing=None), rests_on="")
        look_again(desk, talk, at)  # what people said before it was deleted may be unheard
        return
    if decision.step is Step.RETRACT and comment is not None and comment.problems:
        talk, at = _carried_out(desk, talk, at, decision, withdrawn(talk, at))
        talk, at = taken_back(desk, talk, at, (), retracted=True)
        _decided(desk, wanted, talk, at)  # what is wanted, beside what stands there now
        return
    talk, at = _carried_out(desk, talk, at, decision, comment)
    adds = _may_add(talk, at, decision, comment)
    if adds:
        talk = relabelled(desk, at.hold, at.threads, at.read, talk, wanted.labels)
        room = at.policy.budget.edits_per_issue_and_day - spent(desk, talk, at.repo).edits
        true_notes(desk, at.hold, at.threads, at.read, talk, retracted=decision.step is Step.RETRACT, most=room)
    else:
        talk = less(desk, talk, at, decision, wanted.labels)
    if adds and _is_noting(talk, at, decision) and note_room(desk, talk, at.repo, at.policy) <= desk.now():
        talk = noted(desk, at.hold, at.threads, at.read, talk)
    if adds and _is_noting(talk, at, decision):
        until = note_room(desk, talk, at.repo, at.policy)
        desk.store.keep_talk(talk._replace(standing=Standing.STANDS.value), desk.now())
        desk.store.comment_put_off(wanted.issue, wanted.version, "a note waits for the budget", until, counts=False)
        return
    if decision.step is Step.POST and comment is not None and not _is_alone(at.thread, comment):
        _settle(desk, wanted, talk, at.repo, decision, rests_on="")
        look_again(desk, talk, at)
        return
    standing = decision.standing.value if decision.standing is not None else talk.standing
    aged = with_age(desk, talk, at.read, at.policy)
    rests_on = circumstances_of(at.thread, aged._replace(standing=standing), at.policy)
    _settle(desk, wanted, talk, at.repo, decision, rests_on=rests_on)


def _is_alone(thread: Thread, comment: Comment) -> bool:
    """Whether a comment is the only one of the bot's."""
    return [fingerprint(c.body) for c in thread.ours] == [fingerprint(comment.body)]


def _put_off(desk: Desk, wanted: Wanted, talk: Talk, repo: str, wait: Wait) -> None:
    if talk.why != wait.why:
        desk.log(repo, talk.ref, Step.WAIT.value, detail=wait.why)
        desk.store.keep_talk(talk._replace(why=wait.why), desk.now())
    desk.store.comment_put_off(wanted.issue, wanted.version, wait.why, wait.until, counts=False)


def _decision(desk: Desk, talk: Talk, at: At, comment: Comment | None) -> Decision:
    if not at.read.whole and not any(c.id == talk.comment for c in at.thread.ours):
        return Decision(Step.SILENT, "the thread is longer than is read, so its comment may stand where none was seen")
    if talk.standing == RETRACTING:
        # a maintainer asked for it: no mode, label, budget or brake is in the way, and nothing but it is written
        comment = comment if comment is not None and not comment.problems else retraction(WRONG)
        bounds = Bounds(at.policy.model_copy(update={"opt_out": (), "mode": Mode.COMMENT}))
        decision = decide(comment, at.thread, memory_of(talk), bounds)
        if decision.step is Step.SILENT and talk.comment is None and talk.posting is not None:
            return _after_try(desk, talk, at, decision._replace(standing=Standing.RETRACTED))
        return decision if decision.step is Step.SILENT else decision._replace(standing=Standing.RETRACTED)
    if disowned_stands(talk, at.thread) and is_left_alone(at.thread, talk, at.policy):
        # as `wrong`, it passes wherever the bot is to be quiet, and nothing but it
        comment = comment if comment is not None and not comment.problems else retraction(NOT_IT)
        bounds = Bounds(at.policy.model_copy(update={"opt_out": (), "mode": Mode.SHADOW}))
        return decide(comment, at.thread, memory_of(talk)._replace(off=False), bounds)
    old = with_age(desk, talk, at.read, at.policy).old
    bounds = Bounds(at.policy, spent(desk, talk, at.repo), brake(desk, at.repo), old)
    decision = decide(comment, at.thread, memory_of(talk), bounds)
    if decision.standing is Standing.DELETED and is_fresh(desk, talk):
        return Decision(Step.WAIT, _NOT_SHOWN)
    if decision.step is Step.POST and talk.posting is not None:
        return _after_try(desk, talk, at, decision)
    return decision


def _after_try(desk: Desk, talk: Talk, at: At, decision: Decision) -> Decision:
    """What a decision comes to where a first comment was tried, got no answer, and is not there: it may be late, or a
    person may have deleted it."""
    if is_fresh(desk, talk):
        return Decision(Step.WAIT, _NOT_SHOWN)
    if was_deleted(desk, at.threads, at.read):
        return Decision(Step.SILENT, "a comment was deleted here, perhaps its own", standing=Standing.DELETED)
    return decision


def _carried_out(desk: Desk, talk: Talk, at: At, decision: Decision, comment: Comment | None) -> tuple[Talk, At]:
    """The conversation and the issue after a decision. What was written is kept at once."""
    if decision.step is Step.SUGGEST and comment is not None:
        if talk.why == decision.why and words_digest(talk.suggestion) != words_digest(comment.body):
            desk.log(at.repo, talk.ref, decision.step.value, detail=decision.why)
        return _adopted(talk, at, decision)._replace(suggestion=comment.body), at
    if decision.step is Step.KEEP or comment is None or not comment.problems:
        talk = talk._replace(suggestion="")  # nothing waits any more
    if decision.step not in _WROTE or comment is None:
        return _adopted(talk, at, decision), at
    detail = f"{decision.why}: {', '.join(comment.problems)}" if comment.problems else decision.why
    if decision.step is Step.POST:
        return posted(desk, talk, at, comment, detail)
    text = fingerprint(comment.body)
    talk = desk.store.keep_talk(talk._replace(writing=text), desk.now())
    at.hold.check()
    if decision.comment is not None:
        at.threads.edit(at.repo, decision.comment, comment.body)
    standing = decision.standing.value if decision.standing is not None else talk.standing
    talk = talk._replace(comment=decision.comment, written=text, writing="", standing=standing, suggestion="")
    talk = desk.store.keep_talk(talk, desk.now())
    desk.log(at.repo, talk.ref, _WROTE[decision.step], detail=detail)
    now_there = (c._replace(body=comment.body) if c.id == decision.comment else c for c in at.thread.ours)
    return talk, at._replace(thread=at.thread._replace(ours=tuple(now_there)))


def _adopted(talk: Talk, at: At, decision: Decision) -> Talk:
    """With the comment that stands there, where it is the bot's own and the store knew of none, or of a later one."""
    found = next((c.body for c in at.thread.ours if c.id == decision.comment), None)
    if talk.comment == decision.comment or found is None:
        return talk
    return talk._replace(comment=decision.comment, written=fingerprint(found))


def _may_add(talk: Talk, at: At, decision: Decision, comment: Comment | None) -> bool:
    """Whether more than the comment may be written: what is wanted stands there, and the mode allows it."""
    allowed = (at.policy.mode is Mode.COMMENT or talk.approved) and not decision.only_back
    if comment is None or decision.standing is not Standing.STANDS or not allowed:
        return False
    return any(c.id == talk.comment and fingerprint(c.body) == fingerprint(comment.body) for c in at.thread.ours)


def _is_noting(talk: Talk, at: At, decision: Decision) -> bool:
    """Whether notes are due that may be written here."""
    stands = decision.step in (Step.EDIT, Step.KEEP) and at.read.item.state == "open"
    return bool(talk.due_notes) and stands


def _settle(
    desk: Desk, wanted: Wanted, talk: Talk, repo: str, decision: Decision, *, rests_on: str | None = None
) -> None:
    """Write down that this version is dealt with, why it came out as it did, and the circumstances it rests on."""
    if decision.step not in _WROTE and decision.why != talk.why:
        desk.log(repo, talk.ref, decision.step.value, detail=decision.why)
    standing = decision.standing.value if decision.standing is not None else talk.standing
    desk.store.keep_talk(talk._replace(standing=standing, why=decision.why), desk.now())
    desk.store.comment_settled(wanted.issue, wanted.version, rests_on)
