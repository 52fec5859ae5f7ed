"""What GitHub itself remembers of an issue of which the store holds nothing: a cache was lost, a machine is new.

The bot's comment bears its marker; its reaction stands at each command that it heard; the timeline says which labels
were its own, and that a comment was deleted. Where none of it tells, the bot is silent until a maintainer asks.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.comment import MARKER, NOTE, is_untouched
from bot.forge import Read, Threads
from bot.forge.items import CommentItem, Happened, label_key
from bot.publishing.decide import Standing
from bot.service.desk import Desk
from bot.service.hearing import hear
from bot.service.standing import left_to_another, other_voice
from bot.watched.commands import commands
from bot.watched.policy import Policy
from bot.wording.lifecycle import WRONG
from kb.store.conversations import Talk

_SHARED = "github-actions[bot]"  # the login of every workflow of a repository
_RECENT = timedelta(days=1)  # a command without a reaction was perhaps never heard; an older one is not carried out now


def remembered(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy) -> Talk | None:
    """The conversation about an issue; of one that was never recalled, as far as GitHub tells. None where another
    account speaks with the bot's voice: then the bot does not know its own login, or two of them are at work, and one
    is enough. Raises ForgeError."""
    words = other_voice(read, desk.own, talk)
    if not words:
        return talk if talk.recalled else _recalled(desk, threads, read, talk, policy)._replace(recalled=True)
    left_to_another(desk, read, talk, words)
    return None


def _recalled(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy) -> Talk:
    if read.item.created_at == read.item.updated_at and not read.comments:
        return talk  # nothing has happened since it was opened
    happened, whole = threads.timeline(read.repo, read.item.number)
    until = None
    if talk.standing == Standing.NONE:  # else an earlier try got further
        talk, until = _own_comment(desk, read, talk, happened, whole=whole)
    talk = _own_labels(desk, read, talk, happened)
    talk = _commands(desk, threads, read, talk, policy, until)
    # which words a yes was for is forgotten; where a comment stands they were written
    return talk._replace(yes="") if talk.comment is not None else talk


def _own_comment(
    desk: Desk, read: Read, talk: Talk, happened: tuple[Happened, ...], *, whole: bool
) -> tuple[Talk, datetime | None]:
    """The conversation with what has become of the bot's comment, and the moment until which that tells what came of
    all commands; None where it does not."""
    mine = sorted((c for c in read.comments if c.user and c.user.login == desk.own), key=lambda c: c.id)
    ours = [c for c in mine if (c.body or "").startswith(MARKER)]
    if ours:
        first, body = ours[0], ours[0].body or ""
        if WRONG in body and is_untouched(body):
            return talk._replace(comment=first.id, standing=Standing.RETRACTED.value), first.written_at
        return talk._replace(comment=first.id, standing=Standing.STANDS.value), None
    taken = [c for c in mine if not (c.body or "").startswith(NOTE)]
    if taken and _is_alone(desk):  # a person put other words in its place, and the marker went with its own
        return talk._replace(comment=taken[0].id, standing=Standing.TAKEN.value), None
    deleted = any(h.event == "comment_deleted" and h.who != desk.own for h in happened)
    if deleted or not whole:
        why = "a comment was deleted here" if deleted else "its timeline is longer than is read"
        desk.log(read.repo, talk.ref, "silent", detail=f"nothing is remembered of this issue, and {why}")
        return talk._replace(standing=Standing.DELETED.value), datetime.max.replace(tzinfo=UTC)
    return talk, None


def _is_alone(desk: Desk) -> bool:
    """Whether nobody else writes under the bot's login: an App of its own."""
    return desk.own.endswith("[bot]") and desk.own != _SHARED


def _own_labels(desk: Desk, read: Read, talk: Talk, happened: tuple[Happened, ...]) -> Talk:
    """The labels that the bot set, and those of them that a person took off. What other workflows set under the same
    login, or the person whose token it is, cannot be told from its own: such labels are left on."""
    own: dict[str, str] = {}
    unwanted: dict[str, str] = {}
    for h in happened:
        key = label_key(h.name)
        if h.event == "labeled" and h.who == desk.own:
            own[key] = h.name
        elif h.event == "unlabeled" and key in own:
            del own[key]
            if h.who != desk.own:
                unwanted[key] = h.name
    labels = tuple(name for key, name in own.items() if key in read.labels) if _is_alone(desk) else ()
    return talk._replace(labels=labels, unwanted=tuple(unwanted.values()))


def _commands(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy, until: datetime | None) -> Talk:
    """The conversation after the commands that were heard before. They are gone through once more, each on its day, and
    nobody is answered. What bears no reaction and is old counts as heard, but asks for no comment now. `until`: what
    was said before that has come to what became of the comment, and takes none of it back."""
    now, became = desk.now(), talk
    unsure = False
    for comment in sorted(read.comments, key=lambda c: (c.updated_at, c.id)):
        if not commands(comment.body or ""):
            continue
        answered = _is_answered(desk, threads, read, comment)
        if answered or comment.written_at < now - _RECENT:
            unsure = unsure or not answered
            talk = hear(_Echo(desk), threads, read._replace(comments=(comment,)), talk, policy, answers=False)
            if until is not None and comment.written_at <= until:
                talk = talk._replace(standing=became.standing, comment=became.comment)
    return talk._replace(approved=False) if unsure else talk


def _is_answered(desk: Desk, threads: Threads, read: Read, comment: CommentItem) -> bool:
    return comment.reactions.total_count > 0 and desk.own in threads.reactions(read.repo, comment.id)


class _Echo(Desk):
    """A desk at which what was heard before is heard again: nothing is logged but what is counted."""

    def __init__(self, desk: Desk) -> None:
        vars(self).update(vars(desk))

    def log(
        self, repo: str, issue: str, what: str, who: str = "", detail: str = "", *, at: datetime | None = None
    ) -> None:
        if what == "wrong":
            super().log(repo, issue, what, who, detail, at=at)
