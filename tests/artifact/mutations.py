"""Mutations of model files: of their bytes, and of their structure where the bytes stay a valid protobuf."""

from __future__ import annotations

import random
from typing import Any

import onnx

NAMES = (
    "",
    "x",
    "y",
    "v1",
    "s",
    "\u202e",
    "a" * 3000,
    "Memcpy",
    "_CUDAExecutionProvider",
    "x_CUDAExecutionProvider_token_1",
)
OPERATORS = (
    "MemcpyFromHost", "MemcpyToHost", "If", "Loop", "Scan", "Cast", "Shape", "Reshape", "Expand", "Identity",
    "Constant",
    "ConstantOfShape", "Gather", "Transpose", "Dropout", "Where", "TopK", "F0", "Concat", "GroupQueryAttention",
)  # fmt: skip
LOCATIONS = (
    "../../etc/passwd",
    "/etc/shadow",
    "*/_ORT_MEM_ADDR_/*",
    "C:\\x",
    "w.bin",
    "",
    "\x00",
    "a/../../b",
    "x" * 5000,
)


def mutate_bytes(rng: random.Random, data: bytes) -> bytes:
    """A few small faults: flipped, lost, added and repeated bytes, overlong numbers, a cut end."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        if not out:
            break
        at = rng.randrange(len(out))
        kind = rng.randrange(7)
        if kind == 0:
            out[at] = rng.randrange(256)
        elif kind == 1:
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del out[at : at + rng.randrange(1, 30)]
        elif kind == 3:
            out[at:at] = rng.randbytes(rng.randrange(1, 10))
        elif kind == 4:
            out[at:at] = out[rng.randrange(len(out)) :][: rng.randrange(1, 200)]
        elif kind == 5:
            out[at : at + 1] = b"\xff" * rng.randrange(1, 11)
        else:
            del out[at:]
    return bytes(out)


def mutate_structure(rng: random.Random, data: bytes) -> bytes:
    """Hostile but parseable: names, operators, types, dimensions, external data, attributes swapped for others."""
    model: Any = onnx.ModelProto.FromString(data)
    for _ in range(rng.randrange(1, 6)):
        rng.choice((_node, _node, _tensors, _model))(rng, model)
    return bytes(model.SerializeToString())


def _node(rng: random.Random, model: Any) -> None:
    if not model.graph.node:
        return
    node = rng.choice(list(model.graph.node))
    kind = rng.randrange(6)
    if kind == 0:
        node.op_type = rng.choice(OPERATORS)
    elif kind == 1 and node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice(NAMES)
    elif kind == 2 and node.output:
        node.output[rng.randrange(len(node.output))] = rng.choice(NAMES)
    elif kind == 3:
        node.attribute.add(name=rng.choice(("to", "axis", "perm", "value")), i=rng.randrange(-9, 99), type=2)
    elif kind == 4:
        node.attribute.add(name="perm", ints=[rng.randrange(-9, 9) for _ in range(3)], type=7)
    else:
        node.domain = rng.choice(("", "local", "com.microsoft", "evil.domain"))


def _tensors(rng: random.Random, model: Any) -> None:
    if rng.random() < 0.5:
        tensor = model.graph.initializer.add(name=rng.choice(NAMES), data_type=rng.randrange(-2, 40))
        tensor.dims.extend(rng.choice((-1, 0, 1, 2, 1 << 40, (1 << 63) - 1)) for _ in range(rng.randrange(5)))
        tensor.raw_data = bytes(rng.randrange(40))
        return
    tensor = model.graph.initializer.add(name="w", data_type=1, dims=[4], data_location=1)
    for key in ("location", "offset", "length", "checksum"):
        tensor.external_data.add(key=key, value=rng.choice((*LOCATIONS, "-1", "0", "9" * 30, "1e9")))


def _model(rng: random.Random, model: Any) -> None:
    if rng.random() < 0.5 and model.graph.input:
        rng.choice(list(model.graph.input)).type.tensor_type.elem_type = rng.randrange(0, 60)
        return
    del model.opset_import[:]
    model.opset_import.add(domain=rng.choice(("", "local", "ai.onnx")), version=rng.choice((-1, 0, 17, 1 << 50)))
