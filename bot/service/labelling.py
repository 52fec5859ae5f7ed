"""Labels: those that hold are added, the bot's own that do not are taken off, one that a person took off stays off.

What is about to be done is kept first. So whatever happens to the process or to GitHub's answer, the next look tells by
the issue whether it was done, and whose a label is stays known.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.forge import ForgeError, Limited, Read, Threads, Unclear
from bot.forge.items import label_key
from bot.service.desk import Desk
from bot.service.holding import Hold
from kb.store.conversations import Talk

_ADD, _TAKE_OFF = "+", "-"


def relabelled(desk: Desk, hold: Hold, threads: Threads, read: Read, talk: Talk, wanted: tuple[str, ...]) -> Talk:
    """The conversation after the issue has the labels that are wanted, as far as people and GitHub let it.
    Raises Limited, Unclear, Overtaken."""
    there = read.labels
    talk = _looked_back(talk, there)
    unwanted = (*talk.unwanted, *(name for name in talk.labels if label_key(name) not in there))
    talk = talk._replace(
        unwanted=tuple(dict.fromkeys(unwanted)), labels=tuple(name for name in talk.labels if label_key(name) in there)
    )
    kept_off, held = set(map(label_key, unwanted)), set(map(label_key, wanted))
    new = [name for name in wanted if label_key(name) not in there and label_key(name) not in kept_off]
    old = [name for name in talk.labels if label_key(name) not in held]
    if not new and not old:
        return talk
    plan = (*(_ADD + name for name in new), *(_TAKE_OFF + name for name in old))
    talk = desk.store.keep_talk(talk._replace(relabelling=plan), desk.now())
    try:
        _changed(desk, hold, threads, read, talk, new, old)
    except (Limited, Unclear):
        raise
    except ForgeError as e:  # a label that may not be set is no reason to have the comment written again
        _refused(desk, read, talk, f"the labels cannot be changed: {e}")
        return talk  # the next look tells what was done
    own = (*(name for name in talk.labels if name not in old), *new)
    return talk._replace(labels=tuple(dict.fromkeys(own)), relabelling=())


def _changed(desk: Desk, hold: Hold, threads: Threads, read: Read, talk: Talk, new: list[str], old: list[str]) -> None:
    if new:
        hold.check()
        threads.label(read.repo, read.item.number, new)
        desk.log(read.repo, talk.ref, "labelled", detail=", ".join(new))
    for name in old:
        hold.check()
        threads.unlabel(read.repo, read.item.number, read.labels[label_key(name)])


def _refused(desk: Desk, read: Read, talk: Talk, why: str) -> None:
    """Logged once for as long as it stays the same."""
    before = desk.store.deeds(issue=talk.ref, what="failed", most=1)
    if not before or before[0].detail != why:
        desk.log(read.repo, talk.ref, "failed", detail=why)


def _looked_back(talk: Talk, there: Mapping[str, str]) -> Talk:
    """With what came of labels whose change was planned and whose end is not known."""
    added = [e[1:] for e in talk.relabelling if e.startswith(_ADD) and label_key(e[1:]) in there]
    gone = [e[1:] for e in talk.relabelling if e.startswith(_TAKE_OFF) and label_key(e[1:]) not in there]
    own = (name for name in (*talk.labels, *added) if name not in gone)
    return talk._replace(labels=tuple(dict.fromkeys(own)), relabelling=())
