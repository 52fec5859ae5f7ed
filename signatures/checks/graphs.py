"""What graph checks share: opening the ONNX files of a package, naming a node, sessions that ask for capture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact.flow import Scope, scopes
from signatures.artifact.ir import Graph, Model, Node
from signatures.artifact.package import Package
from signatures.artifact.placement import Table
from signatures.artifact.source import SourceError
from signatures.checks import runtime
from signatures.checks.model import Target, Unknown, Where
from signatures.checks.runtime import Session

MAX_HITS = 200  # of one check on one file; what is wrong 200 times is wrong


def opened(package: Package, *, full: bool = False) -> Iterator[tuple[str, Model] | Unknown]:
    """Each ONNX file as a Model. `full`: with tensor headers. A file that does not open gives an Unknown; which fault
    it has is told by the checks `not-a-model` and `truncated`."""
    for name in package.onnx_names():
        found = model(package, name, full=full)
        yield (name, found) if isinstance(found, Model) else found


def model(package: Package, name: str, *, full: bool = False) -> Model | Unknown:
    try:
        file = package.onnx(name)
        return file.full() if full else file.nodes()
    except SourceError as error:
        return Unknown(f"{name} cannot be read as ONNX: {error}", Where(name, "", error.offset))


def fullest(package: Package) -> Iterator[tuple[str, Model] | Unknown]:
    """Each ONNX file with tensor headers, or, where limits keep those from being read, without them (`partial`)."""
    for name in package.onnx_names():
        whole = model(package, name, full=True)
        found = whole if isinstance(whole, Model) else model(package, name)
        yield (name, found) if isinstance(found, Model) else found


def at(name: str, graph: Graph | None, node: Node) -> Where:
    """Where a node stands: its file, its graph if that is not the main one, and its file offset where known."""
    inside = f" in {graph.path}" if graph is not None and graph.path else ""
    return Where(name, f"{node}{inside}", node.offset)


def called(model: Model) -> frozenset[str]:
    """Names of the local functions that the main graph reaches; the runtimes leave others alone."""
    reached: set[str] = set()
    waiting = [model.graph]
    for graph in waiting:  # grows: bodies, and functions that are called
        for node in graph.nodes:
            waiting.extend(node.graphs.values())
            body = model.functions.get((node.domain, node.op))
            if body is not None and node.op not in reached:
                reached.add(node.op)
                waiting.append(body)
    return frozenset(reached)


class Captured(NamedTuple):
    """A session that asks for graph capture, with its graph."""

    session: Session
    file: str
    model: Model


def captured(package: Package, target: Target) -> Iterator[Captured | Unknown]:
    """Sessions with graph capture on WebGPU whose file is in the package."""
    for session in runtime.sessions(package, target):
        if not session.capture or session.provider != "webgpu":
            continue
        if session.file is None:
            yield Unknown(f"{session.label} asks for graph capture, and its model file is not here")
            continue
        found = model(package, session.file)
        yield Captured(session, session.file, found) if isinstance(found, Model) else found


def captured_scopes(package: Package, target: Target) -> Iterator[tuple[Captured, Table, Scope] | Unknown]:
    """The main graph of every captured session, with the placement table of the target's runtime. Bodies are left out:
    a graph that has one is refused for its control flow, whatever is in it."""
    for item in captured(package, target):
        if isinstance(item, Unknown):
            yield item
            continue
        table = runtime.table(target, "webgpu")
        if table is None:
            yield no_table(target, "webgpu", f"{item.session.label} asks for graph capture")
            continue
        full = model(package, item.file, full=True)
        if isinstance(full, Unknown):
            yield full
            continue
        yield item._replace(model=full), table, scopes(full)[0]


def no_table(target: Target, ep: str, what: str) -> Unknown:
    """Why placement cannot be told."""
    from signatures.artifact.placement import measured

    known = ", ".join(measured(ep)) or "none"
    given = ", ".join(f"{name} {version}" for name, version in target.runtimes) or "no runtime version"
    return Unknown(f"{what}, and where operators run is not known for {given} (measured for {ep}: {known})")
