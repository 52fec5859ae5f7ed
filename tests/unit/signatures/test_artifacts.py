"""Models that a report names, and what it says of them."""

from __future__ import annotations

import pytest

from signatures.extract import read_issue
from signatures.extract.vocabulary import load_vocabulary
from signatures.model import ArtifactRef, ArtifactRole, IssueText, Post, Role

VOCABULARY = load_vocabulary()
FAILING, WORKING, MENTIONED = ArtifactRole.FAILING, ArtifactRole.WORKING, ArtifactRole.MENTIONED


def artifacts(*posts: str | Post, title: str = "") -> tuple[ArtifactRef, ...]:
    made = tuple(Post(Role.REPORTER, p) if isinstance(p, str) else p for p in posts)
    return read_issue(IssueText(title, made), VOCABULARY, ()).artifacts


def roles(*posts: str | Post, title: str = "") -> dict[str, ArtifactRole]:
    return {f"{a.name}:{a.revision}" if a.revision else a.name: a.role for a in artifacts(*posts, title=title)}


@pytest.mark.parametrize(
    ("text", "kind", "name", "revision"),
    [
        ("run qwen3.5-0.8b-cuda-gpu:3 now", "foundry", "qwen3.5-0.8b-cuda-gpu", "3"),
        ("run qwen3.5-4b-cpu:2 now", "foundry", "qwen3.5-4b-cpu", "2"),
        ("Phi-4-mini-reasoning-qnn-npu is there", "foundry", "Phi-4-mini-reasoning-qnn-npu", None),
        (r"cache\models\Microsoft\qwen3.5-2b-generic-gpu-2\v2\x", "foundry", "qwen3.5-2b-generic-gpu", "2"),
        (
            "http://127.0.0.1:9086/openai/load/qwen3.5-2b-generic-gpu:2?ttl=600",
            "foundry",
            "qwen3.5-2b-generic-gpu",
            "2",
        ),
        ("Xenova/Phi-3-mini-4k-instruct is there", "huggingface", "Xenova/Phi-3-mini-4k-instruct", None),
        ("onnxruntime/gpt-oss-20b-onnx is there", "huggingface", "onnxruntime/gpt-oss-20b-onnx", None),
        (
            "litert-community/Qwen3-0.6B, revision 8414150f2e9dcc82449bcc9c5abc404b399a4d06.",
            "huggingface",
            "litert-community/Qwen3-0.6B",
            "8414150f2e9dcc82449bcc9c5abc404b399a4d06",
        ),
        (
            "some/repo@8414150f2e9dcc82449bcc9c5abc404b399a4d06",
            "huggingface",
            "some/repo",
            "8414150f2e9dcc82449bcc9c5abc404b399a4d06",
        ),
        (
            "https://huggingface.co/mlc-ai/Llama-3-8B-MLC/resolve/main/params_0.bin",
            "huggingface",
            "mlc-ai/Llama-3-8B-MLC",
            None,
        ),
        ("https://huggingface.co/a/b/blob/0123abc/model.onnx", "huggingface", "a/b", "0123abc"),
        ("load gemma-4-E2B-it.litertlm please", "file", "gemma-4-E2B-it.litertlm", None),
        ("'C:\\Work\\gemma-3n-E4B-it-int4.litertlm.xnnpack_cache'", "file", "gemma-3n-E4B-it-int4.litertlm", None),
        ('onnx.load("vision.onnx")', "file", "vision.onnx", None),
        ("https://example.org/models/x.tflite", "url", "https://example.org/models/x.tflite", None),
    ],
)
def test_a_model_is_recognised(text: str, kind: str, name: str, revision: str | None) -> None:
    assert [(a.kind, a.name, a.revision) for a in artifacts(text)] == [(kind, name, revision)]


@pytest.mark.parametrize(
    "text",
    [
        "microsoft/onnxruntime#29392 and leehack/llamadart#506",
        "ggml-org/llama.cpp and netdur/llama_cpp_dart and microsoft/onnxruntime-genai",
        "a generic-gpu (WebGPU) variant, offers -cuda-gpu:3",
        "generation/streaming/cancellation on Linux/Windows",
        "torch.onnx.export(model) and import onnx and self.task",
        "host my-gpu:0 and localhost:8080 and webgpu_context.cc:91",
        "/usr/lib/x86_64-linux-gnu/libx.so, *.onnx",
        "https://huggingface.co/datasets/do-me/Flickr-Geo",
        "https://huggingface.co/docs/optimum",
    ],
)
def test_what_is_no_model(text: str) -> None:
    assert artifacts(text) == ()


