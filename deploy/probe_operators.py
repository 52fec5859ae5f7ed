"""Lists the operators of a real onnxruntime CPU build (schemas, kernels, domains) and adds them to a table.

    for v in 1.20.1 1.32.0; do venv-$v/bin/python deploy/probe_operators.py
    signatures/artifact/ep_tables/cpu/operators.json; done

The interpreter's environment needs onnxruntime alone: probe models are written by hand. Where the build has no kernel
for a type that an operator's schema allows, a session on that operator alone is opened in a child process: most are
refused by the operator's name, and the table holds those that are not (operators that are made of others).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

from probe_limits import block, number  # noqa: E402  # a script beside this one

from signatures.artifact import operators  # noqa: E402

DOMAINS = (
    "ai.onnx", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training", "com.microsoft", "com.ms.internal.nhwc",
    "com.microsoft.nchwc", "com.microsoft.experimental", "com.microsoft.dml", "org.pytorch.aten",
)  # fmt: skip
PROBED = ("", "com.microsoft")
CODES = {
    "f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "string": 8, "bool": 9, "f16": 10, "f64": 11,
    "u32": 12, "u64": 13, "bf16": 16, "f8e4m3fn": 17, "f8e4m3fnuz": 18, "f8e5m2": 19, "f8e5m2fnuz": 20, "u4": 21,
    "i4": 22, "f4e2m1": 23, "f8e8m0": 24, "u2": 25, "i2": 26,
}  # fmt: skip
REFUSED = re.compile(r"(?:not find an implementation|Failed to find kernel) for (?:[a-z.]+\.)?([A-Za-z0-9_]+\(\d+\))")
CAST_UP = re.compile("Inserted(PrecisionFree)?Cast_")  # what is put before a float16 node, here to no avail
FOLLOW = ("f32", "i64", "i32", "bool", "u8", "i8", "string")  # what a type parameter beside the probed one is given

_OPEN = """
import sys
import onnxruntime as ort
ort.set_default_logger_severity(4)
options = ort.SessionOptions()
options.log_severity_level = 4
options.intra_op_num_threads = 1
for line in sys.stdin:
    try:
        ort.InferenceSession(bytes.fromhex(line.strip()), options, providers=["CPUExecutionProvider"])
        print("opens", flush=True)
    except Exception as error:
        print(" ".join(str(error).split()) or "refused", flush=True)
"""


def opened(models: list[bytes]) -> list[str]:
    """What the runtime says to each model; 'crashed' where the child died on it."""
    said: list[str] = []
    while len(said) < len(models):
        left = "".join(model.hex() + "\n" for model in models[len(said) :])
        done = subprocess.run(  # noqa: S603  # this interpreter, a fixed script
            [sys.executable, "-c", _OPEN], input=left, capture_output=True, text=True, check=False
        )
        said += done.stdout.splitlines()
        if len(said) < len(models):
            said.append("crashed")
    return said


def attribute(name: str, kind: str) -> bytes | None:
    head = block(1, name.encode())
    if kind == "INT":
        return block(5, head + number(3, 1) + number(20, 2))
    if kind == "INTS":
        return block(5, head + number(8, 1) + number(20, 7))
    if kind == "FLOAT":
        return block(5, head + b"\x15\x00\x00\x80\x3f" + number(20, 1))
    return block(5, head + block(4, b"x") + number(20, 3)) if kind == "STRING" else None


def model(domain: str, op: str, schema: operators.Schema, ins: list[str]) -> bytes | None:
    """One node between graph inputs of unknown rank and outputs of unknown type; None where an attribute it needs
    cannot be made up."""
    attributes = [attribute(name, schema.attributes[name]) for name in sorted(schema.required)]
    if None in attributes:
        return None
    outs = max(1, schema.outputs[0])
    ports = b"".join(
        block(11, block(1, b"x%d" % slot) + block(2, block(1, number(1, CODES[dtype]))))
        for slot, dtype in enumerate(ins)
    )
    body = b"".join(block(1, b"x%d" % slot) for slot in range(len(ins)))
    body += b"".join(block(2, b"y%d" % slot) for slot in range(outs)) + block(3, b"k") + block(4, op.encode())
    body += b"".join(part for part in attributes if part) + block(7, domain.encode())
    graph = block(1, body) + block(2, b"g") + ports + b"".join(block(12, block(1, b"y%d" % n)) for n in range(outs))
    imports = block(8, block(1, b"") + number(2, 17 if domain else schema.since))
    if domain:
        imports += block(8, block(1, domain.encode()) + number(2, schema.since))
    return number(1, 8) + block(7, graph) + imports


def short(name: str) -> str:
    name = name.replace(" ", "")
    return operators.SHORT.get(name[7:-1], name) if name.startswith("tensor(") else name


def key(domain: str, op: str) -> str:
    return f"{domain}.{op}" if domain else op


def listed() -> dict[str, Any]:
    """Schemas and kernels of this build, as texts of the table; type sets still written out."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    schemas: dict[str, dict[str, str]] = {}
    for schema in state.get_all_operator_schema():
        schemas.setdefault(key(schema.domain, schema.name), {})[str(schema.since_version)] = schema_text(schema)
    kernels: dict[str, list[str]] = {}
    for kernel in state.get_all_opkernel_def():
        if kernel.provider == "CPUExecutionProvider":
            start, end = kernel.version_range
            text = f"{start}-{end if end != operators.MANY else ''}|" + types(kernel.type_constraints)
            kernels.setdefault(key(kernel.domain, kernel.op_name), []).append(text)
    return {"schemas": schemas, "kernels": {op: sorted(rows) for op, rows in kernels.items()}}


