"""From an issue as it stands to the comment that it should have."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from bot.comment import MARKER, Comment, Fold, retraction, write_comment
from bot.comment.claims import claiming
from bot.forge import Read
from bot.input.thread_json import issue_from_json
from bot.knowledge import Known
from bot.pipeline import diagnose_issue
from bot.service.attached import Attached, Unread
from bot.watched.attachments import Attachment, links
from bot.watched.commands import Verb, commands, is_for_bots
from bot.wording import Names
from bot.wording.lifecycle import ANOTHER, IT_IS, IT_IS_NOT, NO_LONGER, NOT_IT, OTHER_VERSION, change_words
from kb.delivery import carrying_products
from kb.model import PUBLIC, Diagnosis, KnownProblem, Verdict
from kb.questions import version_question
from kb.stated import scope_artifacts, scope_facts
from kb.store.conversations import Talk
from kb.verdict import judge
from signatures.extract.blocks import MAX_SHORT, SHORT
from signatures.model import Certainty, Finding, IssueText, Post, Role

_ASKING = frozenset({Verb.KNOWN, Verb.POST, Verb.RERUN})  # `not` asks for another one, where no person has answered
_NAMED = "a maintainer says that it is this problem"
_PENDING = (Verdict.WAIT_FOR_PRODUCT, Verdict.MERGED, Verdict.CANDIDATE)


class Told(NamedTuple):
    """One problem of an answer, as much as is remembered of it. `who` is the reporter's product and version."""

    problem: str
    verdict: str
    who: str
    target: str  # the product release with the fix

    def __str__(self) -> str:
        return "|".join(self)

    @classmethod
    def read(cls, said: str) -> tuple[Told, ...]:
        """The problems that `Talk.said` holds."""
        return tuple(cls(*line.split("|")) for line in said.splitlines() if line.count("|") == len(cls._fields) - 1)


class Answer(NamedTuple):
    """`comment` None: silence. `said` is what `Talk.said` is to hold; `changes` say what is new in it, `notes` are
    the keys of fixes that have reached what the reporter runs: problem, product and version behind colons. `refused`: a
    maintainer said of a problem that is recognised that it is not that, or another one."""

    diagnosis: Diagnosis
    comment: Comment | None
    said: tuple[Told, ...]
    changes: tuple[str, ...]
    notes: tuple[str, ...]
    refused: bool = False


class Reported(NamedTuple):
    """An issue with what its reporter attached. `remarks` say what is not read of it, `unread` which attachments."""

    issue: IssueText
    remarks: tuple[str, ...]
    unread: tuple[Unread, ...]


def issue_text(
    read: Read, attachment: Callable[[str], Attachment], products: tuple[str, ...] = ()
) -> tuple[IssueText, tuple[str, ...]]:
    """As `reported`, without what might be read later."""
    return reported(read, attachment, products)[:2]


def reported(read: Read, attachment: Callable[[str], Attachment], products: tuple[str, ...] = ()) -> Reported:
    """The issue with the logs that its reporter attached, each a post of its own behind the one that has it, and what
    could not be read. `products`: ids of what reports are about there, unless they say otherwise."""
    issue = issue_from_json(read.raw, f"{read.repo}#{read.item.number}")
    if issue is None:
        raise ValueError("an issue of the API is an issue")
    posts: list[Post] = []
    links_of = [links(post.text) if post.role is Role.REPORTER else () for post in issue.posts]
    attached = Attached(attachment, tuple(dict.fromkeys(url for found in links_of for url in found)))
    for post, urls in zip(issue.posts, links_of, strict=True):
        posts.append(post)
        posts += [
            Post(post.role, log.text, url, markdown=False, gaps=log.gaps) for url in urls for log in attached.take(url)
        ]
    ref = f"{read.repo}#{read.item.number}"
    issue = issue._replace(posts=tuple(posts), ref=ref, about=products)
    return Reported(issue, (*read.unread, *attached.remarks), tuple(attached.unread))


