"""The table of operators: what a build knows, how kernels are matched, and which builds speak for a version."""

from __future__ import annotations

from signatures.artifact import operators
from signatures.artifact.operators import MANY, Kernel
from signatures.checks import builds
from signatures.checks.model import Target


def _build(version: str) -> int:
    return operators.table().versions.index(version)


def test_a_schema_is_the_newest_that_is_not_above_the_import() -> None:
    known, build = operators.table(), _build("1.20.1")
    found = [known.schema(build, "Add", opset) for opset in (6, 7, 13, 21)]
    assert [schema.since if schema else None for schema in found] == [6, 7, 13, 14]
    assert known.schema(build, "Gelu", 19) is None
    assert known.schema(build, "com.microsoft.NoSuchThing", 1) is None


def test_schemas_differ_between_releases_of_one_minor_version() -> None:
    known = operators.table()
    first, last = (known.schema(_build(version), "com.microsoft.MatMulNBits", 1) for version in ("1.16.0", "1.16.3"))
    assert first is None
    assert last is not None
    assert last.inputs == (3, 4)
    assert last.required == {"K", "N", "bits", "block_size"}


def test_an_open_ended_kernel_serves_its_first_version_alone() -> None:
    assert Kernel(13, MANY, {}).serves(13)
    assert not Kernel(13, MANY, {}).serves(14)
    assert Kernel(7, 12, {}).serves(9)


def test_float16_counts_as_float32_where_casts_are_put_in() -> None:
    known, build = operators.table(), _build("1.20.1")
    schema = known.schema(build, "Relu", 17)
    assert schema is not None
    types: dict[str, str | None] = {"T": "f16", "X": "f16", "Y": "f16"}
    assert operators.has_kernel(known, build, "Relu", schema, types)
    bf16: dict[str, str | None] = dict.fromkeys(types, "bf16")
    assert operators.has_kernel(known, build, "Relu", schema, bf16) is False
    unknown: dict[str, str | None] = dict.fromkeys(types)
    assert operators.has_kernel(known, build, "Relu", schema, unknown) is None


def test_a_version_is_spoken_for_by_itself_or_by_its_neighbours() -> None:
    versions = operators.table().versions

    def speak(version: str) -> tuple[list[str], bool]:
        found = builds.of(Target((("onnxruntime", version),)))
        return [versions[index] for index in found.indices], found.sure

    assert speak("1.20.1") == (["1.20.1"], True)
    assert speak("1.20") == (["1.20.0", "1.20.1"], True)
    assert speak("1.19.1") == (["1.19.0", "1.19.2"], True)
    assert speak("99.0.0") == ([versions[-1]], False)
    assert speak("1.2.0") == (list(versions), False)
    assert builds.of(Target()).sure is False
