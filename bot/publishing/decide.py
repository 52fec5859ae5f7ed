"""What to do about one issue's comment: post, edit, retract, or leave everything as it is. Values in, a decision out.

Rules stand in the order of their weight: what people have asked for comes before what the bot would like to say, and
whatever is in doubt writes nothing.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from bot.comment import Comment, is_untouched, retraction
from bot.comment.claims import adds, takes_back, words
from bot.watched.policy import Mode, Policy
from bot.wording.lifecycle import WITHDRAWALS

_CAN_POST = "a maintainer can post it with `/triage post`"


class Step(StrEnum):
    POST = "post"
    EDIT = "edit"
    RETRACT = "retract"  # replace what stands there by one line
    KEEP = "keep"  # what stands there is right
    SUGGEST = "suggest"  # the finished comment waits for a maintainer
    SILENT = "silent"
    WAIT = "wait"  # a budget or a brake: ask again later


class OwnComment(NamedTuple):
    """A comment that the bot's account wrote and that begins with its marker. Anybody can paste a marker; nobody else
    can be that author."""

    id: int
    body: str


class Thread(NamedTuple):
    """An issue as it was read just now. `answered`: a maintainer wrote in it before the bot did."""

    open: bool
    labels: frozenset[str]
    pull_request: bool
    answered: bool
    ours: tuple[OwnComment, ...] = ()  # oldest first


class Standing(StrEnum):
    """What has become of the bot's comment, as far as is remembered."""

    NONE = "none"
    STANDS = "stands"
    TAKEN = "taken"  # a person edited it: it is theirs
    DELETED = "deleted"
    RETRACTED = "retracted"


class Memory(NamedTuple):
    """`written`: `fingerprint` of the body as it was last written. `off`: a maintainer said so for this issue. `yes`:
    `words_digest` of the words that were approved."""

    standing: Standing = Standing.NONE
    comment: int | None = None
    written: str = ""
    off: bool = False
    approved: bool = False  # a maintainer asked for a comment here
    yes: str = ""


class Spent(NamedTuple):
    """What was written already: edits of this comment in 24 hours, those that took it back among them, and comments of
    the repository in an hour and a day."""

    edits: int = 0
    hour: int = 0
    day: int = 0


class Bounds(NamedTuple):
    """What limits the writing. `backfill`: the issue is old and nobody asked. `braked`: why nothing at all may be
    written now, "" where it may."""

    policy: Policy
    spent: Spent = Spent()
    braked: str = ""
    backfill: bool = False


class Decision(NamedTuple):
    """`comment` is the one to edit. `duplicates` are later comments of the bot's own that no person has edited, to be
    removed: writers that raced agree on the oldest. `standing` is what is to be remembered from here on. `only_back`:
    it is written since something that stands does not hold, where nothing else may be written; a RETRACT of that kind
    leaves the wanted comment to be decided on behind it."""

    step: Step
    why: str
    comment: int | None = None
    duplicates: tuple[int, ...] = ()
    standing: Standing | None = None
    only_back: bool = False


def fingerprint(body: str) -> str:
    """The same for bodies that GitHub shows alike: it stores line ends as they are sent and cuts what is at the end."""
    return sha256(body.replace("\r\n", "\n").rstrip().encode()).hexdigest()[:16]


def words_digest(body: str) -> str:
    """The same for comments that show the same words without being unfolded."""
    return fingerprint(words(body))


WITHDRAWN = frozenset(fingerprint(retraction(why).body) for why in WITHDRAWALS)


def decide(wanted: Comment | None, thread: Thread, memory: Memory, bounds: Bounds) -> Decision:
    """`wanted` is the comment that the issue should have, None for silence; one that names no problem withdraws an
    earlier one."""
    if bounds.policy.mode is Mode.OFF:
        return Decision(Step.SILENT, "the repository's policy says off")
    if memory.off or bounds.policy.opts_out(thread.labels):
        return Decision(Step.SILENT, "people opted this issue out")
    ours = _ours(thread, memory)
    if ours is not None:
        return _standing(wanted, ours, thread, memory, bounds)
    if memory.comment is not None:
        others = _duplicates(thread, memory.comment)
        return Decision(Step.SILENT, "its comment was deleted, and stays so", None, others, Standing.DELETED)
    return _first(wanted, thread, memory, bounds)


def circumstances(thread: Thread, memory: Memory, bounds: Bounds) -> str:
    """All that decides beside the words of a comment: where it differs, the same words are to be decided on again."""
    ours = ",".join(f"{c.id}:{fingerprint(c.body)}" for c in thread.ours)
    opted_out = memory.off or bounds.policy.opts_out(thread.labels)
    flags = {
        "approved": memory.approved,
        f"yes:{memory.yes}": bool(memory.yes),
        "off": opted_out,
        "open": thread.open,
        "answered": thread.answered,
        "old": bounds.backfill,
    }
    return " ".join((bounds.policy.mode, memory.standing, *(name for name, holds in flags.items() if holds), ours))


