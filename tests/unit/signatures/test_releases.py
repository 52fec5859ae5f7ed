"""Versions that a report states as its own: all of them, and none that is another's."""

from __future__ import annotations

import pytest

from bot.knowledge import load_known
from kb.questions import version_question
from signatures.extract import read_issue
from signatures.extract.releases import is_catalogue
from signatures.model import IssueText, Post, Role

KNOWN = load_known(())
CLI, SDK, GENAI, NATIVE = "foundry-local-cli", "foundry-local-sdk", "onnxruntime-genai", "litert-lm-native"
REF = "microsoft/foundry-local#5"
LOG = "\n\n```\nMicrosoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed.\n```"


def stated(body: str, *more: Post, title: str = "It fails", ref: str | None = REF) -> set[tuple[str, str]]:
    posts = (Post(Role.REPORTER, body + LOG), *more)
    report = read_issue(IssueText(title, posts, ref), KNOWN.vocabulary, KNOWN.names)
    return {(f.key, f.value) for f in report.facts if f.key in (CLI, SDK, GENAI, NATIVE)}


def cli(*versions: str) -> set[tuple[str, str]]:
    return {(CLI, v) for v in versions}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I run Foundry CLI 0.10.0. Going to 0.10.1 did not help.", cli("0.10.0", "0.10.1")),
        ("I have Foundry CLI 0.10.0. Tried 0.10.1 as well, same error.", cli("0.10.0", "0.10.1")),
        ("It fails in both Foundry CLI 0.10.0 and 0.10.3.", cli("0.10.0", "0.10.3")),
        ("Tested versions of the Foundry CLI: 0.10.0, 0.10.1, 0.10.2 - all fail.", cli("0.10.0", "0.10.1", "0.10.2")),
        ("Foundry CLI 0.10.0; even with 0.10.2 it is the same.", cli("0.10.0", "0.10.2")),
        ("I was on Foundry CLI 0.10.0, now on 0.10.2, both fail.", cli("0.10.0", "0.10.2")),
        ("I think it is Foundry CLI 0.10.0 or 0.10.1, not sure.", set()),
        ("My setup: Foundry Local CLI: 0.10.0 (also 0.10.1)", cli("0.10.0", "0.10.1")),
        ("It works on Foundry CLI 0.9.0 and fails on 0.10.0.", cli("0.10.0")),
        ("onnxruntime-genai 0.14.0 and 0.13.2 both crash", {(GENAI, "0.14.0"), (GENAI, "0.13.2")}),
        ("litert-lm-native 0.17.0-5 fails. With 0.17.0-6 the same.", {(NATIVE, "0.17.0-5"), (NATIVE, "0.17.0-6")}),
        ("litert-lm-native 0.17.0-5 fails. 0.17.0-6 works.", {(NATIVE, "0.17.0-5")}),
        ("It loaded with Foundry CLI 0.9.0. Since 0.10.0 it fails.", cli("0.10.0")),
        ("After updating Foundry CLI from 0.9.0 to 0.10.0 the model no longer loads.", cli("0.10.0")),
        ("Since I updated to Foundry CLI 0.10.0, nothing loads.", cli("0.10.0")),
        ("Supported since Foundry CLI 0.9.0, it fails for me on 0.10.0.", cli("0.10.0")),
        ("After upgrading to Foundry CLI 0.10.0 it works, 0.9.0 crashes.", cli("0.9.0")),
        ("It ran with Foundry CLI 0.9.0.", set()),
        ("I am on Foundry CLI 0.10.0, Python 3.11.0, Node 22.1.0 and CUDA 12.8.", cli("0.10.0")),
    ],
)
def test_every_version_of_the_writer_counts(text: str, expected: set[tuple[str, str]]) -> None:
    assert stated(text) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("0.10.0 and 0.10.1", cli("0.10.0", "0.10.1")),
        ("0.10.0, also tested 0.10.2", cli("0.10.0", "0.10.2")),
        ("0.10.0 - 0.10.3", cli("0.10.0", "0.10.3")),
        ("- 0.10.0\n- 0.10.2", cli("0.10.0", "0.10.2")),
        ("upgraded from 0.10.0 to 0.10.1", cli("0.10.1")),
        ("0.10.0 (worked in 0.9.0)", cli("0.10.0")),
        ("Foundry Local 0.10.0 (I also tried 0.10.1 and 0.10.3)", cli("0.10.0", "0.10.1", "0.10.3")),
        ("0.10.0 / 1.2.1", {(CLI, "0.10.0"), (SDK, "1.2.1")}),
        ("1.2.0 -> 1.2.1", {(SDK, "1.2.0"), (SDK, "1.2.1")}),
        ("1.2.0 (JS SDK), CLI 0.10.2", {(SDK, "1.2.0"), (CLI, "0.10.2")}),
        ("0.10.0\n\nIt needs onnxruntime-genai 0.14.1 or later.", cli("0.10.0")),
        ("newer than 0.10.0", set()),
        ("not 0.10.0, newer", set()),
        ("built from main after 0.10.0", set()),
        ("<0.10.1", set()),
        ("0.10.x", set()),
        ("Windows App SDK 1.2.0", set()),
        ("unknown, Python 1.2.0", set()),
    ],
)
def test_a_form_field_may_hold_several_versions_or_none(answer: str, expected: set[tuple[str, str]]) -> None:
    assert stated(f"### Foundry Local version\n\n{answer}\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        "Windows SDK 1.2.0",
        "vulkan sdk 1.2.0",
        "the OpenAI Python SDK version 1.2.0",
        ".NET SDK 10.0.100",
        "I use the azure cli 0.10.0 next to Foundry.",
        "- gh cli: 0.10.0",
        "Google GenAI 0.14.0",
        "AI Toolkit (ORT GenAI) 0.14.0",
        "- Flutter SDK: 1.2.0",
        "using the ollama cli 0.10.0",
    ],
)
def test_a_shared_word_behind_another_name_is_not_ours(text: str) -> None:
    assert stated(text) == set()


