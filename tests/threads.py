"""The four seed threads retold: printed lines, versions and ids as they were, sentences written for these tests."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def comment(body: str, login: str, association: str = "NONE", kind: str = "User") -> Json:
    return {"body": body, "user": {"login": login, "type": kind}, "author_association": association}


def thread(
    ref: str, title: str, body: str, *comments: Json, login: str = "reporter", association: str = "NONE"
) -> Json:
    repo, _, number = ref.partition("#")
    issue = comment(body, login, association) | {
        "number": int(number),
        "title": title,
        "html_url": f"https://github.com/{repo}/issues/{number}",
        "state": "open",
        "created_at": "2026-06-11T09:00:00Z",
    }
    return {"issue": issue, "comments": list(comments)}


CONFLICT_LOG = """\
● error: IPC error 'op_handler_failed': Error from chat_completions command: Error:
Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer (unlabeled)] usage
(Storage(read-write)|Storage(read-only)) includes writable usage and another usage in the same synchronization scope.
 - While validating compute pass usage.
 - While finishing [CommandEncoder (unlabeled)].

   at Microsoft.ML.OnnxRuntimeGenAI.Result.VerifySuccess(IntPtr) + 0x47
   at Microsoft.ML.OnnxRuntimeGenAI.Generator.AppendTokenSequences(Sequences) + 0x1f
   at Microsoft.Neutron.OpenAI.Provider.OnnxChatGenerator..ctor(OnnxLoadedModel, GeneratorParams, ILogger, Sequences,
NamedTensors) + 0x94
--- End of stack trace from previous location ---
"""


def buffer_conflict(version: str = "0.10.0+174be11ea7aeacd8d0d67b0ba1daebec615284b1", *, fenced: bool = False) -> Json:
    """Seed 000: Foundry Local CLI on an Intel GPU, the error pasted as prose."""
    log = f"```\n{CONFLICT_LOG}```" if fenced else CONFLICT_LOG
    body = f"""\
Description

A chat with qwen3.5-4b-generic-gpu:2 ends with a WebGPU error before the first token.

Environment

• OS: Windows (shell shows PS C:\\Users\\someone)
• GPU: Intel Arc Graphics (device ID 7D55, vendor 8086)
• Driver version: 32.0.101.8332 (latest as of now)
• DirectX: 12
• Vulkan: 1.4.328
• Dedicated GPU memory: 128 MB
• Foundry version: {version}
• ONNX Runtime GenAI version: included with Foundry

Steps to Reproduce

1. Install the CLI.
2. Run:

   foundry run qwen3.5-4b-generic-gpu:2

3. Ask anything.

Actual Error Log

{log}
Expected Behavior

An answer without validation errors.

Workarounds Found

• The CPU-only variant also works, only slower:

  foundry run qwen3.5-4b-cpu:2

Possible Root Cause

The backend may create buffers with flags that do not go together, or this vendor's driver is stricter than others.
"""
    answer = """\
This has the same cause as #779: RecurrentState shared one buffer between past and present.

Fix: onnxruntime-genai#2191. It is in Foundry Local SDK v1.2.1, while the CLI preview (0.10.0, 174be11) was built on SDK
v1.2.0. The issue stays open until the CLI is published again. Until then the CPU variant is the right choice.
"""
    return thread(
        "microsoft/foundry-local#799",
        "WebGPU validation error (op_handler_failed) when running qwen3.5-4b-generic-gpu:2 on Intel Arc Graphics",
        body,
        comment(answer, "maintainer", "MEMBER"),
    )


def baked_memcpy() -> Json:
    """Seed 003: a published model that holds Memcpy nodes; an issue form with headings."""
    body = """\
### Describe the issue

`qwen3.5-0.8b-cuda-gpu:3` cannot be loaded:

```
genai_model_instance.cc:59 fl::GenAIModelInstance::GenAIModelInstance failed to load model
qwen3.5-0.8b-cuda-gpu:3: This is an invalid model.
Error: Duplicate definition of name (pad_CUDAExecutionProvider).
```

`qwen3.5-0.8b-generic-cpu:3` runs the same workload fine. #1039 (qwen3.5-9b-generic-gpu:3 on macOS, failing on
`image_grid_thw_CUDAExecutionProvider`) looks alike.

The published vision.onnx holds the runtime's own nodes:

```
Memcpy nodes baked into the graph: 55
  Memcpy_token_218  MemcpyFromHost  ['pad']  -> ['pad_CUDAExecutionProvider']
```

For contrast, qwen3-vl-2b-instruct-cuda-gpu:2 ships 32 such nodes and loads, since none of them belongs to pad.

### To reproduce

```python
# pip install foundry-local-sdk==2.0.1
model = manager.catalog.get_model("qwen3.5-0.8b")   # resolves to qwen3.5-0.8b-cuda-gpu:3
model.load()                                        # raises here
```

Ruled out while looking into it:

- **Not EP over-registration.** Registering only CUDAExecutionProvider fails in the same way.
  Registering nothing fails earlier, with `requires CUDAExecutionProvider which is not registered`, so that call is needed.
- **Not a corrupt local cache.** A clean download fails in the same way.
- **Not model-family-wide.** qwen3.5-0.8b-generic-cpu:3 and qwen3-vl-2b-instruct-cuda-gpu:2 both load and run here.

