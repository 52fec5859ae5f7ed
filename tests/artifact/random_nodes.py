"""Random single-node models made from the table of operators: sound ones, ones of unusual types, and broken ones."""

from __future__ import annotations

import random
from typing import Any

import onnx
from onnx import helper

from signatures.artifact import operators
from signatures.artifact.operators import Schema

DOMAINS = ("", "com.microsoft", "ai.onnx.ml")
COMMON = ("f32", "i64", "i32", "u8", "bool")
CODES = {
    "f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "string": 8, "bool": 9, "f16": 10, "f64": 11,
    "u32": 12, "u64": 13, "bf16": 16, "f8e4m3fn": 17, "f8e5m2": 19, "u4": 21, "i4": 22, "f4e2m1": 23, "f8e8m0": 24,
}  # fmt: skip
VALUES: dict[str, Any] = {
    "INT": 1, "FLOAT": 1.5, "STRING": "x", "INTS": [1, 1], "FLOATS": [1.0, 2.0], "STRINGS": ["a"],
}  # fmt: skip


class Maker:
    """Models for one runtime version. `broken`: with faults of arity, attributes and names."""

    def __init__(self, seed: str, version: str) -> None:
        self.rng = random.Random(seed)  # noqa: S311  # test data
        self.table = operators.table()
        self.build = self.table.versions.index(version)
        ops = [op for op in self.table._schemas if op.rpartition(".")[0] in DOMAINS]
        every = range(len(self.table.versions))
        found = {(op, s) for op in ops for b in every for s in self._of(b, op)}
        self.schemas = sorted(((op, since, text) for op, (since, text) in found), key=str)

    def _of(self, build: int, op: str) -> list[tuple[int, str]]:
        rows = self.table._schemas[op].items()
        held = [(int(since), operators._at(row, build)) for since, row in rows]
        return [(since, text) for since, text in held if text]

    def model(self, broken: bool) -> bytes:
        op, since, text = self.rng.choice(self.schemas)
        schema = self.table._schema(since, text)
        if "GRAPH" in schema.attributes.values() or op.endswith("Memcpy"):
            return self.model(broken)
        domain, _, name = op.rpartition(".")
        types = self._types(schema, broken)
        node = onnx.NodeProto(op_type=name, domain=domain, name=self.rng.choice(("", "k")))
        ports = self._inputs(node, schema, types, broken)
        self._attributes(node, schema, broken)
        count = max(1, schema.outputs[0]) + (broken and self.rng.random() < 0.1)
        node.output.extend(f"y{slot}" for slot in range(count))
        if broken and self.rng.random() < 0.05:
            node.op_type += "X"
        graph = onnx.GraphProto(name="g", node=[node])
        graph.input.extend(helper.make_tensor_value_info(port, CODES[dtype], None) for port, dtype in ports)
        graph.output.extend(onnx.ValueInfoProto(name=port) for port in node.output)
        model = onnx.ModelProto(ir_version=8, graph=graph)
        newest = self.table.newest(self.build, "ai.onnx") or 17
        main = min(newest, max(6, since) + self.rng.choice((0, 0, 1))) if not domain else 17
        model.opset_import.add(domain="", version=main)
        if domain:
            model.opset_import.add(domain=domain, version=1 if domain == "com.microsoft" else min(since, 3))
        return bytes(model.SerializeToString())

    def _types(self, schema: Schema, broken: bool) -> dict[str, str]:
        found = {}
        for parameter, allowed in sorted(schema.types.items()):
            known = [dtype for dtype in CODES if dtype in allowed]
            usual = [dtype for dtype in COMMON if dtype in known]
            some = known if self.rng.random() < 0.5 else usual
            found[parameter] = self.rng.choice(some or known or ["f32"])
        if broken and found and self.rng.random() < 0.2:
            found[self.rng.choice(sorted(found))] = self.rng.choice(sorted(CODES))
        return found

    def _inputs(self, node: Any, schema: Schema, types: dict[str, str], broken: bool) -> list[tuple[str, str]]:
        count = self.rng.choice((schema.inputs[0], min(schema.inputs[1], len(schema.ins))))
        if broken and self.rng.random() < 0.3:
            count = max(0, count + self.rng.choice((-1, 1, 2)))
        ports = []
        for slot in range(count):
            formal = schema.formal(slot)
            dtype = types.get(formal.type, formal.type) if formal else "f32"
            node.input.append(f"x{slot}")
            ports.append((f"x{slot}", dtype if dtype in CODES else "f32"))
        return ports

    def _attributes(self, node: Any, schema: Schema, broken: bool) -> None:
        for name, kind in sorted(schema.attributes.items()):
            wanted = name in schema.required
            if broken and self.rng.random() < 0.1:
                wanted, kind = not wanted, self.rng.choice(sorted(VALUES))
            if wanted and kind in VALUES:
                node.attribute.append(helper.make_attribute(name, VALUES[kind]))
        if broken and self.rng.random() < 0.1:
            node.attribute.append(helper.make_attribute(self.rng.choice(("zz", "__note")), 1))
