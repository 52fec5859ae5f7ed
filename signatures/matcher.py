"""Which signatures a report shows, clause by clause, with the exact place of the words that show it.

Nothing is diagnosed here: a match says what was printed, not why.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.alone import is_short, stand_alone
from signatures.index import Reading, View, literal, may_be_among, may_show, signature_anchors
from signatures.linear import Found, Pattern, linear
from signatures.literals import squeezed_pattern, unanchored_pattern
from signatures.loader import Catalogue
from signatures.model import (
    BlockKind,
    Certainty,
    LogBlock,
    Match,
    Reason,
    Report,
    Role,
    Signature,
    Span,
    When,
)
from signatures.preconditions import evaluate
from signatures.seams import torn_sentences
from signatures.values import NamedTuple
from signatures.whose import Named, named_by

MAX_PER_BLOCK = 8  # distinct captures of one signature in one block
_NAMED = "the report quotes these words and does not say that they came"
_BATCH = 64 * 1024  # characters of the blocks that are looked at together


class Hit(NamedTuple):
    """Where a clause held, in raw offsets of the block, and what it captured."""

    start: int
    end: int
    captures: tuple[tuple[str, str], ...] = ()


class Refused(NamedTuple):
    """A signature whose words are all there and whose precondition the known facts contradict."""

    signature: str
    why: str


class Clause(NamedTuple):
    """One clause of a signature tried on one block."""

    name: str
    wanted: str
    held: bool
    hits: tuple[Hit, ...] = ()


def match_report(report: Report, catalogue: Catalogue) -> tuple[Match, ...]:
    """Every signature that the reporter's own words show, in the order of the blocks."""
    return search_report(report, catalogue)[0]


def search_report(report: Report, catalogue: Catalogue) -> tuple[tuple[Match, ...], tuple[Refused, ...]]:
    """What the reporter's own words show, and what they would show if a stated fact did not contradict it.

    Posts of others are not searched: what a maintainer quotes or another user saw is not this reporter's failure.
    """
    needed = tuple(zip(catalogue.signatures, catalogue.needs, strict=True))
    matches: list[Match] = []
    refused: dict[str, Refused] = {}
    for views in _batches(report):
        # most reports hold nothing of most signatures, which one look tells for many blocks
        near = [n for n, there in zip(needed, may_be_among(views.values(), catalogue.needs), strict=True) if there]
        for index, view in views.items():
            for signature, needs in near:
                if may_show(view, needs):
                    found = _try_block(signature, view, report, index)
                    matches += (m for m in found if isinstance(m, Match))
                    refused.update((r.signature, r) for r in found if isinstance(r, Refused))
    for index, torn in torn_sentences(report.blocks):
        view = View(torn)
        known = {m.signature for m in matches if m.block in (index, index + 1)}
        for signature, needs in needed:
            if signature.id not in known and may_show(view, needs) and _allowed(signature, report, index):
                found = _try_block(signature, view, report, index, torn)
                matches += (m for m in found if isinstance(m, Match))
    matches = [m for m in matches if not _refused_below(m, report, catalogue)]
    matches.sort(key=lambda m: m.block)
    shown = {m.signature for m in matches}
    return tuple(matches), tuple(r for r in refused.values() if r.signature not in shown)


def _batches(report: Report) -> Iterator[dict[int, View]]:
    """The reporter's blocks by their index, so many at once as make a long one."""
    views: dict[int, View] = {}
    size = 0
    for index, block in enumerate(report.blocks):
        if block.role is not Role.REPORTER:
            continue
        if views and size + len(block.raw) > _BATCH:
            yield views
            views, size = {}, 0
        views[index] = View(block)
        size += len(block.raw)
    if views:
        yield views


def match_block(signature: Signature, view: View, report: Report, index: int) -> Iterator[Match]:
    """The matches of one signature in one block: one for each distinct set of captures."""
    return (m for m in _try_block(signature, view, report, index) if isinstance(m, Match))