### Urgency

Low: `-generic-cpu:3` is a working fallback.

### Platform and architecture

Windows X64

### OS Version

Windows 11 Enterprise 26200

### Installation type

Released package/binary

### Foundry Local version

foundry-local-sdk 2.0.1 (Python, in-process); CLI 0.8.119

### API or surface area

Python SDK

### Hardware acceleration/backend

WebGPU/CUDA
"""
    answer = "A v4 of the Qwen3.5 models without memcpy nodes is published. Please download it and try again."
    return thread(
        "microsoft/foundry-local#1075",
        "[Bug] qwen3.5-0.8b-cuda-gpu:3 fails to load: published vision.onnx ships ORT's own Memcpy nodes",
        body,
        comment(answer, "maintainer", "MEMBER"),
    )


def desktop_webgpu() -> Json:
    """Seed 001: the owner reports several separate failures of one runtime on Linux and Windows."""
    body = """\
A qualification run went past the platform gate with the low-level runtime client. Published v0.17.0-3 selects a real
NVIDIA L4 and then crashes while its WebGPU delegate starts.

- Model: litert-community/Qwen3-0.6B, revision 8414150f2e9dcc82449bcc9c5abc404b399a4d06, SHA256
  555579ff2f4fd13379abe69c1c3ab5200f7338bc92471557f1d6614a6e5ab0b4.
- It fails during litert_lm_engine_create, before any conversation exists.
- Ubuntu 24.04 x64, NVIDIA 580.173.02: Vulkan names the discrete card. Native libLiteRtWebGpuAccelerator.so segfaults.
- Windows Server 2022 x64: native logs say NVIDIA L4 ... backend=Direct3D 12, adapterType=Discrete GPU. DXC v1.9.2607
  dxcompiler.dll and dxil.dll are staged beside the runtime DLLs. Access violation inside
  libLiteRtWebGpuAccelerator.dll+0x6e08b1.
- The C API called from C# terminates with 0xC0000005 during engine creation too, so the Dart client is not at fault.
- Matched Windows v0.16.0-native.2 runtime, same model and card: it also crashes, so this is no regression of v0.17.
- CPU chat works on Linux and Windows.

The image had compute drivers only at first. Runs on software llvmpipe were excluded from conclusions about the card; the
hardware run used VK_DRIVER_FILES=/usr/share/vulkan/icd.d/nvidia_icd.json.
"""
    follow_up = """\
Follow-up from leehack/llamadart#515 with the current artifact: LiteRT 0.17.0-5, context 1024. This is separate from the v0.17.0-3
crash above.

| Model | Linux L4 / Vulkan | Windows L4 / D3D12 |
|---|---|---|
| Gemma 4 E2B | 18 checks pass | GPU engine creation fails: `DynamicLib.Open: dxil.dll Windows Error: 87` |
| Qwen3.5 0.8B int8 | First tokenizer case hits 60-second deadline; stopped at the outer bound | the same DXIL error |

vulkaninfo named the discrete card without llvmpipe. On Windows the DXC archive's folder was put on PATH; that does not
prove what Dawn loads. This run neither reproduces nor explains the earlier access violation.
"""
    summary = """\
Three separate tracks. (1) Windows 0.17.0-5: the published inventory omits dxil.dll and dxcompiler.dll; a candidate that
bundles the pair is reviewed and unpublished. (2) Linux Gemma passes. (3) The Qwen time-outs include lazy engine creation:
logs progress beyond the 60-second case deadline, which establishes neither a hang nor a shared cause with the historical
v0.17.0-3 access violations.
"""
    return thread(
        "leehack/litert-lm-native#47",
        "Diagnose NVIDIA L4 desktop WebGPU initialization crashes before enabling consumer GPU",
        body,
        comment(follow_up, "owner", "OWNER"),
        comment(summary, "owner", "OWNER"),
        login="owner",
        association="OWNER",
    )


def graph_capture_change() -> Json:
    """Seed 004: a pull request about graph capture, without any failure log."""
    body = """\
Enables WebGPU graph capture for one decoder; compatibility is handled at export. Needs two runtime changes:
microsoft/onnxruntime#29236 and microsoft/onnxruntime#29392.

- Replaces `Shape -> Concat -> ConstantOfShape -> CastLike` by a constant: `Shape` outputs go to the CPU and
  `ConstantOfShape` is unsupported by the WebGPU EP.
- The fused `[V, L*D]` table (about 4.7 GB) exceeds WebGPU's 256 MiB `maxBufferSize` limit and causes device loss, so it
  is split into 35 tables of about 128 MiB.
- Vision, embedding and audio encoders fall back to CPU under capture: set `enableGraphCapture` to "0" there by hand.

Tested: the model runs at 82.8 tok/s on the WebGPU EP (no device crash).
"""
    review = "The earlier Gather was a CPU op that broke capture partitioning; ORT refused because not all nodes could be assigned."
    made = thread("onnxruntime/mobius#380", "Enable WebGPU graph capture for Gemma 4 decoder", body,
                  comment(review, "reviewer", "COLLABORATOR"), login="author", association="CONTRIBUTOR")  # fmt: skip
    made["issue"]["pull_request"] = {"url": "https://api.github.com/repos/onnxruntime/mobius/pulls/380"}
    return made
