"""From blockers of graph capture to hits: what the three checks on captured graphs share."""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.capture import blockers
from signatures.artifact.package import Package
from signatures.checks import graphs
from signatures.checks.model import Hit, Severity, Target, Unknown

TEXT = "as all compute graph nodes have not been partitioned to the WebGpuExecutionProvider"


def of_kinds(package: Package, target: Target, kinds: tuple[str, ...], remedy: str) -> Iterator[Hit | Unknown]:
    """Hits for blockers of these kinds, and what stays undecided."""
    for item in graphs.captured_scopes(package, target):
        if isinstance(item, Unknown):
            yield item
            continue
        session, table, scope = item
        found = blockers(scope, table, session.model.opset())
        for blocker in found.blockers[: graphs.MAX_HITS]:
            if blocker.kind in kinds:
                where = graphs.at(session.file, scope.graph, blocker.node)
                detail = f"{session.session.label}: {blocker.detail}"
                severity = Severity.FATAL
                if scope.uncertain:
                    severity = Severity.PROBABLE
                    detail += "; the graph has a branch that is decided beforehand, and which way was not worked out"
                elif not blocker.certain:
                    severity = Severity.PROBABLE
                    detail += "; it only makes the shape of a Reshape, which the optimizer may fuse away"
                yield Hit(where, detail, severity, TEXT, remedy)
        for why in found.undecided[:5]:
            yield Unknown(f"{session.session.label}: {why}")
