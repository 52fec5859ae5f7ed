"""Posts cut into blocks, and what the writer dismisses."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.extract.blocks import MAX_BLOCK, OVERLAP, read_blocks
from signatures.extract.dismissed import dismissed_ranges
from signatures.extract.vocabulary import load_vocabulary
from signatures.model import TITLE_POST, BlockKind, IssueText, LogBlock, Post, Role

VOCABULARY = load_vocabulary()
FENCE, LOG, PROSE, QUOTE = BlockKind.FENCE, BlockKind.LOG, BlockKind.PROSE, BlockKind.QUOTE

BUFFER_ERROR = """● error: IPC error 'op_handler_failed': Error from chat_completions command: Error:
Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer (unlabeled)] usage
(Storage(read-write)|Storage(read-only)) includes writable usage and another usage in the same synchronization scope.
 - While validating compute pass usage.
 - While finishing [CommandEncoder (unlabeled)].

   at Microsoft.ML.OnnxRuntimeGenAI.Result.VerifySuccess(IntPtr) + 0x47
   at Microsoft.Neutron.OpenAI.Provider.OnnxChatGenerator..ctor(OnnxLoadedModel, GeneratorParams, ILogger, Sequences,
NamedTensors) + 0x94
--- End of stack trace from previous location ---
   at
