"""What keeps a session from capturing its graph: values that would be copied between host and device memory.

ONNX Runtime refuses capture exactly where a copy node is left after placement. It is not enough that an operator runs
on the CPU: a shape computed there and read there costs no copy. The rules below were compared with real sessions; where
a row of the table or a type is missing, the value is undecided.
"""

from __future__ import annotations

from typing import NamedTuple

from signatures.artifact.copies import FROM_HOST, TO_HOST, reads, row_key, row_of
from signatures.artifact.flow import CONTROL_FLOW, Scope
from signatures.artifact.ir import Node
from signatures.artifact.optimizer import behind, cancelled, for_reshape, negates, recast, removed
from signatures.artifact.placement import Row, Table
from signatures.artifact.types import I64

HOST, DEVICE = "host", "device"
_ON_HOST = ("Shape", TO_HOST)  # run on the device and leave their result in host memory
MAX_TRACED = 500
MAX_BLOCKERS = 300


class Blocker(NamedTuple):
    """A copy that would be needed. `kind`: cpu-op | shape | int64 | input. `node` is the operator to change. `certain`
    is False where the chain only makes the shape of a Reshape, which the optimizer may fuse away."""

    kind: str
    node: Node
    value: str
    detail: str
    certain: bool = True


class Capture(NamedTuple):
    blockers: tuple[Blocker, ...]
    undecided: tuple[str, ...]


def blockers(scope: Scope, table: Table, opset: int | None) -> Capture:
    """Blockers of one graph, one per operator and kind, in file order."""
    return _Sides(scope, table, opset).find()


