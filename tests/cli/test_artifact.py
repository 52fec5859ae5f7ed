"""`triage artifact`, and `triage lookup --check`, as a user runs them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import pytest
from jsonschema import Draft202012Validator
from onnx import TensorProto

from signatures.artifact.onnx_text import model_bytes
from tests.cli.conftest import Run
from tests.loopback import COMMIT, Asked, Handler, Hub, Server, files, serving

SCHEMAS = Path(__file__).parents[2] / "bot" / "schemas"
WEBGPU = ("--runtime", "onnxruntime-webgpu=1.27.0", "--ep", "webgpu")

# a copy that was saved with the graph, read by an operator that runs on the CPU for this type
BAKED = model_bytes("""
<ir_version: 8, opset_import: ["" : 17]>
main_graph (int64[4] pad) => (int64[4] y) {
  pad_CUDAExecutionProvider = MemcpyFromHost (pad)
  y = Mul (pad_CUDAExecutionProvider, pad_CUDAExecutionProvider)
}
""")
CLEAN = model_bytes("""
<ir_version: 8, opset_import: ["" : 17]>
main_graph (float[4] x) => (float[4] y) { y = Relu (x) }
""")
TEXT = "Duplicate definition of name (pad_CUDAExecutionProvider)"


def valid(document: Any, schema: str) -> Any:
    loaded = json.loads((SCHEMAS / schema).read_text())
    Draft202012Validator.check_schema(loaded)
    Draft202012Validator(loaded).validate(document)
    return document


@pytest.fixture
def baked(tmp_path: Path) -> Path:
    path = tmp_path / "exported" / "model.onnx"
    path.parent.mkdir()
    path.write_bytes(BAKED)
    return path


@contextmanager
def hub() -> Iterator[Server]:
    content = {"cpu/model.onnx": CLEAN, "gpu/model.onnx": BAKED, "README.md": b"# A model"}
    with serving(Hub("owner/name", content, lfs=("cpu/model.onnx", "gpu/model.onnx"))) as server:
        yield server


def test_findings_are_told_with_place_text_and_remedy(run: Run, baked: Path) -> None:
    done = run("artifact", str(baked), *WEBGPU)
    assert done.returncode == 0
    text = " ".join(done.stdout.decode().split())
    assert "fatal memcpy-collision" in text
    assert "model.onnx: MemcpyFromHost" in text
    assert f'prints "{TEXT}' in text
    assert "remedy Rewire" in text
    assert text.index("fatal") < text.index("probable") < text.index("info")
    assert " read" in text.rpartition("Summary")[2]


def test_the_json_is_schema_1(run: Run, baked: Path) -> None:
    done = run("artifact", str(baked), *WEBGPU, "--json")
    document = valid(json.loads(done.stdout), "artifact-1.json")
    assert set(document) == {"schema", "artifact", "findings"}
    assert set(document["artifact"]) == {"ref", "revision", "sha256", "bytes_read", "requests"}
    assert document["artifact"]["ref"] == str(baked)
    assert document["artifact"]["requests"] == 0
    first = document["findings"][0]
    keys = {"check", "outcome", "severity", "where", "detail", "predicted_text", "remedy", "proves"}
    assert set(first) == keys
    assert (first["check"], first["outcome"], first["severity"]) == ("memcpy-collision", "found", "fatal")
    assert TEXT in first["predicted_text"]
    outcomes = [finding["outcome"] for finding in document["findings"]]
    assert "clean" in outcomes
    assert all(finding["severity"] is None for finding in document["findings"] if finding["outcome"] != "found")


def test_several_artifacts_give_a_document_a_line(run: Run, baked: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.onnx"
    other.write_bytes(CLEAN)
    done = run("artifact", str(baked), str(other), "--json")
    refs = [valid(json.loads(line), "artifact-1.json")["artifact"]["ref"] for line in done.stdout.splitlines()]
    assert refs == [str(baked), str(other)]


EXIT_CODES = (
    ("", 0),
    ("--fail-on fatal", 1),
    ("--fail-on probable", 1),
    ("--fail-on fatal --check memcpy-baked", 0),
    ("--fail-on probable --check memcpy-baked", 1),
    ("--fail-on probable --check gc-int64", 0),
)


@pytest.mark.parametrize(("options", "code"), EXIT_CODES)
def test_the_exit_code_says_what_was_asked_for(run: Run, baked: Path, options: str, code: int) -> None:
    assert run("artifact", str(baked), *WEBGPU, *options.split()).returncode == code


def test_only_the_checks_that_were_asked_for_run(run: Run, baked: Path) -> None:
    done = run("artifact", str(baked), "--check", "memcpy-baked", "--check", "gc-int64", "--json")
    assert {finding["check"] for finding in json.loads(done.stdout)["findings"]} == {"memcpy-baked", "gc-int64"}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("missing.onnx",), "missing.onnx: there is no such file or folder"),
        (("owner/name",), "write hf:owner/name"),
        (("http://127.0.0.1:9/model.onnx",), "127.0.0.1 is a bare address"),
        (("http://169.254.169.254/latest",), "169.254.169.254 is a bare address"),
        (("http://2130706433/m.onnx",), "bare address"),
        (("https://localhost/m.onnx",), "is no plain host name"),
        (("https://example.com/m.onnx",), "example.com is no host that models are fetched from; `--allow-host`"),
        (("http://huggingface.co.example.com/m.onnx",), "is no host that models are fetched from"),
        (("file:///etc/passwd",), "file: is not read"),
        (("qwen3.5-0.8b-cuda-gpu:3",), "which cannot be fetched from here"),
        (("model.onnx", "--check", "memcpy-bakd"), "did you mean memcpy-baked?"),
        (("model.onnx", "--runtime", "onnxruntime"), "no NAME=VERSION"),
        (("model.onnx", "--ep", "webgu"), "did you mean webgpu?"),
        (("model.onnx", "--ep", "nonsense"), "is no execution provider; known are cpu, cuda"),
        (("model.onnx", "--max-mib", "0"), "numbers above 0"),
        (("model.onnx", "--timeout", "nan"), "numbers above 0"),
        (("model.onnx", "--allow-host", "127.0.0.1"), "neither a host name nor an origin"),
        ((), "REF"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(run: Run, arguments: tuple[str, ...], why: str) -> None:
    done = run("artifact", *arguments)
    assert done.returncode == 2
    assert why in done.stderr.decode()
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_said_in_its_own_words(run: Run, tmp_path: Path) -> None:
    for folder in ("pipe", "link", "folder"):
        (tmp_path / folder).mkdir()
    os.mkfifo(tmp_path / "pipe" / "genai_config.json")
    (tmp_path / "link" / "genai_config.json").symlink_to("/dev/zero")
    (tmp_path / "folder" / "genai_config.json").mkdir()
    (tmp_path / "gone.onnx").symlink_to("nowhere")
    expected = {
        "pipe": "no file that can be checked; genai_config.json is a named pipe",
        "link": "no file that can be checked; genai_config.json is a device",
        "folder": "no file that can be checked; genai_config.json is a folder",
        "pipe/genai_config.json": "is a named pipe, and not read",
        "gone.onnx": "is a link to something that is not there, and not read",
        "/dev/null": "is a device, and not read",
        "": "'': an empty text is no reference",
    }
    done = run("artifact", *(str(tmp_path / name) if name else "" for name in expected))
    assert done.returncode == 2
    lines = done.stderr.decode().splitlines()
    assert len(lines) == len(expected)
    for line, words in zip(lines, expected.values(), strict=True):
        assert words in line


@pytest.mark.skipif(sys.platform != "linux", reason="file systems elsewhere refuse such names")
def test_names_that_are_no_utf8_or_have_line_ends_are_read(run: Run, tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"a\xff\n\tb.onnx")
    with open(path, "wb") as file:
        file.write(BAKED)
    name = os.fsdecode(path)
    assert "memcpy-baked" in run("artifact", name).stdout.decode()
    valid(json.loads(run("artifact", name, "--json").stdout), "artifact-1.json")
    document = json.loads(run("artifact", name, "--sarif").stdout)
    (uri,) = {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in document["runs"][0]["results"]
        for place in result.get("locations", ())
    }
    assert uri.endswith("/a%FF%0A%09b.onnx")
    out = os.fsdecode(path.replace(b"b.onnx", b"c.onnx"))
    assert run("artifact", name, "--fix", out).returncode == 0
    assert os.path.exists(out)


def test_what_may_not_be_read_is_said(run: Run, baked: Path) -> None:
    sound = baked.with_name("sound.onnx")
    sound.write_bytes(CLEAN)
    baked.chmod(0)
    if os.access(baked, os.R_OK):
        pytest.skip("whoever runs this may read everything")
    done = run("artifact", str(baked))
    assert done.returncode == 2
    assert b"model.onnx cannot be read: Permission denied" in done.stderr
    done = run("artifact", str(baked.parent))
    assert done.returncode == 0
    assert b"cannot be read: Permission denied" in done.stdout


def test_of_an_answer_that_never_ends_nothing_is_said(run: Run) -> None:
    def endless(handler: Handler, asked: Asked) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            handler.wfile.write(b"\x08" * 65_536)

    with serving(endless) as server:
        caps = ("--allow-host", server.url, "--max-mib", "1", "--timeout", "60")
        done = run("artifact", f"{server.url}/x.onnx", *caps, "--json")
    outcomes = {finding["check"]: finding["outcome"] for finding in json.loads(done.stdout)["findings"]}
    assert outcomes["not-a-model"] == outcomes["truncated"] == outcomes["unknown-op"] == "unknown"
    assert "found" not in outcomes.values()


def test_one_unreadable_artifact_does_not_stop_the_rest(run: Run, baked: Path) -> None:
    done = run("artifact", "missing.onnx", str(baked), "--fail-on", "fatal", *WEBGPU)
    assert done.returncode == 2
    assert b"memcpy-collision" in done.stdout


def test_a_broken_endpoint_is_said(run: Run) -> None:
    done = run("artifact", "hf:owner/name", HF_ENDPOINT="mirror")
    assert done.returncode == 2
    assert b"'mirror' is no address" in done.stderr


def test_a_repository_is_checked_without_its_weights(run: Run) -> None:
    with hub() as server:
        done = run("artifact", "hf:owner/name/gpu/model.onnx", *WEBGPU, "--json", HF_ENDPOINT=server.url)
        document = valid(json.loads(done.stdout), "artifact-1.json")
        assert document["artifact"]["revision"] == COMMIT
        assert len(document["artifact"]["sha256"]) == 64
        assert document["artifact"]["requests"] == len(server.asked)
        assert document["findings"][0]["check"] == "memcpy-collision"
        again = run("artifact", "hf:owner/name/gpu/model.onnx", *WEBGPU, "--json", HF_ENDPOINT=server.url)
        assert json.loads(again.stdout)["artifact"]["requests"] == 1  # bytes are kept, the listing is asked for
        assert json.loads(again.stdout)["findings"] == document["findings"]


def test_a_url_is_read_where_its_host_is_allowed(run: Run) -> None:
    with serving(files({"v1/model.onnx": BAKED})) as server:
        url = f"{server.url}/v1/model.onnx"
        done = run("artifact", url, *WEBGPU, "--allow-host", server.url)
        assert done.returncode == 0
        assert b"memcpy-collision" in done.stdout
        assert b" in 1 request" in done.stdout
        assert run("artifact", url, TRIAGE_FETCH_HOSTS=server.url).returncode == 0
        gone = run("artifact", f"{server.url}/gone.onnx", "--allow-host", server.url)
        assert (gone.returncode, b"HTTP 404" in gone.stderr) == (2, True)


def test_a_large_file_on_a_server_is_read_in_part(run: Run) -> None:
    """Weights of 32 MiB stand in the file; what is transferred is the graph."""
    model = onnx.load_from_string(BAKED)
    for i in range(4):
        weight = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[2 << 20], raw_data=bytes(8 << 20))
        model.graph.initializer.append(weight)
    data = model.SerializeToString()
    with serving(files({"big.onnx": data})) as server:
        url = f"{server.url}/big.onnx"
        done = run("artifact", url, "--check", "memcpy-baked", "--json", "--allow-host", server.url)
        document = valid(json.loads(done.stdout), "artifact-1.json")
        assert [finding["outcome"] for finding in document["findings"]] == ["found"]
        assert document["artifact"]["bytes_read"] < 400_000  # most of it for what stands behind the weights
        assert document["artifact"]["requests"] <= 6


def test_names_in_an_artifact_reach_the_terminal_without_control_characters(run: Run, tmp_path: Path) -> None:
    content = {"evil\x1b[2J\u202e.onnx": BAKED, "genai_config.json": b"{"}
    with serving(Hub("owner/name", content)) as server:
        done = run("artifact", "hf:owner/name", HF_ENDPOINT=server.url)
        assert done.returncode == 0
        assert b"evil" in done.stdout
        assert b"\x1b" not in done.stdout + done.stderr
        assert "\u202e".encode() not in done.stdout
    done = run("artifact", "missing\x1b[31m.onnx")
    assert b"\x1b" not in done.stderr


def test_sarif_names_rules_levels_and_places(run: Run, baked: Path) -> None:
    done = run("artifact", str(baked), "missing.onnx", *WEBGPU, "--sarif")
    assert done.returncode == 2
    log = json.loads(done.stdout)
    assert log["version"] == "2.1.0"
    (one,) = log["runs"]
    rules = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    for result in one["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["message"]["text"]
        assert (result["kind"] == "fail") == (result["level"] != "none")
    worst = next(result for result in one["results"] if result["ruleId"] == "memcpy-collision")
    assert (worst["kind"], worst["level"]) == ("fail", "error")
    place = worst["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == baked.as_uri()
    assert place["region"]["byteOffset"] >= 0
    assert worst["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].startswith("MemcpyFromHost")
    assert one["invocations"][0]["executionSuccessful"] is True


def test_help_shows_real_calls(run: Run) -> None:
    done = run("artifact", "--help")
    assert done.returncode == 0
    assert b"triage artifact model.onnx --runtime onnxruntime=1.20.1" in done.stdout


def test_a_reader_that_goes_away_is_no_error(environment: dict[str, str], baked: Path) -> None:
    import subprocess

    command = f"{sys.executable} -m bot artifact {baked} | head -c 1"
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, env=environment | {"PYTHONPATH": path}, check=False
    )
    assert b"Traceback" not in done.stderr


REPORT = f"""\
Loading https://huggingface.co/owner/name/blob/main/gpu/model.onnx fails with the WebGPU execution provider.

