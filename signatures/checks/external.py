"""What the checks on external data share: every tensor that points at another file, and where that path leads.

The rules are those of ONNX Runtime on Linux, measured from 1.16 to 1.32; a backslash is a letter there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact.ir import Tensor
from signatures.artifact.links import Linked, linked
from signatures.artifact.package import Package
from signatures.artifact.places import OUTSIDE, Place
from signatures.checks import graphs, tensors
from signatures.checks.model import Severity, Unknown, Where
from signatures.checks.runtime import Version
from signatures.checks.tensors import Held

MEMORY_MARKER = "*/_ORT_MEM_ADDR_/*"
ENTRIES_FIRST = (1, 24)  # from here on the entries of every initializer are read before the last of a name is taken
ESCAPE_REFUSED = (1, 24)
EXISTENCE_FIRST = (1, 25)  # from here on it is looked whether each data file exists, before any is opened
ABSOLUTE_TAKEN = (1, 19)  # before, an absolute path was put behind the model's folder as well


class External(NamedTuple):
    """`location` up to the first zero byte, as the runtimes read it; `place` where it leads, None where the entries
    name none or name memory."""

    file: str
    held: Held
    location: str
    place: Place | None

    @property
    def tensor(self) -> Tensor:
        return self.held.tensor

    @property
    def name(self) -> str:
        return self.held.label

    @property
    def where(self) -> Where:
        return Where(self.file, self.held.label, self.tensor.offset)

    @property
    def listed(self) -> str | None:
        return self.place.name if self.place is not None else None

    def severity(self, version: Version | None, *, since: Version | None = None) -> Severity:
        """FATAL where the runtime comes to this tensor: it is read, and no later initializer has its name, which only
        versions `since` one do not wait for. In bodies of control flow all are looked at."""
        early = since is not None and version is not None and version[:2] >= since
        if self.held.in_body and since is not None:
            return Severity.FATAL
        if not self.held.is_read:
            return Severity.INFO
        return Severity.FATAL if self.held.counts or early else Severity.INFO


def external(package: Package, version: Version | None) -> Iterator[External | Unknown]:
    """External tensors of every ONNX file, constants inside nodes included."""
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        for held in tensors.held(model):
            found = held.tensor.external
            if found is None:
                continue
            location = found.get("location", "").split("\0")[0]
            place = None
            if found.get("location") and location != MEMORY_MARKER:
                old = version is not None and version[:2] < ABSOLUTE_TAKEN
                place = package.place(name, location.lstrip("/") if old else location)
            yield External(name, held, location, place)


def led_out(package: Package, item: External, version: Version | None) -> Linked | None:
    """Where a link leads data out of the model's folder, in the main graph of a local model and for a version that
    minds it: what `ext-hf-shard-cache` tells of. None for all else."""
    if version is not None and version[:2] < ESCAPE_REFUSED:
        return None
    held, place = item.held, item.place
    if package.root is None or place is None or place.kind != OUTSIDE or not place.linked:
        return None
    if held.node is not None or held.graph.parent is not None or held.graph.function is not None or not held.is_read:
        return None
    found = linked(package.root, item.file, item.location)
    return found if found is not None and found.outside else None


def foreign(location: str) -> bool:
    """Whether Windows takes the location for another path than other systems do."""
    return "\\" in location or (len(location) > 1 and location[1] == ":" and location[0].isalpha())


def escapes(item: External) -> str | None:
    """Why a location leaves the model's folder, None where it stays or where that is not known."""
    location = item.location
    if location == MEMORY_MARKER:
        return "names ONNX Runtime's in-memory data"
    if location.startswith("/"):
        return "is an absolute path"
    if item.place is not None and item.place.is_link and item.held.in_body:
        return "is a symbolic link, in a body of control flow"
    if item.place is not None and item.place.kind == OUTSIDE:
        return (
            "is a symbolic link that leaves the model's folder"
            if item.place.linked
            else ("leaves the model's folder with ..")
        )
    if item.held.in_body and climbs(location):
        return "leaves the model's folder with .."
    if location.startswith("\\") or (foreign(location) and ":" in location):
        return "is an absolute path on Windows"
    if "\\" in location and climbs(location.replace("\\", "/")):
        return "leaves the model's folder with .. on Windows"
    return None


def leaves(location: str) -> bool:
    """Whether a path of a package leads out of it on some system, as it is written."""
    plain = location.replace("\\", "/")
    return plain.startswith("/") or (len(plain) > 1 and plain[1] == ":") or climbs(plain)


def climbs(location: str) -> bool:
    """Whether the path leaves its folder on the way, wherever it ends."""
    depth = 0
    for part in location.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return False


def number(value: str, key: str, version: Version | None) -> int | None:
    """An offset or length as the version reads it; None where it refuses the text. Up to 1.20 as C's strtoll, since
    then as C++ streams do, lengths without a sign and, from 1.23 on, in hexadecimal too."""
    old = version is not None and version[:2] < (1, 21)
    text = value.lstrip(" \t\n\v\f\r") if old else value
    digits = text[1:] if text[:1] == "-" or (old and text[:1] == "+") else text
    if text[:1] == "-" and key == "length" and not old:
        return None
    if not old and key == "length" and text[:2] in ("0x", "0X") and (version is None or version[:2] >= (1, 23)):
        digits = text[2:]
        if digits and len(digits) <= 16 and all(letter in "0123456789abcdefABCDEF" for letter in digits):
            return int(digits, 16)
        return None
    if not digits.isascii() or not digits.isdecimal():
        return None
    digits = digits.lstrip("0") or "0"
    found = int(digits) if len(digits) < 40 else 1 << 100
    found = -found if text[:1] == "-" else found
    if old:
        return max(-MAX_NUMBER - 1, min(MAX_NUMBER, found))
    limit = 2 * MAX_NUMBER + 1 if key == "length" else MAX_NUMBER
    return found if -MAX_NUMBER - 1 <= found <= limit else None


MAX_NUMBER = (1 << 63) - 1
