"""From recognised signatures to known problems: how sure each is, what fixes it for this reporter, what to ask.

A problem is claimed only through a symptom whose preconditions are not false. Causes that are inconclusive or
refuted, and withdrawn records, are never claimed: their signature is reported as recognised and no more.
"""

from __future__ import annotations

from kb.claims import Claim, claims_of
from kb.delivery import carrying_products
from kb.model import (
    Diagnosis,
    FixVerdict,
    Knowledge,
    KnownProblem,
    Problem,
    Quote,
    RecognisedSignature,
    RuledOutProblem,
    Verdict,
)
from kb.questions import component_question, fact_question, separating_question, version_question
from kb.quotes import quotes
from kb.stated import scope_artifacts, scope_facts
from kb.verdict import Judgement, judge
from signatures.model import CERTAINTY_ORDER, TRUST, Certainty, Fact, Finding, Match, Outcome, Report
from signatures.text import squeeze
from signatures.values import NamedTuple

# Where two problems are equally certain, the one with the more helpful answer comes first
_HELPFUL = (
    Verdict.UPGRADE,
    Verdict.WAIT_FOR_PRODUCT,
    Verdict.CONFIGURE,
    Verdict.MERGED,
    Verdict.CANDIDATE,
    Verdict.VERSION_UNKNOWN,
    Verdict.NONE,
    Verdict.NOT_EXPLAINED,
)
_MAX_SPANS = 64
_MAX_MATCHES = 64  # of one signature


class _Case(NamedTuple):
    """A problem with everything that shows it."""

    problem: Problem
    claims: dict[int, Claim]  # by match
    judgement: Judgement


def diagnose(
    report: Report,
    matches: tuple[Match, ...],
    titles: dict[str, str],
    knowledge: Knowledge,
    *,
    as_of: str | None = None,
    findings: tuple[Finding, ...] = (),
    unexplained: tuple[Quote, ...] = (),
    refused: tuple[tuple[str, str], ...] = (),
) -> Diagnosis:
    """What a report shows and what that means for the versions it states.

    `titles` are the titles of the signatures by id; `as_of` (an ISO date) hides releases published later; `findings`
    are what checks of the reporter's models said; `refused` are signatures whose words are there and whose
    precondition a fact contradicts, each with the reason. `known` is sorted best first, and at most one question is
    asked, only where the answer would change a verdict.
    """
    matches = _first_of_each(matches)
    claims = [c for at, m in enumerate(matches) for c in claims_of(report, at, m, knowledge)]
    standing = [c for c in claims if c.held is not False]
    cases = _cases(report, standing, knowledge, as_of)
    unnamed = _unnamed_siblings(cases)
    if unnamed:
        standing = [c for c in standing if (c.problem.id, c.at) not in unnamed]
        cases = _cases(report, standing, knowledge, as_of)
    known = [_known(report, case, cases, findings) for case in cases.values()]
    known.sort(key=_order)
    shown = {c.match.signature for c in standing}
    return Diagnosis(
        report,
        tuple(known),
        (*_ruled_out(claims, unnamed, cases), *_refused(refused, claims, knowledge)),
        recognised(report, [m for m in matches if m.signature not in shown], titles),
        _questions(report, knowledge, known, cases),
        unexplained,
    )


def _first_of_each(matches: tuple[Match, ...]) -> tuple[Match, ...]:
    """A log that repeats one failure for hours says no more than its first lines do."""
    seen: dict[str, int] = {}
    kept = []
    for m in matches:
        seen[m.signature] = seen.get(m.signature, 0) + 1
        if seen[m.signature] <= _MAX_MATCHES:
            kept.append(m)
    return tuple(kept)


def _order(k: KnownProblem) -> tuple[int, int, str]:
    return CERTAINTY_ORDER.index(k.certainty), _HELPFUL.index(k.fix.verdict), k.problem.id


def _cases(report: Report, claims: list[Claim], knowledge: Knowledge, as_of: str | None) -> dict[str, _Case]:
    """Problem by problem, the claims and the verdict for the versions that stand nearest to them."""
    by_problem: dict[str, list[Claim]] = {}
    for c in claims:
        by_problem.setdefault(c.problem.id, []).append(c)
    cases = {}
    for id_, own in by_problem.items():
        blocks = tuple(dict.fromkeys(c.match.block for c in own))
        spans = tuple(s for c in own for s in c.match.evidence)[:_MAX_SPANS]
        facts = scope_facts(report, blocks, spans)
        artifacts = scope_artifacts(report, blocks, spans)
        judgement = judge(own[0].problem, knowledge, facts, artifacts, as_of)
        cases[id_] = _Case(own[0].problem, {c.at: c for c in own}, judgement)
    return cases


