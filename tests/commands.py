"""Commands as the real parser takes them."""

from __future__ import annotations

from importlib import import_module

from bot.arguments import Parser


def parse(where: str, command: list[str]) -> None:
    """Ends the test where `triage` with these words would end with a usage error; `where` stands in its message."""
    name, *rest = command
    module = import_module(f"bot.commands.{name}")
    parser = Parser(name, where, module.EXAMPLES)
    module.add_arguments(parser)
    parser.parse_args(rest)
