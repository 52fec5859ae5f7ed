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
from signatures.checks import genai, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Use an onnxruntime-genai version that implements this model type."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    item = config.find("model", "type") if config else None
    name = item.string() if item else None
    if config is None or config.root is None:
        return
    if config.model is None or (item is not None and name is None) or genai.has_draft(config):
        return
    version = runtime.genai(target)
    accepted = genai_schema.schema(version) if version else None
    said = genai.text(f"Unsupported model_type in config.json: {name or ''}", genai.Stage.TYPE, config, target)
    if item is None or name is None:
        if config.error is None or config.error.what == "bom":
            yield Hit(Where(config.name, "model.type"), "model.type is not set", Severity.FATAL, said, REMEDY)
        return
    where = Where(config.name, "model.type", item.at)
    if accepted is None:
        if not all((known := genai_schema.schema(v)) and name in known.types for v in genai_schema.versions()):
            yield Unknown(
                f"whether {name} is implemented depends on the onnxruntime-genai version, which is not known", where
            )
    elif name in accepted.doubtful:
        yield Unknown(f"whether this version implements {name} was not measured", where)
    elif name not in accepted.types:
        severity = Severity.FATAL if accepted.exact else Severity.PROBABLE
        yield Hit(where, f"model type {name}", severity, said, REMEDY, (("type", name),))


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
