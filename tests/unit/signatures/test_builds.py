"""Build numbers of llama.cpp, as people write them and as its programs print them."""

import pytest

from signatures.extract.builds import build_value, builds, field_build, is_numbered
from signatures.model import ProductNames

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