onnxruntime 1.27.0. The catalogue's qwen3.5-0.8b-cuda-gpu:3 fails in the same way, and so does my-broken-model.onnx.

```
This is an invalid model. Error: {TEXT}.
```
"""


def test_a_lookup_checks_the_models_that_the_report_names(run: Run, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text(REPORT)
    with hub() as server:
        done = run("lookup", str(report), "--check", "--json", HF_ENDPOINT=server.url)
        answer = valid(json.loads(done.stdout), "lookup-1.json")
        known = answer["diagnoses"][0]
        assert known["problem"] == "baked-memcpy-duplicate-ep-name"
        assert known["certainty"] == "certain"
        found = {finding["check"]: finding for finding in known["findings"]}
        assert found["memcpy-collision"]["outcome"] == "found"
        assert any("memcpy-collision finds" in why for why in known["why"])
        model, catalogue, file = answer["checked"]
        assert model["revision"] == COMMIT
        assert model["not_checked"] is None
        assert "cannot be fetched from here" in catalogue["not_checked"]
        assert [finding["check"] for finding in catalogue["findings"]] == ["superseded"]
        assert "--model" in file["not_checked"]
        text = run("lookup", str(report), "--check", HF_ENDPOINT=server.url).stdout.decode()
        assert "Model checked" in text
        assert "Not checked" in text


def test_a_lookup_without_check_asks_nobody(run: Run, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text(REPORT)
    with hub() as server:
        done = run("lookup", str(report), "--json", HF_ENDPOINT=server.url)
        assert "checked" not in json.loads(done.stdout)
        assert server.asked == []


def test_a_report_never_opens_a_file_of_this_computer(run: Run, baked: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text(REPORT.replace("my-broken-model.onnx", "model.onnx") + f"\n{baked} fails, file://{baked} too\n")
    with serving(lambda handler, asked: handler.give(404)) as server:
        done = run("lookup", str(report), "--check", "--json", folder=baked.parent, HF_ENDPOINT=server.url)
        for one in json.loads(done.stdout)["checked"]:
            assert one["not_checked"]
            assert one["bytes_read"] == 0
            assert {finding["check"] for finding in one["findings"]} <= {"superseded"}  # which reads the id alone


def test_a_model_of_the_callers_own_is_checked_beside_the_text(run: Run, baked: Path) -> None:
    done = run("lookup", TEXT, "--with", "onnxruntime=1.27.0", "--with", "ep=webgpu", "--model", str(baked), "--json")
    answer = valid(json.loads(done.stdout), "lookup-1.json")
    assert answer["diagnoses"][0]["certainty"] == "certain"
    assert answer["checked"][0]["findings"][0]["check"] == "memcpy-collision"
    wrong = run("lookup", TEXT, "--model", "missing.onnx")
    assert (wrong.returncode, b"--model missing.onnx" in wrong.stderr) == (2, True)


def test_a_report_that_names_a_private_place_reaches_nothing(run: Run, tmp_path: Path) -> None:
    reached: list[Asked] = []

    def trap(handler: Handler, asked: Asked) -> None:
        reached.append(asked)
        handler.give(200, BAKED)

    with serving(trap) as server, hub() as mirror:
        report = tmp_path / "report.md"
        report.write_text(f"{server.url}/model.onnx fails: {TEXT}\nhttp://localhost:{server.server_port}/m.onnx too\n")
        done = run("lookup", str(report), "--check", "--json", HF_ENDPOINT=mirror.url)
        assert all(one["not_checked"] for one in json.loads(done.stdout)["checked"])
        assert reached == []
