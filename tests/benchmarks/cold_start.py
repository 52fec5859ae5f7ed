"""How long `triage lookup` of a short error takes, as a ratio to `python -c pass` of the same environment.

Whole processes, interleaved, so that a busy minute hits both alike; only ratios are worth reading. It times the
installed console script and is no test: run it as `python tests/benchmarks/cold_start.py [ROUNDS]` on a quiet machine.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HIT = (
    "error: IPC error 'op_handler_failed': Error loading model qwen3.5-9b-generic-gpu:3: Error: "
    "Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: This is an invalid model. Error: "
    "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider). "
    "Hint: Try 'foundry server stop' then 'foundry server start'."
)
MISS = (
    "2026-05-04 10:11:12 [E:onnxruntime:Default, provider_bridge.cc:12 Get] the flux capacitor is not aligned with the "
    "mains; every part of this sentence is made up, and it goes on until it is about as long as the other one, which "
    "has three hundred characters, give or take a few of them here and there"
)
LIMIT = 5.0


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    script = Path(sys.executable).parent / "triage"
    if not script.exists():
        sys.stderr.write(f"no console script beside {sys.executable}; install the project there first\n")
        return 2
    with tempfile.TemporaryDirectory() as cache:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        environment["TRIAGE_CACHE_DIR"] = cache
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "lookup, hit": [str(script), "lookup", HIT],
            "lookup, hit, --json": [str(script), "lookup", HIT, "--json"],
            "lookup, nothing known": [str(script), "lookup", MISS],
        }
        times = _measure(commands, rounds, environment)
    base = times["python -c pass"]
    sys.stdout.write(f"{rounds} interleaved rounds, {sys.version.split()[0]}, {sys.executable}\n\n")
    sys.stdout.write(f"{'':<24}{'median ms':>10}{'ratio':>8}{'min':>7}{'max':>7}\n")
    worst = 0.0
    for name, own in times.items():
        ratios = [a / b for a, b in zip(own, base, strict=True)]
        ratio = statistics.median(ratios)
        worst = max(worst, ratio)
        row = f"{name:<24}{statistics.median(own) * 1000:>10.1f}{ratio:>8.2f}{min(ratios):>7.2f}{max(ratios):>7.2f}\n"
        sys.stdout.write(row)
    sys.stdout.write(f"\nlimit {LIMIT:.1f}: {'kept' if worst <= LIMIT else 'BROKEN'}\n")
    return 0 if worst <= LIMIT else 1


def _measure(commands: dict[str, list[str]], rounds: int, environment: dict[str, str]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for i in range(rounds + 2):  # the first two rounds fill the caches
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False, env=environment)
            if i >= 2:
                times[name].append(time.perf_counter() - started)
    return times


if __name__ == "__main__":
    sys.exit(main())
