"""What deploy/probe_ep.py asks of each operator: one line per operator, with the inputs it is opened with.

An input is 'T:2x3' (of the probed type), 'f32:2x3' (a graph input of its own type), 'i64=1,2' (a constant), 'i64=@1' (a
constant scalar), or '' (left out). A key with `->` or `/` is a variant that `signatures.artifact.copies.row_key` names.
The operators are those that exporters of decoders, vision and speech models emit: the GenAI model builder, Mobius,
Olive, optimum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

UNARY = (
    "Abs Neg Floor Ceil Reciprocal Sqrt Exp Log Erf Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Tanh "
    "Sigmoid Relu LeakyRelu Elu Selu Celu Softplus Softsign HardSigmoid HardSwish ThresholdedRelu Sign Round Not IsNaN "
    "IsInf Softmax LogSoftmax Hardmax Identity Dropout Flatten NonZero Trilu Gelu Mish Swish BitwiseNot Det EyeLike "
    "Shrink LpNormalization MeanVarianceNormalization Unique RandomNormalLike RandomUniformLike Bernoulli "
    "com.microsoft.FastGelu com.microsoft.Gelu com.microsoft.QuickGelu com.microsoft.Trilu com.microsoft.Inverse"
)
BINARY = (
    "Add Sub Mul Div Pow Mod Max Min Mean Sum And Or Xor Equal Greater Less GreaterOrEqual LessOrEqual PRelu MatMul "
    "BitwiseAnd BitwiseOr BitwiseXor CastLike com.microsoft.FusedMatMul"
)
REDUCE = "ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp"
CASTS = {"f32": 1, "f16": 10, "i32": 6, "i64": 7, "bool": 9, "u8": 2, "u32": 12, "i8": 3, "bf16": 16, "f64": 11}
CODES = {**CASTS, "u16": 4}


class Spec(NamedTuple):
    key: str
    inputs: tuple[str, ...]
    attributes: dict[str, Any]
    outputs: int = 1

    @property
    def op(self) -> str:
        """'Cast' of 'Cast->i64', 'com.microsoft.MoE' of itself."""
        return self.key.partition("->")[0].partition("/")[0]


def specs(opset: int) -> list[Spec]:
    """All operators as they are written at one opset of ai.onnx."""
    t = "T:4x4"
    out = [Spec(op, (t,), {}) for op in UNARY.split()]
    # Of static dimensions these are folded before they are placed.
    out += [Spec(op, ("T:Nx4",), {}) for op in ("Shape", "Size")]
    out += [Spec(op, (t, t), {}) for op in BINARY.split()]
    out += [Spec(f"Cast->{name}", (t,), {"to": code}) for name, code in CASTS.items()]
    for op in REDUCE.split():
        out.append(Spec(op, (t, "i64=1"), {}) if opset >= 18 else Spec(op, (t,), {"axes": [1]}))
    if opset >= 13:
        out += [
            Spec("ReduceSum", (t, "i64=1"), {}), Spec("Squeeze", ("T:4x1x4", "i64=1"), {}),
            Spec("Unsqueeze", (t, "i64=1"), {}), Spec("Split", (t, "i64=2,2"), {"axis": 0}, 2),
        ]  # fmt: skip
    else:
        out += [
            Spec("ReduceSum", (t,), {"axes": [1]}), Spec("Squeeze", ("T:4x1x4",), {"axes": [1]}),
            Spec("Unsqueeze", (t,), {"axes": [1]}), Spec("Split", (t,), {"axis": 0, "split": [2, 2]}, 2),
        ]  # fmt: skip
    return out + _layout() + _vision(opset) + _sequence() + _contrib()


def _layout() -> list[Spec]:
    t = "T:4x4"
    return [
        Spec("ArgMax", (t,), {"axis": 1}), Spec("ArgMin", (t,), {"axis": 1}), Spec("TopK", (t, "i64=2"), {}, 2),
        Spec("CumSum", (t, "i32=@1"), {}), Spec("Clip", (t, "T:", "T:"), {}), Spec("Where", ("bool:4x4", t, t), {}),
        Spec("Reshape", (t, "i64=2,8"), {}), Spec("Transpose", (t,), {"perm": [1, 0]}),
        Spec("Expand", (t, "i64=3,4,4"), {}), Spec("Tile", (t, "i64=2,2"), {}), Spec("Concat", (t, t), {"axis": 0}),
        Spec("Slice", (t, "i64=0", "i64=2", "i64=1", "i64=1"), {}), Spec("Pad", (t, "i64=1,1,1,1", "T:"), {}),
        Spec("Gather", (t, "i64=0,1"), {"axis": 0}), Spec("GatherElements", (t, "i64:4x4"), {"axis": 0}),
        Spec("GatherND", (t, "i64:4x1"), {}), Spec("ScatterND", (t, "i64:2x1", "T:2x4"), {}),
        Spec("ScatterElements", (t, "i64:2x4", "T:2x4"), {}), Spec("Range", ("T:", "T:", "T:"), {}),
        Spec("ConstantOfShape", ("i64:2",), {}), Spec("OneHot", ("i64:4", "i64=@4", "T:2"), {}),
        Spec("Compress", (t, "bool:4"), {"axis": 0}), Spec("ReverseSequence", (t, "i64:4"), {}),
        Spec("BitShift", (t, t), {"direction": "LEFT"}), Spec("Einsum", (t, t), {"equation": "ij,jk->ik"}),
        Spec("Gemm", (t, t, "T:4"), {}), Spec("MatMulInteger", (t, t), {}),
        Spec("DequantizeLinear", (t, "f32=@1"), {}), Spec("QuantizeLinear", (t, "f32=@1"), {}),
        Spec("DynamicQuantizeLinear", (t,), {}, 3), Spec("RandomNormal", (), {"shape": [4, 4]}),
        Spec("RandomUniform", (), {"shape": [4, 4]}), Spec("Multinomial", ("T:2x4",), {"sample_size": 1}),
        Spec("CenterCropPad", (t, "i64=2,2"), {}), Spec("TensorScatter", ("T:1x4x4", "T:1x2x4", "i64:1"), {}),
        Spec("LayerNormalization", (t, "T:4", "T:4"), {}), Spec("RMSNormalization", (t, "T:4"), {}),
        Spec("SimplifiedLayerNormalization", (t, "T:4"), {"axis": -1}),
    ]  # fmt: skip


def _vision(opset: int) -> list[Spec]:
    img, kernel = "T:1x4x8x8", "T:4x4x3x3"
    roi, scales = ("f32=0,0,0,0,1,1,1,1", "f32:0") if opset < 13 else ("", "")  # both were required
    return [
        Spec("DepthToSpace", (img,), {"blocksize": 2}), Spec("SpaceToDepth", (img,), {"blocksize": 2}),
        Spec("Resize", (img, roi, "f32=1,1,2,2"), {}), Spec("Resize/sizes", (img, roi, scales, "i64=1,4,16,16"), {}),
        Spec("Conv", (img, kernel, "T:4"), {}), Spec("ConvTranspose", (img, kernel, "T:4"), {}),
        Spec("MaxPool", (img,), {"kernel_shape": [2, 2]}), Spec("AveragePool", (img,), {"kernel_shape": [2, 2]}),
        Spec("LpPool", (img,), {"kernel_shape": [2, 2]}), Spec("GlobalAveragePool", (img,), {}),
        Spec("GlobalMaxPool", (img,), {}), Spec("LRN", (img,), {"size": 3}),
        Spec("InstanceNormalization", (img, "T:4", "T:4"), {}),
        Spec("GroupNormalization", (img, "T:4", "T:4"), {"num_groups": 2}),
        Spec("BatchNormalization", (img, "T:4", "T:4", "T:4", "T:4"), {}),
        Spec("GridSample", (img, "T:1x4x4x2"), {}), Spec("RoiAlign", (img, "T:2x4", "i64:2"), {}),
        Spec("NonMaxSuppression", ("T:1x4x4", "T:1x2x4", "i64=2", "f32=0.5", "f32=0.5"), {}),
        Spec("Col2Im", ("T:1x5x5", "i64=5,5", "i64=1,5"), {}), Spec("AffineGrid", ("T:1x2x3", "i64=1,1,4,4"), {}),
    ]  # fmt: skip


def _sequence() -> list[Spec]:
    head = "T:1x2x4x8"
    return [
        Spec("LSTM", ("T:2x1x4", "T:1x16x4", "T:1x16x4"), {"hidden_size": 4}),
        Spec("GRU", ("T:2x1x4", "T:1x12x4", "T:1x12x4"), {"hidden_size": 4}),
        Spec("RNN", ("T:2x1x4", "T:1x4x4", "T:1x4x4"), {"hidden_size": 4}),
        Spec("Attention", (head, head, head), {}), Spec("Attention/mask", (head, head, head, "T:4x4"), {}),
        Spec("Attention/past", (head, head, head, "T:4x8", head, head), {}, 3),
        Spec("RotaryEmbedding", (head, "T:16x4", "T:16x4", "i64:1x4"), {}),
        Spec("STFT", ("T:1x16x1", "i64=@4", "T:8"), {}), Spec("DFT", ("T:1x8x1",), {}),
        Spec("HannWindow", ("i64:",), {}), Spec("If", ("bool:",), {}),
        Spec("Loop", ("i64:", "bool:", "f32:4x4"), {}), Spec("Scan", ("f32:4x4",), {"num_scan_inputs": 1}),
    ]  # fmt: skip


def _contrib() -> list[Spec]:
    row, three = "T:1x2x8", ("T:1x2x8",) * 3
    gqa = ("T:1x1x16",) * 3 + ("T:1x2x8x8",) * 2 + ("i32:1", "i32:")
    nbits = {"K": 32, "N": 8, "bits": 4, "block_size": 32}
    moe = {"k": 2, "activation_type": "silu", "normalize_routing_weights": 1}
    found = [
        Spec("BiasAdd", ("T:1x2x320", "T:320", "T:1x2x320"), {}), Spec("BiasGelu", ("T:4x4", "T:4"), {}),
        Spec("BiasSplitGelu", ("T:1x2x2560", "T:2560"), {}),
        Spec("SkipLayerNormalization", ("T:1x2x4", "T:1x2x4", "T:4", "T:4", "T:4"), {}),
        Spec("SkipSimplifiedLayerNormalization", ("T:1x2x4", "T:1x2x4", "T:4", "T:4"), {}),
        Spec("RotaryEmbedding", (row, "i64:1x2", "T:16x2", "T:16x2"), {"num_heads": 2}),
        Spec("MatMulNBits", ("T:1x32", "u8:8x1x16", "T:8", "u8:8"), nbits),
        Spec("MatMulNBits/8", ("T:1x32", "u8:8x1x32", "T:8", "u8:8"), nbits | {"bits": 8}),
        Spec("MatMulNBits/bias", ("T:1x32", "u8:8x1x16", "T:8", "", "", "T:8"), nbits),
        Spec("MatMulBnb4", ("T:1x32", "u8:128", "T:8"), {"K": 32, "N": 8, "block_size": 32, "quant_type": 1}),
        Spec("GatherBlockQuantized", ("u8:4x16", "i64:2", "T:4x1"), {"block_size": 32, "quantize_axis": 1, "bits": 4}),
        Spec("MultiHeadAttention", three, {"num_heads": 2}),
        Spec("MultiHeadAttention/past", (*three, "", "", "T:1x2x2x4", "T:1x2x2x4", "T:1x2x2x4"), {"num_heads": 2}, 3),
        Spec("Attention", (row, "T:8x24", "T:24"), {"num_heads": 2}),
        Spec("GroupQueryAttention", gqa, {"num_heads": 2, "kv_num_heads": 2}, 3),
        Spec("GroupQueryAttention/rotary", (*gqa, "T:16x4", "T:16x4"),
             {"num_heads": 2, "kv_num_heads": 2, "do_rotary": 1}, 3),
        Spec("GroupQueryAttention/packed", ("T:1x1x48", "", "", *gqa[3:], "T:16x4", "T:16x4"),
             {"num_heads": 2, "kv_num_heads": 2, "do_rotary": 1}, 3),
        Spec("LinearAttention", ("T:1x2x8", "T:1x2x8", "T:1x2x8", "T:1x2x4x4", "T:1x2x2", "T:1x2x2"),
             {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": "gated_delta"}, 2),
        Spec("CausalConvWithState", ("T:1x8x2", "T:8x1x4", "T:8", "T:1x8x3"), {"activation": "silu"}, 2),
        Spec("MoE", ("T:2x8", "T:2x4", "T:4x8x8", "", "T:4x8x8"), moe),
        Spec("QMoE", ("T:2x32", "T:2x4", "u8:4x32x16", "T:4x32", "", "u8:4x32x16", "T:4x32"),
             moe | {"expert_weight_bits": 4}),
        Spec("FusedConv", ("T:1x4x8x8", "T:4x4x3x3", "T:4"), {"activation": "Relu"}),
        Spec("GroupNorm", ("T:1x8x8x32", "f32:32", "f32:32"), {"groups": 4, "activation": 0}),
        Spec("SkipGroupNorm", ("T:1x8x8x32", "f32:32", "f32:32", "T:1x8x8x32"), {"groups": 4, "activation": 0}),
        Spec("QAttention", ("u8:1x2x8", "i8:8x24", "T:24", "T:", "T:"), {"num_heads": 2}),
        Spec("DynamicQuantizeMatMul", ("T:4x4", "u8:4x4", "T:4"), {}),
        Spec("MatMulIntegerToFloat", ("u8:4x4", "u8:4x4", "T:", "T:"), {}),
        Spec("DequantizeLinear", ("u8:4x4", "T:", "u8:"), {}), Spec("QuantizeLinear", ("T:4x4", "T:", "u8:"), {}),
        Spec("EmbedLayerNormalization",
             ("i32:1x2", "i32:1x2", "T:8x4", "T:8x4", "T:2x4", "T:4", "T:4"), {}, 2),
        Spec("RelativePositionBias", ("T:32x2", "i64=@4", "i64=@4"), {"max_distance": 128}),
    ]  # fmt: skip
    return [spec._replace(key=f"com.microsoft.{spec.key}") for spec in found]
