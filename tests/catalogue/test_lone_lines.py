"""A decisive line pasted alone, with no environment: it names its problem, or one question is asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.knowledge import Known, load_known
from bot.pipeline import diagnose_issue
from kb.model import PUBLIC
from signatures.loader import SHIPPED, SignatureFile, load_file, signature_files
from signatures.model import IssueText, Post, Role
from signatures.validate import Reading, shows

FILES = [f for path in signature_files(SHIPPED) if isinstance(f := load_file(path), SignatureFile)]
# printed before the failure that names a problem, or by what no problem explains yet
NO_PROBLEM = {"litert-case-deadline-passed", "litert-webgpu-accelerator-segfault", "software-driver-warned"}


@pytest.fixture(scope="module")
def known() -> Known:
    return load_known()


def lone_lines(known: Known, file: SignatureFile) -> Iterator[tuple[str, ...]]:
    """For each positive example, the lines of its evidence, and last all of them, as a console wrapped them."""
    reading = Reading(known.vocabulary, known.names)
    for example in file.examples:
        if not example.match:
            continue
        found = shows(file.signature, reading.example(example))
        spans = sorted((s.start, s.end) for m in found for s in m.evidence)
        lines = [_lines(example.text, start, end) for start, end in spans]
        yield *dict.fromkeys(lines), _lines(example.text, spans[0][0], spans[-1][1])


def _lines(text: str, start: int, end: int) -> str:
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(start, end - 1))
    return text[first : None if last < 0 else last].strip()


def answers(known: Known, text: str) -> tuple[set[str], tuple[str, ...]]:
    """The problems named and the questions asked."""
    said = diagnose_issue(IssueText("", (Post(Role.REPORTER, text, markdown=False),)), known)
    return {k.problem.id for k in said.known}, said.questions


@pytest.mark.parametrize("file", FILES, ids=[f.signature.id for f in FILES])
def test_a_decisive_line_alone_names_its_problem_or_asks(known: Known, file: SignatureFile) -> None:
    id_ = file.signature.id
    shown = {
        p.id for p in known.knowledge.problems if p.status in PUBLIC and any(s.signature == id_ for s in p.symptoms)
    }
    assert bool(shown) is (id_ not in NO_PROBLEM)
    if not shown:
        return
    for tried in lone_lines(known, file):
        said = [answers(known, line) for line in tried]
        assert any(names & shown or asked for names, asked in said), tried
