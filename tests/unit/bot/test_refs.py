"""References as addresses."""

from __future__ import annotations

import pytest

from bot.errors import InputError
from bot.refs import address, repository


@pytest.mark.parametrize(
    ("ref", "url"),
    [
        ("microsoft/foundry-local#799", "https://github.com/microsoft/foundry-local/issues/799"),
        (
            "microsoft/foundry-local@cli-preview-0.10.1:sdk/deps_versions.json",
            "https://github.com/microsoft/foundry-local/blob/cli-preview-0.10.1/sdk/deps_versions.json",
        ),
        ("microsoft/onnxruntime-genai@v0.13.0", "https://github.com/microsoft/onnxruntime-genai/tree/v0.13.0"),
        ("https://example.org/x", "https://example.org/x"),
        ("patch-id of 44598958c", None),
        ("javascript:alert(1)", None),
    ],
)
def test_a_reference_becomes_an_address(ref: str, url: str | None) -> None:
    assert address(ref) == url


@pytest.mark.parametrize("text", ["owner", "owner/", "/name", "o/name/more", "o/name#1", "a b/c", "../..", "o/.", ""])
def test_what_is_no_repository_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no repository; write owner/repo"):
        repository(text)
    assert repository("micro-soft/name.of_it") == "micro-soft/name.of_it"
