"""How much may be written, and when again: by a repository's policy, by GitHub's limits, by a brake that people pulled.

Counted in the log of deeds, so that all processes of a store share it, and known without asking GitHub: what waits
costs no request.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from bot.comment import read_comment
from bot.publishing.decide import WITHDRAWN, Spent, Standing, fingerprint
from bot.service.desk import Desk
from bot.service.hearing import CALLED_WRONG, RESTORED, RETRACTING
from bot.watched.policy import Policy
from kb.store import Store
from kb.store.conversations import Deed, Talk
from kb.store.leases import SKEW
from kb.store.work import Wanted

# of one installation. Reactions have a budget of their own; with them and with what is taken off or removed, which is
# not logged as a write, it stays below GitHub's 500:
# https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
WRITES_AN_HOUR = 400
WRITES = ("posted", "edited", "retracted", "noted", "labelled", "unclear")
UNCLEAR = "unclear"  # a comment whose creation got no answer: counted as one, whatever has become of it
_COMMENTS = ("posted", "noted", UNCLEAR)
_EDITS = ("edited", "retracted")
_WRONG_TODAY = 3  # answers called wrong within a day that stop the writing
PAUSE = timedelta(minutes=10)
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


class Wait(NamedTuple):
    """Why nothing is written now, and until when."""

    why: str
    until: datetime


def stopped(desk: Desk, talk: Talk) -> Wait | None:
    """What stops every write of this account, whatever is asked."""
    now = desk.now()
    braked = desk.braked()
    if braked:
        return Wait(braked, now + PAUSE)
    account = (talk.installation,)
    written = desk.done_within(_HOUR, *WRITES, installation=account)
    if written < WRITES_AN_HOUR:
        return None
    first = desk.store.nth_last(WRITES_AN_HOUR, *WRITES, until=now + SKEW, installation=account)
    why = f"{written} writes in an hour, and GitHub asks for no more than 500"
    return Wait(why, (first or now) + _HOUR)


def waits(desk: Desk, wanted: Wanted, talk: Talk, repo: str, policy: Policy) -> Wait | None:
    """What this comment waits for, however its issue stands: a brake or a budget of its repository. A retraction that a
    maintainer asked for waits for nothing, nor does what is left of a deleted one, and see `may_take_back`."""
    if talk.standing in (RETRACTING, Standing.DELETED):
        return None
    braked = brake(desk, repo)
    if braked:
        return Wait(braked, desk.now() + PAUSE)  # a `wrong` may be taken back
    used, budget = spent(desk, talk, repo), policy.budget
    if talk.comment is None and talk.posting is not None:
        return None  # whether it is there is to be seen first
    if talk.comment is None:
        why = "the repository's budget of comments is spent"
        if wanted.body and used.hour >= budget.comments_per_hour:
            return Wait(why, _room(desk, budget.comments_per_hour, _HOUR, _COMMENTS, repo=repo))
        if wanted.body and used.day >= budget.comments_per_day:
            return Wait(why, _room(desk, budget.comments_per_day, _DAY, _COMMENTS, repo=repo))
    elif used.edits >= budget.edits_per_issue_and_day and _is_more(wanted, talk):
        until = _room(desk, budget.edits_per_issue_and_day, _DAY, _EDITS, issue=talk.ref)
        return Wait("it was edited often enough today", until)
    return None


def may_take_back(wanted: Wanted, talk: Talk) -> bool:
    """Whether what stands may say what no longer holds, as its thread tells. That waits for no brake and no budget."""
    changed = bool(wanted.body) and fingerprint(wanted.body) not in (talk.written, talk.writing)
    return talk.comment is not None and changed and talk.written not in WITHDRAWN


def _is_more(wanted: Wanted, talk: Talk) -> bool:
    """Whether something is to take the place of what was written. What takes an answer back waits for no budget."""
    changed = bool(wanted.body) and fingerprint(wanted.body) not in (talk.written, talk.writing)
    return changed and (bool(read_comment(wanted.body).problems) or talk.written in WITHDRAWN)


def note_room(desk: Desk, talk: Talk, repo: str, policy: Policy) -> datetime:
    """When the notes that are due fit into the repository's budget of comments; now where they do."""
    used, budget, many = spent(desk, talk, repo), policy.budget, len(talk.due_notes) - 1
    spans = ((used.hour, budget.comments_per_hour, _HOUR), (used.day, budget.comments_per_day, _DAY))
    return max(
        (_room(desk, most - many, span, _COMMENTS, repo=repo) for count, most, span in spans if count + many >= most),
        default=desk.now(),
    )


def spent(desk: Desk, talk: Talk, repo: str) -> Spent:
    count = desk.done_within
    return Spent(
        edits=count(_DAY, *_EDITS, issue=talk.ref),
        hour=count(_HOUR, *_COMMENTS, repo=repo) - count(_HOUR, UNCLEAR, issue=talk.ref),
        day=count(_DAY, *_COMMENTS, repo=repo) - count(_DAY, UNCLEAR, issue=talk.ref),
    )


def brake(desk: Desk, repo: str) -> str:
    """Why nothing more is written in a repository today, "" where it is."""
    wrong = len(called_wrong(desk.store, repo, desk.now()))
    if wrong >= _WRONG_TODAY:
        return f"{wrong} answers were called wrong within a day, so nothing is written until that is over"
    return ""


def called_wrong(store: Store, repo: str | None, now: datetime) -> dict[str, str]:
    """The issues whose answer was called wrong within a day, and not restored since, each with its repository."""
    newest: dict[str, Deed] = {}
    for what in (CALLED_WRONG, RESTORED):
        for deed in store.deeds(repo=repo, what=what, most=500):
            if now - _DAY < deed.at <= now + SKEW and (deed.issue not in newest or newest[deed.issue].at < deed.at):
                newest[deed.issue] = deed
    return {issue: deed.repo for issue, deed in newest.items() if deed.what == CALLED_WRONG}


def _room(
    desk: Desk, most: int, span: timedelta, what: tuple[str, ...], *, repo: str | None = None, issue: str | None = None
) -> datetime:
    """When one more of these deeds is within the limit of `most` in a span."""
    now = desk.now()
    first = desk.store.nth_last(most, *what, until=now + SKEW, repo=repo, issue=issue) if most > 0 else None
    return (first or now) + span