@pytest.mark.parametrize("text", ["CLI 0.10.0", "- SDK: 1.2.0"])
def test_a_shared_word_needs_a_report_that_speaks_of_the_product(text: str) -> None:
    assert stated(text, ref="someone/else#5") == set()
    assert stated(text) != set()


EP = "The specified EP cuda is not registered."
AUX = "Failed to create engine: NOT_FOUND: TF_LITE_AUX not found in the model."


def short(text: str) -> list[tuple[str, str]]:
    """The versions that a text with nothing around it states under a short name."""
    report = read_issue(IssueText("", (Post(Role.REPORTER, text),)), KNOWN.vocabulary, KNOWN.names)
    return [(f.key, f.value) for f in report.facts if f.key in (CLI, "ai-edge-gallery")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"CLI 0.10.2\n\n{EP}", [(CLI, "0.10.2")]),
        (f"It fails with CLI version 0.10.2:\n\n```\n{EP}\n```", [(CLI, "0.10.2")]),
        ("CLI 0.10.2\n\n```\nError loading model qwen3.5-9b-generic-gpu:3\n```", [(CLI, "0.10.2")]),
        (f"Gallery 1.0.11 fails:\n\n```\n{AUX}\n```", [("ai-edge-gallery", "1.0.11")]),
        (f"- Gallery: 1.0\n\n```\n{AUX}\n```", [("ai-edge-gallery", "1.0")]),
    ],
)
def test_a_short_name_counts_beside_what_only_its_product_prints(text: str, expected: list[tuple[str, str]]) -> None:
    assert short(text) == expected
    assert short(text.replace(EP, "").replace(AUX, "").replace("qwen3.5-9b-generic-gpu:3", "")) == []


