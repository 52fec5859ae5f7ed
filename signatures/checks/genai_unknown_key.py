"""A key in genai_config.json that the reporter's GenAI does not know.

What it detects
    Keys that the reporter's onnxruntime-genai version refuses, by section.

Why it breaks
    GenAI refuses unknown keys, so a package that was made for a newer version does not load in an older one.

What it cannot tell
    Without the onnxruntime-genai version, or outside the measured range: UNKNOWN, unless no measured version knows the
    key.

Remedy
    A GenAI version that knows the key, or the same package as made for the older version; removing the key can change
    what the model does.

References
    microsoft/foundry-local#703, microsoft/foundry-local#741; keys measured by deploy/probe_genai.py
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact import genai_schema
from signatures.artifact.genai import GenAiConfig
from signatures.artifact.genai_faults import Fault, faults
from signatures.artifact.package import Package
from signatures.checks import genai, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Use an onnxruntime-genai version that knows this key, or a package made for the version in use."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None:
        return
    version = runtime.genai(target)
    accepted = genai_schema.schema(version) if version else None
    known = genai_schema.versions()
    if accepted is None and version is not None and version > known[-1]:
        yield Unknown(f"onnxruntime-genai {'.'.join(map(str, version))} is newer than what was measured")
        return
    if accepted is None:
        yield from _without_version(config, known)
        return
    first = genai.first(config, target)
    for fault in genai.faults(config, target):
        where = Where(config.name, f"{fault.section}: {fault.key}", fault.at)
        if fault.kind == "doubtful":
            yield Unknown(f"whether this version knows {fault.section}:{fault.key} was not measured", where)
        elif fault.kind == "unknown-key":
            section = f"{fault.section}: " if fault.section else "the top level has "
            detail = f"{section}{fault.key} (line {fault.line}): {_since(fault, known)}"
            severity = Severity.FATAL if accepted.exact else Severity.PROBABLE
            text = fault.text if fault == first else None
            yield Hit(where, detail, severity, text, REMEDY, (("key", fault.key),))


def _since(fault: Fault, known: list[tuple[int, ...]]) -> str:
    """Which measured versions know the key."""
    path = "/".join((*fault.section.split(":"), fault.key)).lstrip("/")
    knowing = [version for version in known if (each := genai_schema.schema(version)) and path in each.keys]
    if not knowing:
        return "known to no measured version"
    oldest, newest = (".".join(map(str, version)) for version in (knowing[0], knowing[-1]))
    return f"known since {oldest} at the latest" if knowing[-1] == known[-1] else f"known from {oldest} to {newest}"


def _without_version(config: GenAiConfig, known: list[tuple[int, ...]]) -> Iterator[Hit | Unknown]:
    """Keys that the newest version refuses are suspect in any; the rest depends on the version."""
    newest = genai_schema.schema(known[-1])
    refused = [fault for fault in faults(config, newest) if fault.kind == "unknown-key"] if newest else []
    if refused:
        keys = ", ".join(f"{fault.section}:{fault.key}" for fault in refused[:5])
        why = f"the newest measured onnxruntime-genai does not know {keys}; the version in use is not known"
        yield Unknown(f"{config.name}: {why}")
    else:
        yield Unknown("the onnxruntime-genai version is not known")


CONFIG = """{"model": {"type": "qwen2_5_vl", "context_length": 512, "vision": {"filename": "v.onnx"%s},
 "decoder": {"filename": "model.onnx"}}, "search": {"max_length": 512}}"""
_NEW = Target((("onnxruntime-genai", "0.18.0"),))

CHECK = Check(
    id="genai-unknown-key",
    title="genai_config.json has a key that this GenAI does not know",
    reads="genai",
    predicts='JSON Error: <section>: Unknown value "<key>" at line <n> index <n>',
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            files=(("genai_config.json", CONFIG % ', "no_such_size": 2'),),
            target=_NEW,
            expect='model:vision: Unknown value "no_such_size"',
        ),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", CONFIG % ', "spatial_merge_size": 2'),), target=_NEW),
        Fixture(Outcome.UNKNOWN, files=(("genai_config.json", CONFIG % ""),)),
    ),
)
