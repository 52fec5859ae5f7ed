"""Which keys, kinds of value and model types each onnxruntime-genai version accepts: a measured table.

A version that was not measured is judged by its measured neighbours where they agree, and is unknown where they do not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact.genai import Item

TABLE = os.path.join(os.path.dirname(__file__), "genai_schema.json")
ANY = "*"
SCALARS = ("string", "number", "bool", "null")
MAX_FAULTS = 50

Version = tuple[int, ...]


class Schema(NamedTuple):
    """What one version accepts. `keys`: path -> kinds. `exact`: measured, not inferred from its neighbours; `doubtful`
    are paths and types on which the neighbours differ."""

    keys: dict[str, frozenset[str]]
    types: frozenset[str]
    exact: bool
    doubtful: frozenset[str]


class Fault(NamedTuple):
    """`kind`: unknown-key | type | doubtful. `section` as GenAI prints it ('model:vision'), `key`, and its item."""

    kind: str
    section: str
    key: str
    item: Item
    expected: str


_raw: dict[str, object] = {}


def _load() -> dict[str, object]:
    if not _raw:
        with open(TABLE, encoding="utf-8") as file:
            _raw.update(json.load(file))
    return _raw


def versions() -> list[Version]:
    """Measured versions, oldest first."""
    return [tuple(map(int, version.split("."))) for version in _load()["versions"]]  # type: ignore[attr-defined]  # a JSON list


def schema(version: Version) -> Schema | None:
    """What a version accepts, None outside the measured range."""
    known = versions()
    if version in known:
        keys, types = _at(known.index(version))
        return Schema(keys, types, True, frozenset())
    below = [index for index, each in enumerate(known) if each < version]
    above = [index for index, each in enumerate(known) if each > version]
    if not below or not above:
        return None
    keys, types = _at(below[-1])
    later, later_types = _at(above[0])
    doubtful = {path for path in keys.keys() | later.keys() if keys.get(path) != later.get(path)} | (
        types ^ later_types
    )
    return Schema(keys | later, types | later_types, False, frozenset(doubtful))


def _at(index: int) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    raw = _load()
    keys: dict[str, frozenset[str]] = {}
    for path, sets in raw["keys"].items():  # type: ignore[attr-defined]  # a JSON object
        for kinds, marks in sets.items():
            if marks[index] == "1":
                keys[path] = frozenset(kinds.split("|"))
    types = frozenset(name for name, marks in raw["types"].items() if marks[index] == "1")  # type: ignore[attr-defined]
    return keys, types


def faults(root: Item, accepted: Schema) -> Iterator[Fault]:
    """Keys and values that a version refuses, in file order, at most MAX_FAULTS."""
    found = 0
    waiting: list[tuple[str, str, Item]] = [("", "", root)]
    while waiting and found < MAX_FAULTS:
        path, section, item = waiting.pop()
        below: list[tuple[str, str, Item]] = []
        for key, value in item.members():
            inner = f"{path}/{key}" if path else key
            fault, inner = _judge(accepted, path, inner, section, key, value)
            if fault is not None:
                found += 1
                yield fault
                continue
            label = f"{section}:{key}" if section else key
            if value.kind == "object":
                below.append((inner, label, value))
            elif value.kind == "array":
                below += [(f"{inner}/[]", label, each) for each in value.items() if each.kind == "object"]
                odd = _odd_element(accepted, inner, label, value)
                if odd is not None:
                    found += 1
                    yield odd
        waiting += reversed(below)


def _odd_element(accepted: Schema, path: str, label: str, array: Item) -> Fault | None:
    """The first scalar of an array that is of another kind than the array holds."""
    holds = accepted.keys.get(f"{path}/[]")
    if not holds or holds.isdisjoint(("number", "string")) or f"{path}/[]" in accepted.doubtful:
        return None
    for each in array.items():
        if each.kind in SCALARS and each.kind not in holds:
            return Fault("type", label, "", each, min(holds))
    return None


def _judge(accepted: Schema, path: str, inner: str, section: str, key: str, value: Item) -> tuple[Fault | None, str]:
    kinds = accepted.keys.get(inner)
    if kinds is None or (value.kind not in kinds and f"{path}/{ANY}" in accepted.keys):
        free = accepted.keys.get(f"{path}/{ANY}")
        if free is not None:
            inner, kinds = f"{path}/{ANY}", (kinds or frozenset()) | free
    if not path and value.kind in SCALARS:
        return None, inner  # scalars at the top are passed over
    if inner in accepted.doubtful:
        return Fault("doubtful", section, key, value, ""), inner
    if kinds is None:
        return Fault("unknown-key", section, key, value, ""), inner
    if value.kind in kinds:
        return None, inner
    expected = next((kind for kind in SCALARS if kind in kinds), "")
    if value.kind not in SCALARS:
        expected = ""  # a container where a value belongs: GenAI calls the key unknown
    return Fault("type", section, key, value, expected), inner
