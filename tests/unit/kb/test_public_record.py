"""Which public releases have which fix: what tags, packages and release notes say, against what is shipped here.

Each row was read in public, at the place that it names, and not taken from this project's files.
"""

from __future__ import annotations

import pytest

from bot.knowledge import load_known
from kb.graph.answer import has
from kb.graph.board import board
from kb.graph.trace import Graph

SDK = "https://pypi.org/project/foundry-local-sdk/{}/"  # requires exact versions of its components
CLI = "microsoft/foundry-local@cli-preview-{}:sdk/deps_versions.json"
ORT = "https://github.com/microsoft/onnxruntime/releases/tag/v{}"
GALLERY = "google-ai-edge/gallery@{}:Android/src/gradle/libs.versions.toml"
HOOK = "DenisovAV/flutter_gemma@{}:hook/build.dart"
ENGINE = "DenisovAV/flutter_gemma@{}:packages/flutter_gemma_litertlm/hook/build.dart"
WLLAMA = "ngxson/wllama@{}:llama.cpp"
LLAMADART = "https://github.com/leehack/llamadart/releases/tag/v{}"
WHEEL = "https://pypi.org/project/onnxruntime/{}/"

RECURRENT, QDQ, CAPTURE = (
    "webgpu-recurrent-state-buffer-aliasing",
    "qdq-transpose-missing-scale",
    "graph-capture-not-partitioned",
)
F16, VISION, MTP = "ggml-webgpu-shaderf16-assert", "gemma4-vision-multi-signature", "gemma4-mtp-graph-prepare"
TWICE, CPU_ONLY, DXC = "fl-ep-bootstrapper-duplicate", "fl-catalog-cpu-only", "dawn-dxc-loader-error-87"
GATE, METAL = "llamadart-desktop-gpu-gate", "litert-ios-metal-wrong-arch"
BAKED = "baked-memcpy-duplicate-ep-name"

