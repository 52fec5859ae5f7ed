"""From an issue's text to a diagnosis: read, recognise, know. It reads and writes nothing."""

from __future__ import annotations

from bot.knowledge import Known
from kb.alone import with_lone_line
from kb.diagnose import diagnose
from kb.model import Diagnosis, Quote
from signatures.extract import read_issue
from signatures.matcher import search_report
from signatures.model import Fact, Finding, IssueText, Stage
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
    report = read_issue(issue, known.vocabulary, known.names, given)
    in_shadow = frozenset(s.id for s in known.catalogue.signatures if s.stage is Stage.SHADOW)
    found, all_refused = search_report(report, known.catalogue)
    matches = tuple(m for m in found if m.signature not in in_shadow)
    refused = tuple(r for r in all_refused if r.signature not in in_shadow)
    # what is merely counted explains nothing: its lines stay among the unexplained
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
    findings = examine(diagnosis) if examine is not None else ()
    diagnosis = answer(findings) if findings else diagnosis
    diagnosis = with_lone_line(diagnosis, known.catalogue, known.knowledge)
    if len(found) == len(matches):
        return diagnosis
    from kb.shadow import counted

    shadow = tuple(m for m in found if m.signature in in_shadow)
    return diagnosis._replace(shadow=counted(report, shadow, known.titles, known.knowledge))
