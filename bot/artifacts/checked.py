"""An artifact with what its checks said, and what reading it cost. It runs the checks; it opens nothing itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from bot.fetch import Opened
from signatures.artifact.package import GENAI_CONFIG, Package
from signatures.artifact.source import SourceError
from signatures.checks import run_checks
from signatures.checks.model import SEVERITY_ORDER, CheckResult, Severity, Target

_HASHED = 16 * 1024 * 1024  # a local file up to this size is read in full for its hash


class Checked(NamedTuple):
    """`sha256`: of the one file that was asked for, where it is known without reading its weights. `remote`: whether
    the bytes came over the network. `base`: path or address before a file's name. `packages`: folders of the artifact
    that are GenAI packages, where there are several; one of them was checked as such."""

    ref: str
    revision: str | None
    sha256: str | None
    bytes_read: int
    requests: int
    results: tuple[CheckResult, ...]
    remote: bool = False
    base: str = ""
    packages: tuple[str, ...] = ()

    @property
    def severity(self) -> Severity | None:
        """The gravest of all that was found."""
        found = [result.severity for result in self.results if result.severity is not None]
        return min(found, key=SEVERITY_ORDER.index) if found else None


def check(
    opened: Opened,
    target: Target,
    only: tuple[str, ...] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Checked:
    """Run the checks that apply, or those of `only`. Raises KeyError for an unknown id."""
    package = opened.package
    stop = opened.budget.remaining if opened.budget is not None else None
    results = run_checks(package, target, only, progress=progress, stop=stop)
    return Checked(
        package.ref,
        package.revision,
        _sha256(package, local=opened.budget is None),
        opened.bytes_read,
        opened.requests,
        results,
        opened.budget is not None,
        opened.base,
        _packages(package),
    )


def _sha256(package: Package, *, local: bool) -> str | None:
    if len(package.names) != 1:
        return None
    entry = package.entries.get(package.names[0])
    if entry is None or entry.sha256 is not None or not local:
        return entry.sha256 if entry is not None else None
    if entry.size is None or entry.size > _HASHED:
        return None
    try:
        data = package.open(entry.name).read(0, entry.size)
    except SourceError:
        return None
    return hashlib.sha256(data).hexdigest()


def _packages(package: Package) -> tuple[str, ...]:
    folders = [name.rpartition("/")[0] for name in package.names if name.rpartition("/")[2] == GENAI_CONFIG]
    return tuple(sorted(folders)) if len(folders) > 1 else ()