# problem, product, release, answer, where that is read
ROWS = [
    # microsoft/onnxruntime-genai#2191: on main as 5fa5ec592, on rel-0.14.1 as 44598958c
    (RECURRENT, "onnxruntime-genai", "0.13.2", "before", "microsoft/onnxruntime-genai@v0.13.2"),
    (RECURRENT, "onnxruntime-genai", "0.14.0", "affected", "microsoft/onnxruntime-genai@v0.14.0"),
    (RECURRENT, "onnxruntime-genai", "0.14.1", "fixed", "microsoft/onnxruntime-genai@rel-0.14.1"),
    (RECURRENT, "onnxruntime-genai", "0.15.0", "fixed", "microsoft/onnxruntime-genai@v0.15.0"),
    (RECURRENT, "onnxruntime-genai", "0.18.0", "unknown", "no history that was read goes so far"),
    (RECURRENT, "foundry-local-cli", "0.10.0", "affected", CLI.format("0.10.0")),
    (RECURRENT, "foundry-local-cli", "0.10.1", "fixed", CLI.format("0.10.1")),
    (RECURRENT, "foundry-local-cli", "0.10.3", "fixed", CLI.format("0.10.3")),
    (RECURRENT, "foundry-local-sdk", "1.1.0", "before", SDK.format("1.1.0")),
    (RECURRENT, "foundry-local-sdk", "1.2.0", "affected", SDK.format("1.2.0")),
    (RECURRENT, "foundry-local-sdk", "1.2.1", "fixed", SDK.format("1.2.1")),
    (RECURRENT, "foundry-local-sdk", "2.0.1", "fixed", SDK.format("2.0.1")),
    (RECURRENT, "foundry-local-sdk", "2.2.1", "unknown", SDK.format("2.2.1")),
    # microsoft/onnxruntime#28326: the wheels themselves, given a model whose branches share a quantized weight
    (QDQ, "onnxruntime", "1.24.4", "before", WHEEL.format("1.24.4")),
    (QDQ, "onnxruntime", "1.25.0", "affected", WHEEL.format("1.25.0")),
    (QDQ, "onnxruntime", "1.25.1", "affected", "microsoft/onnxruntime#28306"),
    (QDQ, "onnxruntime", "1.26.0", "affected", WHEEL.format("1.26.0")),
    (QDQ, "onnxruntime", "1.27.0", "fixed", ORT.format("1.27.0")),
    (QDQ, "onnxruntime", "1.32.0", "fixed", WHEEL.format("1.32.0")),
    (QDQ, "foundry-local-cli", "0.10.3", "affected", CLI.format("0.10.3")),
    (QDQ, "foundry-local-sdk", "1.0.0", "before", SDK.format("1.0.0")),
    (QDQ, "foundry-local-sdk", "1.1.0", "affected", SDK.format("1.1.0")),
    (QDQ, "foundry-local-sdk", "1.2.4", "affected", SDK.format("1.2.4")),
    (QDQ, "foundry-local-sdk", "2.0.1", "fixed", SDK.format("2.0.1")),
    (QDQ, "transformers-js", "4.2.0", "affected", "huggingface/transformers.js#1637"),
    (QDQ, "transformers-js", "4.3.0", "fixed", "https://www.npmjs.com/package/@huggingface/transformers/v/4.3.0"),
    # ggml-org/llama.cpp#23879: 151f3a98e, the 9424th commit; the assertion is in the tree of b9289 and not of b9425
    (F16, "llama-cpp", "b9289", "affected", "ggml-org/llama.cpp@56f16f235c4a6ffd0cd316e1d4b5dcfbf2dcb7a4"),
    (F16, "llama-cpp", "b9428", "fixed", "ggml-org/llama.cpp@b9428"),
    (F16, "wllama", "3.2.3", "affected", WLLAMA.format("3.2.3")),
    (F16, "wllama", "3.4.0", "fixed", WLLAMA.format("3.4.0")),
    (F16, "wllama", "3.5.1", "fixed", WLLAMA.format("3.5.1")),
    # DenisovAV/flutter_gemma#263 and LiteRT-LM 0.11.0
    (VISION, "flutter-gemma", "0.14.5", "affected", HOOK.format("v0.14.5")),
    (VISION, "flutter-gemma", "0.15.0", "fixed", HOOK.format("v0.15.0")),
    (VISION, "flutter-gemma-litertlm", "1.0.0", "fixed", ENGINE.format("v1.0.0")),
    (VISION, "ai-edge-gallery", "1.0.13", "affected", GALLERY.format("1.0.13")),
    (VISION, "ai-edge-gallery", "1.0.14", "fixed", GALLERY.format("1.0.14")),
    (MTP, "litert-lm", "0.12.0", "affected", "DenisovAV/flutter_gemma#318"),
    (MTP, "litert-lm", "0.13.1", "fixed", "DenisovAV/flutter_gemma#318"),
    (MTP, "flutter-gemma", "0.16.5", "affected", HOOK.format("v0.16.5")),
    (MTP, "flutter-gemma", "1.0.0", "fixed", "DenisovAV/flutter_gemma#318"),
    (MTP, "flutter-gemma-litertlm", "1.0.0", "fixed", ENGINE.format("v1.0.0")),
    (MTP, "ai-edge-gallery", "1.0.17", "unknown", GALLERY.format("1.0.17")),  # 0.11.0, which nobody speaks of
    # the notes of CLI 0.10.3, and the reports that came after them
    (CPU_ONLY, "foundry-local-cli", "0.10.2", "affected", "microsoft/foundry-local#929"),
    (CPU_ONLY, "foundry-local-cli", "0.10.3", "fixed", "microsoft/foundry-local#941"),
    (TWICE, "foundry-local-cli", "0.10.0", "affected", "microsoft/foundry-local#797"),
    (TWICE, "foundry-local-cli", "0.10.3", "disputed", "microsoft/foundry-local#1023"),
    (TWICE, "foundry-local-core", "1.2.4", "fixed", "microsoft/foundry-local#792"),
    (TWICE, "foundry-local-sdk", "1.2.4", "fixed", SDK.format("1.2.4")),
    (TWICE, "foundry-local-sdk", "1.2.3", "unknown", SDK.format("1.2.3")),
    # the notes of llamadart 0.8.24
    (DXC, "litert-lm-native", "0.17.0-5", "affected", "leehack/llamadart#570"),
    (DXC, "litert-lm-native", "0.17.0-6", "fixed", LLAMADART.format("0.8.24")),
    (GATE, "llamadart", "0.6.9", "affected", "leehack/llamadart#506"),
    (GATE, "llamadart", "0.8.24", "fixed", LLAMADART.format("0.8.24")),
    (METAL, "mediapipe", "0.10.33", "affected", "DenisovAV/flutter_gemma#218"),
    (METAL, "flutter-gemma", "0.14.0", "fixed", "DenisovAV/flutter_gemma#218"),
]

