"""An issue as it was read, and what is remembered of it, in the terms of a decision."""

from __future__ import annotations

from datetime import timedelta

from bot.comment import MARKER, NOTE, is_untouched, read_comment
from bot.forge import Read, Threads
from bot.forge.items import Writer
from bot.publishing.decide import Bounds, Memory, OwnComment, Standing, Thread, circumstances, fingerprint
from bot.service.answering import is_aged, is_answered, is_disowned
from bot.service.desk import Desk
from bot.service.hearing import RETRACTING
from bot.watched.commands import commands
from bot.watched.policy import Mode, Policy
from kb.store.conversations import Talk

_LAG = timedelta(minutes=1)
_WHOSE = (
    "the account that wrote it goes on there; where GitHub does not say whose a token is, TRIAGE_GITHUB_LOGIN (the "
    "action's input `login`) names whose comments are its own"
)


def thread_of(read: Read, own: str) -> Thread:
    mine = [c for c in read.comments if c.user is not None and c.user.login == own]
    return Thread(
        open=read.item.state == "open",
        labels=frozenset(read.labels),
        pull_request=read.item.pull_request is not None,
        answered=is_answered(read, own),
        ours=tuple(sorted(OwnComment(c.id, c.body or "") for c in mine if (c.body or "").startswith(MARKER))),
    )


def other_voice(read: Read, own: str, talk: Talk) -> str:
    """What another account says here in this program's name, as a sentence, "" where there is no such. A comment that
    is remembered and stands is the bot's, whoever wrote it; so is one that was tried and got no answer. Else another
    App's counts: a person can paste a marker, and no person writes as an App."""
    for comment in read.comments:
        writer, body = comment.user or Writer(login="ghost"), comment.body or ""
        if comment.user is not None and writer.login == own:
            continue
        this = f"and this account is {own or 'nobody'}"
        tried = talk.comment is None and talk.posting is not None and comment.id > talk.posting
        if comment.id == talk.comment or (tried and body and fingerprint(body) == talk.writing):
            return f"{writer.login} wrote the comment that stands here, {this}"
        if writer.type == "Bot" and body.startswith(MARKER) and is_untouched(body):
            return f"{writer.login} answers here with this program already, {this}"
    return ""


def left_to_another(desk: Desk, read: Read, talk: Talk, words: str) -> Talk:
    """The conversation with what `other_voice` says, which is logged once. Raises Overtaken."""
    if talk.why != words:
        desk.log(read.repo, talk.ref, "failed", detail=f"{words}; {_WHOSE}")
    return desk.store.keep_talk(talk._replace(why=words), desk.now())


def memory_of(talk: Talk) -> Memory:
    if talk.standing == RETRACTING:  # a maintainer asked for it, so that no mode is in the way
        return Memory(Standing.STANDS, talk.comment, talk.written, approved=True)
    return Memory(Standing(talk.standing), talk.comment, talk.written, talk.off, talk.approved, talk.yes)


def is_fresh(desk: Desk, talk: Talk) -> bool:
    """Whether the comment was posted so lately that GitHub's lists may not have it yet."""
    return talk.posted_at is not None and abs(desk.now() - talk.posted_at) < _LAG


def adopted(desk: Desk, talk: Talk, read: Read) -> Talk:
    """The conversation with what its thread shows of a write that got no answer, or of a comment that the store knows
    nothing of. What was tried and is there is kept and logged as done. Raises Overtaken."""
    ours = thread_of(read, desk.own).ours
    if talk.comment is None:
        what = "posted" if talk.posting is not None else ""
        after = _found(talk, ours[0]) if ours else _taken(desk, talk, read)
    else:
        there = next((c.body for c in ours if c.id == talk.comment), None)
        if there is None or not talk.writing or fingerprint(there) != talk.writing:
            return talk
        what = "edited" if _says_something(there) else "retracted"
        after = talk._replace(written=talk.writing, writing="")
    if after == talk or talk.revision == 0:  # of one that is not stored, nothing was tried
        return after
    after = desk.store.keep_talk(after, desk.now())
    if what:
        desk.log(read.repo, talk.ref, what, detail="GitHub gave no answer, and it is there")
    return after


