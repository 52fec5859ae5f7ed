"""Tensors inside the file: shapes, element types and the bytes that do not fit them."""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from onnx import TensorProto, helper

from tests.artifact.faults.case import FLOAT, Case, done, floats, model, node, port
from tests.artifact.faults.scopes import body, branch, function

BITS = {
    1: 32,
    2: 8,
    3: 8,
    4: 16,
    5: 16,
    6: 32,
    7: 64,
    9: 8,
    10: 16,
    11: 64,
    12: 32,
    13: 64,
    14: 64,
    15: 128,
    16: 16,
    17: 8,
    18: 8,
    19: 8,
    20: 8,
    21: 4,
    22: 4,
    23: 4,
    24: 8,
    25: 2,
    26: 2,
}
TYPED = {
    1: "float_data",
    2: "int32_data",
    3: "int32_data",
    4: "int32_data",
    5: "int32_data",
    6: "int32_data",
    7: "int64_data",
    9: "int32_data",
    10: "int32_data",
    11: "double_data",
    12: "uint64_data",
    13: "uint64_data",
    14: "float_data",
    15: "double_data",
    16: "int32_data",
    17: "int32_data",
    21: "int32_data",
    22: "int32_data",
}
OPSET = {16: 13, 17: 19, 18: 19, 19: 19, 20: 19, 21: 21, 22: 21, 23: 23, 24: 24, 25: 25, 26: 25}
IR = {17: 9, 18: 9, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 12, 25: 13, 26: 13}


def _given(tensor: onnx.TensorProto, *, ir: int = 8, read: bool = True) -> onnx.ModelProto:
    """The tensor as a graph output, or beside the graph."""
    if not read:
        return model([node("Relu", "x", "y")], [tensor], ir=ir)
    dims = [max(dim, 0) for dim in tensor.dims]
    return model(
        [node("Relu", "x", "y"), node("Identity", "w", "z")],
        [tensor],
        ir=ir,
        opsets=(("", OPSET.get(tensor.data_type, 17)),),
        outputs=[port("y"), port("z", tensor.data_type, dims)],
    )


