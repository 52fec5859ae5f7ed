"""Graph capture asked for outside the decoder.

What it detects
    A capture option that is on in the encoder, embedding, vision, speech or a vision pipeline section.

Why it breaks
    Exporters write the decoder's options to every section. The other graphs hold operators that run on the CPU, so
    their sessions are refused.

What it cannot tell
    A section whose own graph has nothing against capture works: where its file is here and was checked on a covered
    version, it is not reported.

Remedy
    Set the option to "0" for every section but the decoder.

References
    onnxruntime/mobius#380
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.capture import blockers
from signatures.artifact.copies import FROM_HOST, TO_HOST
from signatures.artifact.flow import CONTROL_FLOW, scopes
from signatures.artifact.ir import Model
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.capture_hits import TEXT
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Session

REMEDY = 'Set the graph capture option to "0" for this section; only a decoder exported for capture keeps "1".'


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None:
        return
    for session in runtime.sessions(package, target):
        if not session.capture or session.section is None or session.label == "decoder":
            continue
        if _sound(package, target, session):
            continue
        where = Where(config.name, f"model.{session.label}.session_options.provider_options")
        ep = "WebGpuExecutionProvider" if session.provider == "webgpu" else "CUDAExecutionProvider"
        text = TEXT.replace("WebGpuExecutionProvider", ep)
        yield Hit(where, f"{session.label} asks for graph capture", Severity.PROBABLE, text, REMEDY)


def _sound(package: Package, target: Target, session: Session) -> bool:
    """Whether this section's own graph was checked and has nothing against capture."""
    table = runtime.table(target, "webgpu")
    if session.provider != "webgpu" or session.file is None or table is None:
        return False
    model = graphs.model(package, session.file, full=True)
    if not isinstance(model, Model):
        return False
    for scope in scopes(model):
        against = (*CONTROL_FLOW, FROM_HOST, TO_HOST)
        if any(node.op in against and not node.domain for node in scope.nodes):
            return False
        found = blockers(scope, table, model.opset())
        if found.blockers or found.undecided:
            return False
    return True


_CONFIG = """{"model": {"type": "gemma3", "context_length": 512,
 "decoder": {"filename": "model.onnx",
  "session_options": {"provider_options": [{"webgpu": {"enableGraphCapture": "1"}}]}},
 "vision": {"filename": "vision.onnx",
  "session_options": {"provider_options": [{"webgpu": {"enableGraphCapture": "%s"}}]}}
}}"""

CHECK = Check(
    id="gc-nondecoder",
    title="Graph capture is asked for outside the decoder",
    reads="genai",
    predicts="This session cannot use the graph capture feature, on that section's session",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "1"),), expect="vision"),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % "0"),)),
    ),
)
