"""What the reporter writes after the report: that it is over, that it is still there, or which version it really is."""

from __future__ import annotations

import pytest

from signatures.extract import read_issue
from signatures.extract.vocabulary import load_vocabulary
from signatures.index import View
from signatures.model import IssueText, Post, ProductNames, Report, Role

VOCABULARY = load_vocabulary()
PRODUCTS = (
    ProductNames("foundry-local-cli", ("Foundry Local CLI", "Foundry CLI"), ("cli version",)),
    ProductNames("onnxruntime", ("onnxruntime",), ("onnx runtime version",)),
)
M = "Duplicate definition of name (pad_CUDAExecutionProvider)"
BODY = f"Foundry Local CLI 0.9.0 stops at once:\n\n```\n{M}\n```\n"


def read(*texts: str, title: str = "") -> Report:
    return read_issue(IssueText(title, tuple(Post(Role.REPORTER, t) for t in texts)), VOCABULARY, PRODUCTS)


def shown(report: Report) -> bool:
    return any(View(block).has(M.lower()) for block in report.blocks)


def versions(report: Report, product: str = "foundry-local-cli") -> list[str]:
    return [f.value for f in report.facts if f.key == product]


@pytest.mark.parametrize(
    "words",
    [
        "Thanks, with CLI 0.9.2 the crash is gone.",
        "It works with 0.9.2, so I am closing this.",
        "The update to 0.9.2 solved it for me.",
        "Never mind, this was solved by the newest release.",
        "That did it, many thanks!",
        "Moved to the new release, all good now.",
        "I cannot reproduce it any more with 0.9.2.",
        "Der Absturz tritt mit 0.9.2 nicht mehr auf.",
        "更新后没有再出现",
        "Seit 0.9.2 ist der Fehler verschwunden.",
        "Nach dem Update funktioniert es.",
        "Résolu avec la 0.9.2, merci.",
        "Depuis la 0.9.2 tout fonctionne.",
        "Solucionado con la 0.9.2.",
        "更新到 0.9.2 之后问题解决了",
        "0.9.2 で直りました。",
    ],
)
def test_a_later_word_ends_what_was_reported(words: str) -> None:
    assert not shown(read(BODY, words))


@pytest.mark.parametrize(
    "body",
    [
        f"**EDIT: solved by moving to 0.9.2**\n\n{BODY}",
        f"{BODY}\nEdit 2: gone since 0.9.2, it is fixed.",
        f"{BODY}\nUPDATE: resolved in 0.9.2",
        f"{BODY}\nNachtrag: mit 0.9.2 behoben.",
        f"[Solved] {BODY}",
    ],
)
def test_a_line_added_to_the_report_ends_it(body: str) -> None:
    assert not shown(read(body))


@pytest.mark.parametrize(
    "words",
    [
        "Thanks, I am going to try 0.9.2.",
        "Has this been fixed in 0.9.2?",
        "I hope that this gets fixed soon.",
        "The problem is not solved yet.",
        "It was gone for an hour and came back.",
        "Works with 0.8.4, so it is a regression.",
        "The CPU model works.",
        "The batch size is fixed.",
        "Das ist noch nicht behoben.",
        "Ce n'est pas résolu.",
        "问题还没有解决",
        "まだ解決していません。",
    ],
)
def test_hopes_questions_and_comparisons_end_nothing(words: str) -> None:
    assert shown(read(BODY, words))


def test_a_failure_that_comes_back_counts_again() -> None:
    assert shown(read(BODY, "With 0.9.2 it is fixed.", "No, it is back, still the same crash."))


def test_another_failure_after_the_first_was_solved_counts() -> None:
    assert shown(read("It hangs.", f"The hang is gone with 0.9.2, but I get this:\n\n```\n{M}\n```"))


@pytest.mark.parametrize(
    "words",
    [
        "Correction: it is Foundry Local CLI 0.9.2, not 0.9.0.",
        "Sorry, a typo: the version is 0.9.2.",
        "I meant 0.9.2.",
        "Korrektur: es ist 0.9.2.",
        "更正：版本是 0.9.2",
        "訂正：0.9.2 です。",
        "Same crash on 0.9.2.",
        "It still happens with Foundry Local CLI 0.9.2.",
        "Not fixed in 0.9.2.",
        "Mit 0.9.2 immer noch.",
        "Toujours pareil avec 0.9.2.",
        "0.9.2 还是一样",
    ],
)
def test_a_later_version_takes_the_place_of_the_first(words: str) -> None:
    report = read(BODY, words)
    assert versions(report) == ["0.9.2"]
    assert shown(report)


def test_an_added_line_corrects_the_version() -> None:
    assert versions(read(f"{BODY}\nEDIT: this is 0.9.2.")) == ["0.9.2"]


def test_a_further_version_without_such_words_stands_beside_the_first() -> None:
    assert versions(read(BODY, "I am on 0.9.2 by now.")) == ["0.9.0", "0.9.2"]


@pytest.mark.parametrize(
    "words",
    [
        "I will try 0.9.2 tomorrow.",
        "Is 0.9.2 released?",
        "By the way, this is Python 3.11.4, same machine.",
        "Still the same with driver 32.0.15.6094.",
        "It still needs numpy 1.26.4.",
    ],
)
def test_a_version_of_something_else_or_of_a_plan_changes_nothing(words: str) -> None:
    assert versions(read(BODY, words)) == ["0.9.0"]


def test_what_a_program_printed_is_not_corrected_by_words() -> None:
    body = f"```\nFoundry Local CLI 0.9.0\n{M}\n```"
    assert versions(read(body, "Same on Foundry Local CLI 0.9.2.")) == ["0.9.0", "0.9.2"]


def test_the_product_whose_version_looks_most_alike_is_meant() -> None:
    report = read(f"onnxruntime 1.22.0\n{BODY}", "Same error with 0.9.2.")
    assert versions(report) == ["0.9.2"]
    assert versions(report, "onnxruntime") == ["1.22.0"]
