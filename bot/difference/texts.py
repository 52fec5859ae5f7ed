"""The texts that both catalogues are tried on: examples, near misses, the quiet corpus, kept reports, cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from bot.difference.sides import Side
from bot.knowledge import Known
from bot.pipeline import diagnose_issue
from kb.model import Diagnosis
from kb.records import KeptReport, SightingRecord
from signatures.extract import given_fact
from signatures.model import Fact, IssueText, Post, Role

if TYPE_CHECKING:
    from bot.evaluation.cases import Case

KINDS = ("example", "near miss", "quiet", "sighting", "case")
MOST_REPORTS = 5_000  # of the store, those that were read last


class Item(NamedTuple):
    """One text. `expected`: the problems that are right to name, of a case; `facts` are stated beside the text."""

    kind: str  # of KINDS
    name: str
    issue: IssueText
    facts: tuple[tuple[str, str], ...] = ()
    expected: tuple[str, ...] = ()


def own_items(before: Side, after: Side) -> tuple[Item, ...]:
    """What the catalogues bring themselves, each text once; named as it is called now."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], Item] = {}
    for side, gone in ((after, ""), (before, " (removed)")):
        for item in _of_side(side):
            found.setdefault((item.issue.posts[0].text, item.facts), item._replace(name=item.name + gone))
    return tuple(sorted(found.values(), key=lambda i: KINDS.index(i.kind)))


def _of_side(side: Side) -> Iterator[Item]:
    for file in side.files:
        for i, example in enumerate(file.examples):
            kind = "example" if example.match else "near miss"
            yield Item(kind, f"{file.signature.id}[{i}]", _plain(example.text), example.facts)
    for name, text in side.quiet:
        yield Item("quiet", name, _plain(text))


def _plain(text: str, title: str = "") -> IssueText:
    return IssueText(title, (Post(Role.REPORTER, text, markdown=False),))


def case_items(cases: Iterable[Case]) -> Iterator[Item]:
    for case in cases:
        yield Item("case", case.source, case.issue, expected=tuple(sorted(case.accepted)))


def sighting_items(reports: Iterable[KeptReport]) -> Iterator[Item]:
    """Kept reports: the quoted lines and those that nothing explained, with the versions that were read then. Both
    catalogues read these and no more, so that what the store left out makes no difference between them."""
    for report in reports:
        lines = [line for s in report.sightings for line in s.evidence.splitlines()]
        text = "\n".join(dict.fromkeys((*lines, *report.unexplained.splitlines())))
        if text.strip():
            facts = dict(pair for s in report.sightings for pair in _versions(s))
            yield Item("sighting", report.issue, _plain(text, report.title), tuple(facts.items()))


def _versions(s: SightingRecord) -> Iterator[tuple[str, str]]:
    for key, value in ((s.product, s.product_version), (s.component, s.component_version)):
        if key and value:
            yield key, value


def diagnosed(item: Item, known: Known) -> Diagnosis:
    return diagnose_issue(item.issue, known, given=tuple(_facts(item.facts, known)))


def _facts(pairs: Iterable[tuple[str, str]], known: Known) -> Iterator[Fact]:
    """The facts that a catalogue has words for: one that it does not know decides nothing there."""
    for key, value in pairs:
        try:
            yield given_fact(key, value, known.vocabulary, known.names)
        except ValueError:
            continue
