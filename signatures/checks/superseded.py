"""A catalogue revision that a later one replaced to fix a fault.

What it detects
    A model id whose revision is below the newest revision known to carry a fix, as the caller states it.

Why it breaks
    Catalogues fix a faulty artifact by publishing it again; caches keep the old one.

What it cannot tell
    Which fault the later revision fixed, and models without a stated fixed revision.

Remedy
    Download the newest revision of the model.

References
    microsoft/foundry-local#1075, Azure/azureml-assets#5328
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del package
    if target.fixed_revision is None:
        return
    name = target.name or "the model"
    have, need = _number(target.revision), _number(target.fixed_revision)
    if have is None or need is None:
        yield Unknown(f"the revision of {name} is not known, and {target.fixed_revision} carries a fix")
    elif have < need:
        detail = f"{name} is revision {have}; revision {need} replaced it"
        remedy = f"Download revision {need} of {name}."
        yield Hit(Where(f"{name}:{have}"), detail, Severity.INFO, None, remedy, (("revision", str(have)),))


def _number(revision: str | None) -> int | None:
    return int(revision) if revision and revision.isascii() and revision.isdecimal() and len(revision) < 10 else None


CHECK = Check(
    id="superseded",
    title="A later revision of this model carries a fix",
    reads="report",
    predicts="nothing; a newer revision exists",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND, target=Target(name="qwen3.5-0.8b-cuda-gpu", revision="3", fixed_revision="4"), expect="4"
        ),
        Fixture(Outcome.CLEAN, target=Target(name="qwen3.5-0.8b-cuda-gpu", revision="4", fixed_revision="4")),
        Fixture(Outcome.UNKNOWN, target=Target(name="qwen3.5-0.8b-cuda-gpu", fixed_revision="4")),
    ),
)
