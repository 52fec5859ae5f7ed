"""The board over a real connection: who may see it, what it shows, and a yes or no that is carried out."""

from __future__ import annotations

import base64
import http.client
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple
from urllib.parse import quote, urlencode

import pytest
from starlette.applications import Starlette

from bot.comment import MARKER
from bot.web.board import Board
from kb.store.conversations import Talk
from tests.bot.harness import ALIASING, VERSION, Bot
from tests.web.conftest import serve_on

TOKEN = "a token of the tests, long enough"  # noqa: S105
Report = Callable[..., int]


class Page(NamedTuple):
    status: int
    text: str
    headers: dict[str, str]


class Browser:
    def __init__(self, port: int) -> None:
        self._port = port

    def ask(self, path: str, form: dict[str, str] | None = None, password: str | None = TOKEN) -> Page:
        given = base64.b64encode(f"maintainer:{password}".encode()).decode()
        headers = {"Authorization": f"Basic {given}"} if password is not None else {}
        body = urlencode(form) if form is not None else None
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)) as connection:
            connection.request("GET" if form is None else "POST", path, body, headers)
            answer = connection.getresponse()
            return Page(answer.status, answer.read().decode(), {k.lower(): v for k, v in answer.getheaders()})


@pytest.fixture
def browser(bot: Bot) -> Iterator[Browser]:
    board = Board(bot.desk, TOKEN, "https://github.com", lambda: None)
    with serve_on(Starlette(routes=board.routes())) as port:
        yield Browser(port)


def waiting(bot: Bot, report: Report) -> tuple[int, str]:
    """An issue whose comment waits, and its key."""
    bot.policy('mode = "suggest"\nproducts = ["foundry-local-cli"]')
    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION)
    bot.settle(minutes=6)
    (talk,) = bot.store.talks(ref=f"{bot.repository.full_name}#{number}")
    return number, talk.issue


def form_of(page: Page) -> dict[str, str]:
    return dict(re.findall(r'name="(key|csrf)" value="([^"]*)"', page.text))


@pytest.mark.parametrize("path", ["/board", "/board/issue?key=1%231", "/board/fixes", "/board/style.css"])
@pytest.mark.parametrize("password", [None, "", "another token, long enough"])
def test_nobody_sees_it_without_its_token(browser: Browser, path: str, password: str | None) -> None:
    page = browser.ask(path, password=password)
    assert page.status == 401
    assert page.headers["www-authenticate"].startswith("Basic ")


def test_it_shows_what_waits_first_with_evidence_and_faults(bot: Bot, browser: Browser, report: Report) -> None:
    number, key = waiting(bot, report)
    bot.policy('mode = "suggest"\nmod = 1')
    report("a question", "How do I install it?")
    bot.settle()

    board = browser.ask("/board")
    assert board.status == 200
    assert "default-src 'none'" in board.headers["content-security-policy"]
    assert board.text.index("Waiting for approval") < board.text.index("there is nothing to say")
    assert "mod: there is no such key" in board.text
    page = browser.ask(f"/board/issue?key={quote(key)}")
    assert f"https://github.com/{bot.repository.full_name}/issues/{number}" in page.text
    assert "another usage in the same synchronization scope" in page.text
    assert "Post this comment" in page.text
    assert browser.ask("/board/style.css").headers["content-type"].startswith("text/css")
    assert browser.ask("/board/issue?key=nothing").status == 404
    assert browser.ask("/board/fixes?as_of=2026-06-11").status == 200
    assert "write it like 2026-06-11" in browser.ask("/board/fixes?as_of=yesterday").text
    bot.policy('mode = "suggest"')
    bot.say("reporter", number, "Any news?")
    bot.settle()
    assert "no such key" not in browser.ask("/board").text


def test_a_yes_posts_the_comment_once(bot: Bot, browser: Browser, report: Report) -> None:
    number, key = waiting(bot, report)
    form = form_of(browser.ask(f"/board/issue?key={quote(key)}"))
    assert bot.comments(number) == []

    assert browser.ask("/board/decide", {**form, "decision": "post"}).status == 303
    bot.settle()
    assert len(bot.comments(number)) == 1
    assert any(d.who == "the board" and "post" in d.detail for d in bot.store.deeds(what="command"))
    assert browser.ask("/board/decide", {**form, "decision": "post"}).status == 403
    assert "Post this comment" not in browser.ask(f"/board/issue?key={quote(key)}").text


def test_a_no_leaves_the_issue_alone_until_somebody_says_on(bot: Bot, browser: Browser, report: Report) -> None:
    number, key = waiting(bot, report)
    form = form_of(browser.ask(f"/board/issue?key={quote(key)}"))
    assert browser.ask("/board/decide", {**form, "decision": "off"}).status == 303
    bot.policy('mode = "comment"\nproducts = ["foundry-local-cli"]')
    bot.settle()
    assert bot.comments(number) == []
    form = form_of(browser.ask(f"/board/issue?key={quote(key)}"))
    assert browser.ask("/board/decide", {**form, "decision": "on"}).status == 303
    bot.settle()
    assert len(bot.comments(number)) == 1


def test_a_yes_is_for_the_words_that_were_shown(bot: Bot, browser: Browser, report: Report) -> None:
    number, key = waiting(bot, report)
    form = form_of(browser.ask(f"/board/issue?key={quote(key)}"))
    bot.say("reporter", number, "It is Foundry Local CLI 0.10.3 by now.")
    bot.settle(minutes=2)
    page = browser.ask("/board/decide", {**form, "decision": "post"})
    assert page.status == 403
    assert "the comment has changed" in page.text


def test_a_form_of_another_site_or_issue_is_refused(bot: Bot, browser: Browser, report: Report) -> None:
    number, key = waiting(bot, report)
    form = form_of(browser.ask(f"/board/issue?key={quote(key)}"))
    for wrong in (
        {"key": key, "decision": "post"},
        {"key": key, "csrf": "0" * 64, "decision": "post"},
        {"key": f"{key}1", "csrf": form["csrf"], "decision": "post"},
        {"key": key, "csrf": "é", "decision": "post"},
        {**form, "decision": "post", "more": "x" * 5000},
    ):
        assert browser.ask("/board/decide", wrong).status == 403
    assert browser.ask("/board/decide", {**form, "decision": "post"}, password="no").status == 401  # noqa: S106
    assert browser.ask("/board/decide", {**form, "decision": "rm"}).status == 409
    bot.settle()
    assert bot.comments(number) == []


def test_the_words_of_an_issue_are_text(bot: Bot, browser: Browser) -> None:
    hostile = "<script>alert(1)</script>\"'<img src=x onerror=alert(1)>"
    suggestion = f"{MARKER}schema=1 problems=x -->\n{hostile}"
    talk = Talk("1#1", f"owner/{hostile}#1", said=f"{hostile}|upgrade||", suggestion=suggestion, why=hostile)
    bot.store.keep_talk(talk, bot.clock)
    bot.desk.log(talk.ref, talk.ref, "failed", hostile, hostile)
    bot.desk.log(hostile, "", "policy", detail=hostile)
    for path in ("/board", "/board/issue?key=1%231"):
        page = browser.ask(path)
        assert page.status == 200
        assert "&lt;script&gt;alert(1)" in page.text
        assert "<script" not in page.text
        assert "<img" not in page.text
