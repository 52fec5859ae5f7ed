"""External data that a link leads out of the model's folder, as in a sharded Hugging Face cache.

What it detects
    In a local folder: a model whose external data is a link to a place outside both the model's folder and the folder
    of the model's own link target. Elsewhere: a report whose logs show a path of a cache that sorts its blobs into
    folders of two hex digits.

Why it breaks
    ONNX Runtime from 1.24 on follows links before it decides whether external data stays with its model. A sharded
    cache keeps `model.onnx` under `blobs/aa/` and its data under `blobs/bb/`. Version 1.32.0 allows the folder
    `models--<owner>--<name>/snapshots/<revision>`; other folders of links stay refused.

What it cannot tell
    Links, where the artifact is not on this computer. Without a version: probable.

Remedy
    Copy the model and its data into one folder (`hf download --local-dir`), or use ONNX Runtime 1.32.0.

References
    microsoft/onnxruntime#27353, microsoft/onnxruntime#27374; measured on builds 1.20.1 to 1.32.0
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.links import Linked
from signatures.artifact.package import Package
from signatures.checks import external, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Version
from signatures.linear import linear

REMEDY = "Copy the model and its data into one folder (hf download --local-dir), or use ONNX Runtime 1.32.0 or newer."
REFUSED_SINCE, HUB_ALLOWED_SINCE = (1, 24), (1, 32)
MEASURED_TO = (1, 32)
SHARD = r"[/\\]blobs[/\\][0-9a-f]{2}[/\\][0-9a-f]{8}"
MAX_LOG = 4_000_000  # characters of one log


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    if version is not None and version[:2] < REFUSED_SINCE:
        return
    told = set()
    some = False
    for item in external.external(package, version):
        if isinstance(item, Unknown):
            yield item
            continue
        some = True
        found = external.led_out(package, item, version)
        if found is not None and (item.file, item.location) not in told:
            told.add((item.file, item.location))
            yield from _linked(item.where, item.location, found, version)
    if package.root is None and some:
        yield from _logged(target, version)


def _linked(where: Where, location: str, found: Linked, version: Version | None) -> Iterator[Hit]:
    if found.in_hub and version is not None and version[:2] >= HUB_ALLOWED_SINCE:
        return
    severity = Severity.FATAL if version is not None and version[:2] <= MEASURED_TO else Severity.PROBABLE
    detail = f"{location} is a link that leads out of the model's folder, to {found.data}"
    text = _text(version, linked=found.path != found.model)
    yield Hit(where, detail, severity, text, REMEDY, (("location", location),))


def _text(version: Version | None, *, linked: bool) -> str:
    if version is not None and version[:2] < (1, 27):
        if linked or version[:2] < (1, 25):
            return "escapes both model directory:"
        return "External data path for model escapes model directory."
    return "External data path escapes model directory."


def _logged(target: Target, version: Version | None) -> Iterator[Hit]:
    if version is not None and version[:2] >= HUB_ALLOWED_SINCE:
        return
    for number, log in enumerate(target.logs):
        found = linear(SHARD).search(log[:MAX_LOG])
        if found is not None:
            detail = f"the log names a file in a sharded cache (...{found.group()}...)"
            text = _text(version, linked=True)
            yield Hit(Where(f"log {number + 1}"), detail, Severity.PROBABLE, text, REMEDY)
            return


_LOG = "External data path escapes model directory ... /hub/models--o--n/blobs/3f/3f0a11bb22cc"
_GRAPH = (
    '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) '
    '<float[4] w = ["location": "w.bin", "offset": "0", "length": "16"]> { y = Add (x, w) }'
)
_DATA = (("w.bin", bytes(16)),)


def _with(version: str) -> Target:
    return Target((("onnxruntime", version),), logs=(_LOG,))


CHECK = Check(
    id="ext-hf-shard-cache",
    title="A link leads external data out of the model's folder",
    reads="onnx",
    predicts="External data path escapes model directory",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, _DATA, _with("1.30.0"), "sharded cache"),
        Fixture(Outcome.CLEAN, _GRAPH, _DATA, _with("1.32.0")),
        Fixture(Outcome.CLEAN, _GRAPH, _DATA, _with("1.20.1")),
        Fixture(Outcome.CLEAN, _GRAPH, _DATA, Target((("onnxruntime", "1.30.0"),))),
    ),
)
