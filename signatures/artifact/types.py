"""Element types of values, carried along a graph by simple rules.

Not ONNX shape inference: that stops at operators without a schema, which baked copies are, and is C++ on hostile input.
A rule that is not here gives None, never a guess.
"""

from __future__ import annotations

from signatures.artifact.ir import Graph, Node

F32, U8, I32, I64, BOOL, F16 = 1, 2, 6, 7, 9, 10

Types = dict[str, int]

_BOOL = frozenset(
    (
        "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "And", "Or", "Not", "Xor", "IsNaN", "IsInf",
    )
)  # fmt: skip
_INT64 = frozenset(["Shape", "Size", "NonZero", "ArgMax", "ArgMin", "NonMaxSuppression"])
_LIKE_FIRST = frozenset(
    (
        "Abs", "Neg", "Floor", "Ceil", "Reciprocal", "Sqrt", "Exp", "Log", "Erf", "Sin", "Cos", "Tan", "Asin", "Acos",
        "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Tanh", "Sigmoid", "Relu", "LeakyRelu", "Elu", "Selu",
        "Celu", "Softplus", "Softsign", "HardSigmoid", "HardSwish", "ThresholdedRelu", "Sign", "Round", "Softmax",
        "LogSoftmax", "Hardmax", "Identity", "Flatten", "Trilu", "Gelu", "Mish", "BitwiseNot", "Det", "Add", "Sub",
        "Mul", "Div", "Pow", "Mod", "Max", "Min", "Mean", "Sum", "PRelu", "MatMul", "Gemm", "BitwiseAnd", "BitwiseOr",
        "BitwiseXor", "BitShift", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
        "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp", "CumSum", "Clip", "Reshape", "Transpose",
        "Squeeze", "Unsqueeze", "Expand", "Tile", "Concat", "Split", "Slice", "Pad", "Gather", "GatherElements",
        "GatherND", "ScatterND", "ScatterElements", "Scatter", "Range", "DepthToSpace", "SpaceToDepth", "Resize",
        "Upsample", "Einsum", "Conv", "ConvTranspose", "AveragePool", "GlobalAveragePool", "GlobalMaxPool",
        "InstanceNormalization", "BatchNormalization", "LayerNormalization", "SimplifiedLayerNormalization",
        "GroupNormalization", "RMSNormalization", "LRN", "LpNormalization", "MeanVarianceNormalization",
        "MemcpyFromHost", "MemcpyToHost", "Compress", "ReverseSequence", "GridSample", "RoiAlign", "Shrink", "Swish",
        "RotaryEmbedding", "Attention", "EyeLike", "TensorScatter", "LpPool", "CenterCropPad", "RandomNormalLike",
        "RandomUniformLike", "Bernoulli", "DFT", "STFT", "Col2Im", "AffineGrid", "com.microsoft.Trilu",
        "com.microsoft.Inverse", "Unique", "LSTM", "GRU", "RNN", "com.microsoft.FastGelu",
        "com.microsoft.Gelu", "com.microsoft.QuickGelu", "com.microsoft.BiasGelu", "com.microsoft.BiasAdd",
        "com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization",
        "com.microsoft.RotaryEmbedding", "com.microsoft.MatMulNBits", "com.microsoft.MultiHeadAttention",
        "com.microsoft.GroupQueryAttention", "com.microsoft.FusedConv", "com.microsoft.Attention",
        "com.microsoft.FusedMatMul", "com.microsoft.BiasSplitGelu", "com.microsoft.GroupNorm",
        "com.microsoft.LinearAttention", "com.microsoft.CausalConvWithState", "com.microsoft.MoE", "com.microsoft.QMoE",
    )
)  # fmt: skip
_LIKE_SLOT = {"OneHot": 2, "CastLike": 1, "DequantizeLinear": 1, "com.microsoft.GatherBlockQuantized": 2}
ELEMENTWISE = frozenset(
    (
        "Add", "Sub", "Mul", "Div", "Pow", "Mod", "Max", "Min", "Mean", "Sum", "PRelu", "And", "Or", "Xor", "Equal",
        "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Where",
    )
)  # fmt: skip
SAME_SHAPE = frozenset(
    (
        "Abs", "Neg", "Floor", "Ceil", "Reciprocal", "Sqrt", "Exp", "Log", "Erf", "Sin", "Cos", "Tan", "Asin", "Acos",
        "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Tanh", "Sigmoid", "Relu", "LeakyRelu", "Elu", "Selu",
        "Celu", "Softplus", "Softsign", "HardSigmoid", "HardSwish", "ThresholdedRelu", "Sign", "Round", "Not", "IsNaN",
        "IsInf", "Softmax", "LogSoftmax", "Hardmax", "Identity", "Dropout", "Cast", "CastLike", "Trilu", "Gelu", "Mish",
        "BitwiseNot", "CumSum", "Clip", "MemcpyFromHost", "MemcpyToHost", "Swish", "Shrink", "EyeLike", "LRN",
        "LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization", "GroupNormalization",
        "InstanceNormalization", "BatchNormalization", "LpNormalization", "MeanVarianceNormalization",
        "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "ScatterND", "ScatterElements", "TensorScatter",
        "RotaryEmbedding", "ReverseSequence", "com.microsoft.FastGelu", "com.microsoft.Gelu",
        "com.microsoft.QuickGelu", "com.microsoft.BiasGelu", "com.microsoft.RotaryEmbedding",
        "com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization",
        "com.microsoft.CausalConvWithState", "com.microsoft.MoE", "com.microsoft.QMoE", "com.microsoft.BiasAdd",
    )
)  # fmt: skip


