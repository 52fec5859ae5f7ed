"""What a fix means for one reporter: the verdict for the versions that the report states.

A wrong "upgrade to X" is the worst answer there is, so where anything that it rests on is unknown or contradictory,
the verdict is `version-unknown`.
"""

from __future__ import annotations

from kb.affected import Course, Position, Standing, components_of, course_of, is_local, standing
from kb.delivery import MODEL, carrying_components, name_of
from kb.disputes import dispute_of, known_on
from kb.model import FixVerdict, Knowledge, Problem, ReporterVersion, Scheme, Verdict
from kb.remedy import ORDER, Situation, best_remedy, known_fix
from kb.stated import Candidate, Reading, Scoped, ScopedArtifact, failing_models, read_component
from signatures.model import ArtifactRole
from signatures.values import NamedTuple

_UNEXPLAINED = (Position.BEFORE, Position.FIXED, Position.DISPUTED)


class Judgement(NamedTuple):
    """A verdict, and what would settle it where it is unknown."""

    fix: FixVerdict
    # the component whose version would change the verdict; a bare "model:" where the model itself is not known
    asks: str | None = None
    products: tuple[str, ...] = ()  # products that the report names and that carry it
    # whether the report names an affected component or a product that carries one; None: the problem has no component
    named: bool | None = None


def fix_verdict(
    problem: Problem,
    knowledge: Knowledge,
    facts: tuple[Scoped, ...],
    artifacts: tuple[ScopedArtifact, ...],
    as_of: str | None = None,
) -> FixVerdict:
    """The verdict of one problem for one reporter.

    `facts` and `artifacts` are the report's, as `kb.stated` scopes them to the evidence. `as_of` (an ISO date) hides
    releases published and disputes raised later; what the reporter's own version contains does not depend on the day.
    """
    return judge(problem, knowledge, facts, artifacts, as_of).fix


def judge(
    problem: Problem,
    knowledge: Knowledge,
    facts: tuple[Scoped, ...],
    artifacts: tuple[ScopedArtifact, ...],
    as_of: str | None = None,
) -> Judgement:
    """`fix_verdict` with what to ask where the version is unknown."""
    knowledge = known_on(knowledge, as_of)
    remedied = bool(problem.fixes) or any(row.fixed for row in problem.affected)
    judged = _judge(problem, knowledge, facts, artifacts, as_of, remedied)
    if judged.fix.verdict is Verdict.VERSION_UNKNOWN and not remedied:
        # whichever version it is, there is nothing to tell
        return judged._replace(fix=judged.fix._replace(verdict=Verdict.NONE, note=""), asks=None)
    return judged


def _judge(
    problem: Problem,
    knowledge: Knowledge,
    facts: tuple[Scoped, ...],
    artifacts: tuple[ScopedArtifact, ...],
    as_of: str | None,
    remedied: bool,
) -> Judgement:
    components = components_of(problem, knowledge)
    if not components:
        return _whatever_version(problem, knowledge, as_of)
    courses = {c: course_of(problem, knowledge, c) for c in components}
    # where nothing can be told anyway, the version at the evidence is the one to name
    readings = {c: read_component(knowledge, c, facts, artifacts, heed_later=remedied) for c in components}
    any_named = any(r.named for r in readings.values())
    judged: list[_Judged] = []
    for component, reading in readings.items():
        course = courses[component]
        if any_named and not reading.named:
            continue
        if course is not None and (reading.candidates or course.always):
            judged.append(_judge_component(knowledge, course, reading, as_of))
    rivals = _other_failing_models(readings, facts, artifacts)
    if rivals:
        return _several_models(rivals)
    if not judged and not problem.affected and any(is_local(f) for f in problem.fixes):
        return _whatever_version(problem, knowledge, as_of)
    if not judged:
        return _nothing_stated(knowledge, courses, readings, artifacts, as_of)
    return _combined(judged, any_named)