_ADOPTED = {
    Standing.NONE.value: Standing.STANDS.value,
    Standing.RETRACTED.value: RETRACTING,  # it was called wrong before it was seen
    RETRACTING: RETRACTING,
}


def _found(talk: Talk, ours: OwnComment) -> Talk:
    """With the comment that is there."""
    if talk.standing not in _ADOPTED:
        return talk
    own_words = fingerprint(ours.body) == talk.writing or is_untouched(ours.body)
    standing = _ADOPTED[talk.standing] if own_words else Standing.TAKEN.value
    written = fingerprint(ours.body) if own_words else ""
    return talk._replace(comment=ours.id, standing=standing, written=written, writing="", posting=None, suggestion="")


def _taken(desk: Desk, talk: Talk, read: Read) -> Talk:
    """With a comment whose creation got no answer, and whose marker a person has removed since."""
    if talk.posting is None or talk.standing not in _ADOPTED:
        return talk
    for comment in read.comments:
        mine = comment.user is not None and comment.user.login == desk.own and comment.id > talk.posting
        if mine and comment.updated_at != comment.created_at and not (comment.body or "").startswith(NOTE):
            return talk._replace(comment=comment.id, standing=Standing.TAKEN.value, writing="", posting=None)
    return talk


def _says_something(body: str) -> bool:
    try:
        return bool(read_comment(body).problems)
    except ValueError:
        return True


def was_deleted(desk: Desk, threads: Threads, read: Read) -> bool:
    """Whether somebody else deleted a comment of an issue, or its timeline does not tell. Raises ForgeError."""
    happened, whole = threads.timeline(read.repo, read.item.number)
    return not whole or any(h.event == "comment_deleted" and h.who != desk.own for h in happened)


def behind_deletion(
    desk: Desk, threads: Threads, read: Read, talk: Talk, gone: frozenset[int] | None
) -> frozenset[int] | None:
    """The comments that were written after the bot's own was deleted; None where that was not deleted now. Events come
    in any order, so the timeline is asked where a command may have come before. If it does not tell either, none of
    what nobody told the order of brings the comment back. `gone`: events tell of the deletion, and these behind it.
    Raises ForgeError."""
    told = gone is not None
    if gone is None:
        missing = talk.comment is not None and all(c.id != talk.comment for c in read.comments)
        if not missing or talk.standing == Standing.DELETED or not read.whole or is_fresh(desk, talk):
            return None
        gone = frozenset(c.id for c in read.comments)
    if not any(commands(c.body or "") for c in read.comments if c.id in gone):
        return gone
    since = _written_since(desk, threads, read)
    if since is None:
        return gone if told else frozenset()
    return gone & since


def _written_since(desk: Desk, threads: Threads, read: Read) -> frozenset[int] | None:
    """The comments that were written after somebody else last deleted one; None where the timeline does not tell."""
    happened, whole = threads.timeline(read.repo, read.item.number)
    deleted = [h.at for h in happened if h.event == "comment_deleted" and h.who != desk.own]
    if not whole or not deleted:
        return None
    return frozenset(c.id for c in read.comments if c.written_at > max(deleted))


def disowned_stands(talk: Talk, thread: Thread) -> bool:
    """Whether a comment stands that speaks of what people said it is not."""
    try:
        problems = read_comment(thread.ours[0].body).problems if thread.ours else ()
    except ValueError:
        return False
    return any(is_disowned(talk, problem) for problem in problems)


def is_left_alone(thread: Thread, talk: Talk, policy: Policy) -> bool:
    """Whether people said that nothing is to be written, there or in the repository."""
    return policy.mode is Mode.OFF or talk.off or bool(thread.labels & set(policy.opt_out))


def with_age(desk: Desk, talk: Talk, read: Read, policy: Policy) -> Talk:
    """The conversation about an issue that may have grown old by itself."""
    return talk._replace(old=talk.old or is_aged(read, desk.now(), policy.answer_within_days))


def circumstances_of(thread: Thread, talk: Talk, policy: Policy) -> str:
    """See `circumstances`; a retraction that is still to be seen is one of them."""
    rest = circumstances(thread, memory_of(talk), Bounds(policy, backfill=talk.old))
    return f"{RETRACTING} {rest}" if talk.standing == RETRACTING else rest
