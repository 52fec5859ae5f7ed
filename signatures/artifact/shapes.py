"""Dimensions of values, and the integers that shape arithmetic gives, carried along a graph by simple rules.

Not ONNX shape inference: that stops at operators without a schema, which baked copies are, and is C++ on hostile input.
A dimension or number that is not known is None; a rule that is not here gives nothing, never a guess.
"""

from __future__ import annotations

from collections.abc import Mapping

from signatures.artifact.integers import ARITHMETIC, MAX_INTS, constant_ints, paired, part, tensor_ints, truths
from signatures.artifact.ir import Graph, Node
from signatures.artifact.shape_rules import MAX_RANK, RULES, Dims, broadcast
from signatures.artifact.types import BOOL, ELEMENTWISE, I32, I64, SAME_SHAPE, key

_COMPARED = 16  # before this opset ONNX Runtime knows no shape of GreaterOrEqual and LessOrEqual


class Inference:
    """`dims` and `ints` by value name. `ints` are the elements of integer and boolean values of rank 0 or 1; only what
    stands in `constant` is known to the constant folder."""

    def __init__(self, dims: Mapping[str, Dims], ints: Mapping[str, Dims], opset: int | None = None) -> None:
        self.opset = opset
        self.dims = dict(dims)
        self.ints = dict(ints)

    def graph(self, graph: Graph, nodes: list[Node]) -> None:
        """Takes in what the graph declares and then works out the rest. Files may be unsorted; three passes settle
        all but the contrived."""
        inputs = {value.name for value in graph.inputs}
        for value in (*graph.values.values(), *graph.outputs, *graph.inputs):
            if value.dims is not None and len(value.dims) <= MAX_RANK:
                self.dims[value.name] = value.dims
        for tensor in graph.tensors:
            self.dims[tensor.name] = tensor.dims
            numbers = tensor_ints(tensor) if tensor.name not in inputs else None
            if numbers is not None:
                self.ints[tensor.name] = numbers
        self.dims.pop("", None)
        pending = nodes
        for _ in range(3):
            pending = [node for node in pending if not self._node(node)]
            if not pending:
                break

    def _node(self, node: Node) -> bool:
        found = self._dims(node)
        for name, dims in zip(node.outputs, found, strict=False):
            if name and dims is not None and len(dims) <= MAX_RANK:
                self.dims[name] = _merged(self.dims.get(name), dims)
        numbers = self._ints(node)
        if numbers is not None and node.outputs and len(numbers) <= MAX_INTS:
            self.ints[node.outputs[0]] = numbers
        return bool(found) and found[0] is not None

    def of(self, node: Node, slot: int) -> Dims | None:
        return self.dims.get(node.inputs[slot]) if slot < len(node.inputs) and node.inputs[slot] else None

    def numbers(self, node: Node, slot: int, attribute: str = "") -> Dims | None:
        """Integers of an input, or of the attribute that held them before."""
        if attribute and attribute in node.attributes:
            value = node.attributes[attribute]
            return value if type(value) is tuple else (value,) if isinstance(value, int) else None
        return self.ints.get(node.inputs[slot]) if slot < len(node.inputs) and node.inputs[slot] else None

    def _dims(self, node: Node) -> tuple[Dims | None, ...]:
        op = key(node)
        if op in SAME_SHAPE:
            return (self.of(node, 0),) * max(1, len(node.outputs))
        if op in ELEMENTWISE:
            if op.endswith("OrEqual") and self.opset is not None and self.opset < _COMPARED:
                return ()
            return (broadcast([self.of(node, slot) for slot in range(len(node.inputs))]),)
        if op.startswith("Reduce") or op in ("ArgMax", "ArgMin"):
            return (self._reduced(node, op),)
        rule = RULES.get(op)
        found = rule(self, node) if rule is not None else None
        if found is None:
            return ()
        return found if found and isinstance(found[0], tuple) else (found,)  # type: ignore[return-value]  # either

    def _reduced(self, node: Node, op: str) -> Dims | None:
        first = self.of(node, 0)
        if first is None:
            return None
        if op.startswith("Arg"):
            axes: Dims | None = (node.int("axis") or 0,)
        else:
            given = len(node.inputs) > 1 and node.inputs[1]
            axes = self.numbers(node, 1, "axes") if given or "axes" in node.attributes else tuple(range(len(first)))
            if not given and node.int("noop_with_empty_axes"):
                return first
        keep = node.int("keepdims") != 0
        if axes is None or None in axes:
            return (None,) * len(first) if keep else None
        gone = {axis + len(first) if axis < 0 else axis for axis in axes if axis is not None}
        if keep:
            return tuple(1 if at in gone else dim for at, dim in enumerate(first))
        return tuple(dim for at, dim in enumerate(first) if at not in gone)

    def _ints(self, node: Node) -> Dims | None:
        op = node.op if not node.domain else ""
        if op == "Constant":
            return constant_ints(node)
        first = self.ints.get(node.inputs[0]) if node.inputs else None
        if op == "Shape":
            dims = self.of(node, 0)
            return None if dims is None else part(dims, node.int("start"), node.int("end"))
        if op in ("Identity", "Unsqueeze", "Squeeze", "MemcpyFromHost", "MemcpyToHost"):
            return first
        if op == "Cast":
            return first if node.int("to") in (I64, I32) else truths(first) if node.int("to") == BOOL else None
        if op == "Not":
            return None if first is None else tuple(None if v is None else int(not v) for v in first)
        if op == "Reshape":
            return first if len(self.of(node, 1) or ()) == 1 else None
        if op == "Gather":
            return self._gathered(node, first)
        if op == "Slice":
            return self._sliced_ints(node, first)
        if op == "Concat":
            parts = [self.ints.get(name) for name in node.inputs]
            return None if None in parts else tuple(v for part in parts for v in part or ())
        if op in ARITHMETIC and len(node.inputs) == 2:
            return paired(ARITHMETIC[op], first, self.ints.get(node.inputs[1]))
        return None

    def _gathered(self, node: Node, first: Dims | None) -> Dims | None:
        at = self.numbers(node, 1)
        if first is None or at is None or (self.of(node, 0) is not None and len(self.of(node, 0) or ()) != 1):
            return None
        inside = all(i is not None and -len(first) <= i < len(first) for i in at)
        return tuple(first[i] for i in at if i is not None) if inside else None

    def _sliced_ints(self, node: Node, first: Dims | None) -> Dims | None:
        starts, ends = self.numbers(node, 1, "starts"), self.numbers(node, 2, "ends")
        steps = self.numbers(node, 4) if len(node.inputs) > 4 and node.inputs[4] else (1,)
        if first is None or starts is None or ends is None or steps is None:
            return None
        start, end, step = (*starts, None)[0], (*ends, None)[0], (*steps, None)[0]
        return first[start:end:step] if start is not None and end is not None and step else None


def _merged(old: Dims | None, new: Dims) -> Dims:
    """What is declared and what follows, together."""
    if old is None or len(old) != len(new):
        return new if old is None else old
    return tuple(b if a is None else a for a, b in zip(old, new, strict=True))
