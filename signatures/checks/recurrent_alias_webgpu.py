"""A hybrid decoder on WebGPU under a GenAI that binds one buffer for past and present recurrent state.

What it detects
    A decoder with recurrent or convolution state (inputs named `past_conv...`, `past_recurrent...`, or the operators
    LinearAttention, CausalConvWithState, GatedDeltaNet) that runs on WebGPU, and the onnxruntime-genai version.

Why it breaks
    GenAI 0.14.0 shares the buffer, so one compute pass both writes and reads it, which WebGPU forbids. 0.14.1 keeps
    past and present apart.

What it cannot tell
    Without the GenAI version, whether this reporter's runtime has the fault: then it is UNKNOWN. Graph capture of such
    decoders has a fix of its own that is not judged here.

Remedy
    onnxruntime-genai 0.14.1 or newer, or the CPU variant of the same model.

References
    microsoft/onnxruntime-genai#2191, microsoft/foundry-local#799, microsoft/foundry-local#779
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Model
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

OPERATORS = ("LinearAttention", "CausalConvWithState", "GatedDeltaNet", "GatedDeltaRule")
STATES = ("past_conv", "past_recurrent", "past_ssm", "conv_state", "recurrent_state")
INTRODUCED, FIXED = (0, 14, 0), (0, 14, 1)
TEXT = "includes writable usage and another usage in the same synchronization scope"
REMEDY = "Use onnxruntime-genai 0.14.1 or newer; until then, the CPU variant of the same model."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    for session in runtime.sessions(package, target):
        if session.label not in ("decoder", "model") or session.provider not in ("webgpu", None):
            continue
        if session.file is None:
            continue
        model = graphs.model(package, session.file)
        if isinstance(model, Unknown):
            yield model
            continue
        state = recurrent(model)
        if state is None:
            continue
        yield from _judge(session.file, state, session.provider, target)


def recurrent(model: Model) -> str | None:
    """What shows that a decoder carries recurrent state, None where nothing does."""
    for value in model.graph.inputs:
        if any(part in value.name.lower() for part in STATES):
            return f"input {value.name}"
    for _, node in model.nodes():
        if node.op in OPERATORS:
            return f"operator {node}"
    return None


def _judge(file: str, state: str, provider: str | None, target: Target) -> Iterator[Hit | Unknown]:
    if provider is None:
        yield Unknown(f"{file} carries recurrent state ({state}), and its execution provider is not known")
        return
    version = runtime.genai(target)
    if version is None:
        yield Unknown(f"{file} carries recurrent state ({state}), and the onnxruntime-genai version is not known")
    elif INTRODUCED <= version < FIXED:
        detail = f"the decoder carries recurrent state ({state}), and this GenAI binds one buffer for past and present"
        yield Hit(Where(file, state), detail, Severity.PROBABLE, TEXT, REMEDY)


_GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 4] x, float[1, 4] past_conv_0) => (float[1, 4] y) { y = Add (x, past_conv_0) }
"""
_OLD = Target((("onnxruntime-genai", "0.14.0"),), ep="webgpu")

CHECK = Check(
    id="recurrent-alias-webgpu",
    title="Recurrent state on WebGPU under a GenAI that aliases its buffers",
    reads="onnx",
    predicts="Buffer usage includes writable usage and another usage in the same synchronization scope",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, target=_OLD, expect="past_conv_0"),
        Fixture(Outcome.CLEAN, _GRAPH, target=_OLD._replace(runtimes=(("onnxruntime-genai", "0.14.1"),))),
        Fixture(Outcome.CLEAN, _GRAPH.replace("past_conv_0", "past_key"), target=_OLD),
        Fixture(Outcome.UNKNOWN, _GRAPH, target=Target(ep="webgpu")),
    ),
)