def _refused_below(match: Match, report: Report, catalogue: Catalogue) -> bool:
    """Whether a title repeats words that the body prints in full, with what rules the signature out."""
    if report.blocks[match.block].kind is not BlockKind.TITLE:
        return False
    signature = next(s for s in catalogue.signatures if s.id == match.signature)
    if not signature.none:
        return False
    bare = signature._replace(none=())
    own = (View(b) for b in report.blocks if b.role is Role.REPORTER and b.kind is not BlockKind.TITLE)
    return any(
        all(c.held for c in try_text(bare, view)) and not all(c.held for c in try_text(signature, view)) for view in own
    )


def _allowed(signature: Signature, report: Report, index: int) -> bool:
    """Whether the two blocks that a torn sentence joins hold nothing that rules the signature out."""
    wanted = [literal(text) for text in signature.none]
    return not any(View(b).has(w) for w in wanted for b in report.blocks[index : index + 2])


def _try_block(
    signature: Signature, view: View, report: Report, index: int, shown: LogBlock | None = None
) -> list[Match | Refused]:
    """`shown` is what the view shows where that is not the block at `index` itself."""
    clauses = try_text(signature, view)
    wrapped = not all(c.held for c in clauses)
    if wrapped:
        clauses = try_wrapped(clauses, view, report)
        if not all(c.held for c in clauses):
            return []
    named = _only_named(signature, shown or report.blocks[index])
    tried: list[Match | Refused] = []
    for captures, evidence in _readings(clauses, shown or report.blocks[index]):
        reasons = [Reason(c.name, True, c.wanted) for c in clauses]
        reasons += (judge(w, report, index, evidence) for w in signature.when)
        if signature.weak is not None:
            reasons.append(Reason("weak", None, signature.weak))
        if named:
            reasons.append(Reason("named", None, _NAMED))
        theirs = signature.shared is None or _is_theirs(signature, report, reasons)
        if (wrapped or not theirs) and not stand_alone(
            report, tuple(_span(shown or report.blocks[index], h) for c in clauses for h in c.hits)
        ):
            continue
        if not theirs and signature.shared is not None:
            reasons.append(Reason("shared", None, signature.shared))
        elif signature.shared is not None and report.named:
            reasons += nearness(named_by(report, index, evidence), signature.shared)
        against = [r.detail for r in reasons if r.held is False]
        if against:
            tried.append(Refused(signature.id, "; ".join(against)))
            continue
        tried.append(Match(signature.id, index, captures, _sure(signature, reasons), tuple(reasons), evidence))
    return tried


def _only_named(signature: Signature, block: LogBlock) -> bool:
    """Whether the block shows the signature in nothing but messages that its sentences only name."""
    if not block.named:
        return False
    rest = View(block._replace(dismissed=tuple(sorted((*block.dismissed, *block.named)))))
    return not all(c.held for c in try_text(signature, rest))


def _is_theirs(signature: Signature, report: Report, reasons: list[Reason]) -> bool:
    """Whether the report names a runtime that may have printed the words."""
    asked = {f"when.{w.key}" for w in signature.when if w.key == "runtime" and w.any}
    return report.named or any(r.held and r.clause in asked for r in reasons)


def nearness(named: Named, shared: str) -> Iterator[Reason]:
    """What it takes from a match that the runtime is named away from the words, or only as something that works."""
    if named is Named.ELSEWHERE:
        yield Reason("beside", None, "a runtime is named, though not beside the words")
    elif named is Named.WORKING:
        yield Reason("shared", None, shared)


def _sure(signature: Signature, reasons: list[Reason]) -> Certainty:
    """How sure a match is whose preconditions nothing contradicts."""
    undecided = {r.clause for r in reasons if r.held is None}
    unsure = not {"weak", "shared", "named"}.isdisjoint(undecided)
    if unsure or any(w.known and f"when.{w.key}" in undecided for w in signature.when):
        return Certainty.POSSIBLE
    return Certainty.LIKELY if undecided else Certainty.CERTAIN


def judge(when: When, report: Report, block: int | None, evidence: tuple[Span, ...] = ()) -> Reason:
    """A precondition on the facts nearest to a block."""
    held, detail = evaluate(when, report.facts, report, block, evidence)
    return Reason(f"when.{when.key}", held, detail)


