"""Commands in comments, carried out: who may, what it changes, and a reaction as the only answer.

Each comment is compared with what was heard of it before, so that an edit gives the commands that are new in it and no
others. Comments are heard in the order in which they were last written.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from difflib import SequenceMatcher, get_close_matches
from typing import NamedTuple

from bot.comment import MARKER, Comment
from bot.fetch.references import BadReference, parse
from bot.forge import ForgeError, Limited, NotThere, Read, Threads, Unclear
from bot.publishing.decide import Standing, words_digest
from bot.service.desk import Desk
from bot.service.inbox import OWED, payload
from bot.service.unread import NotYet
from bot.watched.commands import HARMLESS, Command, Verb, commands
from bot.watched.events import Event, Kind
from bot.watched.policy import Mode, Policy
from kb.model import PUBLIC, Knowledge
from kb.store.conversations import Talk
from signatures.extract.redact import redact

MAX_CHECKS = 3
ASKED = "asked"  # `Talk.yes` until the words that a maintainer saw are known
RETRACTING = "retracting"  # standing of an answer that a maintainer called wrong and that is still to be seen
_WRONG_ONES = (RETRACTING, Standing.RETRACTED)
CALLED_WRONG, RESTORED = "wrong", "restored"  # deeds: a maintainer called the answer wrong, and took that back
_ANY = 0  # no comment: see `kb.tables.Heard`
_AS_IT_STANDS = ("*",)  # of a comment that counts as heard, whatever it says
_DONE, _REFUSED = "+1", "-1"
# of one installation, beside what it may write: the deeds that are counted, and how many are answered
_REACTIONS_AN_HOUR = {_DONE: ("command", 35), _REFUSED: ("refused", 15)}


class _Refused(Exception):
    """Why a command is not carried out."""


class _Said(NamedTuple):
    """The commands of one comment as it stands; `fresh` are the places of those that were not heard of it before."""

    comment: int
    who: str
    commands: tuple[Command, ...]
    at: datetime  # when the comment was written
    fresh: tuple[int, ...] = ()

    def words(self, pending: tuple[int, ...] = ()) -> tuple[str, ...]:
        """How the commands are remembered, without those that are still to be heard."""
        said = (redact(f"{c.verb} {c.argument}") for c in self.commands)
        return tuple(words for place, words in enumerate(said) if place not in pending)


def hear(desk: Desk, threads: Threads, read: Read, talk: Talk, policy: Policy, *, answers: bool = True) -> Talk:
    """The conversation after every command that was not heard yet; each is logged, and a comment that gave any is
    answered by one reaction, as soon as writing is not stopped. Raises Limited and Unclear."""
    ears = _Ears(desk, threads, read, policy, answers=answers)
    for said in _unheard(read, desk.store.heard(talk.issue), desk.own):
        talk = ears.heed(said, talk)
    return talk


def give_owed(desk: Desk, event: Event) -> None:
    """Give a reaction that is owed. Raises ForgeError, NotYet where there were many of late."""
    if desk.done_within(timedelta(hours=1), "reacted") >= sum(m for _, m in _REACTIONS_AN_HOUR.values()):
        raise NotYet("many reactions were given within an hour")
    threads = desk.threads(event.repo, event.installation)
    try:
        repo = desk.place(threads, event.repo, event.repo_id).repo
        threads.react(repo, event.object_id, event.action)
    except NotThere:
        return  # the comment was deleted
    desk.log(repo, f"{repo}#{event.number}", "reacted", detail="to a command that was heard while writing was stopped")


def said_yes(before: Talk, talk: Talk, comment: Comment | None) -> Talk:
    """The conversation with what a `post` that was just heard is about: the words that waited, unless a maintainer said
    something of their problems since; else what there is to say now."""
    if talk.yes != ASKED:
        return talk
    decided = (before.known, before.refused) != (talk.known, talk.refused)
    shown = "" if decided else before.suggestion
    said = shown or (comment.body if comment is not None else "")
    return talk._replace(yes=words_digest(said) if said else "")


class _Ears:
    """Hears one thread."""

    def __init__(self, desk: Desk, threads: Threads, read: Read, policy: Policy, *, answers: bool) -> None:
        self._desk, self._threads, self._read, self._policy, self._answers = desk, threads, read, policy, answers
        self._ref = f"{read.repo}#{read.item.number}"
        self._deciders: dict[str, bool] = {}

    def heed(self, said: _Said, talk: Talk) -> Talk:
        if not said.fresh:
            return self._keep(talk, said.comment, said.words())
        reaction = _DONE
        for i, place in enumerate(said.fresh):
            command, before = said.commands[place], talk.standing
            try:
                talk = self._carried_out(said, command, talk)
            except _Refused as e:
                what, why, reaction = "refused", f": {e}", _REFUSED
            else:
                what, why = "command", ""
                if command.verb is Verb.WRONG and _has_spoken(talk):
                    # counted on its day, whenever it is heard
                    self._log(CALLED_WRONG, said.who, command.argument, said.at)
                elif before in _WRONG_ONES and talk.standing not in _WRONG_ONES:
                    self._log(RESTORED, said.who, "", said.at)
            words = f"/triage {command.verb} {command.argument} {command.reason}".strip()
            self._log(what, said.who, f"{words}{why}")
            # kept before the reaction: a command whose answer fails is heard all the same
            talk = self._keep(talk, said.comment, said.words(said.fresh[i + 1 :]))
        if self._answers and not self._is_to_be_quiet(said.who, talk) and self._may_react(talk, reaction):
            if self._desk.braked():
                self._owe(talk, said.comment, reaction)
            else:
                self._react(said.comment, reaction)
        return talk

    def _keep(self, talk: Talk, comment: int, words: tuple[str, ...]) -> Talk:
        """The conversation, written down with what was heard of one comment in place of what was heard of it before."""
        return self._desk.store.keep_talk(talk, self._desk.now(), (comment, words))

    def _carried_out(self, said: _Said, command: Command, talk: Talk) -> Talk:
        reporter = self._read.item.user.login if self._read.item.user is not None else ""
        decides = self._may_decide(said.who)
        if not decides and not (command.verb in HARMLESS and said.who and said.who == reporter):
            raise _Refused(f"{said.who} may not decide here")
        if command.fault:
            raise _Refused(command.fault)
        return _after(talk, command, self._desk.known().knowledge, decides=decides)

    def _may_decide(self, who: str) -> bool:
        """Whether somebody may change what a maintainer decided. Raises _Refused where nobody can say."""
        if who not in self._deciders:
            try:
                self._deciders[who] = self._threads.may_write(self._read.repo, who)
            except (Limited, Unclear):
                raise
            except ForgeError as e:  # an account that may not ask: then nobody is known to decide
                raise _Refused(f"who may decide here cannot be asked: {e}") from None
        return self._deciders[who]

    def _is_to_be_quiet(self, who: str, talk: Talk) -> bool:
        """Where nothing is to be written, a reaction answers only who decides: they see that they were heard."""
        silent = self._policy.mode in (Mode.OFF, Mode.SHADOW) or talk.off
        silent = silent or self._policy.opts_out(self._read.labels)
        return silent and not self._deciders.get(who, False)

    def _may_react(self, talk: Talk, reaction: str) -> bool:
        """Whether a reaction is within this hour's; those to refusals have a share of their own, since anybody can ask
        for them."""
        what, most = _REACTIONS_AN_HOUR[reaction]
        done = self._desk.done_within(timedelta(hours=1), what, installation=(talk.installation,))
        return done <= most

    def _react(self, comment: int, content: str) -> None:
        try:
            self._threads.react(self._read.repo, comment, content)
        except ForgeError as e:
            self._log("failed", "", f"no reaction to a command: {e}")

    def _owe(self, talk: Talk, comment: int, content: str) -> None:
        repo_id, number, now = int(talk.issue.partition("#")[0]), self._read.item.number, self._desk.now()
        event = Event(Kind.IGNORED, content, self._read.repo, repo_id, number, comment, installation=talk.installation)
        delivery = f"owed {talk.issue} {comment} {now.isoformat()}"
        self._desk.store.receive(delivery, talk.issue, OWED, payload(event), now)

    def _log(self, what: str, who: str, detail: str, at: datetime | None = None) -> None:
        self._desk.log(self._read.repo, self._ref, what, who, detail, at=at)


def _has_spoken(talk: Talk) -> bool:
    """Whether there is an answer that can be wrong: one that was written, or recorded as what would be said."""
    return talk.comment is not None or talk.posting is not None or bool(talk.said)


def _unheard(read: Read, heard: dict[int, tuple[str, ...]], own: str) -> list[_Said]:
    """What differs from what was heard, the comment that was written last at the end. What an app wrote with a person's
    token is not that person's word, and the bot does not hear itself."""
    found: list[_Said] = []
    deaf_until = max((datetime.fromisoformat(at) for at in heard.get(_ANY, ())), default=None)
    for comment in sorted(read.comments, key=lambda c: (c.updated_at, c.id)):
        writer, body = comment.user, comment.body or ""
        if writer is None or writer.type == "Bot" or (writer.login == own and body.startswith(MARKER.rstrip())):
            continue
        said = () if comment.performed_via_github_app is not None else commands(body)
        passed = writer.login == own and deaf_until is not None and comment.written_at <= deaf_until
        before = heard.get(comment.id, _AS_IT_STANDS if passed else ())
        now = _Said(comment.id, writer.login, said, comment.written_at)
        if before == _AS_IT_STANDS:
            found.append(now)
        elif now.words() != (before := tuple(map(redact, before))):
            found.append(now._replace(fresh=_inserted(before, now.words())))
    return found


