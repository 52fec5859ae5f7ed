"""Build numbers of llama.cpp, as people write them and as its programs print them."""

import pytest

from bot.knowledge import load_known
from signatures.extract import given_fact, read_issue
from signatures.extract.builds import build_value, builds, field_build, is_numbered
from signatures.model import IssueText, Post, ProductNames, Role

LLAMA = ProductNames("llama-cpp", ("llama.cpp", "llama-server"), version=r"b\d{4,5}")
OTHER = ProductNames("wllama", ("wllama",))


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("llama.cpp b9409", "b9409"),
        ("llama-server version b9409 on Linux", "b9409"),
        ("ran `llama.cpp` (b9409)", "b9409"),
        ("build b9409", "b9409"),
        ("version: 9409 (5be1e6c)", "b9409"),
        ("main: build = 9409 (5be1e6c) with cc", "b9409"),
    ],
)
def test_a_build_is_read(text: str, version: str) -> None:
    assert [b.version for b in builds(text, LLAMA, spoken=True)] == [version]


@pytest.mark.parametrize("text", ["port: 9409 (open)", "year 2026", "version: 9409", "commit b94091c", "b9409"])
def test_another_number_is_none(text: str) -> None:
    assert not list(builds(text, LLAMA, spoken=True))


def test_what_is_only_called_a_build_counts_where_the_product_is_spoken_of() -> None:
    assert not list(builds("build b9409", LLAMA, spoken=False))
    assert list(builds("llama.cpp b9409", LLAMA, spoken=False))


def test_a_field_may_state_the_bare_number() -> None:
    assert field_build("9409", LLAMA) == field_build("b9409 (CUDA)", LLAMA) == "b9409"
    assert field_build("version: 9409 (5be1e6c)", LLAMA) == "b9409"
    assert field_build("the one of last week", LLAMA) is None


def test_only_a_product_with_build_numbers_has_them() -> None:
    assert is_numbered(LLAMA)
    assert not is_numbered(OTHER)
    assert build_value(LLAMA, "B9409") == "b9409"
    assert build_value(LLAMA, "1.2.3") is None
    assert build_value(OTHER, "b9409") is None


KNOWN = load_known(())
ASSERTED = "GGML_ASSERT(ctx->webgpu_global_ctx->adapter.HasFeature(wgpu::FeatureName::ShaderF16)) failed"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{ASSERTED}\n\n### llama.cpp version\n\nb9409", {"b9409"}),
        (f"{ASSERTED}\n\n```\nbuild: 9409 (5be1e6c) with cc\n```", {"b9409"}),
        (f"{ASSERTED} It is fixed in llama.cpp b9428.", set()),
        (f"{ASSERTED} It works with llama.cpp b9001 and fails with b9409, that is llama.cpp b9409.", {"b9409"}),
        ("The router listens: build 9409 (open)", set()),
    ],
)
def test_a_report_states_the_builds_that_are_its_own(body: str, expected: set[str]) -> None:
    report = read_issue(IssueText("It fails", (Post(Role.REPORTER, body),)), KNOWN.vocabulary, KNOWN.names)

    assert {f.value for f in report.facts if f.key == "llama-cpp"} == expected


@pytest.mark.parametrize("value", ["b9409", "9409", "B9409"])
def test_a_build_can_be_given(value: str) -> None:
    assert given_fact("llama-cpp", value, KNOWN.vocabulary, KNOWN.names).value == "b9409"


def test_what_is_no_build_cannot_be_given() -> None:
    with pytest.raises(ValueError, match="no version of llama-cpp"):
        given_fact("llama-cpp", "newest", KNOWN.vocabulary, KNOWN.names)
