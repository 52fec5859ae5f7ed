"""Bytes: unknown fields, groups, odd numbers, cut and joined files, other formats under the name of a model."""

from __future__ import annotations

from collections.abc import Iterator

import onnx

from signatures.artifact.varint import field, varint
from tests.artifact.faults.case import Case, floats, model, node, text

SOUND = text("g (float[4] x) => (float[4] y) { a = Relu (x)  y = Neg (a) }")
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"

OTHERS = {
    "empty": b"",
    "one zero": b"\0",
    "zeros": bytes(64),
    "newline": b"\n",
    "blanks": b"  \n\n",
    "lfs pointer": POINTER,
    "lfs pointer crlf": POINTER.replace(b"\n", b"\r\n"),
    "html": b"<!DOCTYPE html><html><body>404</body></html>",
    "html lower": b"<html></html>\n",
    "html after blanks": b"\n\n  <!doctype html><html></html>",
    "json": b'{"error": "Entry not found"}',
    "xml": b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    "plain text": b"Entry not found",
    "rate limit": b"error code: 1015",
    "gguf": b"GGUF" + bytes(64),
    "zip": b"PK\x03\x04" + bytes(64),
    "gzip": b"\x1f\x8b\x08\x00" + bytes(64),
    "tflite": b"\x1c\0\0\0TFL3" + bytes(64),
    "ort": b"\x1c\0\0\0ORTM" + bytes(64),
    "safetensors": b"\x02\0\0\0\0\0\0\0{}",
    "pickle": b"\x80\x04\x95" + bytes(60),
    "litertlm": b"LITERTLM" + bytes(100),
    "hdf5": b"\x89HDF\r\n\x1a\n" + bytes(64),
    "numpy": b"\x93NUMPY\x01\0" + bytes(64),
    "elf": b"\x7fELF" + bytes(64),
    "ff": b"\xff" * 40,
    "utf16": "model".encode("utf-16"),
    "bom": b"\xef\xbb\xbf{}",
    "onnx text": b'<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Relu (x) }',
    "text proto": b'ir_version: 8\ngraph { name: "g" }\n',
}

# What may stand among the fields of a message, or may not.
PIECES = {
    "unknown varint": varint(1000 << 3) + varint(5),
    "unknown string": field(1000, b"hello"),
    "unknown fixed32": varint(1000 << 3 | 5) + bytes(4),
    "unknown fixed64": varint(1000 << 3 | 1) + bytes(8),
    "low unknown varint": varint(60 << 3) + varint(5),
    "group": varint(1000 << 3 | 3) + varint(1000 << 3 | 4),
    "group with fields": varint(1000 << 3 | 3) + varint(8) + varint(9) + field(2, b"hi") + varint(1000 << 3 | 4),
    "nested groups": (varint(30 << 3 | 3) * 5) + (varint(30 << 3 | 4) * 5),
    "groups 90 deep": (varint(30 << 3 | 3) * 90) + (varint(30 << 3 | 4) * 90),
    "groups 98 deep": (varint(30 << 3 | 3) * 98) + (varint(30 << 3 | 4) * 98),
    "groups 99 deep": (varint(30 << 3 | 3) * 99) + (varint(30 << 3 | 4) * 99),
    "groups 100 deep": (varint(30 << 3 | 3) * 100) + (varint(30 << 3 | 4) * 100),
    "groups 101 deep": (varint(30 << 3 | 3) * 101) + (varint(30 << 3 | 4) * 101),
    "groups 150 deep": (varint(30 << 3 | 3) * 150) + (varint(30 << 3 | 4) * 150),
    "group not closed": varint(1000 << 3 | 3) + varint(8) + varint(9),
    "group closed by another": varint(1000 << 3 | 3) + varint(999 << 3 | 4),
    "group end alone": varint(1000 << 3 | 4),
    "group of a known field": varint(1 << 3 | 3) + varint(1 << 3 | 4),
    "wire type 6": varint(1000 << 3 | 6) + bytes(4),
    "wire type 7": varint(1000 << 3 | 7) + bytes(4),
    "field 0 varint": varint(0) + varint(5),
    "field 0 string": varint(2) + varint(1) + b"a",
    "zeros": bytes(8),
    "one zero": b"\0",
    "high field number": varint((1 << 29) - 1 << 3) + varint(1),
    "field number past the highest": varint(1 << 29 << 3) + varint(1),
    "tag of 33 bits": varint((1 << 33) + (20 << 3)) + varint(1),
    "padded tag": b"\xc0\xbe\x80\x00" + varint(5),
    "padded tag of ten": b"\xc0\xbe" + b"\x80" * 7 + b"\x00" + varint(5),
    "padded value": varint(1000 << 3) + b"\x85" + b"\x80" * 8 + b"\x00",
    "value of eleven bytes": varint(1000 << 3) + b"\x85" + b"\x80" * 9 + b"\x00",
    "tenth byte large": varint(1000 << 3) + b"\xff" * 9 + b"\x7f",
    "padded length": varint(1000 << 3 | 2) + b"\x82\x80\x80\x00" + b"hi",
    "length padded to six": varint(1000 << 3 | 2) + b"\x82\x80\x80\x80\x80\x00" + b"hi",
    "length past the end": varint(1000 << 3 | 2) + varint(100) + b"hi",
    "length of 2 GiB": varint(1000 << 3 | 2) + varint(1 << 31) + b"hi",
    "length of 64 bits": varint(1000 << 3 | 2) + b"\xff" * 9 + b"\x01",
    "fixed64 cut": varint(1000 << 3 | 1) + bytes(3),
    "tag alone": varint(1000 << 3),
    "half a tag": b"\x80",
    "0x20 bytes": b"    ",
    "newline": b"\n",
    "newline and zero": b"\n\0",
    "text": b"trailing text",
}


