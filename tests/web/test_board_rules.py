"""Rules in shadow and proposals on the board: reviewed, promoted, refused, and each of it taken back."""

from __future__ import annotations

import base64
import http.client
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette

from bot.authoring.rule_life import life_of
from bot.fetch import Fetcher
from bot.forge import Threads
from bot.knowledge import load_known
from bot.service.desk import Desk
from bot.watched.attachments import Attachment
from bot.watching.proposing import recompute
from bot.web import rules
from bot.web.board import Board
from kb.records import ProposalRecord
from kb.store import Store, upgrade
from kb.store.conversations import Talk
from kb.upkeep import Tally
from tests.web.belts import NOW, RULE, folder_with_a_rule, saw
from tests.web.conftest import serve_on

TOKEN = "a token of the tests, long enough"  # noqa: S105
PAGE = f"/board/rule?id={RULE}"


class Page(NamedTuple):
    status: int
    text: str
    place: str

    def form(self, of: str) -> dict[str, str]:
        """The hidden fields of the form that has these words in it."""
        (form,) = (f for f in re.findall(r"<form class=.*?</form>|<form method=.*?</form>", self.text, re.S) if of in f)
        fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
        return {name: unescape(value) for name, value in fields}


class Served(NamedTuple):
    store: Store
    folder: Path
    port: int

    def ask(self, path: str, form: dict[str, str] | None = None, password: str = TOKEN) -> Page:
        given = base64.b64encode(f"jane:{password}".encode()).decode()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as connection:
            body = urlencode(form) if form is not None else None
            connection.request("GET" if form is None else "POST", path, body, {"Authorization": f"Basic {given}"})
            answer = connection.getresponse()
            return Page(answer.status, answer.read().decode(), answer.getheader("location") or "")

    def review(self, issue: str, word: str) -> Page:
        """By the form that stands beside the issue; what is shown behind it."""
        done = self.ask("/board/review", {**self.ask(PAGE).form(f': {issue}"'), "word": word})
        assert done.status == 303, done.text
        return self.ask(done.place)

    def tally(self) -> Tally:
        known = load_known((str(self.folder),), newer=False)
        return life_of(self.store, known.knowledge).tallies.get(RULE, Tally())

    def proposals(self) -> list[str]:
        recompute(self.store, [str(self.folder)], lambda: NOW, lambda _: None)
        return [p.key for p in self.store.proposals() if RULE in p.key]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path / "cache"))
    folder = folder_with_a_rule(tmp_path / "own")
    url = f"sqlite:///{tmp_path / 'triage.db'}"
    upgrade(url)
    store, known = Store.at(url), load_known((str(folder),), newer=False)

    def nobody(*_: object) -> Threads | Fetcher | Attachment:
        raise AssertionError("the board asks and fetches nothing")

    desk = Desk(store, nobody, "triage[bot]", lambda: known, lambda: NOW, nobody, nobody)  # type: ignore[arg-type]
    board = Board(desk, TOKEN, "https://github.com", lambda: None, (str(folder),))
    with store.kept_open(), serve_on(Starlette(routes=board.routes())) as port:
        yield Served(store, folder, port)
    store.close()


def test_a_word_counts_as_it_does_in_the_terminal_and_can_be_taken_back(served: Served) -> None:
    one, two = saw(served.store, 1), saw(served.store, 2)
    assert "right in 0, wrong in 0" in served.ask(PAGE).text

    page = served.review(one, "right")
    assert f"{one}: called right." in page.text
    assert (served.tally().right, served.tally().wrong) == ((one,), ())
    assert f"{one}: called wrong." in served.review(one, "wrong").text
    served.store.record_verdict(two, "jo", "right", maintainer=True, at=NOW, problem=RULE)
    assert (served.tally().right, served.tally().wrong) == ((two,), (one,))
    page = served.ask(PAGE)
    assert "by jo" in page.text
    assert "Called wrong" in served.ask("/board/rules").text

    assert f"{one}: the board" in served.review(one, "open").text
    assert (served.tally().right, served.tally().wrong) == ((two,), ())
    done = [(d.issue, d.who, d.detail) for d in reversed(served.store.deeds(what="reviewed"))]
    assert done == [
        (one, "the board", f"{RULE} is right"),
        (one, "the board", f"{RULE} is wrong"),
        (one, "the board", f"{RULE}: the board's word is taken back"),
    ]


def test_reviewed_right_often_enough_it_is_proposed_refused_and_opened_again(served: Served) -> None:
    for number in (1, 2):
        served.review(saw(served.store, number), "right")
    assert "Ready to be promoted" in served.ask("/board/rules").text
    assert served.proposals() == [f"promote {RULE}"]
    assert "Propose its promotion" not in served.ask(PAGE).text

    page = served.ask("/board/proposals")
    assert "reviewed sightings" in page.text
    form = page.form("Refuse") | {"decision": "refuse"}
    assert served.ask("/board/settle", form).status == 303
    assert served.proposals() == []
    assert served.ask("/board/settle", form).status == 403  # its state is another one
    again = served.ask("/board/proposals").form("Open again") | {"decision": "reopen"}
    assert served.ask("/board/settle", again).status == 303
    assert served.proposals() == [f"promote {RULE}"]


