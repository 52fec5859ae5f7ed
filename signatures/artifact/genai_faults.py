"""What onnxruntime-genai refuses in genai_config.json while it reads it, in the order in which it would come upon it.

GenAI judges each value as soon as it has read it (src/config.cpp), so the first fault in the file is the one that it
prints; those behind it show once that one is mended.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact.genai import GenAiConfig
from signatures.artifact.genai_json import Item
from signatures.artifact.genai_schema import ANY, Schema

SCALARS = ("string", "number", "bool", "null")
MAX_FAULTS = 50
INT32 = (-(2**31), 2**31 - 1)
INT64 = (-(2.0**63), 2.0**63)
FRACTION_LABELLED_SINCE = (0, 16)  # before, the error of a fraction lost the keys that lead to it

# What keys take that take some words alone; others that do are not judged.
WORDS = {
    "graph_optimization_level": ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"),
    "hardware_device_type": ("cpu", "gpu", "npu"),  # in any case
    "sampled_proposal": ("none", "greedy_path", "independent", "lattice"),
}


class Fault(NamedTuple):
    """`kind`: unknown-key | type | value | escape | doubtful, or a `what` of ConfigError. `section` as GenAI prints it
    ('model:vision'); `text` what GenAI says; `at` the byte it is about, `end` where GenAI's reader stands, with `line`
    and `column` as it counts them."""

    kind: str
    section: str
    key: str
    text: str
    seen: str
    at: int
    end: int
    line: int
    column: int


def faults(config: GenAiConfig, accepted: Schema) -> list[Fault]:
    """All that a version refuses, by where its reader would stop, at most MAX_FAULTS."""
    found = list(syntax(config))
    if config.root is not None:
        for number, fault in enumerate(_root(config.root, accepted)):
            if number >= MAX_FAULTS:
                break
            found.append(fault)
    return sorted(found, key=lambda fault: (fault.end, fault.kind in ("syntax", "size")))


def syntax(config: GenAiConfig) -> Iterator[Fault]:
    """What every version refuses."""
    for escape in config.escapes:
        yield Fault("escape", "", "", escape.message, "", escape.at, escape.end, escape.line, escape.column)
    error = config.error
    if error is not None:
        yield Fault(error.what, "", "", error.message.strip(), "", error.at, error.at, error.line, error.column)


def _fault(kind: str, section: str, key: str, item: Item, text: str) -> Fault:
    return Fault(kind, section, key, text, item.kind, item.at, item.end, item.line, item.column)


def _joined(*parts: str) -> str:
    return ":".join(part for part in parts if part)


def _unknown(kind: str, section: str, key: str, item: Item) -> Fault:
    text = f'Unknown value "{key}"'
    return _fault(kind, section, key, item, f"{section}: {text}" if section else text)


def _root(root: Item, accepted: Schema) -> Iterator[Fault]:
    if root.kind == "nothing":
        return
    if root.kind != "object":
        yield _unknown("type", "", "", root)
        return
    waiting: list[tuple[str, str, Item]] = [("", "", root)]
    while waiting:
        path, section, item = waiting.pop()
        below: list[tuple[str, str, Item]] = []
        members = item.members() if item.kind == "object" else (("", each) for each in item.items())
        for key, value in members:
            inner, fault = _member(accepted, path, section, key, value, item.kind)
            if fault is not None:
                yield fault
            elif value.kind in ("object", "array"):
                below.append((inner, _joined(section, key), value))
        waiting += reversed(below)


def _member(accepted: Schema, path: str, section: str, key: str, value: Item, within: str) -> tuple[str, Fault | None]:
    """The value's path in the table, and its fault."""
    inner = f"{path}/[]" if within == "array" else f"{path}/{key}" if path else key
    if value.kind == "nothing" or (not path and value.kind in SCALARS):
        return inner, None  # GenAI passes over both
    kinds = accepted.keys.get(inner)
    free = accepted.keys.get(f"{path}/{ANY}") if within == "object" else None
    if free is not None and kinds is None:
        inner, kinds = f"{path}/{ANY}", free
    if inner in accepted.doubtful:
        return inner, _fault("doubtful", section, key, value, "")
    if kinds is None and within == "array":
        return inner, None  # what such an array holds was not measured
    if kinds is None:
        return inner, _unknown("unknown-key", section, key, value)
    if value.kind in kinds:
        return inner, _value(accepted, inner, section, key, value)
    expected = next((kind for kind in SCALARS if kind in kinds), "")
    if value.kind not in SCALARS or not expected:
        return inner, _unknown("type", section, key, value)  # a container for a value, or the reverse
    label = _joined(section, key) if key else f"{section}:"
    return inner, _fault("type", section, key, value, f"{label} - Expected a {expected} but saw a {value.kind}")


def _value(accepted: Schema, path: str, section: str, key: str, item: Item) -> Fault | None:
    """A number out of its range, or a word that is none of those that the key takes."""
    label = _joined(section, key)
    if item.kind == "string":
        known = WORDS.get(key)
        word = item.string() or ""
        folded = word.lower() if key == "hardware_device_type" else word
        template = accepted.words.get(path)
        if template is None or known is None or folded in known:
            return None
        return _fault("value", section, key, item, template.replace("@", label, 1).replace("{}", word))
    if item.kind != "number" or not isinstance(item.value, float):
        return None
    refused = accepted.numbers.get(path, "").split()
    text = _integer(accepted, refused, label, key, item.value) or ""
    if not text and _out_of_bounds(refused, item.value):
        shown = str(int(item.value)) if item.value.is_integer() else f"{item.value:g}"
        text = accepted.bounds.get(path, "").replace("@", label, 1).replace("{}", shown)
    return _fault("value", section, key, item, text) if text else None


def _integer(accepted: Schema, refused: list[str], label: str, key: str, value: float) -> str | None:
    """What SafeDoubleToInt of src/config.cpp says, for keys that are read with it."""
    whole, is_int32 = "0.5" in refused, refused == ["3000000000"] or {"0.5", "3000000000"} <= set(refused)
    if not whole and not is_int32:
        return None
    low, high = INT32 if is_int32 else INT64
    bits = 32 if is_int32 else 64
    if not math.isfinite(value):
        return f"{label}:Field '{key}' cannot be converted to int{bits} (NaN or Inf)"
    if value < low or value > high:
        named = f"[{low}, {high}]" if is_int32 else f"[{-(2**63)}, {2**63 - 1}]"
        return f"{label}:Field '{key}' value {_streamed(value)} is out of int{bits} range {named}"
    if whole and not value.is_integer():
        labelled = f"{label}:" if accepted.version >= FRACTION_LABELLED_SINCE else ""
        return f"{labelled}Field '{key}' value {_streamed(value)} is not an integer"
    return None


def _streamed(value: float) -> str:
    """As a C++ stream prints a double."""
    return f"{value:g}"


def _out_of_bounds(refused: list[str], value: float) -> bool:
    """Whether the probed numbers that a key refuses say that it refuses this one."""
    if not math.isfinite(value):
        return False
    if ("0" in refused and value == 0) or ("-1" in refused and value < 0):
        return True
    if "1" in refused and value == 1:
        return True
    if "17" not in refused:
        return False
    most = 16 if "9" not in refused else 8 if "2" not in refused else 1
    return value > most
