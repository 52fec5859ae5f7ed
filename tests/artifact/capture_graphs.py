"""Random ONNX graphs without baked copies, in the shapes that exporters write: shape arithmetic, masks, empty caches,
foldable constants, branches, local functions, operators of com.microsoft. For comparison with a real runtime."""

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


class Maker:
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

    # Data.

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

    # Shapes.

    def shape(self) -> None:
        """A Shape and what exporters do with one of its dimensions."""
        name, _ = self.pick() or ("", 0)
        attributes = {"start": 0, "end": 1} if self.opset >= 15 and self.rng.random() < 0.2 else {}
        vector = self.one("Shape", [name], **attributes)
        if attributes:
            self.sizes.append(vector)
            return
        if self.rng.random() < 0.35:
            self.vectors.append(vector)
            return
        if self.rng.random() < 0.5:
            scalar = self.one("Gather", [vector, self.const(0, I64)], axis=0)
            if self.rng.random() < 0.3:
                self.cast_size(scalar)
            size = self.axes("Unsqueeze", scalar, [0])
        elif self.rng.random() < 0.5:
            size = self.one("Gather", [vector, self.const([0], I64)], axis=0)
        else:
            size = self.one("Slice", [vector, self.const([0], I64), self.const([1], I64), self.const([0], I64)])
        for _ in range(self.rng.randint(0, 2)):
            op, by = self.rng.choice([("Mul", 1), ("Add", 0), ("Div", 1), ("Sub", 0), ("Max", 0), ("Min", 4)])
            size = self.one(op, [size, self.const([by], I64)])
        self.sizes.append(size)

    def cast_size(self, scalar: str) -> None:
        """A dimension as a number beside the data."""
        to = self.rng.choice([F32, F16, I32])
        number = self.one("Cast", [scalar], to=to)
        if to == F32 and self.rng.random() < 0.4:
            number = self.one(self.rng.choice(["Sqrt", "Neg", "Reciprocal"]), [number])
        other = self.pick(to)
        if other and self.rng.random() < 0.8:
            self.put(self.one(self.rng.choice(["Add", "Mul", "Div"]), [other[0], number]), to)
        else:
            self.extra_outputs.append((number, to))

    def vector(self) -> str | None:
        if self.vectors and self.rng.random() < 0.5:
            return self.rng.choice(self.vectors)
        if self.sizes:
            parts = [self.rng.choice(self.sizes), self.const([4], I64)]
            made = self.one("Concat", parts, axis=0)
            if self.rng.random() < 0.4:
                self.vectors.append(made)
            return made
        return None

    def uses_shape(self) -> None:
        vector = self.vector()
        name, dtype = self.pick() or ("", 0)
        if vector is None:
            return
        kind = self.rng.randrange(8)
        if kind < 2:
            self.put(self.one("Reshape", [name, vector]), dtype)
        elif kind == 2:
            self.put(self.one("Expand", [name, vector]), dtype)
        elif kind == 3:
            to = self.rng.choice([F32, F16, I64, BOOL])
            value = numpy_helper.from_array(np.asarray([1]).astype(helper.tensor_dtype_to_np_dtype(to)))
            self.put(self.one("ConstantOfShape", [vector], value=value), to)
        elif kind == 4:  # Expand with -1 for dimensions to keep, as torch exports it
            filled = self.one("ConstantOfShape", [self.const([2], I64)], value=numpy_helper.from_array(np.array([1])))
            minus = self.one("Mul", [filled, self.const(-1, I64)])
            wanted = self.one("Where", [self.one("Equal", [vector, minus]), filled, vector])
            self.put(self.one("Expand", [name, wanted]), dtype)
        elif kind == 5:
            self.put(self.one("Add", [name, self.one("Cast", [vector], to=dtype)]) if False else name, dtype)
            self.extra_outputs.append((vector, I64))
        elif kind == 6 and self.sizes:
            self.positions()
        else:
            args = [name, self.const([0], I64), self.rng.choice(self.sizes) if self.sizes else self.const([4], I64)]
            self.put(self.one("Slice", [*args, self.const([0], I64)]), dtype)

    def positions(self) -> None:
        """Range of a computed length, as positions or a causal mask."""
        scalar = self.axes("Squeeze", self.rng.choice(self.sizes), [0])
        to = self.rng.choice([I64, I64, F32, I32])
        if to != I64:
            scalar = self.one("Cast", [scalar], to=to)
        row = self.one("Range", [self.const(0, to), scalar, self.const(1, to)])
        column = self.axes("Unsqueeze", row, [1])
        other = self.pick(to)
        kind = self.rng.randrange(3)
        if kind == 0 and other:
            self.put(self.one("Add", [other[0], column]), to)
        elif kind == 1 and other:
            self.put(self.one("Less", [column, other[0]]), BOOL)
        else:
            self.extra_outputs.append((column, to))

    def mask(self) -> None:
        """An attention mask, its lengths, and a grouped query attention."""
        kind = self.rng.choice([I32, I64])
        mask = self.name()
        total = "total" if isinstance(self.rows, str) else 8
        self.inputs.append(helper.make_tensor_value_info(mask, kind, [1, total]))
        summed = self.axes("ReduceSum", mask, [1], keepdims=self.rng.randint(0, 1))
        if self.rng.random() < 0.5:
            less = self.one("Sub", [summed, self.const([1], kind)])
            lengths = self.one("Cast", [less], to=I32)
        else:
            lengths = self.one("Sub", [self.one("Cast", [summed], to=I32), self.const([1], I32)])
        if self.rng.random() < 0.5:
            gathered = self.one("Gather", [self.one("Shape", [mask]), self.const(1, I64)], axis=0)
            all_of = self.one("Cast", [gathered], to=I32)
        else:
            whole = self.one("Cast", [mask], to=I32)
            summed2 = self.axes("ReduceSum", whole, [0, 1], keepdims=0)
            all_of = summed2
        if self.rng.random() < 0.7:
            self.attention(lengths, all_of)
        else:
            self.extra_outputs += [(lengths, I32), (all_of, I32)]

    def attention(self, lengths: str, total: str) -> None:
        dtype = self.rng.choice(FLOATS)
        ports = [self.name() for _ in range(5)]
        for port, dims in zip(ports, [[1, "s", 16]] * 3 + [[1, 2, "p", 8]] * 2, strict=True):
            self.inputs.append(helper.make_tensor_value_info(port, dtype, dims))
        out, key, value = self.add(
            "com.microsoft.GroupQueryAttention", [*ports, lengths, total], 3, num_heads=2, kv_num_heads=2
        )
        self.extra_outputs += [(self.one("Sqrt", [out]), dtype), (key, dtype), (value, dtype)]

    def empty_cache(self) -> None:
        name, _ = self.pick() or ("", 0)
        batch = self.one("Gather", [self.one("Shape", [name]), self.const([0], I64)], axis=0)
        dims = self.one("Concat", [batch, self.const([0], I64), self.const([8], I64)], axis=0)
        empty = self.one("ConstantOfShape", [dims])
        self.extra_outputs.append((self.one("Cast", [empty], to=self.rng.choice([F16, F32, I32])), F16))
        self.extra_outputs.pop()
        last = self.nodes[-1].output[0]
        to = self.nodes[-1].attribute[0].i
        self.extra_outputs.append((last, to))

    def quantized(self) -> None:
        dtype = self.rng.choice(FLOATS)
        name = self.pick(dtype)
        if name is None:
            return
        wide = self.one("Concat", [name[0]] * 8, axis=1)
        weight = self.const(np.ones((8, 1, 16)), 2)
        scales = self.const(np.ones((8,)), dtype)
        out = self.one("com.microsoft.MatMulNBits", [wide, weight, scales], K=32, N=8, bits=4, block_size=32)
        out = self.one("Slice", [out, self.const([0], I64), self.const([4], I64), self.const([1], I64)])
        self.put(out, dtype)

    # Below one graph.

    def branch(self) -> None:
        dtype = self.rng.choice([F32, I64])
        bodies = {}
        for key in ("then_branch", "else_branch"):
            inner = self.below(self.rng.randint(1, 4))
            out = inner.one("Cast", [(inner.pick() or ("", 0))[0]], to=dtype)
            bodies[key] = helper.make_graph(
                inner.nodes, key, [], [helper.make_tensor_value_info(out, dtype, [None, 4])], inner.constants
            )
        kind = self.rng.randrange(4)
        if kind == 0:
            condition = self.const(True, BOOL)
        elif kind == 1:
            condition = self.one("Equal", [self.const(1, I64), self.const(2, I64)])
        else:
            condition = self.name()
            self.inputs.append(helper.make_tensor_value_info(condition, BOOL, []))
        self.put(self.one("If", [condition], **bodies), dtype)

    def loop(self) -> None:
        start = self.pick(F32, I64)
        if start is None:
            return
        inner = self.below(0)
        carried = inner.name()
        inner.values = [*inner.values[-3:], (carried, start[1])]
        for _ in range(self.rng.randint(1, 3)):
            inner.step(0)
        out = inner.one("Cast", [(inner.pick() or ("", 0))[0]], to=start[1])
        going = inner.one("Identity", ["go"])
        info = helper.make_tensor_value_info
        body = helper.make_graph(
            inner.nodes, "body", [info("turn", I64, []), info("go", BOOL, []), info(carried, start[1], [None, 4])],
            [info(going, BOOL, []), info(out, start[1], [None, 4])], inner.constants,
        )  # fmt: skip
        self.put(self.one("Loop", [self.const(2, I64), self.const(True, BOOL), start[0]], body=body), start[1])

    def below(self, steps: int) -> Maker:
        inner = Maker(self.rng, self.opset, self.rows, self.name() + "_")
        inner.values = list(self.values[-4:])
        inner.sizes = list(self.sizes[-1:])
        for _ in range(steps):
            inner.step(0)
        return inner

    def call(self) -> None:
        if not self.functions:
            return
        function, takes, gives = self.rng.choice(self.functions)
        value = self.pick(takes)
        if value:
            self.put(self.one("local." + function.name, [value[0]]), gives)

    def step(self, depth: int) -> None:
        makers = [
            (10, self.unary), (8, self.binary), (4, self.compare), (6, self.cast), (3, self.where), (6, self.layout),
            (3, self.reduce), (2, self.norm), (5, self.shape), (6, self.uses_shape),
        ]  # fmt: skip
        if depth:
            makers += [
                (1, self.mask), (1, self.empty_cache), (1, self.quantized), (0.5, self.branch), (0.3, self.loop),
                (2, self.call),
            ]  # fmt: skip
        chosen = self.rng.choices([m for _, m in makers], [w for w, _ in makers])[0]
        chosen()


