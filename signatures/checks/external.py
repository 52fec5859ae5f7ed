"""What the checks on external data share: every tensor that points at another file, and where that file would be."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath
from typing import NamedTuple

from signatures.artifact.ir import Tensor
from signatures.artifact.package import Package
from signatures.checks import graphs
from signatures.checks.model import Severity, Unknown, Where

MEMORY_MARKER = "_ORT_MEM_ADDR_"


class External(NamedTuple):
    """`listed` is the name that the location has in the package; None where the location leaves it. `is_read`: a node
    reads the tensor or the graph gives it out; the runtimes drop others before they touch the data."""

    file: str
    tensor: Tensor
    location: str
    listed: str | None
    is_read: bool

    @property
    def severity(self) -> Severity:
        return Severity.FATAL if self.is_read else Severity.PROBABLE

    @property
    def where(self) -> Where:
        return Where(self.file, self.tensor.name, self.tensor.offset)


def tensors(package: Package) -> Iterator[External | Unknown]:
    """External tensors of every ONNX file, constants inside nodes included."""
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        read = {port for graph in model.graphs for node in graph.nodes for port in node.inputs}
        read |= {value.name for graph in model.graphs for value in graph.outputs}
        for graph in model.graphs:
            held = [value for node in graph.nodes for value in node.attributes.values() if isinstance(value, Tensor)]
            for tensor in (*graph.tensors, *held):
                if tensor.external is None:
                    continue
                location = tensor.external.get("location", "")
                is_read = tensor in graph.tensors and tensor.name in read
                yield External(name, tensor, location, listed(package, name, location), is_read)


def listed(package: Package, file: str, location: str) -> str | None:
    """The package's name for a location relative to `file`, None where it is no plain path below the file's folder."""
    if escapes(location) or not location:
        return None
    return package.folder(file) + normpath(location.replace("\\", "/"))


def escapes(location: str) -> str | None:
    """Why a location leaves the model's folder, None where it stays."""
    if MEMORY_MARKER in location:
        return "names ONNX Runtime's in-memory data"
    if location.startswith(("/", "\\")):
        return "is an absolute path"
    if len(location) > 1 and location[1] == ":" and location[0].isalpha():
        return "is a path on a Windows drive"
    if "\0" in location:
        return "holds a zero byte"
    depth = 0
    for part in location.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return "leaves the model's folder with .."
    return None


def number(tensor: Tensor, key: str) -> int | None:
    """An offset or length as a number; None where it is absent; raises ValueError where it is no number."""
    value = (tensor.external or {}).get(key)
    if value is None:
        return None
    digits = value.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal() or len(digits.lstrip("0")) > 19 or len(digits) > 200:
        raise ValueError(value)
    return int(value)
