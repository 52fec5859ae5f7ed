"""Quotes of the evidence: whole lines, one sentence where a console broke it, few and short."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.quotes import MAX_CHARS, MAX_QUOTES, quotes
from signatures.model import TITLE_POST, IssueText, Post, Role, Span

LOG = (
    "foundry run qwen3.5-4b-generic-gpu:2\n"
    "● error: IPC error 'op_handler_failed': Error from chat_completions command: Error:\n"
    "Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer (unlabeled)] usage\n"
    "(Storage(read-write)|Storage(read-only)) includes writable usage and another usage in the same synchronization"
    " scope.\n"
    " - While validating compute pass usage.\n"
)


def issue(*texts: str, title: str = "") -> IssueText:
    return IssueText(title, tuple(Post(Role.REPORTER, t) for t in texts))


def at(text: str, words: str, post: int = 0) -> Span:
    start = text.index(words)
    return Span(post, start, start + len(words))


def test_a_sentence_that_the_console_broke_over_two_lines_is_one_quote() -> None:
    found = quotes(issue(LOG), (at(LOG, "includes writable usage"), at(LOG, "OnnxRuntimeGenAIException")))
    assert [q.text for q in found] == [
        "Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer (unlabeled)] usage "
        "(Storage(read-write)|Storage(read-only)) includes writable usage and another usage in the same "
        "synchronization scope."
    ]
    _, start, end = found[0].span
    assert LOG[start:end].startswith("Microsoft.ML")
    assert LOG[start:end].endswith("scope.")


def test_places_far_apart_are_quotes_of_their_own_and_repetitions_are_one() -> None:
    text = "first failure here\n" + "filler line\n" * 40 + "second failure here\n" + "filler line\n" * 40
    text += "first failure here\n"
    spans = (at(text, "second failure"), at(text, "first failure"), Span(0, text.rindex("first"), len(text) - 1))
    assert [q.text for q in quotes(issue(text), spans)] == ["first failure here", "second failure here"]


def test_a_very_long_line_is_quoted_around_the_evidence() -> None:
    text = "a" * 5000 + " the failure " + "b" * 5000
    (found,) = quotes(issue(text), (at(text, "the failure"),))
    assert "the failure" in found.text
    assert len(found.text) <= MAX_CHARS


def test_evidence_in_the_title_is_quoted_and_a_place_that_does_not_exist_is_not() -> None:
    title = "Duplicate definition of name (pad_CUDAExecutionProvider)"
    found = quotes(issue("", title=title), (Span(TITLE_POST, 0, 9), Span(7, 0, 9)))
    assert [q.text for q in found] == [title]


def test_no_more_than_a_handful_is_quoted() -> None:
    lines = [f"failure number {n}\n" + "x" * 400 + "\n" for n in range(20)]
    text = "".join(lines)
    spans = tuple(at(text, f"failure number {n}\n") for n in range(20))
    assert len(quotes(issue(text), spans)) == MAX_QUOTES


@given(st.text(max_size=400), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 60)), max_size=8))
def test_any_span_gives_words_of_the_report(text: str, places: list[tuple[int, int]]) -> None:
    spans = tuple(Span(0, start, min(start + size, len(text))) for start, size in places if start <= len(text))
    for q in quotes(issue(text), spans):
        assert 0 <= q.span.start <= q.span.end <= len(text)
        assert 0 < len(q.text) <= MAX_CHARS
        assert "\n" not in q.text
