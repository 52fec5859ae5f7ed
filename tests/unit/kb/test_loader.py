"""Authored files to knowledge: layers, broken files, what validation says of them, and the cache's plain form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kb.cross_check import cross_check
from kb.loader import SHIPPED, from_plain, layer, load_knowledge, to_plain
from kb.model import (
    Affected,
    Bundle,
    Delivery,
    Distinct,
    Fix,
    FixKind,
    FixState,
    Knowledge,
    Layout,
    Observed,
    Release,
    RuledOut,
    Scheme,
    Status,
    Symptom,
)
from signatures.loader import LoadError
from signatures.model import When
from tests.unit.kb.world import AFFECTED, DELIVERIES, ENGINE, PRODUCTS, RELEASES, problem, product, release, world

PROBLEM = """
schema = 1
id     = "shared-buffer"
title  = "One buffer is bound twice"
cause  = "One pass both writes and reads it."
status = "confirmed"
refs   = ["acme/app#7"]
workarounds = ["Use the CPU."]
checks = ["alias-check"]
review_by = 2026-12-31
owner  = "engine"

[[workaround]]
text = "Use one buffer less."
ref  = "acme/app#8"

[[symptom]]
signature = "buffer-conflict"
when      = { os = ["windows"], ep = { any = ["WebGpuExecutionProvider"], none = ["CPUExecutionProvider"] } }
capture   = { dll = ["dxil.dll"] }
decisive  = ["dll"]

[[affected]]
component  = "engine"
introduced = "0.14.0"
fixed      = "0.14.1"
versions   = ["0.13.9"]
ref        = "acme/engine#20"

[[fix]]
kind      = "commit"
state     = "released"
all       = ["acme/engine#21"]
component = "engine"
merged    = 2026-06-02
note      = "Nothing to set."
ref       = "acme/engine#21"

[[distinct_from]]
problem = "shared-buffer"
why     = "It is the same."

[[ruled_out]]
claim = "The driver is at fault."
ref   = "acme/app#7"
"""
PRODUCT = """
schema  = 1
id      = "app"
title   = "App"
scheme  = "semver"
aliases = ["App"]
labels  = ["App version"]
version = 'v?\\d+\\.\\d+\\.\\d+'
repo    = "acme/app"

[[layout]]
tag  = "app-{version}"
from = "0.10.0"
to   = "1.0.0"

[[layout.bundles]]
component = "engine"
manifest  = "deps.json"
pointer   = "/engine/version"

[[release]]
version = "0.9.0"
by      = "2026-04-10"
bundles = { engine = "0.13.0" }
source  = "acme/app#3"
"""
ENGINE_FILE = """
schema = 1
id     = "engine"
title  = "Engine"
scheme = "semver"
"""
OBSERVED = """
[[release]]
product = "app"
version = "0.10.0"
date    = 2026-06-04
bundles = { engine = "0.14.0" }
source  = "acme/app@app-0.10.0:deps.json"