# problem, change, product, first release that has it, latest by which it is there, where that is read
DELIVERED = [
    (CAPTURE, "onnxruntime/mobius#380", "mobius", "0.1.0", None, "onnxruntime/mobius@v0.1.0"),
    (CAPTURE, "microsoft/onnxruntime#29236", "onnxruntime", None, "1.29.0", ORT.format("1.29.0")),
    (CAPTURE, "microsoft/onnxruntime#29236", "foundry-local-cli", None, None, CLI.format("0.10.3")),
    (CAPTURE, "microsoft/onnxruntime#29236", "foundry-local-sdk", None, "2.1.0", SDK.format("2.1.0")),
    (CAPTURE, "microsoft/onnxruntime#29392", "onnxruntime", None, "1.29.0", ORT.format("1.29.0")),
    (CAPTURE, "microsoft/onnxruntime#29392", "foundry-local-cli", None, None, CLI.format("0.10.3")),
    (CAPTURE, "microsoft/onnxruntime#29392", "foundry-local-sdk", None, "2.1.0", SDK.format("2.1.0")),
    (METAL, "google-ai-edge/LiteRT@36ab4fca", "litert", "2.1.4", None, "google-ai-edge/LiteRT@v2.1.4"),
    (BAKED, "microsoft/olive-recipes#613", "model:qwen3.5-0.8b-cuda-gpu", "4", None, "microsoft/foundry-local#1075"),
    (BAKED, "Azure/azureml-assets#5328", "model:qwen3.5-0.8b-cuda-gpu", "4", None, "microsoft/foundry-local#1075"),
]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph(load_known().knowledge, {})


@pytest.mark.parametrize(("problem", "product", "release", "answer", "read_in"), ROWS)
def test_a_release_stands_where_the_public_record_puts_it(
    graph: Graph, problem: str, product: str, release: str, answer: str, read_in: str
) -> None:
    named = next(p for p in graph.knowledge.problems if p.id == problem)

    said = has(graph, product, release, named)

    assert said.answer == answer, f"{said.why}; {read_in} says otherwise"


@pytest.mark.parametrize(("problem", "change", "product", "first", "at_latest", "read_in"), DELIVERED)
def test_the_board_shows_who_has_a_change(
    graph: Graph, problem: str, change: str, product: str, first: str | None, at_latest: str | None, read_in: str
) -> None:
    named = tuple(p for p in graph.knowledge.problems if p.id == problem)
    (row,) = board(graph, named, None, None, "2026-12-01")

    shown = {c.component: (c.first_release, c.at_latest) for c in row.changes if c.change == change}
    shown |= {p.product: (p.first_fixed, p.at_latest) for c in row.changes if c.change == change for p in c.products}

    assert shown[product] == (first, at_latest), read_in


def test_the_rows_reach_far_enough() -> None:
    """The board is judged on fixes and products that are checked, not on those that happen to be there."""
    pairs = {(problem, product) for problem, product, *_ in ROWS} | {(p, product) for p, _, product, *_ in DELIVERED}

    assert len(pairs) >= 30
