"""Random ONNX graphs with baked copies, for comparison with a real runtime: branches, loop bodies, local functions."""

from __future__ import annotations

import random
from typing import Any

from onnx import helper

F32, I32, I64, BOOL, F16 = 1, 6, 7, 9, 10  # onnx element types
UNARY = {
    F32: ("Relu", "Sqrt", "Neg", "Abs", "Sign", "Round", "Softsign", "Tanh", "Exp", "Identity", "Dropout", "Transpose"),
    F16: ("Relu", "Sqrt", "Neg", "Abs", "Sign", "Identity", "Transpose"),
    I32: ("Neg", "Abs", "Sign", "Identity", "Transpose"),
    I64: ("Neg", "Abs", "Sign", "Identity", "Transpose"),
    # No Not here: ONNX Runtime's fusion of Not into Where loses it where a Where also reads it as data.
    BOOL: ("Identity", "Transpose"),
}
BINARY = {
    F32: ("Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "MatMul"),
    F16: ("Add", "Sub", "Mul", "Max", "MatMul"),
    I32: ("Add", "Sub", "Mul", "Max", "Min", "Mod"),
    I64: ("Add", "Sub", "Mul", "Max", "Min", "Mod"),
    BOOL: ("And", "Or", "Xor"),
}
COMPARE = ("Equal", "Greater", "Less")
SUFFIXES = ("_CUDAExecutionProvider", "_WebGpuExecutionProvider", "", "_DmlExecutionProvider")


class Grower:
    """Grows one graph. Every data value is a 4x4 matrix of one of five types; `vectors` are INT64 shapes of two."""

    def __init__(self, rng: random.Random, prefix: str, functions: list[Any], baked: bool) -> None:
        self.rng = rng
        self.baked = baked
        self.prefix = prefix
        self.functions = functions
        self.nodes: list[Any] = []
        self.values: list[tuple[str, int]] = []
        self.vectors: list[str] = []
        self.constants: list[Any] = []
        self.read: set[str] = set()
        self.count = 0
        self.copies = 0

    def name(self, suffix: str = "") -> str:
        self.count += 1
        return f"{self.prefix}v{self.count}{suffix}"

    def pick(self, dtype: int | None = None) -> tuple[str, int] | None:
        found = [value for value in self.values if dtype is None or value[1] == dtype]
        value = self.rng.choice(found[-8:] if self.rng.random() < 0.7 else found) if found else None
        if value:
            self.read.add(value[0])
        return value

    def node(self, op: str, inputs: list[str], dtype: int, outputs: int = 1, **attributes: Any) -> str:
        names = [self.name() for _ in range(outputs)]
        domain = attributes.pop("domain", "")
        label = f"{self.prefix}n{len(self.nodes)}" if self.rng.random() < 0.8 else ""
        self.nodes.append(helper.make_node(op, inputs, names, name=label, domain=domain, **attributes))
        self.values.append((names[0], dtype))
        return names[0]

    def copy(self) -> None:
        suffix = self.rng.choice(SUFFIXES)
        op = "MemcpyFromHost" if self.rng.random() < 0.75 else "MemcpyToHost"
        if not self.baked:
            op = "Identity"
        label = "Memcpy" if self.copies == 0 else f"Memcpy_token_{self.copies}"
        self.copies += 1
        if self.vectors and self.rng.random() < 0.3:
            source = self.rng.choice(self.vectors)
            out = self.name(suffix)
            self.vectors.append(out)
        else:
            value = self.pick(self.rng.choice([I64, I64, None]))
            if value is None:
                return
            source, out = value[0], self.name(suffix)
            self.values.append((out, value[1]))
        self.nodes.append(helper.make_node(op, [source], [out], name=f"{self.prefix}{label}"))

    def shape_reader(self) -> None:
        value = self.pick(self.rng.choice([F32, I32, None]))
        if value is None or not self.vectors:
            return
        vector = self.rng.choice(self.vectors)
        op = self.rng.choice(["Reshape", "Expand"])
        out = self.node(op, [value[0], vector], value[1])
        # The shape is not known to be 4x4 any more: what follows reads it elementwise at most.
        self.values.pop()
        self.values.append((self.node("Abs" if value[1] != BOOL else "Not", [out], value[1]), value[1]))
        self.values.pop()
        self.values.pop()

    def step(self, depth: int) -> None:  # noqa: C901  # one weighted choice
        roll = self.rng.random()
        value = self.pick()
        assert value is not None
        name, dtype = value
        if roll < 0.22:
            self.copy()
        elif roll < 0.42:
            op = self.rng.choice(UNARY[dtype])
            self.node(op, [name], dtype)
        elif roll < 0.56:
            op = self.rng.choice(BINARY[dtype])
            other = self.pick(dtype)
            assert other is not None
            extra = {"fmod": 1} if op == "Mod" and dtype in (F32, F16) else {}
            self.node(op, [name, other[0]], dtype, **extra)
        elif roll < 0.68:
            to = self.rng.choice([F32, F32, I32, I64, I64, BOOL, dtype])
            self.node("Cast", [name], to, to=to)
        elif roll < 0.74 and dtype != BOOL:
            other = self.pick(dtype)
            assert other is not None
            self.node(self.rng.choice(COMPARE), [name, other[0]], BOOL)
        elif roll < 0.79:
            condition, other = self.pick(BOOL), self.pick(dtype)
            if condition and other:
                self.node("Where", [condition[0], name, other[0]], dtype)
        elif roll < 0.86:
            self.shape_reader()
        elif roll < 0.90:
            self.node("Gather", [name, self.index()], dtype, axis=0)
        elif roll < 0.93 and depth > 0:
            self.branch(depth)
        elif roll < 0.95 and depth > 0:
            self.loop(depth)
        elif roll < 0.98 and self.functions:
            self.call()
        else:
            self.vectors.append(self.node("Shape", [name], I64))
            self.values.pop()

    def index(self) -> str:
        name = self.name()
        self.constants.append(helper.make_tensor(name, I64, [4], [0, 1, 2, 3]))
        return name

    def scalar(self, dtype: int) -> str:
        name = self.name()
        self.constants.append(helper.make_tensor(name, dtype, [], [1]))
        return name

    def below(self, steps: int) -> Grower:
        inner = Grower(self.rng, self.name() + "_", self.functions, self.baked)
        inner.values = list(self.values[-6:])
        inner.vectors = list(self.vectors[-2:])
        for _ in range(steps):
            inner.step(0)
        return inner

    def branch(self, depth: int) -> None:
        bodies = {}
        dtype = self.rng.choice([F32, I64])
        for key in ("then_branch", "else_branch"):
            inner = self.below(self.rng.randint(1, 5))
            last = inner.pick()
            assert last is not None
            out = inner.node("Cast", [last[0]], dtype, to=dtype)
            out = inner.node("Abs", [out], dtype)
            bodies[key] = helper.make_graph(inner.nodes, key, [], [info(out, dtype)], inner.constants)
        condition = self.name()
        self.conditions.append(condition)
        self.node("If", [condition], dtype, **bodies)

    conditions: list[str]

    def loop(self, depth: int) -> None:
        start = self.pick(self.rng.choice([F32, I64]))
        if start is None:
            return
        inner = self.below(0)
        carried = inner.name()
        inner.values.append((carried, start[1]))
        for _ in range(self.rng.randint(1, 5)):
            inner.step(0)
        last = inner.pick()
        assert last is not None
        out = inner.node("Cast", [last[0]], start[1], to=start[1])
        out = inner.node("Abs", [out], start[1])
        turn, go = inner.name(), inner.name()
        going = inner.node("Identity", [go], BOOL)
        inputs = [info(turn, I64, []), info(go, BOOL, []), info(carried, start[1])]
        outputs = [info(going, BOOL, []), info(out, start[1])]
        body = helper.make_graph(inner.nodes, "body", inputs, outputs, inner.constants)
        self.node("Loop", [self.scalar(I64), self.scalar(BOOL), start[0]], start[1], body=body)

    def call(self) -> None:
        function, takes, gives = self.rng.choice(self.functions)
        arguments = [self.pick(dtype) for dtype in takes]
        if all(arguments):
            self.node(function.name, [a[0] for a in arguments if a], gives, domain="local")


def info(name: str, dtype: int, dims: list[int] | None = None) -> Any:
    return helper.make_tensor_value_info(name, dtype, [4, 4] if dims is None else dims)


def make_function(rng: random.Random, number: int, opset: int, baked: bool) -> tuple[Any, list[int], int]:
    inner = Grower(rng, "f_", [], baked)
    takes = [rng.choice([F32, I64]) for _ in range(rng.randint(1, 2))]
    inner.values = [(f"p{i}", dtype) for i, dtype in enumerate(takes)]
    for _ in range(rng.randint(2, 5)):
        inner.step(0)
    if rng.random() < 0.6:
        inner.copy()
        inner.step(0)
    last = inner.pick()
    assert last is not None
    gives = last[1]
    inner.nodes.append(helper.make_node("Identity" if gives == BOOL else "Abs", [last[0]], ["result"], name="end"))
    # Functions have no initializers: constants become nodes.
    constants = [helper.make_node("Constant", [], [t.name], value=t) for t in inner.constants]
    function = helper.make_function(
        "local", f"F{number}", [f"p{i}" for i in range(len(takes))], ["result"], constants + inner.nodes,
        [helper.make_opsetid("", opset)],
    )  # fmt: skip
    return function, takes, gives


def random_model(seed: int, *, copies: bool = True, opset: int = 17) -> bytes:
    """The graph of a seed. Without `copies` no baked copy is in it."""
    rng = random.Random(seed)  # noqa: S311  # a reproducible test input
    functions = [make_function(rng, i, opset, copies) for i in range(rng.choice([0, 0, 1, 2]))]
    grower = Grower(rng, "", functions, copies)
    grower.conditions = []
    inputs = [("x", F32), ("i", I32), ("l", I64), ("b", BOOL), ("h", F16)][: rng.randint(2, 5)]
    grower.values = list(inputs)
    grower.vectors = ["s"]
    for _ in range(rng.randint(4, 16)):
        grower.step(1)
    outputs, made = [], [value for node in grower.nodes for value in node.output]
    types = dict(grower.values)
    read = {name for node in grower.nodes for name in node.input}
    for name in made:
        if name in types and (name not in read or rng.random() < 0.1):
            outputs.append(info(name, types[name], ["A", "B"]))  # type: ignore[list-item]  # symbolic on purpose
    if not outputs:
        outputs = [helper.make_empty_tensor_value_info(made[-1])] if made else [info("x", F32)]
    graph_inputs = [info(name, dtype) for name, dtype in inputs] + [info("s", I64, [2])]
    graph_inputs += [info(name, BOOL, []) for name in grower.conditions]
    graph = helper.make_graph(grower.nodes, "random", graph_inputs, outputs, grower.constants)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)]
    model = helper.make_model(graph, opset_imports=opsets, functions=[f for f, _, _ in functions], ir_version=8)
    return bytes(model.SerializeToString())
