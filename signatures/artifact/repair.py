"""Taking baked copy nodes out of a model without changing what it computes.

A copy gives its input unchanged, so its readers can read the input instead. Where the copy is a graph output, the maker
of its input takes over that name; where no node makes it, or it leaves the graph under its own name too, the copy
becomes an Identity. Weights are not touched.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import onnx

COPIES = ("MemcpyFromHost", "MemcpyToHost")


def repair_memcpy(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of the model without `MemcpyFromHost` and `MemcpyToHost`, in branches, bodies and local functions too."""
    repaired = onnx.ModelProto()
    repaired.CopyFrom(model)
    _graph(repaired.graph, {})
    for function in repaired.functions:
        outputs = list(function.output)
        _repair(function, list(function.input), outputs, {})
    return repaired


def _graph(graph: Any, names: dict[str, str]) -> None:
    """Repairs one graph; `names` are new names for values of the graphs around it."""
    given = [value.name for value in graph.input] + [tensor.name for tensor in graph.initializer]
    given += [tensor.values.name for tensor in graph.sparse_initializer]
    made = set(given) | {output for node in graph.node for output in node.output}
    inherited = {old: new for old, new in names.items() if old not in made}
    applied = _repair(graph, given, [value.name for value in graph.output], inherited)
    for value in graph.output:
        value.name = applied.get(value.name, value.name)
    kept = [value for value in graph.value_info if value.name not in applied]
    del graph.value_info[:]
    graph.value_info.extend(kept)


def _repair(graph: Any, given: Iterable[str], outputs: list[str], inherited: dict[str, str]) -> dict[str, str]:
    """Repairs the nodes of a graph or function; gives the new names of values, outer ones included. Graph outputs keep
    their names unless the graph passes an outer value through."""
    names, dropped = _plan(graph.node, set(given), set(outputs))
    # A copy inside a body may read a value that the graph around it renamed.
    names = {**inherited, **{old: inherited.get(new, new) for old, new in names.items()}}
    kept = []
    for index, node in enumerate(graph.node):
        if index in dropped:
            continue
        for slot, name in enumerate(node.input):
            node.input[slot] = names.get(name, name)
        for slot, name in enumerate(node.output):
            node.output[slot] = names.get(name, name)
        if node.op_type in COPIES and node.domain in ("", "ai.onnx"):
            node.op_type = "Identity"
            node.ClearField("attribute")
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _graph(attribute.g, names)
            for body in attribute.graphs:
                _graph(body, names)
        kept.append(node)
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in kept]
    del graph.node[:]
    graph.node.extend(copies)
    return names


def _plan(nodes: Any, given: set[str], outputs: set[str]) -> tuple[dict[str, str], set[int]]:
    """(new names, indices of nodes to drop) for one level."""
    copies = {
        index: (node.input[0], node.output[0])
        for index, node in enumerate(nodes)
        if node.op_type in COPIES and node.domain in ("", "ai.onnx") and len(node.input) == len(node.output) == 1
    }
    source = {out: into for into, out in copies.values()}
    made = {output for index, node in enumerate(nodes) if index not in copies for output in node.output if output}

    def origin(name: str) -> str:
        seen = set()
        while name in source and name not in seen:
            seen.add(name)
            name = source[name]
        return name

    names: dict[str, str] = {}
    dropped: set[int] = set()
    taken: dict[str, str] = {}
    for index, (_, out) in copies.items():
        if out not in outputs:
            dropped.add(index)
            continue
        maker = origin(out)
        if maker in made and maker not in outputs and maker not in taken and maker not in given:
            taken[maker] = out
            dropped.add(index)
    for maker, out in taken.items():
        names[maker] = out
    for _, out in copies.values():
        start = origin(out)
        if out not in outputs:
            names[out] = taken.get(start, start)
    return names, dropped