def _inside(piece: bytes) -> Iterator[tuple[str, bytes]]:
    """The sound model with a piece put at each level of it."""
    made = onnx.ModelProto.FromString(SOUND)
    graph = made.graph.SerializeToString()
    first, second = (each.SerializeToString() for each in made.graph.node)
    yield "end of file", SOUND + piece
    yield "start of file", piece + SOUND
    rest = SOUND.replace(field(7, graph), b"")
    yield "end of the graph", rest + field(7, graph + piece)
    yield "end of a node", rest + field(7, graph.replace(field(1, second), field(1, second + piece)))
    yield "start of a node", rest + field(7, graph.replace(field(1, first), field(1, piece + first)))
    kind = made.graph.input[0].SerializeToString()
    yield "in an input", rest + field(7, graph.replace(field(11, kind), field(11, kind + piece)))
    opset = made.opset_import[0].SerializeToString()
    yield "in an opset import", SOUND.replace(field(8, opset), field(8, opset + piece))
    held = model([node("Add", "x w", "y")], [floats("w")])
    whole = bytes(held.graph.SerializeToString())
    weights = held.graph.initializer[0].SerializeToString()
    rest = bytes(held.SerializeToString()).replace(field(7, whole), b"")
    yield "in a tensor", rest + field(7, whole.replace(field(5, weights), field(5, weights + piece)))


