"""Problems as OSV records: https://ossf.github.io/osv-schema/ , one record a problem, one entry a package of each
affected component.

The identifier's prefix `x_` is the one that OSV keeps for databases it does not collect. A component that no registry
has gets entries without a package: listed versions, and commit ranges where its repository was read.
"""

from __future__ import annotations

from bot.machine.packages import package_json, range_type, spelled_in
from bot.refs import address
from kb.affected import is_local
from kb.exposure import Exposure, exposures
from kb.graph.trace import Graph, split_change
from kb.model import Problem, Product
from kb.versions import same

SCHEMA_VERSION = "1.7.0"
Json = dict[str, object]


def osv_id(problem: Problem) -> str:
    return f"x_TRIAGE-{problem.id}"


def osv_json(graph: Graph, problem: Problem, moment: str) -> Json | None:
    """The record of one problem, as modified at `moment` (RFC 3339, UTC); None where no version of a component that
    others know is affected. A withdrawn problem says so and names no versions."""
    head: Json = {"schema_version": SCHEMA_VERSION, "id": osv_id(problem), "modified": moment}
    body: Json = {
        "summary": problem.title,
        "details": _details(problem),
        "references": _references(problem),
        "database_specific": {"problem": problem.id, "status": problem.status.value},
    }
    if problem.withdrawn is not None:
        return {**head, "withdrawn": moment, **body, "summary": f"Withdrawn ({problem.withdrawn}): {problem.title}"}
    products = {p.id: p for p in graph.knowledge.products}
    affected = [
        entry
        for exposure in exposures(graph, problem)
        for entry in (
            *_entries(products[exposure.component], exposure),
            *_git_entries(graph, problem, products[exposure.component], exposure),
        )
    ]
    return {**head, **body, "affected": affected} if affected else None


def _details(problem: Problem) -> str:
    parts = [problem.cause]
    for fix in problem.fixes:
        if fix.note:
            parts.append(f"{'On the reporting side' if is_local(fix) else 'Fix'}: {fix.note}")
    parts += (f"Until then: {w}" for w in problem.workarounds)
    return "\n\n".join(parts)


def _references(problem: Problem) -> list[Json]:
    kinds = [("FIX", c) for f in problem.fixes for c in f.all]
    kinds += [("EVIDENCE", a.ref) for a in problem.affected if a.ref]
    kinds += [("REPORT", r) for r in problem.refs]
    kinds += [("WEB", r) for r in (*(f.ref for f in problem.fixes), *(x.ref for x in problem.ruled_out)) if r]
    found: dict[str, str] = {}
    for kind, ref in kinds:
        url = address(ref)
        if url is not None:
            found.setdefault(url, kind)
    return [{"type": kind, "url": url} for url, kind in found.items()]


def _entries(product: Product, exposure: Exposure) -> list[Json]:
    """One entry for each package of a component, or one without a package."""
    found: list[Json] = []
    for purl in product.packages or (None,):
        package = package_json(purl) if purl else None
        ecosystem = str(package["ecosystem"]) if package else None
        entry: Json = {"package": package} if package else {}
        ranges = _ranges(ecosystem, exposure)
        versions = list(dict.fromkeys(spelled_in(ecosystem, v) for v in exposure.affected))
        if ranges:
            entry["ranges"] = ranges
        if versions and (not ranges or ranges[0]["type"] != "SEMVER"):
            entry["versions"] = versions
        if "ranges" in entry or "versions" in entry:
            found.append({**entry, "database_specific": _beside(exposure)})
    return found


def _beside(exposure: Exposure) -> Json:
    """What OSV has no word for."""
    unknown = {"unknown_versions": list(exposure.unknown)} if exposure.unknown else {}
    return {"component": exposure.component, **unknown}


def _ranges(ecosystem: str | None, exposure: Exposure) -> list[Json]:
    bounds = tuple(b for pair in exposure.ranges for b in pair if b is not None)
    kind = range_type(ecosystem, exposure.scheme, bounds)
    if kind is None:
        return []
    found: list[Json] = []
    for introduced, fixed in exposure.ranges:
        events: list[Json] = [{"introduced": spelled_in(ecosystem, introduced) if introduced else "0"}]
        if fixed is not None:
            events.append({"fixed": spelled_in(ecosystem, fixed)})
        found.append({"type": kind, "events": events})
    return found


def _git_entries(graph: Graph, problem: Problem, product: Product, exposure: Exposure) -> list[Json]:
    """A range of commits, where the repository was read, one change is the fix, and nothing takes it out again: from
    the release that introduced the fault to every commit that brings the fix to some branch."""
    changes = tuple(dict.fromkeys(c for f in problem.fixes if f.component in (None, product.id) for c in f.all))
    if len(exposure.ranges) != 1 or len(changes) != 1 or product.repo not in graph.histories:
        return []
    if split_change(changes[0])[0] != product.repo:
        return []
    start = exposure.ranges[0][0]
    shas = [p.shas for p in graph.points(product) if start is not None and same(product.scheme, p.version, start)]
    commits = graph.trace(changes[0]).commits
    if (start is not None and (not shas or len(shas[0]) != 1)) or not commits or any(c.sign != 1 for c in commits):
        return []
    events = [{"introduced": shas[0][0] if shas else "0"}] + [{"fixed": c.sha} for c in commits]
    found: Json = {"type": "GIT", "repo": f"https://github.com/{product.repo}", "events": events}
    return [{"ranges": [found], "database_specific": _beside(exposure)}]
