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

from signatures.artifact.package import Package
from signatures.checks import genai, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Put the file into the model folder and name it by a relative path; do not load such a package from others."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None:
        return
    version = runtime.genai(target)
    severity = Severity.FATAL if version is not None and version >= genai.PATHS_CHECKED_SINCE else Severity.PROBABLE
    for number, (named, said) in enumerate(genai.escaping(config, target)):
        text = genai.text(f"{named.where}: {said}", genai.Stage.PATHS, config, target) if number == 0 else None
        if version is not None and version < genai.PATHS_CHECKED_SINCE:
            text = None
        yield Hit(
            Where(config.name, named.path, named.item.at), f"{named.path} is {named.name!r}", severity, text, REMEDY
        )


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
