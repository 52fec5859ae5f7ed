"""Which runtime an artifact is checked for: its version as numbers, its execution provider, and what it can read.

A version that is not plain dotted numbers is unknown, never old or new.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from signatures.artifact import placement
from signatures.artifact.genai import GenAiConfig, Section, fold_provider, providers, sections
from signatures.artifact.package import Package
from signatures.artifact.placement import Table
from signatures.checks.model import Target

Version = tuple[int, ...]

# Distributions of ONNX Runtime whose version is the runtime's own, and the provider each is made for.
ONNXRUNTIME = {
    "onnxruntime": None,
    "onnxruntime-webgpu": "webgpu",
    "onnxruntime-gpu": "cuda",
    "onnxruntime-directml": "dml",
    "onnxruntime-qnn": "qnn",
    "onnxruntime-node": None,
    "onnxruntime-silicon": None,
}
PLUGINS = {"onnxruntime-ep-webgpu": "webgpu"}
GENAI = ("onnxruntime-genai", "onnxruntime-genai-cuda", "onnxruntime-genai-directml", "onnxruntime-genai-webgpu")
LITERT_LM = ("litert-lm-api", "litert-lm", "litert-lm-native")


def numbers(version: str) -> Version | None:
    """'1.20.1' -> (1, 20, 1); None for anything but dotted numbers."""
    parts = version.removeprefix("v").split(".")
    if len(parts) < 2 or not all(part.isascii() and part.isdecimal() and len(part) < 9 for part in parts):
        return None
    return tuple(map(int, parts))


def version_of(target: Target, names: tuple[str, ...]) -> Version | None:
    """The version of the first runtime with one of these names, None where it is not given or not plain."""
    for name, version in target.runtimes:
        if name in names:
            return numbers(version)
    return None


def onnxruntime(target: Target) -> Version | None:
    """The ONNX Runtime version that is to open the model."""
    return version_of(target, tuple(ONNXRUNTIME))


def genai(target: Target) -> Version | None:
    return version_of(target, GENAI)


def names(target: Target, wanted: tuple[str, ...] | dict[str, str | None]) -> bool:
    """Whether the target names one of these runtimes, whatever its version."""
    return any(name in wanted for name, _ in target.runtimes)


def provider(target: Target) -> str | None:
    """The execution provider that sessions are opened on, where the target says or implies it."""
    if target.ep:
        return fold_provider(target.ep)
    for name, _ in target.runtimes:
        implied = PLUGINS.get(name) or ONNXRUNTIME.get(name)
        if implied:
            return implied
    return None


def table(target: Target, ep: str | None = None) -> Table | None:
    """The placement table measured for the target's runtime on `ep` (default: the target's provider)."""
    ep = ep or provider(target)
    if ep is None or ep == "cpu":
        return None
    plugin = [(name, version) for name, version in target.runtimes if name in PLUGINS]
    return placement.first(ep, plugin or target.runtimes)


class Bounds(NamedTuple):
    """What a version reads at least and at most: equal where measured, apart between two measured versions."""

    sure: int
    possible: int | None  # None: newer than all that was measured


def _limits() -> list[tuple[Version, dict[str, int]]]:
    path = os.path.join(placement.TABLES, "cpu", "onnxruntime.json")
    with open(path, encoding="utf-8") as file:
        raw = json.load(file)["versions"]
    rows = [(numbers(version) or (), row) for version, row in raw.items()]
    return sorted(rows, key=lambda row: row[0])


def bounds(version: Version, what: str) -> Bounds | None:
    """Bounds on 'ir', 'opset' (ai.onnx) or 'ml' for an ONNX Runtime version. Releases of one minor version read the
    same; between measured versions the limit lies between theirs, since it never went down."""
    below: int | None = None
    above: int | None = None
    for known, row in _limits():
        if what not in row:
            continue
        if known[:2] == version[:2]:
            return Bounds(row[what], row[what])
        if known < version:
            below = row[what]
        elif above is None:
            above = row[what]
    if below is None:
        return Bounds(0, above) if above is not None else None
    return Bounds(below, above)


class Session(NamedTuple):
    """One session that a package opens: the section of genai_config.json (None for a lone model), its file, the
    provider, and whether graph capture is asked for."""

    section: Section | None
    file: str | None
    provider: str | None
    capture: bool

    @property
    def label(self) -> str:
        return self.section.path if self.section else "model"


# The key that asks for graph capture, by provider as GenAI folds it.
CAPTURE_KEYS = {
    "webgpu": "enableGraphCapture",
    "cuda": "enable_cuda_graph",
    "nvtensorrtrtx": "enable_cuda_graph",
    "dml": "enable_graph_capture",
}
SESSION_CAPTURE = "ep.webgpuexecutionprovider.enableGraphCapture"


def sessions(package: Package, target: Target) -> list[Session]:
    """The sessions of the package, decoder first as listed; every lone `.onnx` is one of the target's
    provider."""
    config = package.genai_config()
    capture = (SESSION_CAPTURE, "1") in target.options
    if config is None or config.root is None:
        return [Session(None, name, provider(target), capture) for name in package.onnx_names()]
    found = []
    for section in sections(config):
        given = providers(section)
        first = given[0] if given else None
        ep = first.name if first else ("cpu" if _listed(section) else provider(target))
        found.append(Session(section, _file(package, config, section), ep, captures(section)))
    return found


def _listed(section: Section) -> bool:
    """Whether the section names its providers, even if none: an empty list means the CPU."""
    options = section.item.get("session_options")
    return bool(options and options.get("provider_options"))


def _file(package: Package, config: GenAiConfig, section: Section) -> str | None:
    if not section.filename:
        return None
    name = package.folder(config.name) + section.filename.removeprefix("./")
    return name if name in package.entries else None


def captures(section: Section) -> bool:
    """Whether a section's first provider is told to capture its graph."""
    for given in providers(section):
        key = CAPTURE_KEYS.get(given.name)
        value = given.options.get(key) if key else None
        if value is not None and value.string() == "1":
            return True
    return False


def newest_reads(what: str) -> int:
    """The limit of the newest measured version."""
    return max(row[what] for _, row in _limits() if what in row)


def everyone_reads(what: str) -> int:
    """The limit of the oldest measured version: nothing up to it needs a version to be judged."""
    return min(row[what] for _, row in _limits() if what in row)
