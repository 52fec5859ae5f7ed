"""Whose the versions in a block are: what the line above or below output, a list, a table or a link says of them."""

from __future__ import annotations

import pytest

from bot.knowledge import load_known
from signatures.extract import read_issue
from signatures.model import IssueText, Post, Role

KNOWN = load_known(())
ERROR = "Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed."
CLI, SDK = ("foundry-local-cli", "0.10.0"), ("foundry-local-sdk", "1.2.0")
FORMS = (
    "{}\n\n```\n> foundry --version\n0.10.0\n```\n",
    "{}\n```\nFoundry Local CLI 0.10.0\nmodel loaded\n```\n",
    "{}\n\n- Foundry Local version: 0.10.0\n- OS: Windows 11\n",
    "{}\n- Foundry Local CLI 0.10.0\n- Windows 11\n",
    "{}\n\n| part | version |\n|---|---|\n| Foundry Local CLI | 0.10.0 |\n",
    "{}\n\n```\nfoundry\n```\n\n```\nFoundry Local CLI 0.10.0\n```\n",
)
OF_ANOTHER = """
This PC has no trouble:|On the notebook it starts fine:|Intact machine:|Known good:|With the release before it works:
A teammate's box (no crash):|Previous setup:|Before:|Reference:|After going back all is well:
Not seen here: never crashed:
On the other desktop, where it runs:|Unaffected:|It worked with this one. There I have:|A friend of mine runs:
Auf dem alten Rechner läuft es:|Sur mon autre PC ça fonctionne :|En la otra máquina funciona:
旧电脑上正常：|別のPCでは問題ありません：
"""
OF_HIM = """
My versions:|It crashes with:|This is installed:|Now I have:|Failing machine:|On the desktop it does not load:|Output:
Good on the notebook, but not on this machine:|It used to load, and now it stops with:|Setup (please complete it):
"""


def phrases(text: str) -> list[str]:
    return [p for line in text.strip().split("\n") for p in line.split("|")]


def stated(*posts: str | Post) -> set[tuple[str, str]]:
    made = tuple(p if isinstance(p, Post) else Post(Role.REPORTER, p) for p in posts)
    report = read_issue(IssueText("It fails", made, "microsoft/foundry-local#5"), KNOWN.vocabulary, KNOWN.names)
    return {(f.key, f.value) for f in report.facts if f.key.startswith("foundry-local")}


@pytest.mark.parametrize("lead", phrases(OF_ANOTHER))
def test_a_line_leads_to_the_versions_of_another(lead: str) -> None:
    for form in FORMS:
        assert CLI not in stated(f"It fails.\n\n```\n{ERROR}\n```\n\n{form.format(lead)}")
        assert CLI not in stated(f"It fails.\n\n```\n{ERROR}\n```\n", form.format(lead))
    assert SDK not in stated(f"It fails.\n\n```\n{ERROR}\n```\n\n{lead}\n\n```\nfoundry-local-sdk==1.2.0\n```")


@pytest.mark.parametrize("lead", phrases(OF_HIM))
def test_a_line_leads_to_the_writers_own_versions(lead: str) -> None:
    for form in FORMS[:3]:
        assert CLI in stated(f"It fails.\n\n```\n{ERROR}\n```\n\n{form.format(lead)}")
        assert CLI in stated(f"It fails.\n\n```\n{ERROR}\n```\n", form.format(lead))


@pytest.mark.parametrize(
    ("below", "own"),
    [
        ("That is the computer where all is well.", False),
        ("This is what a colleague has.", False),
        ("It works there.", False),
        ("That is the installed one.", True),
        ("This version fails at once.", True),
        ("Is it known?", True),
        ("This one runs fine:\n\n```\nready\n```", True),
    ],
)
def test_a_sentence_below_speaks_of_the_output_above_it(below: str, own: bool) -> None:
    assert (CLI in stated(f"```\n> foundry --version\n0.10.0\n```\n{below}\n")) is own


def test_words_of_success_that_lead_on_to_an_error_take_no_version() -> None:
    for lead in ("The model loads, then this comes:", "It works until I send a prompt:", "All is well at first."):
        assert CLI in stated(f"{lead}\n```\nFoundry Local CLI 0.10.0\n{ERROR}\n```\n")


def test_a_heading_a_summary_and_a_remark_lead_as_well() -> None:
    fence = "\n```\n> foundry --version\n0.10.0\n```\n"
    assert CLI not in stated(f"It fails.\n\n### A colleague's computer\n{fence}")
    assert CLI not in stated(f"It fails.\n\n<details><summary>healthy setup</summary>\n{fence}</details>")
    assert CLI in stated(f"It fails.\n\n<details><summary>setup</summary>\n{fence}</details>")
    assert CLI not in stated("It fails.\n```\n# the notebook, works\n> foundry --version\n0.10.0\n```")
    assert CLI in stated("It fails.\n```\n# the notebook\n> foundry --version\n0.10.0\n```")


def test_the_words_at_a_link_tell_whose_an_attached_log_is() -> None:
    log = Post(Role.REPORTER, "Foundry Local CLI 0.10.0\nready\n", "https://github.com/x/files/1/a.log", markdown=False)
    for words in ("It fails. The working one: [a]({})", "It fails: [b](u) and [a]({}) (no error)"):
        assert CLI not in stated(words.format(log.url), log)
    for words in ("It fails: [a]({})", "The working one: [b](u). It fails: [a]({})"):
        assert CLI in stated(words.format(log.url), log)
