"""Small edits of authored TOML that leave every other byte alone: comments, order, alignment.

Works on lines, and believes no result that does not parse to what the edit means; such a file is not edited.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable

from signatures.linear import linear
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_HEADER = r"^\s*\[{1,2}\s*([\w.-]+)\s*\]{1,2}\s*(?:#.*)?$"
_VALUE = r"""^(\s*[\w-]+\s*=\s*)("[^"\\]*"|'[^']*'|[0-9T:Z.+-]+|true|false)(\s*(?:#.*)?)$"""


class NotEdited(Exception):
    """A file whose lines are not what such an edit needs."""


def set_in(text: str, table: str, index: int, key: str, literal: str) -> str:
    """`key = literal` in the table [[table]] number `index`, in place of what it says or as its last line.

    `literal` is TOML. Raises NotEdited.
    """
    lines = text.split("\n")
    start, end = _block(lines, table, index)
    at = next((i for i in range(start + 1, end) if _key(lines[i]) == key), None)
    if at is not None:
        found = linear(_VALUE).match(lines[at])
        if not found:
            raise NotEdited(f"line {at + 1}: {key} is no value of one line")
        lines[at] = f"{found.group(1)}{literal}{found.group(3)}"
    else:
        own = [i for i in range(start + 1, end) if _key(lines[i])]
        width = max((lines[i].index("=") for i in own), default=len(key) + 1)
        lines.insert((own[-1] if own else start) + 1, f"{key.ljust(width - 1)} = {literal}")

    def meant(data: dict[str, Any]) -> None:
        data[table][index][key] = tomllib.loads(f"v = {literal}")["v"]

    return _checked(text, "\n".join(lines), meant)


def replace_key(text: str, old: str, key: str, literal: str) -> str:
    """`key = literal` above all tables, in place of the lines of `old` and `key`, or as the last line there. Raises
    NotEdited."""
    lines = text.split("\n")
    end = next((i for i, line in enumerate(lines) if linear(_HEADER).match(line)), len(lines))
    own = [i for i in range(end) if _key(lines[i])]
    width = max((lines[i].index("=") for i in own), default=len(key) + 1)
    line = f"{key.ljust(width - 1)} = {literal}"
    at = next((i for i in own if _key(lines[i]) == old), None)
    if at is not None:
        lines[at] = line
        lines = [text for i, text in enumerate(lines) if i == at or i not in own or _key(text) != key]
    else:
        said = [i for i in range(end) if lines[i].strip() and not lines[i].lstrip().startswith("#")]
        lines.insert((said[-1] if said else -1) + 1, line)

    def meant(data: dict[str, Any]) -> None:
        data.pop(old, None)
        data[key] = tomllib.loads(f"v = {literal}")["v"]

    return _checked(text, "\n".join(lines), meant)


def replace_table(text: str, table: str, index: int, block: str) -> str:
    """The table [[table]] number `index` gone, and `block`, the text of others, in its place. Raises NotEdited."""
    lines = text.split("\n")
    start, end = _block(lines, table, index)
    while end > start and not lines[end - 1].strip():
        end -= 1
    lines[start:end] = block.rstrip("\n").split("\n")
    return _checked(text, "\n".join(lines), lambda data: _swap(data, table, index, block))


def append_tables(text: str, block: str) -> str:
    """`block`, the text of tables, at the end. Raises NotEdited."""
    made = f"{text.rstrip()}\n\n{block.rstrip()}\n"
    return _checked(text, made, lambda data: _add(data, tomllib.loads(block)))


def _swap(data: dict[str, Any], table: str, index: int, block: str) -> None:
    del data[table][index]
    if not data[table]:
        del data[table]
    _add(data, tomllib.loads(block))


def _add(data: dict[str, Any], more: dict[str, Any]) -> None:
    for name, rows in more.items():
        if not isinstance(rows, list):
            raise NotEdited(f"{name} is no [[{name}]]")
        data.setdefault(name, []).extend(rows)


def _block(lines: list[str], table: str, index: int) -> tuple[int, int]:
    """The lines of one table: from its header to the one after it that is none of its own."""
    heads = [(i, found.group(1)) for i, line in enumerate(lines) if (found := linear(_HEADER).match(line))]
    mine = [i for i, name in heads if name == table]
    if index >= len(mine):
        raise NotEdited(f"there is no [[{table}]] number {index + 1}")
    start = mine[index]
    end = next((i for i, _ in heads if i > start), len(lines))
    return start, end


def _key(line: str) -> str:
    name, equals, _ = line.partition("=")
    return name.strip() if equals and not name.lstrip().startswith("#") else ""


def _checked(old: str, new: str, meant: Callable[[dict[str, Any]], None]) -> str:
    """`new`, where it parses to what `old` does with the edit made. Where rows stand among others makes no difference
    to a swap."""
    try:
        wanted, found = tomllib.loads(old), tomllib.loads(new)
        meant(wanted)
    except (tomllib.TOMLDecodeError, KeyError, IndexError, TypeError) as e:
        raise NotEdited(f"the edit would break the file: {e}") from None
    if _unordered(wanted) != _unordered(found):
        raise NotEdited("the edit would change more than it means")
    return new


def _unordered(data: dict[str, Any]) -> dict[str, Any]:
    return {k: sorted(map(repr, v)) if isinstance(v, list) else v for k, v in data.items()}