Microsoft.AI.Foundry.Local.NativeInterop.<>c__DisplayClass13_0.<<ExecuteCommandWithCallbackManaged>b__2>d.MoveNext() +
0x467"""


def blocks(text: str, *, markdown: bool = True, title: str = "") -> list[LogBlock]:
    return list(read_blocks(IssueText(title, (Post(Role.REPORTER, text, markdown=markdown),)), VOCABULARY))


def kinds(text: str, *, markdown: bool = True) -> list[BlockKind]:
    return [b.kind for b in blocks(text, markdown=markdown)]


def the_block_with(text: str, words: str) -> LogBlock:
    (found,) = [b for b in blocks(text) if words in b.raw]
    return found


class TestUnfencedErrors:
    def test_message_continuation_and_stack_are_one_block(self) -> None:
        text = (
            f"Description\n\nIt stops at once.\n\nActual Error Log\n\n{BUFFER_ERROR}\n\nExpected Behavior\n\nAn answer."
        )

        error = the_block_with(text, "WebGPU validation failed")

        assert error.kind is LOG
        assert error.raw.strip() == BUFFER_ERROR

    def test_the_sections_around_it_are_other_blocks(self) -> None:
        text = f"Actual Error Log\n\n{BUFFER_ERROR}\n\nExpected Behavior\n\nAn answer."

        assert kinds(text) == [PROSE, LOG, PROSE]

    def test_log_lines_with_a_hash_are_no_headings(self) -> None:
        text = (
            "Selected adapter: NVIDIA GeForce RTX 3060, arch=ampere, vendor=nvidia, backend=Direct3D 12\n"
            "Created LiteRT GpuEnvironment.\n# of threads to upload weights = 2\n# of threads to compile kernels = 1\n"
            "Segmentation fault"
        )

        assert kinds(text) == [LOG]

    def test_frames_behind_a_message_that_reads_like_prose_stay_with_it(self) -> None:
        text = "The driver says the device is gone\n\n    at EnsureDXCLibraries (a.cpp:129)\n    at b (c.cpp:1)"

        assert kinds(text) == [LOG]

    def test_a_heading_like_line_directly_below_output_is_output(self) -> None:
        text = "[E:onnxruntime:, x.cc:1 f] failed\n### build 12\n[E:onnxruntime:, x.cc:2 f] failed"

        assert kinds(text) == [LOG]

    def test_a_bullet_that_names_an_error_is_prose(self) -> None:
        text = (
            "• Windows: access violation inside libLiteRtWebGpuAccelerator.dll+0x6e08b1.\n• C#: ends with 0xC0000005."
        )

        assert kinds(text) == [PROSE]

    def test_several_results_of_one_section_stay_together(self) -> None:
        text = "Inputs and results\n\n• One.\n\n• Two, with libLiteRt.so.\n\nAnd then the rest."

        assert len(blocks(text)) == 1


class TestMarkdown:
    def test_a_fence_is_without_its_marks(self) -> None:
        text = "It fails:\n\n```text\nError: x\n```\n\nThanks"

        assert [(b.kind, b.raw) for b in blocks(text) if b.kind is FENCE] == [(FENCE, "Error: x\n")]

    def test_what_stands_on_the_opening_line_of_a_broken_fence_is_kept(self) -> None:
        text = "```[0;93m2024-10-04 20:35:10.505 [W:onnxruntime:,\nApplyImpl] 36\nMemcpy nodes are added"

        assert the_block_with(text, "W:onnxruntime").raw.startswith("[0;93m2024-10-04")

    def test_a_fence_that_nobody_closed_ends_at_the_next_form_heading(self) -> None:
        text = "### To reproduce\n\n```\nError: x\n\n### OS Version\n\nWindows 11\n\n```\nmore\n```\n"

        assert [k for k in kinds(text) if k is FENCE] == [FENCE, FENCE]
        assert the_block_with(text, "Windows 11").kind is PROSE

    def test_a_heading_inside_a_closed_fence_cuts_nothing(self) -> None:
        assert kinds("Pasted:\n\n```\nError: x\n\n### OS Version\n\nmore\n```\n\nThanks") == [PROSE, FENCE, PROSE]

    def test_pre_behind_details_is_code_up_to_its_end(self) -> None:
        text = "<details><summary>Log</summary><pre>\nline 1\n\n# line 2\n\nline 3\n</pre></details>\n\nThat is all."

        code = the_block_with(text, "line 1")

        assert code.kind is FENCE
        assert "line 3" in code.raw

    def test_markdown_inside_details_is_read(self) -> None:
        text = "<details>\n<summary>dxdiag</summary>\n\n```text\nMachine name: X\n```\n</details>"

        assert the_block_with(text, "Machine name").kind is FENCE

    def test_a_raw_log_inside_details_is_output(self) -> None:
        text = "<details><summary>log</summary>\n\n[E:onnxruntime:, a.cc:1 f] bad\n\n</details>"

        assert the_block_with(text, "onnxruntime").kind is LOG

    def test_a_quote_is_a_quote_with_its_fences(self) -> None:
        text = "As you said:\n\n> it fails\n> ```\n> Error: x\n> ```\n\nStill so."

        assert kinds(text) == [PROSE, QUOTE, PROSE]

    def test_an_error_pasted_as_a_quote_is_searched_as_one(self) -> None:
        text = "I see:\n\n> Buffer size (870585948) exceeds the max buffer size limit (536870912).\n"

        assert the_block_with(text, "Buffer size").kind is QUOTE

    def test_indented_code_below_prose_is_code(self) -> None:
        assert kinds("Run this and look:\n\n    foundry model list\n\nNothing there.") == [PROSE, FENCE, PROSE]

    def test_angle_brackets_and_xml_are_text(self) -> None:
        text = "The answer is <pad><pad>, also with <uses-native-library android:name='libOpenCL.so'/> set."

        assert blocks(text)[0].raw == text

    def test_windows_line_ends_keep_their_places(self) -> None:
        text = "Hello\r\n\r\n```\r\nError: x\r\n```\r\nbye\r\n"

        assert the_block_with(text, "Error: x").raw == "Error: x\r\n"


class TestForms:
    def test_each_form_heading_opens_a_block(self) -> None:
        text = "### Platform\n\nLinux\n\n### OS Version\n\nUbuntu 22.04\n\n### Urgency\n\n_No response_\n"

        assert [b.raw.split("\n")[0] for b in blocks(text)] == ["### Platform", "### OS Version", "### Urgency"]

    def test_a_form_copied_as_plain_text_has_the_same_sections(self) -> None:
        text = "It fails.\n\nPlatform and architecture\n\nWindows X64\n\nOS Version\n\nWindows 11 Enterprise 26200"

        assert [b.raw.strip() for b in blocks(text)[1:]] == [
            "Platform and architecture\n\nWindows X64",
            "OS Version\n\nWindows 11 Enterprise 26200",
        ]

    def test_labels_of_products_are_headings_too(self) -> None:
        post = Post(Role.REPORTER, "Nothing works.\n\nToaster version\n\n1.2.3")

        assert len(read_blocks(IssueText("", (post,)), VOCABULARY, ("Toaster version",))) == 2

    def test_the_title_is_a_block_of_its_own(self) -> None:
        title, body = blocks("text", title="It fails")

        assert (title.kind, title.span.post, title.raw) == (BlockKind.TITLE, TITLE_POST, "It fails")
        assert body.span.post == 0


class TestLogFiles:
    def test_a_log_file_is_not_read_as_markdown(self) -> None:
        text = "[E:onnxruntime:, a.cc:1 f] bad\n```\n# note\n> x\n[E:onnxruntime:, a.cc:2 f] bad\n"

        assert kinds(text, markdown=False) == [LOG]

    def test_prose_in_a_plain_file_can_still_dismiss(self) -> None:
        text = "I looked at the cache, and it is not related to the error of the other thread.\n"

        (block,) = blocks(text, markdown=False)

        assert block.kind is PROSE
        assert block.dismissed

    def test_long_logs_are_cut_at_line_ends_with_an_overlap(self) -> None:
        lines = [f"[E:onnxruntime:, a.cc:{i} f] something went wrong here\n" for i in range(6000)]
        text = "".join(lines)

        found = blocks(text, markdown=False)

        assert all(len(b.raw) <= MAX_BLOCK for b in found)
        assert all(b.raw.endswith("\n") for b in found)
        for one, two in itertools.pairwise(found):
            assert OVERLAP // 2 < one.span.end - two.span.start <= OVERLAP

    def test_one_endless_line_is_cut_all_the_same(self) -> None:
        found = blocks("x" * (3 * MAX_BLOCK), markdown=False)

        assert found[-1].span.end == 3 * MAX_BLOCK
        assert all(len(b.raw) <= MAX_BLOCK for b in found)


class TestDismissed:
    RULED_OUT = """Ruled out on the way, so that nobody has to try it again:

