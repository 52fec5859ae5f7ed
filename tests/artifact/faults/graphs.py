"""One graph: names defined twice or never, order, cycles, ports."""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from onnx import TensorProto, helper

from tests.artifact.faults.case import FLOAT, Case, done, floats, model, node, port, text

BOOL, INT64 = TensorProto.BOOL, TensorProto.INT64

# Bodies of g (float[4] x) => (float[4] y), in ONNX text.
BODIES = {
    "sound": "y = Relu (x)",
    "two outputs of one name": "y = Relu (x)  y = Abs (x)",
    "two outputs of one name, unread": "y = Relu (x)  b = Abs (x)  b = Neg (x)",
    "three outputs of one name": "a = Relu (x)  a = Abs (x)  a = Neg (x)  y = Exp (a)",
    "one node gives one name twice": "a, a = Split <axis = 0> (x)  y = Concat <axis = 0> (a, a)",
    "output named as an input": "x = Relu (x)  y = Abs (x)",
    "output named as an input, unread": "x = Relu (z)  y = Abs (x)  z = Neg (y)",
    "constant named as an input": "x = Constant <value = float[4] {1., 2., 3., 4.}> ()  y = Abs (x)",
    "constants of one name": "a = Constant <value_float = 1.> ()  a = Constant <value_float = 2.> ()  y = Add (x, a)",
    "constant and node of one name": "a = Constant <value_float = 1.> ()  a = Relu (x)  y = Add (x, a)",
    "node and constant of one name": "a = Relu (x)  a = Constant <value_float = 1.> ()  y = Add (x, a)",
    "constants share a node name": "[n] a = Constant <value_float = 1.> ()  [n] b = Constant <value_float = 2.> () "
    "c = Add (a, b)  y = Add (x, c)",
    "constant and node share a node name": "[n] a = Constant <value_float = 1.> ()  [n] y = Add (x, a)",
    "node and constant share a node name": "[n] b = Relu (x)  [n] a = Constant <value_float = 1.> ()  y = Add (b, a)",
    "node names twice": "[n] a = Relu (x)  [n] y = Neg (a)",
    "node names thrice": "[n] a = Relu (x)  [n] b = Neg (a)  [n] y = Neg (b)",
    "two pairs of node names": "[m] a = Relu (x)  [n] b = Neg (a)  [n] c = Abs (b)  [m] y = Neg (c)",
    "node names differ in case": "[n] a = Relu (x)  [N] y = Neg (a)",
    "node named as a value": "[x] a = Relu (x)  [a] y = Neg (a)",
    "constant without an output": "y = Relu (x)",
    "dangling": "y = Add (x, nope)",
    "dangling twice": "a = Add (x, nope)  y = Add (a, ghost)",
    "dangling in an unused node": "b = Neg (nope)  y = Relu (x)",
    "dangling optional slot": "y = Clip (x, nope)",
    "dangling third slot": "y = Clip (x, , nope)",
    "empty optional slots": "y = Clip (x, , )",
    "dangling and unsorted": "y = Add (a, nope)  a = Relu (x)",
    "reads a graph output never made": "a = Relu (y)",
    "output missing": "a = Relu (x)",
    "unsorted": "y = Relu (a)  a = Abs (x)",
    "unsorted three": "y = Relu (a)  a = Abs (b)  b = Neg (x)",
    "cycle of two": "a = Add (x, b)  b = Relu (a)  y = Neg (b)",
    "cycle of one": "a = Add (x, a)  y = Neg (a)",
    "cycle of three": "a = Add (x, c)  b = Relu (a)  c = Abs (b)  y = Neg (b)",
    "cycle beside the output": "a = Add (x, b)  b = Relu (a)  y = Neg (x)",
    "cycle and dangling": "a = Add (x, b)  b = Relu (a)  y = Add (b, nope)",
    "cycle and duplicate name": "a = Add (x, b)  b = Relu (a)  b = Abs (x)  y = Neg (b)",
    "cycle and node names": "[n] a = Add (x, b)  [n] b = Relu (a)  y = Neg (b)",
    "duplicate name and node name": "[n] a = Relu (x)  [n] a = Abs (x)  y = Neg (a)",
    "duplicate output and dangling": "a = Relu (x)  a = Abs (x)  y = Add (a, nope)",
    "identity": "y = Identity (x)",
    "no nodes": "",
    "name with blanks": '"a b" = Relu (x)  y = Neg ("a b")',
    "unused constant": "c = Constant <value_float = 1.> ()  y = Relu (x)",
    "constant is the output": "y = Constant <value = float[4] {1., 2., 3., 4.}> ()",
    "constant of two attributes": "c = Constant <value_float = 1., value_int = 2> ()  y = Add (x, c)",
    "constant without a value": "c = Constant () y = Add (x, c)",
    "optional output": "a, m = Dropout (x)  y = Relu (a)",
    "empty outputs": "y, = Dropout (x)",
}


