"""Which version of a component this reporter runs, from what the report states, and how that is known.

The most trusted statement decides, and among equals the one nearest to the evidence; what disagrees is kept for
people to see. Nothing is guessed: a statement that is no version decides nothing.
"""

from __future__ import annotations

from kb.delivery import MODEL, bundled, carrying_products, name_of, releases_of, scheme_of
from kb.model import Knowledge, Scheme
from kb.versions import parse, same
from signatures.model import TRUST, ArtifactRef, ArtifactRole, Fact, Report, Source, Span
from signatures.values import NamedTuple

_HOW = {
    Source.GIVEN: "given for this run",
    Source.LOG: "printed in the log",
    Source.MANIFEST: "pinned in the report",
    Source.DIAGNOSTICS: "in the diagnostics",
    Source.FORM: "stated in the form",
    Source.PROSE: "stated in the text",
}
_SHOWN_VERSION = 80  # characters
_MAX_STATED = 32  # different statements of one component
_SHOWN = 5  # contradictions that people read
_FAR = 1 << 40
_IN_BLOCK = 1  # rank of what stands in the block of the evidence
_IN_WORDS = TRUST[Source.FORM]  # up to this trust, a person says it


class Near(NamedTuple):
    """How near a statement is to the evidence: 0 on its lines, 1 in its block, 2 in its post, 3 elsewhere."""

    rank: int
    distance: int  # characters, within one post
    later: bool = False  # written in a later post than all of the evidence


class Scoped(NamedTuple):
    fact: Fact
    near: Near


class ScopedArtifact(NamedTuple):
    artifact: ArtifactRef
    near: Near


class Candidate(NamedTuple):
    """One statement of a component's version. `version` is None where a product states one of unknown content."""

    version: str | None
    trust: int
    near: Near
    how: str
    product: str | None = None
    product_version: str | None = None
    stated: int = 0  # the trust of the statement itself, where `trust` is that of a manifest looked up for it


class Reading(NamedTuple):
    """What the report states of one component."""

    component: str
    candidates: tuple[Candidate, ...] = ()  # the best statements, which may differ; () where there is none
    contradictions: tuple[str, ...] = ()
    named: bool = False  # whether the report names the component or a product that carries it
    products: tuple[str, ...] = ()  # products it names that carry the component, best statement first
    unplaced: Fact | None = None  # a product version that can be read, but nothing says what it carries
    # what the reporter says in words, where the best statement is output that the failure does not stand in
    in_words: tuple[Candidate, ...] = ()


def scope_facts(report: Report, blocks: tuple[int, ...], evidence: tuple[Span, ...]) -> tuple[Scoped, ...]:
    """The report's facts, best first: by trust, then by nearness to the evidence in these blocks."""
    lines = _lines(report, blocks, evidence)
    scoped = [
        Scoped(f, Near(0, 0) if f.source is Source.GIVEN else _near(f.span, f.block, report, blocks, lines))
        for f in report.facts
    ]
    return tuple(sorted(scoped, key=lambda s: (-TRUST[s.fact.source], s.near)))


def scope_artifacts(report: Report, blocks: tuple[int, ...], evidence: tuple[Span, ...]) -> tuple[ScopedArtifact, ...]:
    """The models that the report names, the nearest to the evidence first."""
    lines = _lines(report, blocks, evidence)
    scoped = [ScopedArtifact(a, _near(a.span, a.block, report, blocks, lines)) for a in report.artifacts]
    return tuple(sorted(scoped, key=lambda s: s.near))


def _lines(report: Report, blocks: tuple[int, ...], evidence: tuple[Span, ...]) -> tuple[Span, ...]:
    """The evidence, each span widened to the whole lines of its block."""
    wide = []
    for span in evidence:
        for index in blocks:
            post, start, _ = report.blocks[index].span
            raw = report.blocks[index].raw
            if post == span.post and start <= span.start < start + len(raw):
                first = raw.rfind("\n", 0, span.start - start) + 1
                last = raw.find("\n", max(span.end - start, 0))
                wide.append(Span(post, start + first, start + (len(raw) if last < 0 else last)))
    return tuple(wide)


def _near(
    span: Span | None, block: int | None, report: Report, blocks: tuple[int, ...], lines: tuple[Span, ...]
) -> Near:
    if span is None:
        return Near(3, _FAR)
    later = bool(lines) and span.post > max(line.post for line in lines)
    distance = min((_gap(span, line) for line in lines if line.post == span.post), default=_FAR)
    if distance == 0:
        return Near(0, 0)
    if block in blocks:
        return Near(1, distance)
    if any(report.blocks[b].span.post == span.post for b in blocks):
        return Near(2, distance)
    return Near(3, distance, later)


def _gap(a: Span, b: Span) -> int:
    return max(b.start - a.end, a.start - b.end, 0)


