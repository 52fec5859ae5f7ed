"""The reporter's file is not the one that is published.

What it detects
    A SHA-256 from a report that equals none of the hashes in the artifact's listing at that revision.

Why it breaks
    It does not by itself: it says that findings on this artifact may not hold for the reporter's file.

What it cannot tell
    Files whose hash the listing does not give.

Remedy
    Download the file again, or name the revision it came from.

References
    the Hugging Face hub lists the SHA-256 of each LFS file
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Download the file again, or say which revision it came from."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    known = {entry.sha256.lower(): entry.name for entry in package.entries.values() if entry.sha256}
    for stated in target.sha256:
        if stated.lower() in known:
            continue
        if not known or not package.complete:
            yield Unknown(f"the listing does not give the hashes to compare {stated[:12]} with")
            continue
        detail = f"the report's SHA-256 {stated.lower()} is none of the {len(known)} published at this revision"
        yield Hit(Where(package.ref), detail, Severity.INFO, None, REMEDY)


CHECK = Check(
    id="hash-mismatch",
    title="The reporter's file is not the published one",
    reads="report",
    predicts="nothing; the findings may not hold for the reporter's file",
    run=run,
    fixtures=(
        Fixture(Outcome.UNKNOWN, files=(("a.txt", "x"),), target=Target(sha256=("0" * 64,))),
        Fixture(Outcome.CLEAN, files=(("a.txt", "x"),)),
    ),
)
