"""genai_config.json that is not what GenAI's parser takes.

What it detects
    A byte order mark, a trailing comma, \\uXXXX escapes, other JSON errors, values of the wrong kind for their key, and
    numbers and words out of the range of their key, such as a fraction where an integer belongs.

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

from signatures.artifact.genai_faults import Fault
from signatures.artifact.package import Package
from signatures.checks import genai
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

SYNTAX = ("bom", "trailing-comma", "number", "no-value", "escape", "syntax")
REMEDY = "Write the file as UTF-8 without a byte order mark, with raw characters instead of escapes, and valid JSON."
KIND = "Give the value the kind that this key has in the onnxruntime-genai version in use."
VALUE = "Give the key a value within its range."
DETAILS = {"bom": "a byte order mark", "escape": "a \\uXXXX escape", "trailing-comma": "an extra comma"}


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None:
        return
    accepted = genai.accepted(target)
    first = genai.first(config, target)
    for fault in genai.faults(config, target):
        where = _where(config.name, fault)
        if fault.kind == "size":
            yield Unknown(f"{config.name}: {fault.text}", where)
        elif fault.kind in SYNTAX or fault.kind in ("type", "value"):
            certain = fault.kind in SYNTAX or (accepted is not None and accepted.exact)
            severity = Severity.FATAL if certain else Severity.PROBABLE
            remedy = REMEDY if fault.kind in SYNTAX else KIND if fault.kind == "type" else VALUE
            proves = (("key", fault.key),) if fault.key and fault.kind not in SYNTAX else ()
            text = fault.text if fault == first else None
            yield Hit(where, _detail(fault), severity, text, remedy, proves)
    if accepted is None and config.root is not None:
        yield Unknown("the kinds of values depend on the onnxruntime-genai version, which is not known or not measured")


def _where(name: str, fault: Fault) -> Where:
    if fault.kind in SYNTAX or fault.kind == "size":
        return Where(name, f"line {fault.line} index {fault.column}", fault.at)
    return Where(name, f"{fault.section}: {fault.key}", fault.at)


def _detail(fault: Fault) -> str:
    if fault.kind in SYNTAX:
        what = DETAILS.get(fault.kind) or f"not JSON as GenAI reads it: {fault.text}"
        return f"{what} (line {fault.line} index {fault.column})"
    if fault.kind == "value":
        return f"line {fault.line}: {fault.text}"
    return f"{fault.section}:{fault.key} is a {fault.seen} (line {fault.line})"


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
        Fixture(
            Outcome.FOUND,
            files=_with(_GOOD.replace("512", "1.5")),
            target=_NEW,
            expect="model:context_length:Field 'context_length' value 1.5 is not an integer",
        ),
        Fixture(
            Outcome.FOUND, files=_with(_GOOD.replace("512", "3e9")), target=_NEW, expect="value 3e+09 is out of int32"
        ),
        Fixture(Outcome.FOUND, files=_with(_GOOD.replace("512", "-1")), target=_NEW, expect="must be > 0, got -1"),
        Fixture(Outcome.FOUND, files=_with(_GOOD.replace("512", "1e400")), expect="context_length:Expecting number"),
        Fixture(Outcome.CLEAN, files=_with(_GOOD.replace("512", "512.0")), target=_NEW),
        Fixture(Outcome.CLEAN, files=_with(_GOOD), target=_NEW),
        Fixture(Outcome.UNKNOWN, files=_with(_GOOD)),
    ),
)
