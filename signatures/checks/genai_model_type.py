"""A model type that the reporter's GenAI does not implement.

What it detects
    model.type outside the list of the reporter's onnxruntime-genai version.

Why it breaks
    GenAI chooses the implementation by this name.

What it cannot tell
    Without the version: UNKNOWN, unless the type is known to every measured version.

Remedy
    A GenAI version that implements the type.

References
    microsoft/onnxruntime-genai#1825; types measured by deploy/probe_genai.py
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact import genai_schema
from signatures.artifact.package import Package
from signatures.checks import runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Use an onnxruntime-genai version that implements this model type."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    item = config.find("model", "type") if config else None
    name = item.string() if item else None
    if config is None or config.root is None:
        return
    if item is None or name is None:
        if config.model is not None and item is None:
            where = Where(config.name, "model.type")
            yield Hit(where, "model.type is not set", Severity.FATAL, "Unsupported model_type in config.json:", REMEDY)
        return
    where = Where(config.name, "model.type", item.at)
    version = runtime.genai(target)
    accepted = genai_schema.schema(version) if version else None
    if accepted is None:
        if not all((known := genai_schema.schema(v)) and name in known.types for v in genai_schema.versions()):
            yield Unknown(
                f"whether {name} is implemented depends on the onnxruntime-genai version, which is not known", where
            )
    elif name in accepted.doubtful:
        yield Unknown(f"whether this version implements {name} was not measured", where)
    elif name not in accepted.types:
        severity = Severity.FATAL if accepted.exact else Severity.PROBABLE
        text = f"Unsupported model_type in config.json: {name}"
        yield Hit(where, f"model type {name}", severity, text, REMEDY, (("type", name),))


_CONFIG = '{"model": {"type": "%s", "context_length": 512, "decoder": {"filename": "m.onnx"}}}'
_NEW = Target((("onnxruntime-genai", "0.18.0"),))

CHECK = Check(
    id="genai-model-type",
    title="GenAI does not implement this model type",
    reads="genai",
    predicts="Unsupported model_type in config.json: <type>",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND, files=(("genai_config.json", _CONFIG % "bert"),), target=_NEW, expect="config.json: bert"
        ),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % "qwen3"),), target=_NEW),
        Fixture(Outcome.UNKNOWN, files=(("genai_config.json", _CONFIG % "qwen3_5"),)),
    ),
)