def schema_text(schema: Any) -> str:
    counts = [schema.min_input, schema.max_input, schema.min_output, schema.max_output]
    head = ("!" if schema.deprecated else "") + " ".join("*" if n == operators.MANY else str(n) for n in counts)
    kinds = sorted(schema.attributes.items())
    attributes = " ".join(f"{name}:{a.type.name}{'!' if a.required else ''}" for name, a in kinds)
    rows = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
    return "|".join((head, formals(schema.inputs), formals(schema.outputs), attributes, types(rows)))


def formals(rows: Any) -> str:
    found = []
    for row in rows:
        option = {"Optional": "?", "Variadic": "*" if row.isHomogeneous else "+"}.get(row.option.name, "")
        found.append(f"{row.name.replace(' ', '_')}:{short(row.typeStr)}{option}")
    return " ".join(found)


def types(rows: Any) -> str:
    return " ".join(f"{name}:{','.join(sorted(map(short, allowed)))}" for name, allowed in sorted(rows.items()))


def newest() -> dict[str, int]:
    """The newest version of each domain that a model may import."""

    def imports(domain: str, version: int) -> bytes:
        both = [("", 9)] if domain != "ai.onnx" else []
        rows = [*both, (domain if domain != "ai.onnx" else "", version)]
        node = block(1, b"x") + block(2, b"y") + block(4, b"Identity")
        port = block(1, b"x") + block(2, block(1, number(1, 1)))
        graph = block(1, node) + block(2, b"g") + block(11, port) + block(12, block(1, b"y"))
        return number(1, 8) + block(7, graph) + b"".join(block(8, block(1, d.encode()) + number(2, v)) for d, v in rows)

    found = {}
    for domain in DOMAINS:
        first = 7 if domain == "ai.onnx" else 1
        said = opened([imports(domain, version) for version in (*range(first, 60), 100_000)])
        if said[0] == "opens" and said[-1] != "opens":  # a domain that is not known may have any version
            found[domain] = first + said.index(next(text for text in said if text != "opens")) - 1
    return found


def elements() -> dict[str, str]:
    """What comes of a graph input of each element type, by its number: '' opens, 'invalid' the number is not known,
    'unregistered' it is known and no tensor can be made of it."""

    def unused(code: int) -> bytes:
        node = block(1, b"x") + block(2, b"y") + block(4, b"Identity")
        ports = [block(11, block(1, n) + block(2, block(1, number(1, t)))) for n, t in ((b"x", 1), (b"z", code))]
        graph = block(1, node) + block(2, b"g") + b"".join(ports) + block(12, block(1, b"y"))
        return number(1, 8) + block(7, graph) + block(8, block(1, b"") + number(2, 9))

    codes = range(1, 40)
    found = {}
    for code, said in zip(codes, opened([unused(code) for code in codes]), strict=True):
        invalid, unregistered = "Invalid tensor data type" in said, "not currently registered" in said
        found[str(code)] = "invalid" if invalid else "unregistered" if unregistered else ""
    return found


def without_kernel(known: operators.Table) -> Iterator[tuple[str, operators.Schema, str, bytes]]:
    """(operator, schema, type, model) for each type that a schema allows and no kernel takes."""
    for op, rows in known._schemas.items():
        domain = op.rpartition(".")[0]
        if domain not in PROBED:
            continue
        for schema in (known._schema(int(since), row[0][1]) for since, row in rows.items()):
            if schema.deprecated or not schema.ins or "GRAPH" in schema.attributes.values():
                continue
            for dtype in sorted(schema.types.get(schema.ins[0].type, ())):
                ins = inputs(schema, dtype)
                data = ins and dtype in CODES and model(domain, op.rpartition(".")[2], schema, ins)
                if ins and data and known_kernel(known, op, schema, ins) is False:
                    yield op, schema, dtype, data


def inputs(schema: operators.Schema, dtype: str) -> list[str] | None:
    given = {schema.ins[0].type: dtype}
    for formal in schema.ins[: max(1, schema.inputs[0])]:
        allowed = schema.types.get(formal.type, {formal.type})
        given.setdefault(formal.type, next((t for t in (dtype, *FOLLOW) if t in allowed), ""))
    found = [given[formal.type] for formal in schema.ins[: max(1, schema.inputs[0])]]
    return found if all(dtype in CODES for dtype in found) else None


