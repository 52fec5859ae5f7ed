"""Random ONNX graphs without baked copies, in the shapes that exporters write: shape arithmetic, masks, empty caches,
foldable constants, branches, local functions, operators of com.microsoft. For comparison with a real runtime."""

from __future__ import annotations

import random
from typing import Any

from onnx import helper

from tests.artifact.capture_data import BOOL, F16, F32, I32, I64
from tests.artifact.capture_shapes import ShapeMaker


class Maker(ShapeMaker):
    """One graph with what may stand below it."""

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