def _known() -> Iterator[tuple[str, bytes]]:
    """Known fields with a wire type that is not theirs, in another order, twice, or with odd values."""
    made = onnx.ModelProto.FromString(SOUND)
    graph = field(7, made.graph.SerializeToString())
    ir, opset = varint(8) + varint(8), field(8, varint(16) + varint(17))
    yield "graph first", graph + opset + ir
    yield "graph between", opset + graph + ir
    yield "graph as a number", ir + opset + varint(7 << 3) + varint(5)
    yield "graph as fixed32", ir + opset + graph + varint(7 << 3 | 5) + bytes(4)
    yield "ir as a string", field(1, b"8") + opset + graph
    yield "ir as fixed64", varint(1 << 3 | 1) + bytes(8) + opset + graph
    yield "ir twice, last too new", ir + varint(8) + varint(99) + opset + graph
    yield "ir twice, first too new", varint(8) + varint(99) + ir + opset + graph
    yield "ir after the graph", graph + opset + varint(8) + varint(99)
    yield "ir negative", varint(8) + b"\xff" * 9 + b"\x01" + opset + graph
    yield "opset as a number", ir + varint(8 << 3) + varint(17) + graph
    yield "opset empty", ir + field(8, b"") + graph
    yield "opset empty beside a sound one", ir + field(8, b"") + opset + graph
    yield "no ir", opset + graph
    yield "no graph", ir + opset
    yield "ir alone", ir
    yield "empty graph message", ir + opset + field(7, b"")
    yield "twice the file", SOUND + SOUND
    yield "graph in two parts", ir + opset + field(7, made.graph.SerializeToString()[:0] + b"") + graph
    nodes = b"".join(field(1, each.SerializeToString()) for each in made.graph.node)
    ports = field(11, made.graph.input[0].SerializeToString()) + field(12, made.graph.output[0].SerializeToString())
    yield "graph split over two fields", ir + opset + field(7, nodes) + field(7, field(2, b"g") + ports)
    yield "graph fields reversed", ir + opset + field(7, ports + field(2, b"g") + nodes)
    yield "graph without a name", ir + opset + field(7, nodes + ports)
    yield "name of bad utf-8", ir + opset + field(7, nodes + ports + field(2, b"\xff\xfe"))
    yield "producer of bad utf-8", SOUND + field(2, b"\xff\xfe")
    yield "doc of 100000 bytes", SOUND + field(6, b"d" * 100_000)
    yield "graph doc of 100000 bytes", ir + opset + field(7, nodes + ports + field(2, b"g") + field(10, b"d" * 100_000))
    yield "producer of 70000 bytes", SOUND + field(2, b"d" * 70_000)
    yield "metadata", SOUND + field(14, field(1, b"k") + field(2, b"v"))
    yield "metadata twice", SOUND + field(14, field(1, b"k") + field(2, b"v")) * 2
    yield "metadata of 70000 bytes", SOUND + field(14, field(1, b"k") + field(2, b"v" * 70_000))
    yield "metadata broken", SOUND + field(14, b"\xff")
    yield "training info empty", SOUND + field(20, b"")
    yield "training info", SOUND + field(20, field(1, made.graph.SerializeToString()))
    yield "training info broken", SOUND + field(20, b"\xff\xff")
    yield "doc broken utf-8", SOUND + field(6, b"\xff")
    yield "unknown field 30 with a string", SOUND + field(30, b"\xff\xff\xff")
    yield "dims packed", SOUND
    for number in (3, 4, 14, 15, 16, 6, 8, 9):
        yield (
            f"graph field {number} broken",
            ir + opset + field(7, nodes + ports + field(2, b"g") + field(number, b"\xff\x01")),
        )
        yield f"graph field {number} empty", ir + opset + field(7, nodes + ports + field(2, b"g") + field(number, b""))
    for number in (3, 6, 7, 8, 9, 10, 11):
        extra = field(1, made.graph.node[1].SerializeToString() + field(number, b"\xff\x01"))
        first = field(1, made.graph.node[0].SerializeToString())
        yield f"node field {number} odd", ir + opset + field(7, first + extra + ports + field(2, b"g"))


def cases() -> Iterator[Case]:
    for name, data in OTHERS.items():
        yield Case(f"other: {name}", data)
    for name, piece in PIECES.items():
        for where, data in _inside(piece):
            yield Case(f"piece: {name}, {where}", data)
    for name, data in _known():
        yield Case(f"fields: {name}", data)
    for cut in range(1, len(SOUND)):
        yield Case(f"cut: at {cut}", SOUND[:cut])
    held = bytes(model([node("Add", "x w", "y")], [floats("w", 4)]).SerializeToString())
    for cut in range(1, len(held), 3):
        yield Case(f"cut: with weights at {cut}", held[:cut])
    big = bytes(model([node("Add", "x w", "y")], [floats("w", 4096)]).SerializeToString())
    for cut in (1, 30, 70, 200, 9000, 16000, len(big) - 40, len(big) - 5, len(big) - 1):
        yield Case(f"cut: large weights at {cut}", big[:cut])
    for name, piece in (("zeros", bytes(4096)), ("itself", big), ("html", b"<html>"), ("one byte", b"\x08")):
        yield Case(f"after large weights: {name}", big + piece)
