"""Checks on a 1.5 GB model with embedded weights against `onnx.load`, locally and over loopback HTTP.

    python -m tests.benchmarks.artifact_lazy_read [--gigabytes 1.5]

Each measurement is a fresh process; peak memory is its resident maximum, interpreter included. The claims are: at
least 50 times faster and at most 1/30 of the memory of `onnx.load`; over HTTP under 0.5 % of the bytes, and at most 6
requests while only nodes are asked for; a file over 2 GiB answered in under a second.
"""

from __future__ import annotations

import argparse
import http.client
import http.server
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCKS = 24
NODES_PER_BLOCK = 125


def write_model(path: str, size: int) -> None:
    """A transformer-like fp16 graph, about 3,000 nodes: 7 matrices, 20 INT64 constants and a norm per block, 15 %
    of the bytes in one embedding. Weights are written as they come, so that making the model needs no memory."""
    from onnx import TensorProto, helper

    from signatures.artifact.varint import field, varint

    rng = random.Random(1)  # noqa: S311  # a reproducible input
    embedding = int(size * 0.15) // 2048 * 2048
    matrix = (size - embedding) // (BLOCKS * 7) // 2048 * 2048
    nodes, small, large = [], [], [("embedding", embedding)]
    value = "h0"
    nodes.append(helper.make_node("Gather", ["embedding", "ids"], [value], name="embed"))
    for block in range(BLOCKS):
        for number in range(20):
            small.append(helper.make_tensor(f"c{block}_{number}", TensorProto.INT64, [2], [0, 1024]))
        large += [(f"w{block}_{number}", matrix) for number in range(7)]
        for number in range(NODES_PER_BLOCK):
            after = f"b{block}_n{number}"
            kind = ("MatMul", "Add", "Mul", "Sigmoid", "Reshape")[number % 5]
            other = {"MatMul": f"w{block}_{number % 7}", "Reshape": f"c{block}_{number % 20}"}.get(kind, value)
            inputs = [value] if kind == "Sigmoid" else [value, other]
            nodes.append(helper.make_node(kind, inputs, [after], name=f"/model/layers.{block}/{kind}_{number}"))
            value = after
    ports = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["B", "S"])]
    out = [helper.make_tensor_value_info(value, TensorProto.FLOAT16, None)]
    infos = [helper.make_tensor_value_info(n.output[0], TensorProto.FLOAT16, ["B", "S", 1024]) for n in nodes[::3]]
    head = b"".join(field(1, node.SerializeToString()) for node in nodes) + field(2, b"bench")
    tail = b"".join(field(5, t.SerializeToString()) for t in small)
    tail += b"".join(field(11, p.SerializeToString()) for p in ports)
    tail += b"".join(field(12, p.SerializeToString()) for p in out)
    tail += b"".join(field(13, p.SerializeToString()) for p in infos)
    fronts = []
    for name, length in large:
        shape = varint(1 << 3) + varint(length // 2048) + varint(1 << 3) + varint(1024)
        inner = shape + varint(2 << 3) + varint(10) + field(8, name.encode()) + varint(9 << 3 | 2) + varint(length)
        fronts.append((varint(5 << 3 | 2) + varint(len(inner) + length) + inner, length))
    graph = len(head) + sum(len(front) + length for front, length in fronts) + len(tail)
    noise = rng.randbytes(1 << 20)
    with open(path, "wb") as file:
        file.write(varint(1 << 3) + varint(8) + varint(7 << 3 | 2) + varint(graph) + head)
        for front, length in fronts:
            file.write(front)
            for at in range(0, length, len(noise)):
                file.write(noise[: min(len(noise), length - at)])
        file.write(tail + field(8, varint(2 << 3) + varint(17)))


# What the measured processes run.

LOAD = """
import json, sys, time, resource
started = time.perf_counter()
import onnx
imported = time.perf_counter()
model = onnx.load(sys.argv[1])
took = time.perf_counter() - imported
answer = sorted({n.op_type for n in model.graph.node})[:3], len(model.graph.node), len(model.graph.initializer)
print(json.dumps({"s": took, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "answer": answer}))
"""
WALK = """
import json, sys, time, resource
import onnx
from signatures.artifact.package import Package
started = time.perf_counter()
package = Package.from_path(sys.argv[1])
model = package.onnx(package.names[0]).full()
took = time.perf_counter() - started
answer = sorted({n.op for n in model.graph.nodes})[:3], len(model.graph.nodes), len(model.graph.tensors)
print(json.dumps({"s": took, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "answer": answer}))
"""
CHECKS = """
import json, sys, time, resource
import onnx
from signatures.artifact.package import Package
from signatures.checks import run_checks
from signatures.checks.model import Target
started = time.perf_counter()
package = Package.from_path(sys.argv[1])
results = run_checks(package, Target((("onnxruntime-webgpu", "1.27.0"),), ep="webgpu"))
took = time.perf_counter() - started
print(json.dumps({"s": took, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                  "answer": {r.check: r.outcome for r in results if r.outcome != "clean"}}))
"""


def measure(script: str, path: str) -> dict[str, object]:
    """Runs one script in a fresh process."""
    done = subprocess.run(  # this interpreter, a script of this file
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True, cwd=ROOT
    )
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


class Ranged(http.server.BaseHTTPRequestHandler):
    """Answers GET with a Range from one file."""

    protocol_version = "HTTP/1.1"
    path_on_disk = ""

    def do_GET(self) -> None:  # the name that http.server calls
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        length = int(last) - int(first) + 1
        with open(self.path_on_disk, "rb") as file:
            file.seek(int(first))
            data = file.read(length)
        self.wfile.write(f"HTTP/1.1 206 Partial Content\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)

    def log_message(self, *arguments: object) -> None:
        del arguments


class LoopbackSource:
    """A Source over one kept-alive connection."""

    def __init__(self, port: int, size: int) -> None:
        self.name = "model.onnx"
        self.size: int | None = size
        self.requests = 0
        self.bytes_read = 0
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def read(self, offset: int, length: int) -> bytes:
        self.connection.request("GET", "/", headers={"Range": f"bytes={offset}-{offset + length - 1}"})
        data = self.connection.getresponse().read()
        self.requests += 1
        self.bytes_read += len(data)
        return data


def remote(path: str, *, full: bool) -> dict[str, object]:
    """The nodes-only stage, or every tensor header, over loopback HTTP."""
    from signatures.artifact.graph import OnnxFile
    from signatures.artifact.source import Limits, Window

    handler = type("Handler", (Ranged,), {"path_on_disk": path})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    source = LoopbackSource(server.server_address[1], os.path.getsize(path))
    started = time.perf_counter()
    file = OnnxFile(Window(source, Limits(64 << 20, 400)), "model.onnx")
    model = file.full() if full else file.nodes()
    took = time.perf_counter() - started
    server.shutdown()
    server.server_close()
    return {
        "s": took,
        "requests": source.requests,
        "MB": source.bytes_read / 1e6,
        "percent": 100 * source.bytes_read / os.path.getsize(path),
        "nodes": len(model.graph.nodes),
        "inputs": [value.name for value in model.graph.inputs],
        "opset": model.opset(),
    }


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--gigabytes", type=float, default=1.5)
    arguments.add_argument("--folder", default=None)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = os.path.join(folder, "model.onnx")
        write_model(path, int(given.gigabytes * (1 << 30)))
        show = sys.stdout.write
        rows = {"onnx.load": measure(LOAD, path), "reader": measure(WALK, path), "all checks": measure(CHECKS, path)}
        for name, row in rows.items():
            show(f"{name:12} {row['s']:8.3f} s {row['mb']:8.0f} MB  {row['answer']}\n")
        load, read = rows["onnx.load"], rows["reader"]
        show(f"faster by {load['s'] / read['s']:.0f}, memory 1/{load['mb'] / read['mb']:.0f}\n")  # type: ignore[operator]
        for name, full in (("http nodes", False), ("http headers", True)):
            show(f"{name:12} {remote(path, full=full)}\n")
        large = os.path.join(folder, "large.onnx")
        os.unlink(path)
        write_model(large, int(2.1 * (1 << 30)))
        row = measure(CHECKS, large)
        show(f"over 2 GiB   {row['s']:8.3f} s {row['mb']:8.0f} MB  {row['answer']}\n")


if __name__ == "__main__":
    main()
