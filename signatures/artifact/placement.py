"""Which operator and type runs where, per execution provider and runtime version: measured tables, never guesses.

A version that was not measured has no table, and an operator that was not measured has no row: callers answer UNKNOWN.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from signatures.artifact.ir import dtype_name

TABLES = os.path.join(os.path.dirname(__file__), "ep_tables")


class Row(NamedTuple):
    """`place`, `int64`, `captured`: 'gpu' or 'cpu' without options, with enableInt64, under graph capture. `host`,
    `host64`, `hostc`: input slots read in host memory in each of these modes. `slots`: how many were measured."""

    place: str
    int64: str
    captured: str
    host: frozenset[int]
    host64: frozenset[int]
    hostc: frozenset[int]
    slots: int


class Table(NamedTuple):
    """`operators`: operator -> (opset from which on they hold, rows by type), in rising order. `last`: the highest
    opset that was looked at; above it an operator may have a version without a kernel."""

    ep: str
    runtime: str
    version: str
    adapter: str
    last: int
    operators: dict[str, tuple[tuple[int, dict[str, Row]], ...]]

    def row(self, op: str, dtype: int | None, opset: int | None) -> Row | None:
        """The row of an operator ('Add', 'Cast->i64', 'com.microsoft.FastGelu') for the type of its data input."""
        rows = self.rows(op, opset)
        return rows.get(dtype_name(dtype) or "any") or rows.get("any")

    def knows(self, op: str, opset: int | None = None) -> bool:
        return bool(self.rows(op, opset))

    def rows(self, op: str, opset: int | None = None) -> dict[str, Row]:
        """All rows of an operator by type name at an opset of ai.onnx; none where that opset was not measured."""
        if opset is not None and opset > self.last and "." not in op:
            return {}
        found: dict[str, Row] = {}
        for since, rows in self.operators.get(op, ()):
            if opset is None or since <= opset:
                found = rows
        return found


_loaded: dict[str, Table | None] = {}


def load(ep: str, runtime: str, version: str) -> Table | None:
    """The table measured for exactly this runtime and version, None where there is none."""
    if not all(part and all(c.isalnum() or c in ".-_" for c in part) and ".." not in part for part in (ep, version)):
        return None
    path = os.path.join(TABLES, ep, f"{version}.json")
    if path not in _loaded:
        _loaded[path] = _read(path) if os.path.isfile(path) else None
    table = _loaded[path]
    return table if table is not None and table.runtime == runtime else None


def first(ep: str, runtimes: Iterable[tuple[str, str]]) -> Table | None:
    """The table of the first runtime that has one."""
    for runtime, version in runtimes:
        table = load(ep, runtime, version)
        if table is not None:
            return table
    return None


def measured(ep: str) -> tuple[str, ...]:
    """Versions with a table, for messages."""
    folder = os.path.join(TABLES, ep)
    if not os.path.isdir(folder):
        return ()
    return tuple(sorted(name.removesuffix(".json") for name in os.listdir(folder) if name.endswith(".json")))


def _read(path: str) -> Table:
    with open(path, encoding="utf-8") as file:
        raw = json.load(file)
    operators = {
        op: tuple(sorted(((int(since), _rows(rows)) for since, rows in versions.items()), key=lambda each: each[0]))
        for op, versions in raw["operators"].items()
    }
    return Table(raw["ep"], raw["runtime"], raw["version"], raw["adapter"], max(raw["opsets"]), operators)


def _rows(raw: dict[str, dict[str, Any]]) -> dict[str, Row]:
    """By type: the file joins types of the same row by commas."""
    return {dtype: _row(row) for dtypes, row in raw.items() for dtype in dtypes.split(",")}


def _row(raw: dict[str, Any]) -> Row:
    host = frozenset(raw["host"])
    wide = frozenset(raw["host64"]) if "host64" in raw else host
    captured = frozenset(raw["hostc"]) if "hostc" in raw else wide
    return Row(raw["place"], raw["int64"], raw["captured"], host, wide, captured, raw["slots"])
