"""What checks said of one artifact, for a person at a terminal: gravest first, what is clean and what it cost last.

Names inside an artifact are a stranger's: everything goes through terminal.Paper, which lets no control character out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bot.artifacts.checked import Checked
from bot.artifacts.repairing import Repaired
from bot.artifacts.reported_models import Looked
from bot.terminal import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Paper, one_line
from signatures.checks import REGISTRY
from signatures.checks.model import SEVERITY_ORDER, CheckResult, Hit, Severity
from signatures.extract.redact import redact
from signatures.model import Outcome

_SHADE = {Severity.FATAL: RED, Severity.PROBABLE: YELLOW, Severity.INFO: CYAN}
_PLACES = 5  # of one finding that are listed
_LINE = 300  # characters of one text
_COLUMN = 10
_CHANGES = 20  # of one file that are listed


class _Row(NamedTuple):
    """Hits of one check that say the same, at one or many places."""

    check: str
    hit: Hit
    places: tuple[str, ...]


def write_artifact(paper: Paper, checked: Checked) -> None:
    titles = {check.id: check.title for check in REGISTRY}
    at = f" at {checked.revision[:12]}" if checked.revision else ""
    paper.text(f"{one_line(checked.ref)}{at}", BOLD)
    for row in _rows(checked.results):
        _row(paper, row, titles.get(row.check, ""))
    _undecided(paper, checked.results)
    paper.blank()
    clean = [result.check for result in checked.results if result.outcome is Outcome.CLEAN]
    if clean:
        paper.field("Clean", ", ".join(clean), column=_COLUMN, codes=(GREEN,))
    if checked.packages:
        folders = ", ".join(one_line(folder or ".", 60) for folder in checked.packages)
        why = "several packages are in here, and one of them was checked as such; name a folder to check another"
        paper.field("Note", f"{why}: {folders}", column=_COLUMN)
    paper.field("Summary", summary(checked), column=_COLUMN)


def write_repaired(paper: Paper, repaired: Repaired) -> None:
    """Each change as a diff, then what is left to say of the repaired copy."""
    files = dict.fromkeys(edit.file for edit in repaired.edits)
    for file in files:
        paper.text(one_line(file), BOLD)
        own = [edit for edit in repaired.edits if edit.file == file]
        for edit in own[:_CHANGES]:
            where = f"   ({one_line(edit.where, 120)})" if edit.where else ""
            paper.text(f"- {one_line(edit.before, _LINE)}{where}", RED, indent=2)
            paper.text(f"+ {one_line(edit.after, _LINE)}", GREEN, indent=2)
        if len(own) > _CHANGES:
            paper.text(f"and {len(own) - _CHANGES} more changes; --json lists all", DIM, indent=2)
    paper.blank()
    count = len(repaired.edits)
    changes = f"{count} change{'' if count == 1 else 's'} in {len(files)} file{'' if len(files) == 1 else 's'}"
    paper.field("Written", f"{one_line(repaired.out)}, {changes}", column=_COLUMN)
    if repaired.beside:
        names = ", ".join(one_line(name, 120) for name in repaired.beside)
        paper.field("Beside it", f"{names} must stand where it stands beside the original", column=_COLUMN)
    for row in _rows(repaired.checked.results):
        _row(paper, row, "still found in the copy")
    paper.blank()
    paper.field("Summary", summary(repaired.checked), column=_COLUMN)


def write_looked(paper: Paper, looked: Iterable[Looked]) -> None:
    """The models of a report, each with what was found in it in a line, or why it was not checked."""
    for one in looked:
        ref = one_line(redact(one.ref), 120)
        if one.checked is None:
            paper.field("Not checked", f"{ref}: {one_line(redact(one.why or ''), _LINE)}", indent=0)
            continue
        at = f" at {one.checked.revision[:12]}" if one.checked.revision else ""
        paper.field("Model checked", f"{ref}{at}: {summary(one.checked)}", indent=0)
        rows = _rows(one.checked.results)
        for row in rows[:_PLACES]:
            where = row.places[0] + (f" and {len(row.places) - 1} more" if len(row.places) > 1 else "")
            text = f"{row.hit.severity.value}, {row.check}: {row.hit.detail} ({where})"
            paper.field("", one_line(redact(text), _LINE), indent=0, codes=(_SHADE[row.hit.severity],))
        if len(rows) > _PLACES:
            paper.field("", "`triage artifact` on it shows the rest", indent=0)
        for why in dict.fromkeys(u.why for result in one.checked.results for u in result.unknown):
            paper.field("", f"unknown: {one_line(redact(why), _LINE)}", indent=0)
            break  # `triage artifact` tells them all
        if one.why is not None:
            paper.field("", one_line(redact(one.why), _LINE), indent=0)


def summary(checked: Checked) -> str:
    """One line: how many checks, what they found, what it cost."""
    results = checked.results
    if not results:
        return f"nothing in it is of a kind that is checked; {cost(checked)}"
    found = {s: sum(hit.severity is s for result in results for hit in result.hits) for s in SEVERITY_ORDER}
    said = [f"{count} {severity.value}" for severity, count in found.items() if count]
    for outcome in (Outcome.UNKNOWN, Outcome.FAILED, Outcome.CLEAN):
        count = sum(result.outcome is outcome for result in results)
        if count:
            said.append(f"{count} {outcome.value}")
    return f"{len(results)} check{'' if len(results) == 1 else 's'}: {', '.join(said)}; {cost(checked)}"


def cost(checked: Checked) -> str:
    """What reading it took."""
    if not checked.remote:
        return f"{size(checked.bytes_read)} read"
    return f"{size(checked.bytes_read)} in {checked.requests} request{'' if checked.requests == 1 else 's'}"


def size(count: int) -> str:
    """A number of bytes in decimal units."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"


