"""How a graph is wired once its baked copy nodes are gone: which nodes go, which names change, and what forbids it.

A copy gives its input unchanged, so its readers can read the input instead. Where the copy is an output of its graph,
the maker of its input takes over that name; where no node of the graph makes it, or it leaves the graph under its own
name too, the copy becomes an Identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

COPIES = ("MemcpyFromHost", "MemcpyToHost")


class NotProvable(Exception):
    """A repair that might change what the model computes; the message says why."""


class Wires(NamedTuple):
    """One node: `at` is its place among the nodes of its graph."""

    at: int
    op: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def copies(self) -> bool:
        return self.op in COPIES and self.domain in ("", "ai.onnx")


class Rewiring(NamedTuple):
    """`names`: new names of values, by old; `dropped`: indices of nodes that go; `identities`: of copies that stay as
    Identity."""

    names: dict[str, str]
    dropped: frozenset[int]
    identities: frozenset[int]


def rewire(
    nodes: Iterable[Wires], given: Iterable[str], outputs: Iterable[str], inherited: Mapping[str, str]
) -> Rewiring:
    """One graph. `given`: names of its inputs and initializers; `outputs`: those that leave it; `inherited`: new names
    of values of the graphs around it. Raises NotProvable."""
    nodes = list(nodes)
    leaving = set(outputs)
    made = _made(nodes, set(given))
    outer = {old: new for old, new in inherited.items() if old not in made}
    _not_shadowed(outer, made)
    source = {node.outputs[0]: node.inputs[0] for node in nodes if node.copies}
    makers = {name for node in nodes if not node.copies for name in node.outputs if name}
    taken: dict[str, str] = {}
    dropped, identities = set(), set()
    for node in nodes:
        if not node.copies:
            continue
        out = node.outputs[0]
        start = _origin(out, source)
        if out not in leaving:
            dropped.add(node.at)
        elif start in makers and start not in leaving and start not in taken:
            taken[start] = out
            dropped.add(node.at)
        else:
            identities.add(node.at)
    names = dict(taken)
    for out in source:
        if out not in leaving:
            start = _origin(out, source)
            names[out] = taken.get(start, outer.get(start, start))
    return Rewiring({**outer, **names}, frozenset(dropped), frozenset(identities))


def _made(nodes: list[Wires], given: set[str]) -> set[str]:
    made = set(given)
    for node in nodes:
        if node.copies and (
            len(node.inputs) != 1 or len(node.outputs) != 1 or not node.inputs[0] or not node.outputs[0]
        ):
            raise NotProvable(f"{node.op} {node.name!r} does not have one input and one output")
        for name in node.outputs:
            if name and name in made:
                raise NotProvable(f"{name} is defined twice in one graph")
            made.add(name)
    return made - {""}


def _not_shadowed(outer: Mapping[str, str], made: set[str]) -> None:
    """A body that makes a value under a name that its reads would be given."""
    for old, new in outer.items():
        if new in made:
            raise NotProvable(f"a body makes a value of its own named {new}, which {old} would become")


def _origin(name: str, source: Mapping[str, str]) -> str:
    seen = set()
    while name in source:
        if name in seen:
            raise NotProvable(f"copies around {name} read one another")
        seen.add(name)
        name = source[name]
    return name
