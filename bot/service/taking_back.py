"""What was written and does not hold, taken back where nothing else may be written: a comment by one line, a label, a
note."""

from __future__ import annotations

from bot.comment import Comment, retraction
from bot.publishing.decide import Decision, Standing, Step
from bot.service.desk import Desk
from bot.service.labelling import relabelled
from bot.service.noting import true_notes
from bot.service.posting import At
from bot.service.standing import disowned_stands
from bot.wording.lifecycle import NOT_IT, OUTDATED
from kb.store.conversations import Talk


def withdrawn(talk: Talk, at: At) -> Comment:
    """What takes the place of an answer that does not hold, where another one waits."""
    return retraction(NOT_IT if disowned_stands(talk, at.thread) else OUTDATED)


def less(desk: Desk, talk: Talk, at: At, decision: Decision, labels: tuple[str, ...]) -> Talk:
    """The conversation after a decision by which nothing may be added: of labels, those that hold stay."""
    ended = (Standing.RETRACTED, Standing.DELETED)
    if decision.standing in ended or talk.standing == Standing.DELETED:
        return taken_back(desk, talk, at, (), retracted=True)[0]
    if decision.standing in (Standing.STANDS, Standing.TAKEN):
        return taken_back(desk, talk, at, labels, retracted=decision.step is Step.RETRACT)[0]
    return talk


def taken_back(desk: Desk, talk: Talk, at: At, labels: tuple[str, ...], *, retracted: bool) -> tuple[Talk, At]:
    """The conversation and the issue with none but these of its labels, and without notes that do not hold. Raises
    ForgeError, Overtaken."""
    kept = tuple(name for name in labels if name in talk.labels)
    talk = relabelled(desk, at.hold, at.threads, at.read, talk, kept)
    read = true_notes(desk, at.hold, at.threads, at.read, talk, retracted=retracted, most=0)
    return talk, at._replace(read=read)
