"""What is kept of a long log, and that nothing is read across what is left out."""

from __future__ import annotations

import pytest

from bot.watched.excerpts import MARK, excerpt, shares
from signatures.extract.blocks import read_blocks
from signatures.extract.vocabulary import load_vocabulary
from signatures.model import IssueText, Post, Role
from signatures.text import NotText

MOST = 256 * 1024
FIRST, LAST = "Foundry Local 0.10.0 starts\n", "the process ends\n"
IDLE = "".join(f"step {i} of the night went well\n" for i in range(70_000))
ERROR = "[E:onnxruntime:, session.cc:1] failed to load the model\n"


def long_log(*, middle: str = "") -> str:
    half = len(IDLE) // 2
    return FIRST + IDLE[:half] + "\n" + middle + IDLE[half:] + LAST


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "cp1252"])
def test_the_ends_and_the_one_error_of_a_long_log_are_kept(encoding: str) -> None:
    found = excerpt(long_log(middle=ERROR + "  at the frame below\n").encode(encoding), MOST)

    assert len(found.text) <= MOST
    assert found.text.startswith(FIRST)
    assert found.text.endswith(LAST)
    assert ERROR + "  at the frame below\n" in found.text
    assert {found.text[a:b] for a, b in found.gaps} == {MARK}


def test_a_kind_of_error_that_comes_once_is_kept_among_thousands_of_another() -> None:
    noise = "".join(f"request {i} failed, it is tried again\n" for i in range(60_000))
    found = excerpt((noise + ERROR + noise).encode(), MOST)

    assert ERROR in found.text


def test_a_log_that_is_not_long_is_whole() -> None:
    assert excerpt(FIRST.encode(), MOST) == (FIRST, ())


def test_one_line_without_an_end_is_cut_between_characters() -> None:
    found = excerpt(("\N{GRINNING FACE}" * 200_000).encode(), MOST)

    assert set(found.text) == {"\N{GRINNING FACE}", *MARK}


def test_a_long_file_that_is_no_text_is_none() -> None:
    with pytest.raises(NotText):
        excerpt(bytes(range(256)) * 4096, MOST)


def test_no_block_holds_what_stands_on_both_sides_of_a_gap() -> None:
    text, gaps = excerpt((ERROR + IDLE + ERROR).encode(), MOST)
    post = Post(Role.REPORTER, text, markdown=False, gaps=gaps)
    blocks = read_blocks(IssueText("", (post,)), load_vocabulary())

    assert gaps
    assert not any(b.span.start < end and start < b.span.end for b in blocks for start, end in gaps)
    assert all(text[b.span.start : b.span.end] == b.raw for b in blocks)
    assert sum(ERROR in b.raw for b in blocks) == 2


def test_what_short_logs_leave_over_is_for_the_long_ones() -> None:
    assert shares((10, 1000, 40, 1000), 450) == (10, 200, 40, 200)
    assert shares((10, 20), 450) == (10, 20)
    assert shares((), 450) == ()