def _inserted(before: tuple[str, ...], now: tuple[str, ...]) -> tuple[int, ...]:
    """The places of what an edit added."""
    steps = SequenceMatcher(None, before, now, autojunk=False).get_opcodes()
    return tuple(
        place for step, _, _, start, end in steps if step in ("insert", "replace") for place in range(start, end)
    )


def _after(talk: Talk, command: Command, knowledge: Knowledge, *, decides: bool) -> Talk:
    """The conversation after one command. Raises _Refused."""
    match command.verb:
        case Verb.OFF:
            return talk._replace(off=True)
        case Verb.ON:
            return talk._replace(off=False)
        case Verb.WHY:
            return talk._replace(unfolded=True)
        case Verb.POST:
            return _posted(talk)
        case Verb.WRONG:
            tried = talk.comment is not None or talk.posting is not None
            standing = RETRACTING if tried else Standing.RETRACTED.value
            return talk._replace(standing=standing, approved=False, yes="")
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


def _check_reference(ref: str) -> None:
    """A path on this computer is no model that a comment may name. Where an address leads is looked at when it is
    asked."""
    try:
        parse(ref, local=False)
    except BadReference:
        how = "hf:OWNER/NAME@REVISION, a Foundry id with its revision, or an https address"
        raise _Refused(f"this names no model that can be asked for; write {how}") from None


