"""Every line that a family of failures prints, looked up alone: it names the family, or says what it is and asks."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bot.comment import write_comment
from bot.knowledge import Known, load_known
from bot.pipeline import diagnose_issue
from bot.wording import Names
from kb.model import PUBLIC, Diagnosis
from signatures.loader import load_lone
from signatures.model import Certainty, IssueText, Post, Role
from tests.catalogue.wrapped import FORMS, wrapped

FAMILIES = tomllib.loads((Path(__file__).parent / "printed_lines.toml").read_text("utf-8"))
MOST_LOST = 0.05  # of the lines in one form
EVERY = 3  # lines are tried in one form, each time others
LINES = [(f, how, line) for f, told in FAMILIES.items() for how, lines in told.items() for line in lines]


@pytest.fixture(scope="module")
def known() -> Known:
    return load_known()


def looked_up(known: Known, line: str) -> Diagnosis:
    return diagnose_issue(IssueText("", (Post(Role.REPORTER, line, markdown=False),)), known)


def test_every_family_has_its_lines(known: Known) -> None:
    public = {p.id for p in known.knowledge.problems if p.status in PUBLIC and p.withdrawn is None}

    assert public <= FAMILIES.keys()
    assert {how for _, how, _ in LINES} == {"named", "asked", "envelope"}


@pytest.mark.parametrize(("family", "how", "line"), LINES)
def test_a_printed_line_alone_names_its_family_or_asks(known: Known, family: str, how: str, line: str) -> None:
    said = looked_up(known, line)

    if how == "named":
        assert family in {k.problem.id for k in said.known}
        return
    assert said.known == ()
    assert len(said.questions) == 1
    assert said.lone is not None
    assert said.lone.envelope is (how == "envelope")
    public = {p.id for p in known.knowledge.problems}
    assert how == "envelope" or family in said.lone.problems or family not in public
    assert write_comment(said, Names(known.knowledge.products)) is None


@pytest.mark.parametrize("form", FORMS)
def test_what_people_paste_around_a_line_changes_little(known: Known, form: str) -> None:
    lost: list[str] = []
    named = [(family, line) for family, how, line in LINES if how == "named"]
    named = named[[*FORMS].index(form) % EVERY :: EVERY]
    for family, line in named:
        post = Post(Role.REPORTER, wrapped(form, line))
        said = diagnose_issue(IssueText("", (post,)), known)
        if family not in {k.problem.id for k in said.known} and not said.questions:
            lost.append(line)

    # lost in Markdown's marks: words that a sentence or a console's prompt rules out, and half a message
    assert len(lost) <= MOST_LOST * len(named), lost


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-14T09:14:02.113Z ERROR nginx - Protobuf parsing failed",
        "I get this when my ship lands:\n\n```\nVK_ERROR_DEVICE_LOST\n```",
        "Uncaught RangeError: offset is out of bounds\n    at Mesh.update (game.js:120)",
        '{"level":"error","service":"envoy","msg":"Protobuf parsing failed"}',
        'Traceback (most recent call last):\n  File "site-packages/keras/io.py", line 3, in load\n'
        "ValueError: Exceeds maximum protobuf size of 2GB: 2231000000",
        "Моя игра падает: VK_ERROR_DEVICE_LOST",
    ],
)
def test_a_wrapper_that_speaks_of_another_program_keeps_the_answer_silent(known: Known, text: str) -> None:
    said = diagnose_issue(IssueText("", (Post(Role.REPORTER, text),)), known)

    assert said.known == ()


def test_what_several_families_print_alone_is_never_more_than_possible(known: Known) -> None:
    named: dict[str, set[str]] = {}
    for family, how, line in LINES:
        if how == "named":
            named.setdefault(line, set()).add(family)
    shared = [line for line, families in named.items() if len(families) > 1]

    assert shared
    for line in shared:
        assert {k.certainty for k in looked_up(known, line).known} == {Certainty.POSSIBLE}


def test_a_piece_names_signatures_that_problems_have(known: Known) -> None:
    shown = {s.signature for p in known.knowledge.problems for s in p.symptoms}

    assert {id_ for lone in load_lone() for id_ in lone.of} <= shown


@pytest.mark.parametrize(
    "text",
    [
        "error: IPC error 'op_handler_failed': Error: The request timed out.",  # the error stands behind it
        "Segmentation fault\nmy game prints this when a level ends",
        "nginx: worker exited on signal 11",
        "memset is slow on this board",
    ],
)
def test_a_line_with_words_of_its_own_is_no_lone_line(known: Known, text: str) -> None:
    said = looked_up(known, text)

    assert (said.lone, said.questions, said.known) == (None, (), ())
