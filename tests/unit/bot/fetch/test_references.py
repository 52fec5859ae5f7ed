"""What a reference means."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.fetch.foundry import NotFetchable, location
from bot.fetch.references import BadReference, Foundry, Hub, Local, Reference, Url, parse

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GITHUB = "https://github.com/owner/name"


@pytest.mark.parametrize(
    ("ref", "meant"),
    [
        ("hf:owner/name", Hub("owner/name", None)),
        ("hf://owner/name", Hub("owner/name", None)),
        ("hf:owner/name@main", Hub("owner/name", "main")),
        (f"hf:owner/name@{COMMIT}/onnx/model.onnx", Hub("owner/name", COMMIT, "onnx/model.onnx")),
        ("hf:owner/name@refs/pr/3/model.onnx", Hub("owner/name", "refs/pr/3", "model.onnx")),
        ("hf:owner/name/cuda/cuda-int4", Hub("owner/name", None, "cuda/cuda-int4")),
        ("hf:owner/name/a@b/model.onnx", Hub("owner/name", None, "a@b/model.onnx")),
        ("https://huggingface.co/owner/name", Hub("owner/name", None)),
        ("https://huggingface.co/owner/name/tree/main/cpu", Hub("owner/name", "main", "cpu")),
        ("https://huggingface.co/owner/name/blob/v1.0/a%20b.onnx", Hub("owner/name", "v1.0", "a b.onnx")),
        ("https://huggingface.co/owner/name/resolve/main/m.onnx?download=true", Hub("owner/name", "main", "m.onnx")),
        ("https://hf.co/owner/name/discussions/3", Hub("owner/name", None)),
        ("https://mirror.test/hf/owner/name/resolve/main/m.onnx", Hub("owner/name", "main", "m.onnx")),
        ("https://example.com/m.onnx", Url("https://example.com/m.onnx")),
        (f"{GITHUB}/releases/download/v1/a.zip", Url(f"{GITHUB}/releases/download/v1/a.zip")),
        (f"{GITHUB}/blob/main/m/x.onnx", Url("https://raw.githubusercontent.com/owner/name/main/m/x.onnx")),
        ("qwen3.5-0.8b-cuda-gpu:3", Foundry("qwen3.5-0.8b-cuda-gpu", "3")),
        ("phi-4-mini-generic-cpu", Foundry("phi-4-mini-generic-cpu", None)),
    ],
)
def test_a_reference_is_read(ref: str, meant: Reference) -> None:
    assert parse(ref, "https://mirror.test/hf") == meant


@pytest.mark.parametrize(
    ("ref", "why"),
    [
        ("", "no reference"),
        ("a\nb", "no reference"),
        ("owner/name", "write hf:owner/name"),
        ("missing.onnx", "no such file"),
        ("hf:name", "OWNER/NAME"),
        ("hf:owner/../name", "OWNER/NAME"),
        ("hf:owner/name@main/../../other", "elsewhere"),
        ("hf:owner/name@../x", "elsewhere"),
        ("hf:own er/name", "OWNER/NAME"),
        ("https://huggingface.co/owner/name/resolve/main/%2e%2e/x", "elsewhere"),
        ("https://huggingface.co/datasets/owner/name", "no model repository"),
        ("https://huggingface.co/gpt2", "names no repository"),
        ("https://", "without a host"),
        ("https://[::1/x", "broken"),
        ("file:///etc/passwd", "not read"),
        ("s3://bucket/x.onnx", "not read"),
    ],
)
def test_what_means_nothing_is_said(ref: str, why: str) -> None:
    with pytest.raises(BadReference, match=why):
        parse(ref)


def test_a_local_path_comes_first_where_it_may(tmp_path: Path) -> None:
    path = tmp_path / "my-model-generic-gpu"
    path.mkdir()
    assert parse(str(path)) == Local(str(path))
    with pytest.raises(BadReference):
        parse(str(path), local=False)


@pytest.mark.parametrize("name", ["a\nb.onnx", "a\tb.onnx", " ", "a" * 200, "hf:x", "a\udcff.onnx"])
def test_a_file_that_is_there_is_a_file_whatever_its_name(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / name)
    with open(path, "wb"):
        assert parse(path) == Local(path)
    with pytest.raises(BadReference):
        parse(path, local=False)


def test_a_link_that_leads_nowhere_is_still_a_path(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").symlink_to("nowhere")
    assert parse(str(tmp_path / "m.onnx")) == Local(str(tmp_path / "m.onnx"))


def test_a_catalogue_model_without_a_known_place_cannot_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(NotFetchable, match=r"qwen3\.5-0\.8b-cuda-gpu:3 is a model of the Foundry catalogue"):
        location(Foundry("qwen3.5-0.8b-cuda-gpu", "3"))
    table = tmp_path / "locations.toml"
    table.write_text('[[location]]\nname = "Some-Cpu"\nrevision = "2"\nref = "hf:owner/name@main"\nsource = "..."\n')
    assert location(Foundry("some-cpu", "2"), str(table)) == "hf:owner/name@main"
    with pytest.raises(NotFetchable):
        location(Foundry("some-cpu", "3"), str(table))
