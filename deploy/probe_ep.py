"""Measures where a real onnxruntime build places operators, and writes placement tables for `signatures.artifact`.

Run it with the interpreter of a throw-away environment that holds the build and `onnx`:

    VK_DRIVER_FILES=.../vk_swiftshader_icd.json LD_LIBRARY_PATH=/usr/lib/chromium \\
      venv/bin/python deploy/probe_ep.py webgpu --adapter SwiftShader --out signatures/artifact/ep_tables/webgpu

With `--plugin` the provider comes from onnxruntime-ep-webgpu beside a plain onnxruntime. That one enumerates devices
and takes no software adapter, so it needs a GPU with a Vulkan or D3D12 driver.

Sessions are opened in child processes, since a probe may crash a driver. Nothing is executed, only opened. An operator
is measured again at each opset that gives it a new version, since a kernel is registered for versions of its operator.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version as installed
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from probe_specs import CODES, Spec, specs  # found beside this file, wherever it was copied to

DTYPES = ("f32", "f16", "i32", "i64", "bool", "u8", "u32", "i8", "bf16", "f64")
CAPTURE = "ep.webgpuexecutionprovider.enableGraphCapture"
INT64 = "ep.webgpuexecutionprovider.enableInt64"
DUPLICATE = "Duplicate definition of name"
REFUSED = "cannot use the graph capture feature"
ON_CPU = "fallback to CPU EP has been explicitly disabled"
NO_FALLBACK = "session.disable_cpu_ep_fallback"
PROVIDER = "WebGpuExecutionProvider"
PLUGIN = "onnxruntime_ep_webgpu"


# Below: child process.


def child(jobs: list[dict[str, Any]], plugin: bool) -> None:
    import onnxruntime as ort

    ort.set_default_logger_severity(4)
    devices = _devices(ort) if plugin else []
    for job in jobs:
        data = build(job)
        options = ort.SessionOptions()
        options.log_severity_level = 4
        for key, value in job["config"].items():
            options.add_session_config_entry(key, value)
        try:
            if plugin:
                options.add_provider_for_devices(devices, {})
                ort.InferenceSession(data, options)
            else:
                ort.InferenceSession(data, options, providers=[PROVIDER], enable_fallback=0)
            verdict = "opens"
        except Exception as error:  # whatever the runtime says is the measurement
            verdict = " ".join(str(error).split())
        sys.stdout.write(json.dumps({"id": job["id"], "verdict": verdict}) + "\n")
        sys.stdout.flush()


def _devices(ort: Any) -> list[Any]:
    """The first device of the plug-in's provider."""
    import importlib

    ort.register_execution_provider_library(PROVIDER, importlib.import_module(PLUGIN).get_library_path())
    found = [device for device in ort.get_ep_devices() if device.ep_name == PROVIDER]
    if not found:
        sys.exit("the plug-in finds no device")
    return found[:1]


