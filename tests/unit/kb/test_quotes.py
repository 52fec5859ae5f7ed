"""Quotes of the evidence: whole lines, one sentence where a console broke it, few and short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.quotes import MAX_CHARS, MAX_QUOTES, quote, quotes
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


SECRETS = {
    "Authorization: Bearer {}": "q7ZkB2xW9pLm4RtY",
    "password={}": "Hunter2SuperSecret99",
    "{}": "ghp_Ab3dEAb3dEAb3dEAb3dEAb3dEAb3dE",
    "HF_TOKEN={}": "hf_Ab3dEAb3dEAb3dEAb3dEAb3dEAb3dE",
    "AccountKey={}": "abcd1234" * 10 + "==",
    "https://x.blob.core.example/a?sv=2020&sig={}": "aBcD1234%2B" * 4,
    "https://hooks.slack.com/services/{}": "T000AAAA/B000BBBB/XXXXXXXXXXXX",
    "Cookie: {}": "sid=abcdef1234567890; theme=abcdef0987654321; at=abcdef1122334455",
    "/home/{}/x": "maxmustermann",
    r"C:\Users\{}\.foundry": "maxmustermann",
    r"-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 8,
}


@given(st.sampled_from(tuple(SECRETS)), st.integers(0, 420), st.integers(0, 420), st.sampled_from((" ", "\n", ", ")))
def test_no_cut_leaves_a_part_of_a_secret(frame: str, before: int, behind: int, glue: str) -> None:
    secret = SECRETS[frame]
    text = f"{frame.format(secret)}{glue}{'x ' * (before // 2)}the failure{' y' * (behind // 2)} {frame.format(secret)}"
    span = at(text, "the failure")
    (found,) = quotes(issue(text), (span,))
    assert "the failure" in found.text
    assert found.span.start <= span.start <= span.end <= found.span.end
    assert not [n for n in range(len(secret) - 8) if secret[n : n + 9] in found.text]


@pytest.mark.parametrize(
    "text",
    [
        "password:\nHunter2SuperSecret99 the failure", '"api_key":\n"Hunter2SuperSecret99", the failure',
        "Authorization:\n  Bearer Hunter2SuperSecret99 the failure", "> token=\n> Hunter2SuperSecret99 the failure",
        "Authorization: Bearer abcDEF123456\nHunter2SuperSecret99 the failure",
        "\x1b[1mpassword\x1b[0m=\x1b[2mHunter2SuperSecret99\x1b[0m the failure",
    ],
)  # fmt: skip
def test_a_line_is_redacted_with_the_lines_around_it(text: str) -> None:
    (found,) = quotes(issue(text), (at(text, "the failure"),))
    assert "Hunter2" not in found.text
    assert found.text.endswith("the failure")


def test_a_secret_longer_than_anything_is_left_out() -> None:
    for secret in ("Ab3dE" * 20_000, "sid=Ab3dE; " * 1_200):
        text = f"Cookie: {secret} {'x ' * 50}the failure"
        (found,) = quotes(issue(text), (at(text, "the failure"),))
        assert "Ab3dE" not in found.text
        assert "the failure" in found.text


def test_a_line_that_reads_like_an_error_is_redacted_in_the_same_way() -> None:
    text = "password:\nHunter2SuperSecret99 failed to log in"
    assert quote(issue(text), at(text, "Hunter2SuperSecret99 failed to log in")).text == "<secret> failed to log in"


@given(st.text(max_size=400), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 60)), max_size=8))
def test_any_span_gives_words_of_the_report(text: str, places: list[tuple[int, int]]) -> None:
    spans = tuple(Span(0, start, min(start + size, len(text))) for start, size in places if start <= len(text))
    for q in quotes(issue(text), spans):
        assert 0 <= q.span.start <= q.span.end <= len(text)
        assert 0 < len(q.text) <= MAX_CHARS
        assert "\n" not in q.text