def test_the_failing_one_and_its_healthy_relatives() -> None:
    found = roles(
        "qwen3.5-0.8b-cuda-gpu:3 cannot be loaded. It fails with:\n\n"
        "genai_model_instance.cc:59 fl::GenAIModelInstance::GenAIModelInstance failed to load model\n"
        "qwen3.5-0.8b-cuda-gpu:3: This is an invalid model.\n"
        "Error: Duplicate definition of name (pad_CUDAExecutionProvider).\n\n"
        "qwen3.5-0.8b-generic-cpu:3 does the same job and runs fine.\n\n"
        "It looks like #1039 (qwen3.5-9b-generic-gpu:3, macOS, failing on another name).\n\n"
        "Ruled out:\n\n• Not the whole family. qwen3.5-0.8b-generic-cpu:3 and qwen3-vl-2b-instruct-cuda-gpu:2\n"
        "  both load and run here.\n",
        title="qwen3.5-0.8b-cuda-gpu:3 fails to load",
    )

    assert found == {
        "qwen3.5-0.8b-cuda-gpu:3": FAILING,
        "qwen3.5-0.8b-generic-cpu:3": WORKING,
        "qwen3-vl-2b-instruct-cuda-gpu:2": WORKING,
        "qwen3.5-9b-generic-gpu:3": MENTIONED,
    }
    assert next(iter(found)) == "qwen3.5-0.8b-cuda-gpu:3"


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("• Using the CPU variant also works (though slower):\n\n  foundry run qwen3.5-4b-cpu:2", WORKING),
        ("The CPU variant works:\n\n```\nfoundry run qwen3.5-4b-cpu:2\n```", WORKING),
        ("This fails:\n\n```\nfoundry run qwen3.5-4b-cpu:2\n```", FAILING),
        ("| qwen3.5-4b-cpu:2 (loads) | x-generic-gpu:3 (fails) |", WORKING),
        ("```\nqwen3.5-4b-cpu:2 (fails)\tother-2b-cuda-gpu:2 (loads)\n```", FAILING),
        ("qwen3.5-4b-cpu:2 does not work.", FAILING),
        ("qwen3.5-4b-cpu:2 is 3 GB.", MENTIONED),
        ("```\nfoundry model list\nqwen3.5-4b-cpu:2\n```", MENTIONED),
        ("Ruled out:\n- qwen3.5-4b-cpu:2 fails on a full disk", MENTIONED),
    ],
)
def test_what_the_report_says_of_it(text: str, role: ArtifactRole) -> None:
    assert roles(text)["qwen3.5-4b-cpu:2"] is role


def test_what_others_say_of_a_model_is_a_mention() -> None:
    assert roles(Post(Role.MAINTAINER, "qwen3.5-4b-cpu:2 fails for me")) == {"qwen3.5-4b-cpu:2": MENTIONED}
    assert artifacts(Post(Role.BOT, "qwen3.5-4b-cpu:2 fails")) == ()


def test_an_id_without_revision_is_the_one_whose_revision_is_named() -> None:
    found = roles("`qwen3.5-4b-generic-gpu:2` is installed.", title="qwen3.5-4b-generic-gpu fails")

    assert found == {"qwen3.5-4b-generic-gpu:2": FAILING}


def test_two_revisions_stay_two() -> None:
    found = roles("qwen3.5-4b-generic-gpu:2 fails. qwen3.5-4b-generic-gpu:1 works. qwen3.5-4b-generic-gpu is large.")

    assert found["qwen3.5-4b-generic-gpu:2"] is FAILING
    assert found["qwen3.5-4b-generic-gpu:1"] is WORKING