def build(job: dict[str, Any]) -> bytes:
    """The operator of a job. `slot`: the input that comes out of a baked copy. `fed`: the input that a GPU operator
    makes; the others are graph inputs."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    nodes, graph_inputs, constants, names = [], [], [], []
    for slot, spec in enumerate(job["inputs"]):
        name = f"in{slot}" if spec else ""
        names.append(name)
        if not spec:
            continue
        kind = spec.split(":")[0].split("=")[0]
        code = CODES[job["dtype"] if kind == "T" else kind]
        moved = slot in (job["slot"], job["fed"])
        if "=" in spec:
            values = spec.split("=")[1]
            array = np.array([float(v) for v in values.lstrip("@").split(",")])
            array = (array[0] if values.startswith("@") else array).astype(helper.tensor_dtype_to_np_dtype(code))
            dims: list[Any] = list(np.shape(array))
            if not moved:
                constants.append(numpy_helper.from_array(np.asarray(array), name))
                continue
        else:
            text = spec.split(":")[1]
            dims = [int(d) if d.isdecimal() else d for d in text.split("x")] if text else []
        if job["slot"] == slot:
            graph_inputs.append(helper.make_tensor_value_info(name + "_host", code, dims))
            nodes.append(helper.make_node("MemcpyFromHost", [name + "_host"], [name], name=f"copy{slot}"))
        elif job["fed"] == slot:
            graph_inputs.append(helper.make_tensor_value_info(name + "_raw", TensorProto.FLOAT, dims))
            maker = ("Sqrt", {}) if code == TensorProto.FLOAT else ("Cast", {"to": code})
            nodes.append(helper.make_node(maker[0], [name + "_raw"], [name], **maker[1]))
        else:
            graph_inputs.append(helper.make_tensor_value_info(name, code, dims))
    domain, _, op = job["op"].rpartition(".")
    outputs = [f"out{i}" for i in range(job["outputs"])]
    nodes.append(helper.make_node(op, names, outputs, name="probe", domain=domain, **(job["attributes"] | bodies(op))))
    graph = helper.make_graph(
        nodes, "probe", graph_inputs, [helper.make_empty_tensor_value_info(o) for o in outputs], constants
    )
    opsets = [helper.make_opsetid("", job["opset"]), helper.make_opsetid("com.microsoft", 1)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())


def bodies(op: str) -> dict[str, Any]:
    """Branches of an If, the body of a Loop or Scan: one GPU operator each."""
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
    if op == "Scan":
        node = helper.make_node("Sqrt", ["row"], ["out"])
        return {"body": helper.make_graph([node], "body", [value("row", 1, [4])], [value("out", 1, [4])])}
    return {}


# Below: parent process.


def run_jobs(jobs: list[dict[str, Any]], plugin: bool) -> dict[str, str]:
    """Verdict by job id, from one child for each processor."""
    workers = os.cpu_count() or 1
    verdicts: dict[str, str] = {}
    with ThreadPoolExecutor(workers) as pool:
        for answers in pool.map(lambda share: run_share(share, plugin), [jobs[n::workers] for n in range(workers)]):
            verdicts |= answers
    return verdicts


def run_share(jobs: list[dict[str, Any]], plugin: bool) -> dict[str, str]:
    """Verdict by job id. A child that dies is started again behind the job that killed it."""
    verdicts: dict[str, str] = {}
    left = jobs
    while left:
        done = subprocess.run(  # noqa: S603  # this interpreter, this file
            [sys.executable, __file__, "--child", *(["--plugin"] if plugin else [])],
            input=json.dumps(left),
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        verdicts.update((answer["id"], answer["verdict"]) for answer in answers)
        after = [job for job in left if job["id"] not in verdicts]
        if after and len(after) == len(left) and not done.stdout:
            sys.exit(f"the runtime cannot be probed: {done.stderr[-800:]}")
        if after:
            verdicts[after[0]["id"]] = "crashed"
        left = after[1:]
    return verdicts


def dtypes(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Types to probe; 'any' where no input has the probed type."""
    return DTYPES if any(spec.startswith("T:") for spec in inputs) else ("any",)


def changed(spec: Spec, opset: int, first: bool) -> bool:
    """Whether this operator has a version of its own at `opset`."""
    from onnx import defs

    known = ((schema.domain, schema.name, schema.since_version) for schema in defs.get_all_schemas_with_history())
    return first or ("", spec.op, opset) in known


def measure(wanted: list[Spec], opset: int, plugin: bool, casts: set[int]) -> dict[str, dict[str, Any]]:
    """Operator -> type -> row, see `webgpu_table`. `casts`: element types that Cast makes from f32 on the GPU under
    capture; kept up to date."""
    jobs = []
    for spec in wanted:
        for dtype in dtypes(spec.inputs):
            one = {
                "op": spec.op, "inputs": spec.inputs, "attributes": spec.attributes, "outputs": spec.outputs,
                "dtype": dtype, "opset": opset, "slot": -1, "fed": -1,
            }  # fmt: skip
            ident = f"{spec.key}|{dtype}"
            jobs.append(one | {"id": ident + "|place", "config": {NO_FALLBACK: "1"}})
            jobs.append(one | {"id": ident + "|int64", "config": {NO_FALLBACK: "1", INT64: "1"}})
            jobs.append(one | {"id": ident + "|captured", "config": {CAPTURE: "1", NO_FALLBACK: "1"}})
    verdicts = run_jobs(jobs, plugin)
    for name, code in CODES.items():
        if f"Cast->{name}|f32|captured" in verdicts:
            (casts.add if verdicts[f"Cast->{name}|f32|captured"] == "opens" else casts.discard)(code)
    placed = [job for job in jobs if job["id"].endswith("|place") and _placed(verdicts[job["id"]])]
    verdicts |= run_jobs([one for job in placed for one in slot_jobs(job, verdicts, casts | {CODES["f32"]})], plugin)
    table: dict[str, dict[str, Any]] = {}
    for spec in wanted:
        table[spec.key] = {}
        for dtype in dtypes(spec.inputs):
            row = _row(spec, f"{spec.key}|{dtype}", verdicts)
            if row is not None:
                table[spec.key][dtype] = row
    return table


