"""Which operators ONNX Runtime's optimizer takes out before it places a graph, as far as that was measured."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from signatures.artifact.ir import Node

if TYPE_CHECKING:
    from signatures.artifact.flow import Scope

MAX_CHAIN = 64
MAX_READERS = 500  # of one value that are looked at


def cancelled(scope: Scope, node: Node) -> str | None:
    """The value that a Transpose gives back when it undoes the Transpose before it."""
    before = scope.producer.get(node.inputs[0]) if node.op == "Transpose" and not node.domain and node.inputs else None
    if before is None or before.op != "Transpose" or before.domain or not before.inputs:
        return None
    first, second = before.attributes.get("perm"), node.attributes.get("perm")
    if first is None and second is None:
        return before.inputs[0]
    if type(first) is not tuple or type(second) is not tuple or len(first) != len(second):
        return None
    undone = all(0 <= at < len(first) and first[at] == number for number, at in enumerate(second))
    return before.inputs[0] if undone else None


def dangling(scope: Scope, node: Node) -> bool:
    """An Identity, a Cast to the same type, or a Transpose that undoes another, whose output nobody reads."""
    if node.domain or any(name in scope.outputs or scope.readers.get(name) for name in node.outputs):
        return False
    same = node.op == "Cast" and scope.dtype(node) is not None and scope.dtype(node) == node.int("to")
    return node.op == "Identity" or same or cancelled(scope, node) is not None


# Element types in the order in which a Cast to a later one keeps every value, as ONNX Runtime sees it.
_WIDTHS = {9: (0, 1), 2: (1, 8), 3: (1, 8), 4: (1, 16), 5: (1, 16), 6: (1, 32), 12: (1, 32), 7: (1, 64), 13: (1, 64),
           10: (2, 16), 16: (2, 16), 1: (2, 32), 11: (2, 64)}  # fmt: skip


def recast(scope: Scope, node: Node) -> str | None:
    """The value that a Cast reads once the widening Cast before it is fused into it."""
    if node.op != "Cast" or node.domain or not node.inputs:
        return None
    before = scope.producer.get(_through(scope, node.inputs[0]))
    if before is None or before.op != "Cast" or before.domain or not before.inputs:
        return None
    start, middle = _WIDTHS.get(scope.types.get(before.inputs[0], 0)), _WIDTHS.get(before.int("to") or 0)
    return before.inputs[0] if start is not None and middle is not None and start <= middle else None


def alive(scope: Scope, name: str) -> list[Node]:
    """Readers of a value that are left."""
    readers = (reader for reader, _ in scope.readers.get(name, ()))
    return [reader for reader in readers if not scope.folded(reader) and id(reader) not in scope.dead]


def behind(scope: Scope, name: str) -> list[tuple[Node, int]]:
    """Readers of a value, those behind Identities among them."""
    found: list[tuple[Node, int]] = []
    waiting, seen = [name], {name}
    while waiting and len(seen) < MAX_CHAIN:
        for reader, slot in scope.readers.get(waiting.pop(), ()):
            passes = reader.op == "Identity" and not reader.domain and reader.outputs[0] not in scope.outputs
            if not passes:
                found.append((reader, slot))
            elif reader.outputs[0] not in seen:
                seen.add(reader.outputs[0])
                waiting.append(reader.outputs[0])
    return found


def shape_only(scope: Scope, node: Node) -> bool:
    """Whether of what a control-flow node makes only the shape is read, so that it may be dropped."""
    readers = [reader for name in node.outputs if name for reader in alive(scope, name)]
    read = any(name in scope.readers for name in node.outputs)
    leaves = any(name in scope.outputs for name in node.outputs)
    return read and not leaves and all(reader.op == "Shape" and not reader.domain for reader in readers)


def for_reshape(scope: Scope) -> frozenset[int]:
    """Operators (by id) whose results serve as the shape of a Reshape and nothing else: they may be fused away."""
    found: set[int] = set()
    for node in reversed(scope.nodes):
        leaves = any(name in scope.outputs for name in node.outputs)
        reading = [each for name in node.outputs if name for each in scope.readers.get(name, ())]
        shapes = all((r.op == "Reshape" and not r.domain and slot == 1) or id(r) in found for r, slot in reading)
        if reading and shapes and not leaves:
            found.add(id(node))
    return frozenset(found)


def negates(scope: Scope, node: Node) -> bool:
    """Whether a Not only decides Where operators, which then take their values the other way round."""
    if node.op != "Not" or node.domain or not node.inputs or node.outputs[0] in scope.outputs:
        return False
    readers = behind(scope, node.outputs[0])
    return bool(readers) and all(reader.op == "Where" and slot == 0 for reader, slot in readers)


def removed(scope: Scope, node: Node, slot: int) -> bool:
    """Whether the optimizer takes this node out, so that its readers read its input."""
    if node.domain or slot != 0 or not node.outputs:
        return False
    leaves = node.outputs[0] in scope.outputs
    if node.op == "Identity":
        return not leaves or (not alive(scope, node.outputs[0]) and takes_name(scope, node.inputs[0]))
    if leaves:
        return False
    if node.op == "Cast":
        return (scope.dtype(node) is not None and scope.dtype(node) == node.int("to")) or _only_measured(scope, node)
    if node.op == "Expand":
        return scope.producer.get(_through(scope, node.inputs[0])) is not None and _widens_nothing(scope, node)
    if node.op in _NEUTRAL:
        return len(node.inputs) == 2 and _is_number(scope, node.inputs[1], _NEUTRAL[node.op])
    if node.op == "Dropout":
        training = node.inputs[2] if len(node.inputs) > 2 else ""
        return not training and not any(name in scope.readers for name in node.outputs[1:])
    return False


_NEUTRAL = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1}  # what leaves the other operand as it is
_PACKED = {1: "<f", 10: "<e", 11: "<d"}


def _is_number(scope: Scope, name: str, number: int) -> bool:
    """Whether a constant of one element is this number."""
    known = scope.value(name)
    if known is not None:
        return known == (number,)
    maker = scope.producer.get(name)
    tensor = scope.graph.initializers.get(name) or (maker.tensor() if maker is not None else None)
    if tensor is None or name not in scope.constant or tensor.elements != 1:
        return False
    packed = _PACKED.get(tensor.dtype)
    if packed is None or tensor.external is not None or len(tensor.data) != struct.calcsize(packed):
        return False
    return bool(struct.unpack(packed, tensor.data)[0] == number)


def _through(scope: Scope, name: str) -> str:
    """The value behind Identities."""
    for _ in range(MAX_CHAIN):
        maker = scope.producer.get(name)
        if maker is None or maker.op != "Identity" or maker.domain or not maker.inputs:
            break
        name = maker.inputs[0]
    return name


def _only_measured(scope: Scope, node: Node) -> bool:
    """Whether nothing but Shape reads a Cast, so that Shape reads what the Cast does."""
    readers = behind(scope, node.outputs[0])
    shapes = bool(readers) and all(reader.op == "Shape" and not reader.domain for reader, _ in readers)
    return shapes and (scope.opset is None or scope.opset >= 13)  # the rewrite is made for Cast 13 and later


def _widens_nothing(scope: Scope, node: Node) -> bool:
    """Whether an Expand is to a constant shape that its input has already."""
    have = scope.dims.get(node.inputs[0])
    want = scope.value(node.inputs[1]) if len(node.inputs) > 1 else None
    if have is None or want is None or len(want) > len(have):
        return False
    return all(size in (1, there) for size, there in zip(reversed(want), reversed(have), strict=False))


def takes_name(scope: Scope, source: str) -> bool:
    """Whether the maker of a value can make it under the name of a graph output: nothing else reads it, it does not
    leave the graph itself, and it is no graph input behind pass-through operators."""
    for _ in range(MAX_CHAIN):
        maker = scope.producer.get(source)
        if source in scope.outputs or maker is None or len(scope.readers.get(source, ())) > MAX_READERS:
            return False
        if len(alive(scope, source)) != 1:
            return False
        if maker.op != "Identity" or maker.domain:
            return True
        source = maker.inputs[0] if maker.inputs else ""
    return False
