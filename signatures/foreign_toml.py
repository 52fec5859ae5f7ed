"""TOML that somebody else wrote."""

from __future__ import annotations

from signatures.linear import linear
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

MANY_PARTS = 16
_PART = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"


def load_toml(text: str) -> dict[str, Any]:
    """The data of a TOML text. Raises as tomllib does: ValueError, of which its own error is one, or RecursionError.

    A key of MANY_PARTS parts is refused: tomllib takes quadratic time for the parts of one.
    """
    import tomllib

    if linear(rf"(?:{_PART}[ \t]*\.[ \t]*){{{MANY_PARTS}}}").search(text):
        raise tomllib.TOMLDecodeError(f"a key has more than {MANY_PARTS} parts")
    return tomllib.loads(text)
