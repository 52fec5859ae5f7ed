"""genai_config.json that is not what GenAI's parser takes.

What it detects
    A byte order mark, a trailing comma, \\uXXXX escapes, other JSON errors, and values of the wrong kind for their key.

Why it breaks
    GenAI's own parser is stricter than JSON: it refuses escapes that Python's json.dumps writes by default, and it
    names some of these faults in a misleading way (a byte order mark as an unknown value).

What it cannot tell
    Kinds need the onnxruntime-genai version; the syntax faults do not.

Remedy
    Write the file as UTF-8 without a mark, with raw characters (json.dump with ensure_ascii=False) and no trailing
    comma.

References
    measured with onnxruntime-genai 0.18.0; microsoft/onnxruntime-genai#318
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact import genai_schema
from signatures.artifact.genai import GenAiConfig
from signatures.artifact.package import Package
from signatures.checks import runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Write the file as UTF-8 without a byte order mark, with raw characters instead of escapes, and valid JSON."
KIND = "Give the value the kind that this key has in the onnxruntime-genai version in use."
TEXTS = {
    "bom": 'Unknown value ""',
    "trailing-comma": "Expecting \" to start next object name, possibly due to an extra trailing ','",
}


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None:
        return
    if config.error is not None:
        error = config.error
        where = Where(config.name, f"line {error.line} index {error.column}", error.at)
        detail = f"{error.what}: {error.message}"
        if error.what == "size":
            yield Unknown(f"{config.name}: {error.message}", where)
        else:
            yield Hit(where, detail, Severity.FATAL, TEXTS.get(error.what), REMEDY)
    for line, index, at in config.escapes[:3]:
        where = Where(config.name, f"line {line} index {index}", at)
        yield Hit(where, "a \\uXXXX escape", Severity.FATAL, "Unsupported uXXXX code used", REMEDY)
    if config.root is not None:
        yield from _kinds(config, target)


def _kinds(config: GenAiConfig, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.genai(target)
    accepted = genai_schema.schema(version) if version else None
    if accepted is None or config.root is None:
        yield Unknown("the kinds of values depend on the onnxruntime-genai version, which is not known or not measured")
        return
    for fault in genai_schema.faults(config.root, accepted):
        if fault.kind != "type":
            continue
        where = Where(config.name, f"{fault.section}: {fault.key}", fault.item.at)
        if fault.expected:
            text = f"{fault.section}:{fault.key} - Expected a {fault.expected} but saw a {fault.item.kind}"
        else:
            text = f'{fault.section}: Unknown value "{fault.key}"'
        severity = Severity.FATAL if accepted.exact else Severity.PROBABLE
        detail = f"{fault.section}:{fault.key} is a {fault.item.kind} (line {fault.item.line})"
        yield Hit(where, detail, severity, text, KIND, (("key", fault.key),))


_GOOD = '{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "m.onnx"}}}'
_NEW = Target((("onnxruntime-genai", "0.18.0"),))


def _with(text: str | bytes) -> tuple[tuple[str, str | bytes], ...]:
    return (("genai_config.json", text),)


CHECK = Check(
    id="genai-type",
    title="genai_config.json is not what GenAI's parser takes",
    reads="genai",
    predicts="<section>:<key> - Expected a <kind> but saw a <kind>",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=_with(b"\xef\xbb\xbf" + _GOOD.encode()), target=_NEW, expect='Unknown value ""'),
        Fixture(Outcome.FOUND, files=_with(_GOOD.replace("512,", "512,,")), target=_NEW),
        Fixture(Outcome.FOUND, files=_with(_GOOD.replace('"m.onnx"', '"m.onnx",')), expect="trailing"),
        Fixture(Outcome.FOUND, files=_with(_GOOD.replace("llama", "ll\\u0061ma")), expect="uXXXX"),
        Fixture(
            Outcome.FOUND,
            files=_with(_GOOD.replace("512", '"512"')),
            target=_NEW,
            expect="model:context_length - Expected a number but saw a string",
        ),
        Fixture(Outcome.CLEAN, files=_with(_GOOD), target=_NEW),
        Fixture(Outcome.UNKNOWN, files=_with(_GOOD)),
    ),
)
