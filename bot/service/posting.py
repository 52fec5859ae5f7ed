"""A first comment, created: once, whatever becomes of the answer, and alone.

That it is tried is kept before, so that one which got no answer is known again; whoever wrote at the same time agrees
on the oldest.
"""

from __future__ import annotations

from typing import NamedTuple

from bot.comment import Comment
from bot.forge import ForgeError, Read, Threads, Unclear
from bot.publishing.decide import OwnComment, Standing, Thread, duplicates, fingerprint
from bot.service.desk import Desk
from bot.service.holding import Hold
from bot.service.inbox import REVISIT, payload
from bot.service.pacing import UNCLEAR
from bot.service.standing import thread_of
from bot.watched.events import Event, Kind
from bot.watched.policy import Policy
from kb.store.conversations import Overtaken, Talk


class At(NamedTuple):
    """One issue, as it was read for writing, in this process's hands."""

    hold: Hold
    threads: Threads
    repo: str
    read: Read
    thread: Thread
    policy: Policy

    @property
    def number(self) -> int:
        return self.read.item.number


def posted(desk: Desk, talk: Talk, at: At, comment: Comment, detail: str) -> tuple[Talk, At]:
    """A first comment, written. A writer that was late may have been there meanwhile: the oldest comment is the one."""
    talk, id_ = _tried_to_post(desk, talk, at, comment)
    desk.log(at.repo, talk.ref, "posted", detail=detail)
    talk = talk._replace(
        comment=id_,
        posted_at=desk.now(),
        suggestion="",
        written=fingerprint(comment.body),
        writing="",
        posting=None,
        standing=Standing.STANDS.value,
    )
    try:
        talk = desk.store.keep_talk(talk, desk.now())
    except Overtaken:
        look_again(desk, talk, at)
        raise
    read = at.threads.read(at.repo, at.number)
    at = at._replace(read=read, thread=thread_of(read, desk.own))
    if not any(c.id == id_ for c in at.thread.ours):  # lists lag behind what was written
        ours = (*at.thread.ours, OwnComment(id_, comment.body))
        at = at._replace(thread=at.thread._replace(ours=tuple(sorted(ours))))
    at = without(desk, talk, at, duplicates(at.thread))
    oldest = at.thread.ours[0]
    if oldest.id != id_:
        talk = desk.store.keep_talk(talk._replace(comment=oldest.id, written=fingerprint(oldest.body)), desk.now())
    return talk, at


def _tried_to_post(desk: Desk, talk: Talk, at: At, comment: Comment) -> tuple[Talk, int]:
    """A first comment, created; its id. That it was tried is kept first: without an answer it may be there."""
    last = max((c.id for c in at.read.comments), default=0)
    tried = talk._replace(posting=last, writing=fingerprint(comment.body), posted_at=desk.now())
    talk = desk.store.keep_talk(tried, desk.now())
    at.hold.check()
    try:
        return talk, at.threads.comment(at.repo, at.number, comment.body)
    except Unclear as e:
        desk.log(at.repo, talk.ref, UNCLEAR, detail=str(e))
        raise
    except ForgeError:
        desk.store.keep_talk(talk._replace(posting=None, writing="", posted_at=None), desk.now())
        raise


def without(desk: Desk, talk: Talk, at: At, ids: tuple[int, ...]) -> At:
    """The issue after comments of the bot's own were removed."""
    for id_ in ids:
        at.hold.check()
        at.threads.remove(at.repo, id_)
        desk.log(at.repo, talk.ref, "removed", detail=f"a second comment of its own, {id_}")
    return at._replace(thread=at.thread._replace(ours=tuple(c for c in at.thread.ours if c.id not in ids)))


def look_again(desk: Desk, talk: Talk, at: At) -> None:
    """Have the issue read once more, by whoever has it then: another one wrote there at the same time."""
    repo_id = int(talk.issue.partition("#")[0])
    event = Event(Kind.IGNORED, REVISIT, at.repo, repo_id, at.number, installation=talk.installation)
    now = desk.now()
    desk.store.receive(f"again {talk.issue} {desk.owner} {now.isoformat()}", talk.issue, REVISIT, payload(event), now)
