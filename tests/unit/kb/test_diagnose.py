"""From matches to a diagnosis: certainty, siblings, the words quoted, what is ruled out, and the one question."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from kb.diagnose import diagnose
from kb.model import (
    Affected,
    Diagnosis,
    Fix,
    FixKind,
    FixState,
    Knowledge,
    Quote,
    Scheme,
    Status,
    Symptom,
    Verdict,
)
from signatures.model import (
    ArtifactRef,
    ArtifactRole,
    BlockKind,
    Certainty,
    Fact,
    Finding,
    IssueText,
    LogBlock,
    Match,
    Outcome,
    Post,
    Reason,
    Report,
    Role,
    Source,
    Span,
    When,
)
from tests.unit.kb.world import APP, ENGINE, PRODUCTS, problem, product, world

LINE = "EngineException: usage includes writable usage and another usage in the same synchronization scope."


class Said(NamedTuple):
    """A statement of the reporter, in a block of its own."""

    key: str
    value: str
    source: Source = Source.FORM
    post: int = 0
    block: int | None = None


def report(*posts: tuple[str, ...], said: tuple[Said, ...] = (), models: tuple[ArtifactRef, ...] = ()) -> Report:
    """Posts of blocks; a statement lies in the block that holds its value, at its place there."""
    blocks, written = [], []
    for index, parts in enumerate(posts):
        text = "\n\n".join(parts)
        written.append(Post(Role.REPORTER, text))
        for part in parts:
            start = text.index(part)
            blocks.append(LogBlock(BlockKind.PROSE, Span(index, start, start + len(part)), part, Role.REPORTER))
    facts = []
    for s in said:
        at = next((i for i, b in enumerate(blocks) if b.span.post == s.post and s.value in b.raw), None)
        at = s.block if s.block is not None else at
        span = None
        if at is not None:
            start = blocks[at].span.start + blocks[at].raw.index(s.value)
            span = Span(s.post, start, start + len(s.value))
        facts.append(Fact(s.key, s.value, s.source, f"{s.key} {s.value}", span, at))
    return Report(IssueText("", tuple(written), ref="acme/app#7"), tuple(blocks), tuple(facts), models)


def match(
    of: Report,
    words: str = LINE,
    signature: str = "buffer-conflict",
    certainty: Certainty = Certainty.CERTAIN,
    reasons: tuple[Reason, ...] = (),
    **captures: str,
) -> Match:
    index = next(i for i, b in enumerate(of.blocks) if words in b.raw)
    block = of.blocks[index]
    start = block.span.start + block.raw.index(words)
    span = Span(block.span.post, start, start + len(words))
    return Match(signature, index, tuple(captures.items()), certainty, reasons, (span,))


def told(of: Report, knowledge: Knowledge, *matches: Match, **more: object) -> Diagnosis:
    titles = {"buffer-conflict": "A buffer is written and read in one pass"}
    return diagnose(of, matches or (match(of),), titles, knowledge, **more)  # type: ignore[arg-type]


APP_10 = Said(APP, "0.10.0")
SEEN = report((LINE, "App version 0.10.0"), said=(APP_10,))


def test_a_match_with_every_precondition_true_is_certain() -> None:
    found = told(SEEN, world(problem()))
    (known,) = found.known
    assert (known.certainty, known.fix.verdict) == (Certainty.CERTAIN, Verdict.UPGRADE)
    assert [q.text for q in known.evidence] == [LINE]
    assert (found.questions, found.ruled_out, found.signatures) == ((), (), ())


def test_a_match_that_is_only_likely_is_no_more_than_likely() -> None:
    missing = Reason("when.ep", None, "ep is not stated")
    found = told(SEEN, world(problem()), match(SEEN, certainty=Certainty.LIKELY, reasons=(missing,)))
    assert found.known[0].certainty is Certainty.LIKELY
    assert "ep is not stated" in found.known[0].why


class TestPreconditions:
    ON_WINDOWS = problem(symptoms=(Symptom("buffer-conflict", (When("os", ("windows",)),)),))

    @pytest.mark.parametrize(("certainty", "ruled_out"), [(Certainty.LIKELY, 1), (Certainty.POSSIBLE, 0)])
    def test_what_many_failures_print_rules_none_of_them_out(self, certainty: Certainty, ruled_out: int) -> None:
        other = problem(symptoms=(Symptom("buffer-conflict", (), (("line", ("another line",)),)),))
        found = told(SEEN, world(other), match(SEEN, certainty=certainty, line="a line"))
        assert (found.known, len(found.ruled_out)) == ((), ruled_out)

    def test_true_is_certain_unknown_is_likely_false_is_ruled_out(self) -> None:
        stated = {
            value: told(report((LINE, f"OS: {value}"), said=(Said("os", value),)), world(self.ON_WINDOWS))
            for value in ("windows", "linux")
        }
        assert stated["windows"].known[0].certainty is Certainty.CERTAIN
        assert told(SEEN, world(self.ON_WINDOWS)).known[0].certainty is Certainty.LIKELY
        ruled = stated["linux"]
        assert ruled.known == ()
        assert [(r.problem, r.why) for r in ruled.ruled_out] == [("shared-buffer", "os is linux (form)")]
        assert [(s.signature, s.title) for s in ruled.signatures] == [
            ("buffer-conflict", "A buffer is written and read in one pass")
        ]

    def test_statements_that_contradict_each_other_are_explained(self) -> None:
        both = report((LINE, "windows", "macos"), said=(Said("os", "windows"), Said("os", "macos")))
        (known,) = told(both, world(self.ON_WINDOWS)).known
        assert known.certainty is Certainty.LIKELY
        assert "the report states os as windows (form) and macos (form)" in known.why

    def test_a_block_speaks_for_itself_and_the_contradiction_stays_visible(self) -> None:
        two = report((f"windows: {LINE}", "linux: fine"), said=(Said("os", "windows"), Said("os", "linux")))
        (known,) = told(two, world(self.ON_WINDOWS), match(two)).known
        assert known.certainty is Certainty.CERTAIN
        assert "the report states os as windows (form) and linux (form)" in known.why

    def test_one_symptom_that_holds_is_enough(self) -> None:
        either = problem(
            symptoms=(
                Symptom("buffer-conflict", (When("os", ("windows",)),)),
                Symptom("buffer-conflict", (When("os", ("linux",)),)),
                Symptom("another"),
            )
        )
        on_linux = report((LINE, "linux"), said=(Said("os", "linux"),))
        assert told(on_linux, world(either)).known[0].certainty is Certainty.CERTAIN

    def test_captures_filter_without_regard_to_case(self) -> None:
        software = problem(symptoms=(Symptom("buffer-conflict", capture=(("adapter", ("llvmpipe",)),)),))
        assert told(SEEN, world(software), match(SEEN, adapter="LLVMpipe")).known[0].certainty is Certainty.CERTAIN
        assert told(SEEN, world(software)).known[0].certainty is Certainty.LIKELY
        other = told(SEEN, world(software), match(SEEN, adapter="NVIDIA L4"))
        assert other.known == ()
        assert other.ruled_out[0].why == "adapter is nvidia l4"

    def test_a_missing_decisive_capture_lowers_certainty(self) -> None:
        needs = problem(symptoms=(Symptom("buffer-conflict", decisive=("dll",)),))
        assert told(SEEN, world(needs), match(SEEN, dll="dxil.dll")).known[0].certainty is Certainty.CERTAIN
        (known,) = told(SEEN, world(needs)).known
        assert known.certainty is Certainty.LIKELY
        assert any("dll, which makes the problem what it is" in w for w in known.why)


class TestWhatIsNeverClaimed:
    def test_a_cause_that_is_not_settled_leaves_its_signature(self) -> None:
        for status in (Status.INCONCLUSIVE, Status.REFUTED):
            found = told(SEEN, world(problem(status=status)))
            assert (found.known, found.ruled_out) == ((), ())
            assert [s.signature for s in found.signatures] == ["buffer-conflict"]

    def test_a_withdrawn_record_is_never_claimed(self) -> None:
        assert told(SEEN, world(problem(withdrawn="was two problems"))).known == ()

    def test_a_signature_without_a_problem_is_recognised_once(self) -> None:
        of = report((LINE, f"again {LINE}"))
        late = match(of, f"again {LINE}", certainty=Certainty.CERTAIN, step="2")
        found = told(of, world(), match(of, certainty=Certainty.LIKELY), late)
        (seen,) = found.signatures
        assert (seen.certainty, seen.captures, len(seen.evidence)) == (Certainty.CERTAIN, (("step", "2"),), 1)

    def test_what_stays_unexplained_is_passed_on(self) -> None:
        envelope = Quote("op_handler_failed", Span(0, 0, 5))
        assert told(SEEN, world(), unexplained=(envelope,)).unexplained == (envelope,)


class TestSiblings:
    """Problems that share their words."""

    WINDOWS = problem("on-windows", symptoms=(Symptom("buffer-conflict", (When("os", ("windows",)),)),), fixes=())
    LINUX = problem(
        "on-linux", symptoms=(Symptom("buffer-conflict", (When("os", ("linux",)),)),), affected=(), fixes=()
    )
    ANY = problem("anywhere", affected=(), fixes=(), workarounds=("Use the CPU.",))

    def test_undecided_siblings_are_possible_and_one_question_separates_them(self) -> None:
        found = told(report((LINE,)), world(self.WINDOWS, self.LINUX))
        assert {k.problem.id: k.certainty for k in found.known} == {
            "on-linux": Certainty.POSSIBLE,
            "on-windows": Certainty.POSSIBLE,
        }
        assert found.questions == ("Which operating system is this on (windows, linux, or another)?",)
        assert any("on-linux" in w for w in found.known[0].why)

    def test_nobody_is_asked_about_words_that_he_only_names(self) -> None:
        seen = report((LINE,))
        named = match(seen, certainty=Certainty.POSSIBLE, reasons=(Reason("named", None, "quoted"),))
        assert told(seen, world(self.WINDOWS, self.LINUX), named).questions == ()

    def test_a_fact_that_separates_them_leaves_one(self) -> None:
        on_linux = report((LINE, "linux"), said=(Said("os", "linux"),))
        found = told(on_linux, world(self.WINDOWS, self.LINUX))
        assert [(k.problem.id, k.certainty) for k in found.known] == [("on-linux", Certainty.CERTAIN)]
        assert [r.problem for r in found.ruled_out] == ["on-windows"]

    def test_one_that_holds_beside_one_that_is_open_is_likely(self) -> None:
        found = told(report((LINE,)), world(self.ANY, self.LINUX))
        assert [(k.problem.id, k.certainty) for k in found.known] == [
            ("anywhere", Certainty.LIKELY),
            ("on-linux", Certainty.POSSIBLE),
        ]

    def test_two_that_hold_are_both_possible_and_no_fact_separates_them(self) -> None:
        other = self.ANY._replace(id="anywhere-else", workarounds=())
        found = told(report((LINE,)), world(self.ANY, other))
        assert [k.certainty for k in found.known] == [Certainty.POSSIBLE] * 2
        assert found.questions == ()

    def test_no_question_where_the_answer_is_the_same(self) -> None:
        twin = self.LINUX._replace(id="on-mac", symptoms=(Symptom("buffer-conflict", (When("os", ("macos",)),)),))
        assert told(report((LINE,)), world(self.LINUX, twin)).questions == ()

    def test_a_sibling_that_the_version_excludes_is_decided(self) -> None:
        old = problem("old-cause", affected=(Affected(ENGINE, "0.12.0", "0.13.0", "x"),), fixes=())
        found = told(SEEN, world(problem(), old))
        assert [(k.problem.id, k.certainty, k.fix.verdict) for k in found.known] == [
            ("shared-buffer", Certainty.CERTAIN, Verdict.UPGRADE),
            ("old-cause", Certainty.POSSIBLE, Verdict.NOT_EXPLAINED),
        ]

    def test_the_component_that_the_report_names_decides_between_siblings(self) -> None:
        in_kernels = problem("in-kernels", affected=(Affected("kernels", "2.0.0"),), fixes=())
        found = told(SEEN, world(problem(), in_kernels))
        assert [(k.problem.id, k.certainty) for k in found.known] == [("shared-buffer", Certainty.CERTAIN)]
        assert found.ruled_out[0].problem == "in-kernels"
        assert "the report names engine" in found.ruled_out[0].why

    def test_without_a_component_named_one_question_asks_for_it(self) -> None:
        in_kernels = problem("in-kernels", affected=(Affected("kernels", "2.0.0"),), fixes=())
        found = told(report((LINE,)), world(problem(), in_kernels))
        assert [k.certainty for k in found.known] == [Certainty.POSSIBLE] * 2
        (asked,) = found.questions
        assert asked == "Which of these loads the model, and in which version: Engine, Kernels?"


class TestFindings:
    OF = problem(checks=("alias-check",), symptoms=(Symptom("buffer-conflict", (When("os", ("windows",)),)),))

    def finding(self, outcome: Outcome, *proves: tuple[str, str], check: str = "alias-check") -> Finding:
        return Finding(check, "tiny-gpu:3", outcome, proves=proves)

    def test_a_finding_that_proves_the_captured_name_lifts_likely_to_certain(self) -> None:
        of = match(SEEN, tensor="pad")
        proof = self.finding(Outcome.FOUND, ("tensor", "PAD"))
        (known,) = told(SEEN, world(self.OF), of, findings=(proof,)).known
        assert (known.certainty, known.findings) == (Certainty.CERTAIN, (proof,))
        assert "alias-check finds in tiny-gpu:3 what the words found name: tensor PAD" in known.why

    def test_a_finding_that_predicts_other_words_is_consistent_and_changes_nothing(self) -> None:
        of = match(SEEN, tensor="pad")
        other = self.finding(Outcome.FOUND, ("tensor", "grid"))._replace(predicted_text="Duplicate (grid)")
        clean = self.finding(Outcome.CLEAN)
        (alone,) = told(SEEN, world(self.OF), of).known
        (known,) = told(SEEN, world(self.OF), of, findings=(clean, other)).known
        assert known.certainty is alone.certainty
        why = "alias-check predicts 'Duplicate (grid)' for tiny-gpu:3, which is not what the report prints"
        assert f"{why}: consistent, no proof" in known.why

    def test_a_finding_that_predicts_what_was_printed_lifts_likely_to_certain(self) -> None:
        wrapped = " ".join(LINE.split()).replace(" ", "  ", 1).upper()
        proof = self.finding(Outcome.FOUND)._replace(predicted_text=wrapped)
        (known,) = told(SEEN, world(self.OF), findings=(proof,)).known
        assert known.certainty is Certainty.CERTAIN
        assert "alias-check finds in tiny-gpu:3 what makes the runtime print this text" in known.why
        for other in (proof._replace(predicted_text="something else"), proof._replace(outcome=Outcome.UNKNOWN)):
            assert told(SEEN, world(self.OF), findings=(other,)).known[0].certainty is Certainty.LIKELY

    def test_a_finding_about_another_name_or_of_another_check_proves_nothing(self) -> None:
        of = match(SEEN, tensor="pad")
        for other in (
            self.finding(Outcome.FOUND, ("tensor", "prod")),
            self.finding(Outcome.FOUND),
            self.finding(Outcome.UNKNOWN),
            self.finding(Outcome.FOUND, ("tensor", "pad"), check="another"),
        ):
            assert told(SEEN, world(self.OF), of, findings=(other,)).known[0].certainty is Certainty.LIKELY

    def test_a_clean_check_lowers_certain_to_likely_and_no_further(self) -> None:
        clean = self.finding(Outcome.CLEAN)
        plain = problem(checks=("alias-check",))
        (known,) = told(SEEN, world(plain), findings=(clean,)).known
        assert known.certainty is Certainty.LIKELY
        assert "alias-check finds nothing in tiny-gpu:3, which speaks against this" in known.why
        assert told(SEEN, world(self.OF), findings=(clean,)).known[0].certainty is Certainty.LIKELY

    def test_a_proof_counts_for_more_than_another_check_that_is_clean(self) -> None:
        both = (self.finding(Outcome.CLEAN), self.finding(Outcome.FOUND, ("tensor", "pad")))
        of = match(SEEN, tensor="pad")
        assert told(SEEN, world(self.OF), of, findings=both).known[0].certainty is Certainty.CERTAIN


class TestAttribution:
    """Each problem gets the versions that stand nearest to its own words."""

    CRASH = problem(
        "crash",
        symptoms=(Symptom("crash"),),
        affected=(Affected("native", versions=("0.16.0-native.2", "0.17.0-3")),),
        fixes=(),
    )
    LOADER = problem(
        "loader",
        symptoms=(Symptom("loader"),),
        affected=(Affected("native", fixed="0.17.0-6", versions=("0.17.0-5",)),),
        fixes=(Fix(FixKind.PACKAGING, FixState.RELEASED, ("acme/native#5",)),),
    )
    KNOWN = world(CRASH, LOADER, products=(*PRODUCTS, product("native", Scheme.REBUILD)))

    def test_two_problems_of_one_thread_keep_their_own_versions(self) -> None:
        first = "Published v0.17.0-3 ends with 0xC0000005 inside the accelerator"
        matched = "v0.16.0-native.2 crashes as well"
        second = "bundle with 0.17.0-5: DynamicLib.Open: dxil.dll Windows Error: 87"
        aside = "distinct from the earlier 0.17.0-3 crash"
        of = report(
            (first, matched),
            (second, aside),
            said=(
                Said("native", "v0.17.0-3", Source.PROSE),
                Said("native", "v0.16.0-native.2", Source.PROSE),
                Said("native", "0.17.0-5", Source.PROSE, 1),
                Said("native", "0.17.0-3", Source.PROSE, 1),
            ),
        )
        found = told(of, self.KNOWN, match(of, "0xC0000005", "crash"), match(of, "DynamicLib.Open", "loader"))
        assert [(k.problem.id, k.fix.verdict, k.fix.reporter.component_version) for k in found.known] == [
            ("loader", Verdict.UPGRADE, "0.17.0-5"),
            ("crash", Verdict.NONE, "v0.17.0-3"),
        ]
        assert [p.version for p in found.known[0].fix.fixed_in] == ["0.17.0-6"]

    def test_on_one_line_the_version_of_the_line_counts(self) -> None:
        table = "0.17.0-3 | passes\n0.17.0-5 | DynamicLib.Open: dxil.dll Windows Error: 87"
        of = report((table,), said=(Said("native", "0.17.0-3", Source.PROSE), Said("native", "0.17.0-5", Source.PROSE)))
        (known,) = told(of, self.KNOWN, match(of, "DynamicLib.Open", "loader")).known
        assert known.fix.reporter.component_version == "0.17.0-5"
        assert known.fix.verdict is Verdict.UPGRADE

    def test_a_statement_without_a_place_is_the_farthest(self) -> None:
        of = report((LINE, "engine 0.14.0"), said=(Said(ENGINE, "0.14.0"),))
        adrift = Fact(ENGINE, "0.14.1", Source.FORM, "0.14.1", None)
        (known,) = told(of._replace(facts=(adrift, *of.facts)), world(problem())).known
        assert known.fix.reporter.component_version == "0.14.0"

    def test_several_matches_of_one_problem_are_one_claim_with_the_evidence_of_all(self) -> None:
        again = LINE.replace("usage includes", "again: usage includes")
        of = report((LINE,), (again,), said=())
        words = again[again.index("again") :]
        found = told(of, world(problem()), match(of, certainty=Certainty.LIKELY), match(of, words, step="2"))
        (known,) = found.known
        assert (known.certainty, known.captures) == (Certainty.CERTAIN, (("step", "2"),))
        assert [q.span.post for q in known.evidence] == [0, 1]

    def test_a_log_that_repeats_itself_for_hours_is_read_once(self) -> None:
        of = report((LINE,))
        found = told(of, world(problem()), *(match(of),) * 5000)
        assert len(found.known) == 1

    def test_the_failing_model_nearest_to_the_evidence_is_meant(self) -> None:
        line = "failed to load tiny-gpu:3: duplicate name"
        text = (line, "with tiny-gpu:4 it works again")
        models = (
            ArtifactRef("foundry", "tiny-gpu", "3", None, ArtifactRole.FAILING, Span(0, 15, 25), 0),
            ArtifactRef("foundry", "tiny-gpu", "4", None, ArtifactRole.WORKING, Span(0, 48, 58), 1),
        )
        of = report(text, models=models)
        baked = problem(
            affected=(Affected("model:tiny-gpu", "3", "4"),),
            fixes=(Fix(FixKind.ARTIFACT, FixState.RELEASED, ("acme/recipes#6",)),),
        )
        (known,) = told(of, world(baked), match(of, "duplicate name")).known
        assert (known.fix.verdict, known.fix.reporter.component_version) == (Verdict.UPGRADE, "3")


class TestQuestions:
    def test_an_unknown_version_with_a_known_fix_is_asked_for_by_product(self) -> None:
        named = report((LINE, "App version: latest"), said=(Said(APP, "latest"),))
        assert told(named, world(problem())).questions == ("Which App version do you run (`app --version`)?",)

    def test_without_a_product_named_those_of_the_repository_are_meant(self) -> None:
        found = told(report((LINE,)), world(problem()))
        assert found.known[0].fix.verdict is Verdict.VERSION_UNKNOWN
        assert found.questions == ("Which version of Sdk or App (`app --version`) do you run?",)
        elsewhere = report((LINE,))
        elsewhere = elsewhere._replace(issue=elsewhere.issue._replace(ref=None))
        assert told(elsewhere, world(problem())).questions == ("Which Engine version do you run?",)

    def test_a_model_is_asked_for_its_revision(self) -> None:
        baked = problem(
            affected=(Affected("model:tiny-gpu", "3", "4"),), fixes=(Fix(FixKind.ARTIFACT, FixState.RELEASED),)
        )
        assert told(report((LINE,)), world(baked)).questions == (
            "Which model is it, with its revision (as in `name:revision`)?",
        )
        failing = ArtifactRef("foundry", "tiny-gpu", None, None, ArtifactRole.FAILING, Span(0, 0, 3), 0)
        assert told(report((LINE,), models=(failing,)), world(baked)).questions == (
            "Which revision of tiny-gpu is it (the number after the colon in its id)?",
        )

    def test_products_that_disagree_are_both_asked_for(self) -> None:
        both = report((LINE, "0.10.0", "1.2.1"), said=(APP_10, Said("sdk", "1.2.1")))
        (asked,) = told(both, world(problem())).questions
        assert asked.startswith("Which version of ")
        assert "App (`app --version`)" in asked
        assert "Sdk" in asked

    def test_a_precondition_that_siblings_share_is_not_asked_for(self) -> None:
        gpu, os = When("gpu_vendor", ("intel",)), When("os", none=("windows",))
        one = problem("one", symptoms=(Symptom("buffer-conflict", (gpu, os)),), affected=(), fixes=())
        two = problem("two", symptoms=(Symptom("buffer-conflict", (gpu,)),), affected=(), fixes=(), workarounds=("X.",))
        assert told(report((LINE,)), world(one, two)).questions == ("Which operating system is this on?",)

    def test_nothing_is_asked_where_no_answer_would_help(self) -> None:
        assert told(report((LINE,)), world(problem(affected=(Affected(ENGINE, "0.14.0"),), fixes=()))).questions == ()
        between = report((LINE, "engine 0.14.2"), said=(Said(ENGINE, "0.14.2"),))
        assert told(between, world(problem())).questions == ()
        assert told(SEEN, world(problem())).questions == ()

    def test_what_words_with_many_causes_need_is_asked_for(self) -> None:
        of = report((LINE,))
        open_ = (Reason("all[0]", True, LINE), Reason("when.gpu_vendor", None, "gpu_vendor is unknown"))
        capped = match(of)._replace(certainty=Certainty.POSSIBLE, reasons=open_)
        found = told(of, world(problem(affected=(), fixes=())), capped)
        assert [k.certainty for k in found.known] == [Certainty.POSSIBLE]
        assert found.questions == ("Which vendor's GPU is this on?",)
        weak = capped._replace(reasons=(open_[0], Reason("weak", None, "many programs print it")))
        assert told(of, world(problem(affected=(), fixes=())), weak).questions == ()

    def test_at_most_one_question_is_asked(self) -> None:
        more = problem("other", symptoms=(Symptom("other"),))
        of = report((LINE, "other words"))
        found = told(of, world(problem(), more), match(of), match(of, "other words", "other"))
        assert len(found.known) == 2
        assert len(found.questions) == 1


def test_the_more_helpful_of_equally_certain_answers_comes_first() -> None:
    helpless = problem("a-first-by-name", symptoms=(Symptom("other"),), affected=(), fixes=())
    of = report((LINE, "other words", "0.10.0"), said=(APP_10,))
    found = told(of, world(helpless, problem()), match(of, "other words", "other"), match(of))
    assert [k.fix.verdict for k in found.known] == [Verdict.UPGRADE, Verdict.NONE]


def test_the_day_reaches_the_verdict() -> None:
    assert told(SEEN, world(problem()), as_of="2026-06-11").known[0].fix.verdict is Verdict.WAIT_FOR_PRODUCT
