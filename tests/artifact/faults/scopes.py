"""Branches, loop bodies and local functions: what they may read, redefine and leave out."""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from onnx import TensorProto, helper

from signatures.artifact.varint import field, varint
from tests.artifact.faults.case import Case, done, floats, model, node, port
from tests.artifact.faults.graphs import BODIES

BOOL, INT64 = TensorProto.BOOL, TensorProto.INT64
CONDITION = port("c", BOOL, [])


def body(
    nodes: list[onnx.NodeProto],
    makes: str = "p",
    name: str = "b",
    tensors: tuple[onnx.TensorProto, ...] = (),
    inputs: tuple[onnx.ValueInfoProto, ...] = (),
) -> onnx.GraphProto:
    graph = onnx.GraphProto(name=name)
    graph.node.extend(nodes)
    graph.initializer.extend(tensors)
    graph.input.extend(inputs)
    graph.output.extend(port(each) for each in makes.split())
    return graph


OTHER = body([node("Abs", "x", "q")], "q", "e")


def branch(
    then: onnx.GraphProto,
    *,
    before: tuple[onnx.NodeProto, ...] = (),
    after: tuple[onnx.NodeProto, ...] = (),
    other: onnx.GraphProto = OTHER,
    makes: str = "y",
    named: str = "",
    tensors: tuple[onnx.TensorProto, ...] = (),
) -> onnx.ModelProto:
    one = helper.make_node("If", ["c"], makes.split(), name=named, then_branch=then, else_branch=other)
    return model([*before, one, *after], tensors, inputs=[CONDITION, port("x")])


def nested(depth: int) -> bytes:
    """Branches in branches, by hand: the Python parser stops at a depth of its own."""
    made = model([], inputs=[CONDITION, port("x")], outputs=[port("p")])
    other = field(5, field(1, b"else_branch") + field(6, OTHER.SerializeToString()) + varint(20 << 3) + varint(5))
    out = field(12, port("p").SerializeToString())
    graph = field(1, node("Exp", "x", "p").SerializeToString()) + field(2, b"t") + out
    for _ in range(depth):
        then = field(5, field(1, b"then_branch") + field(6, graph) + varint(20 << 3) + varint(5))
        one = field(1, b"c") + field(2, b"p") + field(4, b"If") + then + other
        graph = field(1, one) + field(2, b"t") + out
    ports = b"".join(field(11, each.SerializeToString()) for each in made.graph.input)
    return varint(8) + varint(8) + field(7, graph + ports) + field(8, varint(16) + varint(17))


def loop(nodes: list[onnx.NodeProto], makes: str = "k p") -> onnx.ModelProto:
    inside = onnx.GraphProto(name="l")
    inside.node.extend(nodes)
    inside.input.extend([port("i", INT64, []), port("k0", BOOL, []), port("v")])
    inside.output.extend([port(makes.split()[0], BOOL, []), port(makes.split()[1])])
    one = helper.make_node("Loop", ["n", "c", "x"], ["y"], body=inside)
    return model([one], inputs=[port("n", INT64, []), CONDITION, port("x")])


def parsed(source: str) -> list[onnx.NodeProto]:
    return list(
        onnx.parser.parse_model(
            '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { ' + source + " }"
        ).graph.node
    )


