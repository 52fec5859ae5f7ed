"""Commands in comments: where they count, and where the same words are somebody's text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.watched.commands import MAX_ARGUMENT, MAX_COMMANDS, Verb, commands


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
        ("<details>\n\n/triage off\n\n</details>", Verb.OFF, ""),
        ("> quoted\n\n/triage\ton", Verb.ON, ""),
    ],
)
def test_a_command_is_a_line_of_running_text(text: str, verb: Verb, argument: str) -> None:
    assert commands(text) == ((verb, argument, ""),)


@pytest.mark.parametrize(
    "text",
    [
        "> /triage off",
        "> quoted\n/triage off",  # a quote that goes on without its mark
        "```\n/triage off\n```",
        "```\n/triage off",
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
        "/triage\N{NO-BREAK SPACE}off",
        "x" * 70_000 + "\n/triage off",
    ],
)
def test_the_same_words_elsewhere_are_none(text: str) -> None:
    assert commands(text) == ()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("/triage", "there is no command ''"),
        ("/triage close", "there is no command 'close'; commands are rerun, why"),
        ("/triage known", "`/triage known` needs the id of a problem"),
        ("/triage check", "`/triage check` needs a model"),
        ("/triage rerun now", "`/triage rerun` takes nothing behind it"),
    ],
)
def test_what_cannot_be_carried_out_says_why(text: str, fault: str) -> None:
    (command,) = commands(text)
    assert command.fault.startswith(fault)


def test_a_flood_is_cut() -> None:
    found = commands("\n".join(["/triage wrong " + "x" * 500] * 100))
    assert len(found) == MAX_COMMANDS
    assert all(len(c.argument) == MAX_ARGUMENT for c in found)


@given(st.text(alphabet="/triage of\n`>*_[]()<!-#|\t\\~&;@", max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert all(c.verb in (*Verb, None) for c in commands(text))
