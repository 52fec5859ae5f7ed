"""Data beside the model: every key of an entry, every edge of a file, every way to a path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx
from onnx import TensorProto

from tests.artifact.faults.case import FLOAT, Case, done, floats, model, node, port
from tests.artifact.faults.scopes import body, branch, function
from tests.artifact.faults.tensors import IR, OPSET

HERE = {"w.bin": bytes(64)}
Pairs = Sequence[tuple[str, str]]


def away(pairs: Pairs, dims: Sequence[int] = (4,), dtype: int = FLOAT, name: str = "w") -> onnx.TensorProto:
    tensor = TensorProto(name=name, data_type=dtype, dims=dims, data_location=1)
    for key, value in pairs:
        tensor.external_data.add(key=key, value=value)
    return tensor


def _add(*tensors: onnx.TensorProto, ir: int = 8) -> onnx.ModelProto:
    return model([node("Add", "x w", "y")], tensors, ir=ir)


def at(location: str, offset: str | None = "0", length: str | None = "16") -> list[tuple[str, str]]:
    pairs = [("location", location)]
    pairs += [("offset", offset)] if offset is not None else []
    return pairs + ([("length", length)] if length is not None else [])


NUMBERS = (
    "0",
    "4",
    "16",
    "48",
    "49",
    "60",
    "64",
    "65",
    "4096",
    "-4",
    "-0",
    "+5",
    "+0",
    " 5",
    "5 ",
    "\t4",
    "0x10",
    "010",
    "1e1",
    "4.0",
    "4,0",
    "",
    " ",
    "abc",
    "4abc",
    "0b1",
    "\u0664",
    "--4",
    "+-4",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "9" * 30,
    "0" * 40 + "4",
    "16",
    "12",
    "20",
    "1",
    "15",
    "17",
    "8",
    "NaN",
    "inf",
    "4\0",
    "4\n",
    "\n4",
    "\v4",
    "4L",
    "0 0",
)


def _numbers() -> Iterator[Case]:
    for number in NUMBERS:
        yield done(f"ext offset: {number!r}", _add(away(at("w.bin", number))), files=HERE)
        yield done(f"ext offset without length: {number!r}", _add(away(at("w.bin", number, None))), files=HERE)
        yield done(f"ext length: {number!r}", _add(away(at("w.bin", "0", number))), files=HERE)
        yield done(f"ext length without offset: {number!r}", _add(away(at("w.bin", None, number))), files=HERE)
    for size in (0, 1, 8, 15, 16, 17, 32):
        yield done(f"ext size: {size}", _add(away(at("w.bin", None, None))), files={"w.bin": bytes(size)})
        yield done(f"ext size: {size} at 16", _add(away(at("w.bin", "16"))), files={"w.bin": bytes(size)})
        yield done(f"ext size: {size} with length", _add(away(at("w.bin"))), files={"w.bin": bytes(size)})
        yield done(f"ext size: {size} with length 0", _add(away(at("w.bin", "0", "0"))), files={"w.bin": bytes(size)})
    two = model(
        [node("Add", "x w", "a"), node("Add", "a v", "y")], [away(at("w.bin")), away(at("w.bin", "8"), name="v")]
    )
    yield done("ext: overlap", two, files=HERE)
    same = model([node("Add", "x w", "a"), node("Add", "a v", "y")], [away(at("w.bin")), away(at("w.bin"), name="v")])
    yield done("ext: the same bytes", same, files=HERE)


def _shapes() -> Iterator[Case]:
    for dtype, bits in (
        (1, 32),
        (2, 8),
        (7, 64),
        (8, 0),
        (9, 8),
        (10, 16),
        (16, 16),
        (17, 8),
        (21, 4),
        (22, 4),
        (23, 4),
        (25, 2),
        (0, 0),
    ):
        for dims in ([4], [3], [5], [], [0], [2, 0], [-4], [1 << 40]):
            count = 1
            for dim in dims:
                count *= dim
            need = (count * bits + 7) // 8
            for length in (None, str(need), str(need + 1), str(max(0, need - 1)), "0"):
                for size in {max(0, min(need, 1 << 12)), 64}:
                    shaped = [max(dim, 0) for dim in dims]
                    made = model(
                        [node("Relu", "x", "y"), node("Identity", "w", "z")],
                        [away(at("w.bin", None, length), dims, dtype)],
                        outputs=[port("y"), port("z", dtype, shaped)],
                        ir=IR.get(dtype, 8),
                        opsets=(("", OPSET.get(dtype, 17)),),
                    )
                    yield done(
                        f"ext shape: {dtype} {dims} length {length} size {size}", made, files={"w.bin": bytes(size)}
                    )


KEYS: dict[str, Pairs] = {
    "none": [],
    "no location": [("offset", "0"), ("length", "16")],
    "empty location": at(""),
    "location twice, same": [*at("w.bin"), ("location", "w.bin")],
    "location twice, last missing": [*at("w.bin"), ("location", "gone.bin")],
    "location twice, first missing": [*at("gone.bin"), ("location", "w.bin")],
    "offset twice": [*at("w.bin"), ("offset", "4")],
    "offset twice, last past the end": [*at("w.bin"), ("offset", "4096")],
    "offset twice, first past the end": [*at("w.bin", "4096"), ("offset", "0")],
    "length twice": [*at("w.bin"), ("length", "16")],
    "length twice, last wrong": [*at("w.bin"), ("length", "12")],
    "length twice, first wrong": [*at("w.bin", "0", "12"), ("length", "16")],
    "unknown key": [*at("w.bin"), ("basepath", "x")],
    "unknown key first": [("basepath", "x"), *at("w.bin")],
    "empty key": [*at("w.bin"), ("", "x")],
    "upper case": [("Location", "w.bin")],
    "blank after the key": [("location ", "w.bin")],
    "checksum": [*at("w.bin"), ("checksum", "0" * 40)],
    "checksum wrong size": [*at("w.bin"), ("checksum", "zz")],
    "checksum empty": [*at("w.bin"), ("checksum", "")],
    "checksum first": [("checksum", "0" * 40), *at("w.bin")],
    "offset alone": [("offset", "0")],
    "length alone": [("length", "16")],
    "location last": at("w.bin")[::-1],
    "prepacked": [*at("w.bin"), ("prepacked_0", "k|0;16;")],
    "prepacked odd": [*at("w.bin"), ("prepacked_0", "zz")],
    "prepacked alone": [*at("w.bin"), ("prepacked", "1")],
    "bad offset, then none": [*at("w.bin", "abc"), ("offset", "0")],
}

LOCATIONS = (
    "w.bin",
    "./w.bin",
    ".//w.bin",
    "data/w.bin",
    "data//w.bin",
    "data/./w.bin",
    "data/../w.bin",
    "gone/../w.bin",
    "data/../../model/w.bin",
    "../model/w.bin",
    "./../model/w.bin",
    "../model/data/w.bin",
    "../../{root}/model/w.bin",
    "../model/gone.bin",
    "../other/w.bin",
    "../w.bin",
    "../model.bin",
    "../model2/w.bin",
    "../gone.bin",
    "..",
    ".",
    "",
    "/",
    "./",
    "data",
    "data/",
    "data/..",
    "w.bin/",
    "w.bin/.",
    "w.bin/..",
    "w.bin/x",
    "/etc/passwd",
    "/gone/w.bin",
    "{folder}/w.bin",
    "{folder}/gone.bin",
    "//w.bin",
    "\\w.bin",
    ".\\w.bin",
    "data\\w.bin",
    "..\\w.bin",
    "a\\b.bin",
    "C:\\w.bin",
    "C:/w.bin",
    "C:w.bin",
    "c:w.bin",
    "file:///w.bin",
    "http://x/w.bin",
    "~/w.bin",
    "$HOME/w.bin",
    "W.BIN",
    "w.bin ",
    " w.bin",
    "w.bin\0",
    "\0",
    "w.bin\n",
    "\u00e9.bin",
    "e\u0301.bin",
    "sp ace.bin",
    "x" * 300,
    "x/" * 150 + "w.bin",
    "x" * 5000,
    "*/_ORT_MEM_ADDR_/*",
    "_ORT_MEM_ADDR_",
    "data/_ORT_MEM_ADDR_/w.bin",
    "...",
    ".../w.bin",
    "..w.bin",
    "w..bin",
    "data/...",
    "model.onnx",
    "./model.onnx",
    "link.bin",
    "out.bin",
    "inner/w.bin",
    "outer/w.bin",
    "loop.bin",
    "hop.bin",
    "broken.bin",
    "back.bin",
    "back/w.bin",
    "inner/../w.bin",
    "outer/../w.bin",
    "abs.bin",
    "shown.bin",
    "hidden/.w.bin",
    "empty.bin",
    "%2e%2e/w.bin",
    "w.bin?x",
    "w.bin#x",
    "/dev/null",
    "/dev/zero",
    "NUL",
    "con",
)
FILES = {
    "w.bin": bytes(64),
    "data/w.bin": bytes(64),
    "a\\b.bin": bytes(64),
    "data\\w.bin": bytes(64),
    "\u00e9.bin": bytes(64),
    "sp ace.bin": bytes(64),
    "w.bin ": bytes(64),
    "..w.bin": bytes(64),
    "w..bin": bytes(64),
    ".../w.bin": bytes(64),
    "hidden/.w.bin": bytes(64),
    "../other/w.bin": bytes(64),
    "../w.bin": bytes(64),
    "../model2/w.bin": bytes(64),
    "../model.bin": bytes(64),
    "empty.bin": b"",
    "C:w.bin": bytes(64),
}
LINKS = {
    "link.bin": "w.bin",
    "out.bin": "../other/w.bin",
    "inner": "data",
    "outer": "../other",
    "loop.bin": "loop.bin",
    "hop.bin": "out.bin",
    "broken.bin": "gone.bin",
    "back.bin": "../model/w.bin",
    "back": "../model",
    "shown.bin": "data/w.bin",
    "abs.bin": "/dev/null",
}


def _places() -> Iterator[Case]:
    for location in LOCATIONS:
        for length in ("16", None):
            made = _add(away(at(location, None if length is None else "0", length)))
            yield done(f"ext place: {location[:40]!r} length {length}", made, files=FILES, links=LINKS)
    for location in (
        "gone.bin",
        "../w.bin",
        "/etc/passwd",
        "w.bin",
        "empty.bin",
        "data",
        "",
        "../model/w.bin",
        "out.bin",
        "link.bin",
        "back.bin",
        "inner/w.bin",
        "data/../w.bin",
        "gone/../w.bin",
        "./w.bin",
        "a\\b.bin",
    ):
        more = {"files": FILES, "links": LINKS}
        tensor = away(at(location))
        yield done(f"ext use: unread {location!r}", model([node("Relu", "x", "y")], [tensor]), **more)
        yield done(
            f"ext use: an output {location!r}",
            model([node("Relu", "x", "y")], [tensor], outputs=[port("y"), port("w")]),
            **more,
        )
        yield done(
            f"ext use: an input too {location!r}",
            model([node("Add", "x w", "y")], [tensor], inputs=[port("x"), port("w")]),
            **more,
        )
        yield done(
            f"ext use: in a branch {location!r}", branch(body([node("Add", "x w", "p")], "p", "t", (tensor,))), **more
        )
        yield done(
            f"ext use: unread in a branch {location!r}",
            branch(body([node("Relu", "x", "p")], "p", "t", (tensor,))),
            **more,
        )
        yield done(
            f"ext use: read in a branch {location!r}",
            branch(body([node("Add", "x w", "p")], "p", "t"), tensors=(tensor,)),
            **more,
        )
        yield done(
            f"ext use: constant {location!r}",
            model([node("Constant", "", "k", value=tensor), node("Add", "x k", "y")]),
            **more,
        )
        yield done(
            f"ext use: unread constant {location!r}",
            model([node("Constant", "", "k", value=tensor), node("Relu", "x", "y")]),
            **more,
        )
        held = function("F", [node("Constant", "", "k", value=tensor), node("Add", "a k", "b")])
        yield done(
            f"ext use: constant in a function {location!r}",
            model([node("F", "x", "y", domain="l")], opsets=(("", 17), ("l", 1)), functions=[held]),
            **more,
        )
        yield done(f"ext use: first of two {location!r}", _add(tensor, floats("w")), **more)
        yield done(f"ext use: second of two {location!r}", _add(floats("w"), tensor), **more)
        yield done(f"ext use: both {location!r}", _add(tensor, away(at("w.bin"))), **more)
        yield done(
            f"ext use: dead reader {location!r}",
            model([node("Relu", "x", "y"), node("Neg", "w", "dead")], [tensor]),
            **more,
        )
        yield done(
            f"ext use: folded {location!r}", model([node("Neg", "w", "n"), node("Add", "x n", "y")], [tensor]), **more
        )
        shape = away(at(location, "0", "8"), [1], 7, "s")
        yield done(
            f"ext use: a shape {location!r}",
            model([node("Reshape", "x s", "y")], [shape], outputs=[port("y", FLOAT, None)]),
            **more,
        )


def _mixed() -> Iterator[Case]:
    for location in ("w.bin", "gone.bin"):
        both = away(at(location))
        both.raw_data = bytes(16)
        yield done(f"ext mixed: raw data too, {location}", _add(both), files=HERE)
        inside = away(at(location))
        inside.data_location = 0
        inside.raw_data = bytes(16)
        yield done(f"ext mixed: entries of an inner tensor, {location}", _add(inside), files=HERE)
        plain = away(at(location))
        plain.ClearField("data_location")
        yield done(f"ext mixed: entries without a place, {location}", _add(plain), files=HERE)
        seven = away(at(location))
        typed = bytes(seven.SerializeToString()).replace(b"\x70\x01", b"\x70\x07")
        yield done(f"ext mixed: place 7, {location}", _add(onnx.TensorProto.FromString(typed)), files=HERE)
        held = away(at(location))
        held.float_data.extend([1.0] * 4)
        yield done(f"ext mixed: typed data too, {location}", _add(held), files=HERE)


def cases() -> Iterator[Case]:
    yield from _numbers()
    yield from _shapes()
    for name, pairs in KEYS.items():
        yield done(f"ext keys: {name}", _add(away(pairs)), files=HERE)
    yield from _places()
    yield from _mixed()