def duplicates(thread: Thread) -> tuple[int, ...]:
    """Comments of the bot's own behind the oldest one, as far as no person has edited them."""
    return _duplicates(thread, thread.ours[0].id) if thread.ours else ()


def _duplicates(thread: Thread, after: int) -> tuple[int, ...]:
    return tuple(c.id for c in thread.ours if c.id > after and is_untouched(c.body))


def _ours(thread: Thread, memory: Memory) -> OwnComment | None:
    """The oldest that carries the marker: all writers agree on it. One that is younger than a deleted one is none."""
    oldest = thread.ours[0] if thread.ours else None
    return oldest if oldest is None or memory.comment is None or oldest.id <= memory.comment else None


def _standing(wanted: Comment | None, ours: OwnComment, thread: Thread, memory: Memory, bounds: Bounds) -> Decision:
    """A comment of the bot's is there."""
    here = Decision(Step.KEEP, "it says what it should", ours.id, duplicates(thread), Standing.STANDS)
    known = bool(memory.written) and memory.comment in (None, ours.id)
    edited = fingerprint(ours.body) != memory.written if known else not is_untouched(ours.body)
    if memory.standing is Standing.RETRACTED:
        return here._replace(why="it was retracted", standing=Standing.RETRACTED)
    if edited or memory.standing is Standing.TAKEN:
        return here._replace(why="a person edited it, and it is theirs", standing=Standing.TAKEN)
    if wanted is None or fingerprint(wanted.body) == fingerprint(ours.body):
        return here
    more = adds(ours.body, wanted)
    held = _held(here, wanted, memory, bounds, more=more)
    back = held is not None and takes_back(ours.body, wanted)
    if held is not None and not back:
        return held
    if not wanted.problems or (back and more):
        return here._replace(step=Step.RETRACT, why="what it said no longer holds", only_back=back)
    return here._replace(step=Step.EDIT, why="the answer has changed", only_back=back)


def _held(here: Decision, wanted: Comment, memory: Memory, bounds: Bounds, *, more: bool) -> Decision | None:
    """What keeps a comment that stands as it is where another one is wanted, as far as it holds; None for nothing.
    `more`: the wanted one says what the other does not."""
    mode = bounds.policy.mode
    approved = memory.approved and (not more or _is_approved(wanted, memory))
    if mode is Mode.SUGGEST and more and not approved:
        return here._replace(step=Step.SUGGEST, why=f"the answer has changed, and {_CAN_POST}")
    if mode is not Mode.COMMENT and not approved:
        return here._replace(why=f"the repository's policy says {mode}")
    if bounds.braked:
        return here._replace(step=Step.WAIT, why=bounds.braked)
    if bounds.spent.edits >= bounds.policy.budget.edits_per_issue_and_day:
        return here._replace(step=Step.WAIT, why="it was edited often enough today")
    return None


def _is_approved(wanted: Comment, memory: Memory) -> bool:
    """Whether a maintainer said yes to these very words."""
    return memory.approved and memory.yes == words_digest(wanted.body)


def _first(wanted: Comment | None, thread: Thread, memory: Memory, bounds: Bounds) -> Decision:
    """No comment of the bot's is there, and none ever was."""
    silent = _reason_for_silence(wanted, thread, memory, backfill=bounds.backfill)
    if silent:
        return Decision(Step.SILENT, silent)
    approved = wanted is not None and _is_approved(wanted, memory)
    if bounds.policy.mode is Mode.SHADOW and not approved:
        return Decision(Step.SILENT, "the repository's policy says shadow: recorded, not posted")
    if bounds.policy.mode is Mode.SUGGEST and not approved:
        return Decision(Step.SUGGEST, _CAN_POST)
    budget = bounds.policy.budget
    full = bounds.spent.hour >= budget.comments_per_hour or bounds.spent.day >= budget.comments_per_day
    if bounds.braked or full:
        return Decision(Step.WAIT, bounds.braked or "the repository's budget of comments is spent")
    return Decision(Step.POST, "a known failure with something that helps", standing=Standing.STANDS)


def _reason_for_silence(wanted: Comment | None, thread: Thread, memory: Memory, *, backfill: bool) -> str:
    if wanted is None or not wanted.problems:
        return "there is nothing to say that would help"
    if thread.pull_request:
        return "it is a pull request"
    if memory.standing in (Standing.DELETED, Standing.RETRACTED):
        return f"its comment was {memory.standing}, and stays so"
    if memory.approved:
        return ""
    if not thread.open:
        return "the issue is closed"
    if thread.answered:
        return "a maintainer has answered already"
    return "the issue is old, and nobody asked" if backfill else ""
