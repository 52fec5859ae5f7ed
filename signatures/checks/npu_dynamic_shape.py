"""A model with symbolic dimensions on an execution provider that compiles for fixed shapes.

What it detects
    Graph inputs with a dimension that has no number, where the session is opened on QNN, VitisAI, or OpenVINO for an
    NPU.

Why it breaks
    These providers compile the graph before it runs and need every shape. Nodes of unknown shape are left to the CPU,
    or compilation fails.

What it cannot tell
    What happens on the device: none was measured. A dimension that the session fixes by a free-dimension override is
    not seen unless the target says so.

Remedy
    Fix the dimensions before deployment (onnxruntime.tools.make_dynamic_shape_fixed), or by a free-dimension override.

References
    ONNX Runtime, "QNN Execution Provider"; not measured on a device
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.genai import Section, providers
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Session

REMEDY = "Give every input dimension a number before deployment (onnxruntime.tools.make_dynamic_shape_fixed)."
FIXED = ("qnn", "vitisai")
DEVICE = "device_type"  # OpenVINO's provider option
OVERRIDES = ("free_dimension_overrides", "free_dimension_override_by_name")


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    for session in runtime.sessions(package, target):
        ep = _compiles(session, target)
        if ep is None or session.file is None or _overridden(session.section):
            continue
        found = graphs.model(package, session.file, full=True)
        if isinstance(found, Unknown):
            yield found
            continue
        stored = found.graph.initializers
        inputs = [value for value in found.graph.inputs if value.name not in stored]
        symbolic = [value.name for value in inputs if value.dims is not None and None in value.dims]
        if symbolic:
            told = ", ".join(symbolic[:4]) + (f" and {len(symbolic) - 4} more" if len(symbolic) > 4 else "")
            detail = (
                f"{told}: dimensions without a number, and {ep} compiles for fixed shapes; not measured on a device"
            )
            yield Hit(Where(session.file, symbolic[0]), detail, Severity.PROBABLE, None, REMEDY, (("ep", ep),))
        elif any(value.dims is None and value.dtype for value in inputs):
            yield Unknown(f"an input of {session.file} has no shape at all, and {ep} compiles for fixed ones")


def _compiles(session: Session, target: Target) -> str | None:
    """The provider, where it is one that needs fixed shapes."""
    ep = session.provider
    if ep in FIXED:
        return ep
    if ep != "openvino":
        return None
    chosen = [value for key, value in target.options if key.lower().endswith(DEVICE)]
    if session.section is not None:
        for given in providers(session.section):
            value = given.options.get(DEVICE) if given.name == "openvino" else None
            chosen += [value.string() or ""] if value is not None else []
    return "OpenVINO on an NPU" if any("NPU" in value.upper() for value in chosen) else None


def _overridden(section: Section | None) -> bool:
    options = section.item.get("session_options") if section else None
    return bool(options and any(options.get(name) for name in OVERRIDES))


_GRAPH = '<ir_version: 8, opset_import: ["" : 17]> g (float[%s, 4] x) => (float[%s, 4] y) { y = Relu (x) }'
_QNN = Target((("onnxruntime-qnn", "1.24.4"),))

CHECK = Check(
    id="npu-dynamic-shape",
    title="Symbolic dimensions on a provider that compiles for fixed shapes",
    reads="onnx",
    predicts="compilation fails on the device, or nodes are left to the CPU",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH % ("N", "N"), target=_QNN, expect="x: dimensions without a number"),
        Fixture(Outcome.FOUND, _GRAPH % ("N", "N"), target=Target((), ep="openvino", options=((DEVICE, "NPU"),))),
        Fixture(Outcome.CLEAN, _GRAPH % ("2", "2"), target=_QNN),
        Fixture(Outcome.CLEAN, _GRAPH % ("N", "N"), target=Target(ep="cpu")),
    ),
)
