"""An issue as it was read, and what is remembered of it, in the terms of a decision."""

from __future__ import annotations

from datetime import timedelta

from bot.comment import MARKER
from bot.forge import Read
from bot.publishing.decide import Bounds, Memory, OwnComment, Standing, Thread, circumstances
from bot.service.answering import is_aged, is_answered
from bot.service.desk import Desk
from bot.service.hearing import RETRACTING
from bot.watched.policy import Policy
from kb.store.conversations import Talk

_LAG = timedelta(minutes=1)


def thread_of(read: Read, own: str) -> Thread:
    mine = [c for c in read.comments if c.user is not None and c.user.login == own]
    return Thread(
        open=read.item.state == "open",
        labels=read.labels,
        pull_request=read.item.pull_request is not None,
        answered=is_answered(read, own),
        ours=tuple(sorted(OwnComment(c.id, c.body or "") for c in mine if (c.body or "").startswith(MARKER))),
    )


def memory_of(talk: Talk) -> Memory:
    if talk.standing == RETRACTING:  # a maintainer asked for it, so that no mode is in the way
        return Memory(Standing.STANDS, talk.comment, talk.written, approved=True)
    return Memory(Standing(talk.standing), talk.comment, talk.written, talk.off, talk.approved)


def is_fresh(desk: Desk, talk: Talk) -> bool:
    """Whether the comment was posted so lately that GitHub's lists may not have it yet."""
    return talk.posted_at is not None and desk.now() - talk.posted_at < _LAG


def with_age(desk: Desk, talk: Talk, read: Read, policy: Policy) -> Talk:
    """The conversation about an issue that may have grown old by itself."""
    return talk._replace(old=talk.old or is_aged(read, desk.now(), policy.answer_within_days))


def circumstances_of(thread: Thread, talk: Talk, policy: Policy) -> str:
    """See `circumstances`; a retraction that is still to be seen is one of them."""
    rest = circumstances(thread, memory_of(talk), Bounds(policy, backfill=talk.old))
    return f"{RETRACTING} {rest}" if talk.standing == RETRACTING else rest