def _ports() -> Iterator[Case]:
    relu = [node("Relu", "x", "y")]
    yield done("ports: two inputs of one name", model(relu, inputs=[port("x"), port("x")]))
    yield done("ports: two unread inputs of one name", model(relu, inputs=[port("x"), port("z"), port("z")]))
    yield done("ports: two inputs of one name and two types", model(relu, inputs=[port("x"), port("x", INT64)]))
    yield done("ports: two outputs of one name", model(relu, outputs=[port("y"), port("y")]))
    yield done("ports: two outputs of one name and two types", model(relu, outputs=[port("y"), port("y", INT64)]))
    yield done("ports: no outputs", model(relu, outputs=[]))
    yield done("ports: no outputs, no nodes", model([], outputs=[]))
    yield done("ports: nothing at all", model([], inputs=[], outputs=[]))
    yield done("ports: no inputs", model([node("Relu", "w", "y")], [floats("w")], inputs=[]))
    yield done("ports: input is the output", model([], outputs=[port("x")]))
    yield done("ports: input is an output beside a node", model(relu, outputs=[port("y"), port("x")]))
    yield done("ports: initializer is the output", model([], [floats("w")], outputs=[port("w")]))
    yield done(
        "ports: initializer is an output beside a node", model(relu, [floats("w")], outputs=[port("y"), port("w")])
    )
    yield done(
        "ports: initializer is an input", model([node("Add", "x w", "y")], [floats("w")], inputs=[port("x"), port("w")])
    )
    yield done(
        "ports: initializer is an input and output",
        model(relu, [floats("w")], inputs=[port("x"), port("w")], outputs=[port("y"), port("w")]),
    )
    yield done("ports: unused input", model(relu, inputs=[port("x"), port("z")]))
    yield done("ports: empty input name", model(relu, inputs=[port("x"), port("")]))
    yield done("ports: two empty input names", model(relu, inputs=[port("x"), port(""), port("")]))
    yield done("ports: empty output name", model(relu, outputs=[port("y"), port("")]))
    yield done("ports: output without a type", model(relu, outputs=[onnx.ValueInfoProto(name="y")]))
    yield done("ports: input without a type", model(relu, inputs=[onnx.ValueInfoProto(name="x")]))
    yield done("ports: unread input without a type", model(relu, inputs=[port("x"), onnx.ValueInfoProto(name="z")]))
    yield done("ports: input of type 0", model(relu, inputs=[port("x", 0)]))
    yield done("ports: unread input of type 0", model(relu, inputs=[port("x"), port("z", 0)]))
    yield done("ports: unread input of type 99", model(relu, inputs=[port("x"), port("z", 99)]))
    yield done("ports: missing output beside a sound one", model(relu, outputs=[port("y"), port("gone")]))
    yield done("ports: value info of nothing", _with_info(relu, [port("ghost")]))
    yield done("ports: value info twice", _with_info(relu, [port("y"), port("y")]))
    yield done("ports: value info of another type", _with_info(relu, [port("y", INT64)]))
    yield done(
        "ports: negative dimension", model(relu, inputs=[port("x", FLOAT, [-1])], outputs=[port("y", FLOAT, [-1])])
    )
    yield done("ports: zero dimension", model(relu, inputs=[port("x", FLOAT, [0])], outputs=[port("y", FLOAT, [0])]))
    yield done("ports: no rank", model(relu, inputs=[port("x", FLOAT, None)], outputs=[port("y", FLOAT, None)]))


def _with_info(nodes: list[onnx.NodeProto], infos: list[onnx.ValueInfoProto]) -> onnx.ModelProto:
    made = model(nodes)
    made.graph.value_info.extend(infos)
    return made


