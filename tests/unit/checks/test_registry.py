"""The registry of static checks: every fixture holds, every check explains itself, one broken check stops nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from signatures.artifact.onnx_text import model_bytes
from signatures.artifact.package import MAX_CONFIG_BYTES, Package
from signatures.artifact.source import BytesSource, SourceError
from signatures.checks import REGISTRY, fixtures, run_checks, run_one
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

HEADINGS = ("What it detects", "Why it breaks", "What it cannot tell", "Remedy", "References")
DEMANDED = (
    "memcpy-baked", "memcpy-collision", "ep-suffixed-names", "ep-suffix-vs-package", "gc-nondecoder", "gc-controlflow",
    "gc-cpu-op", "gc-shape-to-gpu", "gc-int64", "webgpu-weight-gt-budget", "kv-empty-dynamic", "recurrent-alias-webgpu",
)  # fmt: skip


@pytest.mark.parametrize("check", REGISTRY, ids=lambda check: check.id)
def test_every_fixture_gives_what_it_must(check: Check) -> None:
    assert fixtures.faults(check) == []


@pytest.mark.parametrize("check", REGISTRY, ids=lambda check: check.id)
def test_every_check_has_a_file_of_its_name_and_explains_itself(check: Check) -> None:
    module = sys.modules[check.run.__module__]
    assert check.run.__module__ == f"signatures.checks.{check.id.replace('-', '_')}"
    lines = (module.__doc__ or "").splitlines()
    assert [line for line in lines if line in HEADINGS] == list(HEADINGS)
    for heading in HEADINGS:
        assert lines[lines.index(heading) + 1].startswith("    ")
    outcomes = {fixture.outcome for fixture in check.fixtures}
    assert Outcome.FOUND in outcomes or check.id in ("hash-mismatch", "pb-over-2g")
    assert Outcome.CLEAN in outcomes


def test_the_checks_that_the_seed_threads_ask_for_are_there_once() -> None:
    ids = [check.id for check in REGISTRY]
    assert len(ids) == len(set(ids))
    assert set(DEMANDED) <= set(ids)


class Cut(BytesSource):
    """A file that stops to answer."""

    def read(self, offset: int, length: int) -> bytes:
        raise SourceError("gave no answer in time", offset=offset, name=self.name)


def _without(fixture: Fixture, suffix: str, data: bytes | None) -> Package:
    """The fixture's package with the files of a suffix that answer nothing, or hold other bytes."""
    entries = []
    for entry in fixtures.package(fixture).entries.values():
        if not entry.name.endswith(suffix):
            entries.append(entry)
        elif data is None:
            entries.append(entry._replace(open=lambda name=entry.name: Cut(b" " * 99, name)))
        else:
            entries.append(entry._replace(size=len(data), open=lambda name=entry.name: BytesSource(data, name)))
    return Package("cut", entries)


UNREADABLE = (
    (".onnx", None),
    (".onnx", b"\x08\x08\x3a\xff\xff\x03"),
    ("genai_config.json", None),
    ("genai_config.json", b'{"model": ' + b" " * MAX_CONFIG_BYTES + b"{}}"),
    ("genai_config.json", b'{"model": {'),
    ("genai_config.json", b""),
)


@pytest.mark.parametrize(("suffix", "data"), UNREADABLE)
@pytest.mark.parametrize("check", REGISTRY, ids=lambda check: check.id)
def test_no_check_calls_clean_what_it_could_not_read(check: Check, suffix: str, data: bytes | None) -> None:
    cut = bool(data) and suffix == ".onnx"  # told by `truncated` alone
    for fixture in check.fixtures:
        if fixture.outcome is Outcome.FOUND and not (cut and check.id == "not-a-model"):
            assert run_one(check, _without(fixture, suffix, data), fixture.target).outcome is not Outcome.CLEAN


INLINED = ("unknown-op", "contrib-op-since", "node-schema", "kernel-dtype")
DEPTHS = ((40, Outcome.CLEAN), (400, Outcome.UNKNOWN))


@pytest.mark.parametrize(("depth", "outcome"), DEPTHS)
@pytest.mark.parametrize("calls", ["b = l.F{0} (a)", "t = l.F{0} (a)  b = l.F{0} (t)"])
def test_functions_too_deep_to_follow_are_unknown_and_never_refused(calls: str, depth: int, outcome: Outcome) -> None:
    domains = 'opset_import: ["" : 17, "l" : 1]'
    bodies = [f'<domain: "l", {domains}> F{at} (a) => (b) {{ {calls.format(at + 1)} }}' for at in range(depth)]
    bodies.append(f'<domain: "l", {domains}> F{depth} (a) => (b) {{ b = Relu (a) }}')
    main = f"<ir_version: 8, {domains}> g (float[1] x) => (float[1] y) {{ y = l.F0 (x) }}"
    data = model_bytes(" ".join((main, *bodies)))
    target = Target((("onnxruntime", "1.20.1"),), ep="cpu")
    for result in run_checks(Package.from_bytes({"m.onnx": data}), target, INLINED):
        assert result.outcome is (outcome if "t =" not in calls else Outcome.UNKNOWN), result


def _crash(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    yield Hit(Where("a"), "seen before the crash", Severity.INFO)
    raise ZeroDivisionError("of all things")


def test_a_check_that_crashes_is_failed_and_named() -> None:
    result = run_one(Check("crash", "", "listing", "", _crash), Package.from_bytes({}), Target())
    assert result.outcome is Outcome.FAILED
    assert result.error == "ZeroDivisionError: of all things"
    assert len(result.hits) == 1


def test_a_check_that_was_asked_for_and_has_nothing_to_read_is_unknown() -> None:
    (result,) = run_checks(Package.from_bytes({"a.txt": b"x"}), Target(), ("dangling",))
    assert result.outcome is Outcome.UNKNOWN


def test_an_id_that_is_not_in_the_registry_is_refused() -> None:
    with pytest.raises(KeyError):
        run_checks(Package.from_bytes({}), Target(), ("no-such-check",))


def test_a_file_that_cannot_be_read_leaves_graph_checks_unknown_and_is_named_by_one() -> None:
    results = {
        result.check: result for result in run_checks(Package.from_bytes({"m.onnx": b"<html></html>"}), Target())
    }
    assert results["not-a-model"].outcome is Outcome.FOUND
    assert results["memcpy-baked"].outcome is Outcome.UNKNOWN
    assert results["dangling"].outcome is Outcome.UNKNOWN


def test_findings_carry_what_a_diagnosis_compares() -> None:
    (check,) = [check for check in REGISTRY if check.id == "memcpy-collision"]
    fixture = check.fixtures[0]
    result = run_one(check, fixtures.package(fixture), fixture.target)
    (finding,) = result.findings("model")
    assert finding.predicted_text == "Duplicate definition of name (pad_CUDAExecutionProvider)."
    assert finding.proves == (("tensor", "pad"), ("ep", "CUDAExecutionProvider"))
