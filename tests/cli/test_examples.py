"""What people are shown to type, in each command's --help and in the README, is what the program takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from bot.cli import COMMANDS
from tests.commands import parse

ROOT = Path(__file__).parents[2]
NAMES = [name for name, _ in COMMANDS]
_ENDS = (">", "|", "&&", "||")


def _commands(text: str) -> Iterator[list[str]]:
    """The arguments of each `triage` in a script; what is behind a # that stands alone is a comment."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(re.sub(r"\s#\s.*$", "", line))
        for at, word in enumerate(words):
            if (word == "triage" or word.endswith("/bin/triage")) and (
                at == 0 or words[at - 1] in _ENDS or "=" in words[at - 1]
            ):
                rest = words[at + 1 :]
                yield rest[: next((i for i, w in enumerate(rest) if w in _ENDS), len(rest))]


def _in_helps() -> Iterator[tuple[str, list[str]]]:
    for name in NAMES:
        lines = import_module(f"bot.commands.{name}").EXAMPLES.splitlines()
        for command in _commands("\n".join(line for line in lines if line.startswith("  "))):
            yield name, command


def _in_readmes() -> Iterator[tuple[str, list[str]]]:
    for file in (ROOT / "README.md", ROOT / "deploy" / "README.md"):
        for block in re.findall(r"```sh\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL):
            for command in _commands(block):
                yield file.name, command


@pytest.mark.parametrize(("where", "command"), [*_in_helps(), *_in_readmes()])
def test_it_is_taken(where: str, command: list[str]) -> None:
    parse(where, command)


def test_every_command_shows_an_example_of_itself() -> None:
    assert {name for name, command in _in_helps() if command[0] == name} == set(NAMES)


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [n for n in NAMES if not re.search(rf"`(triage )?{n}\b|triage {n}\b", text)] == []


def test_every_help_says_what_the_exit_code_means() -> None:
    assert [n for n in NAMES if "exit code: 0 " not in import_module(f"bot.commands.{n}").EXAMPLES] == []
