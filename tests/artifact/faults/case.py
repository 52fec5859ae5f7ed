"""What a case is, and the small models that cases are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import onnx
from onnx import TensorProto, helper

FLOAT = TensorProto.FLOAT


class Case(NamedTuple):
    """`model` is written as model.onnx in a folder named `model`, with `files`, `folders` and `links` (name -> what the
    symbolic link points at) beside it."""

    name: str
    model: bytes
    files: Mapping[str, bytes] = {}
    folders: Sequence[str] = ()
    links: Mapping[str, str] = {}


def text(source: str, head: str = '<ir_version: 8, opset_import: ["" : 17]>') -> bytes:
    """ONNX text as bytes."""
    return bytes(onnx.parser.parse_model(head + " " + source).SerializeToString())


def port(name: str, dtype: int = FLOAT, dims: Sequence[int | str | None] | None = (4,)) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, dims)


def floats(name: str, count: int = 4) -> onnx.TensorProto:
    """A sound initializer."""
    return TensorProto(name=name, data_type=FLOAT, dims=[count], raw_data=b"\0\0\x80\x3f" * count)


def model(
    nodes: Sequence[onnx.NodeProto],
    tensors: Sequence[onnx.TensorProto] = (),
    *,
    inputs: Sequence[onnx.ValueInfoProto] | None = None,
    outputs: Sequence[onnx.ValueInfoProto] | None = None,
    opsets: Sequence[tuple[str, int]] = (("", 17),),
    ir: int = 8,
    **more: Any,
) -> onnx.ModelProto:
    """A model of one graph, x in and y out unless told otherwise."""
    graph = onnx.GraphProto(name="g")
    graph.node.extend(nodes)
    graph.initializer.extend(tensors)
    graph.input.extend([port("x")] if inputs is None else inputs)
    graph.output.extend([port("y")] if outputs is None else outputs)
    made = onnx.ModelProto(ir_version=ir, graph=graph, **more)
    for domain, version in opsets:
        made.opset_import.add(domain=domain, version=version)
    return made


def node(op: str, reads: str, makes: str, **attributes: Any) -> onnx.NodeProto:
    """`reads` and `makes` are names between blanks; `_` stands for an empty one."""
    names = [["" if part == "_" else part for part in given.split()] for given in (reads, makes)]
    return helper.make_node(op, *names, **attributes)


def done(name: str, made: onnx.ModelProto, **more: Any) -> Case:
    return Case(name, bytes(made.SerializeToString()), **more)
