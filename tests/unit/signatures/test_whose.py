"""Where a report names the runtime that many programs' words are ascribed to."""

from __future__ import annotations

import pytest

from bot.knowledge import load_known
from signatures.extract import read_issue
from signatures.extract.blocks import read_blocks
from signatures.extract.vocabulary import load_vocabulary
from signatures.loader import catalogue_of
from signatures.matcher import match_report
from signatures.model import Certainty, IssueText, Post, Report, Role, Signature, Source
from signatures.whose import Named, named_by
from tests.reports import fact

WORDS = ("onnxruntime", "litert")
LOST = Signature("lost", "t", regex=(r"DXGI_ERROR_DEVICE_HUNG \((?P<code>0x887A000[567])\)",), shared="Games print it.")
LINE = "DXGI_ERROR_DEVICE_HUNG (0x887A0006)"
FENCED = f"\n\n```\n{LINE}\n```\n"


def read(text: str, title: str = "", *, markdown: bool = True) -> Report:
    issue = IssueText(title, (Post(Role.REPORTER, text, markdown=markdown),))
    return Report(issue, read_blocks(issue, load_vocabulary()), (), (), words=WORDS)


def where(report: Report) -> Named:
    (match,) = match_report(report._replace(words=()), catalogue_of((LOST,)))
    return named_by(report, match.block, match.evidence)


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        (f"With onnxruntime I get {LINE}.", "", Named.BESIDE),
        (f"It stops.{FENCED}", "onnxruntime loses the device", Named.BESIDE),
        (f"It stops.\n\n```\n[E:onnxruntime:, session.cc:5]\n{LINE}\n```\n", "", Named.BESIDE),
        (f"We use onnxruntime for speech.{FENCED}", "", Named.ELSEWHERE),
        (f"We use onnxruntime for speech. The game stops with {LINE}.", "", Named.ELSEWHERE),
        (f"onnxruntime works on this card.{FENCED}", "", Named.WORKING),
        (f"litert runs fine, no issues there.{FENCED}", "", Named.WORKING),
        (f"onnxruntime works with one model, but not with the other.{FENCED}", "", Named.ELSEWHERE),
        (f"onnxruntime does not work on this card.{FENCED}", "", Named.ELSEWHERE),
    ],
)
def test_how_near_a_name_is(text: str, title: str, expected: Named) -> None:
    assert where(read(text, title)) is expected


def test_a_message_of_two_sentences_names_its_program() -> None:
    words = ("(0x887a0006). this can be",)

    assert where(read(f"> {LINE}. This can be the driver.")._replace(words=words)) is Named.BESIDE

    elsewhere = read(f"The page says: Reload it. This can be slow.{FENCED}")._replace(words=("it. this can",))
    assert where(elsewhere) is Named.ELSEWHERE


def test_a_log_that_says_that_the_runtime_works_does_not_blame_it() -> None:
    assert where(read(f"speech on onnxruntime works.\n{LINE}\n", markdown=False)) is Named.WORKING
    assert where(read(f"speech on onnxruntime starts:\n{LINE}\n", markdown=False)) is Named.BESIDE


def test_what_the_caller_states_is_beside_everything() -> None:
    report = read(f"onnxruntime works.{FENCED}")

    assert where(report._replace(facts=(fact("runtime", "onnxruntime", source=Source.GIVEN),))) is Named.BESIDE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"With onnxruntime I get {LINE}.", Certainty.CERTAIN),
        (f"We use onnxruntime for speech.{FENCED}", Certainty.LIKELY),
        (f"onnxruntime works on this card.{FENCED}", Certainty.POSSIBLE),
    ],
)
def test_a_match_is_as_sure_as_the_name_is_near(text: str, expected: Certainty) -> None:
    (match,) = match_report(read(text), catalogue_of((LOST,)))

    assert match.certainty is expected


@pytest.mark.parametrize(
    ("ref", "about", "home"),
    [
        ("microsoft/onnxruntime#1", (), True),
        ("google-ai-edge/gallery#1", (), True),
        ("someone/game#1", ("foundry-local-cli",), True),
        ("someone/game#1", (), False),
    ],
)
def test_at_home_it_does_not_matter_where_the_runtime_is_named(ref: str, about: tuple[str, ...], home: bool) -> None:
    known = load_known(())
    issue = IssueText("It stops", (Post(Role.REPORTER, LINE),), ref=ref, about=about)

    assert (read_issue(issue, known.vocabulary, known.names).words == ()) is home
