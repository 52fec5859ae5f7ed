"""External data that the package does not contain.

What it detects
    A tensor whose data stands in a file that is not in the artifact's listing.

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

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import external, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Put the data file next to the model under exactly that name; it is part of the model."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    told = set()
    folded = {name.lower(): name for name in package.entries}
    for item in external.tensors(package):
        if isinstance(item, Unknown):
            yield item
            continue
        if item.listed is None or package.has(item.listed) or (item.file, item.listed) in told:
            continue
        told.add((item.file, item.listed))
        if not package.complete:
            yield Unknown(f"{item.location} is not among the files that were looked at", item.where)
            continue
        near = folded.get(item.listed.lower())
        detail = f"{item.tensor.name} is stored in {item.location}, which is not there"
        if near:
            detail += f" (there is {near}, which a case-sensitive file system takes for another file)"
        severity = Severity.PROBABLE if near else item.severity
        yield Hit(item.where, detail, severity, _text(target, item), REMEDY, (("file", item.location),))


def _text(target: Target, item: external.External) -> str:
    version = runtime.onnxruntime(target)
    name = item.location.rsplit("/", 1)[-1]
    if version is None or version[:2] >= (1, 32):
        return f"External data path validation failed for initializer: {item.tensor.name}."
    if version[:2] >= (1, 25):
        return "External data path does not exist:"
    if version[:2] >= (1, 19):
        return "cannot get file size: No such file or directory"
    return f"{name} failed:Invalid fd was supplied: -1"


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
        Fixture(Outcome.CLEAN, _GRAPH, (("weights.bin", bytes(16)),)),
    ),
)
