"""The one comment: what it says, what it leaves out, and when there is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from markdown_it import MarkdownIt

from bot.comment import MAX_SECTIONS, MAX_VISIBLE, write_comment
from bot.wording import Names
from kb.model import (
    Diagnosis,
    Fix,
    FixedIn,
    FixKind,
    FixState,
    FixVerdict,
    KnownProblem,
    Problem,
    Product,
    Quote,
    ReporterVersion,
    Status,
    Verdict,
)
from signatures.model import Certainty, Span

MakeKnown = Callable[..., KnownProblem]
MakeDiagnosis = Callable[..., Diagnosis]
MakeProblem = Callable[..., Problem]


def body(diagnosis: Diagnosis, products: tuple[Product, ...]) -> str | None:
    comment = write_comment(diagnosis, Names(products))
    return comment.body if comment else None


def visible(text: str) -> list[str]:
    """The lines that a reader sees before unfolding anything."""
    before, _, rest = text.partition("<details>")
    after = rest.partition("</details>")[2]
    lines = (before + after).split("\n")
    return [line for line in lines if line.strip() and not line.startswith("<!--")]


def test_a_certain_match_with_a_fix_reads_like_this(
    known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    text = body(diagnosis(known()), products)
    assert text is not None
    assert visible(text) == [
        "This matches a known problem: **GenAI binds one GPU buffer for past and present recurrent state** "
        "([details](https://github.com/microsoft/foundry-local/issues/799)).",
        "- **Cause** (confirmed): One WebGPU compute pass both writes and reads the buffer, "
        "which the specification forbids.",
        "- **Fix**: onnxruntime-genai 0.14.1. Your Foundry Local CLI 0.10.0 carries 0.14.0; "
        "Foundry Local CLI 0.10.1 (2026-06-22) is the first that has it.",
        "- **If you cannot upgrade**: Run the CPU variant of the same model.",
        "<sub>Automated, from the text of this issue. A maintainer can reply `/triage wrong`.</sub>",
    ]


def test_the_marker_comes_first_and_carries_the_problems_and_a_digest(
    known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    comment = write_comment(diagnosis(known()), Names(products))
    assert comment is not None
    first = comment.body.split("\n")[0]
    assert first == (
        f"<!-- ondevice-triage schema=1 problems=webgpu-recurrent-state-buffer-aliasing digest={comment.digest} -->"
    )
    again = write_comment(diagnosis(known()), Names(products))
    assert again is not None
    assert again.digest == comment.digest
    other = write_comment(diagnosis(known(certainty=Certainty.LIKELY)), Names(products))
    assert other is not None
    assert other.digest != comment.digest


class TestSilence:
    def test_nothing_known_is_silence(self, diagnosis: MakeDiagnosis, products: tuple[Product, ...]) -> None:
        assert body(diagnosis(), products) is None

    def test_a_possible_match_is_silence_even_with_a_question(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        found = diagnosis(known(certainty=Certainty.POSSIBLE), questions=("Which runtime is it?",))
        assert body(found, products) is None

    @pytest.mark.parametrize("status", [Status.INCONCLUSIVE, Status.REFUTED])
    def test_causes_that_are_not_public_are_silence(
        self,
        status: Status,
        known: MakeKnown,
        problem: MakeProblem,
        diagnosis: MakeDiagnosis,
        products: tuple[Product, ...],
    ) -> None:
        assert body(diagnosis(known(problem=problem(status=status))), products) is None

    def test_a_fix_that_the_reporter_already_has_is_silence(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        assert body(diagnosis(known(fix=FixVerdict(Verdict.NOT_EXPLAINED))), products) is None

    def test_neither_fix_nor_workaround_is_silence(
        self, known: MakeKnown, problem: MakeProblem, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        bare = known(problem=problem(workarounds=()), fix=FixVerdict(Verdict.NONE))
        assert body(diagnosis(bare), products) is None
        unknown = known(problem=problem(workarounds=()), fix=FixVerdict(Verdict.VERSION_UNKNOWN))
        assert body(diagnosis(unknown), products) is None


class TestWhatHelps:
    def test_a_question_whose_answer_decides_the_verdict_is_worth_asking(
        self, known: MakeKnown, problem: MakeProblem, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        unknown = known(
            problem=problem(workarounds=()),
            fix=FixVerdict(Verdict.VERSION_UNKNOWN, (FixedIn("component", "onnxruntime-genai", "0.14.1", None),)),
        )
        text = body(diagnosis(unknown, questions=("Which CLI version is it?", "And which GPU?")), products)
        assert text is not None
        assert "Which CLI version is it?" in text
        assert "And which GPU?" not in text
        assert "upgrade" not in text.lower()

    def test_a_workaround_alone_is_worth_saying(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        text = body(diagnosis(known(fix=FixVerdict(Verdict.NONE))), products)
        assert text is not None
        assert "- **Workaround**: Run the CPU variant of the same model." in text
        assert "**Fix**" not in text

    @pytest.mark.parametrize(
        ("status", "words"),
        [
            (Status.CONFIRMED, "**Cause** (confirmed): "),
            (Status.REPRODUCED, "**Cause** (reproduced, not settled): "),
            (Status.REPORTED, "**Possible cause** (one report suggests): "),
        ],
    )
    def test_the_words_follow_how_well_the_cause_is_known(
        self,
        status: Status,
        words: str,
        known: MakeKnown,
        problem: MakeProblem,
        diagnosis: MakeDiagnosis,
        products: tuple[Product, ...],
    ) -> None:
        text = body(diagnosis(known(problem=problem(status=status))), products)
        assert text is not None
        assert words in text

    def test_waiting_for_the_product_names_what_the_reporter_has(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        fix = FixVerdict(
            Verdict.WAIT_FOR_PRODUCT,
            (FixedIn("component", "onnxruntime-genai", "0.14.1", "2026-06-04"),),
            ReporterVersion("foundry-local-cli", "0.10.0", "onnxruntime-genai", "0.14.0"),
        )
        text = body(diagnosis(known(fix=fix)), products)
        assert text is not None
        assert (
            "- **Fix**: onnxruntime-genai 0.14.1 (2026-06-04). Your Foundry Local CLI 0.10.0 carries 0.14.0; "
            "no release of Foundry Local CLI carries the fix yet." in text
        )

    def test_a_merged_fix_names_all_the_changes_it_needs(
        self, known: MakeKnown, problem: MakeProblem, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        fixes = (Fix(FixKind.COMMIT, FixState.MERGED, ("o/a#1", "o/b#2"), merged="2026-07-08"),)
        text = body(diagnosis(known(problem=problem(fixes=fixes), fix=FixVerdict(Verdict.MERGED))), products)
        assert text is not None
        assert "- **Fix**: Merged on 2026-07-08, in no release yet: o/a#<!-- -->1 and o/b#<!-- -->2." in text

    def test_a_contradiction_is_shown(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        fix = FixVerdict(Verdict.VERSION_UNKNOWN, contradictions=("the form says Windows X64; the log says macOS",))
        text = body(diagnosis(known(fix=fix)), products)
        assert text is not None
        assert "**Contradiction**: the form says Windows X64; the log says macOS" in text

    @pytest.mark.parametrize(
        ("verdict", "label"),
        [(Verdict.WAIT_FOR_PRODUCT, "Until then"), (Verdict.MERGED, "Until then"), (Verdict.NONE, "Workaround")],
    )
    def test_a_workaround_bridges_the_time_only_until_there_is_a_fix(
        self,
        verdict: Verdict,
        label: str,
        known: MakeKnown,
        diagnosis: MakeDiagnosis,
        products: tuple[Product, ...],
    ) -> None:
        text = body(diagnosis(known(fix=known().fix._replace(verdict=verdict))), products)
        assert text is not None
        assert f"- **{label}**: Run the CPU variant" in text

    def test_a_problem_whose_cause_nobody_wrote_down_suggests_none(
        self, known: MakeKnown, problem: MakeProblem, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        text = body(diagnosis(known(problem=problem(status=Status.REPORTED, cause="Not known yet."))), products)
        assert text is not None
        assert "ause**" not in text
        assert "Not known yet" not in text

    def test_runtimes_that_load_each_other_are_no_contradiction(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        why = (
            "runtime is onnxruntime-genai (log)",
            "the report states runtime as onnxruntime-genai (log) and foundry-local (log)",
        )
        text = body(diagnosis(known(why=why)), products)
        assert text is not None
        assert "certain, because the runtime is onnxruntime-genai, as the log shows" in text
        assert "foundry-local (log)" not in text


class TestRoom:
    @pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
    def test_many_problems_stay_within_the_visible_lines(
        self,
        count: int,
        known: MakeKnown,
        problem: MakeProblem,
        diagnosis: MakeDiagnosis,
        products: tuple[Product, ...],
    ) -> None:
        many = [
            known(problem=problem(id=f"problem-{i}", title=f"Problem number {i}", workarounds=("one", "two", "three")))
            for i in range(count)
        ]
        text = body(diagnosis(*many, questions=("Which version?",)), products)
        assert text is not None
        assert len(visible(text)) <= MAX_VISIBLE
        for i in range(count):
            assert f"Problem number {i}" in text
        assert text.count("**Problem number") == text.count("**Fix**") == min(count, MAX_SECTIONS)

    def test_at_most_five_lines_of_evidence(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        quotes = tuple(Quote(f"line {i}", Span(0, i, i + 1)) for i in range(12))
        text = body(diagnosis(known(evidence=quotes)), products)
        assert text is not None
        folded = text.partition("<summary>")[2].partition("\n")[2]
        (fence,) = [t for t in MarkdownIt().parse(folded) if t.type == "fence"]
        assert len(fence.content.strip().split("\n")) == 5


class TestHostileReports:
    HOSTILE = (
        "```\n</details> @someone see owner/repo#12 <script>x</script> [a](https://evil.example) "
        "`tick` **bold** \x1b[31m\u202e"
    )

    def test_captures_quotes_and_versions_stay_inert(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        reporter = ReporterVersion("foundry-local-cli", self.HOSTILE, "onnxruntime-genai", self.HOSTILE, self.HOSTILE)
        fix = FixVerdict(
            Verdict.UPGRADE,
            (FixedIn("product", "foundry-local-cli", "0.10.1", None),),
            reporter,
            note=self.HOSTILE,
            contradictions=(self.HOSTILE,),
        )
        hostile = known(
            captures=(("tensor", self.HOSTILE),),
            evidence=(Quote(self.HOSTILE, Span(0, 0, 9)),),
            fix=fix,
            why=(self.HOSTILE,),
        )
        text = body(diagnosis(hostile, questions=(self.HOSTILE,)), products)
        assert text is not None
        assert text.count("</details>") == 1 + self._in_code(text, "</details>")
        assert "\x1b" not in text
        assert "\u202e" not in text
        self._assert_inert(text)

    def _in_code(self, text: str, needle: str) -> int:
        count = 0
        for token in MarkdownIt().parse(text):
            if token.type == "fence":
                count += token.content.count(needle)
            count += sum(c.content.count(needle) for c in token.children or () if c.type == "code_inline")
        return count

    def _assert_inert(self, text: str) -> None:
        for token in MarkdownIt("commonmark").parse(text):
            for child in token.children or ():
                if child.type == "text":
                    assert "@someone" not in child.content
                    assert "#12" not in child.content
                assert child.type != "image"
                if child.type == "link_open":
                    assert str(child.attrs["href"]).startswith("https://github.com/microsoft/")
                if child.type == "html_inline":
                    assert child.content in ("<!-- -->", "<sub>", "</sub>")

    def test_home_paths_and_tokens_are_redacted(
        self, known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
    ) -> None:
        private = r"cannot open C:\Users\jane.doe\models\x.onnx with ghp_0123456789abcdefghijABCDEFGHIJ012345"
        text = body(diagnosis(known(evidence=(Quote(private, Span(0, 0, 9)),), why=(private,))), products)
        assert text is not None
        assert "jane.doe" not in text
        assert "ghp_0123" not in text


def test_the_tone_stays_calm(
    known: MakeKnown, problem: MakeProblem, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    for verdict in Verdict:
        for status in Status:
            shown = known(problem=problem(status=status), fix=known().fix._replace(verdict=verdict))
            text = body(diagnosis(shown), products)
            if text is None:
                continue
            said = text.replace("<!--", "").lower()
            for word in ("!", "thank", "simply", "duplicate", "please", "sorry", "unfortunately"):
                assert word not in said
