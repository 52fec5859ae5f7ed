"""Calls of local functions and decided branches, replaced by their bodies as ONNX Runtime replaces them."""

from __future__ import annotations

from collections.abc import Mapping

from signatures.artifact.ir import Graph, Model, Node, Value
from signatures.artifact.source import LimitReached

MAX_INLINED = 60_000
MAX_NESTED_CALLS = 200
MAX_WALKED = 2_000_000  # nodes looked at, over all levels of calls


class Inliner:
    def __init__(self, model: Model) -> None:
        self.functions = model.functions
        self.calls: dict[str, int] = {}
        self.made = 0
        self.walked = 0
        self.branches = 0  # decided branches put in place so far

    def expand(self, nodes: list[Node]) -> list[Node]:
        """Nodes with calls of local functions replaced by their bodies, level by level. Raises LimitReached where there
        is more to inline than is followed: what is left of calls then says nothing about the model."""
        if not self.functions:
            return nodes
        for _ in range(MAX_NESTED_CALLS):
            if not any((node.domain, node.op) in self.functions for node in nodes):
                return nodes
            self.walked += len(nodes)
            if self.walked > MAX_WALKED:
                raise LimitReached("too many nodes around calls of local functions")
            expanded: list[Node] = []
            for node in nodes:
                body = self.functions.get((node.domain, node.op))
                expanded += [node] if body is None else self._call(node, body)
            nodes = expanded
        raise LimitReached(f"local functions call each other more than {MAX_NESTED_CALLS} deep")

    def count(self, nodes: int) -> None:
        """Counts nodes that are put in place. Raises LimitReached."""
        self.made += nodes
        if self.made > MAX_INLINED:
            raise LimitReached(f"more than {MAX_INLINED} nodes once local functions and branches are put in place")

    def _call(self, call: Node, body: Graph) -> list[Node]:
        count = self.calls[call.op] = self.calls.get(call.op, -1) + 1
        prefix = f"_inlfunc_{call.op}_" + (f"token_{count - 1}_" if count else "")
        names = {value.name: "" for value in body.inputs}
        names.update(zip((value.name for value in body.inputs), call.inputs, strict=False))
        copies = []
        # An output that is also an input keeps the input's name: a body without nodes passes values through.
        for value, actual in zip(body.outputs, call.outputs, strict=False):
            if value.name not in names and actual:
                names[value.name] = actual
        for node in body.nodes:
            self.count(1)
            copies.append(_renamed(node, names, prefix, call))
        return copies


def _renamed(node: Node, names: Mapping[str, str], prefix: str, call: Node) -> Node:
    copy = Node.__new__(Node)
    copy.op, copy.domain, copy.index, copy.offset = node.op, node.domain, call.index, call.offset
    copy.name = f"{call.name}/{node.name}" if node.name else ""
    copy.attributes, copy.kinds = node.attributes, node.kinds
    copy.inputs = tuple(_name(name, names, prefix) for name in node.inputs)
    copy.outputs = tuple(_name(name, names, prefix) for name in node.outputs)
    copy.graphs = {key: _renamed_graph(body, names, prefix, call) for key, body in node.graphs.items()}
    return copy


def _renamed_graph(body: Graph, names: Mapping[str, str], prefix: str, call: Node) -> Graph:
    """A subgraph of an inlined body. Bodies inside bodies are renamed when their scope is made, one level each."""
    copy = Graph(body.path, body.parent, body.function)
    copy.inputs = [Value(_name(v.name, names, prefix), v.dtype, v.dims) for v in body.inputs]
    copy.outputs = [Value(_name(v.name, names, prefix), v.dtype, v.dims) for v in body.outputs]
    copy.values = {_name(v.name, names, prefix): v for v in body.values.values()}
    copy.tensors = [tensor._replace(name=_name(tensor.name, names, prefix)) for tensor in body.tensors]
    copy.initializers = {tensor.name: tensor for tensor in copy.tensors}
    for node in body.nodes:
        inner = Node.__new__(Node)
        inner.op, inner.domain, inner.name, inner.index, inner.offset = (
            node.op, node.domain, node.name, node.index, call.offset,
        )  # fmt: skip
        inner.attributes, inner.kinds, inner.graphs = node.attributes, node.kinds, node.graphs
        inner.inputs = tuple(_name(name, names, prefix) for name in node.inputs)
        inner.outputs = tuple(_name(name, names, prefix) for name in node.outputs)
        copy.nodes.append(inner)
    return copy


def _name(name: str, names: Mapping[str, str], prefix: str) -> str:
    return names.get(name, prefix + name) if name else ""


def taken_branch(node: Node, condition: int, number: int) -> tuple[list[Node], Graph]:
    """The nodes of the branch of an If that is taken, with its outputs under the names of the node's outputs, and the
    branch itself, renamed likewise, for its tensors and types."""
    branch = "then_branch" if condition else "else_branch"
    body = node.graphs[branch]
    own = {value for inner in body.nodes for value in inner.outputs if value}
    own |= {tensor.name for tensor in body.tensors}
    prefix = f"_if_{branch}_" + (f"{number}_" if number else "")
    names = {name: prefix + name for name in own}
    passed = []
    for value, out in zip(body.outputs, node.outputs, strict=False):
        if value.name in own and names[value.name] == prefix + value.name:
            names[value.name] = out
        elif out:  # an outer value, or one that leaves under two names
            passed.append((names.get(value.name, value.name), out))
    nodes = [_renamed(inner, _Kept(names), "", node) for inner in body.nodes]
    for inner in body.nodes[:1] if passed else ():
        for source, out in passed:
            same = _renamed(inner, _Kept(names), "", node)
            same.op, same.domain, same.graphs, same.attributes = "Identity", "", {}, {}
            same.inputs, same.outputs = (source,), (out,)
            nodes.append(same)
    return nodes, _renamed_graph(body, _Kept(names), "", node)


class _Kept(dict[str, str]):
    """New names; a name that has none stays."""

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]  # of names only
        return super().get(name, name if name else default)
