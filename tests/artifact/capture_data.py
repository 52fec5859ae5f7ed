"""Random operators on the data of a graph, for `tests.artifact.capture_graphs`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from onnx import helper, numpy_helper

F32, I32, I64, BOOL, F16 = 1, 6, 7, 9, 10  # onnx element types
FLOATS = (F32, F16)
UNARY = {
    F32: "Relu Sqrt Neg Abs Sign Round Tanh Exp Log Sigmoid Erf Identity Softmax LogSoftmax Cos Sin Floor Ceil "
    "Reciprocal Softplus Softsign LeakyRelu Elu HardSigmoid Dropout",
    F16: "Relu Sqrt Neg Abs Tanh Exp Sigmoid Identity Softmax Cos Sin Erf",
    I32: "Neg Abs Sign Identity",
    I64: "Neg Abs Sign Identity",
    BOOL: "Not Identity",
}
SINCE = {"HardSwish": 14, "Gelu": 20, "Mish": 18, "Trilu": 14, "GreaterOrEqual": 12, "LessOrEqual": 12,
         "LayerNormalization": 17, "Celu": 12, "Swish": 24, "RMSNormalization": 23}  # fmt: skip
BINARY = {
    F32: "Add Sub Mul Div Pow Max Min MatMul PRelu Mean Sum",
    F16: "Add Sub Mul Div MatMul Max",
    I32: "Add Sub Mul Div Max Min Mod",
    I64: "Add Sub Mul Div Max Min Mod",
    BOOL: "And Or Xor",
}
COMPARE = "Equal Greater Less GreaterOrEqual LessOrEqual"


class DataMaker:
    """One graph. `values` are matrices of `rows` x 4; `vectors` INT64 shapes of two; `sizes` INT64 of one element."""

    def __init__(self, rng: random.Random, opset: int, rows: Any, prefix: str = "") -> None:
        self.rng, self.opset, self.rows, self.prefix = rng, opset, rows, prefix
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.values: list[tuple[str, int]] = []
        self.vectors: list[str] = []
        self.sizes: list[str] = []
        self.extra_outputs: list[tuple[str, int]] = []
        self.functions: list[tuple[Any, int, int]] = []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"{self.prefix}v{self.count}"

    def add(self, op: str, inputs: list[str], outputs: int = 1, **attributes: Any) -> list[str]:
        names = [self.name() for _ in range(outputs)]
        domain, _, op = op.rpartition(".")
        self.nodes.append(
            helper.make_node(op, inputs, names, name=f"{self.prefix}n{len(self.nodes)}", domain=domain, **attributes)
        )
        return names

    def one(self, op: str, inputs: list[str], **attributes: Any) -> str:
        return self.add(op, inputs, **attributes)[0]

    def put(self, name: str, dtype: int) -> str:
        self.values.append((name, dtype))
        return name

    def const(self, data: Any, dtype: int) -> str:
        """An initializer, or a Constant node."""
        name = self.name()
        tensor = numpy_helper.from_array(np.asarray(data).astype(helper.tensor_dtype_to_np_dtype(dtype)), name)
        if self.rng.random() < 0.5 and not self.prefix.startswith("f_"):
            self.constants.append(tensor)
        else:
            self.nodes.append(helper.make_node("Constant", [], [name], name=name + "_c", value=tensor))
        return name

    def pick(self, *dtypes: int) -> tuple[str, int] | None:
        found = [v for v in self.values if not dtypes or v[1] in dtypes]
        return self.rng.choice(found[-6:] if self.rng.random() < 0.7 else found) if found else None

    def axes(self, op: str, name: str, axes: list[int], since: int = 13, **attributes: Any) -> str:
        if self.opset >= since:
            return self.one(op, [name, self.const(axes, I64)], **attributes)
        return self.one(op, [name], axes=axes, **attributes)

    def unary(self) -> None:
        name, dtype = self.pick() or ("", 0)
        op = self.rng.choice([o for o in UNARY[dtype].split() if SINCE.get(o, 0) <= self.opset])
        self.put(self.one(op, [name]), dtype)

    def binary(self) -> None:
        name, dtype = self.pick() or ("", 0)
        op = self.rng.choice(BINARY[dtype].split())
        other = self.pick(dtype)
        if op == "MatMul" or self.rng.random() < 0.4:
            right = self.const(np.ones((4, 4) if op == "MatMul" else self.rng.choice([(4,), (), (1, 4)])), dtype)
        else:
            right = other[0] if other else name
        self.put(self.one(op, [name, right]), dtype)

    def compare(self) -> None:
        name, dtype = self.pick(F32, F16, I32, I64) or ("", 0)
        if not name:
            return
        op = self.rng.choice([o for o in COMPARE.split() if SINCE.get(o, 0) <= self.opset])
        other = self.pick(dtype)
        right = other[0] if other and self.rng.random() < 0.6 else self.const(1, dtype)
        self.put(self.one(op, [name, right]), BOOL)

    def cast(self) -> None:
        name, dtype = self.pick() or ("", 0)
        to = self.rng.choice([F32, F32, F16, I32, I64, BOOL, dtype])
        self.put(self.one("Cast", [name], to=to), to)

    def where(self) -> None:
        condition = self.pick(BOOL)
        name, dtype = self.pick() or ("", 0)
        if condition is None:
            return
        other = self.pick(dtype)
        right = other[0] if other and self.rng.random() < 0.5 else self.const(0, dtype)
        self.put(self.one("Where", [condition[0], name, right]), dtype)

    def layout(self) -> None:
        """Operators on the layout of one matrix, back to a matrix."""
        name, dtype = self.pick() or ("", 0)
        kind = self.rng.randrange(9)
        if kind == 0:
            out = self.axes("Unsqueeze", name, [0])
            out = self.axes("Squeeze", out, [0])
        elif kind == 1:
            out = self.one("Transpose", [self.one("Transpose", [name], perm=[1, 0])], perm=[1, 0])
        elif kind == 2:
            parts = self.split(name)
            out = self.one("Concat", parts, axis=1)
        elif kind == 3:
            args = [name, self.const([0], I64), self.const([4], I64), self.const([1], I64)]
            out = self.one("Slice", args + ([self.const([1], I64)] if self.rng.random() < 0.5 else []))
        elif kind == 4:
            out = self.one("Gather", [name, self.const([0, 1, 2, 3], self.rng.choice([I32, I64]))], axis=1)
        elif kind == 5:
            out = self.one("Reshape", [name, self.const([-1, 4], I64)])
        elif kind == 6:
            out = self.one("Expand", [name, self.const([1, 4], I64)])
        elif kind == 7:
            out = self.one("Concat", [name, name], axis=1)
            out = self.one("Slice", [out, self.const([0], I64), self.const([4], I64), self.const([1], I64)])
        else:
            out = self.one("Flatten", [name], axis=1) if self.opset >= 9 and dtype != BOOL else name
        self.put(out, dtype)

    def split(self, name: str) -> list[str]:
        if self.opset >= 18:
            if self.rng.random() < 0.5:
                return self.add("Split", [name], 2, axis=1, num_outputs=2)
            return self.add("Split", [name, self.const([2, 2], I64)], 2, axis=1)
        if self.opset >= 13:
            return self.add("Split", [name, self.const([2, 2], I64)], 2, axis=1)
        return self.add("Split", [name], 2, axis=1, split=[2, 2])

    def reduce(self) -> None:
        name, dtype = self.pick(F32, F16, I32, I64) or ("", 0)
        if not name:
            return
        kind = self.rng.randrange(6)
        if kind < 2:
            op = self.rng.choice(["ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceProd", "ReduceL2"])
            since = 13 if op == "ReduceSum" else 18
            out = self.axes(op, name, [1], since)
            if dtype == I64 and op == "ReduceL2":
                return
        elif kind == 2:
            out = self.one("ArgMax", [name], axis=1, keepdims=1)
            self.put(self.one("Mul" if dtype == I64 else "Add", [self.one("Cast", [name], to=I64), out]), I64)
            return
        elif kind == 3:
            top, index = self.add("TopK", [name, self.const([4], I64)], 2, axis=1)
            if self.rng.random() < 0.5:
                self.put(index, I64)
            self.put(top, dtype)
            return
        elif kind == 4:
            out = self.one("CumSum", [name, self.const(1, I32)])
        else:
            out = self.one("Clip", [name, self.const(0, dtype), self.const(5, dtype)]) if self.opset >= 12 else name
        self.put(self.one("Add", [name, out]), dtype)

    def norm(self) -> None:
        name, dtype = self.pick(*FLOATS) or ("", 0)
        if not name:
            return
        weight = self.const([1, 1, 1, 1], dtype)
        ops = ["com.microsoft.FastGelu", "SimplifiedLayerNormalization"]
        ops += ["com.microsoft.QuickGelu", "com.microsoft.Gelu"]
        ops += ["LayerNormalization"] if self.opset >= 17 else []
        ops += ["RMSNormalization"] if self.opset >= 23 else []
        op = self.rng.choice(ops)
        args = [name, weight] if op.endswith("Normalization") else [name]
        self.put(self.one(op, args, **({"axis": -1} if op.endswith("Normalization") else {})), dtype)
