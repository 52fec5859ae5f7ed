"""Hostile files: 100,000 damaged models never crash the reader or a check, and stay within time and memory."""

from __future__ import annotations

import os
import random
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from signatures.artifact.containers import sniff
from signatures.artifact.genai import parse_config
from signatures.artifact.graph import OnnxFile
from signatures.artifact.package import Package
from signatures.artifact.source import BytesSource, Limits, SourceError, Window
from signatures.artifact.varint import field, varint
from signatures.checks import run_checks
from signatures.checks.litertlm_head import minimal
from signatures.checks.model import Outcome, Target
from tests.artifact.mutations import mutate_bytes, mutate_structure
from tests.artifact.random_graphs import random_model

CORPUS = os.path.join(os.path.dirname(__file__), "corpus")
INPUTS = 100_000
SHARES = 10
FRESH = get_context("spawn")
CHECKED = 48  # one input in so many also goes through every check
TARGET = Target(
    (("onnxruntime-webgpu", "1.27.0"), ("onnxruntime-genai", "0.18.0")),
    options=(("ep.webgpuexecutionprovider.enableGraphCapture", "1"),),
)
CONFIG = b'{"model": {"type": "llama", "context_length": 9, "decoder": {"filename": "model.onnx"}}, "search": {}}'


def peak() -> int:
    """MB that this process held at most. The kernel hands ru_maxrss on to the programs that a process starts, so that
    it would count what pytest held."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) // 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def failures(data: bytes, config: bytes = CONFIG) -> list[str]:
    package = Package.from_bytes({"model.onnx": data, "genai_config.json": config, "m.litertlm": data, "m.gguf": data})
    return [f"{r.check}: {r.error}" for r in run_checks(package, TARGET) if r.outcome is Outcome.FAILED]


def share(number: int) -> tuple[int, int, list[str], float]:
    """(inputs, peak MB, failures, slowest seconds) of one share of the inputs."""
    rng = random.Random(number)  # noqa: S311  # reproducible inputs
    seeds = [random_model(seed) for seed in range(number * 20, number * 20 + 20)]
    others = [CONFIG, minimal(sections=((0, 9, 5),)), b"GGUF\x03\0\0\0" + bytes(40)]
    found: list[str] = []
    slowest = 0.0
    for index in range(INPUTS // SHARES):
        seed = rng.choice(seeds)
        data = mutate_structure(rng, seed) if index % 4 == 0 else mutate_bytes(rng, seed)
        started = time.process_time()
        try:
            limits = Limits(1 << 20, 50) if index % 2 else Limits()
            OnnxFile(Window(BytesSource(data), limits), "m.onnx").nodes()
        except SourceError:
            pass
        if index % CHECKED == 0:
            config = mutate_bytes(rng, rng.choice(others))
            parse_config(config)
            sniff(Window(BytesSource(config)))
            found += failures(data, config)
        slowest = max(slowest, time.process_time() - started)
    return INPUTS // SHARES, peak(), found, slowest


def test_damaged_models_never_crash_hang_or_fill_memory() -> None:
    with ProcessPoolExecutor(2, FRESH) as pool:
        shares = list(pool.map(share, range(SHARES)))
    assert sum(count for count, *_ in shares) == INPUTS
    assert [failure for _, _, found, _ in shares for failure in found] == []
    assert max(held for _, held, _, _ in shares) < 200
    assert max(slowest for *_, slowest in shares) < 30  # none hangs


def node(op: bytes, inputs: list[bytes], outputs: list[bytes], extra: bytes = b"") -> bytes:
    body = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
    return field(1, body + field(4, op) + extra)


def model(graph: bytes, tail: bytes = b"") -> bytes:
    return varint(8) + varint(8) + field(7, graph + field(2, b"g")) + field(8, varint(16) + varint(17)) + tail


def branch(body: bytes) -> bytes:
    return field(5, field(1, b"then_branch") + field(6, body) + varint(20 << 3) + varint(5))


def calls(level: int) -> bytes:
    """A local function that calls the next one ten times."""
    each = [field(1, b"a") + field(2, b"b%d" % n) + field(4, b"F%d" % (level + 1)) + field(7, b"l") for n in range(10)]
    return field(
        25,
        field(1, b"F%d" % level)
        + field(4, b"a")
        + field(5, b"b9")
        + b"".join(field(7, e) for e in each)
        + field(10, b"l"),
    )


HUGE = varint(1 << 3) + varint((1 << 63) - 1)
BOMBS = {
    "copies in a chain": lambda: model(
        b"".join(node((b"MemcpyFromHost", b"Identity")[n % 2], [b"v%d" % n], [b"v%d" % (n + 1)]) for n in range(79_000))
    ),
    "copies of one value": lambda: model(
        b"".join(node(b"MemcpyFromHost", [b"x"], [b"v%d" % n]) for n in range(79_000))
    ),
    "empty nodes": lambda: model(field(1, b"") * 3_000_000),
    "empty inputs": lambda: model(field(1, field(1, b"") * 500) * 7_900),
    "branches": lambda: model(
        b"".join(node(b"If", [b"c"], [b"v%d" % n], branch(node(b"Relu", [b"x"], [b"y"]))) for n in range(3_900))
    ),
    "functions that multiply": lambda: model(
        node(b"F0", [b"x"], [b"y"], field(7, b"l")), b"".join(map(calls, range(20)))
    ),
    "endless dimensions": lambda: model(b"".join(field(5, field(8, b"w%d" % n) + HUGE * 100) for n in range(7_000))),
    "cut length": lambda: varint(8) + varint(8) + b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_answered_in_seconds_and_little_memory(name: str) -> None:
    with ProcessPoolExecutor(1, FRESH) as pool:
        found, seconds, held = pool.submit(weigh, name).result()
    assert found == []
    assert seconds < 60  # it does not hang
    assert held < 200


def weigh(name: str) -> tuple[list[str], float, int]:
    data = BOMBS[name]()
    started = time.process_time()
    found = failures(data)
    return found, time.process_time() - started, peak()


@pytest.mark.parametrize("name", sorted(os.listdir(CORPUS)))
def test_kept_inputs_stay_answered(name: str) -> None:
    with open(os.path.join(CORPUS, name), "rb") as file:
        assert failures(file.read()) == []