def function(rng: random.Random, number: int, opset: int) -> tuple[Any, int, int]:
    inner = Maker(rng, opset, "N", "f_")
    takes = rng.choice([F32, F32, I64])
    inner.values = [("p", takes)]
    for _ in range(rng.randint(1, 4)):
        inner.step(0)
    name, gives = inner.pick() or ("", 0)
    inner.nodes.append(helper.make_node("Identity", [name], ["result"]))
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_function("local", f"F{number}", ["p"], ["result"], inner.nodes, imports), takes, gives


def capture_model(seed: int, opset: int | None = None) -> bytes:
    """The graph of a seed, of one of the opsets 11 to 24."""
    rng = random.Random(seed)  # noqa: S311  # a reproducible test input
    opset = opset or rng.randint(11, 24)
    rows: Any = rng.choice(["N", "N", 4])
    maker = Maker(rng, opset, rows)
    maker.functions = [function(rng, i, opset) for i in range(rng.choice([0, 0, 0, 1, 2]))]
    ports = [("x", F32), ("h", F16), ("i", I32), ("l", I64), ("b", BOOL)]
    chosen = [ports[0], *rng.sample(ports[1:], rng.choice([0, 0, 1, 2, 4]))]
    maker.values = list(chosen)
    if rng.random() < 0.6:  # most exported graphs begin on the device
        maker.put(maker.one("Relu", ["x"]), F32)
    for _ in range(rng.randint(2, 12)):
        maker.step(1)
    read = {name for node in maker.nodes for name in node.input}
    types = dict(maker.values)
    made = [name for node in maker.nodes for name in node.output if name in types]
    leaving = [n for n in made if (n not in read and rng.random() < 0.8) or rng.random() < 0.05] or made[-1:]
    outputs = [helper.make_tensor_value_info(name, types[name], None) for name in leaving]
    outputs += [helper.make_tensor_value_info(n, d, None) for n, d in dict(maker.extra_outputs).items()]
    info = helper.make_tensor_value_info
    inputs = [info(name, dtype, [rows, 4]) for name, dtype in chosen] + maker.inputs
    if not outputs:
        outputs = [info("y", F32, None)]
        maker.nodes.append(helper.make_node("Sqrt", ["x"], ["y"]))
    graph = helper.make_graph(maker.nodes, "random", inputs, outputs, maker.constants)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("local", 1), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(
        graph, opset_imports=opsets, functions=[f for f, _, _ in maker.functions], ir_version=min(10, 8 + (opset > 20))
    )
    return bytes(model.SerializeToString())