def try_text(signature: Signature, view: View) -> list[Clause]:
    """Every text clause of a signature on one block, in the order of the file."""
    clauses = [_one(f"all[{i}]", text, view) for i, text in enumerate(signature.all)]
    if signature.any:
        tried = [_one("any", text, view) for text in signature.any]
        hits = tuple(h for c in tried for h in c.hits)
        clauses.append(Clause("any", " | ".join(signature.any), bool(hits), hits))
    for i, text in enumerate(signature.none):
        clauses.append(Clause(f"none[{i}]", text, not view.has(literal(text))))
    clauses += (_regex(f"regex[{i}]", pattern, view) for i, pattern in enumerate(signature.regex))
    return clauses


def try_wrapped(clauses: list[Clause], view: View, report: Report) -> list[Clause]:
    """The same clauses, where a report is so short that it may be one wrapped message: its regexes in any letter case,
    and anywhere in it."""
    if not all(c.held or c.name.startswith("regex") for c in clauses) or not is_short(report):
        return clauses
    return [c if c.held else _anywhere(c, view) for c in clauses]


def _anywhere(clause: Clause, view: View) -> Clause:
    pattern = linear(unanchored_pattern(clause.wanted), fold_case=True)
    hits = next((h for r in view.readings() if not r.is_squeezed and (h := _hits(pattern, r))), ())
    return clause._replace(held=bool(hits), hits=hits)


def _one(name: str, text: str, view: View) -> Clause:
    found = view.find(literal(text))
    return Clause(name, text, found is not None, (Hit(*found),) if found else ())


def _regex(name: str, pattern: str, view: View) -> Clause:
    for reading in view.readings():
        if reading.text is not view.text:
            # the plainest reading was tried; another costs a search only where it holds what the pattern requires
            needed = signature_anchors(Signature("", "", regex=(pattern,)))
            if not any(reading.find(a) for a in needed):
                continue
        hits = _hits(linear(squeezed_pattern(pattern) if reading.is_squeezed else pattern), reading)
        if hits:
            return Clause(name, pattern, True, _unbroken(hits, pattern, view))
    return Clause(name, pattern, False)


def _unbroken(hits: tuple[Hit, ...], pattern: str, view: View) -> tuple[Hit, ...]:
    """The same hits with captures that a console's line end does not cut, where it may have cut one."""
    if view.joined is None or not any(" " in value for hit in hits for _, value in hit.captures):
        return hits
    joined = _hits(linear(pattern), view.joined)
    return joined if _without_spaces(joined) == _without_spaces(hits) else hits


def _without_spaces(hits: tuple[Hit, ...]) -> list[tuple[tuple[str, str], ...]]:
    return [tuple((key, value.replace(" ", "")) for key, value in hit.captures) for hit in hits]


def _hits(pattern: Pattern, reading: Reading) -> tuple[Hit, ...]:
    hits: dict[tuple[tuple[str, str], ...], Hit] = {}
    for found in pattern.finditer(reading.text):
        captures = _captures(found)
        if captures not in hits:
            hits[captures] = Hit(*reading.back(*found.span()), captures)
        if len(hits) >= MAX_PER_BLOCK:
            break
    return tuple(hits.values())


def _captures(found: Found) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((k, v) for k, v in found.groupdict().items() if v is not None))


def _readings(clauses: list[Clause], block: LogBlock) -> Iterator[tuple[tuple[tuple[str, str], ...], tuple[Span, ...]]]:
    """Each distinct set of captures with the evidence for it.

    Where several regexes capture, the first one with more than one reading varies and the others give their first.
    """
    capturing = [c for c in clauses if c.name.startswith("regex")]
    varying = next((c for c in capturing if len(c.hits) > 1), None)
    for reading in varying.hits if varying else (None,):
        chosen: list[Hit] = []
        for c in clauses:
            if c is varying and reading is not None:
                chosen.append(reading)
            elif c.name == "any" and chosen:
                chosen.append(min(c.hits, key=lambda h: abs(h.start - chosen[0].start)))
            else:
                chosen += c.hits[:1]
        captures = dict(pair for h in chosen for pair in h.captures)
        yield tuple(sorted(captures.items())), tuple(_span(block, h) for h in chosen)


def _span(block: LogBlock, hit: Hit) -> Span:
    post, start, _ = block.span
    return Span(post, start + hit.start, start + hit.end)
