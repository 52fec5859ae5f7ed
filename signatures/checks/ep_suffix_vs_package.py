"""Names of one execution provider in a package that is meant for another.

What it detects
    Provider names at the end of value names that differ from the provider in genai_config.json, in the catalogue id
    (`...-cuda-gpu`, `...-generic-gpu`) or in the target.

Why it breaks
    Not by itself. It explains why a package for one provider prints another's name in its errors: the graph was placed,
    and saved, for that other provider.

What it cannot tell
    How a graph without such names was made.

Remedy
    None needed for the names alone; look at `memcpy-baked`.

References
    microsoft/foundry-local#1039
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.genai import fold_provider
from signatures.artifact.package import Package
from signatures.checks import runtime
from signatures.checks.ep_suffixed_names import suffixed
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

_BY_ID = {"cuda": "cuda", "generic": "webgpu", "webgpu": "webgpu", "qnn": "qnn", "trtrtx": "nvtensorrtrtx"}


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    stated = _stated(package, target)
    told = set()
    for item in suffixed(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, _, node, output, provider = item
        made_for = fold_provider(provider)
        expected, source = stated.get(name) or stated.get("", (None, ""))
        if expected is None:
            yield Unknown(f"{name} has names of {provider}, and which provider the package is for is not known")
            return
        if expected != made_for and (name, provider) not in told:
            told.add((name, provider))
            detail = f"{output} was named for {provider}, but {source} says {expected}"
            yield Hit(Where(name, str(node), node.offset), detail, Severity.INFO)


def _stated(package: Package, target: Target) -> dict[str, tuple[str | None, str]]:
    """Provider and where that is said, by file; '' for all files."""
    found: dict[str, tuple[str | None, str]] = {}
    if target.ep:
        found[""] = (fold_provider(target.ep), "the target")
    else:
        parts = (target.name or package.ref).split(":")[0].split("-")
        if len(parts) >= 3 and parts[-1] in ("gpu", "npu") and parts[-2] in _BY_ID:
            found[""] = (_BY_ID[parts[-2]], "the model's id")
        elif runtime.provider(target):
            found[""] = (runtime.provider(target), "the runtime")
    for session in runtime.sessions(package, target):
        if session.section is not None and session.file and session.provider:
            found[session.file] = (session.provider, "genai_config.json")
    return found


_GRAPH = (
    '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) '
    "{ a_CUDAExecutionProvider = Relu (x)  y = Abs (a_CUDAExecutionProvider) }"
)

CHECK = Check(
    id="ep-suffix-vs-package",
    title="The graph was placed for another execution provider than the package is for",
    reads="onnx",
    predicts="another provider's name in error texts",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, target=Target(name="qwen3.5-0.8b-generic-gpu:3"), expect="webgpu"),
        Fixture(Outcome.CLEAN, _GRAPH, target=Target(name="qwen3.5-0.8b-cuda-gpu:3")),
        Fixture(Outcome.UNKNOWN, _GRAPH),
    ),
)
