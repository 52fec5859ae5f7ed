"""`triage artifact --fix`, as a user runs it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from signatures.artifact.onnx_text import model_bytes
from tests.artifact import runtimes
from tests.cli.conftest import Run
from tests.cli.test_artifact import BAKED, CLEAN, WEBGPU, valid

# a copy in a branch, one in a local function, one that is an output, one whose input leaves too
DEEP = model_bytes("""
<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
main_graph (bool[1] c, int64[2] x) => (int64[2] y, int64[2] z, int64[2] w) {
  h_CUDAExecutionProvider = MemcpyFromHost (x)
  z = local.F (x)
  k = Abs (x)
  w = MemcpyToHost (k)
  y = If (c) <
    then_branch = t () => (int64[2] p) { i = MemcpyFromHost (h_CUDAExecutionProvider)  p = Neg (i) },
    else_branch = e () => (int64[2] q) { q = Abs (h_CUDAExecutionProvider) }
  >
}
<domain: "local", opset_import: ["" : 17]>
F (a) => (b) { m = MemcpyFromHost (a)  b = Mul (m, m) }
""")
OPTIONS = '"session_options": {"provider_options": [{"webgpu": {"enableGraphCapture": %s, "validationMode": "basic"}}]}'
CONFIG = f"""{{"model": {{"type": "llama", "context_length": 512,
  "decoder": {{"filename": "model.onnx", {OPTIONS % '"1"'}}},
  "vision": {{"filename": "vision/v.onnx",
             {OPTIONS % "true"}}}
}}}}"""
DECODER = model_bytes("""
<ir_version: 8, opset_import: ["" : 17]>
d (float[4, 4] x) => (float[4, 4] y) { a = MemcpyFromHost (x)  y = Relu (a) }
""")
VISION = model_bytes("""
<ir_version: 8, opset_import: ["" : 17]>
v (float[4, 4] x) => (float[4, 4] y) { a = Relu (x)  b = Max (a, x)  y = Abs (b) }
""")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    (folder / "vision").mkdir(parents=True)
    (folder / "model.onnx").write_bytes(DECODER)
    (folder / "vision" / "v.onnx").write_bytes(VISION)
    (folder / "genai_config.json").write_text(CONFIG)
    (folder / "weights.data").write_bytes(os.urandom(100_000))
    return folder


def hashes(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_package_is_copied_with_copies_gone_and_capture_off_where_it_is_refused(run: Run, package: Path) -> None:
    before, out = hashes(package), package.parent / "repaired"
    done = run("artifact", str(package), "--fix", str(out), *WEBGPU, "--json")
    assert done.returncode == 0
    document = valid(json.loads(done.stdout), "artifact-1.json")
    told = {(change["file"], change["before"], change["after"]) for change in document["repair"]["changes"]}
    assert told == {
        ("model.onnx", "MemcpyFromHost #0: x -> a", "readers of a read x"),
        ("genai_config.json", "true", '"0"'),
    }
    assert not any(finding["severity"] == "fatal" for finding in document["findings"])
    assert hashes(package) == before
    after = hashes(out)
    assert {name for name in before if before[name] != after[name]} == {"model.onnx", "genai_config.json"}
    assert (out / "genai_config.json").read_text() == CONFIG.replace("true", '"0"')
    assert sorted(os.listdir(package.parent)) == ["package", "repaired"]


def test_what_is_repaired_needs_no_repair(run: Run, package: Path) -> None:
    once, twice = package.parent / "once", package.parent / "twice"
    assert run("artifact", str(package), "--fix", str(once), *WEBGPU).returncode == 0
    done = run("artifact", str(once), "--fix", str(twice), *WEBGPU)
    assert done.returncode == 0
    assert b"nothing that is repaired" in done.stdout
    assert not twice.exists()


def test_copies_go_from_branches_and_functions_and_values_stay_the_same(run: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "deep.onnx", tmp_path / "out.onnx"
    path.write_bytes(DEEP)
    done = run("artifact", str(path), "--fix", str(out), *WEBGPU)
    assert done.returncode == 0
    text = " ".join(done.stdout.decode().split())
    assert "- MemcpyFromHost #0: i -> i" not in text
    assert "function F" in text
    assert "then_branch" in text
    data = out.read_bytes()
    assert b"Memcpy" not in data
    onnx.checker.check_model(onnx.ModelProto.FromString(data))
    if why := runtimes.missing("onnxruntime-1.32.0"):
        pytest.skip(why)
    old, new = runtimes.open_models("onnxruntime-1.32.0", str(tmp_path), [str(path), str(out)], run=True)
    assert isinstance(old["values"], list)
    assert old["values"] == new["values"]


def test_a_model_of_more_than_2_gib_is_repaired_as_a_stream(run: Run, tmp_path: Path) -> None:
    model = onnx.ModelProto.FromString(BAKED)
    model.graph.initializer.append(helper.make_tensor("tail", TensorProto.FLOAT, [1], [1.0]))
    count = 600_000_000
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[count]).SerializeToString()
    weight = tensor + b"\x4a" + varint(4 * count)
    graph = model.graph.SerializeToString()
    model.ClearField("graph")
    head = model.SerializeToString()
    path, out = tmp_path / "large.onnx", tmp_path / "out.onnx"
    size = len(weight) + 4 * count
    start = b"\x3a" + varint(len(graph) + 1 + len(varint(size)) + size) + graph + b"\x2a" + varint(size) + weight
    with path.open("wb") as file:
        file.write(head + start)
        file.truncate(len(head + start) + 4 * count)
    done = run("artifact", str(path), "--fix", str(out), *WEBGPU)
    assert done.returncode == 0, done.stderr
    lost = path.stat().st_size - out.stat().st_size
    assert 0 < lost < 200
    assert out.stat().st_size > 2**31
    with out.open("rb") as file:
        assert b"Memcpy" not in file.read(4096)
    again = json.loads(run("artifact", str(out), *WEBGPU, "--json").stdout)
    assert not any(finding["check"].startswith("memcpy") and finding["severity"] for finding in again["findings"])


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


@pytest.mark.parametrize(
    ("graph", "why"),
    [
        ("m = MemcpyFromHost (x)  m = Relu (x)  y = Abs (m)", "m is defined twice"),
        ("m = MemcpyFromHost (n)  n = MemcpyToHost (m)  y = Abs (m)", "read one another"),
        ("m = MemcpyFromHost (x, x)  y = Abs (m)", "one input and one output"),
    ],
)
def test_what_cannot_be_shown_to_be_safe_is_refused(run: Run, tmp_path: Path, graph: str, why: str) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(
        model_bytes(f'<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) {{ {graph} }}')
    )
    done = run("artifact", str(path), "--fix", str(tmp_path / "out.onnx"), *WEBGPU)
    assert done.returncode == 2
    assert why in done.stderr.decode()
    assert os.listdir(tmp_path) == ["model.onnx"]


def test_out_is_new_outside_the_source_and_the_source_is_here(run: Run, package: Path) -> None:
    for ref, out, why in (
        (str(package), str(package / "inside"), "is inside"),
        (str(package), str(package.parent), "exists already"),
        (str(package), str(package.parent / "no" / "folder"), "no folder"),
        ("hf:owner/name", str(package.parent / "out"), "fetch it first"),
        (str(package / "weights.data"), str(package.parent / "out"), "no .onnx file"),
    ):
        done = run("artifact", ref, "--fix", out)
        assert done.returncode == 2
        assert why in done.stderr.decode()
    assert os.listdir(package.parent) == ["package"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits a process as Unix does")
def test_a_copy_that_cannot_be_finished_leaves_nothing(package: Path) -> None:
    command = [sys.executable, "-m", "bot", "artifact", str(package), "--fix", str(package.parent / "out"), *WEBGPU]
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 40; exec "$@"', "sh", *command], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert os.listdir(package.parent) == ["package"]


def test_nothing_to_repair_is_no_failure(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(CLEAN)
    assert run("artifact", str(path), "--fix", str(tmp_path / "out.onnx"), *WEBGPU).returncode == 0
    document = json.loads(run("artifact", str(path), "--fix", str(tmp_path / "out.onnx"), "--json").stdout)
    assert valid(document, "artifact-1.json")["repair"] is None
