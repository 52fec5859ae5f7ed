"""What each release of a product means for each problem, as OpenVEX 0.2.0: https://github.com/openvex/spec .

One document a product. A release that the evidence does not decide is `under_investigation`, never one of the others.
"""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

from bot.machine.osv import osv_id
from bot.machine.packages import release_purls
from bot.refs import address
from kb.affected import components_of, is_local
from kb.delivery import observed_versions
from kb.exposure import is_exported
from kb.graph.answer import Answer, answer, with_graph
from kb.graph.trace import Graph
from kb.model import Problem, Product
from kb.versions import compare, is_prerelease, ordered
from signatures.values import NamedTuple

CONTEXT = "https://openvex.dev/ns/v0.2.0"
_STATUS = {"affected": "affected", "fixed": "fixed", "before": "not_affected"}  # the rest is not settled
Json = dict[str, object]


class _Said(NamedTuple):
    """What is common to all releases of one statement."""

    status: str
    action: str


def vex_json(graph: Graph, product: Product, problems: tuple[Problem, ...], moment: str) -> Json | None:
    """The document of one product as of `moment` (RFC 3339, UTC); None where no problem touches a release of it."""
    statements = [s for p in problems if p.withdrawn is None and is_exported(p) for s in _of(graph, product, p)]
    if not statements:
        return None
    return {
        "@context": CONTEXT,
        "@id": f"urn:uuid:{uuid5(NAMESPACE_URL, f'ondevice-triage/vex/{product.id}')}",
        "author": "ondevice-triage",
        "timestamp": moment,
        "version": 1,
        "tooling": "triage export vex",
        "statements": statements,
    }


def _of(graph: Graph, product: Product, problem: Problem) -> list[Json]:
    knowledge = with_graph(graph, problem)
    components = components_of(problem, knowledge)
    releases = graph.releases[product.id]
    if product.id not in components and not any(c in components for r in releases for c, _, _ in r.stated):
        return []
    known = (*observed_versions(knowledge, product.id), *(r.version for r in releases))
    listed = (v for row in problem.affected if row.component == product.id for v in row.versions)
    versions = ordered(product.scheme, (*known, *listed))
    answers = [answer(graph, knowledge, product.id, v, problem) for v in versions]
    if not any(a.answer in _STATUS for a in answers):
        return []
    grouped: dict[_Said, list[Answer]] = {}
    for a in answers:
        action = _action(product, problem, a, answers) if a.answer == "affected" else ""
        grouped.setdefault(_Said(_STATUS.get(a.answer, "under_investigation"), action), []).append(a)
    return [_statement(graph, product, problem, said, rows) for said, rows in grouped.items()]


def _action(product: Product, problem: Problem, mine: Answer, answers: list[Answer]) -> str:
    """What to do about one affected release."""
    later = (
        a.version
        for a in answers
        if a.answer == "fixed"
        and not is_prerelease(product.scheme, a.version)
        and compare(product.scheme, a.version, mine.version) == 1
    )
    first = next(later, None)
    if first is not None:
        return f"Upgrade {product.title} to {first} or another release with the fix."
    local = [f.note for f in problem.fixes if is_local(f) and f.note]
    return " ".join((*local, *problem.workarounds)) or f"No release of {product.title} is known to have a fix."


def _statement(graph: Graph, product: Product, problem: Problem, said: _Said, rows: list[Answer]) -> Json:
    home = next((url for r in problem.refs if (url := address(r))), None)
    found: Json = {
        "vulnerability": {
            **({"@id": home} if home else {}),
            "name": osv_id(problem),
            "description": problem.title,
        },
        "products": [c for row in rows for c in _components(graph, product, row)],
        "status": said.status,
    }
    if said.status == "affected":
        found["action_statement"] = said.action
    elif said.status == "not_affected":
        found["justification"] = "vulnerable_code_not_present"
    found["status_notes"] = "; ".join(dict.fromkeys(row.why for row in rows))
    return found


def _components(graph: Graph, product: Product, row: Answer) -> list[Json]:
    inside: Json = {}
    if row.component and row.component != product.id and row.component_version:
        carried = next(p for p in graph.knowledge.products if p.id == row.component)
        purl = release_purls(carried, row.component_version)[0]
        inside = {"subcomponents": [{"@id": purl, "identifiers": {"purl": purl}}]}
    return [{"@id": p, "identifiers": {"purl": p}, **inside} for p in release_purls(product, row.version)]