def key(node: Node) -> str:
    """'Add', 'com.microsoft.FastGelu': the name of an operator in tables."""
    return f"{node.domain}.{node.op}" if node.domain else node.op


def infer(graph: Graph, outer: Types | None = None) -> Types:
    """Element types by value name, with those of enclosing graphs."""
    types: Types = dict(outer or {})
    for value in (*graph.values.values(), *graph.outputs, *graph.inputs):
        if value.dtype:
            types[value.name] = value.dtype
    for tensor in graph.tensors:
        types[tensor.name] = tensor.dtype
    types.pop("", None)
    pending = graph.nodes
    for _ in range(3):  # files may be unsorted; three passes settle all but the contrived
        pending = [node for node in pending if not _node(node, types)]
        if not pending:
            break
    return types


def _node(node: Node, types: Types) -> bool:
    """Adds what is known of the outputs; False where another pass may know more."""
    found = output_types(node, types)
    for name, dtype in zip(node.outputs, found, strict=False):
        if name and dtype is not None:
            types.setdefault(name, dtype)
    return bool(found) and found[0] is not None


def output_types(node: Node, types: Types) -> tuple[int | None, ...]:
    """Element types of a node's outputs, None for each unknown one; empty where no rule covers the operator."""
    ins = [types.get(name) for name in node.inputs]
    op = key(node)
    first = ins[0] if ins else None
    if op in _BOOL:
        return (BOOL,)
    if op in _INT64:
        return (I64,)
    if op == "TopK":
        return (first, I64)
    if op in ("MaxPool", "Dropout"):
        return (first, I64 if op == "MaxPool" else BOOL)
    if op in _LIKE_FIRST:
        if op == "com.microsoft.GroupQueryAttention":
            past = ins[3] if len(ins) > 3 else None
            return (first, past or first, past or first)
        known = first if first is not None or op in ("Gather",) else next((t for t in ins if t), None)
        return (known if op in ELEMENTWISE or op == "Concat" else first,) * max(1, len(node.outputs))
    return _special(op, node, ins)


def _special(op: str, node: Node, ins: list[int | None]) -> tuple[int | None, ...]:
    def at(slot: int) -> int | None:
        return ins[slot] if slot < len(ins) else None

    if op == "Cast":
        return (node.int("to"),)
    if op == "Constant":
        return (_constant(node),)
    if op == "ConstantOfShape":
        value = node.tensor()
        return (value.dtype if value else F32,)
    if op == "Where":
        return (at(1) or at(2),)
    if op in _LIKE_SLOT:
        return (at(_LIKE_SLOT[op]),)
    if op == "QuantizeLinear":
        return (at(2) or (node.int("output_dtype") or U8 if len(node.inputs) < 3 else None),)
    if op == "DynamicQuantizeLinear":
        return (U8, F32, U8)
    if op in ("MatMulInteger", "ConvInteger"):
        return (I32,)
    if op in ("If", "Loop", "Scan"):
        return _control(op, node)
    if op in ("RandomNormal", "RandomUniform"):
        return (node.int("dtype") or F32,)
    return ()


def _control(op: str, node: Node) -> tuple[int | None, ...]:
    body = next(iter(node.graphs.values()), None)
    if body is None:
        return ()
    outputs = body.outputs[1:] if op == "Loop" else body.outputs
    return tuple(value.dtype for value in outputs)


def _constant(node: Node) -> int | None:
    value = node.tensor()
    if value is not None:
        return value.dtype
    kinds = {"value_int": I64, "value_ints": I64, "value_float": F32, "value_floats": F32, "value_string": 8}
    return next((kinds[name] for name in node.attributes if name in kinds), None)
