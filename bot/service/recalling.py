"""What GitHub itself remembers of an issue of which the store holds nothing: a cache was lost, a machine is new.

The bot's comment bears its marker; its reaction stands at each command that it heard; the timeline says which labels
were its own, and that a comment was deleted. Where none of it tells, the bot is silent until a maintainer asks.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.comment import MARKER, is_untouched
from bot.forge import Read, Threads
from bot.forge.threads import CommentItem, Happened
from bot.publishing.decide import Standing
from bot.service.desk import Desk
from bot.service.hearing import hear
from bot.watched.commands import commands
from bot.watched.policy import Policy
from kb.store.conversations import Talk

_SHARED = "github-actions[bot]"  # the login of every workflow of a repository
_RECENT = timedelta(days=1)  # a command without a reaction was perhaps never heard; an older one is not carried out now


def remembered(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy, *, new: bool) -> Talk | None:
    """The conversation about an issue; of a `new` one, as far as GitHub tells. None where another account speaks with
    the bot's voice: then the bot does not know its own login, or two of them are at work, and one is enough. Raises
    ForgeError."""
    other = _other_voice(read, desk.own)
    if not other:
        return _recalled(desk, threads, read, talk, policy) if new else talk
    words = f"{other} answers here with this program already, and this account is {desk.own or 'nobody'}"
    if talk.why != words:
        detail = f"{words}; TRIAGE_GITHUB_LOGIN (the action's input `login`) names whose comments are its own"
        desk.log(read.repo, talk.ref, "failed", detail=detail)
    desk.store.keep_talk(talk._replace(why=words), desk.now())
    return None


def _other_voice(read: Read, own: str) -> str:
    """The account of another App whose comment bears the bot's marker, "" where there is none. A person can paste a
    marker; no person writes as an App."""
    for comment in read.comments:
        writer, body = comment.user, comment.body or ""
        is_other = writer is not None and writer.type == "Bot" and writer.login != own
        if writer is not None and is_other and body.startswith(MARKER) and is_untouched(body):
            return writer.login
    return ""


def _recalled(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy) -> Talk:
    if read.item.created_at == read.item.updated_at and not read.comments:
        return talk  # nothing has happened since it was opened
    happened, whole = threads.timeline(read.repo, read.item.number)
    talk = _own_comment(desk, read, talk, happened, whole=whole)
    talk = _own_labels(desk, read, talk, happened)
    return _commands(desk, threads, read, talk, policy)


def _own_comment(desk: Desk, read: Read, talk: Talk, happened: tuple[Happened, ...], *, whole: bool) -> Talk:
    ours = [c for c in read.comments if c.user and c.user.login == desk.own and (c.body or "").startswith(MARKER)]
    if ours:
        first = min(ours, key=lambda c: c.id)
        return talk._replace(comment=first.id, standing=Standing.STANDS.value)
    deleted = any(h.event == "comment_deleted" and h.who != desk.own for h in happened)
    if deleted or not whole:
        why = "a comment was deleted here" if deleted else "its timeline is longer than is read"
        desk.log(read.repo, talk.ref, "silent", detail=f"nothing is remembered of this issue, and {why}")
        return talk._replace(standing=Standing.DELETED.value)
    return talk


def _own_labels(desk: Desk, read: Read, talk: Talk, happened: tuple[Happened, ...]) -> Talk:
    """The labels that the bot set, and those of them that a person took off. What other workflows set under the same
    login, or the person whose token it is, cannot be told from its own: such labels are left on."""
    own: dict[str, None] = {}
    unwanted: dict[str, None] = {}
    for h in happened:
        if h.event == "labeled" and h.who == desk.own:
            own[h.name] = None
        elif h.event == "unlabeled" and h.name in own:
            del own[h.name]
            if h.who != desk.own:
                unwanted[h.name] = None
    alone = desk.own.endswith("[bot]") and desk.own != _SHARED
    labels = tuple(name for name in own if name in read.labels) if alone else ()
    return talk._replace(labels=labels, unwanted=tuple(unwanted))


def _commands(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy) -> Talk:
    """The conversation after the commands that were heard before. They are gone through once more, each on its day, and
    nobody is answered. What bears no reaction and is old counts as heard, but asks for no comment now."""
    now = desk.now()
    unsure = False
    for comment in sorted(read.comments, key=lambda c: (c.updated_at, c.id)):
        if not commands(comment.body or ""):
            continue
        answered = _is_answered(desk, threads, read, comment)
        if answered or comment.written_at < now - _RECENT:
            unsure = unsure or not answered
            talk = hear(_Echo(desk), threads, read._replace(comments=(comment,)), talk, policy)
    return talk._replace(approved=False) if unsure else talk


def _is_answered(desk: Desk, threads: Threads, read: Read, comment: CommentItem) -> bool:
    return comment.reactions.total_count > 0 and desk.own in threads.reactions(read.repo, comment.id)


class _Echo(Desk):
    """A desk at which what was heard before is heard again: nothing is written to GitHub, and nothing logged but what
    is counted."""

    def __init__(self, desk: Desk) -> None:
        vars(self).update(vars(desk))
        self.braked = lambda: "what is recalled is answered already"

    def log(
        self, repo: str, issue: str, what: str, who: str = "", detail: str = "", *, at: datetime | None = None
    ) -> None:
        if what == "wrong":
            super().log(repo, issue, what, who, detail, at=at)
