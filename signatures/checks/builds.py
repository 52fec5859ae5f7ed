"""Which measured builds of ONNX Runtime speak for a target, and what those builds say of the nodes of its models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact import operators
from signatures.artifact.flow import Scope, scopes
from signatures.artifact.ir import Model, Node
from signatures.artifact.node_faults import (
    INPUTS,
    UNKNOWN_OP,
    Fault,
    Types,
    branch_inputs,
    certain_types,
    ruled,
    schema_fault,
)
from signatures.artifact.operators import Table
from signatures.artifact.package import Package
from signatures.artifact.types import key
from signatures.checks import graphs, runtime
from signatures.checks.custom_domain import KNOWN
from signatures.checks.model import Severity, Target, Unknown


class Builds(NamedTuple):
    """`indices` into the table's versions. `sure`: one is the target's version, or they are its two neighbours. `label`
    is for messages."""

    indices: tuple[int, ...]
    sure: bool
    label: str


def of(target: Target) -> Builds:
    """The builds that speak for a target: all of them, and not surely, where its version is not bounded."""
    known = [runtime.numbers(version) or () for version in operators.table().versions]
    version = runtime.onnxruntime(target)
    every = tuple(range(len(known)))
    if version is None:
        return Builds(every, False, "an ONNX Runtime whose version is not known")
    label = "ONNX Runtime " + ".".join(map(str, version))
    same = tuple(index for index in every if known[index][: len(version)] == version)
    if same:
        return Builds(same, True, label)
    newer = [index for index in every if known[index] > version]
    if newer and newer[0]:
        return Builds((newer[0] - 1, newer[0]), True, f"{label} (between two that were measured)")
    return Builds(every if newer else every[-1:], False, f"{label} (not measured)")


def opsets(known: Table, build: int, model: Model) -> dict[str, int]:
    """Version by domain as a build takes them: what the model imports, the last one of a domain counting, and the
    newest of each domain of its own that the model does not import."""
    found = dict(known.imports(build))
    if "ai.onnx" in found:
        found[""] = found.pop("ai.onnx")
    return found | {"" if domain == "ai.onnx" else domain: version for domain, version in model.opsets}


class Judged(NamedTuple):
    """A node that some of the builds refuse. `sure`: all of them do."""

    file: str
    scope: Scope
    node: Node
    fault: Fault
    sure: bool


def faults(package: Package, target: Target) -> Iterator[Judged | Unknown]:
    """Nodes whose operator, arity, attributes or types a build that speaks for the target does not accept, after local
    functions are inlined; of each file the first of each kind and operator."""
    known, builds = operators.table(), of(target)
    for item in graphs.fullest(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        if not model.opsets:
            continue  # `opset-missing`
        imported = {build: opsets(known, build, model) for build in builds.indices}
        told: set[tuple[str, str]] = set()
        sound: set[object] = set()
        for scope, types in typed(model, known, builds.indices[-1], imported[builds.indices[-1]]):
            for node in scope.nodes:
                if node.op == "Constant":
                    continue  # becomes an initializer before anything is checked
                alike = likeness(node, types)
                judged = None
                if node.removed:
                    judged = _idle(scope, node)
                elif alike not in sound:
                    judged = _judge(known, builds, imported, node, types)
                if judged is None:
                    sound.add(alike)
                elif (judged[0].kind, key(node)) not in told:
                    told.add((judged[0].kind, key(node)))
                    yield Judged(name, scope, node, *judged)


def likeness(node: Node, types: Types) -> object:
    """What a node is judged by but its names: nodes that are alike in it are judged alike."""
    ins = tuple(types.get(name, "?") if name else "" for name in node.inputs)
    outs = tuple(types.get(name, "?") if name else "" for name in node.outputs)
    return node.domain, node.op, ins, outs, tuple(node.kinds.items()), ruled(node), branch_inputs(node)


def _judge(
    known: Table, builds: Builds, imported: dict[int, dict[str, int]], node: Node, types: Types
) -> tuple[Fault, bool] | None:
    found = []
    for build in builds.indices:
        opset = imported[build].get(node.domain)
        if opset is None and node.domain not in KNOWN:
            return None  # `custom-domain`
        found.append(_not_imported(node) if opset is None else schema_fault(known, build, node, opset, types))
    refused = [fault for fault in found if fault is not None]
    return (refused[0], len(refused) == len(found)) if refused else None


def _idle(scope: Scope, node: Node) -> tuple[Fault, bool] | None:
    """A node that reads and makes nothing is taken out of the main graph unseen, and refused in a body."""
    if scope.outer is None or scope.graph.function is not None:
        return None
    text = f"NodeProto (name: {node.name}, type: {node.op}) has zero input and zero output."
    return Fault(INPUTS, text, f"{node} has neither inputs nor outputs"), True


def _not_imported(node: Node) -> Fault:
    """A domain that other builds of ONNX Runtime have, and this model does not import."""
    return Fault(UNKNOWN_OP, f"No opset import for domain '{node.domain}'", f"{node.domain} is not imported")


def typed(model: Model, known: Table, build: int, imported: dict[str, int]) -> Iterator[tuple[Scope, Types]]:
    """Every graph of a model with the types that are certain in it."""
    by_scope: dict[int, Types] = {}
    for scope in scopes(model):
        outer = by_scope.get(id(scope.outer), {})
        types = by_scope[id(scope)] = certain_types(scope, known, build, imported, outer)
        yield scope, types


def accepted_by(node: Node, after: Builds, opset: int) -> str | None:
    """The first measured version, newer than all of `after`, whose schemas accept a node."""
    known = operators.table()
    for build in range(after.indices[-1] + 1, len(known.versions)):
        if schema_fault(known, build, node, opset, {}) is None:
            return known.versions[build]
    return None


def had_by(node: Node, after: Builds) -> str | None:
    """The first measured version, newer than all of `after`, that has an operator at all."""
    known = operators.table()
    later = range(after.indices[-1] + 1, len(known.versions))
    return next((known.versions[build] for build in later if known.schemas(build, key(node))), None)


def severity(target: Target, builds: Builds, *, sure: bool) -> Severity | None:
    """How grave it is that the builds refuse a node; None where that stays open. `sure`: all of them do."""
    if sure and builds.sure:
        return Severity.FATAL
    return Severity.PROBABLE if sure and runtime.onnxruntime(target) is None else None