def _other_failing_models(
    readings: dict[str, Reading], facts: tuple[Scoped, ...], artifacts: tuple[ScopedArtifact, ...]
) -> tuple[str, ...]:
    """The names of all failing models, where an affected one is among several: their answers differ."""
    named = {c.removeprefix(MODEL).casefold() for c, r in readings.items() if c.startswith(MODEL) and r.named}
    failing = {s.artifact.name.casefold(): s.artifact.name for s in failing_models(facts, artifacts) if _is_model(s)}
    return tuple(sorted(failing.values())) if named and len(failing) > 1 else ()


def _is_model(s: ScopedArtifact) -> bool:
    """Whether a reference names a whole model rather than one file of it."""
    return s.artifact.kind in ("foundry", "huggingface", "given")


def _several_models(names: tuple[str, ...]) -> Judgement:
    note = f"the report names several failing models ({', '.join(names)}), and what is known differs between them"
    return Judgement(FixVerdict(Verdict.VERSION_UNKNOWN, (), ReporterVersion(), note), named=True)


class _Judged(NamedTuple):
    position: Position
    judgement: Judgement


def _whatever_version(problem: Problem, knowledge: Knowledge, as_of: str | None) -> Judgement:
    """A problem of no component: every reporter is affected."""
    nobody = Course("", Scheme.DOTTED, (), problem.fixes, (), (), "")
    remedy = best_remedy(Situation(knowledge, nobody, None, None, None, as_of))
    return Judgement(FixVerdict(remedy.verdict, remedy.fixed_in, note=remedy.note))


def _judge_component(knowledge: Knowledge, course: Course, reading: Reading, as_of: str | None) -> _Judged:
    """The verdict that all best statements of a component agree on, or none."""
    if not reading.candidates:
        remedy = best_remedy(Situation(knowledge, course, None, None, None, as_of))
        fix = FixVerdict(remedy.verdict, remedy.fixed_in, ReporterVersion(component=course.component), remedy.note)
        return _Judged(Position.AFFECTED, Judgement(fix, named=reading.named))
    each = [_for_candidate(knowledge, course, c, as_of) for c in reading.candidates]
    position, first = each[0]
    first = first._replace(contradictions=reading.contradictions)
    against = _words_against(knowledge, course, reading, as_of) if position is Position.AFFECTED else ""
    if against:
        reading = reading._replace(contradictions=(against, *reading.contradictions))
    elif all(_agree(v, first) for _, v in each):
        places = tuple(dict.fromkeys(f for _, v in each for f in v.fixed_in))
        fix = first._replace(fixed_in=places)
        return _Judged(position, Judgement(fix, products=reading.products))
    return _Judged(Position.UNKNOWN, _contradictory(knowledge, course, reading, as_of))


def _words_against(knowledge: Knowledge, course: Course, reading: Reading, as_of: str | None) -> str:
    """What the reporter says in words of a version that is not affected, beside the output that names one that is."""
    for c in reading.in_words:
        if _for_candidate(knowledge, course, c, as_of)[0] in _UNEXPLAINED:
            return f"{c.how}; {reading.candidates[0].how}"
    return ""


def _agree(a: FixVerdict, b: FixVerdict) -> bool:
    """The same verdict, and no two releases of one thing."""
    places = {(f.kind, f.id): f.version for f in a.fixed_in}
    return a.verdict is b.verdict and all(places.get((f.kind, f.id), f.version) == f.version for f in b.fixed_in)


def _for_candidate(
    knowledge: Knowledge, course: Course, candidate: Candidate, as_of: str | None
) -> tuple[Position, FixVerdict]:
    reporter = ReporterVersion(
        candidate.product, candidate.product_version, course.component, candidate.version, candidate.how
    )
    at = Situation(knowledge, course, candidate.version, candidate.product, candidate.product_version, as_of)
    found = _standing(knowledge, course, candidate.version)
    if found.position is Position.FIXED and candidate.product is not None:
        why = dispute_of(knowledge, course.problem, candidate.product, candidate.product_version)
        found = Standing(Position.DISPUTED, why) if why else found
    if found.position is Position.AFFECTED:
        remedy = best_remedy(at)
        note = remedy.note or found.why
        return found.position, FixVerdict(remedy.verdict, remedy.fixed_in, reporter, note, disputed=remedy.disputed)
    if found.position in _UNEXPLAINED:
        disputed = found.position is Position.DISPUTED
        return found.position, FixVerdict(Verdict.NOT_EXPLAINED, (), reporter, found.why, disputed=disputed)
    return found.position, FixVerdict(Verdict.VERSION_UNKNOWN, (), reporter, found.why)


