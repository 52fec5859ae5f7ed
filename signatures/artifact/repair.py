"""Taking baked copy nodes out of an ONNX file without reading its weights or changing what it computes.

The file is not parsed and written anew: what stays is copied byte for byte, and only messages around a change get a new
length. So a file of many gigabytes is repaired in the memory of its structure, and data that stands in other files is
not looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from signatures.artifact.rewiring import NotProvable, Rewiring, Wires, rewire
from signatures.artifact.source import Source, SourceError, Window
from signatures.artifact.varint import LEN, field, read_varint, varint
from signatures.artifact.wire import Walker

CHUNK = 4 * 1024 * 1024
MAX_NAME = 64 * 1024
_FIXED = {1: 8, 5: 4}
# Field numbers of onnx.proto3.
_GRAPH, _FUNCTION, _TRAINING = 7, 25, 20  # of a model
_NODES, _INITIALIZERS, _INPUTS, _OUTPUTS, _VALUES, _ANNOTATIONS, _SPARSE = 1, 5, 11, 12, 13, 14, 15  # of a graph
_F_INPUTS, _F_OUTPUTS, _F_NODES, _F_VALUES = 4, 5, 7, 12  # of a function
_BODIES = (6, 11)  # of an attribute: g, graphs

Piece = bytes | tuple[int, int]  # new bytes, or (offset, length) of the file


class Change(NamedTuple):
    """One thing that differs. `graph` is empty for the main graph. `before` and `after` are the lines of a diff."""

    graph: str
    before: str
    after: str


class Repair(NamedTuple):
    """`pieces` make up the repaired file; `changes` is empty where there was nothing to repair."""

    pieces: tuple[Piece, ...]
    changes: tuple[Change, ...]

    @property
    def size(self) -> int:
        return _size(self.pieces)

    def chunks(self, window: Window) -> Iterator[bytes]:
        """The bytes of the repaired file. Raises SourceError."""
        for piece in self.pieces:
            if isinstance(piece, bytes):
                yield piece
                continue
            at, left = piece
            while left:
                # Past the window, whose block would grow with the piece.
                data = window.source.read(at, min(left, CHUNK))
                if not data:
                    raise SourceError("became shorter while it was read", offset=at, name=window.name)
                yield data
                at += len(data)
                left -= len(data)


def repair_copies(window: Window) -> Repair:
    """The file without `MemcpyFromHost` and `MemcpyToHost`, in branches, bodies and local functions too.

    Raises NotProvable, and what the walk raises: Malformed, LimitReached, SourceError."""
    if Walker(window, nodes_only=False).walk().graphs != 1:
        raise NotProvable("the file does not hold exactly one graph")
    writer = _Writer(window)
    end = window.size or 0
    pieces = writer.model(end)
    return Repair(tuple(_joined(pieces)), tuple(writer.changes))


class _Field(NamedTuple):
    number: int
    wire: int
    at: int
    body: int
    end: int

    @property
    def whole(self) -> tuple[int, int]:
        return self.at, self.end - self.at


class _Writer:
    def __init__(self, window: Window) -> None:
        self.window = window
        self.changes: list[Change] = []

    def fields(self, at: int, end: int) -> Iterator[_Field]:
        """The fields of a message that the walk found sound."""
        while at < end:
            block, here = self.window.block(at, 20)
            start = here
            tag, here = read_varint(block, here)
            number, wire = tag >> 3, tag & 7
            if wire == LEN:
                length, here = read_varint(block, here)
            else:
                length = _FIXED.get(wire, 0)
                here = read_varint(block, here)[1] if wire == 0 else here
            body = at + here - start
            yield _Field(number, wire, at, body, body + length)
            at = body + length

    def text(self, found: _Field) -> str:
        if found.end - found.body > MAX_NAME:
            raise NotProvable(f"a name of {found.end - found.body} bytes")
        return self.window.read(found.body, found.end - found.body).decode("utf-8", "surrogateescape")

    def model(self, end: int) -> list[Piece]:
        pieces: list[Piece] = []
        for found in self.fields(0, end):
            made = None
            if found.number == _GRAPH:
                made = self.graph(found, "", {}, function=False)
            elif found.number == _FUNCTION:
                name = next((self.text(f) for f in self.fields(found.body, found.end) if f.number == 1), "")
                made = self.graph(found, f"function {name}", {}, function=True)
            elif found.number == _TRAINING:
                raise NotProvable("the file holds training information, which names values of the graph")
            pieces += _wrapped(found, made)
        return pieces

    def graph(self, message: _Field, path: str, inherited: Mapping[str, str], *, function: bool) -> list[Piece] | None:
        """The new content of a graph or function, None where nothing in it changes."""
        fields = list(self.fields(message.body, message.end))
        number = _F_NODES if function else _NODES
        nodes = [self.wires(f, i) for i, f in enumerate(f for f in fields if f.number == number)]
        given, outputs = self.ports(fields, function=function)
        plan = rewire(nodes, given, outputs, inherited)
        self._annotations(fields, plan.names, function=function)
        self._tell(path, nodes, plan)
        pieces: list[Piece] = []
        changed = False
        waiting = iter(nodes)
        for found in fields:
            made: list[Piece] | None = None
            if found.number == number:
                node = next(waiting)
                if node.at in plan.dropped:
                    changed = True
                    continue
                made = self.node(found, node, plan, path)
            elif found.number == (_F_VALUES if function else _VALUES) and self.name_of(found) in plan.names:
                changed = True
                continue
            elif not function and found.number == _OUTPUTS and self.name_of(found) in plan.names:
                made = self.renamed(found, plan.names)
            pieces += _wrapped(found, made)
            changed = changed or made is not None
        return pieces if changed else None

    def ports(self, fields: list[_Field], *, function: bool) -> tuple[list[str], list[str]]:
        """(inputs and initializers, outputs) of a graph or function. Initializers that are inputs too count once."""
        if function:
            given = [self.text(f) for f in fields if f.number == _F_INPUTS]
            return given, [self.text(f) for f in fields if f.number == _F_OUTPUTS]
        given = [self.name_of(f) for f in fields if f.number == _INPUTS]
        given += [self.name_of(f, 8) for f in fields if f.number == _INITIALIZERS]
        for sparse in (f for f in fields if f.number == _SPARSE):
            given += [self.name_of(f, 8) for f in self.fields(sparse.body, sparse.end) if f.number == 1]
        return given, [self.name_of(f) for f in fields if f.number == _OUTPUTS]

    def name_of(self, message: _Field, number: int = 1) -> str:
        """The name of a value (field 1) or tensor (field 8)."""
        names = [self.text(f) for f in self.fields(message.body, message.end) if f.number == number]
        return names[-1] if names else ""

    def wires(self, message: _Field, index: int) -> Wires:
        texts: dict[int, list[str]] = {1: [], 2: [], 3: [""], 4: [""], 7: [""]}
        for found in self.fields(message.body, message.end):
            if found.number in texts and found.wire == LEN:
                texts[found.number].append(self.text(found))
        return Wires(index, texts[4][-1], texts[7][-1], texts[3][-1], tuple(texts[1]), tuple(texts[2]))

    def node(self, message: _Field, node: Wires, plan: Rewiring, path: str) -> list[Piece] | None:
        pieces: list[Piece] = []
        identity = node.at in plan.identities
        changed = identity
        for found in self.fields(message.body, message.end):
            if found.number in (1, 2) and self.text(found) in plan.names:
                new = plan.names[self.text(found)].encode("utf-8", "surrogateescape")
                pieces.append(field(found.number, new))
                changed = True
            elif found.number == 4 and identity:
                pieces.append(field(4, b"Identity"))
            elif found.number == 5 and identity:
                continue
            elif found.number == 5:
                inside = f"{path + ' > ' if path else ''}{node.op} {node.name or f'#{node.at}'}"
                made = self.attribute(found, plan.names, inside)
                pieces += _wrapped(found, made)
                changed = changed or made is not None
            else:
                pieces.append(found.whole)
        return pieces if changed else None

    def attribute(self, message: _Field, names: Mapping[str, str], path: str) -> list[Piece] | None:
        fields = list(self.fields(message.body, message.end))
        if sum(f.number == _BODIES[0] for f in fields) > 1:
            raise NotProvable("an attribute holds its graph in two parts")
        name = next((self.text(f) for f in fields if f.number == 1), "")
        pieces: list[Piece] = []
        changed = False
        for found in fields:
            made = self.graph(found, f"{path}.{name}", names, function=False) if found.number in _BODIES else None
            pieces += _wrapped(found, made)
            changed = changed or made is not None
        return pieces if changed else None

    def renamed(self, message: _Field, names: Mapping[str, str]) -> list[Piece]:
        """A value under its new name."""
        pieces: list[Piece] = []
        for found in self.fields(message.body, message.end):
            new = names.get(self.text(found)) if found.number == 1 else None
            pieces.append(found.whole if new is None else field(1, new.encode("utf-8", "surrogateescape")))
        return pieces

    def _annotations(self, fields: list[_Field], names: Mapping[str, str], *, function: bool) -> None:
        for found in fields:
            if not function and found.number == _ANNOTATIONS and self.name_of(found) in names:
                raise NotProvable(f"a quantization annotation names {self.name_of(found)}")

    def _tell(self, path: str, nodes: list[Wires], plan: Rewiring) -> None:
        for node in nodes:
            if not node.copies:
                continue
            into, out = node.inputs[0], node.outputs[0]
            line = f"{node.op} {node.name or f'#{node.at}'}: {into} -> {out}"
            if node.at in plan.identities:
                after = f"Identity {node.name or f'#{node.at}'}: {plan.names.get(into, into)} -> {out}"
            elif out in plan.names:
                after = f"readers of {out} read {plan.names[out]}"
            else:
                after = f"the operator that makes {into} makes {out}"
            self.changes.append(Change(path, line, after))


def _wrapped(found: _Field, made: list[Piece] | None) -> list[Piece]:
    """A field with new content, or as it stands."""
    if made is None:
        return [found.whole]
    return [varint(found.number << 3 | LEN) + varint(_size(made)), *made]


def _size(pieces: tuple[Piece, ...] | list[Piece]) -> int:
    return sum(len(piece) if isinstance(piece, bytes) else piece[1] for piece in pieces)


def _joined(pieces: list[Piece]) -> Iterator[Piece]:
    """Neighbouring ranges as one."""
    held: Piece | None = None
    for piece in pieces:
        if isinstance(held, tuple) and isinstance(piece, tuple) and held[0] + held[1] == piece[0]:
            held = (held[0], held[1] + piece[1])
        elif isinstance(held, bytes) and isinstance(piece, bytes):
            held += piece
        else:
            if held is not None:
                yield held
            held = piece
    if held is not None:
        yield held


class RepairedSource:
    """The repaired file as a Source, without being written: ranges of the original and new bytes."""

    def __init__(self, repair: Repair, original: Source) -> None:
        self.name = original.name
        self.size: int | None = repair.size
        self.requests = 0
        self.bytes_read = 0
        self._pieces = repair.pieces
        self._original = original
        self._starts: list[int] = []
        at = 0
        for piece in repair.pieces:
            self._starts.append(at)
            at += _size((piece,))

    def read(self, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0:
            raise SourceError("negative offset or length", offset=offset, name=self.name)
        parts: list[bytes] = []
        at = max(0, bisect_right(self._starts, offset) - 1)
        while length > 0 and at < len(self._pieces):
            skip = offset - self._starts[at]
            piece = self._pieces[at]
            if isinstance(piece, bytes):
                data = piece[skip : skip + length]
            else:
                data = self._original.read(piece[0] + skip, max(0, min(length, piece[1] - skip)))
            parts.append(data)
            offset += len(data)
            length -= len(data)
            at += 1
        self.requests += 1
        self.bytes_read += sum(map(len, parts))
        return b"".join(parts)