@pytest.mark.parametrize(
    "text",
    [
        f"az CLI 0.10.2\n\n{EP}",
        f"It is fixed in CLI 0.10.2. Mine says:\n\n{EP}",
        f"My colleague runs CLI 0.10.2.\n\n{EP}",
        f"not CLI 0.10.2\n\n{EP}",
        f"CLI >=0.10.2\n\n{EP}",
        f"CLI 2.61.0\n\n{EP}",
        f"Photo Gallery 1.0.11\n\n{AUX}",
        f"Flutter Gallery 1.0.11\n\n{AUX}",
        f"Gallery 15.5.03\n\n{AUX}",
        f"Does it work in Gallery 1.0.11?\n\n{AUX}",
        f"Gallery <1.0.11\n\n{AUX}",
    ],
)
def test_a_short_name_of_another_or_another_version_is_not_read(text: str) -> None:
    assert short(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "There was no such error with Foundry CLI 0.10.0.",
        "With Foundry CLI 0.10.0 there was no error.",
        "It is a regression between Foundry CLI 0.10.0 and 0.10.1.",
        "My colleague runs Foundry CLI 0.10.0 without problems.",
        "It is the same as #779, which was on Foundry CLI 0.10.0.",
        "The changelog of Foundry CLI 0.10.0 says that WebGPU is supported.",
        "I followed the docs for Foundry CLI 0.10.0.",
        "Should I install Foundry CLI 0.10.0?",
        "Is Foundry CLI 0.10.0 affected?",
        "Update available: Foundry CLI 0.10.0 -> 0.10.1",
        "![Foundry CLI 0.10.0](https://example.org/x.png)",
        "```python\n# requires onnxruntime-genai==0.14.0\nimport x\n```",
        "I will try onnxruntime-genai 0.14.1 tomorrow.",
        "You suggested onnxruntime-genai 0.14.1; is that out?",
        "The README says onnxruntime-genai 0.14.1+",
        "onnxruntime-genai 0.14.1 should fix it.",
        "As a workaround `pip install onnxruntime-genai==0.13.2` works.",
        "### Workaround\n\npip install onnxruntime-genai==0.13.2",
        "Workaround:\n\n```\npip install onnxruntime-genai==0.13.2\n```",
        "Foundry CLI 0.10.0 is the last working one.",
        "I no longer use Foundry CLI 0.10.0.",
        "~~Foundry CLI 0.10.0~~",
    ],
)
def test_a_version_that_is_not_the_writers_is_not_stated(text: str) -> None:
    assert stated(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| Package | Expected | Actual |\n|---|---|---|\n| onnxruntime-genai | 0.14.1 | 0.14.0 |", (GENAI, "0.14.0")),
        ("| Foundry CLI | OS |\n|---|---|\n| 0.10.0 | Windows 11 |", (CLI, "0.10.0")),
        (
            "```\nFound existing installation: onnxruntime-genai 0.14.1\n"
            "  Successfully uninstalled onnxruntime-genai-0.14.1\n"
            "Successfully installed onnxruntime-genai-0.14.0\n```",
            (GENAI, "0.14.0"),
        ),
        (
            "```\nName           Id                     Version  Available Source\n"
            "Foundry Local  Microsoft.FoundryLocal 0.10.0   0.10.1    winget\n```",
            (CLI, "0.10.0"),
        ),
        ("**Foundry Local CLI:** 0.10.0", (CLI, "0.10.0")),
        ("I use Foundry Local 0.10.0.", (CLI, "0.10.0")),
        ("Foundry Local v1.2.0 fails.", (SDK, "1.2.0")),
        ("Foundry Local (CLI 0.10.0)", (CLI, "0.10.0")),
        ("foundry: 0.10.0", (CLI, "0.10.0")),
        ("```\nPS> foundry -v\n0.10.0\n```", (CLI, "0.10.0")),
        ("foundry --version prints 0.10.0", (CLI, "0.10.0")),
        ("```\nfoundry v0.10.0\n```", (CLI, "0.10.0")),
        ("I installed cli-preview-0.10.0.", (CLI, "0.10.0")),
        ("From https://github.com/microsoft/foundry-local/releases/tag/cli-preview-0.10.0", (CLI, "0.10.0")),
        ("I use version 0.10.0 of the Foundry CLI.", (CLI, "0.10.0")),
        ("CLI (Windows x64): 0.10.0", (CLI, "0.10.0")),
        ("foundry-local-sdk-winml 1.2.0", (SDK, "1.2.0")),
        ("Foundry Local C# SDK 1.2.0", (SDK, "1.2.0")),
        ("Python SDK version 1.2.0", (SDK, "1.2.0")),
        ("```\nMicrosoft.ML.OnnxRuntimeGenAI, Version=0.14.0.0, Culture=neutral\n```", (GENAI, "0.14.0")),
        ("```\nC:\\Users\\u\\.nuget\\packages\\microsoft.ml.onnxruntimegenai\\0.14.0\\lib\n```", (GENAI, "0.14.0")),
        ("I hit #779 with Foundry CLI 0.10.0.", (CLI, "0.10.0")),
        ("I use Foundry CLI 0.10.0, is this known?", (CLI, "0.10.0")),
        ("1. Install Foundry Local CLI 0.10.0\n2. Run it", (CLI, "0.10.0")),
    ],
)
def test_a_version_is_read_as_people_and_programs_write_it(text: str, expected: tuple[str, str]) -> None:
    assert stated(text) == {expected}


OWN_QUESTION = "Which Foundry Local CLI version do you run (`foundry --version`)?"
BOTS = f"""<!-- marker -->
This matches a known problem: **It stops**.

- **Fix**: In onnxruntime-genai 0.14.1, first carried by Foundry Local SDK 1.2.1 and Foundry Local CLI 0.10.1.

{OWN_QUESTION}

<details><summary>Evidence and reasons</summary>

- which version of it was seen?

</details>
"""


def replied(question: str, answer: str, role: Role = Role.MAINTAINER, body: str = "It fails.") -> set[tuple[str, str]]:
    return stated(body, Post(role, question), Post(Role.REPORTER, answer))


