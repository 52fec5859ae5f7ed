"""A local function, or a call of one, that the runtime refuses as it stands.

What it detects
    Nodes in local functions with more inputs or outputs than their operator has, by the function's own opset imports,
    in functions that are called and in those that are not; calls that pass or take more values than the function has,
    or whose domain the model does not import.

Why it breaks
    ONNX Runtime makes a schema of every local function at load, used or not. From 1.31.0 on it also compares the counts
    of all nodes in them.

What it cannot tell
    Calls with fewer values than the function has, which are allowed where the body copes. Operators that do not exist
    at the function's import: their nodes are looked up at the model's import when they are inlined (`unknown-op`).

Remedy
    Let the function import the opset its body was written for, and the model the same one.

References
    measured on builds 1.16.3 to 1.32.0
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact import operators
from signatures.artifact.ir import Graph, Model, Node
from signatures.artifact.operators import Schema
from signatures.artifact.package import Package
from signatures.artifact.types import key
from signatures.checks import builds, graphs
from signatures.checks.builds import Builds
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Write the function's body for the opset that the function imports, and call it with the values it declares."
COUNTS_SINCE = "1.31.0"  # the release that compares the counts of every node in a function
TOO_MANY = "Number of actual parameters cannot exceed number of formal parameters"


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    speak = builds.of(target)
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        yield from _calls(name, model)
        for function, pairs in model.function_opsets:
            imports = {"" if domain == "ai.onnx" else domain: version for domain, version in pairs}
            yield from _body(name, model, function, imports, speak)


def _calls(name: str, model: Model) -> Iterator[Hit]:
    """Calls are looked at when they are inlined: those of the main graph, and those in functions that are called."""
    waiting, seen = [model.graph], {id(model.graph)}
    imported = {domain for domain, _ in model.opsets} | {"", *operators.table().domains}
    for start in waiting:  # grows: functions that are called
        for graph, node in _nodes(start):
            body = model.functions.get((node.domain, node.op))
            if body is not None and id(body) not in seen:
                seen.add(id(body))
                waiting.append(body)
            if body is None:
                continue
            if start is model.graph and node.domain not in imported:
                detail = f"{node} calls a local function of {node.domain}, which the model does not import"
                text = f"No opset import for domain '{node.domain}'"
                yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY)
            yield from _call(name, graph, node, body)


def _call(name: str, graph: Graph, node: Node, body: Graph) -> Iterator[Hit]:
    for what, given, formal in (("inputs", node.inputs, body.inputs), ("outputs", node.outputs, body.outputs)):
        if len(given) > len(formal):
            detail = f"{node} has {len(given)} {what}, and the local function has {len(formal)}"
            text = TOO_MANY if what == "inputs" else f"output arg ({given[len(formal)]}) type inference failed"
            yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY)
            return


def _body(
    name: str, model: Model, function: tuple[str, str], imports: dict[str, int], speak: Builds
) -> Iterator[Hit | Unknown]:
    body = model.functions[function]
    for graph, node in _nodes(body):
        if (node.domain, node.op) in model.functions or node.domain not in imports:
            continue
        opset = imports[node.domain]
        texts = [_count(build, graph is body, node, opset, function[1]) for build in speak.indices]
        if not any(texts):
            continue
        where = graphs.at(name, graph, node)
        detail = f"{node} does not have the number of inputs and outputs of {node.op} at opset {opset}"
        if all(texts) and speak.sure:
            yield Hit(where, detail, Severity.FATAL, texts[-1], REMEDY, (("op", node.op),))
        elif all(texts):
            yield Hit(where, detail, Severity.PROBABLE, texts[-1], REMEDY, (("op", node.op),))
        else:
            yield Unknown(f"{detail}, which not every ONNX Runtime minds", where)
        return


def _nodes(body: Graph) -> Iterator[tuple[Graph, Node]]:
    waiting = [body]
    for graph in waiting:  # grows: bodies of bodies
        for node in graph.nodes:
            yield graph, node
            waiting.extend(node.graphs.values())


def _count(build: int, top: bool, node: Node, opset: int, function: str) -> str | None:
    """What a build prints about the counts of a node in a function, None where it does not mind them."""
    known = operators.table()
    schema = known.schema(build, key(node), opset)
    if schema is None or node.op == "Constant":  # which may be of any domain, and is counted in its own alone
        return None
    if build >= known.versions.index(COUNTS_SINCE):
        rows = (("input", len(node.inputs), schema.inputs), ("output", len(node.outputs), schema.outputs))
        for what, count, (low, high) in rows:
            if not low <= count <= high:
                told = f"expected {low} to {high}, got {count}"
                return f"Invalid {what} count for op {node.op} in function {function}: {told}"
        return None
    return _past_the_last(schema, node, top)


def _past_the_last(schema: Schema, node: Node, top: bool) -> str | None:
    """Earlier releases look only whether each value has a formal one."""
    if len(node.inputs) > len(schema.ins) and schema.formal(len(node.inputs) - 1) is None:
        return f"Too many inputs for op {node.op}"
    if top and len(node.outputs) > len(schema.outs) and schema.formal(len(node.outputs) - 1, output=True) is None:
        return "vector::_M_range_check: __n"
    return None


_GRAPH = (
    '<ir_version: 8, opset_import: ["" : 17, "l" : 1]> g (float[2] x) => (float[2] y) { y = %s } '
    '<domain: "l", opset_import: ["" : 17]> F (a) => (b) { b = %s }'
)


def _with(version: str) -> Target:
    return Target((("onnxruntime", version),))


CHECK = Check(
    id="local-function",
    title="A local function that the runtime refuses",
    reads="onnx",
    predicts="Invalid input count for op <op> in function <f> / Too many inputs for op <op>",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            _GRAPH % ("Relu (x)", "Add (a)"),
            target=_with("1.32.0"),
            expect="Invalid input count for op Add in function F: expected 2 to 2, got 1",
        ),
        Fixture(Outcome.CLEAN, _GRAPH % ("Relu (x)", "Add (a)"), target=_with("1.20.1")),
        Fixture(Outcome.UNKNOWN, _GRAPH % ("Relu (x)", "Add (a)")),
        Fixture(Outcome.FOUND, _GRAPH % ("Relu (x)", "Relu (a, a)"), target=_with("1.20.1"), expect="Too many inputs"),
        Fixture(Outcome.FOUND, _GRAPH % ("l.F (x, x)", "Relu (a)"), expect="actual parameters cannot exceed"),
        Fixture(Outcome.CLEAN, _GRAPH % ("l.F (x)", "Relu (a)"), target=_with("1.32.0")),
    ),
)
