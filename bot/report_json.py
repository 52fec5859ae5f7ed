"""A diagnosis for programs: `triage lookup --json`, schema 1, described by schemas/lookup-1.json.

New keys may be added; the keys of schema 1 keep their names, types and meaning. Quotes are redacted; `start` and
`end` count characters of the unredacted post.
"""

from __future__ import annotations

from kb.model import Diagnosis, FixVerdict, KnownProblem, Quote, RecognisedSignature
from signatures.extract.redact import redact
from signatures.model import TRUST, Fact

SCHEMA = 1

Json = dict[str, object]


def diagnosis_json(diagnosis: Diagnosis) -> Json:
    report = diagnosis.report
    return {
        "schema": SCHEMA,
        "facts": [_fact(f) for f in report.facts],
        "artifacts": [
            {
                "kind": a.kind,
                "name": redact(a.name),
                "revision": a.revision,
                "sha256": a.sha256,
                "role": a.role.value,
            }
            for a in report.artifacts
        ],
        "diagnoses": [_problem(p) for p in diagnosis.known],
        "ruled_out": [{"problem": r.problem, "why": redact(r.why)} for r in diagnosis.ruled_out],
        "signatures": [_signature(s) for s in diagnosis.signatures],
        "questions": list(diagnosis.questions),
        "unexplained": [_quote(q) for q in diagnosis.unexplained],
    }


def _fact(fact: Fact) -> Json:
    return {
        "key": fact.key,
        "value": redact(fact.value),
        "source": fact.source.value,
        "trust": TRUST[fact.source],
        "quote": redact(fact.quote),
    }


def _problem(known: KnownProblem) -> Json:
    problem = known.problem
    return {
        "problem": problem.id,
        "signature": known.signature,
        "certainty": known.certainty.value,
        "status": problem.status.value,
        "title": problem.title,
        "cause": problem.cause,
        "captures": _captures(known.captures),
        "evidence": [_quote(q) for q in known.evidence],
        "fix": _fix(known.fix),
        "workarounds": list(problem.workarounds),
        "refs": list(problem.refs),
        "findings": [
            {
                "check": f.check,
                "artifact": redact(f.artifact),
                "outcome": f.outcome.value,
                "detail": redact(f.detail),
                "proves": dict(f.proves),
            }
            for f in known.findings
        ],
        "why": [redact(w) for w in known.why],
    }


def _fix(fix: FixVerdict) -> Json:
    reporter = fix.reporter
    return {
        "verdict": fix.verdict.value,
        "fixed_in": [{"kind": f.kind, "id": f.id, "version": f.version, "date": f.date} for f in fix.fixed_in],
        "reporter": {
            "product": reporter.product,
            "product_version": reporter.product_version,
            "component": reporter.component,
            "component_version": reporter.component_version,
            "how": redact(reporter.how),
        },
        "note": redact(fix.note),
        "contradictions": [redact(c) for c in fix.contradictions],
    }


def _signature(signature: RecognisedSignature) -> Json:
    return {
        "signature": signature.signature,
        "title": signature.title,
        "certainty": signature.certainty.value,
        "captures": _captures(signature.captures),
        "evidence": [_quote(q) for q in signature.evidence],
    }


def _captures(captures: tuple[tuple[str, str], ...]) -> Json:
    return {name: redact(value) for name, value in captures}


def _quote(quote: Quote) -> Json:
    span = quote.span
    return {"quote": redact(quote.text), "post": span.post, "start": span.start, "end": span.end}
