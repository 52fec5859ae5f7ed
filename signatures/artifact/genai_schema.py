"""Which keys, values, model types and providers each onnxruntime-genai version accepts: a measured table.

A version that was not measured is judged by its measured neighbours where they agree, and is unknown where they do not.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import NamedTuple

TABLE = os.path.join(os.path.dirname(__file__), "genai_schema.json")
ANY = "*"

Version = tuple[int, ...]


class Schema(NamedTuple):
    """What one version accepts. `keys`: path -> kinds. `exact`: measured, not inferred from its neighbours; `doubtful`
    are paths and types on which the neighbours differ.

    `numbers`: path -> the probed numbers that it refuses, and `bounds` what it then says; `words`: what a path says to
    a word that it does not take. In both, @ stands for the keys that lead to the value and {} for the value.
    `sessions`: model type -> the sections whose files it opens, in its order. `providers`: lower-case name -> what the
    CPU package says to it, empty where it takes it."""

    version: Version
    keys: dict[str, frozenset[str]]
    types: frozenset[str]
    exact: bool
    doubtful: frozenset[str]
    numbers: dict[str, str]
    bounds: dict[str, str]
    words: dict[str, str]
    sessions: dict[str, str]
    providers: dict[str, str]


_raw: dict[str, object] = {}
_VALUES = ("numbers", "bounds", "words", "sessions", "providers")


def _load() -> dict[str, object]:
    if not _raw:
        with open(TABLE, encoding="utf-8") as file:
            _raw.update(json.load(file))
    return _raw


def versions() -> list[Version]:
    """Measured versions, oldest first."""
    return [tuple(map(int, version.split("."))) for version in _load()["versions"]]  # type: ignore[attr-defined]  # a JSON list


@lru_cache(maxsize=32)
def schema(version: Version) -> Schema | None:
    """What a version accepts, None outside the measured range."""
    known = versions()
    if version in known:
        return _at(known, known.index(version))
    below = [index for index, each in enumerate(known) if each < version]
    above = [index for index, each in enumerate(known) if each > version]
    if not below or not above:
        return None
    before, after = _at(known, below[-1]), _at(known, above[0])
    differ = {path for path in before.keys.keys() | after.keys.keys() if before.keys.get(path) != after.keys.get(path)}
    told = [dict(_shared(getattr(before, part), getattr(after, part))) for part in _VALUES]
    doubtful = frozenset(differ | (before.types ^ after.types))
    return Schema(version, before.keys | after.keys, before.types | after.types, False, doubtful, *told)


def _shared(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str]]:
    """What both say."""
    return [(name, text) for name, text in before.items() if after.get(name) == text]


def _at(known: list[Version], index: int) -> Schema:
    raw = _load()
    keys = {path: frozenset(kinds.split("|")) for path, kinds in _marked(raw, "keys", index).items()}
    types = frozenset(name for name, marks in raw["types"].items() if marks[index] == "1")  # type: ignore[attr-defined]
    return Schema(known[index], keys, types, True, frozenset(), *(_marked(raw, part, index) for part in _VALUES))


def _marked(raw: dict[str, object], part: str, index: int) -> dict[str, str]:
    """Name -> what it was found with in one version."""
    found = {}
    for name, sets in raw[part].items():  # type: ignore[attr-defined]  # a JSON object
        for what, marks in sets.items():
            if marks[index] == "1":
                found[name] = what
    return found
