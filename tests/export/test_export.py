"""What is exported is valid, says no more than `triage has`, and stays the same while nothing changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from bot.cli import main
from bot.knowledge import load_known
from bot.machine.osv import osv_json
from bot.machine.vex import vex_json
from kb.graph.answer import has
from kb.graph.trace import Graph
from kb.model import (
    Affected,
    Delivery,
    Fix,
    FixKind,
    FixState,
    Knowledge,
    Observed,
    Problem,
    Product,
    Release,
    Scheme,
    Status,
)
from tests.export.osv_reader import is_affected
from tests.export.schemas import OSV, VEX
from tests.upstream.conftest import ENGINE, folder, graph_of, known
from tests.upstream.story import Story

__all__ = ["folder"]  # the fixture
NOW = "2026-12-01T00:00:00Z"
_WORDS = {"affected": "affected", "fixed": "fixed", "before": "not_affected"}
TORN = Problem(
    "torn-buffer",
    "A buffer is torn",
    "It is.",
    Status.CONFIRMED,
    ("acme/engine#5",),
    (),
    affected=(Affected("engine", introduced="1.0.0", ref="acme/engine#6"),),
    fixes=(Fix(FixKind.COMMIT, FixState.RELEASED, ("acme/engine#7",)),),
    workarounds=("Use the CPU.",),
)
PACKAGED = ENGINE._replace(packages=("pkg:pypi/acme-engine", "pkg:npm/%40acme/engine"))


def _valid(record: Any, schema: dict[str, Any]) -> Any:
    told = json.loads(json.dumps(record))
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(told)
    return told


def _named(product: Product) -> str:
    return product.packages[0] if product.packages else product.id


def _release(version: str, *bundles: tuple[str, str], product: str = "engine") -> Release:
    return Release(product, version, "2026-01-01", bundles, "somewhere")


def _graph(problem: Problem = TORN, delivered: tuple[str, ...] = ("1.0.1", "1.1.0"), *more: str) -> Graph:
    versions = ("0.9.0", "1.0.0", "1.0.1", "1.1.0", *more)
    deliveries = (Delivery("acme/engine#7", "engine", delivered, "seen"),) if delivered else ()
    return Graph(
        Knowledge((problem,), (PACKAGED,), Observed(tuple(map(_release, versions)), deliveries)),
        {},
    )


@pytest.fixture(scope="module")
def shipped() -> Graph:
    return Graph(load_known().knowledge, {})


def test_every_record_of_the_catalogue_is_valid_and_agrees_with_has_on_every_version(shipped: Graph) -> None:
    """Each release of each product, by the component that it carries, is affected exactly where `has` says so."""
    products = {p.id: p for p in shipped.knowledge.products}
    asked = {
        p.id: {r.version for r in shipped.knowledge.observed.releases if r.product == p.id} for p in products.values()
    }
    for row in shipped.knowledge.observed.releases:
        for component, version in row.bundles:
            asked[component].add(version)
    checked = affected = 0
    for problem in shipped.knowledge.problems:
        made = osv_json(shipped, problem, NOW)
        record = _valid(made, OSV) if made else {}
        for row_ in problem.affected:
            asked.get(row_.component, set()).update(row_.versions)
        for product, versions in asked.items():
            for version in sorted(versions):
                told = has(shipped, product, version, problem)
                if told.component not in (None, product) and told.component_version is None:
                    assert told.answer == "unknown"
                    continue
                component = products[told.component or product]
                inside = told.component_version or version
                if component.packages and component.packages[0].startswith("pkg:pypi/"):
                    inside = inside.replace("-rc", "rc")
                assert is_affected(record, _named(component), inside) == (told.answer == "affected"), (problem.id, told)
                checked += 1
                affected += told.answer == "affected"
    assert checked > 1000
    assert affected > 20


def test_every_document_of_the_catalogue_is_valid_and_says_what_has_says(shipped: Graph) -> None:
    products = {p.id: p for p in shipped.knowledge.products}
    problems = {f"x_TRIAGE-{p.id}": p for p in shipped.knowledge.problems}
    made = {id_: vex_json(shipped, p, shipped.knowledge.problems, NOW) for id_, p in products.items()}
    documents = {id_: _valid(d, VEX) for id_, d in made.items() if d}
    assert {"foundry-local-cli", "foundry-local-sdk", "onnxruntime-genai"} <= documents.keys()
    for id_, document in documents.items():
        for statement in document["statements"]:
            problem = problems[statement["vulnerability"]["name"]]
            for product in statement["products"]:
                tag = unquote(product["@id"].rpartition("@")[2])
                version = tag.removeprefix("cli-preview-").removeprefix("v")
                told = has(shipped, id_, version, problem)
                assert _WORDS.get(told.answer, "under_investigation") == statement["status"], (id_, version, told)
    cli = documents["foundry-local-cli"]["statements"]
    torn = [s for s in cli if s["vulnerability"]["name"] == "x_TRIAGE-webgpu-recurrent-state-buffer-aliasing"]
    by = {s["status"]: s for s in torn}
    assert by["affected"]["action_statement"] == "Upgrade Foundry Local CLI to 0.10.1 or another release with the fix."
    assert by["affected"]["products"][0]["subcomponents"][0]["@id"] == "pkg:pypi/onnxruntime-genai@0.14.0"


def test_a_cause_that_is_not_public_is_never_told(shipped: Graph, tmp_path: Path) -> None:
    secret = {p.id for p in shipped.knowledge.problems if p.status in (Status.INCONCLUSIVE, Status.REFUTED)}
    assert secret
    for kind in ("osv", "vex"):
        assert main(["export", kind, "--out", str(tmp_path / kind)]) == 0
        text = "".join(f.read_text(encoding="utf-8") for f in (tmp_path / kind).iterdir())
        assert not [id_ for id_ in secret if id_ in text]


def test_a_fix_that_every_later_release_has_is_a_range() -> None:
    record = _valid(osv_json(_graph(), TORN, NOW), OSV)
    assert record["id"] == "x_TRIAGE-torn-buffer"
    pypi, npm = record["affected"]
    assert pypi["ranges"] == [{"type": "ECOSYSTEM", "events": [{"introduced": "1.0.0"}, {"fixed": "1.0.1"}]}]
    assert pypi["versions"] == ["1.0.0"]
    assert npm["package"] == {"ecosystem": "npm", "name": "@acme/engine", "purl": "pkg:npm/%40acme/engine"}
    assert npm["ranges"][0]["type"] == "SEMVER"
    kinds = {r["url"]: r["type"] for r in record["references"]}
    assert kinds["https://github.com/acme/engine/issues/7"] == "FIX"
    assert kinds["https://github.com/acme/engine/issues/5"] == "REPORT"


def test_a_fix_that_a_later_release_misses_becomes_listed_versions() -> None:
    """1.0.2 came after 1.0.1 and is not known to have the fix: no range may end before it."""
    graph = _graph(TORN, ("1.0.1", "1.1.0"), "1.0.2")
    record = _valid(osv_json(graph, TORN, NOW), OSV)
    for entry in record["affected"]:
        assert "ranges" not in entry
        assert entry["versions"] == ["1.0.0"]
        assert entry["database_specific"]["unknown_versions"] == ["1.0.2"]


def test_a_claim_that_the_deliveries_contradict_is_not_told() -> None:
    claimed = TORN._replace(affected=(Affected("engine", "1.0.0", "1.1.0"),))
    assert osv_json(_graph(claimed), claimed, NOW) is None


def test_versions_are_spelled_as_each_registry_does() -> None:
    early = TORN._replace(affected=(Affected("engine", versions=("v1.2.0-rc.1",)),), fixes=())
    record = _valid(osv_json(_graph(early, ()), early, NOW), OSV)
    assert [e["versions"] for e in record["affected"]] == [["1.2.0rc1"], ["1.2.0-rc.1"]]


def test_a_component_without_a_registry_lists_versions_without_a_package() -> None:
    graph = _graph()
    bare = ENGINE._replace(scheme=Scheme.REBUILD)
    record = _valid(osv_json(Graph(graph.knowledge._replace(products=(bare,)), {}), TORN, NOW), OSV)
    assert record["affected"] == [{"versions": ["1.0.0"], "database_specific": {"component": "engine"}}]


def test_a_repository_that_was_read_gives_ranges_of_commits_with_every_pick(folder: Path) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    story.fork("rel-1.0.0", 1)
    story.release("1.0.0", on="rel-1.0.0", day="2026-01-02")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.1", story.heads["rel-1.0.0"])
    pick = story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-07")
    story.fork("rel-1.1.0")
    story.release("1.1.0", on="rel-1.1.0", day="2026-02-01")
    graph = graph_of(folder, known(PACKAGED)._replace(problems=(TORN,)), engine=story)
    record = _valid(osv_json(graph, TORN, NOW), OSV)
    events = record["affected"][-1]["ranges"][0]["events"]
    assert {e.get("fixed") for e in events[1:]} == {story.sha[fix], story.sha[pick]}
    git_dir = str(folder / "engine.git")
    tags = {p.version: p.shas[0] for p in graph.points(PACKAGED)}
    told = {v: has(graph, "engine", v, TORN).answer == "affected" for v in tags}
    assert told == {v: is_affected(record, "engine", sha, git_dir) for v, sha in tags.items()}
    assert told == {"1.0.0": True, "1.0.1": False, "1.1.0": False}


def test_a_withdrawn_problem_is_marked_and_names_no_versions() -> None:
    gone = TORN._replace(withdrawn="two causes were taken for one")
    record = _valid(osv_json(_graph(gone), gone, NOW), OSV)
    assert record["withdrawn"] == NOW
    assert "affected" not in record
    assert "two causes were taken for one" in record["summary"]
    assert vex_json(_graph(gone), PACKAGED, (gone,), NOW) is None


def _layer(tmp_path: Path, status: str = "confirmed", more: str = "", workaround: str = "Wait.") -> str:
    own = tmp_path / "own"
    (own / "problems").mkdir(parents=True, exist_ok=True)
    (own / "problems" / "torn-buffer.toml").write_text(
        f'schema = 1\nid = "torn-buffer"\ntitle = "Torn"\ncause = "It is."\nstatus = "{status}"\n'
        f'workarounds = ["{workaround}"]\n{more}'
        '[[affected]]\ncomponent = "onnx"\nversions = ["1.19.0"]\nref = "onnx/onnx#1"\n'
    )
    return str(own)


def _told(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_file_that_says_the_same_is_left_alone_and_one_told_no_more_is_withdrawn(tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = out / "x_TRIAGE-torn-buffer.json"
    for kind, name in (("osv", file.name), ("vex", "onnx.openvex.json")):
        command = ["export", kind, "--out", str(out), "--catalogue", _layer(tmp_path)]
        assert main(command) == 0
        before = (out / name).stat().st_mtime_ns
        assert main(command) == 0
        assert (out / name).stat().st_mtime_ns == before
    _layer(tmp_path, workaround="Use another version.")
    assert main(["export", "vex", "--out", str(out), "--catalogue", str(tmp_path / "own")]) == 0
    document = _valid(_told(out / "onnx.openvex.json"), VEX)
    assert document["version"] == 2
    assert document["last_updated"] >= document["timestamp"]
    _layer(tmp_path, "inconclusive")
    assert main(["export", "osv", "--out", str(out), "--catalogue", str(tmp_path / "own")]) == 0
    record = _valid(_told(file), OSV)
    assert record["withdrawn"]
    assert "affected" not in record


def test_one_problem_one_component_or_one_product_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    torn = "webgpu-recurrent-state-buffer-aliasing"
    for ids, expected in (([torn], 1), (["onnxruntime-genai"], 1), (["foundry-local-cli"], 2)):
        assert main(["export", "osv", *ids]) == 0
        assert len(json.loads(capsys.readouterr().out)) == expected
    assert main(["export", "vex", "foundry-local-cli", torn]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert {s["vulnerability"]["name"] for s in document["statements"]} == {f"x_TRIAGE-{torn}"}
    assert main(["export", "osv", "no-such-thing"]) == 2
    assert "no problem or product" in capsys.readouterr().err


def test_what_lies_in_the_way_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x_TRIAGE-webgpu-recurrent-state-buffer-aliasing.json").write_text("{")
    assert main(["export", "osv", "--out", str(tmp_path)]) == 2
    assert "is no JSON" in capsys.readouterr().err
