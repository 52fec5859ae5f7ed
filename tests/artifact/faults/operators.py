"""Nodes and what their operators ask of them: empty operators, odd attributes and constants, types declared twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import onnx
from onnx import AttributeProto, TensorProto, helper

from signatures.artifact.varint import field, varint
from tests.artifact.faults.case import FLOAT, Case, done, floats, model, node, port
from tests.artifact.faults.scopes import BOOL, INT64, body, branch, loop

OPERATORS = ("", " ", "NoSuch", "relu", "Relu\0", "Relu", "Add", "If", "Constant", "Identity", "Gelu")
DOMAINS = ("", "ai.onnx", "ai.onnx.ml", "com.microsoft", "no.such", "l")
IMPORTS = (("", 17), ("ai.onnx.ml", 3), ("com.microsoft", 1), ("l", 1))
PORTS = (("", ""), ("x", ""), ("_", ""), ("x", "_"), ("_", "_"), ("x", "a"), ("", "a"), ("_", "a"), ("gone", ""))


def _bare() -> Iterator[Case]:
    """A node of which nothing is needed, beside a sound one."""
    for op, domain, (reads, makes) in product(OPERATORS, DOMAINS, PORTS):
        extra = node(op, reads, makes, domain=domain)
        yield done(f"bare: {domain}.{op!r} {reads!r} {makes!r}", model([node("Abs", "x", "y"), extra], opsets=IMPORTS))
    for op, makes in product(OPERATORS, ("", "_", "a")):
        inner = body([node("Abs", "x", "p"), node(op, "x", makes)], "p", "t")
        yield done(f"bare: in a branch {op!r} {makes!r}", branch(inner))
        inside = [node("Abs", "a", "b"), node(op, "a", makes if makes != "a" else "d")]
        made = helper.make_function("l", "F", ["a"], ["b"], inside, [helper.make_opsetid("", 17)])
        call = [node("F", "x", "y", domain="l")]
        yield done(f"bare: in a function {op!r} {makes!r}", model(call, opsets=IMPORTS, functions=[made]))
        yield done(
            f"bare: in an unread function {op!r} {makes!r}",
            model([node("Abs", "x", "y")], opsets=IMPORTS, functions=[made]),
        )


def _removed() -> Iterator[Case]:
    """Nodes that read and make nothing, where anything may be asked of them."""
    beside = node("Abs", "x", "y")
    for op, domain in (("MemcpyFromHost", ""), ("EPContext", "com.microsoft"), ("Gelu", "com.microsoft"), ("F", "l")):
        yield done(f"removed: {domain}.{op}", model([beside, node(op, "", "", domain=domain)], opsets=IMPORTS))
        yield done(f"removed: {domain}.{op} unimported", model([beside, node(op, "", "", domain=domain)]))
    for opsets in ((("", 17), ("ai.onnx.ml", 0)), (("", 17), ("ai.onnx.ml", 99)), (("", 0), ("com.microsoft", 1))):
        for op, domain in (("Scaler", "ai.onnx.ml"), ("Relu", "")):
            made = [node("Gelu", "x", "y", domain="com.microsoft"), node(op, "", "", domain=domain)]
            yield done(f"removed: {domain}.{op} at {opsets}", model(made, opsets=opsets))
    named = helper.make_node("Abs", ["x"], ["y"], name="n")
    yield done("removed: of one name", model([named, helper.make_node("Relu", [], [], name="n")]))
    inner = body([node("Abs", "gone", "p")], "p", "t")
    empty = helper.make_node("If", [], [], then_branch=inner, else_branch=inner)
    yield done("removed: with a body", model([beside, empty]))
    yield done("removed: with a body in a branch", branch(body([node("Exp", "x", "p"), empty], "p", "t")))
    for op, domain in product(OPERATORS, ("", "com.microsoft", "no.such")):
        one = node(op, "", "", domain=domain)
        yield done(f"removed: {domain}.{op!r} in a branch", branch(body([node("Exp", "x", "p"), one], "p", "t")))
        yield done(
            f"removed: {domain}.{op!r} in a loop",
            loop([node("Identity", "k0", "k"), node("Abs", "v", "p"), one], "k p"),
        )
        ids = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("no.such", 1)]
        made = helper.make_function("l", "F", ["a"], ["b"], [node("Abs", "a", "b"), one], ids)
        called = model([node("F", "x", "y", domain="l")], opsets=IMPORTS, functions=[made])
        yield done(f"removed: {domain}.{op!r} in a function", called)
        yield done(f"removed: {domain}.{op!r} in an unread function", model([beside], opsets=IMPORTS, functions=[made]))
    for values in ({"value_float": 1.0}, {"value_float": 1.0, "other": 1}, {"other": 1}):
        yield done(f"removed: constant of {list(values)}", model([beside, node("Constant", "", "", **values)]))


TYPES = {"f32": FLOAT, "i64": INT64, "none": 0, "f16": TensorProto.FLOAT16, "odd": 99}


def _infos(nodes: list[onnx.NodeProto], *infos: onnx.ValueInfoProto) -> onnx.ModelProto:
    made = model(nodes)
    made.graph.value_info.extend(infos)
    return made


def _declared() -> Iterator[Case]:
    """One value under two declarations."""
    chain = [node("Relu", "x", "a"), node("Neg", "a", "y")]
    whole = TensorProto(name="w", data_type=INT64, dims=[4], raw_data=bytes(32))
    for one, two in product(TYPES, TYPES):
        first, second = TYPES[one], TYPES[two]
        both = f"{one} and {two}"
        yield done(f"declared: value info {both}", _infos(chain, port("a", first), port("a", second)))
        made = model([node("Relu", "x", "y")], outputs=[port("y", first)])
        made.graph.value_info.append(port("y", second))
        yield done(f"declared: output and value info {both}", made)
        made = model([node("Relu", "x", "y")], inputs=[port("x", first)])
        made.graph.value_info.append(port("x", second))
        yield done(f"declared: input and value info {both}", made)
        made = model([node("Relu", "x", "y")], inputs=[port("x", first)], outputs=[port("y"), port("x", second)])
        yield done(f"declared: input and output {both}", made)
        made = model([node("Relu", "x", "y")], inputs=[port("x", first), port("x", second)])
        yield done(f"declared: inputs {both}", made)
        made = model([node("Relu", "x", "y")], outputs=[port("y", first), port("y", second)])
        yield done(f"declared: outputs {both}", made)
        inner = body([node("Relu", "x", "p")], "p", "t")
        inner.output.append(port("p", second))
        inner.output[0].type.tensor_type.elem_type = first
        yield done(f"declared: outputs of a branch {both}", branch(inner, makes="y z"))
        inner = body([node("Relu", "x", "a"), node("Neg", "a", "p")], "p", "t")
        inner.value_info.extend([port("a", first), port("a", second)])
        yield done(f"declared: value info in a branch {both}", branch(inner))
        inner = body([node("Relu", "x", "p")], "p", "t")
        inner.value_info.extend([port("x", first), port("p", second)])
        yield done(f"declared: outer value in a branch {both}", branch(inner))
    for name, dtype in TYPES.items():
        for tensor in (floats("w"), whole):
            stored = f"{name} of stored {'f32' if tensor.data_type == FLOAT else 'i64'}"
            made = model([node("Identity", "w", "y")], [tensor], outputs=[port("y", tensor.data_type)])
            made.graph.value_info.append(port("w", dtype))
            yield done(f"declared: value info {stored}", made)
            made = model([node("Relu", "x", "y")], [tensor], outputs=[port("y"), port("w", dtype)])
            yield done(f"declared: output {stored}", made)
        for op, makes in (("Shape", INT64), ("Relu", FLOAT), ("Cast", BOOL), ("NonZero", INT64)):
            attributes = {"to": BOOL} if op == "Cast" else {}
            yield done(
                f"declared: {name} of {op}", model([node(op, "x", "y", **attributes)], outputs=[port("y", dtype)])
            )
            typed = [node(op, "x", "a", **attributes), node("Identity", "a", "y")]
            made = model(typed, outputs=[port("y", makes)])
            made.graph.value_info.append(port("a", dtype))
            yield done(f"declared: {name} of {op} on the way", made)
        made = model([node("Relu", "x", "y")])
        made.graph.value_info.append(port("gone", dtype))
        yield done(f"declared: {name} of nothing", made)


def _other_types() -> Iterator[Case]:
    tensor = helper.make_tensor_type_proto(FLOAT, [4])
    kinds = {
        "sequence": helper.make_sequence_type_proto(tensor),
        "optional": helper.make_optional_type_proto(tensor),
        "map": helper.make_map_type_proto(INT64, tensor),
        "sparse": helper.make_sparse_tensor_type_proto(FLOAT, [4]),
        "empty": onnx.TypeProto(),
    }
    for name, kind in kinds.items():
        value = helper.make_value_info("z", kind)
        out = helper.make_value_info("y", kind)
        for op in ("Relu", "Identity", "Add", "SequenceLength", "OptionalGetElement", "Cast"):
            reads = "z z" if op == "Add" else "z"
            attributes = {"to": FLOAT} if op == "Cast" else {}
            made = model([node(op, reads, "y", **attributes)], inputs=[value])
            yield done(f"type kind: {name} into {op}", made)
            yield done(
                f"type kind: {name} through {op}",
                model([node(op, reads, "y", **attributes)], inputs=[value], outputs=[out]),
            )
        yield done(f"type kind: {name} unread", model([node("Relu", "x", "y")], inputs=[port("x"), value]))
        yield done(f"type kind: {name} out of Relu", model([node("Relu", "x", "y")], outputs=[out]))
        made = model([node("Relu", "x", "a"), node("Neg", "a", "y")])
        made.graph.value_info.append(helper.make_value_info("a", kind))
        yield done(f"type kind: {name} as value info", made)


VALUES: dict[str, dict[str, object]] = {
    "value": {"value": helper.make_tensor("t", FLOAT, [4], [1.0] * 4)},
    "int64 value": {"value": helper.make_tensor("t", INT64, [4], [1] * 4)},
    "bool value": {"value": helper.make_tensor("t", BOOL, [4], [True] * 4)},
    "typeless value": {"value": TensorProto(dims=[4], raw_data=bytes(16))},
    "value_float": {"value_float": 1.0},
    "value_floats": {"value_floats": [1.0] * 4},
    "value_int": {"value_int": 1},
    "value_ints": {"value_ints": [1] * 4},
    "value_string": {"value_string": "a"},
    "value_strings": {"value_strings": ["a"] * 4},
    "unknown": {"other": 1},
    "unknown beside": {"value_float": 1.0, "other": 1},
    "underscored beside": {"value_float": 1.0, "__other": 1},
    "sparse": {
        "sparse_value": helper.make_sparse_tensor(
            helper.make_tensor("v", FLOAT, [1], [1.0]), helper.make_tensor("i", INT64, [1], [1]), [4]
        )
    },
}


def _constants() -> Iterator[Case]:
    names = list(VALUES)
    pairs = [(one,) for one in names] + [(one, two) for one in names[:9] for two in names[:9] if one != two]
    for pair in pairs:
        given: dict[str, object] = {}
        for name in pair:
            given = {**given, **VALUES[name]}
        constant = node("Constant", "", "w", **given)
        label = " and ".join(pair)
        add = [constant, node("Add", "x w", "y")]
        yield done(f"constant: {label}", model(add))
        yield done(f"constant: {label} in a branch", branch(body([constant, node("Add", "x w", "p")], "p", "t")))
        yield done(
            f"constant: {label} in a loop",
            loop([node("Identity", "k0", "k"), constant, node("Add", "v w", "p")], "k p"),
        )
        inside = [node("Constant", "", "w", **given), node("Add", "a w", "b")]
        made = helper.make_function("l", "F", ["a"], ["b"], inside, [helper.make_opsetid("", 17)])
        yield done(
            f"constant: {label} in a function",
            model([node("F", "x", "y", domain="l")], opsets=IMPORTS, functions=[made]),
        )
        if len(pair) == 1:
            for domain in ("ai.onnx", "ai.onnx.ml", "com.microsoft"):
                other = [node("Constant", "", "w", domain=domain, **given), node("Add", "x w", "y")]
                yield done(f"constant: {label} of {domain}", model(other, opsets=IMPORTS))
                other[1] = node("Add", "x w", "p")
                yield done(f"constant: {label} of {domain} in a branch", branch(body(other, "p", "t")))
                other[1] = node("Add", "a w", "b")
                ids = [helper.make_opsetid(*pair) for pair in IMPORTS]
                made = helper.make_function("l", "F", ["a"], ["b"], other, ids)
                call = [node("F", "x", "y", domain="l")]
                called = model(call, opsets=IMPORTS, functions=[made])
                yield done(f"constant: {label} of {domain} in a function", called)
            made = model([*add, node("Constant", "", "q", **given)])
            made.graph.value_info.append(port("w", INT64))
            yield done(f"constant: {label} declared i64", made)
            for opset in (7, 11, 12, 13):
                yield done(f"constant: {label} at {opset}", model(add, opsets=(("", opset),)))


def _attribute(name: str, kind: int, **values: object) -> AttributeProto:
    return AttributeProto(name=name, type=kind, **values)


def _attributes() -> Iterator[Case]:
    filled: dict[str, dict[str, object]] = {
        "f": {"f": 0.5}, "i": {"i": 1}, "s": {"s": b"a"}, "ints": {"ints": [1]}, "floats": {"floats": [0.5]},
        "nothing": {}, "t": {"t": floats("t")}, "f and i": {"f": 0.5, "i": 1}, "reference": {"ref_attr_name": "alpha"},
    }  # fmt: skip
    targets = (
        ("LeakyRelu", "alpha", "x", ()),
        ("Softmax", "axis", "x", ()),
        ("Cast", "to", "x", ()),
        ("Transpose", "perm", "x", ()),
        ("Relu", "alpha", "x", ()),
        ("Relu", "__alpha", "x", ()),
        ("Relu", "", "x", ()),
        ("Concat", "axis", "x", ()),
    )
    for (op, name, reads, _), (label, values), kind in product(targets, filled.items(), range(9)):
        one = node(op, reads, "y")
        one.attribute.append(_attribute(name, kind, **values))
        yield done(f"attribute: {op} {name!r} kind {kind} holds {label}", model([one]))
    for op, name, reads, _ in targets:
        for first, second in product(("f", "i", "ints"), repeat=2):
            one = node(op, reads, "y")
            for which in (first, second):
                one.attribute.append(_attribute(name, {"f": 1, "i": 2, "ints": 7}[which], **filled[which]))
            yield done(f"attribute: {op} {name!r} twice, {first} and {second}", model([one]))
    for kind in (99, 15, 1 << 31):
        raw = field(1, b"x") + field(2, b"y") + field(4, b"LeakyRelu")
        raw += field(5, field(1, b"alpha") + varint(2 << 3 | 5) + b"\0\0\0\x3f" + varint(20 << 3) + varint(kind))
        graph = field(1, raw) + field(2, b"g") + field(11, port("x").SerializeToString())
        graph += field(12, port("y").SerializeToString())
        yield Case(
            f"attribute: kind {kind}",
            varint(8) + varint(8) + field(7, graph) + field(8, varint(16) + varint(17)),
        )
    for domain, ops in (("", ("Relu", "Shape")), ("com.microsoft", ("Gelu", "FastGelu"))):
        for op in ops:
            yield done(f"attribute: unknown of {op}", model([node(op, "x", "y", domain=domain, q=1)], opsets=IMPORTS))


VERSIONED = {
    "Relu": ("x", {}), "Clip": ("x", {}), "Dropout": ("x", {}), "Softmax": ("x", {"axis": 0}), "Cast": ("x", {"to": 1}),
    "Squeeze": ("x", {"axes": [0]}), "ReduceSum": ("x", {"axes": [0]}), "ReduceMean": ("x", {"axes": [0]}),
    "Upsample": ("x w", {}), "Add": ("x w", {}), "Gelu": ("x", {}), "Pow": ("x w", {}), "Pad": ("x", {"pads": [0, 0]}),
    "Slice": ("x", {"starts": [0], "ends": [4]}), "Scatter": ("x w w", {}), "HardSwish": ("x", {}), "Size": ("x", {}),
    "Identity": ("x", {}), "BatchNormalization": ("x w w w w", {}), "Affine": ("x", {}), "Crop": ("x", {}),
    "Swish": ("x", {}), "Scale": ("x", {}), "ATen": ("x", {}), "BitwiseNot": ("x", {}), "Experimental": ("x", {}),
}  # fmt: skip


def _versions() -> Iterator[Case]:
    for (op, (reads, attributes)), opset in product(VERSIONED.items(), (1, 5, 6, 7, 9, 10, 11, 12, 13, 18, 20, 21)):
        made = model([node(op, reads, "y", **attributes)], [floats("w")], opsets=(("", opset),), ir=4)
        yield done(f"version: {op} at {opset}", made)
        inside = [node(op, "a", "b", **attributes)]
        if reads == "x":
            called = helper.make_function("l", "F", ["a"], ["b"], inside, [helper.make_opsetid("", opset)])
            call = [node("F", "x", "y", domain="l")]
            yield done(f"version: {op} at {opset} in a function", model(call, opsets=IMPORTS, functions=[called]))


def _functions() -> Iterator[Case]:
    """Local functions that stand in for operators, and calls that give less or more than they take."""
    ids = [helper.make_opsetid("", 17)]
    for domain, op in product(DOMAINS, ("Relu", "Gelu", "Constant", "NoSuch", "If")):
        made = helper.make_function(domain, op, ["a"], ["b"], [node("Abs", "a", "b")], ids)
        call = [node(op, "x", "y", domain=domain)]
        yield done(f"stands in: {domain}.{op}", model(call, opsets=IMPORTS, functions=[made]))
        odd = [node(op, "x", "y", domain=domain, q=1)]
        yield done(f"stands in: {domain}.{op} with an attribute", model(odd, opsets=IMPORTS, functions=[made]))
        wrong = [node("Cast", "x", "i", to=INT64), node(op, "i", "y", domain=domain)]
        yield done(f"stands in: {domain}.{op} on i64", model(wrong, opsets=IMPORTS, functions=[made]))
    for takes, gives in product(("a", "a c", "a c d"), ("b", "b e")):
        inside = [node("Abs", "a", "b"), node("Neg", "c" if "c" in takes else "a", "e")]
        made = helper.make_function("l", "F", takes.split(), gives.split(), inside, ids)
        for reads, makes in product(("", "x", "x x", "_ x", "x _", "x x x", "x x x x"), ("y", "y z", "_ y", "y z q")):
            call = [node("F", reads, makes, domain="l")]
            yield done(
                f"call: ({takes})->({gives}) as ({reads})->({makes})", model(call, opsets=IMPORTS, functions=[made])
            )
    for default, given, named in product((None, 0.5), (None, 0.25), ("alpha", "other")):
        inner = node("LeakyRelu", "a", "b")
        inner.attribute.append(AttributeProto(name="alpha", type=1, ref_attr_name=named))
        made = helper.make_function(
            "l",
            "F",
            ["a"],
            ["b"],
            [inner],
            ids,
            [] if default else ["alpha"],
            [helper.make_attribute("alpha", default)] if default else [],
        )
        call = [node("F", "x", "y", domain="l", **({} if given is None else {"alpha": given}))]
        yield done(
            f"reference: default {default} given {given} named {named}", model(call, opsets=IMPORTS, functions=[made])
        )
    for op, kind in (("Cast", 2), ("Concat", 2), ("Constant", 1), ("Constant", 4)):
        for given in ({}, {"v": 1}, {"v": 1.0}, {"v": helper.make_tensor("t", FLOAT, [4], [1.0] * 4)}):
            inner = node(op, "" if op == "Constant" else "a", "b")
            name = {"Cast": "to", "Concat": "axis"}.get(op, "value_float" if kind == 1 else "value")
            inner.attribute.append(AttributeProto(name=name, type=kind, ref_attr_name="v"))
            made = helper.make_function("l", "F", ["a"], ["b"], [inner], ids, ["v"])
            call = [node("F", "x", "y", domain="l", **given)]
            yield done(
                f"reference: {op} {kind} given {list(given.values())}"[:90],
                model(call, opsets=IMPORTS, functions=[made]),
            )


MIXED = (
    "Relu", "Add", "Where", "Concat", "Gather", "Equal", "Not", "Pow", "Mod", "Max", "Sum", "Identity", "MatMul",
    "Reshape", "Expand", "Shape", "Range", "Clip", "Less", "IsNaN", "BitShift", "CastLike",
)  # fmt: skip
GIVEN = (
    "", "f", "i", "h", "b", "s", "f f", "f i", "i i", "j j", "h h", "b b", "s s", "f h", "b f f", "b i f", "f f f",
    "i i i", "f _", "_ f", "f _ f", "f i f", "f f f f",
)  # fmt: skip


def _mixed() -> Iterator[Case]:
    """Arity and types against a handful of operators."""
    sources = {
        "f": FLOAT,
        "i": INT64,
        "h": TensorProto.FLOAT16,
        "b": BOOL,
        "s": TensorProto.STRING,
        "j": TensorProto.INT32,
    }
    inputs = [port(name, dtype) for name, dtype in sources.items()]
    for op, reads in product(MIXED, GIVEN):
        attributes = {"axis": 0} if op == "Concat" else {"direction": "LEFT"} if op == "BitShift" else {}
        made = model([node(op, reads, "y", **attributes)], inputs=inputs, outputs=[onnx.ValueInfoProto(name="y")])
        yield done(f"mixed: {op} ({reads})", made)


def cases() -> Iterator[Case]:
    yield from _bare()
    yield from _removed()
    yield from _declared()
    yield from _other_types()
    yield from _constants()
    yield from _attributes()
    yield from _versions()
    yield from _functions()
    yield from _mixed()
