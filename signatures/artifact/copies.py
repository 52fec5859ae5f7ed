"""Baked copy nodes: which of them make ONNX Runtime define one name twice when it places the graph again.

The rule was found by measurement. A baked `MemcpyFromHost` collides when something reads its output in host memory:
the placement pass then wants a copy back before that value, does not see the baked node as its maker, and gives the
new copy the old name. Where the answer depends on a type or an operator that the placement table does not know, the
reader is reported as undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from signatures.artifact.flow import CAPTURED, CONTROL_FLOW, Scope
from signatures.artifact.ir import Node, dtype_name
from signatures.artifact.optimizer import removed
from signatures.artifact.placement import Row, Table
from signatures.artifact.types import key

FROM_HOST, TO_HOST = "MemcpyFromHost", "MemcpyToHost"
MAX_BEHIND = 500  # values behind one copy that are followed


class Reader(NamedTuple):
    """`value` was made by the baked `copy`; `node` reads it in slot `slot`. `host`: None where undecided, `why`."""

    copy: Node
    value: str
    node: Node
    slot: int
    host: bool | None
    why: str


# Operators that were measured in several forms: (operator, row, input that is there, input that is absent).
_FORMS = (
    ("Resize", "/sizes", 3, None),
    ("Attention", "/past", 4, None),
    ("Attention", "/mask", 3, None),
    ("com.microsoft.GroupQueryAttention", "/packed", 0, 1),
    ("com.microsoft.GroupQueryAttention", "/rotary", 7, None),
    ("com.microsoft.MultiHeadAttention", "/past", 6, None),
    ("com.microsoft.MatMulNBits", "/bias", 5, None),
)
# The last measured input of these stands for all that follow it.
VARIADIC = frozenset(["Concat", "Sum", "Max", "Min", "Mean", "Einsum"])


def row_key(node: Node) -> str:
    """The row of a node in a placement table: Cast has one per target type, some operators one per set of inputs."""
    name = key(node)
    if name == "Cast":
        return f"Cast->{dtype_name(node.int('to'))}"
    for operator, form, there, absent in _FORMS:
        if operator == name and _given(node, there) and (absent is None or not _given(node, absent)):
            return name + form
    return f"{name}/8" if name == "com.microsoft.MatMulNBits" and node.int("bits") == 8 else name


def _given(node: Node, slot: int) -> bool:
    return slot < len(node.inputs) and bool(node.inputs[slot])


def decisive_slot(node: Node) -> int:
    """The input whose element type selects the kernel."""
    return {"Where": 1, "OneHot": 2, "If": 0, "Loop": 0}.get(node.op, 0) if not node.domain else 0


def row_of(scope: Scope, node: Node, table: Table, opset: int | None, source: Callable[[str], str] = str) -> Row | None:
    """The placement row of a node, None where its type or operator is not known. `source` gives the value that a name
    stands for once pass-through operators are gone."""
    slots = (1, 2) if node.op == "Where" else (decisive_slot(node),)
    names = [node.inputs[slot] for slot in slots if slot < len(node.inputs)]
    dtype = next((found for name in names if (found := scope.types.get(source(name))) is not None), None)
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
    read = reads(row.host, row, node, slot)
    if read is None:
        return None, f"input {slot} of {node.op} was not measured"
    if read and row.place == "cpu":
        return True, f"{node.op} of this type runs on the CPU"
    return read, f"input {slot} of {node.op} is read in host memory" if read else ""


def reads(host: frozenset[int], row: Row, node: Node, slot: int) -> bool | None:
    """Whether an input slot is among those read in host memory; None where that slot was not measured."""
    if slot < row.slots:
        return slot in host
    if key(node) in VARIADIC or (not node.domain and node.op in CONTROL_FLOW):
        return row.slots - 1 in host
    return True if host and len(host) >= row.slots else None  # on the CPU every input is