def _sizes() -> Iterator[Case]:
    for dtype, bits in BITS.items():
        for dims in ([4], [3], [0], [], [2, 3], [2, 0], [1], [5]):
            count = 1
            for dim in dims:
                count *= dim
            need = (count * bits + 7) // 8
            for have in sorted({need, need - 1, need + 1, need + 16, 0, need // 2, need * 2}):
                if have < 0:
                    continue
                tensor = TensorProto(name="w", data_type=dtype, dims=dims, raw_data=bytes(have))
                yield done(f"raw: {dtype} {dims} of {need} has {have}", _given(tensor, ir=IR.get(dtype, 8)))
    for have in (8, 16, 20, 0):
        tensor = TensorProto(name="w", data_type=FLOAT, dims=[4], raw_data=bytes(have))
        yield done(f"raw: unread has {have}", _given(tensor, read=False))
        yield done(f"raw: in a branch has {have}", branch(body([node("Add", "x w", "p")], "p", "t", (tensor,))))
        yield done(f"raw: unread in a branch has {have}", branch(body([node("Relu", "x", "p")], "p", "t", (tensor,))))
        yield done(
            f"raw: read in a branch has {have}", branch(body([node("Add", "x w", "p")], "p", "t"), tensors=(tensor,))
        )
        yield done(
            f"raw: only an output has {have}", model([node("Relu", "x", "y")], [tensor], outputs=[port("y"), port("w")])
        )
        yield done(
            f"raw: constant has {have}", model([node("Constant", "", "k", value=tensor), node("Add", "x k", "y")])
        )
        yield done(
            f"raw: unread constant has {have}", model([node("Constant", "", "k", value=tensor), node("Relu", "x", "y")])
        )
        held = function("F", [node("Constant", "", "k", value=tensor), node("Add", "a k", "b")])
        yield done(
            f"raw: constant in a function has {have}",
            model([node("F", "x", "y", domain="l")], opsets=(("", 17), ("l", 1)), functions=[held]),
        )
        filled = TensorProto(name="v", data_type=FLOAT, dims=[1], raw_data=bytes(have))
        shape = TensorProto(name="s", data_type=7, dims=[1], int64_data=[4])
        yield done(
            f"raw: ConstantOfShape value has {have}",
            model([node("ConstantOfShape", "s", "k", value=filled), node("Add", "x k", "y")], [shape]),
        )
        yield done(
            f"raw: an input too has {have}", model([node("Add", "x w", "y")], [tensor], inputs=[port("x"), port("w")])
        )
        yield done(f"raw: first of two has {have}", model([node("Add", "x w", "y")], [tensor, floats("w")]))
        yield done(f"raw: second of two has {have}", model([node("Add", "x w", "y")], [floats("w"), tensor]))
        dead = model([node("Relu", "x", "y"), node("Neg", "w", "dead")], [tensor])
        yield done(f"raw: dead reader has {have}", dead)
        yield done(f"raw: folded reader has {have}", model([node("Neg", "w", "n"), node("Add", "x n", "y")], [tensor]))
        yield done(
            f"raw: shape has {have}",
            model(
                [node("Reshape", "x s", "y")],
                [TensorProto(name="s", data_type=7, dims=[1], raw_data=bytes(have))],
                outputs=[port("y", FLOAT, None)],
            ),
        )
    for have in (1000, 16380, 16384, 16388, 70000):
        tensor = TensorProto(name="w", data_type=FLOAT, dims=[4096], raw_data=bytes(have))
        yield done(f"raw: large has {have}", _given(tensor))


def _typed() -> Iterator[Case]:
    for dtype, field_name in TYPED.items():
        for count in (0, 1, 2, 3, 4, 5, 8):
            tensor = TensorProto(name="w", data_type=dtype, dims=[4])
            getattr(tensor, field_name).extend([1] * count)
            yield done(f"typed: {dtype} {field_name} {count} of 4", _given(tensor, ir=IR.get(dtype, 8)))
    for count in (0, 1):
        for dims in ([0], [2, 0]):
            tensor = TensorProto(name="w", data_type=1, dims=dims, float_data=[1.0] * count)
            yield done(f"typed: {dims} with {count}", _given(tensor))
    for wrong, dtype in (
        ("int64_data", 1),
        ("float_data", 7),
        ("double_data", 1),
        ("int32_data", 7),
        ("uint64_data", 6),
    ):
        tensor = TensorProto(name="w", data_type=dtype, dims=[4])
        getattr(tensor, wrong).extend([1] * 4)
        yield done(f"typed: {dtype} in {wrong}", _given(tensor))
    for count in (0, 3, 4, 5):
        tensor = TensorProto(name="w", data_type=8, dims=[4], string_data=[b"s"] * count)
        yield done(f"typed: strings {count} of 4", _given(tensor))
    yield done("typed: strings as raw data", _given(TensorProto(name="w", data_type=8, dims=[4], raw_data=b"abcd")))
    for raw in (b"", bytes(16), bytes(8), bytes(20)):
        for count in (0, 3, 4, 5):
            tensor = TensorProto(name="w", data_type=1, dims=[4], float_data=[1.0] * count, raw_data=raw)
            yield done(f"typed: {count} floats and {len(raw)} raw bytes", _given(tensor))
    for count in (300, 4095, 4096, 4097):
        tensor = TensorProto(name="w", data_type=1, dims=[4096], float_data=[1.0] * count)
        yield done(f"typed: large {count} of 4096", _given(tensor))
        tensor = TensorProto(name="w", data_type=7, dims=[4096], int64_data=[1] * count)
        yield done(f"typed: large int64 {count} of 4096", _given(tensor))


READERS = {
    "Pow": ([node("Pow", "x w", "y")], [4], 1),
    "MatMul": ([node("MatMul", "x w", "y")], [4, 3], 1),
    "Gemm": ([node("Unsqueeze", "x ax", "x2"), node("Gemm", "x2 w", "y")], [4, 3], 1),
    "Concat": ([node("Concat", "x w", "y", axis=0)], [4], 1),
    "Gather": ([node("Gather", "x w", "y")], [2], 7),
    "Reshape": ([node("Reshape", "x w", "y")], [2], 7),
    "Expand": ([node("Expand", "x w", "y")], [2], 7),
    "Tile": ([node("Tile", "x w", "y")], [1], 7),
    "Slice": ([node("Slice", "x w e", "y")], [1], 7),
    "Pad": ([node("Pad", "x w", "y")], [2], 7),
    "Unsqueeze": ([node("Unsqueeze", "x w", "y")], [1], 7),
    "Squeeze": ([node("Squeeze", "x2 w", "y")], [1], 7),
    "ConstantOfShape": ([node("ConstantOfShape", "w", "y")], [2], 7),
    "ReduceSum": ([node("ReduceSum", "x w", "y")], [1], 7),
    "TopK": ([node("TopK", "x w", "y i")], [1], 7),
    "Range": ([node("Range", "w e e", "y")], [], 7),
    "Clip": ([node("Clip", "x w", "y")], [], 1),
    "Resize": ([node("Resize", "x _ _ w", "y")], [1], 7),
    "OneHot": ([node("OneHot", "w e d", "y")], [2], 7),
    "folded": ([node("Relu", "w", "n"), node("MatMul", "x n", "y")], [4, 3], 1),
    "LayerNormalization": ([node("LayerNormalization", "x w", "y")], [4], 1),
}


def _readers() -> Iterator[Case]:
    for name, (nodes, dims, dtype) in READERS.items():
        count = 1
        for dim in dims:
            count *= dim
        size = count * (4 if dtype == 1 else 8)
        one = (1).to_bytes(8, "little") if dtype == 7 else bytes(4)
        extra = [helper.make_tensor("ax", 7, [1], [0]), helper.make_tensor("e", 7, [1], [4]), floats("d", 2)]
        read = {each for made in nodes for each in made.input}
        extra = [tensor for tensor in extra if tensor.name in read]
        if "x2" in read:
            extra.append(TensorProto(name="x2", data_type=1, dims=[1, 4], raw_data=bytes(16)))
        for kind in ("sound", "short", "long", "typed", "none", "external", "away"):
            tensor = TensorProto(name="w", data_type=dtype, dims=dims)
            if kind in ("sound", "short", "long"):
                tensor.raw_data = (one * count)[: size - (4 if kind == "short" else 0)] + bytes(4 * (kind == "long"))
            elif kind == "typed":
                (tensor.float_data if dtype == 1 else tensor.int64_data).extend([1] * (count + 1))
            elif kind != "none":
                tensor.data_location = 1
                tensor.external_data.add(key="location", value="w.bin" if kind == "external" else "gone.bin")
            made = model(nodes, [tensor, *extra], outputs=[onnx.ValueInfoProto(name="y")])
            yield done(f"reader: {name} of {kind}", made, files={"w.bin": one * count})


def _shapes() -> Iterator[Case]:
    for dims in (
        [-1],
        [-4],
        [4, -1],
        [0, -1],
        [-1, -4],
        [1 << 40],
        [1 << 62],
        [(1 << 63) - 1],
        [1 << 32, 1 << 32],
        [0, 1 << 62],
        [1] * 70,
        [-(1 << 63)],
    ):
        for have in (0, 4, 16):
            tensor = TensorProto(name="w", data_type=FLOAT, dims=dims, raw_data=bytes(have))
            yield done(f"shape: {str(dims)[:30]} has {have}", _given(tensor))
            yield done(f"shape: unread {str(dims)[:30]} has {have}", _given(tensor, read=False))
    for dtype in (0, -1, 27, 28, 40, 99, 1 << 30):
        for have in (0, 16):
            tensor = TensorProto(name="w", data_type=dtype, dims=[4], raw_data=bytes(have))
            made = model([node("Relu", "x", "y"), node("Identity", "w", "z")], [tensor], outputs=[port("y")])
            yield done(f"type: {dtype} has {have}", made)
            yield done(f"type: unread {dtype} has {have}", _given(tensor, read=False))
    tensor = floats("w")
    tensor.segment.begin, tensor.segment.end = 0, 2
    yield done("shape: with a segment", _given(tensor))


def sparse(
    values: onnx.TensorProto, indices: onnx.TensorProto, dims: list[int], *, read: bool = True
) -> onnx.ModelProto:
    made = model([node("Add", "x w", "y") if read else node("Relu", "x", "y")])
    made.graph.sparse_initializer.add(values=values, indices=indices, dims=dims)
    return made


def _sparse() -> Iterator[Case]:
    def numbers(*places: int, dims: list[int] | None = None) -> onnx.TensorProto:
        return helper.make_tensor("i", 7, dims or [len(places)], places)

    good = TensorProto(name="w", data_type=FLOAT, dims=[2], raw_data=bytes(8))
    yield done("sparse: sound", sparse(good, numbers(0, 2), [4]))
    yield done("sparse: unread", sparse(good, numbers(0, 2), [4], read=False))
    yield done("sparse: index past the end", sparse(good, numbers(0, 9), [4]))
    yield done("sparse: negative index", sparse(good, numbers(-1, 2), [4]))
    yield done("sparse: unsorted indices", sparse(good, numbers(2, 0), [4]))
    yield done("sparse: same index twice", sparse(good, numbers(2, 2), [4]))
    yield done("sparse: one index for two values", sparse(good, numbers(2), [4]))
    yield done("sparse: three indices for two values", sparse(good, numbers(0, 1, 2), [4]))
    yield done("sparse: no values", sparse(TensorProto(name="w", data_type=FLOAT, dims=[0]), numbers(dims=[0]), [4]))
    yield done("sparse: indices of two columns", sparse(good, numbers(0, 0, 1, 1, dims=[2, 2]), [2, 2]))
    for have in (0, 4, 8, 12):
        short = TensorProto(name="w", data_type=FLOAT, dims=[2], raw_data=bytes(have))
        yield done(f"sparse: values of 8 have {have}", sparse(short, numbers(0, 2), [4]))
        yield done(f"sparse: unread values of 8 have {have}", sparse(short, numbers(0, 2), [4], read=False))
    for have in (0, 8, 16, 24):
        places = TensorProto(name="i", data_type=7, dims=[2], raw_data=bytes(have))
        yield done(f"sparse: indices of 16 have {have}", sparse(good, places, [4]))
    yield done("sparse: indices of int32", sparse(good, helper.make_tensor("i", 6, [2], [0, 2]), [4]))
    yield done("sparse: negative dimension", sparse(good, numbers(0, 2), [-4]))
    yield done("sparse: no dimension", sparse(good, numbers(0, 2), []))
    twice = sparse(good, numbers(0, 2), [4])
    twice.graph.initializer.append(floats("w"))
    yield done("sparse: and dense of one name", twice)
    two = sparse(good, numbers(0, 2), [4])
    two.graph.sparse_initializer.append(two.graph.sparse_initializer[0])
    yield done("sparse: twice", two)
    made = sparse(good, numbers(0, 2), [4])
    made.graph.node.insert(0, node("Neg", "x", "w"))
    yield done("sparse: named as a node output", made)
    away = TensorProto(name="w", data_type=FLOAT, dims=[2], data_location=1)
    away.external_data.add(key="location", value="w.bin")
    for files in ({}, {"w.bin": bytes(8)}, {"w.bin": bytes(4)}):
        yield done(
            f"sparse: external values in {len(files) and len(files['w.bin'])}",
            sparse(away, numbers(0, 2), [4]),
            files=files,
        )
    apart = TensorProto(name="i", data_type=7, dims=[2], data_location=1)
    apart.external_data.add(key="location", value="w.bin")
    for files in ({}, {"w.bin": bytes(16)}, {"w.bin": bytes(8)}):
        yield done(
            f"sparse: external indices in {len(files) and len(files['w.bin'])}", sparse(good, apart, [4]), files=files
        )


def cases() -> Iterator[Case]:
    yield from _sizes()
    yield from _typed()
    yield from _readers()
    yield from _shapes()
    yield from _sparse()