def _unnamed_siblings(cases: dict[str, _Case]) -> dict[tuple[str, int], str]:
    """Problems of components that the report does not name, where it names the component of a sibling.

    The words are the same; which program printed them is what tells the siblings apart.
    """
    unnamed: dict[tuple[str, int], str] = {}
    for id_, case in cases.items():
        if case.judgement.named:
            continue
        for claim in case.claims.values():
            if case.judgement.named is None and claim.held is True:
                continue  # it concerns no component, and its own preconditions hold
            named = next((s.problem for s in _siblings(claim, cases) if s.judgement.named), None)
            if named is not None:
                components = " and ".join(dict.fromkeys(a.component for a in named.affected))
                unnamed[id_, claim.at] = f"the same words; the report names {components}, which points to {named.id}"
    return unnamed


def _siblings(claim: Claim, cases: dict[str, _Case]) -> list[_Case]:
    """The other problems that the same match shows."""
    return [case for id_, case in cases.items() if id_ != claim.problem.id and claim.at in case.claims]


def _known(report: Report, case: _Case, cases: dict[str, _Case], findings: tuple[Finding, ...]) -> KnownProblem:
    rated = [(_certainty(c, case, cases), c) for c in case.claims.values()]
    certainty, claim = min(rated, key=lambda r: CERTAINTY_ORDER.index(r[0]))
    why = [*claim.why, *(r.detail for r in claim.match.reasons if r.held is None), *_contradictions(report, claim)]
    siblings = _undecided(claim, cases)
    if siblings and certainty is not Certainty.CERTAIN:
        others = " and ".join(s.problem.id for s in siblings)
        why.append(f"the same words also show {others}, which the report does not exclude")
    problem = claim.problem
    own = tuple(f for f in findings if f.check in problem.checks)
    certainty, said = _with_findings(report, certainty, claim.match, own)
    spans = tuple(s for _, c in rated for s in c.match.evidence)[:_MAX_SPANS]
    return KnownProblem(
        problem,
        claim.match.signature,
        certainty,
        claim.match.captures,
        quotes(report.issue, spans),
        case.judgement.fix,
        own,
        tuple(dict.fromkeys((*why, *said))),
    )


def _certainty(claim: Claim, case: _Case, cases: dict[str, _Case]) -> Certainty:
    if claim.match.certainty is Certainty.POSSIBLE or any(w.known for w in claim.open):
        return Certainty.POSSIBLE
    siblings = _undecided(claim, cases)
    if not siblings:
        if claim.held is not True and _siblings(claim, cases):
            # that a sibling's versions exclude it says nothing for this one
            return Certainty.POSSIBLE
        sure = claim.held is True and claim.match.certainty is Certainty.CERTAIN
        return Certainty.CERTAIN if sure else Certainty.LIKELY
    rivals = [s for s in siblings if s.claims[claim.at].held is True]
    excluded = case.judgement.fix.excludes
    return Certainty.LIKELY if claim.held is True and not rivals and not excluded else Certainty.POSSIBLE


def _undecided(claim: Claim, cases: dict[str, _Case]) -> list[_Case]:
    """Siblings that the reporter's versions do not exclude."""
    return [s for s in _siblings(claim, cases) if not s.judgement.fix.excludes]


def _contradictions(report: Report, claim: Claim) -> list[str]:
    """Facts that decide a precondition and are stated in several ways, each with its place."""
    keys = [w.key for s in claim.problem.symptoms if s.signature == claim.match.signature for w in s.when]
    keys += [r.clause.removeprefix("when.") for r in claim.match.reasons if r.clause.startswith("when.")]
    found = []
    for key in dict.fromkeys(keys):
        facts = [f for f in report.facts if f.key == key]
        top = max((TRUST[f.source] for f in facts), default=0)
        stated: dict[str, Fact] = {f.value.casefold(): f for f in reversed(facts) if TRUST[f.source] == top}
        if len(stated) > 1:
            said = " and ".join(f"{f.value} ({f.source.value})" for f in reversed(stated.values()))
            found.append(f"the report states {key} as {said}")
    return found


def _with_findings(
    report: Report, certainty: Certainty, match: Match, findings: tuple[Finding, ...]
) -> tuple[Certainty, tuple[str, ...]]:
    captured = {name: value.casefold() for name, value in match.captures}
    lifted = Certainty.CERTAIN if certainty is Certainty.LIKELY else certainty
    printed = _squeezed(report.blocks[match.block].raw) if any(f.predicted_text for f in findings) else ""
    for f in findings:
        proves = f.outcome is Outcome.FOUND and f.proves
        if proves and all(captured.get(name) == value.casefold() for name, value in f.proves):
            names = ", ".join(f"{name} {value}" for name, value in f.proves)
            return lifted, (f"{f.check} finds in {f.artifact} what the words found name: {names}",)
        if f.outcome is Outcome.FOUND and f.predicted_text and _squeezed(f.predicted_text) in printed:
            return lifted, (f"{f.check} finds in {f.artifact} what makes the runtime print this text",)
    other = next((f for f in findings if f.outcome is Outcome.FOUND and f.predicted_text), None)
    if other is not None:
        predicted = f"{other.check} predicts {other.predicted_text!r} for {other.artifact}"
        return certainty, (f"{predicted}, which is not what the report prints: consistent, no proof",)
    clean = next((f for f in findings if f.outcome is Outcome.CLEAN), None)
    if clean is None:
        return certainty, ()
    lowered = Certainty.LIKELY if certainty is Certainty.CERTAIN else certainty
    return lowered, (f"{clean.check} finds nothing in {clean.artifact}, which speaks against this",)