def known_kernel(known: operators.Table, op: str, schema: operators.Schema, ins: list[str]) -> bool | None:
    bound = operators.bound_types(schema, list(ins), [], (len(ins), 0))
    return operators.has_kernel(known, 0, op, schema, bound)


def bodies(known: operators.Table) -> dict[str, dict[str, str | None]]:
    """What comes of each model without a kernel, by operator and version, where any is not refused by its own name."""
    probes = list(without_kernel(known))
    found: dict[str, dict[str, str | None]] = {}
    for (op, schema, dtype, _), said in zip(probes, opened([probe[3] for probe in probes]), strict=True):
        plain = f"{op.rpartition('.')[2]}({schema.since})"
        refused = REFUSED.search(said)
        verdict = refused.group(1) if refused else "" if said == "opens" else plain if CAST_UP.search(said) else None
        if verdict != plain:
            found.setdefault(f"{op}:{schema.since}", {})[dtype] = verdict
    return found


KINDS = ("schemas", "kernels", "bodies", "domains", "elements")


def packed(builds: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Builds, each with all it has, as a table of changes with type sets by number."""
    order = sorted(builds, key=lambda version: [int(part) for part in version.split(".")])
    sets = sorted({text for build in builds.values() for text in type_sets(build)})
    numbers = {text: str(index) for index, text in enumerate(sets)}
    out: dict[str, Any] = {
        "schema": 1, "runtime": "onnxruntime", "probe": "deploy/probe_operators.py", "versions": order,
        "typesets": [text.replace(",", " ") for text in sets],
    }  # fmt: skip
    numbered = [renamed(builds[version], numbers) for version in order]
    for kind in KINDS:
        names = sorted({name for build in numbered for name in build[kind]})
        out[kind] = {name: changes([build[kind].get(name) for build in numbered]) for name in names}
    for op in out["schemas"]:
        every = [build["schemas"].get(op, {}) for build in numbered]
        versions = sorted({since for build in every for since in build}, key=int)
        out["schemas"][op] = {since: changes([build.get(since) for build in every]) for since in versions}
    return out


def changes(values: list[Any]) -> list[list[Any]]:
    row: list[list[Any]] = []
    for index, value in enumerate(values):
        if value != (row[-1][1] if row else None):
            row.append([index, value])
    return row


def each_text(build: dict[str, Any]) -> Iterator[str]:
    yield from (text for rows in build["schemas"].values() for text in rows.values())
    yield from (text for rows in build["kernels"].values() for text in rows)


def type_sets(build: dict[str, Any]) -> Iterator[str]:
    for text in each_text(build):
        yield from (part.split(":", 1)[1] for part in text.rsplit("|", 1)[1].split(" ") if part)


def renamed(build: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    def one(text: str) -> str:
        head, tail = text.rsplit("|", 1)
        pairs = (part.split(":", 1) for part in tail.split(" ") if part)
        return f"{head}|" + " ".join(f"{name}:{names[allowed]}" for name, allowed in pairs)

    schemas = {op: {since: one(text) for since, text in rows.items()} for op, rows in build["schemas"].items()}
    return build | {
        "schemas": schemas,
        "kernels": {op: [one(t) for t in rows] for op, rows in build["kernels"].items()},
    }


def unpacked(raw: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The inverse of `packed`."""
    names = {str(index): text.replace(" ", ",") for index, text in enumerate(raw["typesets"])}
    builds = {}
    for index, version in enumerate(raw["versions"]):
        build: dict[str, Any] = {}
        for kind in KINDS[1:]:
            held = {name: operators._at(row, index) for name, row in raw.get(kind, {}).items()}
            build[kind] = {name: value for name, value in held.items() if value is not None}
        build["schemas"] = {}
        for op, rows in raw["schemas"].items():
            held = {since: operators._at(row, index) for since, row in rows.items()}
            if held := {since: text for since, text in held.items() if text is not None}:
                build["schemas"][op] = held
        builds[version] = renamed(build, names)
    return builds


def write(path: str, table: dict[str, Any]) -> None:
    """One line per operator, so that a difference can be read."""
    parts = []
    for name, value in table.items():
        if isinstance(value, dict):
            rows = ",\n".join(f" {json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in value.items())
            parts.append(f"{json.dumps(name)}:{{\n{rows}\n}}")
        else:
            parts.append(f"{json.dumps(name)}:{json.dumps(value, separators=(',', ':'))}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(parts) + "\n}\n")


def main() -> None:
    import onnxruntime as ort

    path = sys.argv[1]
    builds = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            builds = unpacked(json.load(file))
    build: dict[str, Any] = listed() | {"bodies": {}, "domains": newest(), "elements": elements()}
    alone = operators.Table(packed({ort.__version__: build}))
    build["bodies"] = bodies(alone)
    write(path, packed(builds | {ort.__version__: build}))


if __name__ == "__main__":
    main()