def _posted(talk: Talk) -> Talk:
    """`post` takes `wrong` back, and that the comment was deleted: another one takes its place."""
    if talk.off:
        raise _Refused("the bot is off for this issue; `/triage on` comes first")
    if talk.standing == Standing.TAKEN:
        raise _Refused("a person edited the comment, and it is theirs; without it there can be another one")
    return _taken_back(talk)._replace(approved=True, yes=ASKED)


def _anew(talk: Talk, *, decides: bool) -> Talk:
    """`rerun` takes `why` and `check` back, and a maintainer's also `wrong`, and that the comment was deleted."""
    return (_taken_back(talk) if decides else talk)._replace(unfolded=False, checks=())


def _taken_back(talk: Talk) -> Talk:
    """As if the answer had been neither called wrong nor deleted."""
    if talk.standing == Standing.DELETED:
        return talk._replace(
            standing=Standing.NONE.value, comment=None, written="", writing="", posting=None, posted_at=None
        )
    if talk.standing not in _WRONG_ONES:
        return talk
    return talk._replace(standing=(Standing.STANDS if talk.comment is not None else Standing.NONE).value)


def _problem(id_: str, knowledge: Knowledge) -> str:
    """The id of a problem that may be named in public."""
    public = [p.id for p in knowledge.problems if p.status in PUBLIC and p.withdrawn is None]
    if id_ in public:
        return id_
    near = get_close_matches(id_, public, n=1)
    raise _Refused(f"there is no problem {id_[:80]!r}{f'; near it: {near[0]}' if near else ''}")