def _squeezed(text: str) -> str:
    """Comparable however a console wrapped it."""
    return squeeze(text).casefold()


def _ruled_out(
    claims: list[Claim], unnamed: dict[tuple[str, int], str], cases: dict[str, _Case]
) -> tuple[RuledOutProblem, ...]:
    # a line that many failures print rules none of them out by what else it could have said
    telling = (c for c in claims if c.held is False and c.match.certainty is not Certainty.POSSIBLE)
    why = {c.problem.id: "; ".join(c.why) for c in telling}
    why |= {id_: reason for (id_, _), reason in unnamed.items()}
    return tuple(RuledOutProblem(id_, reason) for id_, reason in sorted(why.items()) if id_ not in cases)


def _refused(
    refused: tuple[tuple[str, str], ...], claims: list[Claim], knowledge: Knowledge
) -> tuple[RuledOutProblem, ...]:
    """Problems that only a stated fact keeps from being shown."""
    claimed = {c.problem.id for c in claims}
    why = dict(refused)
    found = {
        p.id: next(why[s.signature] for s in p.symptoms if s.signature in why)
        for p in knowledge.problems
        if p.id not in claimed and any(s.signature in why for s in p.symptoms)
    }
    return tuple(RuledOutProblem(id_, reason) for id_, reason in sorted(found.items()))


def recognised(report: Report, matches: list[Match], titles: dict[str, str]) -> tuple[RecognisedSignature, ...]:
    """The signatures of these matches, each once, with its best match and where all of them stand."""
    by_signature: dict[str, list[Match]] = {}
    for m in matches:
        by_signature.setdefault(m.signature, []).append(m)
    found = []
    for id_, own in by_signature.items():
        best = min(own, key=lambda m: CERTAINTY_ORDER.index(m.certainty))
        spans = tuple(s for m in own for s in m.evidence)[:_MAX_SPANS]
        evidence = quotes(report.issue, spans)
        found.append(RecognisedSignature(id_, titles.get(id_, id_), best.certainty, best.captures, evidence))
    return tuple(found)


def _questions(
    report: Report, knowledge: Knowledge, known: list[KnownProblem], cases: dict[str, _Case]
) -> tuple[str, ...]:
    """At most one question, about the best problem whose answer is open."""
    for k in known:
        case = cases[k.problem.id]
        if all(any(r.clause == "named" for r in c.match.reasons) for c in case.claims.values()):
            continue  # nobody is asked about words that he only names
        if k.certainty is Certainty.POSSIBLE:
            asked = _between(knowledge, case, cases) or _wanting(case)
            if asked is not None:
                return (asked,)
        wanted = any(w.known for claim in case.claims.values() for w in claim.open)
        if (k.certainty is not Certainty.POSSIBLE or wanted) and case.judgement.asks is not None:
            asks = case.judgement.asks
            repo = (report.issue.ref or "").partition("#")[0].casefold() or None
            meant = tuple(p for p in carrying_products(knowledge, asks) if p in report.issue.about)
            return (version_question(knowledge, asks, case.judgement.products or meant, repo),)
    return ()


def _between(knowledge: Knowledge, case: _Case, cases: dict[str, _Case]) -> str | None:
    """What separates problems that share their words; None where they come to the same answer."""
    claim = next(iter(case.claims.values()))
    rivals = [claim, *(s.claims[claim.at] for s in _undecided(claim, cases))]
    answers = {(_answer(cases[c.problem.id].judgement.fix), c.problem.workarounds) for c in rivals}
    if len(answers) < 2:
        return None
    asked = separating_question(tuple(c.open for c in rivals))
    components = tuple(dict.fromkeys(a.component for c in rivals for a in c.problem.affected))
    if asked is None and len(components) > 1:
        return component_question(knowledge, components)
    return asked


def _wanting(case: _Case) -> str | None:
    """What words that many causes print need before they may say more, or nothing at all."""
    for claim in case.claims.values():
        if claim.match.certainty is Certainty.POSSIBLE:
            undecided = [r.clause for r in claim.match.reasons if r.held is None and r.clause.startswith("when.")]
            keys = [*(c.removeprefix("when.") for c in undecided), *(w.key for w in claim.open)]
            keys += ("runtime" for r in claim.match.reasons if r.held is None and r.clause == "shared")
            if keys:
                return fact_question(keys[0])
    return None


def _answer(fix: FixVerdict) -> tuple[object, ...]:
    return fix.verdict, fix.fixed_in, fix.note
