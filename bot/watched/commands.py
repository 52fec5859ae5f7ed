"""Commands that people write to the bot in comments: `/triage wrong` at the start of a line.

A command stands in running text alone: not in code, a quote, a list, a table or a hidden comment, since a report may
hold anything. What it is allowed to do is decided by whoever carries it out.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

MAX_COMMANDS = 5  # in one comment
MAX_ARGUMENT = 300  # characters
_LARGEST = 65_536  # characters: GitHub's own limit of a comment
_CALL = "/triage"


class Verb(StrEnum):
    """`rerun`, `why` and `check` change nothing that a maintainer decides, so a reporter may use them as well."""

    RERUN = "rerun"
    WHY = "why"
    CHECK = "check"
    WRONG = "wrong"
    KNOWN = "known"
    NOT = "not"
    POST = "post"
    OFF = "off"
    ON = "on"


HARMLESS = frozenset({Verb.RERUN, Verb.WHY, Verb.CHECK})
_NEEDS = {
    Verb.CHECK: "a model, such as hf:owner/name@revision",
    Verb.KNOWN: "the id of a problem",
    Verb.NOT: "the id of a problem",
}
_TAKES = frozenset({*_NEEDS, Verb.WRONG})  # a reason, for `wrong`


class Command(NamedTuple):
    """One command as it was written. `fault` says in a sentence why it cannot be carried out, "" where it can."""

    verb: Verb | None
    argument: str
    fault: str = ""


def commands(text: str) -> tuple[Command, ...]:
    """The commands of a comment in order; at most MAX_COMMANDS, and none of a text longer than a comment can be."""
    if _CALL not in text or len(text) > _LARGEST:
        return ()
    found = [_command(line) for line in _lines(text) if _calls(line)]
    return tuple(found[:MAX_COMMANDS])


def _calls(line: str) -> bool:
    return line == _CALL or line.startswith((_CALL + " ", _CALL + "\t"))


def _command(line: str) -> Command:
    word, _, argument = line[len(_CALL) :].strip().partition(" ")
    argument = " ".join(argument.split())[:MAX_ARGUMENT]
    if word not in list(Verb):
        known = ", ".join(Verb)
        return Command(None, "", f"there is no command {word[:40]!r}; commands are {known}")
    verb = Verb(word)
    if verb in _NEEDS and not argument:
        return Command(verb, "", f"`{_CALL} {verb}` needs {_NEEDS[verb]}")
    if argument and verb not in _TAKES:
        return Command(verb, "", f"`{_CALL} {verb}` takes nothing behind it")
    return Command(verb, argument)


def _lines(text: str) -> list[str]:
    """The lines of a comment's own paragraphs: nothing of quotes, lists, tables, headings or HTML blocks."""
    parser = MarkdownIt("commonmark").enable("table").disable(["reference", "lheading"])
    tokens = parser.parse(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " "))
    lines: list[str] = []
    for before, token in pairwise(tokens):
        if token.type == "inline" and before.type == "paragraph_open" and before.level == 0:
            lines += _spoken(token.children or [])
    return lines


def _spoken(children: list[Token]) -> list[str]:
    """The lines of one paragraph that are plain text from their first character on: not inside code, a link or
    emphasis that began earlier."""
    lines: list[str] = []
    line: str | None = ""
    depth = 0
    for child in children:
        depth += child.nesting
        if child.type in ("softbreak", "hardbreak"):
            lines += [line] if line else []
            line = "" if depth == 0 else None
        elif child.type == "text" and line is not None:
            line += child.content
        elif child.type == "code_inline":
            line = line + child.content if line and "\n" not in child.content else None
        elif not line:
            line = None
    return [*lines, line] if line else lines
