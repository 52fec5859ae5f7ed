"""genai_config.json read with positions, as strictly as GenAI reads it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.artifact import genai_schema
from signatures.artifact.genai import fold_provider, parse_config, providers, sections
from signatures.artifact.genai_json import Item

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31), 2**31) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


def plain(item: Item) -> object:
    if isinstance(item.value, dict):
        return {key: plain(value) for key, value in item.value.items()}
    if isinstance(item.value, list):
        return [plain(value) for value in item.value]
    return item.value


@given(JSON)
def test_valid_json_is_read_as_json_is(value: object) -> None:
    # A newline, since GenAI passes over a word such as `true` at the very end.
    data = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"
    config = parse_config(data)
    assert config.root is not None
    assert plain(config.root) == json.loads(data)


@pytest.mark.parametrize("rest", [b" garbage", b"{}", b"\0"])
def test_what_follows_the_document_is_not_read_as_genai_does_not(rest: bytes) -> None:
    assert parse_config(b'{"a": 1}' + rest).error is None


def test_a_byte_of_another_encoding_inside_a_string_is_taken_as_genai_does() -> None:
    assert parse_config(b'{"a": "caf\xe9"}').error is None


@given(st.binary(max_size=400))
def test_any_bytes_give_a_value_or_say_why_not(data: bytes) -> None:
    config = parse_config(data)
    assert (config.root is None) <= (config.error is not None or bool(config.escapes))


def test_deep_nesting_is_refused_without_recursion() -> None:
    error = parse_config(b"[" * 100_000).error
    assert error is not None
    assert error.what == "size"


def test_positions_are_those_of_the_value() -> None:
    config = parse_config(b'{\n "model": {\n  "context_length": "512"\n }\n}')
    item = config.find("model", "context_length")
    assert item is not None
    assert (item.line, item.at) == (3, 34)
    assert item.string() == "512"


def test_escapes_marks_and_commas_are_told_apart() -> None:
    found = parse_config(b'{"a": "\\u00e4"}').escapes
    assert [(each.line, each.column, each.message) for each in found] == [(1, 13, "a:Unsupported uXXXX code used")]
    for data, what in (
        (b'\xef\xbb\xbf{"a": 1}', "bom"),
        (b'{"a": 1,}', "trailing-comma"),
        (b'{"a" 1}', "syntax"),
        (b'{"a": \xff}', "no-value"),
        (b'{"a": 1e400}', "number"),
        (b"", "syntax"),
    ):
        error = parse_config(data).error
        assert error is not None
        assert error.what == what


def test_sections_and_providers_are_found_with_pipeline_stages() -> None:
    config = parse_config(
        json.dumps(
            {
                "model": {
                    "decoder": {
                        "session_options": {"provider_options": [{"WebGpuExecutionProvider": {"a": "1"}}]},
                        "pipeline": [{"embeds": {"filename": "e.onnx"}, "lm": {"filename": "l.onnx"}}],
                    },
                    "vision": {"filename": "v.onnx"},
                }
            }
        ).encode()
    )
    found = sections(config)
    assert [(section.path, section.filename) for section in found] == [
        ("decoder", None),
        ("decoder.pipeline[0].embeds", "e.onnx"),
        ("decoder.pipeline[0].lm", "l.onnx"),
        ("vision", "v.onnx"),
    ]
    assert [(given.name, given.written) for given in providers(found[0])] == [("webgpu", "WebGpuExecutionProvider")]
    assert fold_provider("CUDAExecutionProvider") == "cuda"


def test_a_version_between_measured_ones_is_judged_by_both() -> None:
    known = genai_schema.versions()
    assert len(known) >= 10
    assert genai_schema.schema(known[0]) is not None
    assert genai_schema.schema((0, 0, 1)) is None
    assert genai_schema.schema((99, 0, 0)) is None
    between = genai_schema.schema((0, 13, 0))
    assert between is not None
    assert not between.exact
    newest = genai_schema.schema(known[-1])
    assert newest is not None
    assert "number" in newest.keys["model/vision/spatial_merge_size"]
    assert "qwen3_5" in newest.types
