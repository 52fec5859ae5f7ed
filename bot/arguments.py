"""The parser of one command's arguments, and the options that several commands share."""

from __future__ import annotations

import argparse
from typing import NoReturn

from bot.errors import InputError
from bot.terminal import printable

HELP_WIDTH = 100


class _Layout(argparse.RawDescriptionHelpFormatter):
    """Keeps examples as they are written. A fixed width spares the import that asks the terminal for its own."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=HELP_WIDTH, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """One command's parser: no abbreviations, and an error is one sentence."""

    def __init__(self, name: str, purpose: str, examples: str) -> None:
        super().__init__(
            prog=f"triage {name}",
            description=purpose[0].upper() + purpose[1:] + ".",
            epilog=f"examples:\n{examples.rstrip()}",
            formatter_class=_Layout,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; `{self.prog} --help` shows how it is used.")


def add_input(parser: argparse.ArgumentParser) -> None:
    """TEXT, FILE or -, and --text."""
    parser.add_argument(
        "input",
        metavar="TEXT|FILE|-",
        help="an error text; or a file: a log, or an issue as JSON; or - for standard input",
    )
    parser.add_argument("--text", action="store_true", help="take the argument as text even if a file has that name")


def add_facts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--with",
        dest="given",
        type=words,
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="state a fact, such as os=windows, ep=webgpu or foundry-local-cli=0.10.0; may be repeated",
    )


def words(text: str) -> str:
    """An argument that is text and no path, for `type=`: bytes that are no UTF-8 and characters without a shape are
    shown as such."""
    return printable(text)


def folder(text: str) -> str:
    """The path of a folder, for `type=`; an empty one, such as an unset variable gives, is none."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty path is no folder")
    return text


def add_layers(
    parser: argparse.ArgumentParser,
    purpose: str = "a folder of your own signatures and problems, read on top of the built-in ones; may be repeated",
) -> None:
    parser.add_argument(
        "--catalogue", dest="layers", metavar="DIR", action="append", default=[], type=folder, help=purpose
    )


def add_json(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