def _branches() -> Iterator[Case]:
    relu, neg = node("Relu", "x", "h"), node("Neg", "x", "h")
    for name, source in BODIES.items():
        try:
            nodes = parsed(source)
        except onnx.parser.ParseError:
            continue
        yield done(f"branch: {name}", branch(body(nodes, "y", "t"), makes="z", after=(node("Relu", "z", "y"),)))
        deep = body(
            [helper.make_node("If", ["c"], ["r"], then_branch=body(nodes, "y", "tt"), else_branch=OTHER)], "r", "t"
        )
        yield done(f"branch of a branch: {name}", branch(deep, makes="z", after=(node("Relu", "z", "y"),)))
        named = [onnx.NodeProto.FromString(each.SerializeToString()) for each in nodes]
        for each in named:
            each.input[:] = ["v" if part == "x" else part for part in each.input]
            each.output[:] = ["v" if part == "x" else part for part in each.output]
        yield done(f"loop: {name}", loop([node("Identity", "k0", "k"), *named], "k y"))
    for where, more in (("before", {"before": (relu,)}), ("after", {"after": (relu,)})):
        for used in ("unread", "read inside", "read outside", "read by both"):
            nodes = [node("Exp", "x", "h"), node("Neg", "h" if "inside" in used or "both" in used else "x", "p")]
            end = (node("Add", "z h", "y"),) if "outside" in used or "both" in used else (node("Relu", "z", "y"),)
            tail = {**more, "after": (*more.get("after", ()), *end)}
            yield done(f"shadow: {where}, {used}", branch(body(nodes, "p", "t"), makes="z", **tail))
    yield done("shadow: of an input", branch(body([node("Neg", "x", "x2"), node("Exp", "x2", "c")], "c", "t")))
    yield done("shadow: input redefined inside", branch(body([node("Exp", "c", "x")], "x", "t")))
    yield done("shadow: own result", branch(body([node("Exp", "x", "y")], "y", "t")))
    yield done("shadow: initializer by a node", branch(body([node("Exp", "x", "w")], "w", "t"), tensors=(floats("w"),)))
    yield done(
        "shadow: initializer by an initializer",
        branch(body([node("Add", "x w", "p")], "p", "t", (floats("w"),)), tensors=(floats("w"),)),
    )
    yield done(
        "shadow: node by an initializer",
        branch(body([node("Add", "x h", "p")], "p", "t", (floats("h"),)), before=(relu,)),
    )
    yield done(
        "shadow: node by a constant",
        branch(
            body([node("Constant", "", "h", value_floats=[1.0] * 4), node("Add", "x h", "p")], "p", "t"), before=(relu,)
        ),
    )
    yield done(
        "shadow: both branches define one name",
        branch(body([relu, node("Exp", "h", "p")], "p", "t"), other=body([neg, node("Abs", "h", "p")], "p", "e")),
    )
    yield done(
        "shadow: node of the inner graph and of the outer share a name",
        branch(body([helper.make_node("Relu", ["x"], ["p"], name="n")], "p", "t"), named="n"),
    )
    yield done("branch: with an input", branch(body([node("Exp", "x", "p")], "p", "t", inputs=(port("z"),))))
    yield done("branch: output is an outer value", branch(body([], "x", "t")))
    yield done("branch: output is an outer node", branch(body([], "h", "t"), before=(relu,)))
    yield done("branch: output is an own initializer", branch(body([], "w", "t", (floats("w"),))))
    yield done("branch: output is an outer initializer", branch(body([], "w", "t"), tensors=(floats("w"),)))
    yield done("branch: no outputs", branch(body([node("Exp", "x", "p")], "", "t")))
    yield done(
        "branch: two outputs for one", branch(body([node("Exp", "x", "p"), node("Abs", "x", "p2")], "p p2", "t"))
    )
    yield done(
        "branch: one output twice",
        branch(body([node("Exp", "x", "p")], "p p", "t"), other=body([node("Exp", "x", "p")], "p p", "e"), makes="y z"),
    )
    yield done("branch: empty", branch(onnx.GraphProto(name="t")))
    yield done("branch: without a name", branch(body([node("Exp", "x", "p")], "p", "")))
    yield done(
        "branch: duplicate initializer", branch(body([node("Add", "x w", "p")], "p", "t", (floats("w"), floats("w"))))
    )
    yield done("branch: reads a later outer node", branch(body([node("Exp", "h", "p")], "p", "t"), after=(relu,)))
    yield done(
        "branch: reads what waits for it",
        branch(
            body([node("Exp", "h", "p")], "p", "t"), makes="z", after=(node("Neg", "z", "h"), node("Abs", "h", "y"))
        ),
    )
    yield done("branch: reads its own node's output", branch(body([node("Exp", "y", "p")], "p", "t")))
    yield done("branch: reads the other branch", branch(body([node("Exp", "q", "p")], "p", "t")))
    yield done(
        "branch: reads the other branch's initializer",
        branch(
            body([node("Add", "x w", "p")], "p", "t"), other=body([node("Add", "x w", "q")], "q", "e", (floats("w"),))
        ),
    )
    yield done(
        "branch: unread node reads nothing",
        branch(body([node("Exp", "x", "p"), node("Neg", "nope", "dead")], "p", "t")),
    )
    yield done(
        "branch: outer reads an inner value",
        branch(
            body(
                [
                    node("Exp", "x", "p"),
                ],
                "p",
                "t",
            ),
            makes="z",
            after=(node("Add", "z p", "y"),),
        ),
    )
    yield done("branch: outer output is an inner value", branch(body([node("Exp", "x", "y")], "y", "t"), makes="z"))
    for depth in (5, 40):
        yield Case(f"branch: {depth} deep", nested(depth))
    made = branch(
        body([node("Exp", "x", "h")], "h", "t"),
        before=(node("Relu", "x", "h"),),
        makes="z",
        after=(node("Add", "z h", "y"),),
    )
    yield done("shadow: node read after", made)
    needed = branch(
        body([node("Neg", "a", "h"), node("Exp", "h", "p")], "p", "t"),
        before=(node("Relu", "x", "h"), node("Abs", "h", "a")),
    )
    yield done("shadow: node needed through another", needed)
    later = branch(
        body([node("Neg", "x", "h"), node("Exp", "h", "p")], "p", "t"),
        makes="z",
        after=(node("Relu", "z", "h"), node("Abs", "h", "y")),
    )
    yield done("shadow: node made from the result", later)
    yield done("loop: sound", loop([node("Identity", "k0", "k"), node("Neg", "v", "p")]))
    yield done("loop: input names twice", _twice_input())
    yield done("loop: reads nothing", loop([node("Identity", "k0", "k"), node("Add", "v nope", "p")]))
    yield done("loop: redefines its input", loop([node("Identity", "k0", "k"), node("Neg", "v", "v")], "k v"))
    yield done("loop: output is its input", loop([node("Neg", "v", "dead")], "k0 v"))
    yield done("loop: input named as an outer value", _outer_input())


