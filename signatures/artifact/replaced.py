"""What ONNX Runtime takes away or replaces before it looks up kernels: operators made of others, nodes that its level-1
optimizations remove, and what serves nothing but a shape.
"""

from __future__ import annotations

from signatures.artifact.flow import Scope
from signatures.artifact.ir import Node

# Operators that onnx defines by others, depending on attributes, types and shapes (has_context_dependent_function).
# Without a kernel they may still run; the number is the opset of the first such definition. Those of the second set are
# always made of the same others.
BY_CONTEXT = {
    "Attention": 23, "Bernoulli": 15, "CastLike": 15, "CausalConvWithState": 27, "Celu": 12, "CenterCropPad": 18,
    "Clip": 13, "DepthToSpace": 28, "Gelu": 20, "GroupNormalization": 18, "LayerNormalization": 1,
    "LinearAttention": 27, "LogSoftmax": 13, "NegativeLogLikelihoodLoss": 12, "RMSNormalization": 23, "Range": 27,
    "RotaryEmbedding": 23, "SequenceMap": 17, "Softmax": 13, "SoftmaxCrossEntropyLoss": 12, "SpaceToDepth": 28,
}  # fmt: skip
BY_OTHERS = frozenset(
    (
        "AffineGrid", "BlackmanWindow", "DynamicQuantizeLinear", "Elu", "GreaterOrEqual", "HammingWindow", "HannWindow",
        "HardSigmoid", "HardSwish", "LeakyRelu", "LessOrEqual", "MeanVarianceNormalization", "Mish", "PRelu",
        "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "Selu", "Shrink", "Softplus",
        "Softsign", "SwiGLU", "Swish", "ThresholdedRelu",
    )
)  # fmt: skip
# Nodes that level-1 optimizations take away or replace before kernels are looked up.
REMOVED = frozenset(
    (
        "Dropout", "Slice", "Unsqueeze", "Squeeze", "Expand", "Cast", "Transpose", "Reshape", "Pad", "Where",
        "QuantizeLinear", "DequantizeLinear", "Concat", "Split", "Gather", "If", "STFT",
    )
)  # fmt: skip
BEFORE = {
    "Relu": ("Clip", "QuantizeLinear"),
    "Clip": ("QuantizeLinear", "Relu"),
    "Not": ("Where",),
}  # merged into these
WITH_CONSTANT = frozenset(
    ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mod", "PRelu", "BatchNormalization")
)  # folded into a neighbour, or no-ops


FLOAT = 1
SUB_BYTE = frozenset((21, 22, 23, 25, 26))  # two Casts through one of these are not made one


def for_shapes(scope: Scope) -> frozenset[int]:
    """Nodes (by id) whose results nothing but a Shape reads: where shape inference settles it, they go with it."""
    found: set[int] = set()
    for node in reversed(scope.nodes):
        if any(name in scope.outputs for name in node.outputs):
            continue
        readers = [reader for name in node.outputs for reader, _ in scope.readers.get(name, ())]
        idle = node.op in REMOVED or node.op == "Identity"  # taken away where nothing reads it
        if (readers or idle) and all(reader.op == "Shape" or id(reader) in found for reader in readers):
            found.add(id(node))
    return frozenset(found)


def may_go(scope: Scope, node: Node) -> bool:
    """Whether the optimizer may take a node away before kernels are looked up."""
    if node.domain:
        return False
    if node.op in BEFORE:
        readers = [reader.op for name in node.outputs for reader, _ in scope.readers.get(name, ())]
        return any(reader in BEFORE[node.op] for reader in readers)
    if node.op == "Identity" or (node.op == "Cast" and scope.dtype(node) == FLOAT and node.int("to") in SUB_BYTE):
        return False  # one that goes is `passed_through`, and without a kernel it is not folded
    if node.op in WITH_CONSTANT:
        return any(name in scope.constant for name in node.inputs)
    return node.op in REMOVED


def passed_through(scope: Scope, node: Node) -> bool:
    """Whether the optimizer surely removes a node: the Shape of static dimensions, an Identity that is not all there is
    between an input and an output of its graph."""
    if node.op == "Shape" and not node.domain and scope.folded(node):
        return True
    if node.op != "Identity" or node.domain or not node.inputs:
        return False
    return node.inputs[0] in scope.producer or not any(name in scope.outputs for name in node.outputs)
