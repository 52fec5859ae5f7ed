"""A graph capture option that is spelt for another provider.

What it detects
    Near misses of a provider's capture key (`enable_graph_capture` for WebGPU) and keys of other providers.

Why it breaks
    Unknown options are ignored without a word: nothing fails, and nothing is captured.

What it cannot tell
    Whether the missing capture is noticed.

Remedy
    Use the provider's own key.

References
    measured with onnxruntime-webgpu 1.27.0
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.genai import providers, sections
from signatures.artifact.package import Package
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import CAPTURE_KEYS


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    config = package.genai_config()
    if config is None or config.root is None:
        return
    for section in sections(config):
        for given in providers(section):
            right = CAPTURE_KEYS.get(given.name)
            for key, item in given.options.members():
                if right is None or key == right or _letters(key) not in _ALIKE:
                    continue
                where = Where(config.name, f"model.{section.path}: {given.written}.{key}", item.at)
                detail = f"{key} is not an option of {given.written}, and is ignored; its key is {right}"
                yield Hit(where, detail, Severity.INFO, None, f"Write {right}.")


def _letters(key: str) -> str:
    return "".join(char for char in key.lower() if char.isalpha())


_ALIKE = frozenset(_letters(key) for key in (*CAPTURE_KEYS.values(), "graphCapture", "enableGraph", "enableCapture"))

_CONFIG = """{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "m.onnx",
 "session_options": {"provider_options": [{"webgpu": {"%s": "1"}}]}}}}"""

CHECK = Check(
    id="gc-option-key",
    title="The graph capture option is spelt for another provider",
    reads="genai",
    predicts="nothing: the option is ignored",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND, files=(("genai_config.json", _CONFIG % "enable_cuda_graph"),), expect="enableGraphCapture"
        ),
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "EnableGraphCapture"),)),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % "enableGraphCapture"),)),
    ),
)
