"""Checks that end when the time for an artifact is over."""

from __future__ import annotations

from signatures.artifact.package import Package
from signatures.artifact.source import LimitReached
from signatures.checks import run_checks
from signatures.checks.model import Outcome, Target


def test_what_comes_after_the_time_is_over_is_unknown() -> None:
    package = Package.from_bytes({"a.gguf": b"GGUF\x03\0\0\0" + bytes(16)})
    left = iter((5.0,))

    def stop() -> float:
        for seconds in left:
            return seconds
        raise LimitReached("took longer than 5 seconds (--timeout)")

    first, *others = run_checks(package, Target(), stop=stop)
    assert first.outcome is Outcome.CLEAN
    assert others
    for result in others:
        assert (result.outcome, result.hits) == (Outcome.UNKNOWN, ())
        assert [unknown.why for unknown in result.unknown] == ["took longer than 5 seconds (--timeout)"]
