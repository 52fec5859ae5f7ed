"""External data that does not fit its file or its shape.

What it detects
    Entries of external data that the runtime refuses: unknown or empty keys, no location, two locations, offsets and
    lengths that are no numbers to it. An offset and length past the end of the data file, a length that differs from
    what shape and element type ask for, and external data of tensors that may have none.

Why it breaks
    ONNX Runtime compares both before it reads.

What it cannot tell
    The size of a data file that is not listed; types without a fixed width.

Remedy
    Download the data file again (compare its size and hash), or export again.

References
    ONNX, "External data"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.artifact.places import FILE
from signatures.checks import external, runtime
from signatures.checks.ext_missing import GRAPH
from signatures.checks.external import External
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown
from signatures.checks.runtime import Version

REMEDY = "Download the data file again and compare its size and hash; if they agree, export the model again."
FORMAT = "model format error!"
PREPACKED_SINCE = (1, 21)
ONE_LOCATION = (1, 30)
STRING = 8
MAX_HELD = 1 << 40  # bytes
MAX_TOLD = 20


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    told = 0
    version = runtime.onnxruntime(target)
    for item in external.external(package, version):
        if isinstance(item, Unknown):
            yield item
        elif told < MAX_TOLD:
            hit = _entries(item, version) or _numbers(package, item, version)
            if hit is not None:
                told += hit.severity is not Severity.INFO
                yield hit


def _entries(item: External, version: Version | None) -> Hit | None:
    """Keys that the format does not have, keys without a value or given twice, and a location that is missing. Entries
    are read in their order, up to the first fault."""
    fault = next((found for entry in item.tensor.entries if (found := _entry(entry, version)) is not None), None)
    keys = [key for key, _ in item.tensor.entries]
    if item.held.in_body and "location" in keys and not item.location:
        fault = "has an empty location", "should not be empty."
    elif fault is None and "location" not in keys:
        fault = "has no location", f"{FORMAT} Missing 'location'"
    elif fault is None and keys.count("location") > 1 and (version is None or version[:2] >= ONE_LOCATION):
        fault = "has two locations", f"{FORMAT} TensorProto external data has duplicate 'location' entries"
    if fault is None:
        return None
    severity = item.severity(version, since=external.ENTRIES_FIRST)
    if version is None and fault[0] in ("has two locations", "has a key 'prepacked'"):
        severity = Severity.PROBABLE
    text = fault[1] if severity is not Severity.INFO else None
    return Hit(item.where, f"the external data of {item.name} {fault[0]}", severity, text, REMEDY)


def _entry(entry: tuple[str, str], version: Version | None) -> tuple[str, str | None] | None:
    key, value = entry
    if key.startswith("prepacked") and (version is None or version[:2] >= PREPACKED_SINCE):
        return None
    if key not in ("location", "offset", "length", "checksum"):
        return f"has a key {key[:40]!r} that the format does not have", FORMAT
    if not value:
        newest = version is None or version[:2] >= ONE_LOCATION
        return (
            f"has an empty {key}",
            f"{FORMAT} External data location cannot be empty" if newest and key == "location" else FORMAT,
        )
    if key in ("offset", "length") and external.number(value, key, version) is None:
        old = version is not None and version[:2] < (1, 21)
        text = " ".join(f"parsing {value} failed".split()) if old else 'Failed to parse value: "0"'
        return f"has the {key} {value[:40]!r}, which is no number to the runtime", text
    return None


def _numbers(package: Package, item: External, version: Version | None) -> Hit | None:
    """Offset and length against the shape and the size of the file; looked at where the data is read."""
    severity = item.severity(version)
    tensor = item.tensor if item.tensor.sparse is None else item.tensor._replace(dims=item.tensor.sparse, sparse=None)
    if tensor.dtype == STRING:
        text: str | None = "External data type cannot be UNDEFINED or STRING."
        return Hit(item.where, f"{item.name} is of strings, which cannot be external", severity, text, REMEDY)
    if item.held.of_shape:
        text = "Please load external data into raw data for tensor:"
        return Hit(item.where, f"{item.name} is a shape, which cannot be external", severity, text, REMEDY)
    given = item.tensor.external or {}
    offset = external.number(given.get("offset", "0"), "offset", version) or 0
    length = external.number(given.get("length", "0"), "length", version) or None
    need = tensor.nbytes
    if length is not None and need is not None and length != need:
        text = f"external data size mismatch. Computed size: {need}, external_data.length: {length % (1 << 64)}"
        return Hit(
            item.where, f"{item.name} needs {need} bytes and points at {length}", severity, _large(text, need), REMEDY
        )
    if item.place is None or item.place.kind != FILE or need is None:
        return None
    have = item.place.size
    if have == 0 and need == 0 and version is not None and (1, 24) <= version[:2] < (1, 31):
        detail = f"{item.name} is empty and points at an empty file, which ends the process"
        return Hit(item.where, detail, severity, None, REMEDY)
    if have is None or (offset >= 0 and offset + need <= have):
        return None
    text = f"offset: {offset} size to read: {need} given file_length: {have} are out of bounds"
    if item.held.graph.function is None and item.tensor.sparse is None:
        text = f"External initializer: {item.name} {text}"
    elif item.tensor.sparse is not None and version is not None and version[:2] < (1, 25):
        text = "unexpected end of file."
    if offset + need > external.MAX_NUMBER:
        text = "Integer overflow"
    detail = f"{item.name} ends at byte {offset + need} of {item.location}, which has {have}"
    if offset < 0:
        detail = f"{item.name} begins at byte {offset} of {item.location}"
    old = version is not None and version[:2] < (1, 31)
    return Hit(item.where, detail, severity, _large(text, need) if old else text, REMEDY)


def _large(text: str, need: int) -> str | None:
    """Without memory for it, what is printed says nothing of the file."""
    return text if need < MAX_HELD else None


_DATA = (("w.bin", bytes(64)),)
_KEYS = GRAPH.replace('"location": "%s", "offset": "%s", "length": "%s"', "%s")
_TWICE = _KEYS % '"location": "w.bin", "location": "w.bin"'
_OLD, _NEW = Target((("onnxruntime", "1.20.1"),)), Target((("onnxruntime", "1.32.0"),))

CHECK = Check(
    id="ext-bounds",
    title="External data does not fit its file or its shape",
    reads="onnx",
    predicts="External initializer: <name> offset: <n> size to read: <n> given file_length: <n> are out of bounds",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", "60", "16"), _DATA, expect="given file_length: 64"),
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", "0", "12"), _DATA, expect="Computed size: 16"),
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", "-4", "16"), _DATA),
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", "0x10", "16"), _DATA, expect="Failed to parse value"),
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", "+4", "16"), _DATA, expect="no number"),
        Fixture(Outcome.FOUND, GRAPH % ("w.bin", " 4", "16"), _DATA, target=_NEW, expect="no number"),
        Fixture(Outcome.CLEAN, GRAPH % ("w.bin", "+4", "16"), _DATA, target=_OLD),
        Fixture(Outcome.FOUND, GRAPH % ("", "0", "16"), _DATA, target=_NEW, expect="cannot be empty"),
        Fixture(Outcome.FOUND, _KEYS % '"offset": "0"', _DATA, expect="Missing 'location'"),
        Fixture(Outcome.FOUND, _KEYS % '"location": "w.bin", "basepath": "."', _DATA, expect="basepath"),
        Fixture(Outcome.FOUND, _TWICE, _DATA, target=_NEW, expect="duplicate"),
        Fixture(Outcome.CLEAN, _TWICE, _DATA, target=_OLD),
        Fixture(Outcome.CLEAN, _KEYS % '"location": "w.bin", "checksum": "0"', _DATA),
        Fixture(Outcome.CLEAN, GRAPH % ("w.bin", "48", "16"), _DATA),
    ),
)
