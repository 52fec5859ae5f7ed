"""One issue as the board shows it: which group it is in, what would be said there, and what can be decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.comment import read_comment
from bot.publishing.decide import Standing, words_digest
from bot.service.answering import Told
from kb.store.conversations import Talk
from kb.store.showing import About


class Shown(NamedTuple):
    talk: Talk
    about: About

    @property
    def told(self) -> tuple[Told, ...]:
        return Told.read(self.talk.said)

    @property
    def comment(self) -> str:
        """The comment that a yes would post, without its hidden marker; "" where there is none to post."""
        talk = self.talk
        wanted = self.about.wanted or talk.suggestion
        # beside one that stands, only what waits; what was approved is on its way
        waits = talk.standing == Standing.NONE or (talk.standing == Standing.STANDS and bool(talk.suggestion))
        on_its_way = talk.approved and not (talk.suggestion and talk.yes != words_digest(wanted))
        try:
            says_something = waits and not on_its_way and not talk.off and bool(read_comment(wanted).problems)
        except ValueError:  # none at all, or one that another version wrote and this one writes anew
            says_something = False
        return wanted.partition("-->")[2].strip() if says_something else ""

    @property
    def decisions(self) -> tuple[str, ...]:
        if self.talk.off:
            return ("on",)
        return ("post", "off") if self.comment else ()

    @property
    def state(self) -> str:
        if self.talk.off:
            return "off"
        if self.comment and self.talk.suggestion:
            return "waits"
        if self.talk.standing != Standing.NONE:
            return "posted" if self.talk.standing == Standing.STANDS else self.talk.standing
        if self.talk.approved:
            return "approved"
        return "withheld" if self.comment else "silent"


class Group(NamedTuple):
    title: str
    hint: str
    issues: tuple[Shown, ...]


_GROUPS = (
    ("Waiting for approval", "The finished comment is posted when a maintainer says so.", ("waits",)),
    ("Would be posted", "There is something to say, and a reason to keep it back.", ("withheld", "approved")),
    ("Posted", "A comment stands there, or stood there.", ("posted", "taken", "retracting", "retracted", "deleted")),
    ("Nothing to say", "", ("silent", "off")),
)


def grouped(issues: Iterable[Shown]) -> list[Group]:
    """Every issue in one group, in the order in which they came; groups without an issue are left out."""
    found = list(issues)
    groups = [Group(title, hint, tuple(i for i in found if i.state in states)) for title, hint, states in _GROUPS]
    return [group for group in groups if group.issues]
