"""Strings and small tables as TOML, the way a person would write them: literal where escapes would hide the text.

https://toml.io/en/v1.0.0 ; only what authored files need, not a general writer.
"""

from __future__ import annotations

from collections.abc import Iterable

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def string(text: str) -> str:
    """One line: literal quotes for regexes and Windows paths, else basic ones."""
    if ("\\" in text or '"' in text) and "'" not in text and not _controls(text):
        return f"'{text}'"
    return f'"{"".join(_escaped(c) for c in text)}"'


def block(text: str) -> str:
    """Several lines, as they were printed; with escapes only where literal quotes cannot hold them."""
    body = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") + "\n"
    if "'''" not in body and not _controls(body.replace("\n", "").replace("\t", "")):
        return f"'''\n{body}'''"
    lines = ("".join(_escaped(c) for c in line) for line in body.rstrip("\n").split("\n"))
    return '"""\n' + "\n".join(lines) + '\n"""'


def strings(texts: Iterable[str]) -> str:
    """An array, one text to a line."""
    return "[\n" + "".join(f"  {string(t)},\n" for t in texts) + "]"


def inline_table(pairs: Iterable[tuple[str, str]]) -> str:
    return "{ " + ", ".join(f"{_key(k)} = {string(v)}" for k, v in pairs) + " }"


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("-", "a").replace("_", "a").isalnum()
    return key if bare else string(key)


def _controls(text: str) -> bool:
    return any(ord(c) < 32 or ord(c) == 127 for c in text)


def _escaped(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    return f"\\u{ord(c):04X}" if _controls(c) else c
