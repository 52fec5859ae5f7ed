"""An execution provider that the installed package is not built with.

What it detects
    A provider in genai_config.json that the named package does not bring: WebGPU, CUDA or DirectML under the CPU wheel;
    and provider names that GenAI does not know.

Why it breaks
    GenAI refuses the provider when the session is made.

What it cannot tell
    Providers that are registered as plugins at run time, and builds from source.

Remedy
    Install the package with that provider, or use the model's CPU variant.

References
    measured with onnxruntime-genai 0.18.0
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.genai import providers, sections
from signatures.artifact.package import Package
from signatures.checks import runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Install the onnxruntime-genai package with this execution provider, or use the CPU variant of the model."
TEXTS = {
    "webgpu": "WebGPU execution provider is not supported in this build.",
    "cuda": "Cuda interface not available",
    "dml": "DML execution provider is not supported in this build.",
}
KNOWN = (
    "cpu", "cuda", "qnn", "webgpu", "dml", "openvino", "vitisai", "ryzenai", "nvtensorrtrtx", "amdgpu", "rocm",
    "xnnpack",
    "web", "azure", "coreml", "migraphx", "tensorrt", "snpe",
)  # fmt: skip
BRINGS = {"onnxruntime-genai-cuda": "cuda", "onnxruntime-genai-directml": "dml", "onnxruntime-genai-webgpu": "webgpu"}


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None:
        return
    installed = next((name for name, _ in target.runtimes if name in runtime.GENAI), None)
    told = set()
    for section in sections(config):
        for given in providers(section):
            if given.name in told:
                continue
            told.add(given.name)
            where = Where(config.name, f"model.{section.path}.session_options.provider_options", given.options.at)
            if given.name not in KNOWN:
                text = f"Unknown provider name '{given.written}'"
                yield Hit(where, f"provider {given.written!r}", Severity.PROBABLE, text, REMEDY)
            elif given.name in TEXTS:
                if installed is None:
                    yield Unknown(f"whether the installed package brings {given.written} is not known", where)
                elif BRINGS.get(installed) != given.name:
                    detail = f"{installed} from PyPI does not bring {given.written}"
                    yield Hit(where, detail, Severity.PROBABLE, TEXTS[given.name], REMEDY)


_CONFIG = """{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "m.onnx",
 "session_options": {"provider_options": [{"%s": {}}]}}}}"""
_CPU = Target((("onnxruntime-genai", "0.18.0"),))

CHECK = Check(
    id="genai-ep-build",
    title="The installed package does not bring the configured execution provider",
    reads="genai",
    predicts="WebGPU execution provider is not supported in this build.",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "webgpu"),), target=_CPU, expect="not supported"),
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "webgpuu"),), target=_CPU, expect="webgpuu"),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % "cpu"),), target=_CPU),
        Fixture(Outcome.UNKNOWN, files=(("genai_config.json", _CONFIG % "webgpu"),)),
    ),
)
