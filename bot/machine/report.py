"""A diagnosis for programs: `triage lookup --json`, schema 1, described by bot/schemas/lookup-1.json.

New keys may be added; the keys of schema 1 keep their names, types and meaning. Quotes are redacted; `start` and
`end` count characters of the unredacted post.
"""

from __future__ import annotations

from kb.model import CountedSignature, Diagnosis, FixVerdict, KnownProblem, LoneLine, Quote, RecognisedSignature
from signatures.extract.redact import redact
from signatures.model import TRUST, Fact

SCHEMA = 1
MAX_FACTS = 256
MAX_VALUES = 32  # of one key
MAX_ARTIFACTS = 256
_LONGEST = 2_000  # characters of one text

Json = dict[str, object]


def diagnosis_json(diagnosis: Diagnosis) -> Json:
    report = diagnosis.report
    facts = _kept(report.facts)
    return {
        "schema": SCHEMA,
        "facts": [_fact(f) for f in facts],
        "facts_left_out": len(report.facts) - len(facts),
        "artifacts": [
            {
                "kind": a.kind,
                "name": _text(a.name),
                "revision": a.revision,
                "sha256": a.sha256,
                "role": a.role.value,
            }
            for a in report.artifacts[:MAX_ARTIFACTS]
        ],
        "artifacts_left_out": max(len(report.artifacts) - MAX_ARTIFACTS, 0),
        "diagnoses": [_problem(p) for p in diagnosis.known],
        "ruled_out": [{"problem": r.problem, "why": _text(r.why)} for r in diagnosis.ruled_out],
        "signatures": [_signature(s) for s in diagnosis.signatures],
        "shadow": [_counted(s) for s in diagnosis.shadow],
        "questions": [_text(q) for q in diagnosis.questions],
        "lone_line": _lone(diagnosis.lone) if diagnosis.lone is not None else None,
        "unexplained": [_quote(q) for q in diagnosis.unexplained],
    }


def _kept(facts: tuple[Fact, ...]) -> list[Fact]:
    """The facts that are shown, in their order: of each key and of all, those of the best sources."""
    if len(facts) <= MAX_VALUES:
        return list(facts)
    of_key: dict[str, int] = {}
    best: list[int] = []
    for at in sorted(range(len(facts)), key=lambda at: -TRUST[facts[at].source]):
        key = facts[at].key
        of_key[key] = of_key.get(key, 0) + 1
        if of_key[key] <= MAX_VALUES:
            best.append(at)
    return [facts[at] for at in sorted(best[:MAX_FACTS])]


def _text(text: str) -> str:
    """Words of the report, without what must not be repeated, and no more than a reader takes in."""
    shown = redact(text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def _fact(fact: Fact) -> Json:
    return {
        "key": fact.key,
        "value": _text(fact.value),
        "source": fact.source.value,
        "trust": TRUST[fact.source],
        "quote": _text(fact.quote),
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
                "artifact": _text(f.artifact),
                "outcome": f.outcome.value,
                "detail": _text(f.detail),
                "proves": {name: _text(value) for name, value in f.proves},
            }
            for f in known.findings
        ],
        "why": [_text(w) for w in known.why],
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
            "how": _text(reporter.how),
        },
        "disputed": fix.disputed,
        "note": _text(fix.note),
        "contradictions": [_text(c) for c in fix.contradictions],
    }


def _signature(signature: RecognisedSignature) -> Json:
    return {
        "signature": signature.signature,
        "title": signature.title,
        "certainty": signature.certainty.value,
        "captures": _captures(signature.captures),
        "evidence": [_quote(q) for q in signature.evidence],
    }


def _counted(signature: CountedSignature) -> Json:
    return {
        "signature": signature.signature,
        "title": signature.title,
        "problems": list(signature.problems),
        "certainty": signature.certainty.value,
        "captures": _captures(signature.captures),
        "evidence": [_quote(q) for q in signature.evidence],
    }


def _lone(lone: LoneLine) -> Json:
    return {
        **_quote(lone.quote),
        "kind": "envelope" if lone.envelope else "piece",
        "why": lone.why,
        "problems": list(lone.problems),
    }


def _captures(captures: tuple[tuple[str, str], ...]) -> Json:
    return {name: _text(value) for name, value in captures}


def _quote(quote: Quote) -> Json:
    span = quote.span
    return {"quote": _text(quote.text), "post": span.post, "start": span.start, "end": span.end}