def is_answered(read: Read, own: str) -> bool:
    """Whether a maintainer said something before the bot did; commands alone are nothing said, and what bears one that
    asks for an answer does not silence it, or no longer. Its account may be shared with others, so that its marker
    tells."""
    issue = issue_from_json(read.raw, read.repo)
    answered = False
    for comment, post in zip(read.comments, issue.posts[1:] if issue is not None else (), strict=True):
        if comment.user is not None and comment.user.login == own and (comment.body or "").startswith(MARKER):
            return False
        if post.role is not Role.MAINTAINER or not post.text.strip():
            continue
        own_words = comment.performed_via_github_app is None  # an app's commands are not heard
        verbs = {c.verb for c in commands(comment.body or "") if own_words and not c.fault}
        if verbs & _ASKING:
            answered = False
        elif not is_for_bots(post.text) and Verb.NOT not in verbs:
            answered = True
    return answered


def is_aged(read: Read, now: datetime, days: int) -> bool:
    """Whether an issue was opened longer ago than that, and its reporter has posted nothing since. Others, such as
    bots that label what is stale, make no issue young."""
    reporter = read.item.user.login if read.item.user is not None else None
    own = [
        c.created_at
        for c in read.comments
        if reporter is not None and c.user and c.user.login == reporter and c.performed_via_github_app is None
    ]
    return not any(_moment(at) > now - timedelta(days=days) for at in (read.item.created_at, *own))


