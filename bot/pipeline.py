"""From an issue's text to a diagnosis: read, recognise, know. It reads and writes nothing."""

from __future__ import annotations

from bot.knowledge import Known
from kb.diagnose import diagnose
from kb.model import Diagnosis, Quote
from signatures.extract import read_issue
from signatures.matcher import match_report
from signatures.model import Fact, IssueText
from signatures.unexplained import error_lines


def diagnose_issue(
    issue: IssueText, known: Known, *, given: tuple[Fact, ...] = (), as_of: str | None = None
) -> Diagnosis:
    """What `issue` shows, given `known`. `given` are facts that the caller states; `as_of` an ISO date."""
    report = read_issue(issue, known.vocabulary, known.names)
    if given:
        report = report._replace(facts=(*given, *report.facts))
    matches = match_report(report, known.catalogue)
    rest = tuple(Quote(*line) for line in error_lines(report, known.catalogue, matches))
    return diagnose(report, matches, known.titles, known.knowledge, as_of=as_of, unexplained=rest)
