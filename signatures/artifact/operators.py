"""What each ONNX Runtime build knows of operators: their schemas, its CPU kernels, the operator sets it reads.

Measured by deploy/probe_operators.py, kept as what changed between builds. Needs the standard library alone.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, NamedTuple

FOLDER = os.path.join(os.path.dirname(__file__), "ep_tables", "cpu")
PATH = os.path.join(FOLDER, "operators.json")
MANY = 2**31 - 1
CAST_UP = "f16"  # nodes of this type run as f32 where the CPU has no kernel of their own

SHORT = {
    "float": "f32", "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "int32": "i32", "int64": "i64",
    "float16": "f16", "double": "f64", "uint32": "u32", "uint64": "u64", "complex64": "c64", "complex128": "c128",
    "bfloat16": "bf16", "float8e4m3fn": "f8e4m3fn", "float8e4m3fnuz": "f8e4m3fnuz", "float8e5m2": "f8e5m2",
    "float8e5m2fnuz": "f8e5m2fnuz", "uint4": "u4", "int4": "i4", "float4e2m1": "f4e2m1", "float8e8m0": "f8e8m0",
    "uint2": "u2", "int2": "i2", "string": "string", "bool": "bool",
}  # fmt: skip
LONG = {short: long for long, short in SHORT.items()}


class Formal(NamedTuple):
    """A formal input or output. `type`: a type parameter or a type. `option`: '' single, '?' optional, '*' variadic of
    one type, '+' variadic of any."""

    name: str
    type: str
    option: str


class Schema(NamedTuple):
    """One operator as of `since`. `attributes`: name -> kind such as 'INT'; `required` are names among them."""

    since: int
    deprecated: bool
    inputs: tuple[int, int]
    outputs: tuple[int, int]
    ins: tuple[Formal, ...]
    outs: tuple[Formal, ...]
    attributes: dict[str, str]
    required: frozenset[str]
    types: dict[str, frozenset[str]]

    def formal(self, slot: int, *, output: bool = False) -> Formal | None:
        """The formal that a slot stands for; a variadic last one stands for all after it."""
        formals = self.outs if output else self.ins
        if slot < len(formals):
            return formals[slot]
        return formals[-1] if formals and formals[-1].option in ("*", "+") else None


class Kernel(NamedTuple):
    """A CPU kernel: the schema versions it serves, and the types it takes by type parameter or formal name."""

    start: int
    end: int
    types: dict[str, frozenset[str]]

    def serves(self, since: int) -> bool:
        """An open end is no promise: such a kernel serves its first version alone."""
        return self.start == since if self.end == MANY else self.start <= since <= self.end


class Table:
    """All builds. Rows are kept as lists of (index of the first build, what holds from there on)."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.versions: tuple[str, ...] = tuple(raw["versions"])
        self._sets = [frozenset(text.split(" ")) for text in raw["typesets"]]
        self._schemas: dict[str, dict[str, list[Any]]] = raw["schemas"]
        self._kernels: dict[str, list[Any]] = raw["kernels"]
        self._bodies: dict[str, list[Any]] = raw["bodies"]
        self._elements: dict[str, list[Any]] = raw["elements"]
        self._domains: dict[str, list[Any]] = raw["domains"]
        self._parsed: dict[str, Any] = {}
        self._newest: dict[int, dict[str, int]] = {}
        self._known: dict[tuple[int, str], list[Schema]] = {}

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains that some build has, `ai.onnx` by that name."""
        return tuple(self._domains)

    def newest(self, build: int, domain: str) -> int | None:
        """The newest version of a domain that a build lets a model import, None where it has no such domain."""
        found = _at(self._domains.get(domain or "ai.onnx", []), build)
        return found if isinstance(found, int) else None

    def imports(self, build: int) -> dict[str, int]:
        """The newest version of every domain that a build has, by domain."""
        if build not in self._newest:
            found = ((domain, self.newest(build, domain)) for domain in self._domains)
            self._newest[build] = {domain: version for domain, version in found if version is not None}
        return self._newest[build]

    def element(self, build: int, code: int) -> str:
        """'' where a build takes a graph input of this element type (onnx TensorProto.DataType), 'unregistered' where
        it can make no tensor of it, 'invalid' where it does not know the number."""
        row = self._elements.get(str(code))
        return "invalid" if row is None else str(_at(row, build) or "")

    def schema(self, build: int, op: str, opset: int) -> Schema | None:
        """The schema of an operator (`com.microsoft.FastGelu`, `Add`) in a model that imports `opset`."""
        return max((s for s in self.schemas(build, op) if s.since <= opset), key=lambda s: s.since, default=None)

    def schemas(self, build: int, op: str) -> list[Schema]:
        rows = self._schemas.get(op)
        if rows is None:
            return []
        if (build, op) not in self._known:
            held = ((int(since), _at(row, build)) for since, row in rows.items())
            self._known[build, op] = [self._schema(since, text) for since, text in held if text is not None]
        return self._known[build, op]

    def kernels(self, build: int, op: str) -> list[Kernel]:
        return [self._kernel(text) for text in _at(self._kernels.get(op, []), build) or ()]

    def body(self, build: int, op: str, since: int) -> dict[str, str | None] | None:
        """For an operator that was seen not to be refused plainly where it has no kernel: type -> the operator that is
        refused in its stead, '' where the model opens, None where it could not be measured."""
        return _at(self._bodies.get(f"{op}:{since}", []), build)  # type: ignore[no-any-return]  # from JSON

    def _schema(self, since: int, text: str) -> Schema:
        key = f"{since}|{text}"
        if key not in self._parsed:
            counts, ins, outs, attributes, types = text.split("|")
            numbers = [MANY if part == "*" else int(part) for part in counts.strip("!").split(" ")]
            kinds = dict(part.rsplit(":", 1) for part in attributes.split(" ") if part)
            self._parsed[key] = Schema(
                since,
                counts.startswith("!"),
                (numbers[0], numbers[1]),
                (numbers[2], numbers[3]),
                _formals(ins),
                _formals(outs),
                {name: kind.rstrip("!") for name, kind in kinds.items()},
                frozenset(name for name, kind in kinds.items() if kind.endswith("!")),
                self._types(types),
            )
        return self._parsed[key]  # type: ignore[no-any-return]  # two kinds share the dict

    def _kernel(self, text: str) -> Kernel:
        if text not in self._parsed:
            versions, types = text.split("|")
            start, end = versions.split("-")
            self._parsed[text] = Kernel(int(start), int(end) if end else MANY, self._types(types))
        return self._parsed[text]  # type: ignore[no-any-return]  # two kinds share the dict

    def _types(self, text: str) -> dict[str, frozenset[str]]:
        pairs = (part.rsplit(":", 1) for part in text.split(" ") if part)
        return {name: self._sets[int(number)] for name, number in pairs}


def _formals(text: str) -> tuple[Formal, ...]:
    found = []
    for part in text.split(" "):
        if part:
            name, _, kind = part.partition(":")
            option = kind[-1] if kind[-1:] in ("?", "*", "+") else ""
            found.append(Formal(name, kind.removesuffix(option), option))
    return tuple(found)


def _at(row: list[Any], build: int) -> Any:
    """What holds for a build in a row of changes; None before the first."""
    found = None
    for first, value in row:
        if first > build:
            break
        found = value
    return found


@cache
def table() -> Table:
    with open(PATH, encoding="utf-8") as file:
        return Table(json.load(file))


def bound_types(
    schema: Schema, ins: list[str | None], outs: list[str | None], present: tuple[int, int]
) -> dict[str, str | None]:
    """Type by type parameter and by formal name, None where not known. `present`: counts of inputs and outputs."""
    found: dict[str, str | None] = {}
    for types, count, output in ((ins, present[0], False), (outs, present[1], True)):
        for slot in range(count):
            formal = schema.formal(slot, output=output)
            dtype = types[slot] if slot < len(types) else None
            if formal is None:
                continue
            for name in (formal.type, formal.name):
                if found.get(name) is None:
                    found[name] = dtype
    return found


def kernel_takes(kernel: Kernel, types: dict[str, str | None]) -> bool | None:
    """Whether a kernel takes these types; None where that hangs on a type that is not known."""
    answer: bool | None = True
    for name, allowed in kernel.types.items():
        if name not in types:
            continue
        dtype = types[name]
        if dtype is None:
            answer = None
        elif dtype not in allowed:
            return False
    return answer


def has_kernel(
    known: Table, build: int, op: str, schema: Schema, types: dict[str, str | None], *, casts: bool = True
) -> bool | None:
    """Whether the CPU runs an operator on these types, f16 counted as f32 where it has no kernel of its own (`casts`).
    None where it hangs on a type that is not known."""
    kernels = [kernel for kernel in known.kernels(build, op) if kernel.serves(schema.since)]
    found = [kernel_takes(kernel, types) for kernel in kernels]
    if casts and CAST_UP in types.values():
        cast = {name: "f32" if dtype == CAST_UP else dtype for name, dtype in types.items()}
        found += [kernel_takes(kernel, cast) for kernel in kernels]
    if True in found:
        return True
    return None if None in found else False
