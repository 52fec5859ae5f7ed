"""Versions: the tables of each specification, and the laws of a total order on anything that can be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.model import Scheme
from kb.versions import compare, in_range, is_prerelease, is_unknown, ordered, parse, prerelease_of, same

# SemVer 2.0.0 section 11.4.4, and the precedence examples of 11.2 and 11.3
SEMVER = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "2.0.0",
    "2.1.0",
    "2.1.1",
]
# PEP 440, "Summary of permitted suffixes and relative ordering", and its epoch example
PEP440 = [
    "1.0.dev456",
    "1.0a1",
    "1.0a2.dev456",
    "1.0a12.dev456",
    "1.0a12",
    "1.0b1.dev456",
    "1.0b2",
    "1.0b2.post345.dev456",
    "1.0b2.post345",
    "1.0rc1.dev456",
    "1.0rc1",
    "1.0",
    "1.0.post456.dev34",
    "1.0.post456",
    "1.1.dev1",
    "1.15",
    "1!0.5",
]
DOTTED = ["31.0.15.5222", "32.0.101", "32.0.101.8332-dev", "32.0.101.8332-rc1", "32.0.101.8332", "32.0.102"]
REVISION = ["1", ":2", "v3", "10"]
REBUILD = [
    "0.16.0-dev",
    "0.16.0-alpha.1",
    "0.16.0-beta",
    "0.16.0-rc1",
    "0.16.0-rc2",
    "0.16.0",
    "0.16.0-3",
    "0.16.0-native.2",
    "0.17.0",
    "0.17.0-3",
    "v0.17.0-5",
    "0.17.0-10",
]
LADDERS = [
    (Scheme.SEMVER, SEMVER),
    (Scheme.PEP440, PEP440),
    (Scheme.DOTTED, DOTTED),
    (Scheme.REVISION, REVISION),
    (Scheme.REBUILD, REBUILD),
]


@pytest.mark.parametrize(("scheme", "ladder"), LADDERS)
def test_every_scheme_orders_its_own_table(scheme: Scheme, ladder: list[str]) -> None:
    for i, a in enumerate(ladder):
        for j, b in enumerate(ladder):
            assert compare(scheme, a, b) == (i > j) - (i < j), (a, b)
    assert ordered(scheme, tuple(reversed(ladder))) == tuple(ladder)


@pytest.mark.parametrize(
    ("scheme", "a", "b"),
    [
        (Scheme.SEMVER, "0.10.0+174be11ea7aeacd8d0d67b0ba1daebec615284b1", "v0.10.0"),
        (Scheme.PEP440, "1.26.0+cu12", "1.26"),
        (Scheme.PEP440, "1.0.0rc1", "v1.0-RC-1"),
        (Scheme.DOTTED, "15.7", "15.7.0"),
        (Scheme.DOTTED, "15.7-preview", "15.7-pre"),
        (Scheme.REVISION, ":4", "v4"),
        (Scheme.REBUILD, "v0.17.0-5+abc", "0.17.0-5"),
    ],
)
def test_spellings_of_one_version_are_the_same(scheme: Scheme, a: str, b: str) -> None:
    assert same(scheme, a, b)
    assert ordered(scheme, (a, b)) == (a,)


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        (Scheme.SEMVER, "1.26"),
        (Scheme.SEMVER, "01.2.3"),
        (Scheme.SEMVER, "1.2.3-01"),
        (Scheme.SEMVER, "1.2.3-"),
        (Scheme.SEMVER, "1.2.3-a..b"),
        (Scheme.SEMVER, "1.2.3+"),
        (Scheme.SEMVER, "1.2.3-é"),
        (Scheme.SEMVER, "1.2.x"),
        (Scheme.SEMVER, "0.10.0 (preview)"),
        (Scheme.SEMVER, "1.2." + "9" * 19),
        (Scheme.SEMVER, "1.2.3-" + "9" * 19),
        (Scheme.SEMVER, "１.２.３"),
        (Scheme.PEP440, "one"),
        (Scheme.PEP440, "1.0a" + "9" * 40),
        (Scheme.DOTTED, "1.2-final"),
        (Scheme.DOTTED, "1..2"),
        (Scheme.DOTTED, ".".join("1" * 20)),
        (Scheme.REVISION, "3.1"),
        (Scheme.REVISION, "c23b16e43ada6ead533b12593fe500bbe268014f"),
        (Scheme.REBUILD, "0.17"),
        (Scheme.REBUILD, "0.17.0-vendor.2"),
        (Scheme.REBUILD, "0.17.0-" + "9" * 19),
        (Scheme.REBUILD, "0.17.0-native." + "9" * 19),
        *((s, "9." * 500 + "9") for s in Scheme),
        *((s, "") for s in Scheme),
        *((s, "0.0.0") for s in Scheme if s is not Scheme.REVISION),
        *((s, "latest") for s in Scheme),
    ],
)
def test_what_is_no_version_is_unknown(scheme: Scheme, text: str) -> None:
    assert parse(scheme, text) is None
    assert compare(scheme, text, "1.0.0") is None
    assert in_range(scheme, text, None, None) is None
    assert not is_prerelease(scheme, text)
    assert ordered(scheme, (text,)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "0.0.0",
        "v0.0.0",
        "0.0.0+abc",
        "0.0.0-dev",
        "included with Foundry",
        "Included with Foundry",
        "latest",
        "Latest (as of today)",
        "_No response_",
        "n/a",
        "N/A",
        "none",
        "<version>",
        "[e.g. 22]",
        "e.g. 1.2.3",
        "your version",
        "x.y.z",
        "the latest one",
        "bundled with the app",
        "unknown",
    ],
)
def test_fields_that_say_nothing_are_unknown(text: str) -> None:
    assert is_unknown(text)


@pytest.mark.parametrize("text", ["0.10.0", "0.0.1", "v4", ":3", "3", "0", "32.0.101.8332", "0.16.0-native.2"])
def test_versions_are_not_taken_for_empty_fields(text: str) -> None:
    assert not is_unknown(text)


@pytest.mark.parametrize(
    ("version", "introduced", "fixed", "expected"),
    [
        ("0.14.0", "0.14.0", "0.14.1", True),
        ("0.14.1", "0.14.0", "0.14.1", False),
        ("0.13.9", "0.14.0", "0.14.1", False),
        ("0.13.9", None, "0.14.1", True),
        ("9.0.0", "0.14.0", None, True),
        ("9.0.0", None, None, True),
        ("0.14.1-rc.1", "0.14.0", "0.14.1", None),  # whether the fix was in it depends on the day
        ("0.14.0-rc.1", "0.14.0", "0.14.1", None),
        ("0.14.0-rc.1", "0.13.0", "0.15.0", True),
        ("0.14.0", "soon", "0.15.0", None),
        ("0.14.0", "0.13.0", "soon", None),
        ("0.15.0", "soon", "0.15.0", False),
        ("0.12.0", "0.13.0", "soon", False),
        ("?", "0.13.0", "0.15.0", None),
    ],
)
def test_a_range_is_half_open_and_three_valued(
    version: str, introduced: str | None, fixed: str | None, expected: bool | None
) -> None:
    assert in_range(Scheme.SEMVER, version, introduced, fixed) is expected


def test_a_prerelease_belongs_to_its_release() -> None:
    assert prerelease_of(Scheme.PEP440, "0.14.1.dev3", "0.14.1")
    assert prerelease_of(Scheme.PEP440, "1.0rc1", "1.0.0")
    assert not prerelease_of(Scheme.PEP440, "1.0.post1", "1.0")
    assert prerelease_of(Scheme.REBUILD, "0.17.0-rc1", "0.17.0")
    assert not prerelease_of(Scheme.REBUILD, "0.17.0-3", "0.17.0")
    assert not prerelease_of(Scheme.SEMVER, "1.0.0-rc.1", "1.0.0-rc.2")
    assert not prerelease_of(Scheme.REVISION, "3", "4")


_number = st.integers(0, 40).map(str)
_word = st.sampled_from(["alpha", "beta", "rc", "dev", "native", "preview", "x", "7", "07", "1a"])
_versions = st.one_of(
    st.builds(
        lambda numbers, suffix: ".".join(numbers) + suffix,
        st.lists(_number, min_size=1, max_size=4),
        st.one_of(
            st.just(""),
            st.builds("-{}".format, _word),
            st.builds("-{}.{}".format, _word, _number),
            st.builds("+{}".format, _word),
            st.builds("{}{}".format, st.sampled_from(["a", "rc", ".dev", ".post", "-"]), _number),
        ),
    ),
    st.text(max_size=12),
)


@given(st.sampled_from(Scheme), _versions)
def test_a_version_equals_itself_or_is_unknown(scheme: Scheme, a: str) -> None:
    assert compare(scheme, a, a) == (0 if parse(scheme, a) is not None else None)


@given(st.sampled_from(Scheme), _versions, _versions)
def test_the_order_is_antisymmetric(scheme: Scheme, a: str, b: str) -> None:
    there, back = compare(scheme, a, b), compare(scheme, b, a)
    assert (there is None) == (back is None)
    assert there is None or back is None or there == -back


@given(st.sampled_from(Scheme), _versions, _versions, _versions)
def test_the_order_is_transitive(scheme: Scheme, a: str, b: str, c: str) -> None:
    ab, bc, ac = compare(scheme, a, b), compare(scheme, b, c), compare(scheme, a, c)
    if ab is not None and bc is not None:
        assert ac is not None
        if ab <= 0 and bc <= 0:
            assert ac <= 0
        if ab == bc == 0:
            assert ac == 0


@given(_versions, _versions)
def test_pep440_agrees_with_packaging(a: str, b: str) -> None:
    from packaging.version import InvalidVersion, Version

    try:
        left, right = Version(Version(a).public), Version(Version(b).public)
    except InvalidVersion:
        return
    ours = compare(Scheme.PEP440, a, b)
    assert ours is None or ours == (left > right) - (left < right)


@given(st.sampled_from(Scheme), st.text(max_size=300))
def test_any_text_is_read_without_an_exception(scheme: Scheme, text: str) -> None:
    is_unknown(text)
    parse(scheme, text)
    in_range(scheme, text, text, text)