def test_a_maintainer_promotes_at_once_what_git_applies_as_the_command_would(served: Served) -> None:
    form = served.ask(PAGE).form("Propose its promotion")
    assert served.ask("/board/promote", {**form, "by": " "}).status == 409
    assert served.ask("/board/promote", {**form, "by": "jane", "why": "right in May"}).place == "/board/proposals"
    assert served.proposals() == [f"asked {RULE}"]  # watching leaves it open
    refused = served.ask("/board/proposals").form("Refuse") | {"decision": "refuse"}
    assert served.ask("/board/settle", refused).status == 303
    assert served.ask("/board/promote", {**form, "by": "jane", "why": "right in May"}).status == 303
    (made,) = (p for p in served.store.proposals() if p.key == f"asked {RULE}")
    subprocess.run(["git", "init", "--quiet"], cwd=served.folder, check=True)
    subprocess.run(["git", "apply", "-"], input=made.diff.encode(), cwd=served.folder, check=True)
    text = (served.folder / "signatures" / "belts" / f"{RULE}.toml").read_text()
    assert 'reviewed = { on = 2026-06-24, by = "jane", why = "right in May" }' in text
    assert "stage" not in text
    assert served.proposals() == []
    assert [p.key for p in served.store.proposals("taken")] == [f"asked {RULE}"]


def test_a_form_of_another_site_or_of_other_words_is_refused(served: Served) -> None:
    issue, other = saw(served.store, 1), saw(served.store, 2)
    served.store.record_proposal(ProposalRecord("family x", "kb/products/x.toml", "x", "y", "+z\n"), NOW)
    review, promote = served.ask(PAGE).form(f': {issue}"'), served.ask(PAGE).form("Propose its promotion")
    settle = served.ask("/board/proposals").form("Refuse")
    forms = (
        ("/board/review", {**review, "word": "right"}, ("issue", other)),
        ("/board/promote", {**promote, "by": "jane"}, ("rule", "another")),
        ("/board/settle", {**settle, "decision": "refuse"}, ("key", "family y")),
    )
    for place, form, (name, value) in forms:
        for wrong in ({name: value}, {"csrf": "0" * 64}, {"csrf": "é"}, {"csrf": ""}, {"more": "x" * 5000}):
            assert served.ask(place, form | wrong).status == 403, (place, wrong)
        assert served.ask(place, form, password="no").status == 401  # noqa: S106
    assert served.ask("/board/review", {**review, "word": "perhaps"}).status == 409
    saw(served.store, 1, words="E: the flux belt is torn, and other words")
    assert served.ask("/board/review", {**review, "word": "right"}).status == 403
    assert served.tally()[:1] + served.tally()[2:4] == (2, (), ())
    assert [p.key for p in served.store.proposals()] == ["family x"]


def test_of_very_many_those_written_last_come_first_and_the_rest_when_these_are_reviewed(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST", 20)  # hundreds take their time to be written down
    last, *_ = [saw(served.store, number) for number in range(1, 31)]
    page = served.ask(PAGE)
    assert page.text.count('aria-label="Right: ') == 20
    assert "10 more come when these are reviewed" in page.text
    assert page.text.index(f"{last}<") < page.text.index("acme/belt#20<")
    served.review(last, "right")
    assert "9 more come" in served.ask(PAGE).text


def test_nothing_there_is_said_and_words_of_issues_are_text(served: Served) -> None:
    assert "No report that is kept here shows it." in served.ask(PAGE).text
    assert "No edit is proposed." in served.ask("/board/proposals").text
    assert "Not seen" in served.ask("/board/rules").text
    assert served.ask("/board/rule?id=webgpu-buffer-usage-conflict").status == 404
    hostile = "<script>alert(1)</script>\"'<img src=x onerror=alert(1)>"
    ref = saw(served.store, 1, hostile, f"{hostile}\n{hostile}")
    served.store.keep_talk(Talk("7#1", ref), NOW)
    served.store.record_verdict(ref, hostile, "right", maintainer=True, at=NOW, problem=RULE)
    served.store.record_proposal(ProposalRecord(hostile, hostile, hostile, hostile, f"+{hostile}\n" * 2000), NOW)
    for path in (PAGE, "/board/proposals"):
        page = served.ask(path)
        assert page.status == 200
        assert "&lt;script&gt;alert(1)" in page.text
        assert "<script" not in page.text
        assert "<img" not in page.text
    assert "/board/issue?key=7%231" in served.ask(PAGE).text