def slot_jobs(job: dict[str, Any], verdicts: dict[str, str], fed: set[int]) -> Iterator[dict[str, Any]]:
    """What tells, for each input, whether it is read in host memory. `fed`: element types that a GPU operator makes."""
    ident = job["id"].removesuffix("|place")
    one = job | {"config": {}}
    for slot, text in enumerate(job["inputs"]):
        if not text:
            continue
        yield one | {"id": f"{ident}|slot{slot}", "slot": slot}
        yield one | {"id": f"{ident}|wide{slot}", "config": {INT64: "1"}, "slot": slot}
        code = CODES[job["dtype"] if text.startswith("T:") else text.split(":")[0].split("=")[0]]
        if code in fed and verdicts[f"{ident}|captured"] == "opens":
            yield one | {"id": f"{ident}|fed{slot}", "config": {CAPTURE: "1"}, "fed": slot}


def _placed(verdict: str) -> bool:
    return verdict == "opens" or ON_CPU in verdict


def _row(spec: Spec, ident: str, verdicts: dict[str, str]) -> dict[str, Any] | None:
    if not _placed(verdicts[ident + "|place"]):
        return None
    row: dict[str, Any] = {}
    for what in ("place", "int64", "captured"):
        row[what] = "gpu" if verdicts[f"{ident}|{what}"] == "opens" else "cpu"
    slots = [i for i, text in enumerate(spec.inputs) if text]
    row["host"] = [slot for slot in slots if DUPLICATE in verdicts[f"{ident}|slot{slot}"]]
    wide = [slot for slot in slots if DUPLICATE in verdicts[f"{ident}|wide{slot}"]]
    fed = {slot: verdicts.get(f"{ident}|fed{slot}") for slot in slots}
    under = [slot for slot in slots if (REFUSED in said if (said := fed[slot]) is not None else slot in wide)]
    if wide != row["host"]:
        row["host64"] = wide
    if under != wide:
        row["hostc"] = under
    row["slots"] = len(spec.inputs)
    odd = {slot: said for slot, said in fed.items() if said not in (None, "opens") and REFUSED not in said}
    if odd:
        sys.stderr.write(f"{ident} {odd}\n")
    return row


def webgpu_table(opsets: list[int], plugin: bool) -> dict[str, Any]:
    """Operator -> opset from which on it holds -> types, joined by commas -> {place, int64, captured, host, host64,
    hostc, slots}: 'gpu' or 'cpu' without options, with enableInt64 and under graph capture; the input slots that are
    read in host memory in each of the three modes, left out where they are those of the mode before; how many input
    slots were measured."""
    table: dict[str, dict[str, Any]] = {}
    casts: set[int] = set()
    for number, opset in enumerate(opsets):
        wanted = [spec for spec in specs(opset) if changed(spec, opset, number == 0)]
        measured = measure(wanted, opset, plugin, casts)
        if number == 0 and measured["Relu"].get("f32", {}).get("place") != "gpu":
            sys.exit("the provider does not open at all here")
        for key, rows in measured.items():
            joined: dict[str, list[str]] = {}
            for dtype, row in rows.items():
                joined.setdefault(json.dumps(row), []).append(dtype)
            made = {",".join(kinds): json.loads(text) for text, kinds in joined.items()}
            if made or key in table:
                table.setdefault(key, {})[str(opset)] = made
        sys.stderr.write(f"opset {opset}: {len(wanted)} operators\n")
    return table


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(json.load(sys.stdin), "--plugin" in sys.argv)
        return
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("ep", choices=["webgpu"])
    arguments.add_argument(
        "--adapter", required=True, help="what the sessions really ran on; ONNX Runtime does not say"
    )
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--opsets", default=",".join(map(str, range(11, 27))))
    arguments.add_argument("--plugin", action="store_true", help="probe onnxruntime-ep-webgpu, not onnxruntime-webgpu")
    given = arguments.parse_args()
    runtime = "onnxruntime-ep-webgpu" if given.plugin else "onnxruntime-webgpu"
    opsets = sorted(map(int, given.opsets.split(",")))
    table = {
        "schema": 2,
        "ep": given.ep,
        "runtime": runtime,
        "version": installed(runtime),
        "beside": f"onnxruntime {installed('onnxruntime')}" if given.plugin else "",
        "adapter": given.adapter,
        "probe": "deploy/probe_ep.py",
        "opsets": opsets,
        "operators": webgpu_table(opsets, given.plugin),
    }
    os.makedirs(given.out, exist_ok=True)
    with open(os.path.join(given.out, f"{table['version']}.json"), "w", encoding="utf-8") as file:
        json.dump(table, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
