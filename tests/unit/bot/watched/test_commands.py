"""Commands in comments: where they count, and where the same words are somebody's text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.watched.commands import MAX_ARGUMENT, MAX_COMMANDS, Verb, commands, is_for_bots


@pytest.mark.parametrize(
    ("text", "verb", "argument"),
    [
        ("/triage wrong", Verb.WRONG, ""),
        ("/triage wrong the driver `32.0` was the cause", Verb.WRONG, "the driver 32.0 was the cause"),
        (
            "Thank you.\r\n/triage known baked-memcpy-duplicate-ep-name\r\n",
            Verb.KNOWN,
            "baked-memcpy-duplicate-ep-name",
        ),
        ("/triage check hf:owner/name_x_y@main", Verb.CHECK, "hf:owner/name_x_y@main"),
        ("<details>\n\n```\nlog\n```\n\n</details>\n\n/triage off", Verb.OFF, ""),
        ("<!-- <details> -->\n\n/triage off", Verb.OFF, ""),
        ("costs `$$` and $$\n\n/triage off", Verb.OFF, ""),
        ("<img src='a>b' alt=\"</details>\">\n\n/triage off", Verb.OFF, ""),
        ("a </div> too many, a Vector<int>\n/triage off", Verb.OFF, ""),
        ("- a list\n\n/triage off", Verb.OFF, ""),
        ("~~~~\n~~~\n~~~~\n/triage off", Verb.OFF, ""),
        ("/triage off\n-- \nsent from a telephone", Verb.OFF, ""),
        ("/triage Wrong: it is the driver", Verb.WRONG, "it is the driver"),
        ("/triage not a\\_problem", Verb.NOT, "a_problem"),
        ("> quoted\n\n/triage\ton", Verb.ON, ""),
        ("/Triage OFF", Verb.OFF, ""),
        ("/triage\N{NO-BREAK SPACE}off", Verb.OFF, ""),
        ("use <details> for logs\n\n/triage off", Verb.OFF, ""),
        ("a List<table> and a std::vector<code>\n\n/triage off", Verb.OFF, ""),
        ("/triage off\n\nOn Tue, 1 Dec 2026, Some Body wrote:\n\n/triage on", Verb.OFF, ""),
        ("On my machine it works, from: 1.20 on.\n\n/triage off", Verb.OFF, ""),
    ],
)
def test_a_command_is_a_line_of_running_text(text: str, verb: Verb, argument: str) -> None:
    assert commands(text) == ((verb, argument, "", ""),)


@pytest.mark.parametrize(
    ("text", "argument", "reason"),
    [
        ("/triage not some-problem, this is a driver bug", "some-problem", "this is a driver bug"),
        ("/triage known: some-problem: please look", "some-problem", "please look"),
        ("/triage known some-problem.", "some-problem", ""),
    ],
)
def test_what_stands_behind_the_id_of_a_problem_is_the_reason(text: str, argument: str, reason: str) -> None:
    (command,) = commands(text)
    assert (command.argument, command.fault, command.reason) == (argument, "", reason)


@pytest.mark.parametrize(
    "text",
    [
        "> /triage off",
        "> quoted\n/triage off",  # a quote that goes on without its mark
        "```\n/triage off\n```",
        "```\n/triage off",
        "~~~\n/triage off\n```\n/triage off",
        "`````\n```\n/triage off\n```\n/triage off\n`````",
        "- ```\n  /triage off\n  ```",
        "\t/triage off",
        "\\/triage off",
        "&#47;triage off",
        "words\n\\/triage off",
        "<details>\n/triage off\n</details>",
        "<details>\n\n/triage off\n\n</details>",
        "<details><summary>Log</summary>\n\nwords\n\n/triage off\n",
        "<DETAILS open>\n\n<div>\n\n</div>\n\n/triage off",
        "see <kbd>\n/triage off\n</kbd>",
        "<blockquote>\n\n/triage off\n\n</blockquote>",
        "> > quoted\n/triage off",
        "- item\n/triage off",
        "~~gone\n/triage off~~",
        'a "title": [a]: x\n\n[b]: x "\n/triage off\n"',
        "    /triage off",
        "`code\n/triage off\nstill code`",
        "- /triage off",
        "1. step\n\n   /triage off",
        "# /triage off",
        "| /triage off |\n|---|\n| /triage on |",
        "<!--\n/triage off\n-->",
        "<pre>\n/triage off\n</pre>",
        "[a link\n/triage off\nover lines](https://example.org)",
        "![a picture\n/triage off](https://example.org)",
        "**loud\n/triage off**",
        "we could write /triage off here",
        "/triageoff",
        "/triage\N{ZERO WIDTH SPACE}off",
        "-----Original Message-----\nFrom: somebody\n\n/triage off",
        "Thanks.\n\n________________________________\nFrom: Some Body <some@example.org>\nSent: Tuesday\n\n/triage off",
        "**Von:** Jemand\n\n/triage off",
        "On Tue, Dec 1, 2026 at 10:00 AM Some Body ***@***.***> wrote:\n\n/triage off",
        "Thanks.\nOn Tue, Dec 1, 2026, Some Body <some@example.org>\nwrote:\n/triage off",
        "Am Di., 1. Dez. 2026 um 10:00 Uhr schrieb Jemand:\n\n> ja\n\n/triage off",
        "Le mar. 1 déc. 2026 à 10:00, Quelqu'un a écrit :\n/triage off",
        "2026年12月1日(火) 10:00 <some@example.org>:\n\n/triage off",
        "use <details> here\n\n/triage off\n\n</details>",
        "x" * 70_000 + "\n/triage off",
        "<details title='</details>'>\n\n/triage off\n\n</details>",
        "<details title='\n\n</details>'>\n\n/triage off",
        "words <details title='</details>'>\n/triage off",
        "<picture>\n\n/triage off\n\n</picture>",
        "<figure>\n\n/triage off\n\n</figure>",
        "$$\n/triage off\n$$",
        "[^1]: a note\n/triage off",
        "[^1]: word\n/triage off",
        "[^1]:\n    /triage off",
    ],
)
def test_the_same_words_elsewhere_are_none(text: str) -> None:
    assert commands(text) == ()


@pytest.mark.parametrize("words", ["not reproducible", "not a bug", "known issue", "known in our driver-store"])
def test_words_that_name_no_problem_are_another_bots(words: str) -> None:
    assert commands(f"/triage {words}") == ()


@pytest.mark.parametrize(
    "word", ["", "accepted", "needs-information", "duplicate", "not-reproducible", "close", "on-hold"]
)
def test_what_is_no_word_of_ours_is_another_bots(word: str) -> None:
    assert commands(f"/triage {word}\n/triage") == ()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/triage accepted", True),
        ("/assign @somebody\n\n/priority important-soon\n", True),
        ("/triage accepted\nIt is fixed in the next release.", False),
        ("/usr/lib/libdxil.so is missing", False),
        (" \n", False),
    ],
)
def test_words_for_bots_are_told_from_words_for_people(text: str, answer: bool) -> None:
    assert is_for_bots(text) is answer


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("/triage known", "`/triage known` needs the id of a problem"),
        ("/triage check", "`/triage check` needs a model"),
        ("/triage rerun now", "`/triage rerun` takes nothing behind it"),
    ],
)
def test_what_cannot_be_carried_out_says_why(text: str, fault: str) -> None:
    (command,) = commands(text)
    assert command.fault.startswith(fault)


def test_a_flood_is_cut() -> None:
    found = commands("\n\n".join(["/triage wrong " + "x" * 500] * 100))
    assert len(found) == MAX_COMMANDS
    assert all(len(c.argument) == MAX_ARGUMENT for c in found)
    assert commands("\n".join(["/triage why", "words " * 1000])) == ()
    assert len(commands("/triage why\n\n" + "words of <b>others\n\n" * 1000 + "/triage off")) == 1


@given(st.text(alphabet="/triage of\n`>*_[]()<!-/#|\t\\~&;@details", max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert all(c.verb in Verb for c in commands(text))
