"""Some hundred mutated packages of several model types, opened by a real onnxruntime-genai and judged by the checks.

What opens must carry nothing fatal; what is refused must be found, with the words that the runtime prints.
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from signatures.artifact.package import Package
from signatures.checks import run_checks
from signatures.checks.model import Severity, Target
from tests.artifact import runtimes
from tests.artifact.test_genai_texts import MODEL, VERSION, config

# Written as they stand: what json.dumps cannot write.
RAW = ("1e400", "-0", "-", "+1", "01", ".5", "1.", "0x10", "NaN", "-nan", "-Infinity", "tru", "True", "None")
VALUES: tuple[Any, ...] = (
    "x", "", 3, 0, -1, 1.5, 3e9, True, None, {}, [], {"zz": 1}, [1], ["a"], [{}], [None], [[]],
    *(f"@{raw}@" for raw in RAW),
)  # fmt: skip
KEYS = ("zz", "Type", "", "filename", "session_options", "ключ", "_comment")
NAMES = (
    "sub/m.onnx",
    "./model.onnx",
    "../m.onnx",
    "/m.onnx",
    "\\m.onnx",
    "C:/m.onnx",
    "",
    ".",
    "MODEL.onnx",
    "a" * 300,
)
OTHERS = (b"\0", b",", b"}", b"{", b"]", b'"', b"\\u0041", b"\\q", b"\n", b"t", b"//x\n", b"\xef\xbb\xbf")


def section(name: str) -> dict[str, Any]:
    return {"filename": f"{name}.onnx", "session_options": {"provider_options": []}}


def bases() -> dict[str, dict[str, Any]]:
    stage = {"filename": "model.onnx", "inputs": ["input_ids"], "outputs": ["logits"], "run_on_prompt": True}
    text = config()
    speech = {"speech": {**section("speech"), "config_filename": "speech.json"}}
    seen = {name: section(name) for name in ("vision", "embedding")}
    several = {
        "phi3v": seen,
        "phi4mm": {**seen, **speech},
        "whisper": {"encoder": section("encoder")},
        "decoder-pipeline": {"decoder": {**text["model"]["decoder"], "pipeline": [{"a": stage}]}},
    }
    found = {"llama": text}
    for kind, sections in several.items():
        found[kind] = copy.deepcopy({**text, "model": {**text["model"], "type": kind, **sections}})
    return found


def places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield (*at, key)
        yield from places(value, (*at, key))


def changed(base: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    out = copy.deepcopy(base)
    inside: Any = out
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    return out


def written(value: Any, indent: int | None = None) -> bytes:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    for raw in RAW:
        text = text.replace(f'"@{raw}@"', raw)
    return text.encode()


def mutated(random_: random.Random) -> Iterator[tuple[str, bytes]]:
    """Name and genai_config.json."""
    for kind, base in bases().items():
        yield f"{kind} sound", written(base)
        spots = list(places(base))
        for _ in range(40):
            place, value = random_.choice(spots), random_.choice(VALUES)
            yield f"{kind} {place} {value!r}", written(changed(base, place, value), random_.choice((None, 1)))
        objects = [place for place in spots if isinstance(_at(base, place), dict)]
        for _ in range(14):
            place, key, value = (random_.choice(each) for each in (objects, KEYS, VALUES))
            yield f"{kind} {place} + {key!r} {value!r}", written(changed(base, (*place, key), value), 2)
        for place in (each for each in spots if each[-1] == "filename"):
            for name in NAMES:
                yield f"{kind} {place} {name[:20]!r}", written(changed(base, place, name))
        data = written(base, random_.choice((None, 2)))
        for _ in range(14):
            at = random_.randrange(len(data))
            yield f"{kind} text at {at}", data[:at] + random_.choice(OTHERS) + data[at + random_.randint(0, 1) :]


def _at(node: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        node = node[step]
    return node


def test_mutated_packages_are_judged_as_genai_judges_them(tmp_path: object) -> None:
    if why := runtimes.missing(f"onnxruntime-genai-{VERSION}"):
        pytest.skip(why)
    names, folders = [], []
    for number, (name, data) in enumerate(mutated(random.Random(11))):  # noqa: S311  # repeatable
        folder = os.path.join(str(tmp_path), str(number))
        os.makedirs(folder)
        files = {f"{each}.onnx": MODEL for each in ("model", "vision", "embedding", "speech", "encoder")}
        for file, body in {
            **files,
            "genai_config.json": data,
            "tokenizer_config.json": b"{}",
            "speech.json": b"{}",
        }.items():
            with open(os.path.join(folder, file), "wb") as out:
                out.write(body)
        names.append(name)
        folders.append(folder)
    wrong, missed, silent, refused = [], [], [], 0
    said = runtimes.open_packages(f"onnxruntime-genai-{VERSION}", folders)
    for name, folder, answer in zip(names, folders, said, strict=True):
        results = run_checks(Package.from_path(folder), Target((("onnxruntime-genai", VERSION),)))
        assert [result.error for result in results if result.error] == []
        hits = [hit for result in results for hit in result.hits if hit.severity is not Severity.INFO]
        if answer == "opens":
            wrong += [f"{name}: {hit.detail}" for hit in hits if hit.severity is Severity.FATAL]
            continue
        refused += 1
        if not hits:
            missed.append(f"{name}: {answer}")
        elif not any(hit.predicted_text and " ".join(hit.predicted_text.split()) in answer for hit in hits):
            silent.append(f"{name}: {answer} | {[hit.predicted_text for hit in hits]}")
    assert wrong == []
    assert len(missed) <= refused // 100, missed
    assert len(silent) <= refused // 50, silent
