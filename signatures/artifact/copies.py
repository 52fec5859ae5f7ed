"""Baked copy nodes: which of them make ONNX Runtime define one name twice when it places the graph again.

The rule was found by measurement. A baked `MemcpyFromHost` collides when something reads its output in host memory:
the placement pass then wants a copy back before that value, does not see the baked node as its maker, and gives the
new copy the old name. Where the answer depends on a type or an operator that the placement table does not know, the
reader is reported as undecided.
"""

from __future__ import annotations

from typing import NamedTuple

from signatures.artifact.flow import CAPTURED, CONTROL_FLOW, Scope
from signatures.artifact.ir import Node
from signatures.artifact.placement import Row, Table
from signatures.artifact.types import key

FROM_HOST, TO_HOST = "MemcpyFromHost", "MemcpyToHost"
MAX_CHAIN = 64
MAX_BEHIND = 500  # values behind one copy that are followed


class Reader(NamedTuple):
    """`value` was made by the baked `copy`; `node` reads it in slot `slot`. `host`: None where undecided, `why`."""

    copy: Node
    value: str
    node: Node
    slot: int
    host: bool | None
    why: str


def row_key(node: Node) -> str:
    """The row of a node in a placement table: Cast has one per target type."""
    from signatures.artifact.ir import dtype_name

    if node.op == "Cast" and not node.domain:
        return f"Cast->{dtype_name(node.int('to'))}"
    return key(node)


def decisive_slot(node: Node) -> int:
    """The input whose element type selects the kernel."""
    return {"Where": 1, "OneHot": 2, "If": 0, "Loop": 0}.get(node.op, 0) if not node.domain else 0


def row_of(scope: Scope, node: Node, table: Table, opset: int | None) -> Row | None:
    """The placement row of a node, None where its type or operator is not known."""
    slot = decisive_slot(node)
    dtype = scope.dtype(node, slot)
    if dtype is None and node.op == "Where":
        dtype = scope.dtype(node, 2)
    name = row_key(node)
    answers = set(table.rows(name, opset).values())
    if dtype is None and len(answers) == 1:
        return answers.pop()  # whatever the type, the answer is the same
    return table.row(name, dtype, opset)


def host_readers(scope: Scope, copy: Node, table: Table, opset: int | None) -> list[Reader]:
    """Readers of a baked copy's output that read, or may read, in host memory. Operators that the optimizer removes are
    looked through."""
    found: list[Reader] = []
    start = copy.outputs[0] if copy.outputs else ""
    waiting = list(scope.twins.get(start, (start,) if start else ()))
    seen = set(waiting)
    if scope.folded(copy) or id(copy) in scope.dead:
        return []
    while waiting and len(seen) < MAX_BEHIND:
        value = waiting.pop()
        for node, slot in scope.readers.get(value, ()):
            if scope.folded(node) or id(node) in scope.dead:
                continue
            if removed(scope, node, slot):
                behind = node.outputs[0] if node.outputs else ""
                if behind and behind not in seen:
                    seen.add(behind)
                    waiting.append(behind)
                continue
            host, why = reads_in_host_memory(scope, node, slot, table, opset)
            if host is not False:
                found.append(Reader(copy, start, node, slot, host, why))
    return found


def removed(scope: Scope, node: Node, slot: int) -> bool:
    """Whether the optimizer takes this node out, so that its readers read its input."""
    if node.domain or slot != 0 or not node.outputs:
        return False
    leaves = node.outputs[0] in scope.outputs
    if node.op == "Identity":
        read = any(not scope.folded(reader) for reader, _ in scope.readers.get(node.outputs[0], ()))
        return not leaves or (not read and _takes_name(scope, node.inputs[0]))
    if leaves:
        return False
    if node.op == "Cast":
        return scope.dtype(node) is not None and scope.dtype(node) == node.int("to")
    if node.op == "Expand":
        return _widens_nothing(scope, node)
    if node.op == "Dropout":
        training = node.inputs[2] if len(node.inputs) > 2 else ""
        return not training and not any(name in scope.readers for name in node.outputs[1:])
    return False


def _widens_nothing(scope: Scope, node: Node) -> bool:
    """Whether an Expand is to a constant shape that its input has already."""
    have = scope.shapes.get(node.inputs[0])
    want = scope.values.get(node.inputs[1]) if len(node.inputs) > 1 else None
    if have is None or want is None or len(want) > len(have):
        return False
    return all(size in (1, there) for size, there in zip(reversed(want), reversed(have), strict=False))


def _takes_name(scope: Scope, source: str) -> bool:
    """Whether the maker of a value can make it under the name of a graph output: nothing else reads it, it does not
    leave the graph itself, and it is no graph input behind pass-through operators."""
    for _ in range(MAX_CHAIN):
        readers = [reader for reader, _ in scope.readers.get(source, ()) if not scope.folded(reader)]
        maker = scope.producer.get(source)
        if len(readers) != 1 or source in scope.outputs or maker is None:
            return False
        if maker.op != "Identity" or maker.domain:
            return True
        source = maker.inputs[0] if maker.inputs else ""
    return False


def reads_in_host_memory(
    scope: Scope, node: Node, slot: int, table: Table, opset: int | None
) -> tuple[bool | None, str]:
    """(True | False | None where undecided, why) for one reader on the execution provider of `table`."""
    if not node.domain and node.op == FROM_HOST:
        return True, "another baked MemcpyFromHost reads it in host memory"
    if not node.domain and node.op == TO_HOST:
        return False, ""
    if slot == CAPTURED:  # the placement pass counts what a body reads from outside as read on the device
        return (False, "") if node.op in ("If", "Loop") else (None, f"reads from bodies of {node.op} were not measured")
    row = row_of(scope, node, table, opset)
    if row is None:
        known = table.knows(row_key(node), opset)
        lacking = "the element type is not known" if known else "the operator was not measured"
        return None, lacking
    if node.op == "Identity" and not node.domain:
        return row.place == "cpu", "Identity of this type runs on the CPU"
    if slot in row.host:
        if row.place == "cpu":
            return True, f"{node.op} of this type runs on the CPU"
        return True, f"input {slot} of {node.op} is read in host memory"
    if row.place == "cpu" and node.op not in CONTROL_FLOW and slot >= _measured_slots(row, node):
        return True, f"{node.op} of this type runs on the CPU"
    return False, ""


def _measured_slots(row: Row, node: Node) -> int:
    """A variadic operator was measured with two inputs; on the CPU each further one is read there too."""
    del node
    return max(row.host, default=-1) + 1
