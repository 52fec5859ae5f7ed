"""What a comment of the bot's claims, kept in its hidden marker: what stands on GitHub tells by itself what of it no
longer holds, and what of another one would be new beside it."""

from __future__ import annotations

from collections.abc import Iterable

from bot.comment import MARKER, Comment, read_comment
from kb.model import KnownProblem, Verdict
from signatures.model import Certainty
from signatures.values import NamedTuple

# how far a fix has come; the first two promise none
_RANKS = {
    Verdict.VERSION_UNKNOWN: 0,
    Verdict.NONE: 0,
    Verdict.CANDIDATE: 1,
    Verdict.MERGED: 2,
    Verdict.WAIT_FOR_PRODUCT: 3,
    Verdict.UPGRADE: 4,
    Verdict.CONFIGURE: 4,
}
_FIRST, _ALSO = "This ", "It also "  # how headings begin
_SURE, _LIKELY = "matches a known problem", "looks like a known problem"


class Claim(NamedTuple):
    """What is said of one problem. `sure`: that it is this one, not only that it looks like it. `fixed`: what is named
    as having the fix, as id@version."""

    sure: bool
    verdict: Verdict
    fixed: frozenset[str]


def claiming(comment: Comment, known: Iterable[KnownProblem]) -> Comment:
    """The comment with a marker that holds what it claims."""
    by_id = {k.problem.id: k for k in known}
    says = ",".join(_written(by_id[problem]) for problem in comment.problems if problem in by_id)
    body = comment.body.replace(" digest=", f" says={says} digest=", 1) if says else comment.body
    return comment._replace(body=body)


def claims(body: str) -> dict[str, Claim]:
    """What a comment claims, by problem; of a marker without it nothing."""
    said = (entry.split("|") for entry in _says(body).split(","))
    return {
        e[0]: Claim(e[1] == Certainty.CERTAIN.value, Verdict(e[2]), frozenset(filter(None, e[3].split(";"))))
        for e in said
        if len(e) == 4 and e[2] in list(Verdict)
    }


def takes_back(stands: str, wanted: Comment) -> bool:
    """Whether something that the comment `stands` says is not so by the wanted one: a problem, how sure it is, or what
    is said to fix it. That a fix has come further takes nothing back."""
    problems = _problems(stands)
    if any(problem not in wanted.problems for problem in problems):
        return True
    now = claims(wanted.body)
    return any(problem in now and not _holds(claim, now[problem]) for problem, claim in claims(stands).items())


def adds(stands: str, wanted: Comment) -> bool:
    """Whether the wanted comment shows a line that stands nowhere in the comment `stands`."""
    if not wanted.problems:
        return False
    there = _unix(stands)
    return any(not _is_said(line, there) for line in _visible(wanted.body))


def words(body: str) -> str:
    """What a comment shows without being unfolded: what somebody says yes to."""
    return "\n".join(_visible(body))


def _holds(claim: Claim, now: Claim) -> bool:
    """Whether what was claimed of a problem is right where `now` is."""
    ids = {entry.partition("@")[0] for entry in now.fixed}
    if (claim.sure and not now.sure) or any(e.partition("@")[0] in ids for e in claim.fixed - now.fixed):
        return False
    if claim.verdict == now.verdict:
        return claim.fixed <= now.fixed
    before, after = _RANKS.get(claim.verdict, 0), _RANKS.get(now.verdict, 0)
    return before == 0 or before < after


def _is_said(line: str, there: str) -> bool:
    bare = line.removeprefix("- ").removeprefix(_ALSO).removeprefix(_FIRST)
    return bare in there or (bare.startswith(_LIKELY) and bare.replace(_LIKELY, _SURE, 1) in there)


def _visible(body: str) -> list[str]:
    text = _unix(body)
    text = text.partition("\n")[2] if text.startswith(MARKER) else text
    shown = text.partition("<details")[0].partition("<sub>")[0]
    return [line.strip() for line in shown.split("\n") if line.strip()]


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")


def _problems(body: str) -> tuple[str, ...]:
    try:
        return read_comment(body).problems
    except ValueError:
        return ()


def _says(body: str) -> str:
    head = body[len(MARKER) : body.find(" -->")].split() if body.startswith(MARKER) else []
    return next((word.removeprefix("says=") for word in head if word.startswith("says=")), "")


def _written(known: KnownProblem) -> str:
    fixed = ";".join(sorted(_safe(f"{f.id}@{f.version}") for f in known.fix.fixed_in))
    return "|".join((known.problem.id, known.certainty.value, known.fix.verdict.value, fixed))


def _safe(text: str) -> str:
    """Nothing that ends a word, an entry or the hidden comment."""
    return "".join(c if c.isalnum() or c in ":._+-@" else "_" for c in text)
