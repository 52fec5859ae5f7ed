"""The values of static checks: what a check is, what it is told, what it answers.

FOUND, CLEAN, UNKNOWN and FAILED stay four: a check that lacks a type, a version or a file says UNKNOWN, never CLEAN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from signatures.artifact.package import Package
from signatures.model import Finding
from signatures.model import Outcome as Outcome  # checks take all their values from here


class Severity(StrEnum):
    """FATAL: the named runtime refuses or fails on this artifact. PROBABLE: it does in most settings. INFO: worth
    knowing, breaks nothing by itself."""

    FATAL = "fatal"
    PROBABLE = "probable"
    INFO = "info"


SEVERITY_ORDER = (Severity.FATAL, Severity.PROBABLE, Severity.INFO)


class Where(NamedTuple):
    """`file` in the package; `what` an operator, a key or a name; `offset` a byte position, where there is one."""

    file: str
    what: str = ""
    offset: int | None = None

    def __str__(self) -> str:
        at = f" at byte {self.offset}" if self.offset is not None else ""
        return f"{self.file}{': ' + self.what if self.what else ''}{at}"


class Hit(NamedTuple):
    """One thing found. `predicted_text` is what the runtime prints, whitespace folded, or None where it prints nothing.
    `proves`: capture name -> value, as signatures name their captures."""

    where: Where
    detail: str
    severity: Severity
    predicted_text: str | None = None
    remedy: str = ""
    proves: tuple[tuple[str, str], ...] = ()


class Unknown(NamedTuple):
    """Something a check could not decide, and why."""

    why: str
    where: Where | None = None


class Target(NamedTuple):
    """What the artifact is to run on, as far as known, and what is known about it from elsewhere.

    `runtimes`: (package name, version), such as ("onnxruntime", "1.20.1"). `ep`: 'webgpu', 'cuda', 'cpu', ...
    `options`: session configuration entries. `logs`: texts to compare with. `sha256`: hashes that a report states.
    `name`, `revision`, `fixed_revision`: of a catalogue model, the last being the newest that carries a fix."""

    runtimes: tuple[tuple[str, str], ...] = ()
    ep: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    logs: tuple[str, ...] = ()
    sha256: tuple[str, ...] = ()
    name: str | None = None
    revision: str | None = None
    fixed_revision: str | None = None


class Fixture(NamedTuple):
    """A package that must be FOUND, CLEAN or UNKNOWN. `graph` is ONNX text for `model.onnx`; `files` are further files
    as text, a name that ends in `.json` or `.txt`, or bytes."""

    outcome: Outcome
    graph: str | None = None
    files: tuple[tuple[str, str | bytes], ...] = ()
    target: Target = Target()
    expect: str = ""  # must stand in the detail or predicted text of a hit


class Check(NamedTuple):
    """One static check. `reads` is what must be there for it to apply: 'onnx', 'genai', 'genai-folder' (also one
    without its configuration, where GenAI is to open it), 'archive', a file suffix, 'report' (something in the target
    to compare with), or 'listing' (always). `predicts` is one line on what a runtime prints or does."""

    id: str
    title: str
    reads: str
    predicts: str
    run: Callable[[Package, Target], Iterator[Hit | Unknown]]
    fixtures: tuple[Fixture, ...] = ()


class CheckResult(NamedTuple):
    """`unknown`: what could not be decided, also beside hits. `error`: of a check that FAILED."""

    check: str
    outcome: Outcome
    hits: tuple[Hit, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    error: str | None = None

    @property
    def severity(self) -> Severity | None:
        """The gravest of the hits."""
        found = [hit.severity for hit in self.hits]
        return min(found, key=SEVERITY_ORDER.index) if found else None

    def findings(self, artifact: str) -> tuple[Finding, ...]:
        """As `kb.diagnose` takes them: one per hit, or one that says what the check came to."""
        if not self.hits:
            detail = self.error or "; ".join(unknown.why for unknown in self.unknown[:3])
            return (Finding(self.check, artifact, self.outcome, detail),)
        return tuple(
            Finding(self.check, artifact, self.outcome, hit.detail, hit.predicted_text, hit.proves) for hit in self.hits
        )