def read_component(
    knowledge: Knowledge,
    component: str,
    facts: tuple[Scoped, ...],
    artifacts: tuple[ScopedArtifact, ...],
    *,
    heed_later: bool = True,
) -> Reading:
    """What the report states of a component, directly or through a product that carries it.

    `heed_later`: what the reporter writes after the evidence counts as much as what stands beside it, since it may be
    what they run now.
    """
    if component.startswith(MODEL):
        return _read_model(component, facts, artifacts)
    scheme = scheme_of(knowledge, component)
    if scheme is None:
        return Reading(component)
    direct = _first_of_each([s for s in facts if s.fact.key == component])
    carrying = carrying_products(knowledge, component)
    stated = _first_of_each(_overridden([s for s in facts if s.fact.key in carrying]))
    products = tuple(dict.fromkeys(s.fact.key for s in stated))
    via, lower = _through_products(knowledge, component, stated)
    all_ = [
        Candidate(s.fact.value, t := TRUST[s.fact.source], s.near, _how(knowledge, s.fact), stated=t)
        for s in direct
        if parse(scheme, s.fact.value) is not None
    ]
    if len(direct) == _MAX_STATED:
        # a changelog rather than a statement: unless something better is said, nothing is
        last = direct[-1]
        all_.append(Candidate(None, TRUST[last.fact.source], last.near, "more versions than can be weighed"))
    all_ += via
    best = _best(all_)
    if best and best[0].trust != TRUST[Source.GIVEN]:
        best += [c for c in all_ if c not in best and _counts_as_well(c, best[0])]
        best += [c for c in all_ + lower if heed_later and c.near.later and c not in best]
    chosen = [_with_product(knowledge, c, stated) for c in _differing(knowledge, component, best)]
    against = [
        c
        for c in all_ + lower
        if c.version and _rivals(c, best[0]) and not any(same(scheme, c.version, b.version or "") for b in best)
    ]
    contradictions = tuple(f"{c.how}; {best[0].how}" for c in _differing(knowledge, component, against)[:_SHOWN])
    if any(not same(scheme, c.version or "", chosen[0].version or "") for c in chosen[1:]):
        contradictions = ("; ".join(c.how for c in chosen[:_SHOWN]), *contradictions)
    in_words = [c for c in all_ + lower if c.version and c.stated <= _IN_WORDS] if _is_loose_output(best) else []
    unplaced = None if via else next((s.fact for s in stated if _is_version(knowledge, s.fact)), None)
    named = bool(direct or products)
    return Reading(component, tuple(chosen), contradictions, named, products, unplaced, tuple(in_words))


def _is_loose_output(best: list[Candidate]) -> bool:
    """Whether the best statement was printed or pinned, but not where the failure was: it may be of another machine."""
    return bool(best) and _IN_WORDS < best[0].stated < TRUST[Source.GIVEN] and best[0].near.rank > _IN_BLOCK


def _first_of_each(stated: list[Scoped]) -> list[Scoped]:
    """Each statement once, at its most trusted and nearest place, and no more than can be weighed."""
    seen: dict[tuple[str, str, tuple[int, int]], Scoped] = {}
    for s in stated:
        seen.setdefault((s.fact.key, s.fact.value, _level(s)), s)
    return list(seen.values())[:_MAX_STATED]


def _best(candidates: list[Candidate]) -> list[Candidate]:
    """Those of the highest trust, and of these the nearest ones, nearest first."""
    if not candidates:
        return []
    trust = max(c.trust for c in candidates)
    rank = min(c.near.rank for c in candidates if c.trust == trust)
    return sorted((c for c in candidates if c.trust == trust and c.near.rank == rank), key=lambda c: c.near)


def _counts_as_well(candidate: Candidate, best: Candidate) -> bool:
    """A program's or a form's own word on the component, beside what the product's manifest says of it."""
    inferred = best.product is not None and best.trust == TRUST[Source.MANIFEST]
    direct = candidate.product is None and candidate.version is not None
    return inferred and direct and candidate.trust in (TRUST[Source.DIAGNOSTICS], TRUST[Source.FORM])


def _rivals(candidate: Candidate, best: Candidate) -> bool:
    """Whether both speak of the same run: sentences elsewhere in the thread may be about another one."""
    elsewhere = candidate.near.rank > best.near.rank
    return not (elsewhere and candidate.trust == best.trust == TRUST[Source.PROSE])


def _differing(knowledge: Knowledge, component: str, candidates: list[Candidate]) -> list[Candidate]:
    """One candidate for each version and product."""
    scheme = scheme_of(knowledge, component)
    kept: list[Candidate] = []
    for c in candidates:
        if scheme is None or not any(
            k.product == c.product and (k.version == c.version or same(scheme, k.version or "", c.version or ""))
            for k in kept
        ):
            kept.append(c)
    return kept


def _through_products(
    knowledge: Knowledge, component: str, stated: list[Scoped]
) -> tuple[list[Candidate], list[Candidate]]:
    """What the manifests of the stated product versions say: from the best statements that they know of, and from
    the lesser ones.
    """
    tried = [(s, _carried(knowledge, component, s)) for s in stated]
    level = next((_level(s) for s, made in tried if made is not None), None)
    found = [made for s, made in tried if made is not None and _level(s) == level]
    lower = [made for s, made in tried if made is not None and _level(s) != level]
    # the same product stated twice at the same level, once with unknown content: then the content is unknown
    products = {c.product for c in found}
    for s, made in tried:
        if made is None and _level(s) == level and s.fact.key in products and _is_version(knowledge, s.fact):
            how = f"{_how(knowledge, s.fact)}, of which it is not known what it carries"
            found.append(Candidate(None, TRUST[Source.MANIFEST], s.near, how, s.fact.key, s.fact.value))
    return found, lower


