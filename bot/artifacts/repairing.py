"""`triage artifact --fix`: a repaired copy of a local artifact, each change told, the source never written to.

What is repaired is what can be shown to keep the model's meaning: baked copies are taken out, and graph capture is
switched off where the runtime would refuse it. The copy appears under its name when it is complete, or not at all.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from bot.artifacts.checked import Checked, check
from bot.errors import InputError
from bot.fetch import Opened
from signatures.artifact.package import MAX_CONFIG_BYTES, Entry, Package
from signatures.artifact.repair import Repair, RepairedSource, repair_copies
from signatures.artifact.repair_config import Option, capture_options, edited
from signatures.artifact.rewiring import NotProvable
from signatures.artifact.source import BytesSource, SourceError
from signatures.checks import run_checks, runtime
from signatures.checks.memcpy_baked import copies
from signatures.checks.model import Severity, Target

CAPTURE_CHECKS = ("gc-controlflow", "gc-cpu-op", "gc-shape-to-gpu", "gc-int64")


class Edit(NamedTuple):
    """One change: in which file, where in it, what stood there and what stands there now."""

    file: str
    where: str
    before: str
    after: str


class Repaired(NamedTuple):
    """`checked`: what the checks say of the repaired artifact. `beside`: files that must stand beside a lone model."""

    out: str
    edits: tuple[Edit, ...]
    checked: Checked
    beside: tuple[str, ...]


def repair(ref: str, out: str, target: Target) -> Repaired | None:
    """Writes the repaired artifact to `out`; None where there is nothing to repair, and then nothing is written.

    Raises InputError for what cannot be read, written or shown to be safe."""
    _may_write(ref, out)
    try:
        with Package.from_path(ref) as package:
            return _repair(package, ref, out, target)
    except NotProvable as error:
        raise InputError(f"{ref} is not repaired: {error}; nothing was written.") from None
    except SourceError as error:
        raise InputError(f"{error.name or ref}: {error}; nothing was written.") from None


def _may_write(ref: str, out: str) -> None:
    if not os.path.exists(ref):
        raise InputError(f"--fix repairs a file or folder of this computer, and {ref} is none; fetch it first.")
    if os.path.lexists(out):
        raise InputError(f"{out} exists already; --fix writes a new {'folder' if os.path.isdir(ref) else 'file'}.")
    above = os.path.realpath(os.path.dirname(os.path.abspath(out)))
    if not os.path.isdir(above):
        raise InputError(f"there is no folder {os.path.dirname(os.path.abspath(out))} to write {out} into.")
    if not os.path.isdir(ref):
        if not ref.lower().endswith(".onnx"):
            raise InputError(f"{ref} is no .onnx file; --fix repairs ONNX models and folders of them.")
        return
    source = os.path.realpath(ref)
    if os.path.commonpath((source, above)) == source:
        raise InputError(f"{out} is inside {ref}, and the source is never written to.")
    for folder, below, _ in os.walk(ref):
        linked = next((name for name in below if os.path.islink(os.path.join(folder, name))), None)
        if linked is not None:
            raise InputError(f"{os.path.join(folder, linked)} is a linked folder; give --fix a folder without them.")


def _repair(package: Package, ref: str, out: str, target: Target) -> Repaired | None:
    if not package.complete:
        raise InputError(f"{ref} holds too many files to be copied.")
    for name, what in package.skipped[:1]:
        raise InputError(f"{ref} is not copied: {name} in it is {what}.")
    repairs = dict(_models(package))
    mended = _overlay(package, repairs, {})
    edits = [
        Edit(name, change.graph, change.before, change.after) for name, one in repairs.items() for change in one.changes
    ]
    texts: dict[str, bytes] = {}
    for name, data, options in _config(mended, target):
        texts[name] = edited(data, options)
        edits += [Edit(name, option.path, option.before, option.after) for option in options]
    if not edits:
        return None
    mended = _overlay(package, repairs, texts)
    checked = check(Opened(mended, None, ""), target)
    beside = () if os.path.isdir(ref) else _beside(package)
    _write(package, ref, out, repairs, texts)
    return Repaired(out, tuple(edits), checked, beside)


def _models(package: Package) -> Iterator[tuple[str, Repair]]:
    for name in package.onnx_names():
        if copies(package.onnx(name).full()):
            made = repair_copies(package.window(name))
            if made.changes:
                yield name, made


def _config(package: Package, target: Target) -> Iterator[tuple[str, bytes, list[Option]]]:
    """(file, its bytes, options to change) of the package's configuration."""
    name = package.genai_config_name()
    config = package.genai_config()
    if name is None or config is None or config.root is None:
        return
    data = package.open(name).read(0, MAX_CONFIG_BYTES)
    # A value that is not taken may mean that capture is on: what that leads to is asked of the package as meant.
    meant = _overlay(package, {}, {name: edited(data, capture_options(config, data, runtime.CAPTURE_KEYS, ()))})
    refused = {
        hit.where.file
        for result in run_checks(meant, target, CAPTURE_CHECKS)
        for hit in result.hits
        if hit.severity is Severity.FATAL
    }
    off = [s.label for s in runtime.sessions(meant, target) if s.capture and s.file in refused]
    options = capture_options(config, data, runtime.CAPTURE_KEYS, off)
    if options:
        yield name, data, options


def _overlay(package: Package, repairs: dict[str, Repair], texts: dict[str, bytes]) -> Package:
    """The artifact as it will be, without being written."""

    def entry(name: str, old: Entry) -> Entry:
        if name in repairs:
            made = repairs[name]
            return Entry(name, made.size, None, lambda: RepairedSource(made, package.open(name)))
        if name in texts:
            data = texts[name]
            return Entry(name, len(data), None, lambda: BytesSource(data, name))
        return old

    mended = Package(package.ref, [entry(name, old) for name, old in package.entries.items()])
    mended.subject, mended.look = package.subject, package.look
    return mended


def _beside(package: Package) -> tuple[str, ...]:
    """Files with data of a lone model."""
    found: dict[str, None] = {}
    for name in package.onnx_names():
        for graph in package.onnx(name).full().graphs:
            for tensor in graph.tensors:
                if tensor.external:
                    found.setdefault(tensor.external.get("location", ""))
    return tuple(found)


def _stream(path: str, chunks: Iterable[bytes], size: int) -> None:
    """A file from its parts. Zeros are skipped over, so that what was a hole stays one."""
    with open(path, "xb") as file:
        for chunk in chunks:
            if chunk.count(0) == len(chunk):
                file.seek(len(chunk), os.SEEK_CUR)
            else:
                file.write(chunk)
        file.truncate(size)


def _write(package: Package, ref: str, out: str, repairs: dict[str, Repair], texts: dict[str, bytes]) -> None:
    """Everything under a name of its own, which becomes `out` when all is there."""
    partial = f"{os.path.abspath(out)}.partial-{secrets.token_hex(4)}"
    folder = os.path.isdir(ref)
    remove: Callable[[str], None] = shutil.rmtree if folder else os.unlink
    try:
        for name in package.names:
            path = os.path.join(partial, *name.split("/")) if folder else partial
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if name in repairs:
                _stream(path, repairs[name].chunks(package.window(name)), repairs[name].size)
            elif name in texts:
                with open(path, "xb") as file:
                    file.write(texts[name])
            else:
                shutil.copyfile(os.path.join(ref, *name.split("/")), path)
        if os.path.lexists(out):
            raise InputError(f"{out} appeared meanwhile; nothing was written.")
        os.rename(partial, out)
    except BaseException:
        if os.path.lexists(partial):
            remove(partial)
        raise
