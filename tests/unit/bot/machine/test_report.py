"""`--json`, schema 1."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from jsonschema import Draft202012Validator

import bot
from bot.machine.report import diagnosis_json
from kb.model import Diagnosis, FixVerdict, KnownProblem, Quote, Verdict
from signatures.model import ArtifactRef, ArtifactRole, Fact, Finding, Outcome, Source, Span

SCHEMA = json.loads((Path(bot.__file__).parent / "schemas" / "lookup-1.json").read_text(encoding="utf-8"))


def test_the_schema_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_a_full_diagnosis_follows_the_schema_and_survives_json(everything: Diagnosis) -> None:
    value = json.loads(json.dumps(diagnosis_json(everything)))
    Draft202012Validator(SCHEMA).validate(value)
    (found,) = value["diagnoses"]
    assert found["problem"] == "webgpu-recurrent-state-buffer-aliasing"
    assert found["certainty"] == "certain"
    assert found["fix"]["verdict"] == "upgrade"
    assert found["fix"]["fixed_in"][1] == {
        "kind": "product",
        "id": "foundry-local-cli",
        "version": "0.10.1",
        "date": "2026-06-22",
    }
    assert found["fix"]["reporter"]["component_version"] == "0.14.0"
    assert value["facts"][0] == {
        "key": "os",
        "value": "windows",
        "source": "form",
        "trust": 2,
        "quote": "OS: Windows",
    }
    assert value["artifacts"][0]["role"] == "failing"
    assert value["signatures"][0]["captures"] == {"library": "libLiteRtWebGpuAccelerator.so"}
    assert value["unexplained"][0] == {
        "quote": "Failed to create engine: INTERNAL",
        "post": 0,
        "start": 5,
        "end": 30,
    }


def test_facts_and_models_have_an_end_and_the_best_sources_stay(diagnosis: Callable[..., Diagnosis]) -> None:
    made = diagnosis()
    prose = [Fact("onnxruntime", f"1.{i}.0", Source.PROSE, "", None) for i in range(20_000)]
    facts = (*prose, Fact("onnxruntime", "9.9.9", Source.LOG, "", None), Fact("os", "linux", Source.PROSE, "", None))
    models = tuple(
        ArtifactRef("file", f"m{i}.onnx", None, None, ArtifactRole.MENTIONED, Span(0, 0, 1)) for i in range(1_000)
    )
    value = json.loads(
        json.dumps(diagnosis_json(made._replace(report=made.report._replace(facts=facts, artifacts=models))))
    )
    Draft202012Validator(SCHEMA).validate(value)
    assert [f["value"] for f in value["facts"]][-2:] == ["9.9.9", "linux"]
    assert (len(value["facts"]), value["facts_left_out"]) == (33, len(facts) - 33)
    assert (len(value["artifacts"]), value["artifacts_left_out"]) == (256, 744)


def test_an_unknown_reporter_is_null_and_not_missing(
    known: Callable[..., KnownProblem], diagnosis: Callable[..., Diagnosis]
) -> None:
    value = diagnosis_json(diagnosis(known(fix=FixVerdict(Verdict.NONE))))
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(value)))


def test_findings_and_quotes_are_redacted(
    known: Callable[..., KnownProblem], diagnosis: Callable[..., Diagnosis]
) -> None:
    private = r"cannot open C:\Users\jane.doe\x.onnx"
    finding = Finding("memcpy-collision", private, Outcome.FOUND, private, proves=(("tensor", "pad"),))
    shown = known(findings=(finding,), evidence=(Quote(private, Span(0, 1, 2)),), captures=(("path", private),))
    text = json.dumps(diagnosis_json(diagnosis(shown)))
    assert "jane.doe" not in text
    Draft202012Validator(SCHEMA).validate(json.loads(text))