def _initializers() -> Iterator[Case]:
    add = [node("Add", "x w", "y")]
    other = floats("w")
    other.dims[0] = 2
    other.raw_data = bytes(8)
    whole = TensorProto(name="w", data_type=INT64, dims=[4], raw_data=bytes(32))
    yield done("initializers: twice", model(add, [floats("w"), floats("w")]))
    yield done("initializers: thrice", model(add, [floats("w")] * 3))
    yield done("initializers: twice, two shapes", model(add, [floats("w"), other]))
    yield done("initializers: twice, two types", model(add, [floats("w"), whole]))
    yield done("initializers: twice, two types reversed", model(add, [whole, floats("w")]))
    yield done("initializers: twice, unread", model([node("Relu", "x", "y")], [floats("w"), floats("w")]))
    yield done(
        "initializers: named as a node output", model([node("Relu", "x", "w"), node("Abs", "w", "y")], [floats("w")])
    )
    yield done("initializers: named as the graph output", model([node("Relu", "x", "y")], [floats("y")]))
    yield done(
        "initializers: named as an unread output", model([node("Relu", "x", "w"), node("Abs", "x", "y")], [floats("w")])
    )
    yield done(
        "initializers: named as an input that is made",
        model([node("Relu", "x", "w"), node("Abs", "w", "y")], [floats("w")], inputs=[port("x"), port("w")]),
    )
    yield done(
        "initializers: named as a constant",
        model([node("Constant", "", "w", value_floats=[1.0] * 4), *add], [floats("w")]),
    )
    yield done("initializers: without a name", model([node("Relu", "x", "y")], [floats("")]))
    yield done("initializers: two without a name", model([node("Relu", "x", "y")], [floats(""), floats("")]))
    yield done("initializers: input of another type", model(add, [floats("w")], inputs=[port("x"), port("w", INT64)]))
    yield done(
        "initializers: input of another shape", model(add, [floats("w")], inputs=[port("x"), port("w", FLOAT, [2])])
    )
    yield done(
        "initializers: input of another rank", model(add, [floats("w")], inputs=[port("x"), port("w", FLOAT, [1, 4])])
    )
    yield done(
        "initializers: input without a type",
        model(add, [floats("w")], inputs=[port("x"), onnx.ValueInfoProto(name="w")]),
    )
    for ir in (2, 3, 4):
        yield done(f"initializers: not an input at ir {ir}", model(add, [floats("w")], ir=ir, opsets=(("", 7),)))
        yield done(
            f"initializers: an input at ir {ir}",
            model(add, [floats("w")], ir=ir, inputs=[port("x"), port("w")], opsets=(("", 7),)),
        )


def _others() -> Iterator[Case]:
    yield done("others: node without an operator", model([node("", "x", "y")]))
    yield done("others: node without outputs", model([node("Relu", "x", ""), node("Abs", "x", "y")]))
    yield done("others: node of empty outputs", model([node("Relu", "x", "_"), node("Abs", "x", "y")]))
    yield done(
        "others: two nodes of empty outputs",
        model([node("Relu", "x", "_"), node("Neg", "x", "_"), node("Abs", "x", "y")]),
    )
    yield done("others: node without inputs", model([node("Relu", "", "y")]))
    yield done(
        "others: constant without outputs", model([node("Constant", "", "", value_float=1.0), node("Abs", "x", "y")])
    )
    yield done(
        "others: constants of empty outputs",
        model(
            [
                node("Constant", "", "_", value_float=1.0),
                node("Constant", "", "_", value_float=1.0),
                node("Abs", "x", "y"),
            ]
        ),
    )
    yield done("others: same attribute twice", model([helper.make_node("LeakyRelu", ["x"], ["y"], alpha=0.1)]))
    made = model([node("LeakyRelu", "x", "y", alpha=0.1)])
    made.graph.node[0].attribute.add(name="alpha", f=0.2, type=1)
    yield done("others: attribute twice", made)
    for size in (1000, 5000):
        chain = [node("Relu", f"v{n}" if n else "x", f"v{n + 1}" if n + 1 < size else "y") for n in range(size)]
        yield done(f"others: chain of {size}", model(chain))
        yield done(f"others: chain of {size} reversed", model(chain[::-1]))
    annotation = onnx.TensorAnnotation(tensor_name="x")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="nowhere")
    made = model([node("Relu", "x", "y")])
    made.graph.quantization_annotation.append(annotation)
    yield done("others: quantization annotation of nothing", made)
    for name in ("x" * 3000, "a\0b", "\u202e", "a/b", "a\\b", "a:b", " ", "\n", "%s", "{}"):
        yield done(
            f"others: value name {name[:6]!r}",
            model([helper.make_node("Relu", ["x"], [name]), helper.make_node("Neg", [name], ["y"])]),
        )
        yield done(
            f"others: twice the value name {name[:6]!r}",
            model(
                [
                    helper.make_node("Relu", ["x"], [name]),
                    helper.make_node("Neg", ["x"], [name]),
                    helper.make_node("Neg", [name], ["y"]),
                ]
            ),
        )
        yield done(f"others: dangling {name[:6]!r}", model([helper.make_node("Neg", [name], ["y"])]))
        yield done(
            f"others: twice the node name {name[:6]!r}",
            model(
                [helper.make_node("Relu", ["x"], ["a"], name=name), helper.make_node("Neg", ["a"], ["y"], name=name)]
            ),
        )


def cases() -> Iterator[Case]:
    for name, body in BODIES.items():
        yield Case(f"graph: {name}", text(f"g (float[4] x) => (float[4] y) {{ {body} }}"))
    yield from _ports()
    yield from _initializers()
    yield from _others()
