"""External data that points outside the model's folder.

What it detects
    Locations that are absolute, climb out with "..", name a Windows drive, or name ONNX Runtime's in-memory data.

Why it breaks
    ONNX Runtime from 1.24 on refuses such paths. Older versions follow them, which lets a model read any file; the
    in-memory marker crashed old versions outright.

What it cannot tell
    Symbolic links, which a listing does not show.

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
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Save the model again with its data beside it; do not open a model from others that points outside its folder."
REFUSED_SINCE = (1, 24)


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    told = set()
    version = runtime.onnxruntime(target)
    for item in external.tensors(package):
        if isinstance(item, Unknown):
            yield item
            continue
        why = external.escapes(item.location)
        if why is None or (item.file, item.location) in told:
            continue
        told.add((item.file, item.location))
        foreign = why == "is a path on a Windows drive" or "\\" in item.location
        refused = version is not None and version[:2] >= REFUSED_SINCE and not foreign
        severity = item.severity if refused or (version is not None and "memory" in why) else Severity.PROBABLE
        detail = f"{item.tensor.name}: the location {item.location!r} {why}"
        yield Hit(item.where, detail, severity, _text(item.location, version), REMEDY, (("location", item.location),))


def _text(location: str, version: runtime.Version | None) -> str | None:
    if external.MEMORY_MARKER in location:
        return None
    if version is not None and version[:2] < REFUSED_SINCE:
        new = version[:2] >= (1, 19)
        return "cannot get file size: No such file or directory" if new else "failed:Invalid fd was supplied: -1"
    if location.startswith("/"):
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
