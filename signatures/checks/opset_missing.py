"""A model that does not say which operator sets it uses.

What it detects
    A file without any opset import, an import of version 0, local functions that use a domain they do not import, and,
    for information, nodes of ai.onnx or ai.onnx.ml where that domain is not imported.

Why it breaks
    ONNX Runtime cannot look the operators up.

What it cannot tell
    Whether other domains are known to a custom operator library.

Remedy
    Export again with an exporter that writes opset imports; or add the import that the graph was made for.

References
    ONNX IR specification, "Operator sets"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Model, folded
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime, scoping
from signatures.checks.custom_domain import KNOWN
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Version

REMEDY = "Add the opset import that the graph was made for, or export again."
ZERO_REFUSED = (1, 32)  # a local function's import of version 0; -1 always was
NONE = "Missing opset in the model. All ModelProtos MUST have at least one entry"


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        if not model.has_graph:
            continue
        if not model.opsets:
            yield Hit(Where(name, "opset_import"), "the file imports no operator set", Severity.FATAL, NONE, REMEDY)
            continue
        yield from _defaulted(name, model)
        yield from _without_version(name, model)
        yield from _unimported(name, model)
        yield from _functions(name, model, version)


def _defaulted(name: str, model: Model) -> Iterator[Hit]:
    imported = {folded(domain) for domain, _ in model.opsets}
    for graph, node in model.nodes():
        if node.domain in ("", "ai.onnx.ml") and node.domain not in imported and graph.function is None:
            detail = f"{node.domain or 'ai.onnx'} is not imported: ONNX Runtime takes the newest version that it has"
            yield Hit(graphs.at(name, graph, node), detail, Severity.INFO, None, REMEDY)
            return


def _without_version(name: str, model: Model) -> Iterator[Hit]:
    """An import of version 0 or below names no version, and operators are not found in it."""
    for graph, node in model.nodes():
        if node.removed:
            continue
        version = model.opset(node.domain) if node.domain in ("", "ai.onnx.ml") else None
        if version is not None and version <= 0 and graph.function is None:
            detail = f"{node.domain or 'ai.onnx'} is imported with version {version}"
            text = f"with domain_version of {version}"
            yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY)
            return


def _unimported(name: str, model: Model) -> Iterator[Hit]:
    """Domains of local functions are imported as others are."""
    imported = {folded(domain) for domain, _ in model.opsets} | KNOWN
    for graph, node in model.nodes():
        called = node.domain not in imported and (node.domain, node.op) in model.functions
        if called and graph.function is None:
            text = f"No opset import for domain '{node.domain}'"
            detail = f"{node.domain}, the domain of the local function {node.op}, is not imported"
            yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY)
            return


def _functions(name: str, model: Model, version: Version | None) -> Iterator[Hit]:
    """Local functions have imports of their own, compared as they are spelled."""
    imports = {key: dict(pairs) for key, pairs in model.function_opsets}
    owners = {id(body): key for key, body in model.functions.items()}
    told = set()
    for graph, node in model.nodes():
        key = owners.get(id(scoping.root(graph)))
        if key is None or key in told:
            continue
        domain, found = node.domain, imports[key].get(node.domain)
        if found is not None and (found > 0 or (found == 0 and (version is None or version[:2] < ZERO_REFUSED))):
            continue
        told.add(key)
        what = f"does not import {domain or 'ai.onnx'}" if found is None else f"imports version {found}"
        text = f"No opset registered for domain {domain} in function"
        if found is not None and version is not None and version[:2] >= ZERO_REFUSED:
            text = f"Invalid opset version for domain {domain} in function"
        spelled = not domain and "ai.onnx" in imports[key]  # how the node spells it is not kept
        severity = Severity.PROBABLE if spelled or (found or 0) < -1 else Severity.FATAL
        detail = f"the local function {key[1]} {what}, of which it uses {node.op}"
        yield Hit(graphs.at(name, graph, node), detail, severity, " ".join(text.split()), REMEDY)


_GRAPH = "<ir_version: 8, opset_import: [%s]> g (float[2] x) => (float[2] y) { y = Relu (x) }"

CHECK = Check(
    id="opset-missing",
    title="The model does not import the operator sets it uses",
    reads="onnx",
    predicts="Missing opset in the model",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND, "<ir_version: 8> g (float[2] x) => (float[2] y) { y = Relu (x) }", expect="Missing opset"
        ),
        Fixture(Outcome.FOUND, _GRAPH % '"ai.onnx.ml" : 3', expect="takes the newest"),
        Fixture(Outcome.FOUND, _GRAPH % '"" : 0', expect="domain_version of 0"),
        Fixture(
            Outcome.FOUND,
            _GRAPH % '"" : 17' + ' <domain: "l", opset_import: ["m" : 1]> F (a) => (b) { b = Relu (a) }',
            expect="No opset registered for domain in function",
        ),
        Fixture(
            Outcome.CLEAN, '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }'
        ),
    ),
)
