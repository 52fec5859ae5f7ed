"""A path in genai_config.json that leaves the package.

What it detects
    File names that are absolute or contain a ".." component.

Why it breaks
    GenAI refuses them since 0.15; earlier versions follow them, which lets a package open any file.

What it cannot tell
    Without the version, which of the two happens.

Remedy
    Put the file into the folder and name it by a relative path.

References
    measured with onnxruntime-genai 0.18.0
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.genai import sections
from signatures.artifact.package import Package
from signatures.checks import runtime
from signatures.checks.genai_file_missing import KEYS
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Put the file into the model folder and name it by a relative path; do not load such a package from others."
REFUSED_SINCE = (0, 15)


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None:
        return
    version = runtime.genai(target)
    severity = Severity.FATAL if version is not None and version[:2] >= REFUSED_SINCE else Severity.PROBABLE
    for section in sections(config):
        for key in KEYS:
            item = section.item.get(key)
            name = item.string() if item else None
            if item is None or not name:
                continue
            path = f"model.{section.path}.{key}"
            if name[0] in "/\\":
                text = f"Config path must be a relative path under the model directory, got: {name}"
            elif ".." in name.replace("\\", "/").split("/"):
                text = f"Config path must not contain path traversal (..): {name}"
            else:
                continue
            yield Hit(Where(config.name, path, item.at), f"{path} is {name!r}", severity, text, REMEDY)


_CONFIG = '{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "%s"}}}'
_NEW = Target((("onnxruntime-genai", "0.18.0"),))

CHECK = Check(
    id="genai-path-escape",
    title="genai_config.json names a path outside the package",
    reads="genai",
    predicts="Config path must not contain path traversal (..): <path>",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "../m.onnx"),), target=_NEW, expect="traversal"),
        Fixture(
            Outcome.FOUND, files=(("genai_config.json", _CONFIG % "/m.onnx"),), target=_NEW, expect="relative path"
        ),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % "sub/m..onnx"),), target=_NEW),
    ),
)