def _moment(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def answer(
    issue: IssueText,
    talk: Talk,
    known: Known,
    today: str,
    *,
    as_of: str | None = None,
    remarks: tuple[str, ...] = (),
    examine: Callable[[Diagnosis], tuple[Finding, ...]] | None = None,
    missed: Callable[[], tuple[str, ...]] = tuple,
) -> Answer:
    """What to say of an issue on a day, with what people said of earlier answers. `as_of`: what had been released by
    another day than this; without it everything known counts, dated or not. `missed` gives, behind `examine`, remarks
    on what that could not read."""
    diagnosis = diagnose_issue(_remembering(issue, talk), known, as_of=as_of, examine=examine)
    refused = any(is_disowned(talk, k.problem.id) and k.certainty is not Certainty.POSSIBLE for k in diagnosis.known)
    diagnosis = _as_people_say(diagnosis, talk, known, as_of)
    before = Told.read(talk.said)
    said = tuple(_told(k) for k in diagnosis.known if k.certainty is not Certainty.POSSIBLE)
    # where nothing is remembered of an answer that stands, nothing in it is new
    remembered = talk.comment is not None and bool(before or talk.history)
    changes, notes = _changes(before, said, today, talk) if remembered else ((), ())
    fold = Fold((*remarks, *missed(), *_left_out(diagnosis)), (*talk.history, *changes), talk.unfolded, talk.known)
    comment = write_comment(diagnosis, Names(known.knowledge.products), fold=fold)
    comment = claiming(comment, diagnosis.known) if comment is not None else None
    return Answer(diagnosis, comment, said, changes, notes, refused)


def _remembering(issue: IssueText, talk: Talk) -> IssueText:
    """With what the reporter runs, as it was understood, at the bot's comment: its question is gone once answered, and
    the answer is to be understood all the same."""
    runs = tuple(dict.fromkeys((p, v) for p, _, v in (t.who.partition("@") for t in Told.read(talk.said)) if p and v))
    if not runs or talk.comment is None:
        return issue
    ours = (p.role is not Role.REPORTER and p.text.startswith(MARKER) for p in issue.posts)
    posts = (p._replace(settled=runs) if own else p for p, own in zip(issue.posts, ours, strict=True))
    return issue._replace(posts=tuple(posts))


def _left_out(diagnosis: Diagnosis) -> tuple[str, ...]:
    """That a report has more short pieces than are read."""
    short = sum(b.role is Role.REPORTER and len(b.raw) < SHORT for b in diagnosis.report.blocks)
    return (f"only the first and the last {MAX_SHORT // 2} of its many short pieces",) if short >= MAX_SHORT else ()


def withdrawal(diagnosis: Diagnosis, *, refused: bool = False) -> Comment:
    """The line that takes an answer's place. `refused` is that of an Answer."""
    unexplained = any(k.fix.verdict is Verdict.NOT_EXPLAINED for k in diagnosis.known)
    if refused and not unexplained:
        return retraction(NOT_IT)
    return retraction(OTHER_VERSION if unexplained and not refused else NO_LONGER)


def is_disowned(talk: Talk, problem: str) -> bool:
    """Whether people said that an issue does not show a problem, or that it shows another one."""
    return problem in talk.refused or (bool(talk.known) and problem not in talk.known)


def _as_people_say(diagnosis: Diagnosis, talk: Talk, known: Known, as_of: str | None) -> Diagnosis:
    """Without the problems that people refused; where they named some, with these alone, and as sure as their word."""
    problems = known.knowledge.problems
    named = [p for p in problems if p.id in talk.known and p.status in PUBLIC and p.withdrawn is None]
    if not named:
        return diagnosis._replace(known=tuple(k for k in diagnosis.known if k.problem.id not in talk.refused))
    there = {k.problem.id: k for k in diagnosis.known}
    facts, artifacts = scope_facts(diagnosis.report, (), ()), scope_artifacts(diagnosis.report, (), ())
    kept: list[KnownProblem] = []
    asked: list[str] = []
    for problem in named:
        judged = judge(problem, known.knowledge, facts, artifacts, as_of)
        found = there.get(problem.id) or KnownProblem(problem, "", Certainty.POSSIBLE, (), (), judged.fix)
        if found.certainty is not Certainty.CERTAIN:
            found = found._replace(certainty=Certainty.CERTAIN, why=(_NAMED,))
        kept.append(found)
        if found.fix.verdict is Verdict.VERSION_UNKNOWN and judged.asks is not None:
            repo = (diagnosis.report.issue.ref or "").partition("#")[0].casefold() or None
            meant = tuple(
                p for p in carrying_products(known.knowledge, judged.asks) if p in diagnosis.report.issue.about
            )
            asked.append(version_question(known.knowledge, judged.asks, judged.products or meant, repo))
    kept.sort(key=lambda k: list(there).index(k.problem.id) if k.problem.id in there else -1)
    return diagnosis._replace(known=tuple(kept), questions=tuple(asked[:1]))


def _told(k: KnownProblem) -> Told:
    who = k.fix.reporter
    runs = f"{who.product or who.component or ''}@{who.product_version or who.component_version or ''}"
    target = next((f"{f.id}@{f.version}" for f in k.fix.fixed_in if f.kind == "product"), "")
    return Told(*(part.replace("|", "/")[:200] for part in (k.problem.id, k.fix.verdict.value, runs, target)))


def _changes(
    before: tuple[Told, ...], said: tuple[Told, ...], today: str, talk: Talk
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How an answer differs from the one before, and the fixes that have reached the reporter since."""
    old = {told.problem: told for told in before}
    changes: list[str] = []
    notes: list[str] = []
    for told in said:
        was = old.pop(told.problem, None)
        if was is None:
            changes.append(change_words(today, told.problem, IT_IS if told.problem in talk.known else "recognised"))
        elif was.verdict != told.verdict:
            changes.append(change_words(today, told.problem, told.verdict, was.verdict))
            if was.verdict in _PENDING and told.verdict == Verdict.UPGRADE and was.who == told.who and told.target:
                notes.append(f"{told.problem}:{told.target.replace('@', ':')}")
        elif was.who != told.who or was.target != told.target:
            changes.append(change_words(today, told.problem, "read with other versions"))
    for problem in old:
        other = ANOTHER if is_disowned(talk, problem) else "no longer recognised"
        changes.append(change_words(today, problem, IT_IS_NOT if problem in talk.refused else other))
    return tuple(changes), tuple(notes)
