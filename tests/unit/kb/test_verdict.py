"""The verdict table, row by row, for one reporter's versions; and that a wrong "upgrade" cannot come out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.affected import Course, Position, standing
from kb.model import (
    Affected,
    Delivery,
    Fix,
    FixedIn,
    FixKind,
    FixState,
    FixVerdict,
    Knowledge,
    Problem,
    Scheme,
    Verdict,
)
from kb.remedy import ORDER
from kb.stated import Near, Scoped, ScopedArtifact
from kb.verdict import fix_verdict, judge
from kb.versions import compare
from signatures.model import ArtifactRole, Source
from tests.unit.kb.world import (
    AFFECTED,
    APP,
    CHANGE,
    DELIVERIES,
    ENGINE,
    FIX,
    RELEASES,
    SDK,
    model,
    problem,
    release,
    stated,
    world,
)

IN_ENGINE = FixedIn("component", ENGINE, "0.14.1", None)
IN_APP = FixedIn("product", APP, "0.10.1", "2026-06-22")
IN_SDK = FixedIn("product", SDK, "1.2.1", "2026-06-04")


def verdict(
    *facts: tuple[str, str] | tuple[str, str, Source] | tuple[str, str, Source, Near],
    of: Problem | None = None,
    known: Knowledge | None = None,
    models: tuple[ScopedArtifact, ...] = (),
    as_of: str | None = None,
) -> FixVerdict:
    return fix_verdict(of or problem(), known or world(), stated(*facts), models, as_of)


def test_affected_and_fixed_in_a_release_of_the_product_is_upgrade() -> None:
    found = verdict((APP, "0.10.0+174be11"))
    assert found.verdict is Verdict.UPGRADE
    assert found.fixed_in == (IN_ENGINE, IN_APP)
    assert found.reporter == (
        APP,
        "0.10.0",
        ENGINE,
        "0.14.0",
        "App 0.10.0+174be11, stated in the form; App 0.10.0 carries engine 0.14.0 (acme/app@v0.10.0)",
    )
    assert found.contradictions == ()


def test_affected_and_not_yet_in_the_product_is_wait_for_product() -> None:
    found = verdict((APP, "0.10.0"), as_of="2026-06-11")
    assert found.verdict is Verdict.WAIT_FOR_PRODUCT
    assert found.fixed_in == (IN_ENGINE, IN_SDK)
    assert found.note == "no release of App is known to carry it yet"


def test_affected_with_a_merged_change_in_no_release_is_merged() -> None:
    assert verdict((APP, "0.10.0"), as_of="2026-06-03").verdict is Verdict.MERGED
    merged = FIX._replace(state=FixState.MERGED, all=("acme/engine#30", "acme/kernels#9"), note="Needs both.")
    found = verdict((ENGINE, "0.14.0"), of=problem(affected=(Affected(ENGINE, "0.14.0"),), fixes=(merged,)))
    assert found.verdict is Verdict.MERGED
    assert "merged on 2026-06-02" in found.note
    assert "acme/engine#30 and acme/kernels#9" in found.note
    assert found.note.endswith("Needs both.")


def test_a_change_merged_after_the_day_is_no_remedy_on_it() -> None:
    assert verdict((APP, "0.10.0"), as_of="2026-06-01").verdict is Verdict.NONE


def test_affected_with_a_candidate_only_is_candidate() -> None:
    candidate = Fix(FixKind.COMMIT, FixState.CANDIDATE, ("acme/engine#31",), note="Unverified.")
    found = verdict((ENGINE, "0.14.0"), of=problem(affected=(Affected(ENGINE, "0.14.0"),), fixes=(candidate,)))
    assert (found.verdict, found.note) == (Verdict.CANDIDATE, "Unverified.")


@pytest.mark.parametrize("kind", [FixKind.CONFIG, FixKind.DRIVER, FixKind.PACKAGING])
def test_affected_and_settled_on_the_reporters_side_is_configure(kind: FixKind) -> None:
    own = Fix(kind, FixState.RELEASED, note="Install the graphics packages.")
    found = verdict(of=problem(affected=(), fixes=(own,)))
    assert (found.verdict, found.note) == (Verdict.CONFIGURE, "Install the graphics packages.")


def test_a_driver_with_a_known_fixed_version_names_it() -> None:
    own = Fix(FixKind.DRIVER, FixState.RELEASED, note="Install 32.0.102 or later.")
    of = problem(affected=(Affected("driver", None, "32.0.102"),), fixes=(own,))
    found = verdict(("driver", "32.0.101.8332"), of=of)
    assert found.verdict is Verdict.CONFIGURE
    assert found.fixed_in == (FixedIn("component", "driver", "32.0.102", None),)
    assert verdict(("driver", "32.0.103"), of=of).verdict is Verdict.NOT_EXPLAINED


def test_a_package_that_was_completed_in_a_release_is_upgrade() -> None:
    of = problem(
        affected=(Affected(ENGINE, fixed="0.14.1", versions=("0.14.0",)),),
        fixes=(Fix(FixKind.PACKAGING, FixState.RELEASED, ("acme/app#545",)),),
    )
    known = world(deliveries=())
    assert verdict((ENGINE, "0.14.0"), of=of, known=known).fixed_in == (IN_ENGINE,)
    assert verdict((ENGINE, "0.13.0"), of=of, known=known).verdict is Verdict.VERSION_UNKNOWN  # not examined
    assert verdict((ENGINE, "0.14.1"), of=of, known=known).verdict is Verdict.NOT_EXPLAINED


def test_affected_without_a_remedy_is_none() -> None:
    of = problem(affected=(Affected(ENGINE, versions=("0.14.0", "0.13.0")),), fixes=())
    assert verdict((ENGINE, "0.14.0"), of=of).verdict is Verdict.NONE
    # nothing can be told of another version either
    assert verdict((ENGINE, "0.14.1"), of=of).verdict is Verdict.NONE
    assert verdict(of=of).verdict is Verdict.NONE
    assert verdict(of=problem(affected=(), fixes=())).verdict is Verdict.NONE


def test_before_the_fault_is_not_explained() -> None:
    found = verdict((ENGINE, "0.13.0", Source.GIVEN), (APP, "0.10.0"))
    assert found.verdict is Verdict.NOT_EXPLAINED
    assert found.note == "0.13.0 is from before the fault, which came with 0.14.0"
    assert found.fixed_in == ()
    assert len(found.contradictions) == 1  # the product's manifest says otherwise
    assert "carries engine 0.14.0" in found.contradictions[0]


@pytest.mark.parametrize("version", ["0.14.1", "0.15.0", "0.16.0"])
def test_at_or_past_the_fix_is_not_explained(version: str) -> None:
    assert verdict((ENGINE, version, Source.LOG)).verdict is Verdict.NOT_EXPLAINED


@pytest.mark.parametrize("text", ["0.0.0", "included with App", "latest", "_No response_", "0.14"])
def test_a_version_that_says_nothing_is_version_unknown(text: str) -> None:
    judged = judge(problem(), world(), stated((ENGINE, text)), ())
    assert judged.fix.verdict is Verdict.VERSION_UNKNOWN
    assert judged.asks == ENGINE
    assert judged.fix.fixed_in == (IN_ENGINE, IN_SDK, IN_APP)  # information, whoever asks


class TestSetsOfReleases:
    """A delivery is a set, not 'X and later'."""

    def test_a_version_between_observed_ones_is_unknown(self) -> None:
        found = verdict((ENGINE, "0.14.2"))
        assert found.verdict is Verdict.VERSION_UNKNOWN
        assert found.note == "no observation says whether 0.14.2 carries the fix"
        assert found.fixed_in == ()

    def test_a_release_that_missed_the_fix_is_unknown(self) -> None:
        known = world(releases=(*RELEASES, release(ENGINE, "0.15.1", "2026-08-01")))
        assert verdict((ENGINE, "0.15.1"), known=known).verdict is Verdict.VERSION_UNKNOWN

    def test_later_than_everything_observed_is_fixed_only_where_the_record_says_fixed(self) -> None:
        unclaimed = problem(affected=(Affected(ENGINE, "0.14.0"),))
        assert verdict((ENGINE, "0.16.0")).verdict is Verdict.NOT_EXPLAINED
        assert verdict((ENGINE, "0.16.0"), of=unclaimed).verdict is Verdict.VERSION_UNKNOWN
        assert verdict((ENGINE, "0.14.0"), of=unclaimed).verdict is Verdict.UPGRADE

    def test_a_prerelease_of_the_fix_is_unknown(self) -> None:
        assert verdict((ENGINE, "0.14.1-rc.1")).verdict is Verdict.VERSION_UNKNOWN

    def test_a_prerelease_is_not_the_first_fixed_release(self) -> None:
        known = world(deliveries=(Delivery(CHANGE, ENGINE, ("0.14.1-rc.1", "0.14.1"), "ancestry"),))
        assert verdict((ENGINE, "0.14.0"), known=known).fixed_in == (IN_ENGINE,)

    def test_a_claim_that_the_deliveries_contradict_settles_nothing(self) -> None:
        of = problem(affected=(AFFECTED._replace(fixed="0.14.2"),))
        judged = judge(of, world(), stated((APP, "0.10.0")), ())
        assert judged.fix.verdict is Verdict.VERSION_UNKNOWN
        assert judged.fix.note == "the record says fixed in 0.14.2, the deliveries say 0.14.1"
        assert judged.asks is None  # no answer of the reporter would help
        assert judge(of, world(), (), ()).asks is None

    def test_a_claim_of_a_release_that_was_seen_without_the_fix_settles_nothing(self) -> None:
        of = problem(affected=(AFFECTED, Affected(ENGINE, "0.15.1", "0.15.2", ref="x")))
        known = world(releases=(*RELEASES, release(ENGINE, "0.15.2", "2026-08-05")))
        assert verdict((ENGINE, "0.15.1"), of=of, known=known).verdict is Verdict.VERSION_UNKNOWN

    def test_a_claim_later_than_everything_observed_stands(self) -> None:
        of = problem(affected=(AFFECTED, Affected(ENGINE, "0.15.1", "0.15.2", ref="x")))
        assert verdict((ENGINE, "0.14.0"), of=of).fixed_in == (IN_ENGINE,)
        assert verdict((ENGINE, "0.15.3"), of=of).verdict is Verdict.NOT_EXPLAINED
        # affected again, and the fix that is delivered is in an earlier release
        assert verdict((ENGINE, "0.15.1"), of=of).verdict is Verdict.MERGED

    def test_a_fix_that_came_back_in_two_lines_is_looked_up_in_the_reporters_own(self) -> None:
        of = problem(affected=(AFFECTED, Affected(ENGINE, "0.15.0", "0.15.2", ref="x")))
        known = world(
            releases=(*RELEASES, release(ENGINE, "0.15.2", "2026-08-05")),
            deliveries=(Delivery(CHANGE, ENGINE, ("0.14.1", "0.15.2"), "picks"),),
        )
        assert verdict((ENGINE, "0.14.0"), of=of, known=known).fixed_in[0].version == "0.14.1"
        assert verdict((ENGINE, "0.15.0"), of=of, known=known).fixed_in[0].version == "0.15.2"
        assert verdict((ENGINE, "0.14.5"), of=of, known=known).verdict is Verdict.VERSION_UNKNOWN

    def test_a_version_listed_as_affected_that_carries_the_fix_is_unknown(self) -> None:
        of = problem(affected=(AFFECTED._replace(versions=("0.14.1",)),))
        assert verdict((ENGINE, "0.14.1"), of=of).verdict is Verdict.VERSION_UNKNOWN

    def test_a_claim_that_is_no_version_settles_nothing(self) -> None:
        assert verdict((ENGINE, "0.14.0"), of=problem(affected=(AFFECTED._replace(fixed="soon"),))).verdict is (
            Verdict.VERSION_UNKNOWN
        )

    def test_a_released_fix_of_unrecorded_release_is_unknown(self) -> None:
        of = problem(affected=(Affected(ENGINE, "0.14.0", versions=("0.15.0",)),))
        known = world(deliveries=())
        assert verdict((ENGINE, "0.14.0"), of=of, known=known).verdict is Verdict.VERSION_UNKNOWN
        found = verdict((ENGINE, "0.15.0"), of=of, known=known)
        assert found.verdict is Verdict.VERSION_UNKNOWN
        assert found.note == "a fix is released, but its first release is not recorded"

    def test_a_fixed_version_of_a_fix_that_is_only_announced_is_unknown(self) -> None:
        of = problem(fixes=(FIX._replace(state=FixState.CANDIDATE),))
        known = world(deliveries=())
        assert verdict((ENGINE, "0.14.0"), of=of, known=known).verdict is Verdict.CANDIDATE
        assert verdict((ENGINE, "0.15.0"), of=of, known=known).verdict is Verdict.VERSION_UNKNOWN

    def test_a_record_that_knows_the_release_but_not_the_change_is_enough(self) -> None:
        found = verdict((ENGINE, "0.14.0"), of=problem(fixes=()), known=world(deliveries=()))
        assert (found.verdict, found.fixed_in) == (Verdict.UPGRADE, (IN_ENGINE,))

    def test_every_version_affected_needs_no_version(self) -> None:
        of = problem(affected=(Affected(ENGINE),), fixes=())
        found = verdict(of=of)
        assert (found.verdict, found.reporter.component) == (Verdict.NONE, ENGINE)

    def test_without_authored_ranges_the_deliveries_decide(self) -> None:
        of = problem(affected=())
        assert verdict((ENGINE, "0.14.0"), of=of).fixed_in == (IN_ENGINE,)
        assert verdict((ENGINE, "0.14.1"), of=of).verdict is Verdict.NOT_EXPLAINED
        assert verdict(of=of).verdict is Verdict.VERSION_UNKNOWN
        config = Fix(FixKind.CONFIG, FixState.RELEASED, note="Switch it off.")
        assert verdict(of=problem(affected=(), fixes=(FIX, config))).verdict is Verdict.CONFIGURE


class TestWhatTheReporterRuns:
    """Trust first, then nearness; what disagrees is shown."""

    def test_a_given_product_version_overrides_the_stated_one(self) -> None:
        found = verdict((APP, "0.10.1", Source.GIVEN), (APP, "0.10.0"))
        assert found.verdict is Verdict.NOT_EXPLAINED
        assert found.reporter.product_version == "0.10.1"

    def test_the_runtimes_own_log_decides_over_a_manifest(self) -> None:
        found = verdict((ENGINE, "0.14.0", Source.LOG, Near(1, 9)), (APP, "0.10.1"))
        assert found.verdict is Verdict.UPGRADE
        # the stated product carries the fix already, so a later one would change nothing
        assert found.fixed_in == (IN_ENGINE,)
        assert len(found.contradictions) == 1

    @pytest.mark.parametrize("source", [Source.FORM, Source.PROSE])
    @pytest.mark.parametrize("printed", [Source.LOG, Source.MANIFEST, Source.DIAGNOSTICS])
    def test_output_beside_the_failure_does_not_decide_over_what_the_reporter_says(
        self, printed: Source, source: Source
    ) -> None:
        for component, old, new in ((ENGINE, "0.14.0", "0.14.1"), (APP, "0.10.0", "0.10.1")):
            judged = judge(problem(), world(), stated((component, old, printed), (APP, "0.10.1", source)), ())
            assert judged.fix.verdict is Verdict.VERSION_UNKNOWN
            assert "App 0.10.1" in judged.fix.contradictions[0]
            assert judged.asks == ENGINE
            assert verdict((component, old, printed), (APP, "0.10.0", source)).verdict is Verdict.UPGRADE
            assert verdict((component, new, printed), (APP, "0.10.0", source)).verdict is not Verdict.UPGRADE

    def test_a_manifest_decides_over_prose(self) -> None:
        found = verdict((ENGINE, "0.13.0", Source.PROSE), (APP, "0.10.0"))
        assert found.reporter.component_version == "0.14.0"
        assert len(found.contradictions) == 1

    @pytest.mark.parametrize("source", [Source.DIAGNOSTICS, Source.FORM])
    def test_a_form_or_the_diagnostics_against_the_manifest_leave_the_version_unknown(self, source: Source) -> None:
        for other in ("0.13.0", "0.14.1"):
            found = verdict((ENGINE, other, source), (APP, "0.10.0"))
            assert found.verdict is Verdict.VERSION_UNKNOWN
            assert found.contradictions
        assert verdict((ENGINE, "0.14.0", source), (APP, "0.10.0")).verdict is Verdict.UPGRADE

    def test_what_is_written_after_the_evidence_counts_as_well(self) -> None:
        later = Near(3, 9, later=True)
        assert verdict((APP, "0.10.0"), (APP, "0.10.1", Source.PROSE, later)).verdict is Verdict.VERSION_UNKNOWN
        assert verdict((APP, "0.10.0"), (APP, "0.10.0", Source.PROSE, later)).verdict is Verdict.UPGRADE
        given = verdict((APP, "0.10.0", Source.GIVEN), (APP, "0.10.1", Source.PROSE, later))
        assert given.verdict is Verdict.UPGRADE

    def test_two_parts_of_a_version_leave_its_release_open(self) -> None:
        rows = (Affected(ENGINE, "0.14.0", "0.14.1"),)
        course = Course(ENGINE, Scheme.PEP440, rows, (), (), (), "")
        positions = {v: standing(course, v).position for v in ("0.13", "0.14", "0.14.0", "0.15", "1")}
        assert positions == {
            "0.13": Position.BEFORE,
            "0.14": Position.UNKNOWN,
            "0.14.0": Position.AFFECTED,
            "0.15": Position.FIXED,
            "1": Position.FIXED,
        }

    def test_a_placeholder_at_higher_trust_decides_nothing(self) -> None:
        found = verdict((ENGINE, "0.0.0", Source.LOG), (APP, "0.10.0"))
        assert found.verdict is Verdict.UPGRADE

    def test_equal_statements_that_disagree_are_version_unknown(self) -> None:
        judged = judge(problem(), world(), stated((ENGINE, "0.14.0"), (ENGINE, "0.14.1")), ())
        assert judged.fix.verdict is Verdict.VERSION_UNKNOWN
        assert judged.fix.contradictions == ("Engine 0.14.0, stated in the form; Engine 0.14.1, stated in the form",)
        assert judged.asks == ENGINE

    def test_equal_statements_with_one_answer_keep_it(self) -> None:
        found = verdict((ENGINE, "0.13.0"), (ENGINE, "0.15.0"))
        assert found.verdict is Verdict.NOT_EXPLAINED
        assert len(found.contradictions) == 1

    @pytest.mark.parametrize(
        ("near", "expected"),
        [(Near(1, 9), Verdict.UPGRADE), (Near(2, 9), Verdict.VERSION_UNKNOWN), (Near(3, 9), Verdict.NOT_EXPLAINED)],
    )
    def test_the_statement_nearer_to_the_evidence_wins(self, near: Near, expected: Verdict) -> None:
        found = verdict((ENGINE, "0.14.0", Source.FORM, near), (ENGINE, "0.14.1", Source.FORM, Near(2, 9)))
        assert found.verdict is expected
        assert len(found.contradictions) == 1

    def test_sentences_elsewhere_in_the_thread_may_be_about_another_run_and_contradict_nothing(self) -> None:
        found = verdict((ENGINE, "0.14.0", Source.PROSE, Near(1, 9)), (ENGINE, "0.14.1", Source.PROSE, Near(2, 9)))
        assert (found.verdict, found.contradictions) == (Verdict.UPGRADE, ())

    def test_two_products_with_one_answer_are_both_named(self) -> None:
        found = verdict((SDK, "1.2.0"), (APP, "0.10.0"))
        assert found.verdict is Verdict.UPGRADE
        assert set(found.fixed_in) == {IN_ENGINE, IN_SDK, IN_APP}
        assert found.contradictions == ()

    def test_two_products_with_different_answers_are_version_unknown(self) -> None:
        assert verdict((SDK, "1.2.1"), (APP, "0.10.0")).verdict is Verdict.VERSION_UNKNOWN

    def test_a_product_of_unknown_content_leaves_the_word_to_the_next(self) -> None:
        found = verdict((APP, "0.8.119"), (SDK, "1.2.0", Source.PROSE))
        assert found.reporter.product == SDK
        assert found.verdict is Verdict.UPGRADE

    def test_a_product_stated_twice_with_one_unknown_content_is_version_unknown(self) -> None:
        assert verdict((APP, "0.10.0"), (APP, "0.8.119")).verdict is Verdict.VERSION_UNKNOWN
        assert verdict((APP, "0.10.0"), (APP, "latest")).verdict is Verdict.UPGRADE

    def test_a_lesser_statement_about_the_product_is_shown_as_a_contradiction(self) -> None:
        found = verdict((APP, "0.10.0"), (APP, "0.10.1", Source.PROSE))
        assert found.verdict is Verdict.UPGRADE
        assert "App 0.10.1 carries engine 0.14.1" in found.contradictions[0]

    def test_the_component_alone_is_named_where_the_product_is_not_clear(self) -> None:
        log = (ENGINE, "0.14.0", Source.LOG, Near(1, 9))
        assert verdict(log).fixed_in == (IN_ENGINE,)
        assert verdict(log, (APP, "0.10.0")).fixed_in == (IN_ENGINE, IN_APP)
        assert verdict(log, (APP, "0.8.119")).fixed_in == (IN_ENGINE, IN_APP)
        assert verdict(log, (APP, "0.10.0"), (SDK, "1.2.0")).fixed_in == (IN_ENGINE,)
        assert verdict(log, (APP, "0.10.0"), (APP, "0.9.0")).fixed_in == (IN_ENGINE,)
        assert verdict(log, (APP, "preview")).fixed_in == (IN_ENGINE,)

    def test_a_product_version_of_unknown_content_is_no_reason_to_ask_for_it_again(self) -> None:
        judged = judge(problem(), world(), stated((APP, "0.8.119")), ())
        assert judged.fix.verdict is Verdict.VERSION_UNKNOWN
        assert judged.fix.reporter[:3] == (APP, "0.8.119", ENGINE)
        assert judged.fix.note == "nothing says which engine App 0.8.119 carries"
        assert judged.asks is None

    def test_what_is_given_for_the_run_is_not_mixed_with_what_the_report_states(self) -> None:
        assert verdict((APP, "0.8.119", Source.GIVEN), (SDK, "1.2.0")).verdict is Verdict.VERSION_UNKNOWN

    def test_a_changelog_is_no_statement(self) -> None:
        many = tuple((ENGINE, f"0.14.0+build{n}", Source.PROSE) for n in range(40))
        assert verdict(*many[:5]).verdict is Verdict.UPGRADE
        assert verdict(*many).verdict is Verdict.VERSION_UNKNOWN
        assert verdict(*many, (APP, "0.10.0")).verdict is Verdict.UPGRADE

    def test_a_component_of_no_scheme_is_version_unknown(self) -> None:
        found = verdict(("mystery", "1.0.0"), of=problem(affected=(Affected("mystery", "1.0.0", "1.1.0"),)))
        assert found.verdict is Verdict.VERSION_UNKNOWN


class TestModels:
    """The revision of the model that fails, never of one that is merely named."""

    OF = problem(
        affected=(Affected("model:tiny-gpu", "3", "4"), Affected("model:big-gpu", "3")),
        fixes=(
            Fix(FixKind.ARTIFACT, FixState.RELEASED, ("acme/recipes#6",), "model:tiny-gpu"),
            Fix(FixKind.ARTIFACT, FixState.CANDIDATE, component="model:big-gpu", note="Announced."),
        ),
    )

    def test_the_failing_model_gets_its_revision(self) -> None:
        other = model("tiny-vl-gpu", "2", ArtifactRole.WORKING)
        found = verdict(of=self.OF, models=(model("Tiny-GPU", "3"), other))
        assert found.verdict is Verdict.UPGRADE
        assert found.fixed_in == (FixedIn("artifact", "tiny-gpu", "4", None),)
        assert found.reporter.how == "the report names Tiny-GPU:3"

    @pytest.mark.parametrize("role", [ArtifactRole.WORKING, ArtifactRole.MENTIONED])
    def test_a_model_that_works_or_is_mentioned_says_nothing(self, role: ArtifactRole) -> None:
        judged = judge(self.OF, world(), (), (model("tiny-gpu", "3", role),))
        assert judged.fix.verdict is Verdict.VERSION_UNKNOWN
        assert judged.asks == "model:"

    def test_the_same_fix_is_not_lent_to_another_model(self) -> None:
        assert verdict(of=self.OF, models=(model("big-gpu", "3"),)).verdict is Verdict.CANDIDATE
        judged = judge(self.OF, world(), (), (model("huge-gpu", "3"),))
        assert judged.fix.verdict is Verdict.VERSION_UNKNOWN
        assert judged.fix.note.startswith("the fix is announced for other models of the family")
        assert judged.asks is None

    @pytest.mark.parametrize(
        ("revision", "expected"),
        [("2", Verdict.NOT_EXPLAINED), ("4", Verdict.NOT_EXPLAINED), (None, Verdict.VERSION_UNKNOWN)],
    )
    def test_the_revision_decides(self, revision: str | None, expected: Verdict) -> None:
        judged = judge(self.OF, world(), (), (model("tiny-gpu", revision),))
        assert judged.fix.verdict is expected
        assert judged.asks == ("model:tiny-gpu" if revision is None else None)

    def test_an_answer_gives_the_revision_where_the_report_names_none(self) -> None:
        said = ("model:tiny-gpu", "3", Source.PROSE)
        assert verdict(said, of=self.OF, models=(model("tiny-gpu", None),)).verdict is Verdict.UPGRADE
        assert verdict(said, of=self.OF, models=(model("tiny-gpu", "4"),)).verdict is Verdict.NOT_EXPLAINED
        other = ("model:tiny-gpu", "4", Source.PROSE)
        assert verdict(other, of=self.OF, models=(model("tiny-gpu", None),)).verdict is Verdict.NOT_EXPLAINED
        assert verdict(said, other, of=self.OF, models=(model("tiny-gpu", None),)).verdict is Verdict.VERSION_UNKNOWN

    def test_a_given_revision_overrides_and_two_failing_ones_must_agree(self) -> None:
        three, four = model("tiny-gpu", "3"), model("tiny-gpu", "4")
        given_four = ("model", "tiny-gpu:4", Source.GIVEN)
        assert verdict(given_four, of=self.OF, models=(three,)).verdict is Verdict.NOT_EXPLAINED
        assert verdict(("model:tiny-gpu", "3", Source.GIVEN), of=self.OF).verdict is Verdict.UPGRADE
        both = verdict(of=self.OF, models=(three, four))
        assert both.verdict is Verdict.VERSION_UNKNOWN
        assert both.contradictions == ("the report names tiny-gpu:3; the report names tiny-gpu:4",)

    @pytest.mark.parametrize(("as_of", "expected"), [("2026-08-31", Verdict.NONE), ("2026-09-01", Verdict.UPGRADE)])
    def test_a_revision_is_published_on_a_day(self, as_of: str, expected: Verdict) -> None:
        assert verdict(of=self.OF, models=(model("tiny-gpu", "3"),), as_of=as_of).verdict is expected

    def test_the_day_of_the_change_publishes_a_revision_of_no_other_date(self) -> None:
        of = problem(
            affected=(Affected("model:new-gpu", "1", "2"),),
            fixes=(Fix(FixKind.ARTIFACT, FixState.RELEASED, merged="2026-09-05"),),
        )
        models = (model("new-gpu", "1"),)
        assert verdict(of=of, models=models, as_of="2026-09-04").verdict is Verdict.NONE
        assert verdict(of=of, models=models, as_of="2026-09-05").verdict is Verdict.UPGRADE


class TestSeveralComponents:
    ROWS = (AFFECTED, Affected("kernels", "2.0.0", "2.1.0"))
    OF = problem(affected=ROWS, fixes=(FIX._replace(component=ENGINE),))

    def test_the_component_that_the_reporter_states_decides(self) -> None:
        assert verdict((ENGINE, "0.14.0"), of=self.OF).reporter.component == ENGINE
        found = verdict(("kernels", "2.0.0"), of=self.OF)
        assert found.reporter.component == "kernels"
        assert found.fixed_in == (FixedIn("component", "kernels", "2.1.0", None),)

    def test_both_affected_give_the_best_answer(self) -> None:
        of = problem(affected=(AFFECTED, Affected("kernels", "2.0.0")), fixes=(FIX._replace(component=ENGINE),))
        assert verdict(("kernels", "2.0.0"), (ENGINE, "0.14.0"), of=of).fixed_in == (IN_ENGINE,)

    def test_one_affected_and_one_spared_is_version_unknown(self) -> None:
        found = verdict(("kernels", "2.0.0"), (ENGINE, "0.14.1"), of=self.OF)
        assert found.verdict is Verdict.VERSION_UNKNOWN
        assert len(found.contradictions) == 2

    def test_none_stated_asks_nothing_and_names_no_component_as_running(self) -> None:
        judged = judge(self.OF, world(), (), ())
        assert (judged.fix.verdict, judged.asks, judged.named) == (Verdict.VERSION_UNKNOWN, None, False)

    def test_a_fix_that_spans_components_needs_every_one_of_them(self) -> None:
        of = problem(fixes=(FIX._replace(all=(CHANGE, "acme/kernels#3")),))
        both = (*DELIVERIES, Delivery("acme/kernels#3", "kernels", ("2.1.0",), "ancestry"))
        releases = (*RELEASES, release("kernels", "2.1.0", "2026-07-20"))
        known = world(deliveries=both, releases=releases)
        kernels = FixedIn("component", "kernels", "2.1.0", "2026-07-20")
        assert verdict((ENGINE, "0.14.0"), of=of, known=known).fixed_in == (IN_ENGINE, kernels)
        assert verdict((ENGINE, "0.14.0"), of=of, known=known, as_of="2026-07-19").verdict is Verdict.MERGED
        assert verdict((ENGINE, "0.14.1"), of=of, known=known).verdict is Verdict.VERSION_UNKNOWN
        assert verdict((APP, "0.10.0"), of=of, known=known).verdict is Verdict.WAIT_FOR_PRODUCT
        carried = release(APP, "0.10.3", "2026-08-01", engine="0.14.1", kernels="2.1.0")
        found = verdict((APP, "0.10.0"), of=of, known=world(deliveries=both, releases=(*releases, carried)))
        assert found.fixed_in == (IN_ENGINE, kernels, FixedIn("product", APP, "0.10.3", "2026-08-01"))


def test_the_best_of_several_alternatives_wins_and_only_those_of_the_component_count() -> None:
    config = Fix(FixKind.CONFIG, FixState.RELEASED, note="Switch it off.")
    foreign = Fix(FixKind.CONFIG, FixState.RELEASED, component="kernels", note="Not here.")
    assert verdict((APP, "0.10.0"), of=problem(fixes=(config, FIX))).verdict is Verdict.UPGRADE
    assert verdict((APP, "0.10.0"), of=problem(fixes=(config, FIX)), as_of="2026-06-03").note == "Switch it off."
    assert verdict((APP, "0.10.0"), of=problem(fixes=(FIX, foreign)), as_of="2026-06-03").verdict is Verdict.MERGED
    candidate = Fix(FixKind.COMMIT, FixState.CANDIDATE)
    assert verdict((APP, "0.10.0"), of=problem(fixes=(candidate, FIX)), as_of="2026-06-01").verdict is Verdict.CANDIDATE


# --- laws

_version = st.sampled_from(
    ["0.12.0", "0.13.0", "0.14.0", "0.14.1", "0.14.2", "0.15.0", "0.15.1", "0.16.0", "0.0.0", "?"]
)
_days = st.sampled_from(["2026-05-01", "2026-06-02", "2026-06-04", "2026-06-20", "2026-07-01", "2026-09-09"])
_day = st.one_of(st.none(), _days)
_fact = st.tuples(
    st.sampled_from([ENGINE, APP, SDK]),
    st.sampled_from(["0.9.0", "0.10.0", "0.10.1", "0.13.0", "0.14.0", "0.14.1", "0.14.2", "1.2.0", "1.2.1", "0.0.0"]),
    st.sampled_from(Source),
)
_facts = st.lists(_fact, max_size=4).map(lambda facts: stated(*facts))
_row = st.builds(
    Affected,
    st.just(ENGINE),
    st.one_of(st.none(), _version),
    st.one_of(st.none(), _version),
    st.lists(_version, max_size=2).map(tuple),
)
_fix = st.builds(
    Fix,
    st.sampled_from([FixKind.COMMIT, FixKind.CONFIG, FixKind.PACKAGING]),
    st.sampled_from(FixState),
    st.sampled_from([(), (CHANGE,)]),
    st.sampled_from([None, ENGINE]),
    st.one_of(st.none(), _days),
)
_any_problem = st.builds(
    lambda rows, fixes: problem(affected=tuple(rows), fixes=tuple(fixes)),
    st.lists(_row, max_size=2),
    st.lists(_fix, max_size=2),
)
_problem = st.one_of(st.just(problem()), _any_problem)
_release = st.builds(
    lambda product_, version, date, inside: release(product_, version, date, engine=inside),
    st.sampled_from([APP, SDK]),
    st.sampled_from(["0.9.0", "0.10.0", "0.10.1", "0.11.0", "1.2.0", "1.2.1"]),
    st.one_of(st.none(), _days),
    _version,
)
_own = st.builds(lambda v, d: release(ENGINE, v, d), _version, st.one_of(st.none(), _days))
_any_world = st.builds(
    lambda releases, own, delivered: world(
        releases=(*releases, *own), deliveries=(Delivery(CHANGE, ENGINE, tuple(delivered), "x"),)
    ),
    st.lists(_release, max_size=5),
    st.lists(_own, max_size=4),
    st.lists(_version, max_size=3),
)
_world = st.one_of(st.just(world()), _any_world)


@given(_problem, _world, _facts, _day)
def test_upgrade_is_never_said_of_an_unknown_version_or_to_one_that_is_not_later(
    of: Problem, known: Knowledge, facts: tuple[Scoped, ...], as_of: str | None
) -> None:
    found = fix_verdict(of, known, facts, (), as_of)
    if found.verdict is not Verdict.UPGRADE:
        return
    running = found.reporter.component_version
    assert running is not None
    assert compare(Scheme.SEMVER, running, running) == 0
    mine = {ENGINE: running, found.reporter.product: found.reporter.product_version}
    for place in found.fixed_in:
        if place.id in mine:
            assert compare(Scheme.SEMVER, place.version, mine[place.id] or "") == 1
        days = [
            r.date for r in known.observed.releases if r.product == place.id and r.version == place.version and r.date
        ]
        if as_of is not None and place.id != ENGINE:
            assert any(day <= as_of for day in days)
        if as_of is not None and days:
            assert min(days) <= as_of


@given(_problem, _world, _facts, _days, _day)
def test_a_later_day_never_makes_the_answer_worse(
    of: Problem, known: Knowledge, facts: tuple[Scoped, ...], day: str, later: str | None
) -> None:
    if later is not None and later < day:
        day, later = later, day
    before = fix_verdict(of, known, facts, (), day).verdict
    after = fix_verdict(of, known, facts, (), later).verdict
    if before in ORDER and after in ORDER:
        assert ORDER.index(after) <= ORDER.index(before)
    else:
        assert before is after


@given(_problem, _world, st.lists(_fact, max_size=4))
def test_a_verdict_does_not_depend_on_the_order_of_equal_statements(
    of: Problem, known: Knowledge, facts: list[tuple[str, str, Source]]
) -> None:
    there = fix_verdict(of, known, stated(*facts), ())
    back = fix_verdict(of, known, stated(*reversed(facts)), ())
    assert there.verdict is back.verdict
