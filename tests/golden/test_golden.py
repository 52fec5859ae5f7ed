"""Whole reports and the comments they get, reviewed as text.

`TRIAGE_REWRITE=1 pytest tests/golden` writes the comments anew; the difference is then read as a maintainer would.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest

from bot.comment import MAX_VISIBLE, write_comment
from bot.input.thread_json import issue_from_json
from bot.knowledge import Known, load_known
from bot.pipeline import diagnose_issue
from bot.wording import Names
from kb.model import (
    PUBLIC,
    Diagnosis,
    FixedIn,
    FixVerdict,
    KnownProblem,
    Quote,
    ReporterVersion,
    Status,
    Verdict,
)
from signatures.model import Certainty, IssueText, Post, Report, Role, Span
from tests import threads

HERE = Path(__file__).parent
DAY = "2026-11-30"
LARGEST = 65_536  # characters of a comment at GitHub
SILENT = "No comment.\n"
SEEDS = {
    "seed-000": threads.buffer_conflict,
    "seed-001": threads.desktop_webgpu,
    "seed-003": threads.baked_memcpy,
    "seed-004": threads.graph_capture_change,
}
IDS = sorted([*SEEDS, *(p.stem for p in (HERE / "reports").glob("*.md"))])
REWRITE = bool(os.environ.get("TRIAGE_REWRITE"))


@cache
def known() -> Known:
    return load_known()


def issue(id_: str) -> IssueText:
    if id_ in SEEDS:
        read = issue_from_json(SEEDS[id_](), id_)
        assert read is not None
        return read
    title, _, body = (HERE / "reports" / f"{id_}.md").read_text(encoding="utf-8").partition("\n")
    return IssueText(
        title.removeprefix("# "), (Post(Role.REPORTER, body.strip()),), ref="owner/repo#1", about=("foundry-local-cli",)
    )


@cache
def diagnosis(id_: str) -> Diagnosis:
    return diagnose_issue(issue(id_), known())


def comment(id_: str) -> str:
    found = write_comment(diagnosis(id_), Names(known().knowledge.products))
    return f"{found.body}\n" if found is not None else SILENT


def visible(body: str) -> list[str]:
    """The lines that a reader sees before anything is unfolded."""
    before, _, folded = body.partition("\n<details")
    shown = f"{before}\n{folded.rpartition('</details>')[2]}"
    return [line for line in shown.splitlines() if line.strip() and not line.startswith("<!--")]


@pytest.mark.parametrize("id_", IDS)
def test_a_report_gets_its_reviewed_comment(id_: str) -> None:
    path = HERE / f"{id_}.md"
    if REWRITE:
        path.write_text(comment(id_), encoding="utf-8")
    assert comment(id_) == path.read_text(encoding="utf-8")


def test_every_golden_has_its_report() -> None:
    assert sorted(p.stem for p in HERE.glob("*.md")) == IDS
    assert len(IDS) >= 34


_FIXES = {
    Verdict.UPGRADE: FixVerdict(
        Verdict.UPGRADE,
        (FixedIn("component", "onnxruntime", "9.9.9", None), FixedIn("product", "foundry-local-cli", "9.9.9", DAY)),
        ReporterVersion("foundry-local-cli", "0.1.0", "onnxruntime", "1.0.0", "stated in the form"),
    ),
    Verdict.WAIT_FOR_PRODUCT: FixVerdict(
        Verdict.WAIT_FOR_PRODUCT,
        (FixedIn("component", "onnxruntime", "9.9.9", None),),
        ReporterVersion("foundry-local-cli", "0.1.0", "onnxruntime", "1.0.0", "stated in the form"),
    ),
    Verdict.VERSION_UNKNOWN: FixVerdict(
        Verdict.VERSION_UNKNOWN, (FixedIn("component", "onnxruntime", "9.9.9", None),), note="it states none"
    ),
}
_SAYS = {
    Verdict.UPGRADE: "9.9.9",
    Verdict.WAIT_FOR_PRODUCT: "no release of Foundry Local CLI carries the fix yet",
    Verdict.MERGED: "in no release yet",
    Verdict.CANDIDATE: "it is not verified",
    Verdict.VERSION_UNKNOWN: "is not known",
}
_ADVICE = ("Upgrade to ", "is the first that has it", "Download revision ")
_LOUD = ("!", "thank", "simply", "duplicate", "please", "sorry", "unfortunately", "obviously", "just ")


def told(id_: str) -> list[KnownProblem]:
    """The problems that the comment on a report names."""
    marker = comment(id_).partition("\n")[0]
    named = re.findall(r"problems=(\S+)", marker)
    return [k for k in diagnosis(id_).known if named and k.problem.id in named[0].split(",")]


def check_claims(body: str, shown: list[KnownProblem]) -> None:
    """That a comment says no more than status, certainty and verdict of its problems allow."""
    words = "\n".join(visible(body))
    confirmed = sum(k.problem.status is Status.CONFIRMED for k in shown)
    assert words.count("(confirmed)") <= confirmed
    certain = sum(k.certainty is Certainty.CERTAIN and k.problem.status is not Status.REPORTED for k in shown)
    assert words.count("matches a known problem") == certain
    reported = sum(k.problem.status is Status.REPORTED for k in shown)
    assert words.count("resembles a reported problem") == reported
    assert words.count("(reproduced, not settled)") <= sum(k.problem.status is Status.REPRODUCED for k in shown)
    assert all(k.problem.status in PUBLIC and k.certainty is not Certainty.POSSIBLE for k in shown)
    if all(k.fix.verdict is not Verdict.UPGRADE for k in shown):
        assert not any(advice in words for advice in _ADVICE)
    assert len(visible(body)) <= MAX_VISIBLE
    assert len(body) < LARGEST
    said = re.sub(r"<!--.*?-->|`[^`]*`", "", words).lower()
    assert not [word for word in _LOUD if word in said]


@pytest.mark.parametrize("id_", IDS)
def test_no_comment_claims_more_than_is_known(id_: str) -> None:
    body = comment(id_)
    assert (body == SILENT) == (not told(id_))
    check_claims(body, told(id_))


@pytest.mark.parametrize("verdict", Verdict)
def test_no_problem_claims_more_than_is_known_whatever_the_verdict(verdict: Verdict) -> None:
    fix = _FIXES.get(verdict, FixVerdict(verdict))
    empty = Report(IssueText("", (Post(Role.REPORTER, "words"),)), (), (), ())
    quote = (Quote("words", Span(0, 0, 5)),)
    spoken = 0
    for problem in known().knowledge.problems:
        for certainty in Certainty:
            shown = KnownProblem(problem, "", certainty, (), quote, fix)
            found = write_comment(
                Diagnosis(empty, (shown,), (), (), ("Which version is it?",), ()), Names(known().knowledge.products)
            )
            if found is None:
                continue
            spoken += 1
            check_claims(found.body, [shown])
            assert _SAYS.get(verdict, "") in found.body
            assert verdict is not Verdict.NOT_EXPLAINED
            assert ("Which version is it?" in found.body) == (verdict is Verdict.VERSION_UNKNOWN)
    assert spoken > 100 or verdict is Verdict.NOT_EXPLAINED or (verdict is Verdict.NONE and spoken > 50)