[[delivery]]
change    = "acme/engine#21"
component = "engine"
releases  = ["0.14.1"]
how       = "ancestry"
"""


def folder(at: Path, **files: str) -> str:
    """A folder of knowledge; a key `problems__x` is the file problems/x.toml."""
    for name, text in files.items():
        path = at / (name.replace("__", "/") + ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(at)


def whole(at: Path, **files: str) -> str:
    known = {
        "problems__shared-buffer": PROBLEM,
        "products__app": PRODUCT,
        "products__engine": ENGINE_FILE,
        "observed": OBSERVED,
    }
    return folder(at, **(known | files))


@pytest.mark.parametrize("check", [True, False])
def test_every_key_of_the_files_is_read(tmp_path: Path, check: bool) -> None:
    known, errors = load_knowledge((whole(tmp_path),), check=check)
    assert errors == ()
    (read,) = known.problems
    assert read == problem(
        symptoms=(
            Symptom(
                "buffer-conflict",
                (When("os", ("windows",)), When("ep", ("WebGpuExecutionProvider",), ("CPUExecutionProvider",))),
                (("dll", ("dxil.dll",)),),
                ("dll",),
            ),
        ),
        affected=(Affected("engine", "0.14.0", "0.14.1", ("0.13.9",), "acme/engine#20"),),
        fixes=(
            Fix(
                FixKind.COMMIT,
                FixState.RELEASED,
                ("acme/engine#21",),
                "engine",
                "2026-06-02",
                "Nothing to set.",
                "acme/engine#21",
            ),
        ),
        workarounds=("Use the CPU.", "Use one buffer less."),
        workaround_refs=(None, "acme/app#8"),
        checks=("alias-check",),
        distinct_from=(Distinct("shared-buffer", "It is the same."),),
        ruled_out=(RuledOut("The driver is at fault.", "acme/app#7"),),
        review_by="2026-12-31",
        owner="engine",
    )
    app, engine = known.products
    assert (app.id, app.scheme, app.aliases, app.labels) == ("app", Scheme.SEMVER, ("App",), ("App version",))
    assert app.layouts == (
        Layout("app-{version}", "0.10.0", "1.0.0", (Bundle("engine", "deps.json", "/engine/version"),)),
    )
    assert engine.repo is None
    assert known.observed == Observed(
        (
            Release("app", "0.9.0", None, (("engine", "0.13.0"),), "acme/app#3", "2026-04-10"),
            Release("app", "0.10.0", "2026-06-04", (("engine", "0.14.0"),), "acme/app@app-0.10.0:deps.json"),
        ),
        (Delivery("acme/engine#21", "engine", ("0.14.1",), "ancestry"),),
    )


def test_the_plain_form_survives_json(tmp_path: Path) -> None:
    known, _ = load_knowledge((whole(tmp_path),), check=False)
    assert from_plain(json.loads(json.dumps(to_plain(known)))) == known
    everything = world(problem())
    assert from_plain(json.loads(json.dumps(to_plain(everything)))) == everything


@pytest.mark.parametrize("data", [None, {}, [], [[], []], [[["x"]], [], [[], []]], [[], [], [[["app"]], []]], "abc"])
def test_other_data_is_no_plain_form(data: object) -> None:
    with pytest.raises(ValueError, match="no plain form"):
        from_plain(data)


def test_a_later_folder_replaces_records_of_the_same_id(tmp_path: Path) -> None:
    base = whole(tmp_path / "base")
    own = folder(
        tmp_path / "own",
        **{
            "problems__shared-buffer": PROBLEM.replace("confirmed", "reported"),
            "problems__mine": PROBLEM.replace("shared-buffer", "mine"),
            "observed": OBSERVED.replace("0.14.0", "0.14.2").replace('["0.14.1"]', '["0.15.0"]'),
        },
    )
    known, errors = load_knowledge((base, own, str(tmp_path / "nowhere")), check=True)
    assert errors == ()
    assert [(p.id, p.status) for p in known.problems] == [
        ("shared-buffer", Status.REPORTED),
        ("mine", Status.CONFIRMED),
    ]
    assert [r.bundles for r in known.observed.releases] == [(("engine", "0.13.0"),), (("engine", "0.14.2"),)]
    assert [d.releases for d in known.observed.deliveries] == [("0.15.0",)]
    assert layer(known, Knowledge((), (), Observed())) == known


class TestBrokenFiles:
    """One broken record is named and never stops the rest."""

    @pytest.mark.parametrize("check", [True, False])
    @pytest.mark.parametrize(
        ("text", "key", "message"),
        [
            ("schema = 1\nid = ", "", "is not valid TOML"),
            (PROBLEM.replace("schema = 1", "schema = 2"), "schema", "schema"),
            (PROBLEM.replace("confirmed", "certain"), "status", "confirmed"),
            (PROBLEM.replace('kind      = "commit"', 'kind = "patch"'), "fix[0].kind", "artifact"),
            (PROBLEM.replace('refs   = ["acme/app#7"]', 'refs = "acme/app#7"'), "refs", ""),
            (PROBLEM.replace('title  = "One buffer is bound twice"', "title = 3"), "title", ""),
            (PROBLEM.replace('title  = "One buffer is bound twice"\n', ""), "title", ""),
            (PROBLEM.replace("[[affected]]", "[affected]"), "affected", ""),
            (PROBLEM.replace('capture   = { dll = ["dxil.dll"] }', "capture = 3"), "symptom[0].capture", ""),
            (PROBLEM.replace("merged    = 2026-06-02", 'merged = "June"'), "fix[0].merged", ""),
        ],
    )
    def test_the_file_and_the_key_are_named(
        self, tmp_path: Path, check: bool, text: str, key: str, message: str
    ) -> None:
        at = whole(tmp_path, problems__broken=text)
        known, errors = load_knowledge((at,), check=check)
        assert [p.id for p in known.problems] == ["shared-buffer"]
        assert [(Path(e.file).name, e.key) for e in errors] == [("broken.toml", key)]
        assert message in errors[0].message
        assert "broken.toml" in str(errors[0])

    def test_the_line_of_a_syntax_error_is_named(self, tmp_path: Path) -> None:
        _, (error,) = load_knowledge((folder(tmp_path, problems__broken="schema = 1\nid = x\n"),), check=False)
        assert error.line == 2

    def test_an_unknown_key_is_refused_by_name_with_the_nearest_valid_one(self, tmp_path: Path) -> None:
        at = whole(tmp_path, **{"problems__shared-buffer": PROBLEM.replace("fixed      =", "fixd =")})
        known, (error,) = load_knowledge((at,), check=True)
        assert (error.key, error.message) == ("affected[0].fixd", "unknown key; did you mean `fixed`?")
        assert error.line is not None
        assert len(known.problems) == 1  # still there, so that what refers to it does not dangle
        assert load_knowledge((at,), check=False)[1] == ()

    def test_a_record_bears_its_id_as_its_name(self, tmp_path: Path) -> None:
        _, (error,) = load_knowledge((whole(tmp_path, problems__other=PROBLEM.replace("acme", "acme")),), check=True)
        assert error.message == "is 'shared-buffer'; name the file shared-buffer.toml, a record bears its id"

    def test_a_release_has_one_home_and_the_product_of_its_file(self, tmp_path: Path) -> None:
        twice = OBSERVED.replace("0.10.0", "0.9.0")
        _, (error,) = load_knowledge((whole(tmp_path / "a", observed=twice),), check=True)
        assert error.message == "app 0.9.0 is stated twice; a fact has one home"
        foreign = PRODUCT.replace('version = "0.9.0"', 'product = "engine"\nversion = "0.9.0"')
        _, (error,) = load_knowledge((whole(tmp_path / "b", products__app=foreign),), check=False)
        assert error.key == "release[0].product"

    def test_broken_observations_leave_the_rest(self, tmp_path: Path) -> None:
        at = whole(tmp_path, observed=OBSERVED.replace('how       = "ancestry"', ""))
        known, (error,) = load_knowledge((at,), check=False)
        assert error.key == "delivery[0].how"
        assert len(known.products) == 2
        bad = whole(tmp_path, observed=OBSERVED.replace('version = "0.10.0"', "version = 10"))
        assert load_knowledge((bad,), check=False)[1][0].key == "release[0].version"


def test_what_ships_is_read_whole() -> None:
    known, errors = load_knowledge((SHIPPED,), check=True)
    assert errors == ()
    assert known.problems
    assert load_knowledge((SHIPPED,), check=False) == (known, ())


def test_a_lookup_imports_nothing_that_is_slow_to_start() -> None:
    code = (
        "import sys, kb.loader, kb.diagnose, kb.delivery; kb.loader.load_knowledge(check=False); "
        "print(' '.join(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slow = {"pydantic", "dataclasses", "pathlib", "json", "packaging", "difflib", "sqlmodel", "github", "onnx"}
    assert not slow & set(run.stdout.split())


class TestCrossCheck:
    SIGNATURES = frozenset({"buffer-conflict"})
    KEYS = frozenset({"os", "ep"})

    def errors(self, known: Knowledge) -> list[tuple[str, str, str]]:
        return [(e.file, e.key, e.message) for e in cross_check(known, self.SIGNATURES, self.KEYS)]

    def one(self, known: Knowledge) -> tuple[str, str, str]:
        (found,) = self.errors(known)
        return found

    def test_a_sound_world_has_no_errors(self) -> None:
        assert self.errors(world(problem())) == []
        assert isinstance(LoadError("f", "k", None, "m"), LoadError)

    def test_a_symptom_leads_to_a_signature_and_to_known_facts(self) -> None:
        typo = problem(symptoms=(Symptom("buffer-conflct"),))
        assert self.one(world(typo)) == (
            "problems/shared-buffer.toml",
            "symptom[0].signature",
            "buffer-conflct is no signature; did you mean buffer-conflict?",
        )
        unknown = problem(symptoms=(Symptom("buffer-conflict", (When("oss", ("x",)), When(ENGINE, ("1",)))),))
        assert self.one(world(unknown))[1:] == (
            "symptom[0].when.oss",
            "is neither a fact key nor a product; did you mean os?",
        )
        assert self.one(world(problem(symptoms=())))[1] == "symptom"
        assert self.errors(world(problem(symptoms=(), withdrawn="split in two"))) == []

    def test_distinct_from_leads_to_a_problem(self) -> None:
        lost = problem(distinct_from=(Distinct("nowhere-at-all", "x"),))
        assert self.one(world(lost))[1:] == ("distinct_from[0].problem", "nowhere-at-all is no problem")

    def test_a_cause_that_is_not_settled_has_no_released_fix_and_shows_why(self) -> None:
        assert self.one(world(problem(status=Status.REFUTED)))[1] == "status"
        bare = problem(status=Status.INCONCLUSIVE, affected=(), fixes=(), refs=())
        assert "neither refs nor" in self.one(world(bare))[2]

    @pytest.mark.parametrize(
        ("row", "key", "words"),
        [
            (AFFECTED._replace(component="engin"), "component", "did you mean engine?"),
            (AFFECTED._replace(ref=None), "ref", "say where"),
            (AFFECTED._replace(introduced="0.14"), "introduced", "'0.14' is no semver version"),
            (AFFECTED._replace(versions=("x",)), "versions", "'x' is no semver version"),
            (AFFECTED._replace(fixed="0.14.2"), "fixed", "the deliveries say 0.14.1"),
            (AFFECTED._replace(introduced="0.14.1"), "fixed", "not later"),
        ],
    )
    def test_a_range_names_a_component_versions_and_a_reference(self, row: Affected, key: str, words: str) -> None:
        found = self.one(world(problem(affected=(row,))))
        assert found[1] == f"affected[0].{key}"
        assert words in found[2]

    def test_a_disagreement_is_said_once_for_all_ranges_of_a_component(self) -> None:
        rows = (AFFECTED._replace(fixed="0.14.2"), Affected(ENGINE, "0.15.5", ref="x"))
        assert self.one(world(problem(affected=rows)))[1] == "affected[0].fixed"

    def test_a_model_is_a_component(self) -> None:
        row = Affected("model:tiny-gpu", "3", "4", ref="acme/app#8")
        assert self.errors(world(problem(affected=(row,), fixes=()))) == []

    @pytest.mark.parametrize(
        ("fix", "key"),
        [
            (Fix(FixKind.COMMIT, FixState.CANDIDATE), "fix[0].ref"),
            (Fix(FixKind.COMMIT, FixState.CANDIDATE, component="kernels", ref="x"), "fix[0].component"),
            (Fix(FixKind.COMMIT, FixState.CANDIDATE, component="mystery", ref="x"), "fix[0].component"),
            (Fix(FixKind.DRIVER, FixState.RELEASED, ref="x"), "fix[0].note"),
            (Fix(FixKind.PACKAGING, FixState.RELEASED, ref="x"), "fix[0].note"),
            (Fix(FixKind.RELEASE, FixState.RELEASED, ref="x"), "fix[0].state"),
        ],
    )
    def test_a_fix_says_where_it_stands_and_what_to_do(self, fix: Fix, key: str) -> None:
        of = problem(affected=(Affected(ENGINE, "0.14.0", ref="x"),), fixes=(fix,))
        assert self.errors(world(of))[0][1] == key

    def test_a_fixed_version_needs_a_released_fix(self) -> None:
        of = problem(fixes=(Fix(FixKind.COMMIT, FixState.MERGED, ("acme/engine#30",)),))
        assert self.one(world(of))[1:] == (
            "affected[0].fixed",
            "is stated although every [[fix]] of the component is still unreleased",
        )

    def test_an_alias_belongs_to_one_product_and_a_shared_label_needs_shapes(self) -> None:
        one = product("one", aliases=("The Tool",), labels=("Version",))
        two = product("two", aliases=("the  tool",), labels=("version",), version=r"v?2\.\d+")
        messages = [m for _, _, m in self.errors(world(products=(*PRODUCTS, one, two)))]
        assert messages[0].startswith("the alias 'the tool' belongs to one and two")
        assert messages[1].startswith("the label 'version' is shared by one and two")
        shaped = one._replace(aliases=(), version=r"v?1\.\d+")
        assert self.errors(world(products=(*PRODUCTS, shaped, two))) == []

    def test_a_product_states_shapes_and_layouts_that_can_be_read(self) -> None:
        bad = product(
            "bad", version="(?=x)", layouts=(Layout("v1", "one", "two", (Bundle("mystery", "m.json", "/x"),)),)
        )
        keys = [k for _, k, _ in self.errors(world(products=(*PRODUCTS, bad)))]
        assert keys == ["version", "layout[0].tag", "layout[0].from", "layout[0].to", "layout[0].bundles[0].component"]

    def test_observed_versions_can_be_read(self) -> None:
        rows = (
            *RELEASES,
            release("mystery", "1.0.0"),
            release("app", "preview", engine="soon"),
            release("sdk", "1.9.0", "2026-09-02", "2026-09-01"),
        )
        known = world(
            releases=rows,
            deliveries=(*DELIVERIES, Delivery("acme/x#1", ENGINE, ("x",), "y"), Delivery("acme/x#2", ENGINE, (), "y")),
        )
        found = self.errors(known)
        assert {f for f, _, _ in found} == {"observed.toml"}
        assert [k for _, k, _ in found] == [
            "release mystery 1.0.0",
            "release app preview",
            "release app preview.bundles",
            "release sdk 1.9.0",
            "delivery acme/x#1 engine",
            "delivery acme/x#2 engine",
        ]
