"""A value that is read and never made, or a cycle.

What it detects
    Node inputs and graph outputs that no node, input, initializer or enclosing graph provides, also in branches and in
    local functions; nodes out of order where ONNX Runtime does not sort them; nodes that wait for each other; functions
    that call themselves; graphs with neither nodes nor outputs.

Why it breaks
    ONNX Runtime resolves every name while loading and refuses what it cannot.

What it cannot tell
    Which of several dangling names the runtime reports first.

Remedy
    Export again; a tool that removed a node forgot its readers.

References
    ONNX IR specification, "Graphs"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Graph, Model, Node
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime, scoping
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Version
from signatures.checks.scoping import Body

REMEDY = "Export again: a node was removed while others still read its output."
NOT_GIVEN = "Node input '{}' is not a graph input, initializer, or output of a previous node."
UNSORTED = "Nodes in a graph must be topologically sorted, however input '{}' of node:"
UNTYPED = "[TypeInferenceError] Input 0 expected to have type but instead is null"
ACYCLIC = "This is an invalid model. Error: the graph is not acyclic."
RECURSION_REFUSED = (1, 27)  # before, a function that calls itself ends the process where it is called
MAX_TOLD = 10


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        if model.has_graph:
            # Outputs are looked up while graphs are built, before nodes are sorted.
            yield from sorted(_model(name, model, version), key=lambda hit: "utput (" not in (hit.predicted_text or ""))


def _model(name: str, model: Model, version: Version | None) -> Iterator[Hit]:
    bodies = {id(body.graph): body for body in scoping.bodies(model)}
    recursive = scoping.recursion(model)
    if recursive is not None:
        yield from _recursion(name, recursive, version, called=any(body.called for body in bodies.values()))
    known: dict[int, frozenset[str]] = {}
    for graph in model.graphs:
        outer = known.get(id(graph.parent), frozenset()) if graph.parent is not None else frozenset()
        if graph.parent is None or any(node.graphs for node in graph.nodes):
            known[id(graph)] = outer | scoping.made(graph)  # for the graphs below it
        body = bodies.get(id(scoping.root(graph)))
        if body is not None and body.graph is graph:
            yield from _function(name, body, _captured(model.graph), version)
        elif body is not None:
            if body.called:
                yield from _below(name, graph, outer, body, version)
        elif graph.parent is not None:
            yield from _below(name, graph, outer, None, version)
        else:
            yield from _main(name, graph, known[id(graph)])


def _recursion(name: str, key: tuple[str, str], version: Version | None, *, called: bool) -> Iterator[Hit]:
    detail = f"the local function {key[1]} calls itself"
    if version is None or version[:2] >= RECURSION_REFUSED:
        text: str | None = "Model local function definitions must not be recursive."
    else:
        text = None
    severity = Severity.FATAL if text or called else Severity.PROBABLE
    yield Hit(Where(name, f"function {key[1]}"), detail, severity, text, "Write the function without recursion.")


def _main(name: str, graph: Graph, known: frozenset[str]) -> Iterator[Hit]:
    missing = [(node, read) for node in graph.nodes for read in node.inputs if read not in known]
    unnamed = any(tensor.sparse is not None and not tensor.name for tensor in graph.tensors)  # told by `raw-size`
    for node, read in missing[:MAX_TOLD]:
        detail = f"{node} reads {read}, which nothing makes"
        text = None if unnamed else NOT_GIVEN.format(read)
        yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY)
    for value in graph.outputs:
        if value.name not in known or not value.name:
            text = f"Graph output ({value.name}) does not exist in the graph."
            where = Where(name, f"output {value.name}")
            yield Hit(where, f"{value.name} is an output that nothing makes", Severity.FATAL, text, REMEDY)
    if not (graph.nodes or graph.outputs or graph.tensors):
        text = "OrtValue indexes should have been populated."
        yield Hit(
            Where(name), "the graph has neither nodes nor outputs", Severity.FATAL, text, "Export the model again."
        )
    stuck = None if missing else cycle(graph)
    if stuck is not None:
        detail = f"{stuck} waits for its own output"
        yield Hit(graphs.at(name, graph, stuck), detail, Severity.FATAL, ACYCLIC, REMEDY)


def _below(name: str, graph: Graph, outer: frozenset[str], body: Body | None, version: Version | None) -> Iterator[Hit]:
    """A branch or loop body: its nodes stand in order, and its outputs are its own."""
    own = scoping.made(graph) - {""}
    for value in graph.outputs:
        if value.name in own:
            continue
        text: str | None = f"Graph output ({value.name}) does not exist in the graph."
        if value.name in outer:
            text = f"Subgraph output ({value.name}) is an outer scope value being returned directly."
        if body is not None:
            text = f"Graph output ({body.inlined(value.name, version)}) does not exist in the graph."
        doubtful = body is not None and value.name in outer
        severity, text = (Severity.PROBABLE, None) if doubtful else (Severity.FATAL, text)
        where = Where(name, f"output {value.name} in {graph.path}")
        yield Hit(where, f"{value.name} is an output that no node of {graph.path} makes", severity, text, REMEDY)
    stuck = cycle(graph)
    if stuck is not None and body is None:
        detail = f"{stuck} waits for its own output"
        yield Hit(graphs.at(name, graph, stuck), detail, Severity.FATAL, ACYCLIC, REMEDY)
        return
    found = _unsorted(graph, set(outer) | scoping.given(graph))
    if found is not None:
        node, slot = found
        text = UNSORTED.format(node.inputs[slot])
        if body is not None and not slot and (version is None or version[:2] >= scoping.INLINED):
            text = UNTYPED
        detail = f"{node} reads {node.inputs[slot]}, which nothing before it makes"
        yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY)


def _captured(graph: Graph) -> set[str]:
    """Names of the main graph that a function may read where it is copied in: no initializers, which constants are."""
    made = {output for node in graph.nodes for output in node.outputs} - scoping.constants(graph)
    return made | {value.name for value in graph.inputs} | {""}


def _function(name: str, body: Body, around: set[str], version: Version | None) -> Iterator[Hit]:
    """A local function: outputs are looked at where it is defined, what its nodes read where it is called."""
    graph = body.graph
    own = {output for node in graph.nodes for output in node.outputs}
    seen: set[str] = set()
    for value in graph.outputs:
        if value.name in own and value.name not in seen:
            seen.add(value.name)
        else:
            text = f"ONNX Schema {body.key[1]}: failed validating the check: !(it.GetName().empty())"
            where = Where(name, f"output {value.name} in {graph.path}")
            detail = f"{value.name} is an output of the local function {body.key[1]} that no node of it makes"
            yield Hit(where, detail, Severity.FATAL, text, REMEDY)
            return
    # Names that the body does not make are left as they are where it is copied in, and may be the main graph's.
    found = _unsorted(graph, scoping.given(graph) | (around - own)) if body.called else None
    if found is not None:
        node, slot = found
        text = NOT_GIVEN.format(node.inputs[slot])
        if not slot and (version is None or version[:2] >= scoping.INLINED):
            text = UNTYPED
        detail = f"{node} reads {node.inputs[slot]}, which nothing before it in the local function makes"
        yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY)


def _unsorted(graph: Graph, known: set[str]) -> tuple[Node, int] | None:
    """The first node, in the order of the file, that reads what is not there yet, and the slot."""
    for node in graph.nodes:
        for slot, read in enumerate(node.inputs):
            if read not in known:
                return node, slot
        known.update(node.outputs)
    return None


def cycle(graph: Graph) -> Node | None:
    """A node that is part of a cycle, None where there is none."""
    waits = scoping.waits(graph)
    left = [len(each) for each in waits]
    readers: dict[int, list[int]] = {}
    for index, each in enumerate(waits):
        for earlier in each:
            readers.setdefault(earlier, []).append(index)
    ready = [index for index, count in enumerate(left) if count == 0]
    done = 0
    while ready:
        index = ready.pop()
        done += 1
        for later in readers.get(index, ()):
            left[later] -= 1
            if left[later] == 0:
                ready.append(later)
    if done == len(graph.nodes):
        return None
    return next(node for index, node in enumerate(graph.nodes) if left[index] > 0)


_HEAD = '<ir_version: 8, opset_import: ["" : 17]> '
_BRANCH = (
    _HEAD
    + """g (bool c, float[2] x) => (float[2] y) {
      y = If (c) < then_branch = t () => (float[2] p) { %s }, else_branch = e () => (float[2] q) { q = Abs (x) } >
    }"""
)
_FUNCTION = (
    '<ir_version: 8, opset_import: ["" : 17, "l" : 1]> g (float[2] x) => (float[2] y) { a = l.F (x)  y = Relu (a) }'
    ' <domain: "l", opset_import: ["" : 17, "l" : 1]> %s (a) => (b) { %s }'
)

CHECK = Check(
    id="dangling",
    title="A value is read that nothing makes, or nodes wait for each other",
    reads="onnx",
    predicts="Node input '<name>' is not a graph input, initializer, or output of a previous node.",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _HEAD + "g (float[2] x) => (float[2] y) { y = Add (x, nope) }", expect="'nope'"),
        Fixture(Outcome.FOUND, _HEAD + "g (float[2] x) => (float[2] y) { a = Relu (x) }", expect="Graph output (y)"),
        Fixture(
            Outcome.FOUND,
            _HEAD + "g (float[2] x) => (float[2] y) { a = Add (x, b)  b = Relu (a)  y = Neg (b) }",
            expect="acyclic",
        ),
        Fixture(Outcome.FOUND, _BRANCH % "p = Relu (q)  q = Abs (x)", expect="topologically sorted, however input 'q'"),
        Fixture(Outcome.FOUND, _BRANCH % "p = Relu (y)", expect="acyclic"),
        Fixture(Outcome.FOUND, _BRANCH % "r = Relu (x)", expect="Graph output (p) does not exist"),
        Fixture(
            Outcome.FOUND, _BRANCH.replace("=> (float[2] p)", "=> (float[2] x)") % "r = Neg (x)", expect="(x) is an"
        ),
        Fixture(
            Outcome.FOUND,
            _FUNCTION.replace("(float[2] y)", "(float[2] y) <float[2] w = {1, 2}>") % ("F", "b = Add (a, w)"),
            expect="Node input 'w' is not",
        ),
        Fixture(Outcome.CLEAN, _FUNCTION % ("F", "b = Add (a, x)")),
        Fixture(Outcome.FOUND, _FUNCTION % ("F", "b = Add (a, ghost)"), expect="'ghost'"),
        Fixture(Outcome.FOUND, _FUNCTION % ("F", "b = Relu (c)  c = Abs (a)"), expect="expected to have type"),
        Fixture(Outcome.FOUND, _FUNCTION % ("F", "c = Relu (a)"), expect="ONNX Schema F"),
        Fixture(Outcome.FOUND, _FUNCTION % ("F", "b = l.F (a)"), expect="must not be recursive"),
        Fixture(Outcome.CLEAN, _FUNCTION % ("Uncalled", "b = Add (a, ghost)")),
        Fixture(Outcome.CLEAN, _HEAD + "g (float[2] x) => (float[2] y) { y = Clip (x, , ) }"),
        Fixture(
            Outcome.CLEAN,
            _HEAD
            + """g (bool c, float[2] x) => (float[2] y) {
              y = If (c) <
                then_branch = t () => (float[2] p) { p = Relu (x) },
                else_branch = e () => (float[2] q) { q = Abs (x) }
              >
            }""",
        ),
    ),
)