def test_a_digest_belongs_to_the_model_before_it() -> None:
    digest = "555579ff2f4fd13379abe69c1c3ab5200f7338bc92471557f1d6614a6e5ab0b4"
    text = f"• litert-community/Qwen3-0.6B, revision 8414150f2e9dcc82449bcc9c5abc404b399a4d06, SHA256 {digest}.\n"

    (ref,) = artifacts(text)

    assert ref.sha256 == digest


@pytest.mark.parametrize(
    "between", [", archive dxc_2026_07_29.zip SHA256 ", ".\n\nSHA256 ", "\n- other: ", ", x" * 100]
)
def test_a_digest_of_something_else_does_not(between: str) -> None:
    (ref,) = artifacts(
        "gemma-4-E2B-it.litertlm" + between + "a1dfb116ba3eeae6a1582291b53a8e7bf65ad760676bd3194685c8f7367cd241"
    )

    assert ref.sha256 is None


def test_each_place_is_where_it_says() -> None:
    text = "See `gemma-4-E2B-it.litertlm` and\n\n```\nqwen3.5-4b-cpu:2\n```\n"
    report = read_issue(IssueText("", (Post(Role.REPORTER, text),)), VOCABULARY, ())

    for ref in report.artifacts:
        assert text[ref.span.start : ref.span.end].startswith(ref.name)
        assert ref.block is not None
        assert report.blocks[ref.block].span.start <= ref.span.start


@pytest.mark.parametrize("piece", ["a/", "a-", "qwen-1b-cpu:2 ", "x.onnx ", "https://", "0" * 64 + " "])
def test_hostile_text_is_read_in_time(piece: str) -> None:
    artifacts(Post(Role.REPORTER, piece * (200_000 // len(piece)), markdown=False))


@pytest.mark.parametrize(
    "text",
    [
        "qwen3.5-4b-cpu:2 fails for another user.",
        "My colleague says that qwen3.5-4b-cpu:2 fails.",
        "Like qwen3.5-4b-cpu:2, which fails with the same error in #1075, it hangs.",
        "qwen3.5-4b-cpu:2 fails in #1075.",
    ],
)
def test_what_fails_elsewhere_is_a_mention(text: str) -> None:
    assert roles(text) == {"qwen3.5-4b-cpu:2": MENTIONED}


def test_a_title_may_compare_with_another_model() -> None:
    found = roles("See the log.", title="qwen3.5-2b-cuda-gpu:2 fails like qwen3.5-4b-cpu:2 (#1075)")

    assert found == {"qwen3.5-2b-cuda-gpu:2": FAILING, "qwen3.5-4b-cpu:2": MENTIONED}


@pytest.mark.parametrize(
    ("text", "revision"),
    [
        ("Model: qwen3.5-0.8b-cuda-gpu, version 3", "3"),
        ("- **Model**: qwen3.5-0.8b-cuda-gpu (v4)", "4"),
        ("### Model\n\nqwen3.5-0.8b-cuda-gpu:3\n", "3"),
        ("C:\\cache\\models\\Microsoft\\qwen3.5-0.8b-cuda-gpu-3\\v3\\vision.onnx", "3"),
    ],
)
def test_the_model_that_the_report_is_about(text: str, revision: str) -> None:
    assert roles(text)[f"qwen3.5-0.8b-cuda-gpu:{revision}"] is FAILING


@pytest.mark.parametrize(
    ("reply", "fails"),
    [
        ("Downloaded version 4, still the same error.", True),
        ("I tried v4: same.", True),
        ("Revision 4 did not help.", True),
        ("Version 4 works now.", False),
        ("I will try version 4 tomorrow, the same way.", False),
        ("Driver version 4, same error.", False),
        ("Is version 4 still failing?", False),
    ],
)
def test_another_revision_tried_without_luck(reply: str, fails: bool) -> None:
    found = roles("qwen3.5-4b-cpu:3 fails to load.", Post(Role.MAINTAINER, "Try version 4."), reply)

    assert found.get("qwen3.5-4b-cpu:4") is (FAILING if fails else None)


def test_a_revision_without_a_name_means_nothing_where_two_models_fail() -> None:
    found = roles("qwen3.5-4b-cpu:3 fails. qwen3.5-2b-cpu:3 fails.", "Downloaded version 4, still the same.")

    assert set(found) == {"qwen3.5-4b-cpu:3", "qwen3.5-2b-cpu:3"}