@pytest.mark.parametrize(
    "answer",
    ["0.10.0", "v0.10.0", "It's 0.10.0.", "Version 0.10.0", "Hi, it is 0.10.0, thanks", f"> {OWN_QUESTION}\n\n0.10.0"],
)
def test_a_bare_version_answers_the_question_before_it(answer: str) -> None:
    assert replied(BOTS, answer, Role.BOT) == cli("0.10.0")
    assert replied("Thanks! Could you please tell us the Foundry CLI version you are using?", answer) == cli("0.10.0")
    assert replied("Which OS is it? And what Foundry CLI version do you have installed?", answer) == cli("0.10.0")


def test_an_answer_may_stand_in_code_or_behind_other_posts() -> None:
    assert replied(BOTS, "```\n0.10.0+174be11\n```", Role.BOT) == cli("0.10.0+174be11")
    asked, me_too = Post(Role.BOT, BOTS), Post(Role.OTHER, "I have that as well.")
    assert stated("It fails.", asked, me_too, Post(Role.REPORTER, "0.10.0")) == cli("0.10.0")
    tried = Post(Role.MAINTAINER, "Try 0.9.0, please.")
    assert stated("It fails.", asked, tried, Post(Role.REPORTER, "0.9.0")) == set()


def test_an_answer_holds_when_its_question_is_gone() -> None:
    told = Post(Role.BOT, "Foundry Local CLI 0.10.1 is the first that has it.", settled=((CLI, "0.10.0"),))
    assert stated("It fails.", told, Post(Role.REPORTER, "0.10.0+174be11")) == cli("0.10.0+174be11")
    assert stated("It fails.", told, Post(Role.REPORTER, "0.10.1")) == set()


@pytest.mark.parametrize(
    "question",
    [
        "Thanks!",
        "Which version is it?",
        "In which Foundry CLI version did it work last?",
        "Which Foundry CLI version does your teammate use where all is well?",
        "Which Foundry CLI version solved it for you?",
        "Which Foundry CLI version has the fix?",
        "Which Foundry CLI version did you have before updating?",
        "Since which Foundry CLI version do you see it?",
        "Does it happen with an older Foundry CLI version?",
        "Which AI Toolkit version do you use?",
        "Which Python version do you use?",
        "Which version of the VS Code extension for Foundry Local CLI do you use?",
        "Which Foundry CLI version do you use? And which one worked?",
        "Which Foundry CLI version is on the machine where it works?",
    ],
)
def test_a_question_for_another_version_is_answered_with_another_version(question: str) -> None:
    for role in (Role.MAINTAINER, Role.OTHER, Role.BOT):
        for answer in ("0.10.0", "It's 0.10.0", f"> {question}\n\n0.10.0", "1.2.0"):
            assert replied(question, answer, role) == set()
    if "version" in question:
        assert replied(question, "0.10.0", body="It fails with Foundry Local CLI 0.10.3.") == cli("0.10.3")


@pytest.mark.parametrize("answer", ["3", "It's 3.", "revision 3", "```\n3\n```"])
def test_a_bare_number_answers_the_question_for_a_models_revision(answer: str) -> None:
    def revisions(question: str, role: Role) -> list[tuple[str, str]]:
        posts = (Post(Role.REPORTER, "It fails." + LOG), Post(role, question), Post(Role.REPORTER, answer))
        report = read_issue(IssueText("It fails", posts, REF), KNOWN.vocabulary, KNOWN.names)
        return [(f.key, f.value) for f in report.facts if f.key.startswith("model:")]

    name = "model:qwen3.5-0.8b-cuda-gpu"
    asked = version_question(KNOWN.knowledge, name, (), None)
    assert revisions(f"This matches a known problem.\n\n{asked}\n", Role.BOT) == [(name, "3")]
    assert revisions("Which revision of the model worked for you?", Role.MAINTAINER) == []
    assert revisions("How many GPUs are there?", Role.MAINTAINER) == []


@pytest.mark.parametrize("piece", ["0.10.0, ", "Foundry CLI 0.10.0 and 0.10.1, ", "CLI ", "| a | b |\n|---|---|\n"])
def test_hostile_text_is_read_in_time(piece: str) -> None:
    stated(piece * (100_000 // len(piece)))


def test_what_a_package_index_lists_is_not_installed() -> None:
    assert is_catalogue("$ pip index versions onnxruntime\n")
    assert is_catalogue("PS C:\\> winget search foundry\n")
    assert not is_catalogue("$ pip index versions onnxruntime\n1.2\n$ pip show onnxruntime\n")
    assert not is_catalogue("I searched for a release\n")
