"""From an issue's text to a diagnosis: read, recognise, know. It reads and writes nothing."""

from __future__ import annotations

from bot.knowledge import Known
from kb.diagnose import diagnose
from kb.model import Diagnosis, Quote
from signatures.extract import read_issue
from signatures.matcher import search_report
from signatures.model import Fact, Finding, IssueText
from signatures.unexplained import error_lines
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def diagnose_issue(
    issue: IssueText,
    known: Known,
    *,
    given: tuple[Fact, ...] = (),
    as_of: str | None = None,
    examine: Callable[[Diagnosis], tuple[Finding, ...]] | None = None,
) -> Diagnosis:
    """What `issue` shows, given `known`. `given` are facts that the caller states; `as_of` an ISO date. `examine` is
    told the diagnosis and gives what checks of the models in it found; the answer then takes that into account."""
    report = read_issue(issue, known.vocabulary, known.names)
    if given:
        report = report._replace(facts=(*given, *report.facts))
    matches, refused = search_report(report, known.catalogue)
    rest = tuple(Quote(*line) for line in error_lines(report, known.catalogue, matches))

    def answer(findings: tuple[Finding, ...]) -> Diagnosis:
        return diagnose(
            report,
            matches,
            known.titles,
            known.knowledge,
            as_of=as_of,
            findings=findings,
            unexplained=rest,
            refused=refused,
        )

    diagnosis = answer(())
    found = examine(diagnosis) if examine is not None else ()
    return answer(found) if found else diagnosis
