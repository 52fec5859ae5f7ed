"""A graph capture option with a value that is not taken.

What it detects
    enableGraphCapture (WebGPU) other than the strings "0" and "1", and capture options of any provider that are no
    strings.

Why it breaks
    ONNX Runtime refuses the value; GenAI refuses anything but a string. In Python, the session then runs on the CPU
    without saying so.

What it cannot tell
    Which values other providers' options take.

Remedy
    Write "1" or "0", as a string.

References
    measured with onnxruntime-webgpu 1.27.0 and onnxruntime-genai 0.18.0
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.genai import providers, sections
from signatures.artifact.package import Package
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import CAPTURE_KEYS

REMEDY = 'Write "1" or "0", as a string.'


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    config = package.genai_config()
    if config is None or config.root is None:
        return
    for section in sections(config):
        for given in providers(section):
            key = CAPTURE_KEYS.get(given.name)
            item = given.options.get(key) if key else None
            if item is None or key is None:
                continue
            where = Where(config.name, f"model.{section.path}: {given.written}.{key}", item.at)
            value = item.string()
            if item.kind != "string":
                text = f"{given.written}:{key} - Expected a string but saw a {item.kind}"
                yield Hit(where, f"{key} is a {item.kind}", Severity.FATAL, text, REMEDY)
            elif given.name == "webgpu" and value not in ("0", "1"):
                text = f"Invalid enable graph capture: {value}"
                yield Hit(where, f"{key} is {value!r}", Severity.FATAL, text, REMEDY)


_CONFIG = """{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "m.onnx",
 "session_options": {"provider_options": [{"webgpu": {"enableGraphCapture": %s}}]}}}}"""

CHECK = Check(
    id="gc-option-value",
    title="The graph capture option has a value that is not taken",
    reads="genai",
    predicts="Invalid enable graph capture: <value>",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % '"true"'),), expect="capture: true"),
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "true"),), expect="saw a bool"),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % '"0"'),)),
    ),
)
