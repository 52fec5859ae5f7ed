"""Something else under the name of a model.

What it detects
    Git LFS pointers, HTML and JSON answers, archives and other model formats under `.onnx`; LFS pointers and error
    pages under other model names; empty files; bytes that are no ONNX protobuf, with the offset.

Why it breaks
    The loader prints one sentence for all of these, and none of them loads.

What it cannot tell
    Why the wrong thing was saved.

Remedy
    Download the file itself (`git lfs pull`, the "resolve" URL instead of the "raw" or "blob" one).

References
    measured with ONNX Runtime 1.16 to 1.32
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.containers import Head
from signatures.artifact.package import Package
from signatures.artifact.source import SourceError
from signatures.artifact.wire import Malformed
from signatures.checks import runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

PARSING = "Protobuf parsing failed."
NO_GRAPH = "ModelProto does not have a graph."
NO_GRAPH_LATER, NO_GRAPH_SINCE = "No graph was found in the protobuf.", (1, 31)
KINDS = {".tflite": "tflite", ".gguf": "gguf", ".litertlm": "litertlm", ".ort": "ort", ".safetensors": "safetensors"}
FETCH = 'Download the file itself: `git lfs pull`, or the "resolve" URL of the hub instead of "raw" or "blob".'


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    for name in package.names:
        suffix = name[name.rfind(".") :].lower() if "." in name else ""
        if suffix != ".onnx" and suffix not in KINDS and suffix not in (".data", ".onnx_data", ".bin"):
            continue
        try:
            head = package.head(name)
            hit = _onnx(package, target, name, head) if suffix == ".onnx" else _other(name, suffix, head)
        except SourceError as error:
            yield Unknown(f"{name}: {error}", Where(name, "", error.offset))
            continue
        if hit is not None:
            yield hit


def _onnx(package: Package, target: Target, name: str, head: Head) -> Hit | None:
    version = runtime.onnxruntime(target)
    no_graph = NO_GRAPH if version is not None and version[:2] < NO_GRAPH_SINCE else NO_GRAPH_LATER
    if head.kind == "empty":
        return Hit(Where(name, "", 0), "an empty file", Severity.FATAL, no_graph, FETCH)
    try:
        model = package.onnx(name).nodes()
    except Malformed as error:
        if head.kind != "protobuf":
            return Hit(Where(name, "", head.offset), f"{head.what}, not an ONNX model", Severity.FATAL, PARSING, FETCH)
        if error.truncated:
            return None
        detail = f"no ONNX protobuf from byte {error.offset} on: {error}"
        return Hit(Where(name, "", error.offset), detail, Severity.FATAL, PARSING, FETCH)
    if not model.has_graph:
        if head.kind != "protobuf":
            return Hit(Where(name, "", head.offset), f"{head.what}, not an ONNX model", Severity.FATAL, None, FETCH)
        return Hit(Where(name, "", 0), "a protobuf without a graph", Severity.FATAL, no_graph, FETCH)
    return None


def _other(name: str, suffix: str, head: Head) -> Hit | None:
    if head.kind in ("lfs-pointer", "html"):
        return Hit(Where(name, "", head.offset), head.what, Severity.FATAL, None, FETCH)
    wanted = KINDS.get(suffix)
    if wanted is None or head.kind == wanted:
        return None
    if head.kind == "empty":
        return Hit(Where(name, "", 0), "an empty file", Severity.FATAL, None, FETCH)
    if wanted == "safetensors" and head.kind == "protobuf":
        return None
    severity = Severity.FATAL if head.kind not in ("protobuf", "text") else Severity.PROBABLE
    return Hit(Where(name, "", head.offset), f"{head.what}, not a {suffix} file", severity, None, FETCH)


_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 123456\n"

CHECK = Check(
    id="not-a-model",
    title="The file is not what its name says",
    reads="listing",
    predicts="Protobuf parsing failed.",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("model.onnx", _POINTER),), expect="Git LFS pointer"),
        Fixture(Outcome.FOUND, files=(("model.onnx", "<!DOCTYPE html><title>404</title>"),), expect="HTML"),
        Fixture(Outcome.FOUND, files=(("model.onnx", b""),), expect="empty"),
        Fixture(Outcome.FOUND, files=(("model.onnx", b"GGUF" + bytes(60)),), expect="GGUF"),
        Fixture(Outcome.FOUND, files=(("model.onnx", b"PK\x03\x04" + bytes(60)),), expect="zip"),
        Fixture(Outcome.FOUND, files=(("weights.data", _POINTER),), expect="Git LFS pointer"),
        Fixture(
            Outcome.CLEAN, '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
        ),
    ),
)
