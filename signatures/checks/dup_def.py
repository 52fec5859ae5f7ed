"""One name that is defined twice in one graph of the file.

What it detects
    Two node outputs with one name, or a node output named like an initializer or an input of the same graph, in called
    local functions too; two inputs with one name; a branch that makes a name again which is there before it;
    initializers of one name that differ in type or shape.

Why it breaks
    A graph is in single-assignment form; ONNX Runtime refuses it while loading.

What it cannot tell
    A branch and a node beside it that make one name load or fail depending on the order ONNX Runtime sorts them in:
    UNKNOWN. Two initializers of one name that agree load and are not reported.

Remedy
    Rename one of the two; a tool that merged graphs usually forgot a prefix.

References
    ONNX IR specification, "Static single assignment"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Graph, Model, Node, Value, dtype_name
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime, scoping
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.runtime import Version
from signatures.checks.scoping import Body

REMEDY = "Rename one of the two definitions; merged graphs need a prefix of their own."
SSA = "Graph must be in single static assignment (SSA) form, however '{}' has been used as output names multiple times."
CONSTANTS_COUNT = (1, 17)  # before, constants of a branch are initializers by the time that it is looked at
UNIQUE_FUNCTIONS = (1, 31)  # before, the first of two local functions counts
MAX_TOLD = 20


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    version = runtime.onnxruntime(target)
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        bodies = {id(body.graph): body for body in scoping.bodies(model)}
        yield from _functions(name, model, version)
        for graph in model.graphs:
            body = bodies.get(id(scoping.root(graph)))
            if body is None or body.called:
                yield from _graph(name, graph, body, version)
        yield from _shadowed(name, model, version)


def _functions(name: str, model: Model, version: Version | None) -> Iterator[Hit]:
    for key in model.repeated_functions:
        if version is not None and version[:2] < UNIQUE_FUNCTIONS:
            continue
        text = f"Duplicate model-local function identifier: {key[0]}:{key[1]}"
        severity = Severity.FATAL if version is not None else Severity.PROBABLE
        yield Hit(Where(name, f"function {key[1]}"), f"{key[1]} names two local functions", severity, text, REMEDY)


def _graph(name: str, graph: Graph, body: Body | None, version: Version | None) -> Iterator[Hit]:
    ports = [value.name for value in graph.inputs]
    twice = next((port for number, port in enumerate(ports) if port in ports[:number]), None) if body is None else None
    if twice is not None:
        text = f"Error: Duplicate definition-site for ({twice})."
        where = Where(name, f"input {twice}{' in ' + graph.path if graph.path else ''}")
        yield Hit(where, f"{twice} names two inputs of the graph", Severity.FATAL, text, REMEDY, (("name", twice),))
        return
    for node, output, what in list(_twice(graph))[:20]:
        label = body.inlined(output, version) if body is not None else output
        text = f"This is an invalid model. Error: Duplicate definition of name ({label}"
        text += ")." if body is None or body.call is not None else ""
        if not graph.path:
            text = f"{name.rsplit('/', 1)[-1]} failed:{text}"
        detail = f"{output} is defined by {node} and {what}"
        yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY, (("name", output),))
    yield from _initializers(name, graph)


def _initializers(name: str, graph: Graph) -> Iterator[Hit]:
    """Initializers of one name load where they agree, in the main graph; so does one that is an input too."""
    first: dict[str, Value] = {value.name: value for value in graph.inputs}
    inputs = set(first)
    sparse: set[str] = set()
    for tensor in graph.tensors:
        earlier = first.setdefault(tensor.name, Value(tensor.name, tensor.dtype, tensor.dims))
        where = Where(name, tensor.name, tensor.offset)
        if tensor.sparse is not None and tensor.name in sparse:
            text = f"Duplicate sparse_tensor_initializer: '{tensor.name}'"
            yield Hit(where, f"{tensor.name} names two sparse initializers", Severity.FATAL, text, REMEDY)
        sparse |= {tensor.name} if tensor.sparse is not None else set()
        if graph.parent is not None and earlier.dims is not tensor.dims and tensor.name not in inputs:
            text = f"{tensor.name} initializer name is not unique"
            yield Hit(where, f"{tensor.name} names two initializers of {graph.path}", Severity.FATAL, text, REMEDY)
        elif earlier.dtype is not None and earlier.dtype != tensor.dtype:
            text = f"Type Error: Data in initializer '{tensor.name}' has element type"
            detail = f"{tensor.name} is {dtype_name(earlier.dtype)} and {dtype_name(tensor.dtype)}"
            yield Hit(where, detail, Severity.FATAL, text, REMEDY)
        elif earlier.dims is not None and not _agree(earlier.dims, tensor.dims):
            text = f"Type Error: Shape of initializer {tensor.name} does not match."
            detail = f"{tensor.name} has the shapes {list(earlier.dims)} and {list(tensor.dims)}"
            yield Hit(where, detail, Severity.FATAL, text, REMEDY)


def _agree(declared: tuple[int | None, ...], dims: tuple[int, ...]) -> bool:
    return len(declared) == len(dims) and all(a is None or a == b for a, b in zip(declared, dims, strict=True))


def _twice(graph: Graph) -> Iterator[tuple[Node, str, str]]:
    made: dict[str, str] = {value.name: "is a graph input" for value in graph.inputs}
    made.update((tensor.name, "is an initializer") for tensor in graph.tensors)
    # Constants become initializers while loading, and initializers may repeat.
    constants = [node for node in graph.nodes if node.op == "Constant"]
    made.update((name, f"by {node}") for node in constants for name in node.outputs)
    for node in graph.nodes:
        if node.op == "Constant":
            continue
        for output in node.outputs:
            if not output:
                continue
            if output in made:
                yield node, output, made[output]
            made[output] = f"by {node}"


def _shadowed(name: str, model: Model, version: Version | None) -> Iterator[Hit | Unknown]:
    """Node outputs in bodies of control flow named like a value of a graph around them. The main graph is sorted first,
    so that a value counts where the node needs it, and is not known to count where it does not."""
    if not any(node.graphs for node in model.graph.nodes):
        return
    needed = scoping.waits(model.graph)
    start = frozenset(scoping.given(model.graph) | scoping.constants(model.graph)) - {""}
    makers = {output: at for at, node in enumerate(model.graph.nodes) for output in node.outputs if output}
    for index, node in enumerate(model.graph.nodes):
        if not node.graphs:
            continue
        needs = scoping.before(needed, index)
        sure = start | {output for at in needs for output in model.graph.nodes[at].outputs}
        told = 0
        for graph, inner, output, clashes in _redefined(node, sure):
            where = graphs.at(name, graph, inner)
            if inner.op == "Constant" and version is not None and version[:2] < CONSTANTS_COUNT:
                continue
            if clashes and told < MAX_TOLD:
                told += 1
                detail = f"{output} is made by {inner} and by a graph around it"
                yield Hit(where, detail, Severity.FATAL, SSA.format(output), REMEDY, (("name", output),))
            elif output in makers and index not in {makers[output], *scoping.before(needed, makers[output])}:
                yield Unknown(f"{output} is made by {inner} and in the main graph, in an order of the runtime's", where)


def _redefined(node: Node, outer: frozenset[str]) -> Iterator[tuple[Graph, Node, str, bool]]:
    """Outputs of nodes below a node, and whether each is taken already; nodes of a body stand in order."""
    waiting = [(body, outer) for body in node.graphs.values()]
    while waiting:
        body, around = waiting.pop()
        here = set(around) | (scoping.given(body) - {""})
        for inner in body.nodes:
            waiting += [(deeper, frozenset(here)) for deeper in inner.graphs.values()]
            for output in filter(None, inner.outputs):
                yield body, inner, output, output in here
                here.add(output)


_HEAD = '<ir_version: 8, opset_import: ["" : 17]> '
_BRANCH = (
    _HEAD
    + """g (bool c, float[2] x) => (float[2] y) {
      a = Neg (x)
      z = If (c) <
        then_branch = t () => (float[2] p) { %s = Relu (x)  p = Neg (x) }, else_branch = e () => (float[2] q) { q = %s }
      >
      y = Add (a, z)
    }"""
)

CHECK = Check(
    id="dup-def",
    title="A name is defined twice in the file",
    reads="onnx",
    predicts="Load model from <path> failed:This is an invalid model. Error: Duplicate definition of name (<name>).",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            _HEAD + "g (float[2] x) => (float[2] y) { a = Relu (x)  a = Abs (x)  y = Neg (a) }",
            expect="(a)",
        ),
        Fixture(Outcome.FOUND, _HEAD + "g (float[2] x) => (float[2] y) { x = Relu (x)  y = Neg (x) }", expect="(x)"),
        Fixture(
            Outcome.FOUND, _HEAD + "g (float[2] x, float[2] x) => (float[2] y) { y = Neg (x) }", expect="site for (x)"
        ),
        Fixture(
            Outcome.FOUND,
            _HEAD + "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}, float[1] w = {1}> { y = Add (x, w) }",
            expect="Shape of initializer w",
        ),
        Fixture(Outcome.FOUND, _BRANCH % ("a", "Abs (a)"), expect="however 'a' has been"),
        Fixture(Outcome.FOUND, _BRANCH % ("x", "Abs (x)"), expect="however 'x' has been"),
        Fixture(Outcome.UNKNOWN, _BRANCH % ("a", "Abs (x)")),
        Fixture(Outcome.CLEAN, _BRANCH % ("b", "Abs (a)")),
        Fixture(
            Outcome.FOUND,
            '<ir_version: 8, opset_import: ["" : 17, "l" : 1]> g (float[2] x) => (float[2] y) { y = l.F (x) }'
            ' <domain: "l", opset_import: ["" : 17]> F (a) => (b) { c = Relu (a)  c = Abs (a)  b = Neg (c) }',
            expect="(_inlfunc_F_c)",
        ),
        Fixture(Outcome.CLEAN, _HEAD + "g (float[2] x) => (float[2] y) { a = Relu (x)  y = Neg (a) }"),
    ),
)