• Not EP over-registration. Registering one provider alone
  fails in the same way. With none it says requires CUDAExecutionProvider which is not registered,
  so that call is needed.
• Not a corrupt cache. A fresh download fails too.

Nothing urgent."""

    def dismissed(self, text: str) -> list[str]:
        return [text[a:b] for a, b in dismissed_ranges(text)]

    def test_items_under_a_ruling_out_line_are_dismissed(self) -> None:
        joined = " ".join(self.dismissed(self.RULED_OUT))

        assert "requires CUDAExecutionProvider which is not registered" in joined
        assert "corrupt cache" in joined
        assert "urgent" not in joined

    @pytest.mark.parametrize("bullet", ["-", "*", "•", "1."])
    def test_whatever_the_bullet_is(self, bullet: str) -> None:
        assert self.dismissed(f"I excluded:\n{bullet} llvmpipe\n") == [f"{bullet} llvmpipe"]

    def test_an_item_that_begins_with_not_needs_no_lead(self) -> None:
        assert self.dismissed("- Not the driver: both versions print the same.") != []

    @pytest.mark.parametrize(
        ("text", "gone"),
        [
            ("The card is used without llvmpipe, says the tool.", "without llvmpipe"),
            ("Prior software llvmpipe crashes were excluded.", "Prior software llvmpipe crashes were excluded."),
            ("Unlike #1039, this one is on Windows.", "Unlike #1039"),
            (
                "This is not the loader error (DynamicLib.Open: dxil.dll).",
                "This is not the loader error (DynamicLib.Open: dxil.dll)",
            ),
            ("I am not seeing `Windows Error: 87, at all` here.", "I am not seeing `Windows Error: 87, at all` here"),
            ("We no longer get Out of memory, but it is slow.", "no longer get Out of memory"),
            ("The crash is fixed by version 0.10.1.", "fixed by version 0.10.1"),
        ],
    )
    def test_a_negating_word_governs_what_follows(self, text: str, gone: str) -> None:
        assert gone in " ".join(self.dismissed(text))

    @pytest.mark.parametrize(
        "text",
        [
            "Without the flag I get: Duplicate definition of name (x_CUDAExecutionProvider)",
            "It is not the old bug: Duplicate definition of name (x_CUDAExecutionProvider)",
            "Not sure why, but Duplicate definition of name (x_CUDAExecutionProvider) appears",
            "Unlike on Linux I get Duplicate definition of name (x_CUDAExecutionProvider)",
            "Ruled out:\n- the cache; I still get Duplicate definition of name (x_CUDAExecutionProvider)",
            "Error while parsing: 'f16' used without x, Duplicate definition of name (x_CUDAExecutionProvider)",
        ],
    )
    def test_a_true_error_is_never_swallowed(self, text: str) -> None:
        assert "Duplicate definition of name" not in " ".join(self.dismissed(text))

    @pytest.mark.parametrize(
        "text",
        [
            "The requested API version [18] is not available, only API versions [1, 16] are supported in this build.",
            "Specified provider 'CUDAExecutionProvider' is not in available provider names",
            "Error while parsing WGSL: 'f16' type used without 'f16' extension enabled",
            "LiteRtLmBackend backend gpu is not available on linux.",
        ],
    )
    def test_errors_that_say_not_are_errors(self, text: str) -> None:
        assert self.dismissed(text) == []

    def test_output_is_never_judged(self) -> None:
        text = "```\nRuled out:\n- llvmpipe\n```"

        assert all(b.dismissed == () for b in blocks(text) if b.kind is FENCE)


PIECES = st.sampled_from(
    [
        "```",
        "~~~",
        "> ",
        "# ",
        "### OS Version",
        "- ",
        "    ",
        "\n",
        "\n\n",
        "<details>",
        "<pre>",
        "</pre>",
        "</details>",
        "Error: x",
        "   at A.B(C)",
        "prose of a person, and more of it.",
        "|a|b|",
        "\r\n",
        "\r",
        "\t",
        "**Bold**",
        "1. ",
        "`",
        "---",
        "===",
        "\ufeff",
        "\x00",
        "\u2028",
        "é",
        "[E:onnxruntime:, a.cc:1 f] bad",
        "Ruled out:",
        "• Not x.",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join), st.booleans())
def test_no_character_is_lost_and_every_block_is_where_it_says(text: str, markdown: bool) -> None:
    found = blocks(text, markdown=markdown)

    covered = bytearray(len(text))
    for b in found:
        assert b.raw == text[b.span.start : b.span.end]
        assert b.raw.strip()
        covered[b.span.start : b.span.end] = b"\x01" * len(b.raw)
        for start, end in b.dismissed:
            assert 0 <= start < end <= len(b.raw)
    assert not [c for c, seen in zip(text, covered, strict=True) if not seen and c.strip()]


@pytest.mark.parametrize(
    "piece", ["> ", "[", "<details>\n", "- ", "<pre>", "```\n", "without ", "not the ", "### OS\n\n", "[a]: b\n", "|"]
)
def test_hostile_nesting_takes_no_longer_than_its_length(piece: str) -> None:
    assert blocks(piece * (60_000 // len(piece)))


def test_a_bare_error_is_read_without_a_markdown_parser() -> None:
    code = (
        "import sys\n"
        "from signatures.extract import read_issue\n"
        "from signatures.extract.vocabulary import load_vocabulary\n"
        "from signatures.model import IssueText, Post, Role\n"
        "loaded = set(sys.modules)\n"
        "v = load_vocabulary()\n"
        "text = 'Error: Duplicate definition of name (pad_CUDAExecutionProvider).'\n"
        "report = read_issue(IssueText('', (Post(Role.REPORTER, text),)), v, ())\n"
        "assert report.blocks, report\n"
        "print(sorted({'markdown_it', 'dataclasses', 'json'} & set(sys.modules)), 'tomllib' in loaded)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[] False"
