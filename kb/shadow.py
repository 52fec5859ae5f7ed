"""What signatures in shadow recognise: kept and counted until somebody stands up for them, and never an answer."""

from __future__ import annotations

from kb.claims import claims_of
from kb.diagnose import recognised
from kb.model import CountedSignature, Knowledge
from signatures.model import Match, Report


def counted(
    report: Report, matches: tuple[Match, ...], titles: dict[str, str], knowledge: Knowledge
) -> tuple[CountedSignature, ...]:
    """`matches` are those of signatures in shadow."""
    shows: dict[str, dict[str, None]] = {}
    for at, match in enumerate(matches):
        claims = claims_of(report, at, match, knowledge)
        shows.setdefault(match.signature, {}).update((c.problem.id, None) for c in claims if c.held is not False)
    return tuple(
        CountedSignature(r.signature, r.title, tuple(shows[r.signature]), r.certainty, r.captures, r.evidence)
        for r in recognised(report, list(matches), titles)
    )
