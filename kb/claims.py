"""Which problems a match may show: the preconditions of each symptom, tried on the facts nearest to the match.

Unknown is an answer: a precondition that no fact decides neither claims nor excludes.
"""

from __future__ import annotations

from kb.model import PUBLIC, Knowledge, Problem, Symptom
from signatures.model import Match, Report, When
from signatures.preconditions import evaluate
from signatures.values import NamedTuple


class Claim(NamedTuple):
    """One problem that one match may show."""

    problem: Problem
    at: int  # the index of the match
    match: Match
    held: bool | None
    why: tuple[str, ...]
    open: tuple[When, ...]  # preconditions that nothing decides


class Held(NamedTuple):
    """What became of one symptom."""

    held: bool | None
    why: tuple[str, ...]
    open: tuple[When, ...]


def claims_of(report: Report, at: int, match: Match, knowledge: Knowledge) -> list[Claim]:
    """Every public problem with this symptom, whatever became of the symptom's preconditions."""
    claims = []
    for problem in knowledge.problems:
        if problem.status not in PUBLIC or problem.withdrawn is not None:
            continue
        tried = [_try(report, match, s) for s in problem.symptoms if s.signature == match.signature]
        if tried:
            # one symptom that holds is enough
            best = max(tried, key=lambda t: (t.held is not False, t.held is True))
            claims.append(Claim(problem, at, match, best.held, best.why, best.open))
    return claims


def _try(report: Report, match: Match, symptom: Symptom) -> Held:
    captured = {name: value.casefold() for name, value in match.captures}
    held: list[bool | None] = []
    why: list[str] = []
    undecided: list[When] = []
    for when in symptom.when:
        answer, detail = evaluate(when, report.facts, report, match.block, match.evidence)
        held.append(answer)
        why.append(detail)
        if answer is None:
            undecided.append(when)
    for name, values in symptom.capture:
        value = captured.get(name)
        held.append(None if value is None else value in {v.casefold() for v in values})
        why.append(f"{name} is not in the words found" if value is None else f"{name} is {value}")
    for name in symptom.decisive:
        if not captured.get(name):
            held.append(None)
            why.append(f"{name}, which makes the problem what it is, is not in the words found")
    if False in held:
        return Held(False, tuple(w for w, h in zip(why, held, strict=True) if h is False), ())
    return Held(None if None in held else True, tuple(why), tuple(undecided))
