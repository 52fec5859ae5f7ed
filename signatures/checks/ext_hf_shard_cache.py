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

import posixpath
from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import external, runtime
from signatures.checks.external import External
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Version
from signatures.linear import linear

REMEDY = "Copy the model and its data into one folder (hf download --local-dir), or use ONNX Runtime 1.32.0 or newer."
REFUSED_SINCE, HUB_ALLOWED_SINCE = (1, 24), (1, 32)
HUB = ("models--", "datasets--", "spaces--")
SHARD = r"[/\\]blobs[/\\][0-9a-f]{2}[/\\][0-9a-f]{8}"
MAX_LOG = 4_000_000  # characters of one log


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    if version is not None and version[:2] < REFUSED_SINCE:
        return
    told: set[tuple[str, str]] = set()
    tensors = False
    for item in external.tensors(package):
        if isinstance(item, Unknown):
            yield item
            continue
        tensors = True
        if item.listed is None or not package.has(item.listed) or (item.file, item.listed) in told:
            continue
        told.add((item.file, item.listed))
        hit = _linked(package, item, version)
        if hit is not None:
            yield hit
    if package.root is None and (tensors or not package.onnx_names()):
        yield from _logged(target, version)


def _linked(package: Package, item: External, version: Version | None) -> Hit | None:
    model, data = package.resolved(item.file), package.resolved(item.listed or "")
    folder = package.resolved(item.file.rpartition("/")[0] or ".")
    if model is None or data is None or folder is None:
        return None
    if any(_below(data[1], allowed) for allowed in (posixpath.dirname(model[1]), folder[1])):
        return None
    blobs = _blobs(model[0])
    in_hub = blobs is not None and _below(model[1], blobs) and _below(data[1], blobs)
    if in_hub and version is not None and version[:2] >= HUB_ALLOWED_SINCE:
        return None
    severity = item.severity if version is not None else Severity.PROBABLE
    detail = f"{item.location} is a link that leads out of the model's folder, to {data[1]}"
    text = _text(version, linked=model[0] != model[1])
    return Hit(item.where, detail, severity, text, REMEDY, (("location", item.location),))


def _blobs(path: str) -> str | None:
    """The folder of blobs that belongs to a path in a Hugging Face cache."""
    parts = path.split("/")
    for at in range(len(parts) - 3, 0, -1):
        if parts[at].startswith(HUB) and parts[at + 1] == "snapshots":
            return posixpath.realpath("/".join((*parts[: at + 1], "blobs")))
    return None


def _below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


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

CHECK = Check(
    id="ext-hf-shard-cache",
    title="A link leads external data out of the model's folder",
    reads="listing",
    predicts="External data path escapes model directory",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            files=(("README.txt", ""),),
            target=Target((("onnxruntime", "1.30.0"),), logs=(_LOG,)),
            expect="sharded cache",
        ),
        Fixture(Outcome.CLEAN, files=(("README.txt", ""),), target=Target((("onnxruntime", "1.32.0"),), logs=(_LOG,))),
        Fixture(Outcome.CLEAN, files=(("README.txt", ""),), target=Target((("onnxruntime", "1.20.1"),), logs=(_LOG,))),
    ),
)