class _Sides:
    """On which side each operator of one graph is, and where values cross."""

    def __init__(self, scope: Scope, table: Table, opset: int | None) -> None:
        self.scope = scope
        self.table = table
        self.opset = opset
        self.alias: dict[str, str] = {}
        self.instead: dict[int, str] = {}  # by id(node): what it reads for its first input once operators are fused
        self.rows: dict[int, Row | None] = {}
        self.host: dict[int, bool | None] = {}  # by id(node): runs on the CPU, None where unknown
        self.on_host: set[str] = set()  # values that device operators leave in host memory
        self.nodes = self._living()
        self.fused = for_reshape(scope)

    def _living(self) -> list[Node]:
        """Operators that are left once constants are folded and pass-through operators removed."""
        out = []
        for node in self.scope.nodes:
            if self.scope.folded(node) or id(node) in self.scope.dead:
                continue
            before, wide = cancelled(self.scope, node), recast(self.scope, node)
            passed = self._passes(node, before, wide)
            if passed is not None:
                self.alias[node.outputs[0]] = self.source(passed)
            elif not self._fused(node):
                instead = before if before is not None else wide
                if instead is not None:
                    self.instead[id(node)] = self.source(instead)
                out.append(node)
        return out

    def _passes(self, node: Node, before: str | None, wide: str | None) -> str | None:
        """The value that readers of a node read in its place, None where the node stays."""
        if before is not None and (not self._leaves(node) or self._named(before)):
            return before
        if negates(self.scope, node) or (removed(self.scope, node, 0) and node.inputs and node.inputs[0]):
            return node.inputs[0]
        same = wide is not None and self.scope.types.get(wide) == node.int("to")
        return wide if same and not self._leaves(node) else None

    def _named(self, source: str) -> bool:
        """Whether the maker of a value can give it another name, that of a graph output."""
        return source in self.scope.producer and source not in self.scope.outputs

    def _leaves(self, node: Node) -> bool:
        return any(name in self.scope.outputs for name in node.outputs)

    def _fused(self, node: Node) -> bool:
        """A Cast that only Casts read, all of which read its input instead."""
        readers = [r for r, _ in behind(self.scope, node.outputs[0])] if node.op == "Cast" and not node.domain else []
        return bool(readers) and not self._leaves(node) and all(recast(self.scope, reader) for reader in readers)

    def source(self, name: str) -> str:
        return self.alias.get(name, name)

    def reads(self, node: Node) -> list[tuple[int, str]]:
        """(slot, value) of what a node reads, constants left out."""
        found = [(slot, self.source(name)) for slot, name in enumerate(node.inputs) if name]
        if id(node) in self.instead:
            found[0] = (0, self.instead[id(node)])
        return [(slot, name) for slot, name in found if name not in self.scope.constant]

    def find(self) -> Capture:
        for node in self.nodes:
            self._place(node)
        readers: dict[str, list[tuple[Node, int]]] = {}
        for node in self.nodes:
            for slot, name in self.reads(node):
                readers.setdefault(name, []).append((node, slot))
        found: dict[tuple[int, str], Blocker] = {}
        undecided: dict[str, None] = {}
        if self.scope.outer is None and self.scope.nodes and all(self.host.get(id(node)) for node in self.nodes):
            first = (self.nodes or self.scope.nodes)[0]
            return Capture((Blocker("cpu-op", first, "", f"no operator runs on the device, the first is {first}"),), ())
        for value, reading in readers.items():
            blocker = self._crossing(value, reading, undecided)
            if blocker is not None:
                maker = self.scope.producer.get(value)
                around = [blocker.node, *(reader for reader, _ in reading), *([maker] if maker is not None else [])]
                blocker = blocker._replace(certain=not any(id(node) in self.fused for node in around))
                found.setdefault((id(blocker.node), blocker.kind), blocker)
            if len(found) >= MAX_BLOCKERS:
                break
        return Capture(tuple(found.values()), tuple(undecided))

    def _place(self, node: Node) -> None:
        if not node.domain and (node.op in CONTROL_FLOW or node.op in (FROM_HOST, TO_HOST)):
            self.host[id(node)] = None  # reported by checks of their own
            return
        row = self.rows[id(node)] = row_of(self.scope, node, self.table, self.opset, self.source)
        self.host[id(node)] = None if row is None else row.captured == "cpu"
        if not node.domain and node.op in _ON_HOST and row is not None:
            self.on_host.update(name for name in node.outputs if name)

    def _reads_on_host(self, node: Node, slot: int) -> bool | None:
        side = self.host.get(id(node))
        if side is not False:
            return side
        row = self.rows.get(id(node))
        return None if row is None else reads(row.hostc, row, node, slot)

    def _crossing(self, value: str, reading: list[tuple[Node, int]], undecided: dict[str, None]) -> Blocker | None:
        maker = self.scope.producer.get(value)
        sides = [(node, slot, self._reads_on_host(node, slot)) for node, slot in reading]
        device = [node for node, _, host in sides if host is False]
        host = [(node, slot) for node, slot, host in sides if host is True]
        if maker is None:
            if device and host:
                reader = host[0][0]
                kind = "cpu-op" if self.host[id(reader)] and self._kind(reader) == "cpu-op" else "input"
                return Blocker(kind, reader, value, f"{value} is read by {reader} on the CPU and by {device[0]}")
            return None
        side = self.host.get(id(maker))
        if value in self.on_host or side is True:
            if device:
                return self._made_on_host(maker, value, device[0])
        elif side is False and host:
            return self._read_on_host(value, *host[0])
        unsure = [node for node, _, reads in sides if reads is None] + ([maker] if side is None else [])
        for node in unsure:
            if not (not node.domain and (node.op in CONTROL_FLOW or node.op in (FROM_HOST, TO_HOST))):
                undecided.setdefault(self._lacking(node))
        return None

    def _lacking(self, node: Node) -> str:
        if self.table.knows(row_key(node), self.opset):
            return f"the element type that {node} reads is not known"
        return f"{row_key(node)} was not measured on {self.table.ep} {self.table.version}"

    def _made_on_host(self, maker: Node, value: str, reader: Node) -> Blocker:
        kind = self._kind(maker)
        shape = self._from_shape(maker) if kind != "cpu-op" else None
        if shape is not None:
            return Blocker("shape", shape, value, f"{shape} gives host memory, and {reader} needs it on the device")
        return Blocker(kind, maker, value, f"{maker} runs on the CPU, and {reader} needs {value} on the device")

    def _read_on_host(self, value: str, reader: Node, slot: int) -> Blocker:
        if self.host[id(reader)]:
            return Blocker(
                self._kind(reader), reader, value, f"{reader} runs on the CPU and reads {value}, made on the device"
            )
        detail = f"input {slot} of {reader} is read in host memory, and {value} is computed on the device"
        return Blocker("int64", reader, value, detail)

    def _kind(self, node: Node) -> str:
        """'cpu-op' where no element type of this operator runs on the device, else the type is what keeps it off."""
        if node.op in _ON_HOST:
            return "shape"
        rows = self.table.rows(row_key(node), self.opset).values()
        if not any(row.captured == "gpu" for row in rows):
            return "cpu-op"
        return "int64" if I64 in (self.scope.dtype(node), self.scope.types.get(node.outputs[0])) else "cpu-op"

    def _from_shape(self, node: Node) -> Node | None:
        """The Shape that a value on the host comes from."""
        waiting, seen = [node], {id(node)}
        while waiting and len(seen) < MAX_TRACED:
            here = waiting.pop()
            if here.op == "Shape" and not here.domain:
                return here
            for _, name in self.reads(here):
                maker = self.scope.producer.get(name)
                if maker is not None and id(maker) not in seen and (self.host.get(id(maker)) or name in self.on_host):
                    seen.add(id(maker))
                    waiting.append(maker)
        return None