def _is_version(knowledge: Knowledge, fact: Fact) -> bool:
    scheme = scheme_of(knowledge, fact.key)
    return scheme is not None and parse(scheme, fact.value) is not None


def _overridden(stated: list[Scoped]) -> list[Scoped]:
    """What the caller gave for this run, if anything, in place of what the report states."""
    return [s for s in stated if s.fact.source is Source.GIVEN] or stated


def _level(s: Scoped) -> tuple[int, int]:
    return TRUST[s.fact.source], s.near.rank


def _carried(knowledge: Knowledge, component: str, s: Scoped) -> Candidate | None:
    product = s.fact.key
    inside = bundled(knowledge, product, s.fact.value, component)
    scheme = scheme_of(knowledge, component)
    if inside is None or scheme is None or parse(scheme, inside[0]) is None:
        return None
    version = releases_of(knowledge, product, s.fact.value)[0].version
    carries = f"{name_of(knowledge, product)} {version} carries {component} {inside[0]} ({inside[1]})"
    how = f"{_how(knowledge, s.fact)}; {carries}"
    trust = TRUST[Source.MANIFEST]
    return Candidate(inside[0], trust, s.near, how, product, version, TRUST[s.fact.source])


def _with_product(knowledge: Knowledge, candidate: Candidate, stated: list[Scoped]) -> Candidate:
    """A direct statement together with the product that the report names, where it names exactly one version."""
    readable = [s for s in stated if _is_version(knowledge, s.fact)]
    if candidate.product is not None or not readable:
        return candidate
    product, version = readable[0].fact.key, readable[0].fact.value
    rivals = [s.fact for s in readable if _level(s) == _level(readable[0])]
    scheme = scheme_of(knowledge, product)
    if scheme is None or any(f.key != product or not same(scheme, f.value, version) for f in rivals):
        return candidate
    rows = releases_of(knowledge, product, version)
    return candidate._replace(product=product, product_version=rows[0].version if rows else version)


def failing_models(facts: tuple[Scoped, ...], artifacts: tuple[ScopedArtifact, ...]) -> tuple[ScopedArtifact, ...]:
    """The models that fail as the evidence says: those it names itself, else the nearest ones said to fail, and any
    said to fail later on. A model that the caller gives is the only one.
    """
    given = [m for s in facts if s.fact.source is Source.GIVEN and (m := _given_model(s.fact)) is not None]
    if given:
        return tuple(
            ScopedArtifact(ArtifactRef("given", name, revision, None, ArtifactRole.FAILING, Span(0, 0, 0)), Near(0, 0))
            for name, revision in given
        )
    failing = [s for s in artifacts if s.artifact.role is ArtifactRole.FAILING]
    nearest = min((s.near.rank for s in failing), default=0)
    return tuple(s for s in failing if s.near.rank == nearest or s.near.later)


def _read_model(component: str, facts: tuple[Scoped, ...], artifacts: tuple[ScopedArtifact, ...]) -> Reading:
    """The revision of the model that fails; a model that is merely mentioned, or that works, says nothing."""
    name = component.removeprefix(MODEL).casefold()
    failing = [m for m in failing_models(facts, artifacts) if m.artifact.name.casefold() == name]
    best: dict[str, Candidate] = {}
    for m in failing:
        revision = m.artifact.revision
        if revision is not None and parse(Scheme.REVISION, revision) is not None:
            how = f"the report names {m.artifact.name}:{revision}"
            if m.artifact.kind == "given":
                how = f"revision {revision}, {_HOW[Source.GIVEN]}"
            best.setdefault(revision, Candidate(revision, TRUST[Source.LOG], m.near, how))
    if failing and not best:
        # the answer to the question for it
        for s in (s for s in facts if s.fact.key.casefold() == component.casefold()):
            how = f"revision {s.fact.value}, {_HOW[s.fact.source]}"
            best.setdefault(s.fact.value, Candidate(s.fact.value, TRUST[s.fact.source], s.near, how))
    chosen = tuple(best.values())[:_MAX_STATED]
    contradictions = ("; ".join(c.how for c in chosen[:_SHOWN]),) if len(chosen) > 1 else ()
    return Reading(component, chosen, contradictions, bool(failing))


def _given_model(fact: Fact) -> tuple[str, str | None] | None:
    """Name and revision of `--with model=NAME:3` or `--with model:NAME=3`."""
    if fact.key.casefold().startswith(MODEL):
        return fact.key[len(MODEL) :], fact.value
    if fact.key != "model":
        return None
    name, colon, revision = fact.value.rpartition(":")
    return (name, revision) if colon else (fact.value, None)


def _how(knowledge: Knowledge, fact: Fact) -> str:
    return f"{name_of(knowledge, fact.key)} {fact.value[:_SHOWN_VERSION]}, {_HOW[fact.source]}"
