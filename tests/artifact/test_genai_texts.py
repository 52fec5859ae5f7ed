"""What a real onnxruntime-genai says to broken packages, against what the checks predict."""

from __future__ import annotations

import json
import os
from typing import Any

import onnx
import pytest

from signatures.artifact.package import Package
from signatures.checks import run_checks
from signatures.checks.model import Severity, Target
from tests.artifact import runtimes

VERSION = "0.18.0"
MODEL = onnx.parser.parse_model(
    '<ir_version: 8, opset_import: ["" : 17]> '
    "g (int64[B, S] input_ids, int64[B, S] attention_mask) => (float[B, S, 8] logits)"
    " { c = Cast <to = 1> (input_ids)  a = Unsqueeze (c, ax)  logits = Expand (a, sh) }".replace(
        "logits) {", "logits) <int64[1] ax = {2}, int64[3] sh = {1, 1, 8}> {"
    )
).SerializeToString()


def config(**changes: Any) -> dict[str, Any]:
    """A sound text configuration with some values at dotted paths replaced; None takes a key away."""
    out: dict[str, Any] = {
        "model": {
            "type": "llama",
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pad_token_id": 0,
            "vocab_size": 8,
            "context_length": 512,
            "decoder": {
                "session_options": {"provider_options": []},
                "filename": "model.onnx",
                "head_size": 4,
                "hidden_size": 8,
                "num_attention_heads": 2,
                "num_hidden_layers": 0,
                "num_key_value_heads": 2,
                "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask"},
                "outputs": {"logits": "logits"},
            },
        },
        "search": {"max_length": 512},
    }
    for path, value in changes.items():
        *folders, key = path.split("/")
        inside = out
        for folder in folders:
            inside = inside.setdefault(folder, {})
        if value is None:
            inside.pop(key, None)
        else:
            inside[key] = value
    return out


SESSION = "model/decoder/session_options"
CASES: dict[str, dict[str, Any] | str | bytes] = {
    "sound": config(),
    "unknown vision key": config(**{"model/vision/no_such_size": 2}),
    "known vision key": config(**{"model/vision/spatial_merge_size": 2}),
    "unknown model key": config(**{"model/zz": 1}),
    "unknown search key": config(**{"search/zz": 1}),
    "unknown top object": config(**{"zz/a": 1}),
    "unknown top number": config(zz=1),
    "unknown input": config(**{"model/decoder/inputs/zz": "a"}),
    "free session key": config(**{f"{SESSION}/session.some_entry": "1"}),
    "free session number": config(**{f"{SESSION}/session.some_entry": 1}),
    "session options as an array": config(**{SESSION: []}),
    "providers as an object": config(**{f"{SESSION}/provider_options": {"cpu": {}}}),
    "text for a number": config(**{"model/context_length": "512"}),
    "number for a text": config(**{"model/type": 3}),
    "null": config() | {"search": {"max_length": "@null"}},
    "bool for a number": config(**{"model/vocab_size": True}),
    "number for a bool": config(**{"search/do_sample": 1}),
    "token list": config(**{"model/eos_token_id": [1, 2]}),
    "token text list": config(**{"model/eos_token_id": ["1"]}),
    "pad token list": config(**{"model/pad_token_id": [1]}),
    "unknown type": config(**{"model/type": "bert"}),
    "newer type": config(**{"model/type": "qwen3"}),
    "no context length": config(**{"model/context_length": None}),
    "context length 0": config(**{"model/context_length": 0}),
    "file missing": config(**{"model/decoder/filename": "other.onnx"}),
    "no filename": config(**{"model/decoder/filename": None}),
    "climbs out": config(**{"model/decoder/filename": "../model.onnx"}),
    "absolute": config(**{"model/decoder/filename": "/model.onnx"}),
    "webgpu": config(**{f"{SESSION}/provider_options": [{"webgpu": {}}]}),
    "unknown provider": config(**{f"{SESSION}/provider_options": [{"foo": {}}]}),
    "capture as a bool": config(**{f"{SESSION}/provider_options": [{"webgpu": {"enableGraphCapture": True}}]}),
    "max_length above": config(**{"search/max_length": 1024}),
    "byte order mark": b"\xef\xbb\xbf" + json.dumps(config()).encode(),
    "trailing comma": json.dumps(config()).replace('"pad_token_id": 0', '"pad_token_id": 0,,'),
    "comma at the end": json.dumps(config(), indent=1)[:-2] + ",\n}",
    "escape": json.dumps(config(**{"model/type": "ll\u00e4ma"})),
    "raw letters": json.dumps(config(**{f"{SESSION}/log_id": "\u00e4"}), ensure_ascii=False),
    "cut": json.dumps(config())[:-40],
    "empty": "",
}


def test_what_genai_refuses_is_predicted_with_its_words(tmp_path: object) -> None:
    if why := runtimes.missing(f"onnxruntime-genai-{VERSION}"):
        pytest.skip(why)
    folders = []
    for number, content in enumerate(CASES.values()):
        folder = os.path.join(str(tmp_path), str(number))
        os.makedirs(folder)
        text = (
            json.dumps(content, ensure_ascii=False).replace('"@null"', "null") if isinstance(content, dict) else content
        )
        data = text if isinstance(text, bytes) else text.encode()
        for name, body in (("genai_config.json", data), ("model.onnx", MODEL), ("tokenizer_config.json", b"{}")):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(body)
        folders.append(folder)
    wrong = []
    for name, folder, said in zip(
        CASES, folders, runtimes.open_packages(f"onnxruntime-genai-{VERSION}", folders), strict=True
    ):
        results = run_checks(Package.from_path(folder), Target((("onnxruntime-genai", VERSION),)))
        every = [hit for result in results for hit in result.hits]
        fatal = [hit for hit in every if hit.severity is Severity.FATAL]
        told = [hit for hit in every if hit.predicted_text and " ".join(hit.predicted_text.split()) in said]
        silent = [hit for hit in fatal if hit.predicted_text is None]
        if said == "opens" and fatal:
            wrong.append(f"{name}: opens, but {fatal[0].detail}")
        elif said != "opens" and not told and not silent:
            wrong.append(f"{name}: {said!r}, predicted {[hit.predicted_text for hit in every]}")
    assert wrong == []
