"""ONNX text to model bytes, for the fixtures that checks carry."""

from __future__ import annotations

import onnx.parser


def model_bytes(text: str) -> bytes:
    """The serialized model. Raises onnx.parser.ParseError where the text does not parse."""
    return bytes(onnx.parser.parse_model(text).SerializeToString())
