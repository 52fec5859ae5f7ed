"""Graph capture without a shared key/value buffer.

What it detects
    A decoder that asks for graph capture while search.past_present_share_buffer is false.

Why it breaks
    A captured graph needs its cache at a fixed address; GenAI refuses the combination.

What it cannot tell
    What an application sets at run time.

Remedy
    Set past_present_share_buffer to true, or turn capture off.

References
    microsoft/onnxruntime-genai, src/generators.cpp
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Set search.past_present_share_buffer to true, or turn graph capture off."
TEXT = "Graph capture is not supported with past_present_share_buffer set to false."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None:
        return
    shared = config.find("search", "past_present_share_buffer")
    if shared is None or shared.bool() is not False:
        return
    for session in runtime.sessions(package, target):
        if session.label == "decoder" and session.capture:
            where = Where(config.name, "search.past_present_share_buffer", shared.at)
            yield Hit(where, "false, while the decoder asks for graph capture", Severity.PROBABLE, TEXT, REMEDY)


_CONFIG = """{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "m.onnx",
 "session_options": {"provider_options": [{"webgpu": {"enableGraphCapture": "%s"}}]}}},
 "search": {"past_present_share_buffer": false}}"""

CHECK = Check(
    id="gc-sharebuffer",
    title="Graph capture without a shared key/value buffer",
    reads="genai",
    predicts="Graph capture is not supported with past_present_share_buffer set to false.",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "1"),), expect="past_present_share_buffer"),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % "0"),)),
    ),
)
