"""Notes: the one short comment that a fix has reached what the reporter runs, as long as that holds.

A key is kept as noted before its note is written, and stays due until the note is there. So a note whose creation got
no answer is looked for, and one that a person deleted since is not written again.
"""

from __future__ import annotations

from bot.comment import is_untouched, note, note_key, withdrawn_note
from bot.forge import ForgeError, Read, Threads, Unclear
from bot.forge.items import CommentItem
from bot.publishing.decide import fingerprint
from bot.service.answering import Told
from bot.service.desk import Desk
from bot.service.holding import Hold
from bot.service.pacing import UNCLEAR
from bot.service.standing import was_deleted
from bot.wording import Names
from kb.delivery import date_of
from kb.model import Verdict
from kb.store.conversations import Talk


def noted(desk: Desk, hold: Hold, threads: Threads, read: Read, talk: Talk) -> Talk:
    """The conversation after the notes that are due; one that is there already is not repeated. Raises ForgeError,
    Overtaken."""
    for key in talk.due_notes:
        there = any(which == key for which, _ in _own_notes(desk, read))
        tried = key in talk.noted
        if there and tried:
            desk.log(read.repo, talk.ref, "noted", detail=f"{key}: GitHub gave no answer, and it is there")
        elif not there and not (tried and was_deleted(desk, threads, read)):
            talk = _written(desk, hold, threads, read, talk, key)
        talk = talk._replace(
            noted=tuple(dict.fromkeys((*talk.noted, key))), due_notes=tuple(k for k in talk.due_notes if k != key)
        )
        talk = desk.store.keep_talk(talk, desk.now())
    return talk


def _written(desk: Desk, hold: Hold, threads: Threads, read: Read, talk: Talk, key: str) -> Talk:
    before = talk
    talk = desk.store.keep_talk(talk._replace(noted=tuple(dict.fromkeys((*talk.noted, key)))), desk.now())
    hold.check()
    try:
        threads.comment(read.repo, read.item.number, _words(desk, key))
    except Unclear as e:
        desk.log(read.repo, talk.ref, UNCLEAR, detail=f"{key}: {e}")
        raise
    except ForgeError:
        desk.store.keep_talk(talk._replace(noted=before.noted), desk.now())
        raise
    desk.log(read.repo, talk.ref, "noted", detail=key)
    return talk


def true_notes(desk: Desk, hold: Hold, threads: Threads, read: Read, talk: Talk, *, retracted: bool, most: int) -> Read:
    """The issue after no note speaks of an answer that is taken back, or of a release that it no longer names, and one
    that was withdrawn so speaks again, as far as `most` edits go; one that a person edited is theirs. Raises
    ForgeError."""
    holds = set() if retracted else {_key(told) for told in Told.read(talk.said) if told.verdict == Verdict.UPGRADE}
    written: dict[int, str] = {}
    for key, comment in _own_notes(desk, read):
        body, withdrawn = comment.body or "", withdrawn_note(key)
        is_withdrawn = fingerprint(body) == fingerprint(withdrawn)
        if not is_untouched(body) or (key in holds) is not is_withdrawn:
            continue
        if is_withdrawn and most <= 0:
            continue
        what, how = ("edited", "holds again") if is_withdrawn else ("retracted", "no longer holds")
        hold.check()
        threads.edit(read.repo, comment.id, _words(desk, key) if is_withdrawn else withdrawn)
        desk.log(read.repo, talk.ref, what, detail=f"the note about {key}, which {how}")
        written[comment.id] = _words(desk, key) if is_withdrawn else withdrawn
        most -= is_withdrawn
    changed = (c.model_copy(update={"body": written.get(c.id, c.body)}) for c in read.comments)
    return read._replace(comments=tuple(changed))


def _words(desk: Desk, key: str) -> str:
    """The note of a key."""
    knowledge = desk.known().knowledge
    _, product, version = key.split(":", 2)
    return note(key, Names(knowledge.products)[product], version, date_of(knowledge, product, version))


def _key(told: Told) -> str:
    return f"{told.problem}:{told.target.replace('@', ':')}"


def _own_notes(desk: Desk, read: Read) -> list[tuple[str, CommentItem]]:
    mine = [(note_key(c.body or ""), c) for c in read.comments if c.user is not None and c.user.login == desk.own]
    return [(key, comment) for key, comment in mine if key is not None]
