"""How cases came out: one result per case, and the figures over all of them.

A claim is a problem named at `likely` or better, which is what a comment would be posted for. Recall is over the cases
with an expected problem, precision over the claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

from bot.commands.explain import detail_words
from bot.evaluation.cases import NONE, Case
from bot.knowledge import Known
from kb.model import Diagnosis, KnownProblem
from signatures.explain import Explanation, explain
from signatures.extract.redact import redact
from signatures.model import Certainty, Signature, Stage

_Z = 1.959963984540054  # two-sided 95 % of the normal distribution


class Claim(NamedTuple):
    problem: str
    certainty: str
    right: bool
    words: str  # of the report, redacted


class Nearest(NamedTuple):
    """Why an expected problem was not named: its signature that came closest, and the first clause that failed."""

    signature: str
    clause: str
    line: str  # of the report, redacted


class Result(NamedTuple):
    source: str
    expected: str
    silence_right: bool  # whether it is right to claim nothing
    claims: tuple[Claim, ...]  # at likely or better, best first
    possible: tuple[Claim, ...]
    signatures: tuple[str, ...]  # recognised failures without a public cause
    nearest: Nearest | None  # of a miss

    @property
    def positive(self) -> bool:
        return self.expected != NONE

    @property
    def silent(self) -> bool:
        """Whether nothing is claimed, and that is right."""
        return self.silence_right and not self.claims

    @property
    def found(self) -> bool:
        """Of a positive: whether what is claimed holds something right, or nothing is claimed and that is."""
        return self.positive and (self.silent or any(c.right for c in self.claims))

    @property
    def first(self) -> bool:
        """Of a positive: whether the best claim is right, or nothing is claimed and that is."""
        return self.positive and (self.silent or (bool(self.claims) and self.claims[0].right))

    @property
    def named(self) -> bool:
        """Of a positive: whether something right is named at any certainty, or nothing is claimed and that is right."""
        return self.positive and (self.found or any(c.right for c in self.possible))

    @property
    def wrong(self) -> tuple[Claim, ...]:
        return tuple(c for c in self.claims if not c.right)


class Share(NamedTuple):
    """`hits` of `of`, with the bounds of Wilson's score interval at 95 %."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        if not self.of:
            return None
        p, n = self.hits / self.of, self.of
        middle, spread = p + _Z**2 / (2 * n), _Z * sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
        scale = 1 + _Z**2 / n
        return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


class Score(NamedTuple):
    """`abstention`: cases that nothing is claimed of. `silence`: those that expect nothing and of which nothing is
    claimed but what is acceptable as well."""

    results: tuple[Result, ...]
    precision: Share
    recall: Share
    top1: Share
    any: Share
    abstention: Share
    silence: Share
    certain_false: int
    families: tuple[tuple[str, Share], ...]  # expected problem -> how often it was claimed
    confusion: tuple[tuple[str, str, int], ...]  # (expected, claimed instead, how often)


def result_of(case: Case, diagnosis: Diagnosis, known: Known) -> Result:
    """What one case came to."""
    claims = tuple(_claim(k, case) for k in diagnosis.known if k.certainty is not Certainty.POSSIBLE)
    possible = tuple(_claim(k, case) for k in diagnosis.known if k.certainty is Certainty.POSSIBLE)
    names = tuple(s.signature for s in diagnosis.signatures)
    result = Result(case.source, case.expected, NONE in case.accepted, claims, possible, names, None)
    if not result.positive or result.found:
        return result
    return result._replace(nearest=_nearest(case, diagnosis, known))


def score(results: Iterable[Result]) -> Score:
    """The figures over all results."""
    rows = tuple(results)
    positive = [r for r in rows if r.positive]
    negative = [r for r in rows if not r.positive]
    claims = [c for r in rows for c in r.claims]
    families: dict[str, list[Result]] = {}
    for row in positive:
        families.setdefault(row.expected, []).append(row)
    confused = Counter((r.expected, c.problem) for r in rows for c in r.wrong)
    return Score(
        rows,
        precision=Share(sum(c.right for c in claims), len(claims)),
        recall=_share(positive, [r.found for r in positive]),
        top1=_share(positive, [r.first for r in positive]),
        any=_share(positive, [r.named for r in positive]),
        abstention=_share(rows, [not r.claims for r in rows]),
        silence=_share(negative, [not r.wrong for r in negative]),
        certain_false=sum(c.certainty == Certainty.CERTAIN and not c.right for c in claims),
        families=tuple((name, _share(found, [r.found for r in found])) for name, found in sorted(families.items())),
        confusion=tuple((*pair, count) for pair, count in sorted(confused.items())),
    )


def _share(rows: Iterable[Result], held: list[bool]) -> Share:
    return Share(sum(held), len(tuple(rows)))


def _claim(known: KnownProblem, case: Case) -> Claim:
    words = " / ".join(dict.fromkeys(redact(quote.text) for quote in known.evidence[:2]))
    return Claim(known.problem.id, known.certainty.value, known.problem.id in case.accepted, words)


def _nearest(case: Case, diagnosis: Diagnosis, known: Known) -> Nearest | None:
    """Of the signatures that show an accepted problem, the one with the fewest failed clauses."""
    wanted = {s.signature for p in known.knowledge.problems if p.id in case.accepted for s in p.symptoms}
    best: tuple[int, Nearest] | None = None
    for signature in known.catalogue.signatures:
        if signature.id not in wanted:
            continue
        said = explain(diagnosis.report, signature)
        failed = [reason for reason in said.reasons if reason.held is False]
        clause = f"{failed[0].clause}: {detail_words(failed[0], signature)}" if failed else _unfailed(said, signature)
        if best is None or len(failed) < best[0]:
            best = len(failed), Nearest(signature.id, clause, redact(said.nearest or ""))
    return best[1] if best else None


def _unfailed(said: Explanation, signature: Signature) -> str:
    if said.matches and signature.stage is Stage.SHADOW:
        return "no clause failed: the signature is in shadow"
    if said.matches:
        return "no clause failed: another problem was preferred, or a condition of the symptom did not hold"
    return "no clause failed: the writer rules the words out"
