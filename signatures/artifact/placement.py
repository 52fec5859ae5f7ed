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
    """`place`, `int64`, `captured`: 'gpu' or 'cpu' without options, with enableInt64, under graph capture. `capture`:
    accepted with this operator between two GPU operators. `host`: input slots read in host memory;
    `host64`: the same with INT64 kernels on, as they are under capture."""

    place: str
    int64: str
    captured: str
    capture: bool
    host: frozenset[int]
    host64: frozenset[int]


class Table(NamedTuple):
    ep: str
    runtime: str
    version: str
    adapter: str
    opsets: dict[int, dict[str, dict[str, Row]]]

    def row(self, op: str, dtype: int | None, opset: int | None) -> Row | None:
        """The row of an operator ('Add', 'Cast->i64', 'com.microsoft.FastGelu') for the type of its data input."""
        rows = self.rows(op, opset)
        return rows.get(dtype_name(dtype) or "any") or rows.get("any")

    def knows(self, op: str, opset: int | None = None) -> bool:
        return bool(self.rows(op, opset))

    def rows(self, op: str, opset: int | None = None) -> dict[str, Row]:
        """All rows of an operator by type name, at the nearest measured opset that is not above `opset`; none below the
        lowest."""
        lower = [known for known in self.opsets if opset is None or known <= opset]
        return self.opsets[max(lower)].get(op, {}) if lower else {}


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
    opsets = {
        int(opset): {op: {dtype: _row(row) for dtype, row in rows.items()} for op, rows in operators.items()}
        for opset, operators in raw["opsets"].items()
    }
    return Table(raw["ep"], raw["runtime"], raw["version"], raw["adapter"], opsets)


def _row(raw: dict[str, Any]) -> Row:
    host = frozenset(raw["host"])
    wide = frozenset(raw["host64"]) if "host64" in raw else host
    return Row(raw["place"], raw["int64"], raw["captured"], raw["capture"] == "accepted", host, wide)
