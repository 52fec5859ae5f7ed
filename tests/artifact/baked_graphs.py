"""Copy nodes put into any random graph the way an earlier placement leaves them, and ways it does not: in branches,
bodies and local functions, in chains, twice on one value, on initializers, before graph outputs."""

from __future__ import annotations

import random
from typing import Any

import onnx
from onnx import helper

SUFFIXES = ("_CUDAExecutionProvider", "_WebGpuExecutionProvider", "_DmlExecutionProvider", "")


def baked(model: bytes, seed: int) -> bytes:
    """The model with some copies in it."""
    rng = random.Random(seed)  # noqa: S311  # a reproducible test input
    proto = onnx.ModelProto.FromString(model)
    count = rng.choice([1, 1, 2, 3, 5])
    graphs: list[Any] = [proto.graph, *proto.functions]
    for graph in graphs:  # grows: bodies of bodies
        graphs.extend(a.g for node in graph.node for a in node.attribute if a.HasField("g"))
    for number in range(count):
        _copy(rng.choice(graphs[:1] * 3 + graphs), rng, f"_{seed}_{number}")
    return bytes(proto.SerializeToString())


def _copy(graph: Any, rng: random.Random, unique: str) -> None:
    """One value copied, once or in a chain, for some of its readers."""
    read = [(node, slot) for node in graph.node for slot, name in enumerate(node.input) if name]
    if not read:
        return
    node, slot = rng.choice(read)
    value = node.input[slot]
    out = value
    made = []
    for link in range(rng.choice([1, 1, 1, 2, 3])):
        op = "MemcpyFromHost" if rng.random() < 0.7 else "MemcpyToHost"
        into, out = out, f"{value}{unique}_{link}{rng.choice(SUFFIXES)}"
        made.append(helper.make_node(op, [into], [out], name=f"Memcpy_token{unique}_{link}"))
    if rng.random() < 0.15:  # the same value once more
        made.append(
            helper.make_node(made[0].op_type, [value], [f"{value}{unique}_again"], name=f"Memcpy{unique}_again")
        )
    for each, at in read:
        if each.input[at] == value and (rng.random() < 0.6 or (each is node and at == slot)):
            each.input[at] = out
    if isinstance(graph, onnx.GraphProto) and not rng.randrange(8):
        leaving = [o for o in graph.output if o.name == value]
        for output in leaving:
            output.name = out
    first = next((i for i, each in enumerate(graph.node) if value in each.output), -1) + 1
    nodes = [*graph.node[:first], *made, *graph.node[first:]]
    copies = [onnx.NodeProto.FromString(each.SerializeToString()) for each in nodes]
    del graph.node[:]
    graph.node.extend(copies)
