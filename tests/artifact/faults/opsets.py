"""Format versions and operator sets."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import helper

from tests.artifact.faults.case import Case, done, model, node, port

IMPORTS = (
    (("ai.onnx", 17),),
    (("ai.onnx", 99),),
    (("ai.onnx", 99), ("", 17)),
    (("", 17), ("ai.onnx", 99)),
    (("", 99), ("ai.onnx", 17)),
    (("ai.onnx", 17), ("", 99)),
    (("", 17), ("", 99)),
    (("", 99), ("", 17)),
    (("", 17), ("", 17)),
    (("", 13), ("", 17)),
    (("ai.onnx", 13), ("", 17)),
    (("", 17), ("ai.onnx.ml", 3)),
    (("", 17), ("ai.onnx.ml", 99)),
    (("", 17), ("ai.onnx.ml", 99), ("ai.onnx.ml", 3)),
    (("ai.onnx.ml", 3),),
    (("", 17), ("ai.onnx.ml", 0)),
    (("", 17), ("ai.onnx.ml", -1)),
    (("", 17), ("com.microsoft", 1)),
    (("", 17), ("com.microsoft", 99)),
    (("", 17), ("com.microsoft", 0)),
    (("com.microsoft", 1),),
    (("", 17), ("unused.domain", 1)),
    (("", 17), ("unused.domain", 99)),
    (("unused.domain", 1),),
    (("", 17), ("ai.onnx.training", 1)),
    (("", 17), ("ai.onnx.training", 99)),
    (("", 17), ("ai.onnx.preview.training", 1)),
    (("", 17), ("ai.onnx.preview.training", 9)),
    (("", 17), ("ai.onnx.preview", 1)),
    (("", 17), ("com.microsoft.nchwc", 1)),
    (("", 17), ("com.microsoft.nchwc", 99)),
    (("", 17), ("com.ms.internal.nhwc", 17)),
    (("", 17), ("com.ms.internal.nhwc", 99)),
    (("", 17), ("com.microsoft.experimental", 9)),
    (("", 17), ("org.pytorch.aten", 9)),
    (("", 17), ("AI.ONNX", 17)),
    (("AI.ONNX", 17),),
    (("", 17), ("ai.onnx ", 17)),
    (),
    (("", 17), ("com.microsoft.dml", 9)),
    (("ai.onnx", 99), ("", 17), ("ai.onnx", 98)),
    (("ai.onnx", 17), ("ai.onnx", 99)),
    (("ai.onnx", 99), ("ai.onnx", 17)),
    (("", 0), ("ai.onnx", 17)),
    (("ai.onnx", 17), ("", 0)),
    (("", 0), ("", 17)),
    (("", 17), ("", 0)),
    (("", 17), ("", -1)),
)


def cases() -> Iterator[Case]:
    relu = [node("Relu", "x", "y")]
    for ir in (-(1 << 40), -1, *range(18), 99, 1 << 31, 1 << 40):
        yield done(f"ir: {ir}", model(relu, ir=ir))
    for version in (-(1 << 40), -1, *range(34), 99, 1 << 31, 1 << 32, (1 << 32) + 17, 1 << 40):
        yield done(f"opset: {version}", model(relu, opsets=(("", version),)))
        yield done(f"opset without nodes: {version}", model([], opsets=(("", version),), outputs=[port("x")]))
    for version in (-1, *range(10), 99, 1 << 33):
        yield done(f"ml: {version}", model(relu, opsets=(("", 17), ("ai.onnx.ml", version))))
        scaled = [node("Scaler", "x", "y", domain="ai.onnx.ml", offset=[0.0], scale=[1.0])]
        yield done(f"ml used: {version}", model(scaled, opsets=(("", 17), ("ai.onnx.ml", version))))
    for pairs in IMPORTS:
        yield done(f"imports: {pairs}", model(relu, opsets=pairs))
        yield done(f"imports, named domain: {pairs}", model([node("Relu", "x", "y", domain="ai.onnx")], opsets=pairs))
        scaled = [node("Scaler", "x", "y", domain="ai.onnx.ml", offset=[0.0], scale=[1.0])]
        yield done(f"imports, ml node: {pairs}", model(scaled, opsets=pairs))
        gelu = [node("Gelu", "x", "y", domain="com.microsoft")]
        yield done(f"imports, contrib node: {pairs}", model(gelu, opsets=pairs))
        yield done(f"imports, no nodes: {pairs}", model([], opsets=pairs, outputs=[port("x")]))
    for domain in (
        "some.domain",
        "com.unknown",
        "com.microsoft.experimental",
        "com.microsoft.nchwc",
        "com.ms.dml",
        "com.xilinx",
        "ai.onnx.training",
        "ai.onnx.preview.training",
        "com.ms.internal.nhwc",
        "org.pytorch.aten",
        "com.microsoft.dml",
        "ai.onnx.contrib",
        "com.microsoft.extensions",
    ):
        thing = [node("Thing", "x", "y", domain=domain)]
        for pairs in ((("", 17), (domain, 1)), (("", 17),), ((domain, 1),)):
            yield done(f"domain: {domain} {len(pairs)} {pairs[0][0]}", model(thing, opsets=pairs))
    for number, imports in enumerate(
        (
            [("", 17)],
            [],
            [("", 99)],
            [("", 99), ("", 17)],
            [("", 17), ("ai.onnx", 99)],
            [("ai.onnx", 17)],
            [("", 13)],
            [("", 18)],
            [("", 17), ("some.domain", 1)],
            [("some.domain", 1)],
            [("", 0)],
            [("", -1)],
            [("", 17), ("ai.onnx.ml", 99)],
            [("ai.onnx.ml", 3)],
            [("", 17), ("", 17)],
            [("", 30)],
        )
    ):
        for called in (True, False):
            for outer in (17, 13):
                ids = [helper.make_opsetid(domain, version) for domain, version in imports]
                body = helper.make_function("l", "F", ["a"], ["b"], [node("Relu", "a", "b")], ids)
                nodes = [node("F", "x", "y", domain="l")] if called else relu
                made = model(nodes, opsets=(("", outer), ("l", 1)), functions=[body])
                yield done(f"function imports: {imports} called {called} in {outer} #{number}", made)
    body = helper.make_function("l", "F", ["a"], ["b"], [node("Relu", "a", "b")], [helper.make_opsetid("", 17)])
    for pairs in ((("", 17),), (("", 17), ("l", 1)), (("", 17), ("l", 99)), (("l", 1),), (("", 17), ("l", -1)), ()):
        yield done(
            f"function domain import: {pairs}", model([node("F", "x", "y", domain="l")], opsets=pairs, functions=[body])
        )
