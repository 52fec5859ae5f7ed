"""A model format version that the runtime does not know.

What it detects
    An ir_version above the newest one that the reporter's ONNX Runtime opens, or none at all.

Why it breaks
    ONNX Runtime refuses such a file before it looks at the graph.

What it cannot tell
    Without a plain ONNX Runtime version, or between two measured versions with different limits: UNKNOWN.

Remedy
    A newer ONNX Runtime, or an export with an older ir_version where the graph uses nothing newer.

References
    limits measured by deploy/probe_limits.py
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Use a newer ONNX Runtime, or export with an older ir_version (set model.ir_version before saving)."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    bounds = runtime.bounds(version, "ir") if version else None
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        found = model.ir_version
        if found is None:
            if model.has_graph:
                detail = "the file says no IR version; 0 would be one"
                yield Hit(Where(name, "ir_version"), detail, Severity.FATAL, "Missing model IR version.", REMEDY)
        elif bounds is None or bounds.possible is None:
            newest = runtime.newest_reads("ir")
            if version is None and found > newest:
                text = f"Unsupported model IR version: {found}, max supported IR version:"
                detail = f"IR version {found}; no ONNX Runtime that was measured opens more than {newest}"
                yield Hit(Where(name, "ir_version"), detail, Severity.PROBABLE, text, REMEDY, (("ir", str(found)),))
            elif found > (bounds.sure if bounds else runtime.everyone_reads("ir")):
                yield Unknown(f"{name} has IR version {found}, and which ONNX Runtime is to open it is not known")
        elif found > bounds.possible:
            text = f"Unsupported model IR version: {found}, max supported IR version: {bounds.possible}"
            detail = f"IR version {found}; this ONNX Runtime opens up to {bounds.possible}"
            yield Hit(Where(name, "ir_version"), detail, Severity.FATAL, text, REMEDY, (("ir", str(found)),))
        elif found > bounds.sure:
            yield Unknown(f"{name} has IR version {found}; this ONNX Runtime was not measured")


_GRAPH = '<ir_version: %d, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
_NO_VERSION = b"\x3a\x03\x12\x01g" + b"\x42\x02\x10\x11"  # a graph named g and an opset, by hand
_GENAI = Target((("onnxruntime-genai", "0.18.0"),))
_OLD = Target((("onnxruntime", "1.20.1"),))

CHECK = Check(
    id="ir-too-new",
    title="The model's IR version is newer than the runtime, or missing",
    reads="onnx",
    predicts="Unsupported model IR version: <n>, max supported IR version: <m>",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH % 11, target=_OLD, expect="max supported IR version: 10"),
        Fixture(Outcome.FOUND, files=(("model.onnx", _NO_VERSION),), expect="Missing model IR version."),
        Fixture(Outcome.CLEAN, _GRAPH % 10, target=_OLD),
        Fixture(Outcome.UNKNOWN, _GRAPH % 11),
        Fixture(Outcome.FOUND, _GRAPH % 99, target=_GENAI, expect="Unsupported model IR version: 99"),
    ),
)