def _rows(results: Iterable[CheckResult]) -> list[_Row]:
    """Findings by severity, in the order of the checks; places of the same finding together."""
    rows: dict[tuple[object, ...], list[Hit]] = {}
    for result in results:
        for hit in result.hits:
            key = (result.check, hit.severity, hit.remedy, hit.detail if len(result.hits) <= _PLACES else "")
            rows.setdefault(key, []).append(hit)
    made = [_Row(str(key[0]), hits[0], tuple(_places(hits))) for key, hits in rows.items()]
    return sorted(made, key=lambda row: SEVERITY_ORDER.index(row.hit.severity))


def _places(hits: list[Hit]) -> Iterator[str]:
    yield from dict.fromkeys(one_line(str(hit.where), _LINE) for hit in hits)


def _row(paper: Paper, row: _Row, title: str) -> None:
    hit = row.hit
    paper.blank()
    paper.field(hit.severity.value, f"{row.check}: {title}", column=_COLUMN, codes=(BOLD, _SHADE[hit.severity]))
    for i, place in enumerate(row.places[:_PLACES]):
        paper.field("" if i else "  where", place, column=_COLUMN)
    rest = len(row.places) - _PLACES
    if rest > 0:
        paper.field("", f"and {rest} more", column=_COLUMN, codes=(DIM,))
    paper.field("  why", one_line(hit.detail, _LINE), column=_COLUMN)
    if hit.predicted_text:
        paper.field("  prints", f'"{one_line(hit.predicted_text, _LINE)}"', column=_COLUMN)
    if hit.remedy:
        paper.field("  remedy", one_line(hit.remedy, _LINE), column=_COLUMN)


def _undecided(paper: Paper, results: Iterable[CheckResult]) -> None:
    """Why checks could not tell, each reason once, with the checks that gave it."""
    reasons: dict[str, list[str]] = {}
    for result in results:
        for unknown in result.unknown:
            reasons.setdefault(one_line(unknown.why, _LINE), []).append(result.check)
        if result.outcome is Outcome.FAILED:
            reasons.setdefault(f"the check itself failed: {one_line(result.error or '', _LINE)}", []).append(
                result.check
            )
    if reasons:
        paper.blank()
    for i, (why, checks) in enumerate(list(reasons.items())[: 2 * _PLACES]):
        paper.field("" if i else "unknown", f"{', '.join(dict.fromkeys(checks))}: {why}", column=_COLUMN)
    rest = len(reasons) - 2 * _PLACES
    if rest > 0:
        paper.field("", f"and {rest} more reasons", column=_COLUMN, codes=(DIM,))
