"""Something else under the name of a model.

What it detects
    Git LFS pointers, HTML and JSON answers, archives and other model formats under `.onnx`; LFS pointers and error
    pages under other model names and those of archives; empty files; bytes that are no ONNX protobuf, with the offset.

Why it breaks
    The loader prints one sentence for all of these, and none of them loads.

What it cannot tell
    Why the wrong thing was saved; what pipes, devices, links that lead nowhere and folders that cannot be listed hold;
    what is beyond the cap on files.

Remedy
    Download the file itself (`git lfs pull`, the "resolve" URL instead of the "raw" or "blob" one).

References
    measured with ONNX Runtime 1.16 to 1.32
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact import archives, listing
from signatures.artifact.containers import Head
from signatures.artifact.package import Package
from signatures.artifact.source import SourceError
from signatures.artifact.wire import Malformed
from signatures.checks import runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

PARSING = "Protobuf parsing failed."
NO_GRAPH = "ModelProto does not have a graph."
NO_GRAPH_LATER, NO_GRAPH_SINCE = "No graph was found in the protobuf.", (1, 31)
KINDS = {ending: ending.removeprefix(".") for ending in listing.MODELS} | archives.KINDS
FETCH = 'Download the file itself: `git lfs pull`, or the "resolve" URL of the hub instead of "raw" or "blob".'


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    yield from _not_looked_at(package)
    for name in package.names:
        suffix = archives.suffix(name) or (name[name.rfind(".") :].lower() if "." in name else "")
        if suffix not in KINDS and suffix not in listing.DATA:
            continue
        try:
            head = package.head(name)
            hit = _onnx(package, target, name, head) if suffix == ".onnx" else _other(name, suffix, head)
        except SourceError as error:
            yield Unknown(f"{name}: {error}", Where(name, "", error.offset))
            continue
        if hit is not None:
            yield hit


def _not_looked_at(package: Package) -> Iterator[Unknown]:
    if package.cut is not None:
        yield Unknown(package.cut)
    for name, what in package.skipped:
        yield Unknown(f"{name} is {what}; it is not looked into", Where(name))
    if not any(map(listing.is_checked, package.names)):
        endings = ", ".join((*listing.MODELS, ".zip"))
        yield Unknown(f"no file here is of a kind that is checked ({endings}, {listing.GENAI_CONFIG}, ...)")


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
    unsure = suffix in archives.KINDS  # something may stand before a zip, and an old tar has no magic
    if (unsure or wanted == "safetensors") and head.kind in ("protobuf", "zeros"):
        return None
    other = head.kind in archives.KINDS.values() and unsure  # many programs open it all the same
    severity = Severity.FATAL if head.kind not in ("protobuf", "text") and not other else Severity.PROBABLE
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
        Fixture(Outcome.FOUND, files=(("a.zip", b""),), expect="empty"),
        Fixture(Outcome.FOUND, files=(("a.tar.gz", b"hello"),), expect="plain text"),
        Fixture(Outcome.UNKNOWN, files=(("notes.txt", "hello"),)),
        Fixture(
            Outcome.CLEAN, '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
        ),
    ),
)
