"""Observations that differ from authored files become diffs that apply and leave a valid record; doubt becomes none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kb.graph.published import ForgeFacts, PullState
from kb.graph.trace import Graph
from kb.loader import load_knowledge
from kb.model import Delivery, Knowledge, Layout, Observed, Release
from kb.proposals import AuthoredFile, Files, family_proposal, problem_proposals, tag_families
from kb.records import ProposalRecord

PRODUCT = """\
schema = 1
id     = "engine"
title  = "Engine"
scheme = "semver"
repo   = "acme/engine"

[[layout]]
tag = "v{version}"
"""
PROBLEM = """\
schema = 1
id     = "torn"
title  = "Torn"
cause  = "It is."
status = "confirmed"

[[symptom]]
signature = "torn-sign"

[[affected]]
component  = "engine"
introduced = "1.0.0"  # by the record

# who mends it
[[fix]]
kind  = "commit"
state = "STATE"
all   = ["acme/engine#7"]
"""
RELEASES = tuple(Release("engine", v, f"2026-01-0{n}", (), "x") for n, v in enumerate(("1.0.0", "1.0.1", "1.1.0"), 1))


class World:
    """A folder of authored files, and the graph over them with what was observed."""

    def __init__(self, root: Path, problem: str) -> None:
        self.root = root
        self.texts = {"products/engine.toml": PRODUCT, "problems/torn.toml": problem}
        for name, text in self.texts.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        self.files: Files = {
            ("problem", "torn"): AuthoredFile("problems/torn.toml", problem),
            ("product", "engine"): AuthoredFile("products/engine.toml", PRODUCT),
        }

    def known(self) -> Knowledge:
        knowledge, errors = load_knowledge((str(self.root),), check=True)
        assert errors == ()
        return knowledge

    def proposals(
        self, delivered: tuple[str, ...] = (), unknown: tuple[str, ...] = (), pull: PullState | None = None
    ) -> dict[str, ProposalRecord]:
        rows = (Delivery("acme/engine#7", "engine", delivered, "seen", unknown),) if delivered or unknown else ()
        knowledge = self.known()._replace(observed=Observed(RELEASES, rows))
        facts = ForgeFacts(pulls=(pull,) if pull else ())
        found = problem_proposals(Graph(knowledge, {}, (), facts), self.files)
        return {p.key.split(" ")[0]: p for p in found}

    def apply(self, proposal: ProposalRecord) -> Knowledge:
        """The knowledge after git has applied a diff."""
        subprocess.run(["git", "apply"], input=proposal.diff, text=True, cwd=self.root, check=True)
        return self.known()


def _pull(state: str, merged_at: str | None = None) -> PullState:
    return PullState(
        "acme/engine#7", state, merged_at, "main", None, "Mend it", "https://github.com/acme/engine/pull/7"
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def test_a_merged_fix_that_is_released(root: Path) -> None:
    world = World(root, PROBLEM.replace("STATE", "merged"))
    found = world.proposals(("1.0.1", "1.1.0"))
    assert set(found) == {"released", "fixed"}
    assert found["released"].title == "torn: the fix acme/engine#7 is released"
    assert "engine 1.0.1" in found["released"].why
    world.apply(found["released"])
    problem = world.apply(found["fixed"]).problems[0]
    assert problem.fixes[0].state == "released"
    assert problem.affected[0].fixed == "1.0.1"
    text = (root / "problems/torn.toml").read_text()
    assert 'introduced = "1.0.0"  # by the record\nfixed      = "1.0.1"\n\n# who mends it\n' in text


def test_a_range_that_ends_elsewhere(root: Path) -> None:
    world = World(root, PROBLEM.replace("STATE", "released").replace("# by the record", '\nfixed = "1.1.0" # claimed'))
    found = world.proposals(("1.0.1", "1.1.0"))
    assert set(found) == {"fixed"}
    assert "the record says 1.1.0" in found["fixed"].why
    assert world.apply(found["fixed"]).problems[0].affected[0].fixed == "1.0.1"
    assert 'fixed = "1.0.1" # claimed' in (root / "problems/torn.toml").read_text()


def test_a_release_that_nothing_decides_leaves_the_end_alone(root: Path) -> None:
    world = World(root, PROBLEM.replace("STATE", "released"))
    assert "fixed" not in world.proposals(("1.1.0",), ("1.0.1",))
    assert "fixed" in world.proposals(("1.0.1",), ("1.1.0",))


def test_what_the_record_says_already_is_not_proposed(root: Path) -> None:
    world = World(root, PROBLEM.replace("STATE", "released").replace("# by the record", '\nfixed = "1.0.1"'))
    assert world.proposals(("1.0.1", "1.1.0")) == {}


def test_a_candidate_that_was_merged(root: Path) -> None:
    world = World(root, PROBLEM.replace("STATE", "candidate"))
    assert world.proposals(pull=_pull("open")) == {}
    found = world.proposals(pull=_pull("merged", "2026-06-02T05:55:40Z"))
    assert set(found) == {"merged"}
    fix = world.apply(found["merged"]).problems[0].fixes[0]
    assert (fix.state, fix.merged) == ("merged", "2026-06-02")


def test_a_candidate_that_was_closed_without_a_merge_is_ruled_out(root: Path) -> None:
    world = World(root, PROBLEM.replace("STATE", "candidate"))
    found = world.proposals(pull=_pull("closed"))
    assert set(found) == {"closed"}
    problem = world.apply(found["closed"]).problems[0]
    assert problem.fixes == ()
    assert problem.ruled_out[0].ref == "acme/engine#7"


def test_the_day_of_a_merge_is_filled_in(root: Path) -> None:
    world = World(root, PROBLEM.replace("STATE", "merged"))
    found = world.proposals(pull=_pull("merged", "2026-06-02T05:55:40Z"))
    assert set(found) == {"merged-at"}
    assert world.apply(found["merged-at"]).problems[0].fixes[0].merged == "2026-06-02"
    assert world.proposals(pull=_pull("closed")) == {}


def test_a_file_that_cannot_be_edited_is_named_with_what_to_do(root: Path) -> None:
    text = PROBLEM.replace('state = "STATE"', 'state = """\nmerged"""')
    world = World(root, text)
    found = world.proposals(("1.0.1", "1.1.0"))
    assert found["released"].diff == ""
    assert "by hand" in found["released"].why


def test_a_withdrawn_problem_gets_no_proposals(root: Path) -> None:
    text = PROBLEM.replace("STATE", "merged").replace('status = "confirmed"', 'status = "confirmed"\nwithdrawn = "no"')
    assert World(root, text).proposals(("1.0.1", "1.1.0")) == {}


@pytest.mark.parametrize(
    ("tag", "family"),
    [
        ("cli-preview-0.10.1", "cli-preview-{version}"),
        ("release/1.2.3-rc.1", "release/{version}"),
        ("1.2.3", "{version}"),
        ("v1.2.3", None),  # covered
        ("nightly", None),
        ("b4886", None),
        ('x"1.2.3', None),
        ("sdk-v2.0", "sdk-v{version}"),
    ],
)
def test_tags_that_no_layout_covers_have_a_family(tag: str, family: str | None) -> None:
    found = tag_families([tag], (Layout("v{version}"),))
    assert found == ({family: tag} if family else {})


def test_a_new_family_is_proposed_as_a_layout(root: Path) -> None:
    world = World(root, PROBLEM.replace("STATE", "merged"))
    product = world.known().products[0]
    made = family_proposal(product, "cli-{version}", "cli-0.1.0", world.files["product", "engine"])
    assert made is not None
    assert [row.tag for row in world.apply(made).products[0].layouts] == ["v{version}", "cli-{version}"]
