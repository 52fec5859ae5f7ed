"""External data that points outside the model's folder.

What it detects
    Locations that are absolute, climb out with "..", name a Windows drive, or name ONNX Runtime's in-memory data, and
    symbolic links out of the model's folder.

Why it breaks
    ONNX Runtime from 1.24 on refuses such paths. Older versions follow them, which lets a model read any file; the
    in-memory marker crashed old versions outright.

What it cannot tell
    Links that `ext-hf-shard-cache` tells of; links where only a listing is known; whether a path that climbs over the
    top of the package comes back into it by the folder's own name: UNKNOWN.

Remedy
    Save the model with its data beside it and a plain file name as location.

References
    microsoft/onnxruntime#27353, microsoft/onnxruntime#27374
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import external, runtime
from signatures.checks.ext_missing import GRAPH
from signatures.checks.external import External
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown
from signatures.checks.runtime import Version

LINKS_CHECKED = (1, 25)  # in bodies of control flow, whether read or not
REMEDY = "Save the model again with its data beside it; do not open a model from others that points outside its folder."
HUB_ALLOWED = (1, 32)  # a snapshot may point anywhere in the hub cache's folder of the same model


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    told = set()
    version = runtime.onnxruntime(target)
    for item in external.external(package, version):
        if isinstance(item, Unknown):
            yield item
            continue
        why = external.escapes(item)
        if why is None or (item.file, item.location) in told or external.led_out(package, item, version):
            continue
        severity = _severity(item, why, version)
        if severity is not Severity.INFO:
            told.add((item.file, item.location))
        detail = f"{item.name}: the location {item.location!r} {why}"
        text = None if severity is Severity.INFO else _text(item, why, version)
        yield Hit(item.where, detail, severity, text, REMEDY, (("location", item.location),))


def _severity(item: External, why: str, version: Version | None) -> Severity:
    found = item.severity(version, since=external.ESCAPE_REFUSED)
    if found is Severity.INFO:
        return Severity.PROBABLE if "memory" in why else Severity.INFO
    if "memory" in why:
        return Severity.FATAL if version is not None else Severity.PROBABLE
    if "Windows" in why:
        return Severity.PROBABLE
    linked = item.place is not None and item.place.linked
    if why.endswith("control flow") and (version is None or version[:2] < LINKS_CHECKED):
        escapes = linked and item.held.is_read and version is not None and version[:2] >= external.ESCAPE_REFUSED
        return Severity.FATAL if escapes else Severity.INFO
    if linked and version is not None and version[:2] < external.ESCAPE_REFUSED:
        return Severity.INFO
    if item.place is not None and item.place.in_hub and (version is None or version[:2] >= HUB_ALLOWED):
        return Severity.INFO
    refused = version is not None and version[:2] >= external.ESCAPE_REFUSED
    return found if refused or item.held.in_body else Severity.PROBABLE


def _text(item: External, why: str, version: Version | None) -> str | None:
    if "memory" in why:
        if version is None or version[:2] >= (1, 27):
            return "references an ORT in-memory address marker, which is not allowed in a model protobuf."
        return "initializers with arbitrary in-memory references." if version[:2] >= (1, 24) else None
    if "Windows" in why:
        return None
    if why.endswith("control flow") and (version is None or version[:2] >= LINKS_CHECKED):
        return "but it is a symbolic link."
    absolute = item.location.startswith("/")
    if item.held.in_body and not (item.place is not None and item.place.linked):
        return "be a relative path, but it is an absolute path:" if absolute else " points outside the directory"
    if version is not None and version[:2] < external.ESCAPE_REFUSED:
        new = version[:2] >= external.ABSOLUTE_TAKEN
        return "cannot get file size: No such file or directory" if new else "failed:Invalid fd was supplied: -1"
    if absolute:
        some = "Absolute paths" if version is not None and version[:2] < (1, 25) else "Absolute path"
        return f"{some} not allowed for external data location"
    if version is not None and version[:2] < (1, 25):
        return "escapes both model directory:"
    if version is not None and version[:2] < (1, 27):
        return "External data path for model escapes model directory."
    return "External data path escapes model directory."


CHECK = Check(
    id="ext-escape",
    title="External data points outside the model's folder",
    reads="onnx",
    predicts="External data path escapes model directory",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            GRAPH % ("../weights.bin", "0", "16"),
            target=Target((("onnxruntime", "1.32.0"),)),
            expect="escapes model directory",
        ),
        Fixture(Outcome.FOUND, GRAPH % ("/etc/passwd", "0", "16"), expect="absolute"),
        Fixture(Outcome.FOUND, GRAPH % ("*/_ORT_MEM_ADDR_/*", "0", "16"), expect="in-memory"),
        Fixture(Outcome.CLEAN, GRAPH % ("data/weights.bin", "0", "16"), (("data/weights.bin", bytes(16)),)),
        Fixture(Outcome.CLEAN, GRAPH % ("data/../weights.bin", "0", "16"), (("weights.bin", bytes(16)),)),
    ),
)
