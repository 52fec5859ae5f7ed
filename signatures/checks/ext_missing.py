"""External data that the package does not contain.

What it detects
    A tensor whose data stands in a file that is not in the artifact, or in a folder.

Why it breaks
    ONNX Runtime opens that file while it makes the session.

What it cannot tell
    A listing that is known to be incomplete proves nothing: then it is UNKNOWN.

Remedy
    Download the data file too, next to the model and under exactly that name.

References
    ONNX, "External data"
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.artifact.places import FILE, FOLDER, MISSING, OUTSIDE, UNKNOWN, Place
from signatures.checks import external, runtime
from signatures.checks.external import External
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown
from signatures.checks.runtime import Version

OPENED_OTHERWISE = (1, 31)
REMEDY = "Put the data file next to the model under exactly that name; it is part of the model."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    told = set()
    version = runtime.onnxruntime(target)
    folded = {name.lower(): name for name in package.entries}
    for item in external.external(package, version):
        if isinstance(item, Unknown):
            yield item
            continue
        place = item.place
        if place is None or place.kind in (FILE, OUTSIDE) or (item.file, item.location) in told:
            continue
        opened = place.through or (place.kind == FOLDER and not item.held.in_body)
        severity = item.severity(version, since=None if opened else external.EXISTENCE_FIRST)
        if severity is not Severity.INFO:
            told.add((item.file, item.location))
        if place.kind == UNKNOWN:
            yield Unknown(f"{item.location} is not among the files that were looked at", item.where)
            continue
        detail = (
            f"{item.name} is stored in {item.location}, which is {'a folder' if place.kind == FOLDER else 'not there'}"
        )
        near = folded.get(place.name.lower()) if place.name else None
        if near:
            detail += f" (there is {near}, which a case-sensitive file system takes for another file)"
        elif external.foreign(item.location):
            near = _windows(package, item)
            detail += " (a backslash or a drive makes it another path on Windows)"
        if severity is Severity.FATAL and near:
            severity = Severity.PROBABLE
        yield Hit(item.where, detail, severity, _text(item, place, version), REMEDY, (("file", item.location),))


def _windows(package: Package, item: External) -> str | None:
    """Why the location may lead to something on Windows."""
    if external.escapes(item):
        return "elsewhere"
    found = package.place(item.file, item.location.replace("\\", "/"))
    return None if found.kind == MISSING else "there"


def _text(item: External, place: Place, version: Version | None) -> str | None:
    if item.held.in_body and not place.through:
        if place.kind == FOLDER or version is None or version[:2] >= (1, 25):
            return "but it is not regular file."
        return "but it doesn't exist or is not accessible."
    newest = version is None or version[:2] >= OPENED_OTHERWISE
    if version is not None and version[:2] < (1, 19):
        name = item.location.rsplit("/", 1)[-1]
        return "SystemError : 21" if place.kind == FOLDER else f"{name} failed:Invalid fd was supplied: -1"
    if place.kind == FOLDER:
        return "Random-access reads require a regular file:" if newest else "cannot get file size: Is a directory"
    if item.tensor.sparse is not None and version is not None and version[:2] < (1, 27):
        return "SystemError : 2" if version[:2] < (1, 25) else "No such file or directory"
    if place.through and newest:
        return f"SystemError : {place.why}"
    if place.why in (errno.ENAMETOOLONG, errno.ELOOP):
        return os.strerror(place.why)
    if not place.through and (version is None or version[:2] >= external.EXISTENCE_FIRST):
        return "External data path does not exist:"
    return f"cannot get file size: {os.strerror(place.why or errno.ENOENT)}"


GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x) => (float[4] y)
<float[4] w = ["location": "%s", "offset": "%s", "length": "%s"]>
{ y = Add (x, w) }
"""
_GRAPH = GRAPH % ("weights.bin", "0", "16")

CHECK = Check(
    id="ext-missing",
    title="External data is missing from the package",
    reads="onnx",
    predicts="External data path does not exist / cannot get file size",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, expect="weights.bin"),
        Fixture(
            Outcome.FOUND, _GRAPH, target=Target((("onnxruntime", "1.20.1"),)), expect="cannot get file size: No such"
        ),
        Fixture(Outcome.FOUND, GRAPH % ("data", "0", "16"), (("data/w.bin", bytes(16)),), expect="a folder"),
        Fixture(Outcome.FOUND, GRAPH % ("gone/../w.bin", "0", "16"), (("w.bin", bytes(16)),), expect="not there"),
        Fixture(Outcome.FOUND, GRAPH % ("data\\\\w.bin", "0", "16"), (("data/w.bin", bytes(16)),), expect="Windows"),
        Fixture(Outcome.CLEAN, GRAPH % ("a\\\\b.bin", "0", "16"), (("a\\b.bin", bytes(16)),)),
        Fixture(Outcome.CLEAN, _GRAPH, (("weights.bin", bytes(16)),)),
    ),
)
