"""A trace as JSON, schema 1: `triage trace --json`. Keys may be added; these stay."""

from __future__ import annotations

from typing import Any

from kb.graph.model import ComponentTrace, ProductTrace, Trace


def trace_json(trace: Trace) -> dict[str, Any]:
    """`component` is the first of `components`, which most repositories have one of."""
    components = [_component(c) for c in trace.components]
    return {
        "schema": 1,
        "change": trace.change,
        "title": trace.title,
        "state": trace.state,
        "merged_at": trace.merged_at,
        "commits": [
            {"sha": c.sha, "branch": c.branch, "how": c.how, "date": c.date, "takes_out": c.sign < 0}
            for c in trace.commits
        ],
        "tag_contains": trace.naive,
        "component": components[0] if components else None,
        "components": components,
        "products": [_product(p) for p in trace.products],
        "notes": list(trace.notes),
    }


def _component(c: ComponentTrace) -> dict[str, Any]:
    return {
        "id": c.id,
        "first_release": c.first_release,
        "at_latest": c.at_latest,
        "released_at": c.released_at,
        "released_at_is_bound": c.bound,
        "how": c.how,
        "confidence": c.confidence.value,
        "releases": list(c.releases),
        "unknown": list(c.unknown),
        "candidates": list(c.candidates),
        "evidence": [
            {
                "release": row.point.version,
                "carried": row.carried,
                "how": row.how,
                "confidence": row.confidence.value,
                "why": row.why,
                "ref": row.point.ref,
                "note": row.point.note,
                "edges": [
                    {"sha": e.sha, "sign": e.sign, "how": e.how, "confidence": e.confidence.value}
                    | {"source": e.source, "date": e.date, "also": list(e.also)}
                    for e in row.evidence
                ],
            }
            for row in c.carriages
            if row.carried is not False or row.evidence
        ],
        "contradictions": list(c.contradictions),
        "tag_contains": c.naive,
    }


def _product(p: ProductTrace) -> dict[str, Any]:
    return {
        "product": p.product,
        "first_fixed": p.first_fixed,
        "at_latest": p.at_latest,
        "first_fixed_at": p.first_fixed_at,
        "affected": list(p.affected),
        "fixed": list(p.fixed),
        "unknown": list(p.unknown),
        "before": list(p.before),
        "how": p.how,
        "carries": [{"release": r, "version": v, "source": s} for r, v, s in p.carries],
        "contradictions": list(p.contradictions),
    }