def _standing(knowledge: Knowledge, course: Course, version: str | None) -> Standing:
    if version is None:
        return Standing(Position.UNKNOWN, f"it is not known which {course.component} that release carries")
    found = standing(course, version)
    if found.position is Position.FIXED and any(len(carrying_components(knowledge, f.all)) > 1 for f in course.fixes):
        return Standing(Position.UNKNOWN, f"{found.why}, but the fix needs other components as well")
    return found


def _contradictory(knowledge: Knowledge, course: Course, reading: Reading, as_of: str | None) -> Judgement:
    at = Situation(knowledge, course, None, None, None, as_of)
    fix = FixVerdict(
        Verdict.VERSION_UNKNOWN,
        known_fix(at),
        ReporterVersion(component=course.component, how="; ".join(c.how for c in reading.candidates)),
        "the report states several versions, and they do not lead to the same answer",
        reading.contradictions,
    )
    return Judgement(fix, course.component if course.remedied else None, reading.products)


def _combined(judged: list[_Judged], named: bool) -> Judgement:
    """One verdict for a problem of several components that the report states."""
    affected = [j for j in judged if j.position is Position.AFFECTED]
    spared = [j for j in judged if j.position in _UNEXPLAINED]
    if affected and spared:
        fix = affected[0].judgement.fix
        return Judgement(
            FixVerdict(
                Verdict.VERSION_UNKNOWN,
                (),
                fix.reporter,
                "the report states several affected components, and only some of their versions are affected",
                tuple(j.judgement.fix.note for j in judged),
            )
        )
    unknown = [j for j in judged if j.position is Position.UNKNOWN]
    best = min(affected or unknown or spared, key=lambda j: _rank(j.judgement.fix.verdict))
    return best.judgement._replace(named=named)


def _rank(verdict: Verdict) -> int:
    return ORDER.index(verdict) if verdict in ORDER else len(ORDER)


def _nothing_stated(
    knowledge: Knowledge,
    courses: dict[str, Course | None],
    readings: dict[str, Reading],
    artifacts: tuple[ScopedArtifact, ...],
    as_of: str | None,
) -> Judgement:
    """No version of any affected component is stated."""
    component = next((c for c, r in readings.items() if r.named), next(iter(readings)))
    reading, course = readings[component], courses[component]
    failing = [s.artifact.name for s in artifacts if s.artifact.role is ArtifactRole.FAILING]
    reporter = ReporterVersion(component=component)
    if component.startswith(MODEL) and not reading.named and failing:
        note = f"the fix is announced for other models of the family; nothing is recorded of {failing[0]}"
        return Judgement(FixVerdict(Verdict.VERSION_UNKNOWN, (), reporter, note), named=False)
    if course is None:
        note = f"nothing is known of the versions of {component}"
        return Judgement(FixVerdict(Verdict.VERSION_UNKNOWN, (), reporter, note), named=reading.named)
    note = course.disputed or "the report states no version that can be read"
    if component.startswith(MODEL) and not reading.named:
        known = any(c is not None and c.remedied for c in courses.values())
        fix = FixVerdict(Verdict.VERSION_UNKNOWN, (), ReporterVersion(), "the report names no model that fails")
        return Judgement(fix, MODEL if known else None, named=False)
    places = known_fix(Situation(knowledge, course, None, None, None, as_of))
    unplaced = reading.unplaced
    if unplaced is not None:
        # the reporter has said what there is to say
        reporter = ReporterVersion(unplaced.key, unplaced.value, component)
        note = f"nothing says which {component} {name_of(knowledge, unplaced.key)} {unplaced.value} carries"
        fix = FixVerdict(Verdict.VERSION_UNKNOWN, places, reporter, course.disputed or note)
        return Judgement(fix, None, reading.products, reading.named)
    asks = component if course.remedied and (reading.named or len(readings) == 1) else None
    return Judgement(FixVerdict(Verdict.VERSION_UNKNOWN, places, reporter, note), asks, reading.products, reading.named)
