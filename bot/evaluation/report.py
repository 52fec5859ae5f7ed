"""A score for people: on a terminal, and as one HTML page that needs nothing else."""

from __future__ import annotations

from bot.evaluation.scoring import Result, Score, Share
from bot.rendering import templates
from bot.terminal import BOLD, DIM, GREEN, RED, YELLOW, Paper, one_line
from signatures.model import Certainty

_LONGEST = 200  # characters of one line of a report

# What each figure counts, in the order in which people ask for them.
FIGURES = (
    ("precision", "of what is claimed at likely or better, right"),
    ("recall", "of the reports with a known problem, claimed at likely or better"),
    ("top1", "of the reports with a known problem, right in the first place"),
    ("any", "of the reports with a known problem, named at any certainty"),
    ("silence", "of the reports that nothing explains, nothing false claimed"),
    ("abstention", "of all reports, nothing claimed"),
)


def percent(share: Share) -> str:
    """'97.1 %, 95 % interval 90.0 to 99.2', or 'no such case'."""
    if share.bounds is None:
        return "no such case"
    low, high = share.bounds
    return f"{100 * share.hits / share.of:.1f} %, 95 % interval {100 * low:.1f} to {100 * high:.1f}"


def counted(number: int, what: str) -> str:
    """'1 report', '2 reports'."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def write_score(page: Paper, score: Score, name: str) -> None:
    positive = sum(r.positive for r in score.results)
    page.text(f"{name}: {counted(len(score.results), 'report')}, {positive} with a known problem", BOLD)
    page.blank()
    for key, meaning in FIGURES:
        share: Share = getattr(score, key)
        page.field(key, f"{share.hits} of {share.of} ({percent(share)}): {meaning}")
    page.field(
        "certain",
        f"{counted(score.certain_false, 'false claim')} at certain",
        codes=(RED,) if score.certain_false else (),
    )
    _families(page, score)
    _wrong(page, score)
    _missed(page, [r for r in score.results if r.positive and not r.found])


def html(score: Score, name: str) -> str:
    """The page; every word of a report is escaped."""
    environment = templates()
    environment.filters["said"] = _said
    environment.filters["percent"] = percent
    environment.filters["counted"] = counted
    template = environment.get_template("scorecard.html.j2")
    missed = [r for r in score.results if r.positive and not r.found]
    wrong = [r for r in score.results if r.wrong]
    figures = [(key, meaning, getattr(score, key)) for key, meaning in FIGURES]
    return template.render(score=score, name=name, figures=figures, missed=missed, wrong=wrong)


def _families(page: Paper, score: Score) -> None:
    weak = [(name, share) for name, share in score.families if share.hits < share.of]
    whole = len(score.families) - len(weak)
    page.blank()
    page.text(f"Problems: {whole} of {len(score.families)} always found", BOLD)
    for name, share in weak:
        page.field(f"{share.hits} of {share.of}", name, column=9, codes=(YELLOW,))


def _wrong(page: Paper, score: Score) -> None:
    rows = [r for r in score.results if r.wrong]
    page.blank()
    page.text(
        "No false claim." if not rows else f"False claims in {counted(len(rows), 'report')}", GREEN if not rows else RED
    )
    for row in rows:
        page.field("report", f"{row.source} expects {row.expected}")
        for claim in row.wrong:
            codes = (RED, BOLD) if claim.certainty == Certainty.CERTAIN else (RED,)
            page.field("claimed", f"{claim.problem}, {claim.certainty}", codes=codes)
            page.field("words", _said(claim.words), codes=(DIM,))


def _missed(page: Paper, rows: list[Result]) -> None:
    if not rows:
        return
    page.blank()
    page.text(f"Missed: {len(rows)}", YELLOW)
    for row in rows:
        page.field("report", f"{row.source} expects {row.expected}")
        if row.possible or row.signatures:
            names = [f"{c.problem} (possible)" for c in row.possible] + [f"{s} (signature)" for s in row.signatures]
            page.field("seen", ", ".join(names))
        if row.nearest is None:
            page.field("nearest", "no signature shows this problem")
        else:
            page.field("nearest", f"{row.nearest.signature}, {_said(row.nearest.clause)}")
            if row.nearest.line:
                page.field("line", _said(row.nearest.line), codes=(DIM,))


def _said(text: str) -> str:
    return one_line(text, _LONGEST)
