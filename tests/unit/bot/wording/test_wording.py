"""The sentence for each verdict, as a person reads it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.wording import Names, Plain, fix_words, short_version
from kb.model import (
    Fix,
    FixedIn,
    FixKind,
    FixState,
    FixVerdict,
    KnownProblem,
    Problem,
    Product,
    ReporterVersion,
    Verdict,
)

MakeKnown = Callable[..., KnownProblem]
MakeProblem = Callable[..., Problem]

GENAI = FixedIn("component", "onnxruntime-genai", "0.14.1", None)
CLI = FixedIn("product", "foundry-local-cli", "0.10.1", "2026-06-22")
CARRIED = ReporterVersion(
    "foundry-local-cli", "0.10.0+174be11ea7aeacd8d0d67b0ba1daebec615284b1", "onnxruntime-genai", "0.14.0"
)


@pytest.mark.parametrize(
    ("fix", "said"),
    [
        (
            FixVerdict(Verdict.UPGRADE, (GENAI, CLI), CARRIED),
            "onnxruntime-genai 0.14.1. Your Foundry Local CLI 0.10.0 carries 0.14.0; "
            "Foundry Local CLI 0.10.1 (2026-06-22) is the first that has it.",
        ),
        (
            FixVerdict(
                Verdict.UPGRADE,
                (GENAI,),
                ReporterVersion(component="onnxruntime-genai", component_version="0.14.0"),
            ),
            "Upgrade to onnxruntime-genai 0.14.1; you run 0.14.0.",
        ),
        (
            FixVerdict(
                Verdict.UPGRADE,
                (FixedIn("artifact", "qwen3.5-0.8b-cuda-gpu", "4", None),),
                ReporterVersion(component="model:qwen3.5-0.8b-cuda-gpu", component_version="3"),
            ),
            "Download revision 4 of qwen3.5-0.8b-cuda-gpu; the report uses revision 3.",
        ),
        (
            FixVerdict(Verdict.WAIT_FOR_PRODUCT, (GENAI, FixedIn("product", "sdk", "1.2.1", "2026-06-04")), CARRIED),
            "onnxruntime-genai 0.14.1. Your Foundry Local CLI 0.10.0 carries 0.14.0; "
            "no release of Foundry Local CLI carries the fix yet. sdk 1.2.1 (2026-06-04) has it.",
        ),
        (
            FixVerdict(Verdict.UPGRADE, (GENAI, FixedIn("component", "onnxruntime", "1.27.0", None)), CARRIED),
            "Upgrade to onnxruntime-genai 0.14.1 and onnxruntime 1.27.0. Your Foundry Local CLI 0.10.0 carries 0.14.0.",
        ),
        (FixVerdict(Verdict.CONFIGURE, note="Fixed in driver 32 on."), "In driver 32 on."),
        (FixVerdict(Verdict.CONFIGURE, note="Install the vendor's driver."), "Install the vendor's driver."),
        (
            FixVerdict(Verdict.CONFIGURE, (GENAI,), note="Copy the DLLs."),
            "Copy the DLLs. Included from onnxruntime-genai 0.14.1 on.",
        ),
        (FixVerdict(Verdict.NONE), "No fix is known."),
        (FixVerdict(Verdict.NONE, note="seen in 0.16"), "No fix is known: seen in 0.16."),
        (
            FixVerdict(Verdict.NOT_EXPLAINED, note="0.14.1 carries the fix"),
            "The versions in this report rule this cause out: 0.14.1 carries the fix.",
        ),
        (
            FixVerdict(Verdict.VERSION_UNKNOWN, (GENAI, CLI), note="the report states no version that can be read"),
            "In onnxruntime-genai 0.14.1, first carried by Foundry Local CLI 0.10.1 (2026-06-22). "
            "Whether this report has that is not known: the report states no version that can be read.",
        ),
        (FixVerdict(Verdict.VERSION_UNKNOWN), "Whether a fix reaches this report is not known."),
    ],
)
def test_the_words_of_a_verdict(fix: FixVerdict, said: str, known: MakeKnown, products: tuple[Product, ...]) -> None:
    assert fix_words(known(fix=fix), Names(products), Plain()) == said


def test_waiting_is_as_of_a_day(known: MakeKnown, products: tuple[Product, ...]) -> None:
    shown = known(fix=FixVerdict(Verdict.WAIT_FOR_PRODUCT, (GENAI,), CARRIED))
    assert "no release of Foundry Local CLI carries the fix by 2026-06-11." in fix_words(
        shown, Names(products), Plain(), "2026-06-11"
    )


def test_changes_that_are_needed_together_and_alternatives(
    known: MakeKnown, problem: MakeProblem, products: tuple[Product, ...]
) -> None:
    fixes = (
        Fix(FixKind.COMMIT, FixState.MERGED, ("o/a#1", "o/b#2", "o/c#3"), merged="2026-07-08"),
        Fix(FixKind.COMMIT, FixState.MERGED, ("o/d#4",), merged="2026-07-01", note="It needs a flag."),
        Fix(FixKind.COMMIT, FixState.CANDIDATE, ("o/e#5",), note="Only reviewed."),
    )
    merged = known(problem=problem(fixes=fixes), fix=FixVerdict(Verdict.MERGED))
    assert fix_words(merged, Names(products), Plain()) == (
        "Merged on 2026-07-08, in no release yet: o/a#1, o/b#2 and o/c#3 or o/d#4. It needs a flag."
    )
    candidate = known(problem=problem(fixes=fixes), fix=FixVerdict(Verdict.CANDIDATE, note="Only reviewed."))
    assert fix_words(candidate, Names(products), Plain()) == (
        "A candidate fix exists; it is not verified: o/e#5. Only reviewed."
    )


def test_nobody_is_told_to_upgrade_where_versions_are_unknown(known: MakeKnown, products: tuple[Product, ...]) -> None:
    for verdict in (Verdict.VERSION_UNKNOWN, Verdict.NONE, Verdict.NOT_EXPLAINED):
        said = fix_words(known(fix=FixVerdict(verdict, (GENAI, CLI), CARRIED)), Names(products), Plain()).lower()
        assert "upgrade" not in said
        assert "you run" not in said


@pytest.mark.parametrize(
    ("version", "short"),
    [
        ("0.10.0+174be11ea7", "0.10.0"),
        ("0.17.0-5", "0.17.0-5"),
        ("1.26.0+cu12", "1.26.0+cu12"),
        ("+1234567", "+1234567"),
    ],
)
def test_a_build_commit_is_left_out(version: str, short: str) -> None:
    assert short_version(version) == short
