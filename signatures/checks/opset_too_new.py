"""An operator set that the runtime does not know.

What it detects
    An opset above the newest one that the reporter's ONNX Runtime opens, imported by the model or by one of its local
    functions, called or not.

Why it breaks
    ONNX Runtime guarantees released opsets only, and refuses newer stamps at load.

What it cannot tell
    Opsets of custom domains, and of com.microsoft; the environment variable ALLOW_RELEASED_ONNX_OPSET_ONLY=0,
    which lifts the refusal.

Remedy
    A newer ONNX Runtime, or an export with an older opset.

References
    limits measured by deploy/probe_limits.py
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Model
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Bounds, Version

REMEDY = (
    "Use a newer ONNX Runtime, or export with an older opset (onnx.version_converter, or the exporter's opset option)."
)
DOMAINS = {"": "opset", "ai.onnx.ml": "ml", "com.ms.internal.nhwc": "opset"}  # domain -> what bounds it
# Domains that had one version in every release measured. com.microsoft is judged by its operators.
SINGLE = frozenset(
    (
        "ai.onnx.training", "ai.onnx.preview.training", "com.microsoft.nchwc", "com.microsoft.experimental",
        "org.pytorch.aten",
    )
)  # fmt: skip


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        if not model.has_graph:
            continue
        places = [("", model.opsets)]
        places += [(f" of function {function}", pairs) for (_, function), pairs in model.function_opsets]
        told: set[tuple[str, int]] = set()
        for place, pairs in places:
            for pair in pairs:
                if pair not in told:
                    told.add(pair)
                    yield from _import(name, place, pair, version)
        yield from _unspelled(name, model, version)


def _import(name: str, place: str, pair: tuple[str, int], version: Version | None) -> Iterator[Hit | Unknown]:
    """Imports are compared as they are spelled: ONNX Runtime does not know `ai.onnx` here."""
    domain, found = pair
    label = domain or "ai.onnx"
    limits = _bounds(domain, version)
    if limits is None:
        return
    if limits.possible is None:
        if found > limits.sure:
            yield Unknown(f"{name} has {label} opset {found}, and which ONNX Runtime is to open it is not known")
    elif found > limits.possible:
        detail = f"{label} opset {found}; this ONNX Runtime opens up to {limits.possible}"
        where = Where(name, f"opset_import {label}{place}")
        yield Hit(where, detail, Severity.FATAL, f"Opset {found} is under development", REMEDY)
    elif found > limits.sure:
        yield Unknown(f"{name} has {label} opset {found}; this ONNX Runtime was not measured")


def _bounds(domain: str, version: Version | None) -> Bounds | None:
    if domain in SINGLE:
        return Bounds(1, 1)
    if domain not in DOMAINS:
        return None
    known = runtime.bounds(version, DOMAINS[domain]) if version else None
    return known or Bounds(runtime.everyone_reads(DOMAINS[domain]), None)


def _unspelled(name: str, model: Model, version: Version | None) -> Iterator[Hit]:
    """`ai.onnx` as a domain is read as "" and not compared: an operator is then looked up in a version without it."""
    found = model.opset()
    if found is None or ("", found) in model.opsets:
        return
    limits = _bounds("", version)
    used = any(not node.domain and graph.function is None for graph, node in model.nodes())
    if used and limits is not None and limits.possible is not None and found > limits.possible:
        detail = f"ai.onnx opset {found}; this ONNX Runtime opens up to {limits.possible}"
        text = f"with domain_version of {found}"
        yield Hit(Where(name, "opset_import ai.onnx"), detail, Severity.FATAL, text, REMEDY)


_GRAPH = '<ir_version: 8, opset_import: ["" : %d]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
_ALIAS = "<ir_version: 8, opset_import: [%s]> g (float[2] x) => (float[2] y) { y = Relu (x) }"
_FUNCTION = _GRAPH % 17 + ' <domain: "l", opset_import: ["" : 22]> F (a) => (b) { b = Relu (a) }'
_OLD = Target((("onnxruntime", "1.20.1"),))

CHECK = Check(
    id="opset-too-new",
    title="The model's opset is newer than the runtime",
    reads="onnx",
    predicts="ONNX Runtime only *guarantees* support for ... Opset <n> is under development",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH % 22, target=_OLD, expect="Opset 22"),
        Fixture(Outcome.FOUND, _ALIAS % '"ai.onnx" : 22', target=_OLD, expect="domain_version of 22"),
        Fixture(Outcome.FOUND, _ALIAS % '"" : 17, "com.microsoft.nchwc" : 2', target=_OLD, expect="Opset 2"),
        Fixture(Outcome.FOUND, _FUNCTION, target=_OLD, expect="Opset 22"),
        Fixture(Outcome.CLEAN, _GRAPH % 21, target=_OLD),
        Fixture(Outcome.CLEAN, _ALIAS % '"ai.onnx" : 22, "" : 17', target=_OLD),
        Fixture(Outcome.UNKNOWN, _GRAPH % 22),
    ),
)
