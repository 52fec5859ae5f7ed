"""What two real CPU builds of ONNX Runtime say to thousands of generated models, against what the checks say."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from signatures.artifact.package import Package
from signatures.checks import run_checks
from signatures.checks.model import CheckResult, Outcome, Severity, Target
from tests.artifact import faults, runtimes
from tests.artifact.faults import operators

VERSIONS = ("1.20.1", "1.32.0")
NTH = 8  # one case in so many is opened, so that a run stays short
# Of the models that a build refuses, and of those that are found. What is missed of nodes is mostly of shapes, of odd
# attributes and of odd constants.
LEAST_FOUND, LEAST_TOLD = {"files": 0.96, "nodes": 0.77}, {"files": 0.84, "nodes": 0.64}


def judged(version: str, path: str) -> tuple[list[CheckResult], list[CheckResult]]:
    """What the checks say to the model with the files beside it, and to the same bytes without a place on disk."""
    target = Target((("onnxruntime", version),), ep="cpu")
    with Package.from_path(path) as local:
        on_disk = list(run_checks(local, target))
    folder = os.path.dirname(path)
    names = [os.path.join(at, name) for at, _, found in os.walk(folder) for name in found]
    files = {os.path.relpath(name, folder): Path(name).read_bytes() for name in names if not os.path.islink(name)}
    linked = any(os.path.islink(name) for name in names) or any(
        os.path.islink(os.path.join(at, name)) for at, below, _ in os.walk(folder) for name in below
    )
    complete = not linked  # a listing without the links is not all of it
    return on_disk, list(run_checks(Package.from_bytes(files, complete=complete), target))


@pytest.mark.parametrize("version", VERSIONS)
def test_generated_models_are_judged_as_the_runtime_judges_them(version: str, tmp_path: Path) -> None:
    if why := runtimes.missing(f"onnxruntime-{version}"):
        pytest.skip(why)
    cases = list(faults.cases())[VERSIONS.index(version) :: NTH]
    paths: list[bytes | str] = [faults.write(case, str(tmp_path / str(at))) for at, case in enumerate(cases)]
    said = [answer["said"] for answer in runtimes.open_models(f"onnxruntime-{version}", str(tmp_path), paths)]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        results = list(pool.map(judged, [version] * len(paths), map(str, paths), chunksize=100))
    wrong, of_nodes = [], {case.name for case in operators.cases()}
    count = {"files": Counter[str](), "nodes": Counter[str]()}
    for case, answer, both in zip(cases, said, results, strict=True):
        wrong += [f"{case.name}: {r.check} {r.error}" for each in both for r in each if r.outcome is Outcome.FAILED]
        hits = [[hit for r in each for hit in r.hits if hit.severity is not Severity.INFO] for each in both]
        if answer == "opens":
            fatal = [hit for each in hits for hit in each if hit.severity is Severity.FATAL]
            wrong += [f"{case.name} opens, but: {hit.detail}" for hit in fatal]
            continue
        texts = [hit.predicted_text for hit in hits[0]]
        told = any(text is not None and " ".join(text.split()) in answer for text in texts)
        count["nodes" if case.name in of_nodes else "files"].update(refused=1, found=bool(hits[0]), told=told)
    assert wrong == []
    for kind, each in count.items():
        assert each["found"] >= LEAST_FOUND[kind] * each["refused"], count
        assert each["told"] >= LEAST_TOLD[kind] * each["found"], count
