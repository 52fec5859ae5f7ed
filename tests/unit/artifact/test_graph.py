"""The lazy ONNX reader: same structure as a full load, without payloads, in few requests; hostile bytes are refused."""

from __future__ import annotations

import onnx
import pytest
from onnx import TensorProto, helper

from signatures.artifact.graph import OnnxFile
from signatures.artifact.onnx_text import model_bytes
from signatures.artifact.source import LOCAL, BytesSource, LimitReached, Limits, Window
from signatures.artifact.tail import find_ports
from signatures.artifact.varint import field, varint
from signatures.artifact.wire import Malformed

REMOTE = Limits(64 << 20, 400)


def embedded(nodes: int = 300, weights: int = 12, size: int = 400_000) -> bytes:
    """A chain of nodes with large raw_data weights, INT64 constants and typed values."""
    made = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], name=f"n{i}") for i in range(nodes)]
    tensors = [TensorProto(name=f"w{i}", data_type=1, dims=[size // 4], raw_data=bytes(size)) for i in range(weights)]
    tensors.append(helper.make_tensor("shape", TensorProto.INT64, [2], [4, -1]))
    ports = [helper.make_tensor_value_info(name, 1, ["N", 4]) for name in ("v0", f"v{nodes}")]
    infos = [helper.make_tensor_value_info(f"v{i}", 1, ["N", 4]) for i in range(1, nodes, 3)]
    graph = helper.make_graph(made, "g", ports[:1], ports[1:], tensors, value_info=infos)
    return bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())


def opened(data: bytes, limits: Limits = LOCAL) -> tuple[OnnxFile, BytesSource]:
    source = BytesSource(data, "m.onnx")
    return OnnxFile(Window(source, limits), "m.onnx"), source


def test_the_skeleton_is_the_model_without_its_payloads() -> None:
    data = embedded()
    file, _ = opened(data)
    whole, bare = onnx.ModelProto.FromString(data), file.skeleton()
    assert [n.SerializeToString() for n in bare.graph.node] == [n.SerializeToString() for n in whole.graph.node]
    assert [(t.name, list(t.dims), t.data_type) for t in bare.graph.initializer] == [
        (t.name, list(t.dims), t.data_type) for t in whole.graph.initializer
    ]
    assert list(bare.graph.value_info) == list(whole.graph.value_info)
    assert bare.ByteSize() < len(data) / 50
    tensor = file.full().graph.initializers["w3"]
    assert tensor.payload is not None
    number, offset, length = tensor.payload
    assert (number, length) == (9, 400_000)
    assert data[offset - 20 : offset].endswith(varint(9 << 3 | 2) + varint(400_000))
    assert file.full().graph.initializers["shape"].ints() == (4, -1)


def test_asking_for_nodes_alone_takes_few_requests_and_few_bytes() -> None:
    file, source = opened(embedded(weights=60), REMOTE)
    model = file.nodes()
    assert model.partial
    assert len(model.graph.nodes) == 300
    assert [value.name for value in model.graph.inputs] == ["v0"]
    assert model.graph.values["v4"].dims == (None, 4)
    assert model.opset() == 17
    assert source.requests <= 3
    assert source.bytes_read < 24_000_000 * 0.02
    full = file.full()
    assert not full.partial
    assert len(full.graph.tensors) == 61


def test_a_small_remote_file_is_read_whole_at_once() -> None:
    file, source = opened(embedded(nodes=5, weights=1, size=2000), REMOTE)
    assert not file.nodes().partial
    assert source.requests == 1


def test_offsets_point_at_nodes_and_initializers() -> None:
    data = embedded(nodes=3, weights=2)
    graph = opened(data)[0].full().graph
    assert data[graph.nodes[1].offset or 0] == 0x0A
    assert data[graph.tensors[1].offset or 0] == 0x2A


def test_subgraphs_functions_and_sparse_initializers_are_seen() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17, "l" : 1]>
    g (bool c, float[2] x) => (float[2] y) {
      y = If (c) <then_branch = t () => (float[2] p) { p = Relu (x) },
        else_branch = e () => (float[2] q) { q = l.F (x) }>
    }
    <domain: "l", opset_import: ["" : 17]> F (a) => (b) { b = MemcpyFromHost (a) }"""
    proto = onnx.parser.parse_model(text)
    proto.graph.sparse_initializer.add(
        values=helper.make_tensor("sp", 1, [1], [3.0]), indices=helper.make_tensor("i", 7, [1], [1]), dims=[9]
    )
    model = opened(proto.SerializeToString())[0].full()
    assert {graph.path for graph in model.graphs} == {"", "If #0.then_branch", "If #0.else_branch", "function l.F"}
    assert ("l", "F") in model.functions
    assert model.graph.initializers["sp"].sparse
    assert model.graph.initializers["sp"].dims == (9,)


def test_typed_and_string_payloads_stay_in_the_file() -> None:
    tensors = [
        helper.make_tensor("floats", 1, [5000], [1.5] * 5000),
        helper.make_tensor("ints", 7, [5000], list(range(5000))),
        TensorProto(name="texts", data_type=8, dims=[3], string_data=[b"a" * 4000] * 3),
    ]
    node = helper.make_node("Constant", [], ["c"], value=helper.make_tensor("big", 11, [5000], [0.5] * 5000))
    port = helper.make_tensor_value_info("c", 11, [5000])
    graph = helper.make_graph([node], "g", [], [port], tensors)
    file, _ = opened(helper.make_model(graph).SerializeToString())
    assert file.skeleton().ByteSize() < 1000
    found = file.full().graph
    assert [tensor.payload[0] for tensor in found.tensors if tensor.payload] == [4, 7, 6]
    constant = found.nodes[0].tensor()
    assert constant is not None
    assert constant.payload is not None
    assert constant.dims == (5000,)


def test_names_that_are_not_utf8_are_text_all_the_same() -> None:
    node = field(1, b"\xff\xfe") + field(2, b"y") + field(4, b"Relu")
    model = opened(varint(8) + varint(8) + field(7, field(1, node) + field(2, b"g")))[0].full()
    assert model.graph.nodes[0].inputs == ("\\xff\\xfe",)


@pytest.mark.parametrize(
    ("data", "offset", "truncated"),
    [
        (
            model_bytes('<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }')[
                :-9
            ],
            None,
            True,
        ),
        (b"<!DOCTYPE html>", 0, False),
        (b"version https://git-lfs.github.com/spec/v1\n", 0, False),
        (b"GGUF\x03\x00\x00\x00", 0, False),
        (b"\x08\x08\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 2, False),
        (b"\x08\x08\x3a\xff\xff\xff\xff\x7f", 2, True),
        (b"\x08\x08\x00\x01", 2, False),
    ],
)
def test_other_bytes_are_refused_with_the_place(data: bytes, offset: int | None, truncated: bool) -> None:
    with pytest.raises(Malformed) as refused:
        opened(data)[0].full()
    assert refused.value.truncated is truncated or offset is None
    if offset is not None:
        assert refused.value.offset == offset


def test_messages_nested_too_deep_and_too_many_nodes_are_refused() -> None:
    graph = field(1, field(4, b"Relu"))
    for _ in range(3000):
        graph = field(1, field(4, b"If") + field(5, field(6, graph)))
    with pytest.raises(Malformed, match="nested deeper"):
        opened(field(7, graph))[0].full()
    with pytest.raises(LimitReached, match="nodes"):
        opened(field(7, field(1, b"") * 100_000))[0].full()


def test_an_error_is_the_same_for_everybody_who_asks() -> None:
    file, source = opened(b"\x08\x08\x3a\x7f")
    for _ in range(3):
        with pytest.raises(Malformed):
            file.nodes()
    assert source.requests == 1


def test_the_tail_is_accepted_only_where_it_parses_to_the_end() -> None:
    port = helper.make_tensor_value_info("x", 1, ["N"]).SerializeToString()
    tail = field(11, port) + field(12, port) + field(13, port)
    assert find_ports(b"\x5a\x01" * 500 + tail) == 1000
    assert find_ports(tail) == 0
    assert find_ports(tail[:-1]) is None
    assert find_ports(b"\x5a" * 1000) is None


def test_a_file_that_does_not_open_is_walked_once() -> None:
    file, source = opened(b"\x08" * (4 << 20), Limits(1 << 20, 400))
    with pytest.raises(LimitReached) as first:
        file.nodes()
    read = source.bytes_read
    for stage in (file.full, file.nodes, file.skeleton):
        with pytest.raises(LimitReached) as again:
            stage()
        assert again.value is first.value
    assert source.bytes_read == read
