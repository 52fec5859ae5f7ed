"""One name that is defined twice in one graph of the file.

What it detects
    Two node outputs with one name, or a node output named like an initializer or an input of the same graph.

Why it breaks
    A graph is in single-assignment form; ONNX Runtime refuses it while loading.

What it cannot tell
    Names that a subgraph takes from outside load or fail depending on the order ONNX Runtime sorts them in, and are not
    judged; two initializers of one name load and are not reported.

Remedy
    Rename one of the two; a tool that merged graphs usually forgot a prefix.

References
    ONNX IR specification, "Static single assignment"
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Graph, Node
from signatures.artifact.package import Package
from signatures.checks import graphs
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Rename one of the two definitions; merged graphs need a prefix of their own."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for item in graphs.opened(package, full=True):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        for graph in model.graphs:
            if graph.function is not None:
                continue  # a local function is only looked at where it is called
            for node, output, what in list(_twice(graph))[:20]:
                text = f"This is an invalid model. Error: Duplicate definition of name ({output})."
                if not graph.path:
                    text = f"{name.rsplit('/', 1)[-1]} failed:{text}"
                detail = f"{output} is defined by {node} and {what}"
                yield Hit(graphs.at(name, graph, node), detail, Severity.FATAL, text, REMEDY, (("name", output),))


def _twice(graph: Graph) -> Iterator[tuple[Node, str, str]]:
    made: dict[str, str] = {value.name: "is a graph input" for value in graph.inputs}
    made.update((tensor.name, "is an initializer") for tensor in graph.tensors)
    # Constants become initializers while loading, and initializers may repeat.
    constants = [node for node in graph.nodes if node.op == "Constant" and not node.domain]
    made.update((name, f"by {node}") for node in constants for name in node.outputs)
    for node in graph.nodes:
        if node.op == "Constant" and not node.domain:
            continue
        for output in node.outputs:
            if not output:
                continue
            if output in made:
                yield node, output, made[output]
            made[output] = f"by {node}"


_HEAD = '<ir_version: 8, opset_import: ["" : 17]> '

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
        Fixture(Outcome.CLEAN, _HEAD + "g (float[2] x) => (float[2] y) { a = Relu (x)  y = Neg (a) }"),
    ),
)
