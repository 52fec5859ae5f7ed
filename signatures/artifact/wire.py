"""A walk over the protobuf bytes of an ONNX model that copies structure and leaves tensor payloads where they are.

The result is a *skeleton*: the same message without payloads over 1 KiB, small enough to be parsed by `onnx`. Every
count, length and depth of the input is checked against what is left of the file; nothing here recurses. What is refused
is what protobuf's C++ parser refuses, measured with ONNX Runtime 1.16 to 1.32.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from signatures.artifact.source import LimitReached, SourceError, Window
from signatures.artifact.tail import find_ports
from signatures.artifact.varint import LEN, field, read_length, read_tag, read_varint

KEEP = 1024  # payload bytes that stay: shape constants, never weights
MAX_COPIED = 64 * 1024  # one name, type or attribute
MAX_SKELETON = 8 * 1024 * 1024
MAX_DEPTH = 100  # messages and groups inside the outermost message, as protobuf has it
MAX_FIELDS = 4_000_000
MAX_NODES = 80_000
TAIL_PROBE = 256 * 1024
AFTER_GRAPH = 64 * 1024
PAYLOAD_KEY = "payload"  # key of the metadata entry that stands for a payload left in the file

_FIXED = {1: 8, 5: 4}
_OPEN, _SHUT = 3, 4  # wire types of a group's two ends

_WIDTHS = {4: 4, 10: 8}  # bytes of one packed element, of the tensor fields with elements of fixed width

# What becomes of a length-delimited field: a schema to go into, or one of these.
COPY, DROP, PAYLOAD = "copy", "drop", "payload"


class Malformed(SourceError):
    """The bytes are not an ONNX protobuf from `offset` on. `truncated`: a declared length passes the end of the
    file."""

    def __init__(self, message: str, *, offset: int, name: str, truncated: bool = False) -> None:
        super().__init__(message, offset=offset, name=name)
        self.truncated = truncated


Action: TypeAlias = "Schema | str"


class Schema(NamedTuple):
    name: str
    fields: Mapping[int, Action]  # number -> COPY | DROP | PAYLOAD | Schema


ENTRY = Schema("entry", {1: COPY, 2: COPY})  # an operator set, or a key and a value
EXTERNAL = Schema("entry of external data", {1: COPY, 2: COPY})
_TENSOR: dict[int, Action] = {1: COPY, 2: COPY, 8: COPY, 13: EXTERNAL, 14: COPY}
_TENSOR.update(dict.fromkeys((4, 5, 6, 7, 9, 10, 11), PAYLOAD))
TENSOR = Schema("tensor", _TENSOR)
_TYPES: dict[int, Action] = {}
TYPE = Schema("type", _TYPES)
DIMENSION = Schema("dimension", {1: COPY, 2: COPY, 3: COPY})
SHAPE = Schema("shape", {1: DIMENSION})
ARRAY = Schema("tensor type", {1: COPY, 2: SHAPE})  # a sparse one too
HOLDER = Schema("type of types", {1: TYPE})  # a sequence or an optional
MAP = Schema("map type", {1: COPY, 2: TYPE})
_TYPES.update({1: ARRAY, 4: HOLDER, 5: MAP, 6: COPY, 7: ENTRY, 8: ARRAY, 9: HOLDER})
VALUE = Schema("value", {1: COPY, 2: TYPE})
SPARSE = Schema("sparse tensor", {1: TENSOR, 2: TENSOR, 3: COPY})
_RECURSIVE: dict[int, Action] = {5: TENSOR, 10: TENSOR, 22: SPARSE, 23: SPARSE}
_RECURSIVE.update(dict.fromkeys((1, 2, 3, 4, 7, 8, 9, 20, 21), COPY))
_RECURSIVE.update({14: TYPE, 15: TYPE})
ATTRIBUTE = Schema("attribute", _RECURSIVE)
NODE = Schema("node", {1: COPY, 2: COPY, 3: COPY, 4: COPY, 5: ATTRIBUTE, 7: COPY, 8: COPY})
GRAPH = Schema("graph", {1: NODE, 2: COPY, 5: TENSOR, 11: VALUE, 12: VALUE, 13: VALUE, 15: SPARSE})
_RECURSIVE.update({6: GRAPH, 11: GRAPH})
FUNCTION = Schema(
    "function",
    {1: COPY, 4: COPY, 5: COPY, 6: COPY, 7: NODE, 9: ENTRY, 10: COPY, 11: ATTRIBUTE, 12: VALUE, 13: COPY},
)
MODEL = Schema("model", {1: COPY, 2: COPY, 3: COPY, 4: COPY, 5: COPY, 7: GRAPH, 8: ENTRY, 14: ENTRY, 25: FUNCTION})
GROUP = Schema("group", {})

# Large values that no check reads.
_DROPPABLE = {("attribute", 4), ("attribute", 7), ("attribute", 9), ("entry", 2), ("model", 2), ("model", 3)}


class Skeleton(NamedTuple):
    """`data` parses as a ModelProto. `node_offsets` and `tensor_offsets` are file positions of the main graph's nodes
    and initializers, in order. `partial`: initializers were not walked; `ports`: inputs and outputs were still found.
    `graphs` counts main graphs seen."""

    data: bytes
    node_offsets: array[int]
    tensor_offsets: array[int]
    partial: bool
    ports: bool
    graphs: int


class _Frame:
    __slots__ = ("end", "held", "number", "parts", "payload", "schema")

    def __init__(self, schema: Schema, number: int, end: int) -> None:
        self.schema = schema
        self.number = number
        self.end = end
        self.parts = bytearray()
        self.payload: dict[
            int, list[int]
        ] = {}  # field -> [offset, bytes, elements] of what a tensor holds in this file
        self.held: list[bytes] = []  # that payload, while it is small


class Walker:
    """One walk over one file. `nodes_only` stops inside the main graph at its first initializer, where nodes came
    before, and takes inputs and outputs from the tail of the graph. `strict` goes into small messages too, so that what
    is copied holds known fields alone."""

    def __init__(self, window: Window, *, nodes_only: bool, strict: bool = False) -> None:
        self.window = window
        self.nodes_only = nodes_only
        self.kept_whole = 0 if strict else KEEP
        self.node_offsets: array[int] = array("Q")
        self.tensor_offsets: array[int] = array("Q")
        self.partial = False
        self.ports = True
        self.graphs = 0
        self.copied = 0
        self.fields = 0
        self.nodes = 0

    def walk(self) -> Skeleton:
        """Raises Malformed, LimitReached, SourceError."""
        window = self.window
        if window.size is None:
            window.block(0)
        end = window.size if window.size is not None else 1 << 62
        root = _Frame(MODEL, 0, end)
        stack = [root]
        at = 0
        while stack:
            frame = stack[-1]
            if at >= frame.end or (frame.end == root.end and not self._more(at)):
                if frame.schema is GROUP:
                    raise self._bad(f"group {frame.number} is not closed", at, truncated=frame.end == root.end)
                stack.pop()
                if stack:
                    self._close(frame, stack[-1])
                continue
            at = self._field(at, stack)
        data = bytes(root.parts)
        return Skeleton(data, self.node_offsets, self.tensor_offsets, self.partial, self.ports, self.graphs)

    def _more(self, at: int) -> bool:
        block, here = self.window.block(at)
        return here < len(block)

    def _bad(self, message: str, at: int, *, truncated: bool = False) -> Malformed:
        return Malformed(message, offset=at, name=self.window.name, truncated=truncated)

    def _count(self, at: int, copied: int) -> None:
        self.copied += copied
        if self.copied > MAX_SKELETON:
            raise LimitReached(
                f"structure of more than {MAX_SKELETON} bytes without weights", offset=at, name=self.window.name
            )

    def _field(self, at: int, stack: list[_Frame]) -> int:
        """Handles the field at `at`; gives the position to go on from."""
        frame = stack[-1]
        self.fields += 1
        if self.fields > MAX_FIELDS:
            raise LimitReached(f"more than {MAX_FIELDS} fields", offset=at, name=self.window.name)
        block, here = self.window.block(at, 20)
        start = here
        try:
            tag, here = read_tag(block, here)
            number, wire = tag >> 3, tag & 7
            if number == 0:
                raise self._bad(f"field number 0 in a {frame.schema.name}", at)
            if wire == LEN:
                length, here = read_length(block, here)
            elif wire == 0:
                length, here = 0, read_varint(block, here)[1]
            elif wire in _FIXED:
                length = _FIXED[wire]
            elif wire in (_OPEN, _SHUT):
                length = 0
            else:
                raise self._bad(f"wire type {wire} in a {frame.schema.name}", at)
        except IndexError:
            raise self._bad(f"{frame.schema.name} ends inside a field", at, truncated=True) from None
        except ValueError:
            raise self._bad(f"number of too many bytes in a {frame.schema.name}", at) from None
        body = at + here - start
        end = body + length
        if wire in (_OPEN, _SHUT):
            self._group(stack, number, wire, at)
            return body
        if end > frame.end:
            raise self._past(stack, number, at, end)
        if wire != LEN:
            self._scalar(frame, number, at, end, block[start : start + (end - at)])
            return end
        return self._message(stack, number, at, body, end)

    def _past(self, stack: list[_Frame], number: int, at: int, end: int) -> Malformed:
        frame = stack[-1]
        past = "file" if len(stack) == 1 or frame.end == stack[0].end else "enclosing message"
        what = f"{frame.schema.name} field {number} declares its end at byte {end}"
        return self._bad(f"{what}, past the end of the {past} at {frame.end}", at, truncated=past == "file")

    def _group(self, stack: list[_Frame], number: int, wire: int, at: int) -> None:
        """Fields between two tags, an old form that parsers still skip."""
        frame = stack[-1]
        if wire == _OPEN:
            self._deeper(stack, at)
            stack.append(_Frame(GROUP, number, frame.end))
        elif frame.schema is GROUP and frame.number == number:
            stack.pop()
        else:
            raise self._bad(f"end of a group {number} that was not begun in a {frame.schema.name}", at)

    def _deeper(self, stack: list[_Frame], at: int) -> None:
        if len(stack) > MAX_DEPTH:
            raise self._bad(f"messages nested deeper than {MAX_DEPTH}", at)

    def _scalar(self, frame: _Frame, number: int, at: int, end: int, raw: bytes) -> None:
        action = frame.schema.fields.get(number, DROP)
        if len(raw) < end - at:
            raw = self._take(at, end)
        if action is COPY:
            frame.parts += raw
            self._count(at, len(raw))
        elif action is PAYLOAD:  # a repeated number that was not packed
            self._payload(frame, number, at, end, raw)

    def _take(self, at: int, end: int) -> bytes:
        data = self.window.read(at, end - at)
        if len(data) < end - at:
            raise self._bad("file ends inside a field", at, truncated=True)
        return data

    def _payload(self, frame: _Frame, number: int, body: int, end: int, raw: bytes | None) -> None:
        held = frame.payload.setdefault(number, [body, 0, 0])
        held[1] += end - body
        held[2] += 1 if raw is not None or number not in _WIDTHS else (end - body) // _WIDTHS[number]
        if sum(each[1] for each in frame.payload.values()) <= KEEP:
            frame.held.append(raw if raw is not None else field(number, self._take(body, end)))
            self._count(body, end - body)

    def _message(self, stack: list[_Frame], number: int, at: int, body: int, end: int) -> int:
        frame = stack[-1]
        schema = frame.schema
        action = schema.fields.get(number, DROP)
        if action is DROP:
            return end
        length = end - body
        if action is PAYLOAD:
            self._payload(frame, number, body, end, None)
            return end
        if action is COPY:
            self._copy(frame, number, at, body, end)
            return end
        assert isinstance(action, Schema)  # noqa: S101  # the schemas above hold nothing else
        if schema is GRAPH and len(stack) == 2:
            stop = self._main_graph(frame, number, at)
            if stop is not None:
                return stop
        if action is NODE:
            self.nodes += 1
            if self.nodes > MAX_NODES:
                raise LimitReached(f"more than {MAX_NODES} nodes", offset=at, name=self.window.name)
        if length <= self.kept_whole and action is not GRAPH:
            frame.parts += field(number, self._take(body, end))
            self._count(at, length)
            return end
        self._deeper(stack, at)
        if action is GRAPH and schema is MODEL:
            self.graphs += 1
        stack.append(_Frame(action, number, end))
        self._count(at, 8)
        return body

    def _copy(self, frame: _Frame, number: int, at: int, body: int, end: int) -> None:
        length = end - body
        if length > KEEP and (frame.schema.name, number) in _DROPPABLE:
            return
        if length > MAX_COPIED:
            message = f"{frame.schema.name} field {number} of {length} bytes"
            raise LimitReached(message, offset=at, name=self.window.name)
        frame.parts += field(number, self._take(body, end))
        self._count(at, length)

    def _main_graph(self, frame: _Frame, number: int, at: int) -> int | None:
        """Keeps positions of the main graph's nodes and initializers, and decides where a nodes-only walk stops."""
        if number == 1:
            self.node_offsets.append(at)
        elif number in (5, 15):
            if self.nodes_only and self.node_offsets and not self.window.holds(at, frame.end - at):
                self.partial = True
                self._tail(frame, at)
                return frame.end
            if number == 5:
                self.tensor_offsets.append(at)
        return None

    def _close(self, frame: _Frame, parent: _Frame) -> None:
        if sum(each[1] for each in frame.payload.values()) <= KEEP:
            frame.parts += b"".join(frame.held)
        else:
            note = ";".join(f"{number}:{at}:{size}:{count}" for number, (at, size, count) in frame.payload.items())
            frame.parts += field(16, field(1, PAYLOAD_KEY.encode()) + field(2, note.encode()))
        parent.parts += field(frame.number, bytes(frame.parts))

    def _tail(self, frame: _Frame, at: int) -> None:
        """Inputs, outputs and value types stand after the initializers. The end of the graph is known exactly, so the
        last bytes before it are accepted from the first position from which all of them parse as such fields."""
        size = self.window.size
        for probe in (TAIL_PROBE, 8 * TAIL_PROBE):
            start = max(at, frame.end - probe)
            stop = min(frame.end + AFTER_GRAPH, size if size is not None else frame.end)
            data = self.window.read(start, stop - start)[: frame.end - start]
            if len(data) < frame.end - start:
                raise self._bad("file ends inside the graph", start + len(data), truncated=True)
            found = find_ports(data)
            if found is not None:
                frame.parts += data[found:]
                self._count(start, len(data) - found)
                return
            if start == at:
                break
        self.ports = False
