"""A check's fixture as a package, and whether the check says of it what it must."""

from __future__ import annotations

from signatures.artifact.onnx_text import model_bytes
from signatures.artifact.package import Package
from signatures.checks.model import Check, CheckResult, Fixture

MODEL = "model.onnx"


def package(fixture: Fixture) -> Package:
    """The fixture in memory, its graph under `model.onnx`, listed before its files."""
    files: dict[str, bytes] = {}
    if fixture.graph is not None:
        files[MODEL] = model_bytes(fixture.graph)
    for name, content in fixture.files:
        files[name] = content if isinstance(content, bytes) else content.encode()
    return Package.from_bytes(files, ref="fixture")


def faults(check: Check) -> list[str]:
    """What each fixture of a check gives wrongly; empty where all hold."""
    from signatures.checks import run_one

    found = []
    for number, fixture in enumerate(check.fixtures):
        result = run_one(check, package(fixture), fixture.target)
        if result.outcome is not fixture.outcome:
            found.append(f"{check.id} fixture {number}: {_told(result)}, not {fixture.outcome}")
        elif fixture.expect and not any(fixture.expect in f"{h.detail} {h.predicted_text}" for h in result.hits):
            found.append(f"{check.id} fixture {number}: no hit says {fixture.expect!r}: {_told(result)}")
    return found


def _told(result: CheckResult) -> str:
    return f"{result.outcome} {result.error or ''} {result.hits[:2]} {result.unknown[:2]}"
