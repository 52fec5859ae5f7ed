"""Commands in comments, carried out: who may, what it changes, and a reaction as the only answer."""

from __future__ import annotations

from datetime import timedelta
from difflib import get_close_matches
from typing import NamedTuple

from bot.fetch.references import BadReference, parse
from bot.forge import ForgeError, Limited, Read, Threads, Unclear
from bot.publishing.decide import Standing
from bot.service.desk import Desk
from bot.watched.commands import HARMLESS, Command, Verb, commands
from kb.model import PUBLIC, Knowledge
from kb.store.conversations import Talk
from signatures.extract.redact import redact

MAX_CHECKS = 3
REACTIONS_AN_HOUR = {"command": 35, "refused": 15}  # of one installation, beside what it may write
RETRACTING = "retracting"  # standing of an answer that a maintainer called wrong and that is still to be seen
_DONE, _REFUSED = "+1", "-1"


class _Refused(Exception):
    """Why a command is not carried out."""


class Spoken(NamedTuple):
    """One command of a thread: who wrote it, in which comment."""

    command: Command
    comment: int
    who: str

    @property
    def words(self) -> str:
        return f"{self.command.verb} {self.command.argument}"


def hear(desk: Desk, threads: Threads, read: Read, talk: Talk) -> Talk:
    """The conversation after every command that was not heard yet; each is logged, and answered by a reaction alone."""
    ref = f"{read.repo}#{read.item.number}"
    heard = desk.store.heard(talk.issue)
    for spoken in _unheard(read, heard, desk.own):
        try:
            decides = _may_decide(threads, read, spoken)
            talk = _carried_out(talk, spoken.command, desk.known().knowledge, decides=decides)
        except _Refused as e:
            what, detail, reaction = "refused", str(e), _REFUSED
        else:
            what, detail, reaction = "command", "", _DONE
            if spoken.command.verb is Verb.WRONG:
                desk.log(read.repo, ref, "wrong", spoken.who, spoken.command.argument)
        words = redact(f"/triage {spoken.command.verb or ''} {spoken.command.argument}".strip())
        desk.log(read.repo, ref, what, spoken.who, f"{words}{f': {detail}' if detail else ''}")
        # kept before the reaction: a command whose answer fails is heard all the same
        heard[spoken.comment] = (*heard.get(spoken.comment, ()), spoken.words)
        talk = desk.store.keep_talk(talk, desk.now(), (spoken.comment, heard[spoken.comment]))
        if desk.braked() or not may_react(desk, talk, what):
            continue
        try:
            threads.react(read.repo, spoken.comment, reaction)
        except ForgeError as e:
            desk.log(read.repo, ref, "failed", detail=f"no reaction to a command: {e}")
    return talk


def _unheard(read: Read, heard: dict[int, tuple[str, ...]], own: str) -> list[Spoken]:
    """Commands that a comment did not hold when one of it was last heard. What `heard` has of it is cut to those that
    it still holds: where one is edited into another and back, each is a command."""
    found = []
    for comment in read.comments:
        writer = comment.user
        if writer is None or writer.type == "Bot" or writer.login == own:
            continue
        spoken = dict.fromkeys(Spoken(command, comment.id, writer.login) for command in commands(comment.body or ""))
        if spoken:
            heard[comment.id] = tuple(w for w in heard.get(comment.id, ()) if w in {s.words for s in spoken})
            found += [s for s in spoken if s.words not in heard[comment.id]]
    return found


def may_react(desk: Desk, talk: Talk, what: str) -> bool:
    """Whether a reaction to a command (`what` became of it) is within this hour's; those to refusals have a share of
    their own, since anybody can ask for them."""
    most = REACTIONS_AN_HOUR[what]
    done = desk.store.done_since(desk.now() - timedelta(hours=1), what, installation=(talk.installation,))
    return done <= most


def _may_decide(threads: Threads, read: Read, spoken: Spoken) -> bool:
    """Whether what a maintainer decided may be changed by it. Raises _Refused where it may not be given at all; a
    command that is none is nobody's to give."""
    verb = spoken.command.verb
    if spoken.command.fault:
        raise _Refused(spoken.command.fault)
    reporter = read.item.user.login if read.item.user is not None else ""
    try:
        decides = threads.may_write(read.repo, spoken.who)
    except (Limited, Unclear):
        raise
    except ForgeError as e:  # an account that may not ask: then nobody is known to decide
        raise _Refused(f"who may decide here cannot be asked: {e}") from None
    if not decides and not (verb in HARMLESS and spoken.who and spoken.who == reporter):
        raise _Refused(f"{spoken.who} may not decide here")
    return decides


def _carried_out(talk: Talk, command: Command, knowledge: Knowledge, *, decides: bool) -> Talk:
    match command.verb:
        case Verb.OFF:
            return talk._replace(off=True)
        case Verb.ON:
            return talk._replace(off=False)
        case Verb.WHY:
            return talk._replace(unfolded=True)
        case Verb.POST:
            return _brought_back(talk)._replace(approved=True)
        case Verb.WRONG:
            standing = RETRACTING if talk.comment is not None else Standing.RETRACTED.value
            return talk._replace(standing=standing, approved=False)
        case Verb.KNOWN:
            problem = _problem(command.argument, knowledge)
            refused = tuple(p for p in talk.refused if p != problem)
            return talk._replace(known=tuple(dict.fromkeys((*talk.known, problem))), refused=refused)
        case Verb.NOT:
            problem = _problem(command.argument, knowledge)
            known = tuple(p for p in talk.known if p != problem)
            return talk._replace(refused=tuple(dict.fromkeys((*talk.refused, problem))), known=known)
        case Verb.CHECK:
            _check_reference(command.argument)
            return talk._replace(checks=tuple(dict.fromkeys((*talk.checks, command.argument)))[-MAX_CHECKS:])
        case Verb.RERUN:
            return _anew(talk, decides=decides)
    raise _Refused("this cannot be done")


def _check_reference(ref: str) -> None:
    """A path on this computer is no model that a comment may name. Where an address leads is looked at when it is
    asked."""
    try:
        parse(ref, local=False)
    except BadReference:
        how = "hf:OWNER/NAME@REVISION, a Foundry id with its revision, or an https address"
        raise _Refused(f"this names no model that can be asked for; write {how}") from None


def _anew(talk: Talk, *, decides: bool) -> Talk:
    """`rerun` takes `why` and `check` back, and a maintainer's also `wrong`, and a deletion."""
    talk = _brought_back(talk) if decides else talk
    taken_back = decides and talk.standing in (RETRACTING, Standing.RETRACTED)
    standing = (Standing.STANDS if talk.comment is not None else Standing.NONE).value
    return talk._replace(standing=standing if taken_back else talk.standing, unfolded=False, checks=())


def _brought_back(talk: Talk) -> Talk:
    """As if the comment that a person deleted had never been: a maintainer wants one after all."""
    if talk.standing != Standing.DELETED:
        return talk
    return talk._replace(standing=Standing.NONE.value, comment=None, written="", posted_at=None)


def _problem(id_: str, knowledge: Knowledge) -> str:
    """The id of a problem that may be named in public."""
    public = [p.id for p in knowledge.problems if p.status in PUBLIC and p.withdrawn is None]
    if id_ in public:
        return id_
    near = get_close_matches(id_, public, n=1)
    raise _Refused(f"there is no problem {id_[:80]!r}{f'; near it: {near[0]}' if near else ''}")
