"""Measures where a real onnxruntime build places operators, and writes placement tables for `signatures.artifact`.

Run it with the interpreter of a throw-away environment that holds the build and `onnx`:

    VK_DRIVER_FILES=.../vk_swiftshader_icd.json LD_LIBRARY_PATH=/usr/lib/chromium \\
      venv/bin/python deploy/probe_ep.py webgpu --adapter SwiftShader --out signatures/artifact/ep_tables/webgpu

Sessions are opened in child processes, since a probe may crash a driver. Nothing is executed, only opened.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import Any

DTYPES = ("f32", "f16", "i32", "i64", "bool", "u8", "u32", "i8")
CAPTURE = "ep.webgpuexecutionprovider.enableGraphCapture"
INT64 = "ep.webgpuexecutionprovider.enableInt64"
DUPLICATE = "Duplicate definition of name"
GPU_CASTS = (1, 6, 7, 9, 10, 12)  # element types that Cast to and from f32 on the GPU under capture
NO_FALLBACK = "session.disable_cpu_ep_fallback"

UNARY = [
    "Abs",
    "Neg",
    "Floor",
    "Ceil",
    "Reciprocal",
    "Sqrt",
    "Exp",
    "Log",
    "Erf",
    "Sin",
    "Cos",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
    "Sinh",
    "Cosh",
    "Asinh",
    "Acosh",
    "Atanh",
    "Tanh",
    "Sigmoid",
    "Relu",
    "LeakyRelu",
    "Elu",
    "Selu",
    "Celu",
    "Softplus",
    "Softsign",
    "HardSigmoid",
    "HardSwish",
    "ThresholdedRelu",
    "Sign",
    "Round",
    "Not",
    "IsNaN",
    "IsInf",
    "Softmax",
    "LogSoftmax",
    "Hardmax",
    "Identity",
    "Dropout",
    "Flatten",
    "NonZero",
    "Trilu",
    "Gelu",
    "Mish",
    "BitwiseNot",
    "Det",
    "EyeLike",
    "com.microsoft.FastGelu",
    "com.microsoft.Gelu",
    "com.microsoft.QuickGelu",
]
BINARY = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Mod",
    "Max",
    "Min",
    "Mean",
    "Sum",
    "And",
    "Or",
    "Xor",
    "Equal",
    "Greater",
    "Less",
    "GreaterOrEqual",
    "LessOrEqual",
    "PRelu",
    "MatMul",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "CastLike",
]
REDUCE_ATTR = "ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp"


def specs(opset: int) -> list[tuple[str, str, list[str], dict[str, Any], int]]:
    """(key, operator, inputs, attributes, outputs). An input is 'T:2x3' (of the probed type), 'f32:2x3' (a graph input
    of its own type) or 'i64=1,2' (a constant); '' is left out."""
    t = "T:4x4"
    out: list[tuple[str, str, list[str], dict[str, Any], int]] = [(op, op, [t], {}, 1) for op in UNARY]
    # Of static dimensions these are folded before they are placed.
    out += [(op, op, ["T:Nx4"], {}, 1) for op in ("Shape", "Size")]
    out += [(op, op, [t, t], {}, 1) for op in BINARY]
    for name, code in (("f32", 1), ("f16", 10), ("i32", 6), ("i64", 7), ("bool", 9), ("u8", 2), ("u32", 12), ("i8", 3)):
        out.append((f"Cast->{name}", "Cast", [t], {"to": code}, 1))
    for op in REDUCE_ATTR.split():
        axes_input = opset >= 18
        out.append((op, op, [t, "i64=1"] if axes_input else [t], {} if axes_input else {"axes": [1]}, 1))
    img, kernel = "T:1x4x8x8", "T:4x4x3x3"
    out += [
        ("ReduceSum", "ReduceSum", [t, "i64=1"], {}, 1),
        ("ArgMax", "ArgMax", [t], {"axis": 1}, 1),
        ("ArgMin", "ArgMin", [t], {"axis": 1}, 1),
        ("TopK", "TopK", [t, "i64=2"], {}, 2),
        ("CumSum", "CumSum", [t, "i32=@1"], {}, 1),
        ("Clip", "Clip", [t], {}, 1),
        ("Where", "Where", ["bool:4x4", t, t], {}, 1),
        ("Reshape", "Reshape", [t, "i64=2,8"], {}, 1),
        ("Transpose", "Transpose", [t], {"perm": [1, 0]}, 1),
        ("Squeeze", "Squeeze", ["T:4x1x4", "i64=1"], {}, 1),
        ("Unsqueeze", "Unsqueeze", [t, "i64=1"], {}, 1),
        ("Expand", "Expand", [t, "i64=3,4,4"], {}, 1),
        ("Tile", "Tile", [t, "i64=2,2"], {}, 1),
        ("Concat", "Concat", [t, t], {"axis": 0}, 1),
        ("Split", "Split", [t, "i64=2,2"], {"axis": 0}, 2),
        ("Slice", "Slice", [t, "i64=0", "i64=2", "i64=1", "i64=1"], {}, 1),
        ("Pad", "Pad", [t, "i64=1,1,1,1"], {}, 1),
        ("Gather", "Gather", [t, "i64=0,1"], {"axis": 0}, 1),
        ("GatherElements", "GatherElements", [t, "i64:4x4"], {"axis": 0}, 1),
        ("GatherND", "GatherND", [t, "i64:4x1"], {}, 1),
        ("ScatterND", "ScatterND", [t, "i64:2x1", "T:2x4"], {}, 1),
        ("ScatterElements", "ScatterElements", [t, "i64:2x4", "T:2x4"], {}, 1),
        ("Range", "Range", ["T:", "T:", "T:"], {}, 1),
        ("ConstantOfShape", "ConstantOfShape", ["i64:2"], {}, 1),
        ("OneHot", "OneHot", ["i64:4", "i64=@4", "T:2"], {}, 1),
        ("DepthToSpace", "DepthToSpace", [img], {"blocksize": 2}, 1),
        ("SpaceToDepth", "SpaceToDepth", [img], {"blocksize": 2}, 1),
        ("Resize", "Resize", [img, "", "f32=1,1,2,2"], {}, 1),
        ("Einsum", "Einsum", [t, t], {"equation": "ij,jk->ik"}, 1),
        ("Gemm", "Gemm", [t, t, "T:4"], {}, 1),
        ("Conv", "Conv", [img, kernel], {}, 1),
        ("ConvTranspose", "ConvTranspose", [img, kernel], {}, 1),
        ("MaxPool", "MaxPool", [img], {"kernel_shape": [2, 2]}, 1),
        ("AveragePool", "AveragePool", [img], {"kernel_shape": [2, 2]}, 1),
        ("GlobalAveragePool", "GlobalAveragePool", [img], {}, 1),
        ("GlobalMaxPool", "GlobalMaxPool", [img], {}, 1),
        ("InstanceNormalization", "InstanceNormalization", [img, "T:4", "T:4"], {}, 1),
        ("BatchNormalization", "BatchNormalization", [img, "T:4", "T:4", "T:4", "T:4"], {}, 1),
        ("LayerNormalization", "LayerNormalization", [t, "T:4"], {}, 1),
        ("SimplifiedLayerNormalization", "SimplifiedLayerNormalization", [t, "T:4"], {"axis": -1}, 1),
        ("MatMulInteger", "MatMulInteger", [t, t], {}, 1),
        ("DequantizeLinear", "DequantizeLinear", [t, "f32=@1"], {}, 1),
        ("QuantizeLinear", "QuantizeLinear", [t, "f32=@1"], {}, 1),
        ("DynamicQuantizeLinear", "DynamicQuantizeLinear", [t], {}, 3),
        ("LSTM", "LSTM", ["T:2x1x4", "T:1x16x4", "T:1x16x4"], {"hidden_size": 4}, 1),
        ("GRU", "GRU", ["T:2x1x4", "T:1x12x4", "T:1x12x4"], {"hidden_size": 4}, 1),
        ("If", "If", ["bool:"], {}, 1),
        ("Loop", "Loop", ["i64:", "bool:", "f32:4x4"], {}, 1),
        ("com.microsoft.BiasAdd", "com.microsoft.BiasAdd", ["T:1x2x320", "T:320", "T:1x2x320"], {}, 1),
        ("com.microsoft.BiasGelu", "com.microsoft.BiasGelu", [t, "T:4"], {}, 1),
        ("com.microsoft.SkipLayerNormalization", "com.microsoft.SkipLayerNormalization",
         ["T:1x2x4", "T:1x2x4", "T:4"], {}, 1),
        ("com.microsoft.SkipSimplifiedLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization",
         ["T:1x2x4", "T:1x2x4", "T:4"], {}, 1),
        ("com.microsoft.RotaryEmbedding", "com.microsoft.RotaryEmbedding",
         ["T:1x2x8", "i64:1x2", "T:16x2", "T:16x2"], {"num_heads": 2}, 1),
        ("com.microsoft.MatMulNBits", "com.microsoft.MatMulNBits", ["T:1x32", "u8:8x1x16", "T:8"],
         {"K": 32, "N": 8, "bits": 4, "block_size": 32}, 1),
        ("com.microsoft.MultiHeadAttention", "com.microsoft.MultiHeadAttention",
         ["T:1x2x8", "T:1x2x8", "T:1x2x8"], {"num_heads": 2}, 1),
        ("com.microsoft.GroupQueryAttention", "com.microsoft.GroupQueryAttention",
         ["T:1x1x16", "T:1x1x16", "T:1x1x16", "T:1x2x8x8", "T:1x2x8x8", "i32:1", "i32:"],
         {"num_heads": 2, "kv_num_heads": 2}, 3),
    ]  # fmt: skip
    if opset < 13:  # axes and sizes were attributes
        old = {
            "ReduceSum": ("axes", [1]),
            "Squeeze": ("axes", [1]),
            "Unsqueeze": ("axes", [1]),
            "Split": ("split", [2, 2]),
        }
        out = [
            (key, op, inputs[:1], attributes | {old[op][0]: old[op][1]}, outputs) if op in old else row
            for row in out
            for key, op, inputs, attributes, outputs in (row,)
        ]
    return out


# Below: child process.


def child(jobs: list[dict[str, Any]]) -> None:
    import onnxruntime as ort

    ort.set_default_logger_severity(4)
    for job in jobs:
        data = build(job)
        if data is None:
            say({"id": job["id"], "verdict": "n/a"})
            continue
        options = ort.SessionOptions()
        options.log_severity_level = 4
        for key, value in job["config"].items():
            options.add_session_config_entry(key, value)
        try:
            ort.InferenceSession(data, options, providers=[job["provider"]], enable_fallback=0)
            verdict = "opens"
        except Exception as error:  # whatever the runtime says is the measurement
            verdict = " ".join(str(error).split())
        say({"id": job["id"], "verdict": verdict})


def say(answer: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def build(job: dict[str, Any]) -> bytes | None:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    codes = {"f32": 1, "f16": 10, "i32": 6, "i64": 7, "bool": 9, "u8": 2, "u32": 12, "i8": 3}
    nodes, graph_inputs, constants, names = [], [], [], []
    for slot, spec in enumerate(job["inputs"]):
        name = f"in{slot}" if spec else ""
        names.append(name)
        if not spec:
            continue
        kind = spec.split(":")[0].split("=")[0]
        code = codes[job["dtype"] if kind == "T" else kind]
        through = job["slot"] == slot
        if "=" in spec:
            values = spec.split("=")[1]
            scalar = values.startswith("@")
            array = np.array([float(v) for v in values.lstrip("@").split(",")]).astype(
                helper.tensor_dtype_to_np_dtype(code)
            )
            array = array[0] if scalar else array
            dims: list[Any] = list(np.shape(array))
            if not through:
                constants.append(numpy_helper.from_array(np.asarray(array), name))
                continue
        else:
            text = spec.split(":")[1]
            dims = [int(d) if d.isdecimal() else d for d in text.split("x")] if text else []
        if through:
            graph_inputs.append(helper.make_tensor_value_info(name + "_host", code, dims))
            nodes.append(helper.make_node("MemcpyFromHost", [name + "_host"], [name], name=f"copy{slot}"))
        elif job["sandwich"] and code in GPU_CASTS:
            graph_inputs.append(helper.make_tensor_value_info(name + "_raw", TensorProto.FLOAT, dims))
            producer = "Sqrt" if code == TensorProto.FLOAT else "Cast"
            nodes.append(helper.make_node(producer, [name + "_raw"], [name], **({"to": code} if code != 1 else {})))
        else:
            graph_inputs.append(helper.make_tensor_value_info(name, code, dims))
    domain, _, op = job["op"].rpartition(".")
    outputs = [f"out{i}" for i in range(job["outputs"])]
    attributes = job["attributes"] | bodies(op)
    nodes.append(helper.make_node(op, names, outputs, name="probe", domain=domain, **attributes))
    if job["sandwich"]:
        for name in outputs:
            nodes.append(helper.make_node("Cast", [name], [name + "_f32"], to=TensorProto.FLOAT))
            nodes.append(helper.make_node("Sqrt", [name + "_f32"], [name + "_end"]))
        outputs = [name + "_end" for name in outputs]
    graph = helper.make_graph(
        nodes, "probe", graph_inputs, [helper.make_empty_tensor_value_info(o) for o in outputs], constants
    )
    opsets = [helper.make_opsetid("", job["opset"]), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def bodies(op: str) -> dict[str, Any]:
    """Branches of an If, the body of a Loop: one GPU operator each."""
    from onnx import helper

    def value(name: str, code: int, dims: list[int]) -> Any:
        return helper.make_tensor_value_info(name, code, dims)

    if op == "If":
        out = {}
        for branch in ("then_branch", "else_branch"):
            nodes = [
                helper.make_node("Constant", [], [branch + "_c"], value=helper.make_tensor("c", 1, [2], [1.0, 2.0])),
                helper.make_node("Sqrt", [branch + "_c"], [branch + "_y"]),
            ]
            out[branch] = helper.make_graph(nodes, branch, [], [value(branch + "_y", 1, [2])])
        return out
    if op == "Loop":
        nodes = [
            helper.make_node("Identity", ["go"], ["go_on"]),
            helper.make_node("Sqrt", ["carried"], ["carried_on"]),
        ]
        inputs = [value("turn", 7, []), value("go", 9, []), value("carried", 1, [4, 4])]
        return {
            "body": helper.make_graph(nodes, "body", inputs, [value("go_on", 9, []), value("carried_on", 1, [4, 4])])
        }
    return {}


# Below: parent process.


def run_jobs(jobs: list[dict[str, Any]]) -> dict[str, str]:
    """Verdict by job id. A child that dies is started again behind the job that killed it."""
    verdicts: dict[str, str] = {}
    left = jobs
    while left:
        done = subprocess.run(  # noqa: S603  # this interpreter, this file
            [sys.executable, __file__, "--child"],
            input=json.dumps(left),
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                answer = json.loads(line)
                verdicts[answer["id"]] = answer["verdict"]
        after = [job for job in left if job["id"] not in verdicts]
        if after and len(after) == len(left) and not done.stdout:
            sys.exit(f"the runtime cannot be probed: {done.stderr[-800:]}")
        if after:
            verdicts[after[0]["id"]] = "crashed"
        left = after[1:]
    return verdicts


def dtypes(inputs: list[str]) -> tuple[str, ...]:
    """Types to probe; 'any' where no input has the probed type."""
    return DTYPES if any(spec.startswith("T:") for spec in inputs) else ("any",)


def webgpu_table(opset: int) -> dict[str, Any]:
    """Operator -> type -> {place, int64, captured, capture, host}: 'gpu'/'cpu' without options, with enableInt64 and
    under graph capture; whether capture is accepted with GPU operators on both sides; and the input slots that are
    read in host memory."""
    provider = "WebGpuExecutionProvider"
    jobs = []
    for key, op, inputs, attributes, outputs in specs(opset):
        for dtype in dtypes(inputs):
            one = {
                "op": op, "inputs": inputs, "attributes": attributes, "outputs": outputs, "dtype": dtype,
                "opset": opset, "provider": provider, "slot": -1, "sandwich": False,
            }  # fmt: skip
            ident = f"{key}|{dtype}"
            jobs.append(one | {"id": ident + "|place", "config": {NO_FALLBACK: "1"}})
            jobs.append(one | {"id": ident + "|int64", "config": {NO_FALLBACK: "1", INT64: "1"}})
            jobs.append(one | {"id": ident + "|capture", "config": {CAPTURE: "1"}, "sandwich": True})
            jobs.append(one | {"id": ident + "|captured", "config": {CAPTURE: "1", NO_FALLBACK: "1"}})
            for slot, spec in enumerate(inputs):
                if spec:
                    jobs.append(one | {"id": f"{ident}|slot{slot}", "config": {}, "slot": slot})
                    jobs.append(one | {"id": f"{ident}|wide{slot}", "config": {INT64: "1"}, "slot": slot})
    verdicts = run_jobs(jobs)
    if verdicts.get("Relu|f32|place") != "opens":
        sys.exit(f"the provider does not open at all here: {verdicts.get('Relu|f32|place')}")
    table: dict[str, Any] = {}
    for key, _op, inputs, _attributes, _outputs in specs(opset):
        for dtype in dtypes(inputs):
            ident = f"{key}|{dtype}"
            place = verdicts.get(ident + "|place", "n/a")
            if place != "opens" and "fallback to CPU EP has been explicitly disabled" not in place:
                continue
            row: dict[str, Any] = {"place": "gpu" if place == "opens" else "cpu"}
            row["int64"] = "gpu" if verdicts[ident + "|int64"] == "opens" else "cpu"
            row["captured"] = "gpu" if verdicts[ident + "|captured"] == "opens" else "cpu"
            row["capture"] = "accepted" if verdicts[ident + "|capture"] == "opens" else "refused"
            slots = {i: verdicts[f"{ident}|slot{i}"] for i, spec in enumerate(inputs) if spec}
            row["host"] = [slot for slot, verdict in slots.items() if DUPLICATE in verdict]
            wide = [slot for slot in slots if DUPLICATE in verdicts[f"{ident}|wide{slot}"]]
            if wide != row["host"]:
                row["host64"] = wide
            odd = {slot: verdict for slot, verdict in slots.items() if verdict != "opens" and slot not in row["host"]}
            if odd:
                row["odd"] = sorted(odd)
                sys.stderr.write(f"{ident} {odd}\n")
            table.setdefault(key, {})[dtype] = row
    return table


def main() -> None:
    if sys.argv[1:] == ["--child"]:
        child(json.load(sys.stdin))
        return
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("ep", choices=["webgpu"])
    arguments.add_argument(
        "--adapter", required=True, help="what the sessions really ran on; ONNX Runtime does not say"
    )
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--opsets", default="11,13,17,21")
    given = arguments.parse_args()
    from importlib.metadata import distributions

    version = next(d.version for d in distributions() if d.metadata["Name"] == "onnxruntime-webgpu")
    table = {
        "schema": 1,
        "ep": given.ep,
        "runtime": "onnxruntime-webgpu",
        "version": version,
        "adapter": given.adapter,
        "probe": "deploy/probe_ep.py",
        "opsets": {opset: webgpu_table(int(opset)) for opset in given.opsets.split(",")},
    }
    os.makedirs(given.out, exist_ok=True)
    with open(os.path.join(given.out, f"{version}.json"), "w", encoding="utf-8") as file:
        json.dump(table, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