def _twice_input() -> onnx.ModelProto:
    made = loop([node("Identity", "k0", "k"), node("Neg", "v", "p")])
    made.graph.node[0].attribute[0].g.input[2].name = "i"
    return made


def _outer_input() -> onnx.ModelProto:
    made = loop([node("Identity", "k0", "k"), node("Neg", "x", "p")])
    made.graph.node[0].attribute[0].g.input[2].name = "x"
    return made


def function(
    name: str,
    nodes: list[onnx.NodeProto],
    reads: str = "a",
    makes: str = "b",
    domain: str = "l",
    opsets: tuple[tuple[str, int], ...] = (("", 17), ("l", 1)),
    overload: str = "",
) -> onnx.FunctionProto:
    made = helper.make_function(
        domain, name, reads.split(), makes.split(), nodes, [helper.make_opsetid(*pair) for pair in opsets]
    )
    if overload:
        made.overload = overload
    return made


def _functions() -> Iterator[Case]:
    call = [node("F", "x", "y", domain="l")]
    imports = (("", 17), ("l", 1))

    def using(*bodies: onnx.FunctionProto, nodes: list[onnx.NodeProto] = call, ir: int = 8) -> onnx.ModelProto:
        return model(nodes, opsets=imports, functions=bodies, ir=ir)

    relu = [node("Relu", "x", "y")]
    for name, source in BODIES.items():
        try:
            nodes = parsed(source)
        except onnx.parser.ParseError:
            continue
        yield done(f"function: {name}", using(function("F", nodes, "x", "y")))
        yield done(f"uncalled function: {name}", using(function("F", nodes, "x", "y"), nodes=relu))
        twice = [node("F", "x", "z", domain="l"), node("F", "z", "y", domain="l")]
        yield done(f"function called twice: {name}", using(function("F", nodes, "x", "y"), nodes=twice))
        inner = helper.make_node(
            "If", ["c0"], ["z"], then_branch=body(nodes, "y", "t"), else_branch=body([node("Abs", "x", "q")], "q", "e")
        )
        wrapped = [node("Constant", "", "c0", value=helper.make_tensor("c", BOOL, [], [1])), inner]
        yield done(f"branch in a function: {name}", using(function("F", wrapped, "x", "z")))
    yield done("function: calls itself", using(function("F", [node("F", "a", "b", domain="l")])))
    yield done("function: calls itself, uncalled", using(function("F", [node("F", "a", "b", domain="l")]), nodes=relu))
    yield done(
        "function: two call each other",
        using(function("F", [node("G", "a", "b", domain="l")]), function("G", [node("F", "a", "b", domain="l")])),
    )
    yield done(
        "function: two call each other, uncalled",
        using(
            function("F", [node("G", "a", "b", domain="l")]),
            function("G", [node("F", "a", "b", domain="l")]),
            nodes=relu,
        ),
    )
    yield done(
        "function: calls another",
        using(function("F", [node("G", "a", "b", domain="l")]), function("G", [node("Relu", "a", "b")])),
    )
    yield done(
        "function: calls an earlier one",
        using(function("G", [node("Relu", "a", "b")]), function("F", [node("G", "a", "b", domain="l")])),
    )
    yield done("function: calls what is not there", using(function("F", [node("G", "a", "b", domain="l")])))
    yield done(
        "function: of one name twice",
        using(function("F", [node("Relu", "a", "b")]), function("F", [node("Abs", "a", "b")])),
    )
    yield done(
        "function: of one name twice, uncalled",
        using(function("F", [node("Relu", "a", "b")]), function("F", [node("Abs", "a", "b")]), nodes=relu),
    )
    for ir in (8, 10):
        for over in ("", "o", "p"):
            one = helper.make_node("F", ["x"], ["y"], domain="l")
            one.overload = over
            yield done(
                f"function: overload {over!r} at ir {ir}",
                using(function("F", [node("Relu", "a", "b")], overload="o"), nodes=[one], ir=ir),
            )
            yield done(
                f"function: two overloads, {over!r} called at ir {ir}",
                using(
                    function("F", [node("Relu", "a", "b")]),
                    function("F", [node("Abs", "a", "b")], overload="o"),
                    nodes=[one],
                    ir=ir,
                ),
            )
    yield done(
        "function: without a domain",
        using(function("F", [node("Relu", "a", "b")], domain="", opsets=(("", 17),)), nodes=[node("F", "x", "y")]),
    )
    yield done(
        "function: named as an operator",
        using(function("Relu", [node("Abs", "a", "b")], domain="", opsets=(("", 17),)), nodes=relu),
    )
    yield done(
        "function: named as a contrib operator",
        using(
            function("Gelu", [node("Abs", "a", "b")], domain="com.microsoft", opsets=(("", 17),)),
            nodes=[node("Gelu", "x", "y", domain="com.microsoft")],
        ),
    )
    yield done(
        "function: input unread",
        using(function("F", [node("Relu", "a", "b")], "a z"), nodes=[node("F", "x x", "y", domain="l")]),
    )
    yield done("function: only input unread", using(function("F", [node("Constant", "", "b", value_floats=[1.0] * 4)])))
    inside = helper.make_node(
        "If",
        ["c0"],
        ["b"],
        then_branch=body([node("Relu", "a", "p")], "p", "t"),
        else_branch=body([node("Abs", "a", "q")], "q", "e"),
    )
    held = [node("Constant", "", "c0", value=helper.make_tensor("c", BOOL, [], [1])), inside]
    yield done("function: branch", using(function("F", held)))
    yield done("function: branch, no imports", using(function("F", held, opsets=())))
    deep = helper.make_node(
        "If",
        ["c0"],
        ["b"],
        then_branch=body([node("Scaler", "a", "p", domain="ai.onnx.ml")], "p", "t"),
        else_branch=body([node("Abs", "a", "q")], "q", "e"),
    )
    yield done("function: import missing in a branch", using(function("F", [held[0], deep])))
    yield done("function: import missing in a branch, uncalled", using(function("F", [held[0], deep]), nodes=relu))
    outer = helper.make_node(
        "If", ["c0"], ["b"], then_branch=body([], "a", "t"), else_branch=body([node("Abs", "a", "q")], "q", "e")
    )
    yield done("function: branch gives out an outer value", using(function("F", [held[0], outer])))
    shadow = helper.make_node(
        "If",
        ["c0"],
        ["b"],
        then_branch=body([node("Relu", "a", "h")], "h", "t"),
        else_branch=body([node("Abs", "a", "q")], "q", "e"),
    )
    yield done("function: branch shadows", using(function("F", [held[0], node("Neg", "a", "h"), shadow])))
    yield done(
        "function: calls without the import",
        using(
            function("F", [node("G", "a", "b", domain="l")], opsets=(("", 17),)),
            function("G", [node("Relu", "a", "b")]),
        ),
    )
    yield done("function: no nodes", using(function("F", [], "a", "a")))
    yield done("function: output missing", using(function("F", [node("Relu", "a", "z")])))
    yield done("function: fewer inputs given", using(function("F", [node("Clip", "a m", "b")], "a m")))
    yield done(
        "function: more inputs given",
        using(function("F", [node("Relu", "a", "b")]), nodes=[node("F", "x x", "y", domain="l")]),
    )
    yield done(
        "function: more outputs taken",
        using(function("F", [node("Relu", "a", "b")]), nodes=[node("F", "x", "y z", domain="l")]),
    )
    yield done(
        "function: two inputs of one name",
        using(function("F", [node("Relu", "a", "b")], "a a"), nodes=[node("F", "x x", "y", domain="l")]),
    )
    yield done(
        "function: two outputs of one name",
        using(function("F", [node("Relu", "a", "b")], "a", "b b"), nodes=[node("F", "x", "y z", domain="l")]),
    )
    yield done("function: reads a name of the model", using(function("F", [node("Add", "a x", "b")])))
    yield done(
        "function: unknown domain inside",
        using(function("F", [node("Thing", "a", "b", domain="u")], opsets=(("", 17), ("u", 1)))),
    )
    yield done(
        "function: unknown domain inside, uncalled",
        using(function("F", [node("Thing", "a", "b", domain="u")], opsets=(("", 17), ("u", 1))), nodes=relu),
    )
    yield done("function: unknown operator inside", using(function("F", [node("Thing", "a", "b")])))
    yield done("function: at ir 7", using(function("F", [node("Relu", "a", "b")]), ir=7))
    yield done(
        "function: called in a branch",
        model(
            [
                helper.make_node(
                    "If", ["c"], ["y"], then_branch=body([node("F", "x", "p", domain="l")], "p", "t"), else_branch=OTHER
                )
            ],
            opsets=imports,
            inputs=[CONDITION, port("x")],
            functions=[function("F", [node("Relu", "a", "b")])],
        ),
    )
    yield done(
        "function: broken, called in a branch",
        model(
            [
                helper.make_node(
                    "If", ["c"], ["y"], then_branch=body([node("F", "x", "p", domain="l")], "p", "t"), else_branch=OTHER
                )
            ],
            opsets=imports,
            inputs=[CONDITION, port("x")],
            functions=[function("F", [node("Add", "a nope", "b")])],
        ),
    )
    yield done(
        "function: named nodes, called twice",
        using(
            function("F", [helper.make_node("Relu", ["a"], ["b"], name="n")]),
            nodes=[node("F", "x", "z", domain="l"), node("F", "z", "y", domain="l")],
        ),
    )


def cases() -> Iterator[Case]:
    yield from _branches()
    yield from _functions()
