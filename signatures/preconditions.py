"""Three-valued preconditions: does what is known of the environment fulfil a [when] clause? Unknown is an answer."""

from __future__ import annotations

from signatures.model import TRUST, Fact, Report, Source, Span, When


def evaluate(
    when: When,
    facts: tuple[Fact, ...],
    report: Report | None = None,
    block: int | None = None,
    evidence: tuple[Span, ...] = (),
) -> tuple[bool | None, str]:
    """True, False or None (unknown), and the reason in words.

    Only the most trusted facts of the key count, and of those the nearest to `block` and `evidence`; where they
    contradict each other in a way that matters, the answer is None.
    """
    found = nearest([f for f in facts if f.key == when.key], report, block, evidence)
    if not found:
        return None, f"{when.key} is not stated"
    said = " and ".join(f"{f.value} ({f.source.value})" for f in found)
    held = {_holds(when, f.value) for f in found}
    if len(held) > 1:
        return None, f"{when.key} is contradictory: {said}"
    return held.pop(), f"{when.key} is {said}"


def nearest(
    facts: list[Fact], report: Report | None = None, block: int | None = None, evidence: tuple[Span, ...] = ()
) -> list[Fact]:
    """The most trusted of some facts about one key, and among those the nearest to a block and its evidence."""
    if not facts:
        return []
    trust = max(TRUST[f.source] for f in facts)
    top = [f for f in facts if TRUST[f.source] == trust]
    if report is None or block is None or trust == TRUST[Source.GIVEN]:
        return _distinct(top)
    rank = max(_nearness(f, report, block, evidence) for f in top)
    return _distinct([f for f in top if _nearness(f, report, block, evidence) == rank])


def _nearness(fact: Fact, report: Report, block: int, evidence: tuple[Span, ...]) -> int:
    """3: on a line of the evidence, 2: in its block, 1: in its post, 0: elsewhere."""
    if fact.span is None or fact.block is None or fact.span.post != report.blocks[block].span.post:
        return 0
    if fact.block != block:
        return 1
    text = report.blocks[block].raw
    origin = report.blocks[block].span.start
    for span in evidence:
        start, end = sorted((fact.span.start, span.start))
        if "\n" not in text[start - origin : end - origin]:
            return 3
    return 2


def _distinct(facts: list[Fact]) -> list[Fact]:
    return list({f.value: f for f in reversed(facts)}.values())[::-1]


def _holds(when: When, value: str) -> bool:
    value = value.casefold()
    wanted = not when.any or any(value == v.casefold() for v in when.any)
    return wanted and not any(value == v.casefold() for v in when.none)
