"""Labels: those that hold are added, the bot's own that do not are taken off, one that a person took off stays off.

What is about to be done is kept first. So whatever happens to the process or to GitHub's answer, the next look tells by
the issue whether it was done, and whose a label is stays known.
"""

from __future__ import annotations

from bot.forge import Read, Threads
from bot.service.desk import Desk
from bot.service.holding import Hold
from kb.store.conversations import Talk

_ADD, _TAKE_OFF = "+", "-"


def relabelled(desk: Desk, hold: Hold, threads: Threads, read: Read, talk: Talk, wanted: tuple[str, ...]) -> Talk:
    """The conversation after the issue has the labels that are wanted, as far as people let it. Raises ForgeError,
    Overtaken."""
    talk = _looked_back(talk, read.labels)
    unwanted = (*talk.unwanted, *(name for name in talk.labels if name not in read.labels))
    talk = talk._replace(
        unwanted=tuple(dict.fromkeys(unwanted)), labels=tuple(name for name in talk.labels if name in read.labels)
    )
    new = [name for name in wanted if name not in read.labels and name not in unwanted]
    old = [name for name in talk.labels if name not in wanted]
    if not new and not old:
        return talk
    plan = (*(_ADD + name for name in new), *(_TAKE_OFF + name for name in old))
    talk = desk.store.keep_talk(talk._replace(relabelling=plan), desk.now())
    if new:
        hold.check()
        threads.label(read.repo, read.item.number, new)
        desk.log(read.repo, talk.ref, "labelled", detail=", ".join(new))
    for name in old:
        hold.check()
        threads.unlabel(read.repo, read.item.number, name)
    own = (*(name for name in talk.labels if name not in old), *new)
    return talk._replace(labels=tuple(dict.fromkeys(own)), relabelling=())


def _looked_back(talk: Talk, there: frozenset[str]) -> Talk:
    """With what came of labels whose change was planned and whose end is not known."""
    added = [e[1:] for e in talk.relabelling if e.startswith(_ADD) and e[1:] in there]
    gone = [e[1:] for e in talk.relabelling if e.startswith(_TAKE_OFF) and e[1:] not in there]
    own = (name for name in (*talk.labels, *added) if name not in gone)
    return talk._replace(labels=tuple(dict.fromkeys(own)), relabelling=())
