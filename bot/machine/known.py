"""Signatures, problems and products for programs: `triage show --json`."""

from __future__ import annotations

from bot.authoring.rule_life import Rule
from bot.knowledge import Known
from bot.reach import reach_of
from bot.refs import address
from kb.model import Knowledge, Problem, Product
from kb.statements import statements
from signatures.model import Signature, When

Json = dict[str, object]


def signature_json(signature: Signature, known: Known, rule: Rule | None = None) -> Json:
    upkeep = {"reviewed": rule.reviewed, "review_by": rule.due, "owners": list(rule.owners)} if rule else {}
    return {
        "id": signature.id,
        "title": signature.title,
        "stage": signature.stage.value,
        "match": {name: list(getattr(signature, name)) for name in ("all", "any", "none", "regex")},
        "when": [_when(w) for w in signature.when],
        "problems": [p.id for p in known.knowledge.problems if any(s.signature == signature.id for s in p.symptoms)],
        **upkeep,
    }


def problem_json(problem: Problem, knowledge: Knowledge) -> Json:
    return {
        "id": problem.id,
        "title": problem.title,
        "status": problem.status.value,
        "cause": problem.cause,
        "symptoms": [
            {
                "signature": s.signature,
                "when": [_when(w) for w in s.when],
                "capture": {name: list(values) for name, values in s.capture},
                "decisive": list(s.decisive),
            }
            for s in problem.symptoms
        ],
        "affected": [
            {
                "component": r.component,
                "introduced": r.introduced,
                "versions": list(r.versions),
                "fixed": r.fixed,
                "date": r.date,
                "delivered": list(r.delivered),
                "disputed": r.disputed or None,
                "how": r.how or None,
                "source": r.source,
                "products": [p._asdict() for p in r.products],
            }
            for r in reach_of(problem, knowledge)
        ],
        "disputes": [
            {"product": d.product, "version": d.version, "why": d.why, "since": d.since}
            for d in knowledge.observed.disputes
            if d.problem == problem.id
        ],
        "fixes": [
            {
                "kind": f.kind.value,
                "state": f.state.value,
                "all": list(f.all),
                "component": f.component,
                "merged": f.merged,
                "note": f.note,
                "ref": f.ref,
            }
            for f in problem.fixes
        ],
        "workarounds": list(problem.workarounds),
        "claims": [
            {"key": s.key, "text": s.text, "refs": [{"ref": r, "url": address(r)} for r in s.refs]}
            for s in statements(problem)
        ],
        "checks": list(problem.checks),
        "distinct_from": [d._asdict() for d in problem.distinct_from],
        "ruled_out": [r._asdict() for r in problem.ruled_out],
        "refs": list(problem.refs),
        "withdrawn": problem.withdrawn,
    }


def product_json(product: Product, knowledge: Knowledge) -> Json:
    return {
        "id": product.id,
        "title": product.title,
        "scheme": product.scheme.value,
        "aliases": list(product.aliases),
        "labels": list(product.labels),
        "repo": product.repo,
        "releases": [
            {
                "version": r.version,
                "date": r.date,
                "by": r.by,
                "bundles": dict(r.bundles),
                "source": r.source,
            }
            for r in knowledge.observed.releases
            if r.product == product.id
        ],
    }


def _when(when: When) -> Json:
    return {"key": when.key, "any": list(when.any), "none": list(when.none)}
