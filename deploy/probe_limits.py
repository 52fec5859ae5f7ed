"""Measures the newest IR version and opsets that a real onnxruntime build opens, and adds them to a table.

    for v in 1.20.1 1.32.0; do venv-$v/bin/python deploy/probe_limits.py
    signatures/artifact/ep_tables/cpu/onnxruntime.json; done

The interpreter's environment needs onnxruntime alone: the probe model is written by hand. Versions are tried upwards
until the first refusal, so a limit is what opened last.
"""

from __future__ import annotations

import json
import os
import sys


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def block(field: int, body: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(body)) + body


def value_info(name: bytes) -> bytes:
    tensor = number(1, 1) + block(2, block(1, number(1, 2)))
    return block(1, name) + block(2, block(1, tensor))


def model(ir: int, opsets: list[tuple[bytes, int]]) -> bytes:
    node = block(1, b"x") + block(2, b"y") + block(4, b"Identity")
    graph = block(1, node) + block(2, b"g") + block(11, value_info(b"x")) + block(12, value_info(b"y"))
    imports = b"".join(block(8, block(1, domain) + number(2, version)) for domain, version in opsets)
    return number(1, ir) + block(7, graph) + imports


def opens(data: bytes) -> bool:
    import onnxruntime as ort

    try:
        ort.InferenceSession(data, providers=["CPUExecutionProvider"])
    except Exception:  # whatever the runtime refuses with
        return False
    return True


def main() -> None:
    import onnxruntime as ort

    ort.set_default_logger_severity(4)
    found = {
        "ir": max(v for v in range(3, 40) if opens(model(v, [(b"", 9)]))),
        "opset": max(v for v in range(7, 60) if opens(model(8, [(b"", v)]))),
        "ml": max(v for v in range(1, 20) if opens(model(8, [(b"", 9), (b"ai.onnx.ml", v)]))),
    }
    path = sys.argv[1]
    table = {"schema": 1, "runtime": "onnxruntime", "probe": "deploy/probe_limits.py", "versions": {}}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
    versions = dict(table["versions"]) | {ort.__version__: found}
    table["versions"] = dict(sorted(versions.items(), key=lambda row: [int(part) for part in row[0].split(".")]))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(table, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
