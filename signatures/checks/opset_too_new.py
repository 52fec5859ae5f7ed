"""An operator set that the runtime does not know.

What it detects
    An ai.onnx or ai.onnx.ml opset above the newest one that the reporter's ONNX Runtime opens.

Why it breaks
    ONNX Runtime guarantees released opsets only, and refuses newer stamps at load.

What it cannot tell
    Opsets of other domains; the environment variable ALLOW_RELEASED_ONNX_OPSET_ONLY=0, which lifts the refusal.

Remedy
    A newer ONNX Runtime, or an export with an older opset.

References
    limits measured by deploy/probe_limits.py
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = (
    "Use a newer ONNX Runtime, or export with an older opset (onnx.version_converter, or the exporter's opset option)."
)
DOMAINS = (("", "opset", "ai.onnx"), ("ai.onnx.ml", "ml", "ai.onnx.ml"))


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        for domain, key, label in DOMAINS:
            found = model.opset(domain)
            if found is None:
                continue
            bounds = runtime.bounds(version, key) if version else None
            if bounds is None or bounds.possible is None:
                if found > (bounds.sure if bounds else runtime.everyone_reads(key)):
                    yield Unknown(
                        f"{name} has {label} opset {found}, and which ONNX Runtime is to open it is not known"
                    )
            elif found > bounds.possible:
                text = f"Opset {found} is under development"
                detail = f"{label} opset {found}; this ONNX Runtime opens up to {bounds.possible}"
                yield Hit(Where(name, f"opset_import {label}"), detail, Severity.FATAL, text, REMEDY)
            elif found > bounds.sure:
                yield Unknown(f"{name} has {label} opset {found}; this ONNX Runtime was not measured")


_GRAPH = '<ir_version: 8, opset_import: ["" : %d]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
_OLD = Target((("onnxruntime", "1.20.1"),))

CHECK = Check(
    id="opset-too-new",
    title="The model's opset is newer than the runtime",
    reads="onnx",
    predicts="ONNX Runtime only *guarantees* support for ... Opset <n> is under development",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH % 22, target=_OLD, expect="Opset 22"),
        Fixture(Outcome.CLEAN, _GRAPH % 21, target=_OLD),
        Fixture(Outcome.UNKNOWN, _GRAPH % 22),
    ),
)
