"""The board in a real browser: what people see, reach by keyboard and decide, on wide and narrow screens."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import pytest
from sqlmodel import Session, select
from starlette.applications import Starlette

from bot import config
from bot.fetch import Fetcher
from bot.forge import Threads
from bot.knowledge import load_known
from bot.service.answering import answer
from bot.service.desk import NO_FAULTS, Desk
from bot.sighted import sightings
from bot.watched.attachments import Attachment
from bot.web.board import Board
from kb.records import IssueRecord, ProposalRecord
from kb.store import Store, upgrade
from kb.store.conversations import Deed, Talk
from kb.tables import Inbox
from signatures.model import IssueText, Post, Role
from tests.bot.harness import ALIASING, VERSION
from tests.web.belts import RULE, folder_with_a_rule, saw
from tests.web.conftest import serve_on

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TOKEN = "a token of the tests, long enough"  # noqa: S105
AXE = Path(__file__).parents[1] / "forge" / "node_modules" / "axe-core" / "axe.min.js"
PROBLEM = "webgpu-recurrent-state-buffer-aliasing"
HOSTILE = "<script>document.title='ran'</script><img src=x onerror=alert(1)>\"'&amp; " + "verylongword" * 20
NOW = datetime(2026, 6, 24, 9, 30, tzinfo=UTC)
WIDE, NARROW = (1280, "light"), (375, "dark")
PAGES = (
    "/board",
    "/board/issue?key=7%231",
    "/board/issue?key=7%233",
    "/board/fixes?as_of=2026-06-11",
    "/board/rules",
    f"/board/rule?id={RULE}&said=right&issue=acme%2Fbelt%233",
    "/board/proposals?done=refused",
)


class Served(NamedTuple):
    address: str
    store: Store
    woken: list[int]


def _report(desk: Desk, number: int, title: str, body: str, talk: Talk) -> None:
    """What handling an issue leaves behind."""
    ref = f"owner/repo#{number}"
    known = desk.known()
    issue = IssueText(title, (Post(Role.REPORTER, body),), ref)
    found = answer(issue, talk, known, "2026-06-24")
    wanted = found.comment.body if found.comment is not None else ""
    suggestion = wanted if "/triage post" in talk.why else ""
    seen = IssueRecord(ref, title, "someone", False, NOW, NOW, True, "1")
    desk.store.record_issue(seen, sightings(found.diagnosis), NOW)
    desk.store.keep_talk(talk._replace(said="\n".join(map(str, found.said)), suggestion=suggestion), NOW)
    desk.store.want_comment(talk.issue, wanted, (), "", NOW)
    desk.store.log(Deed(NOW, "owner/repo", ref, "silent", "", talk.why))


def _review(store: Store) -> None:
    """Sightings of a rule in shadow, with and without a word on them; proposals, open and not."""
    for number, words in enumerate(("E: the flux belt is torn", f"E: the flux belt is torn\n{HOSTILE}", HOSTILE)):
        saw(store, number + 1, HOSTILE, words)
    for who, said, issue in (("the board", "right", 3), ("jo", "wrong", 2)):
        store.record_verdict(f"acme/belt#{issue}", who, said, maintainer=True, at=NOW, problem=RULE)
    for key in ("one", "two"):
        edit = f"--- a/kb/x.toml\n+++ b/kb/x.toml\n@@ -1 +1 @@\n-{HOSTILE}\n+{HOSTILE}\n"
        store.record_proposal(ProposalRecord(key, f"kb/problems/{'long' * 30}.toml", HOSTILE, HOSTILE, edit), NOW)
    store.settle_proposal("two", "refused", NOW)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    url = f"sqlite:///{tmp_path_factory.mktemp('board') / 'triage.db'}"
    upgrade(url)
    folder = str(folder_with_a_rule(tmp_path_factory.mktemp("own")))
    store, known, woken = Store.at(url), load_known((folder,), newer=False), list[int]()

    def asked_nobody(*_: object) -> Threads:
        raise AssertionError("the board asks GitHub nothing")

    def fetched_nothing(*_: object) -> Fetcher | Attachment:
        raise AssertionError("the board fetches nothing")

    desk = Desk(store, asked_nobody, "triage[bot]", lambda: known, lambda: NOW, fetched_nothing, fetched_nothing)  # type: ignore[arg-type]
    failing = ALIASING + VERSION
    waits = "a maintainer can post it with `/triage post`"
    shadow = "the repository's policy says shadow: recorded, not posted"
    _report(desk, 1, "qwen3.5 stops on WebGPU", failing, Talk("7#1", "owner/repo#1", why=waits))
    _report(desk, 2, "The same in shadow", failing, Talk("7#2", "owner/repo#2", why=shadow))
    hostile = Talk("7#3", "owner/repo#3", why=HOSTILE, standing="stands", comment=5)
    _report(desk, 3, HOSTILE, failing.replace("(unlabeled)", "<b>(unlabeled)</b>"), hostile)
    nothing = "there is nothing to say that would help"
    _report(desk, 4, "How do I install it?", "How?", Talk("7#4", "owner/repo#4", why=nothing))
    _report(desk, 5, "Left alone", failing, Talk("7#5", "owner/repo#5", off=True, why="people opted this issue out"))
    faults = ".github/triage.toml: mod: there is no such key; did you mean mode?\n" + HOSTILE
    store.log(Deed(NOW, "owner/mended", "", "policy", "", faults))
    store.log(Deed(NOW, "owner/mended", "", "policy", "", NO_FAULTS))
    store.log(Deed(NOW, "owner/repo", "", "policy", "", faults))
    _review(store)
    board = Board(desk, TOKEN, "https://github.com", lambda: woken.append(1), (folder,))
    with serve_on(Starlette(routes=board.routes())) as port:
        yield Served(f"http://127.0.0.1:{port}", store, woken)
    store.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("the board's pages need Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # a container's root has no sandbox, and the pages are ours
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    with opened(browser, served, *WIDE) as page:
        yield page


class opened:  # noqa: N801 - a context, as contextlib writes them
    """A window of a width in a colour scheme, with the board's token, that notes what goes wrong in it."""

    def __init__(self, browser: Browser, served: Served, width: int, scheme: str) -> None:
        self._context = browser.new_context(
            base_url=served.address,
            http_credentials={"username": "anybody", "password": TOKEN},
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        self._troubles: list[str] = []

    def __enter__(self) -> Page:
        page = self._context.new_page()
        page.on("console", lambda said: self._troubles.append(said.text))
        page.on("dialog", lambda dialog: self._troubles.append(dialog.message))
        page.on("requestfailed", lambda request: self._troubles.append(request.url))
        return page

    def __exit__(self, *_: object) -> None:
        self._context.close()
        assert self._troubles == []


@pytest.mark.parametrize(("width", "scheme"), [WIDE, NARROW])
def test_pages_fit_their_window_and_everybody_can_use_them(
    browser: Browser, served: Served, width: int, scheme: str
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core comes with the emulator, by npm")
    backgrounds = set()
    with opened(browser, served, width, scheme) as page:
        for path in PAGES:
            page.goto(path)
            page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            page.evaluate(AXE.read_text(encoding="utf-8"))
            # what is asked for in one width holds in the other, and colours differ by the scheme
            found = page.evaluate("axe.run({ runOnly: ['color-contrast'] })" if scheme == "dark" else "axe.run()")
            wrong = [(v["id"], [node["html"] for node in v["nodes"]]) for v in found["violations"]]
            assert wrong == [], path
            backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert backgrounds == {"rgb(13, 17, 23)" if scheme == "dark" else "rgb(255, 255, 255)"}


def test_issues_stand_in_groups_with_what_would_be_posted(page: Page) -> None:
    page.goto("/board")
    headings = page.get_by_role("heading", level=2).all_inner_texts()
    assert headings[0] == "Policies with faults"
    assert headings[1:] == ["Waiting for approval 1", "Would be posted 1", "Posted 1", "Nothing to say 2"]
    faults = page.locator(".faults li").all_inner_texts()
    assert [fault.startswith("owner/repo") for fault in faults] == [True, True]
    page.get_by_role("link", name="The same in shadow").click()
    assert page.get_by_role("heading", level=1).inner_text() == "The same in shadow"
    text = page.locator("pre.comment").inner_text()
    assert "CLI 0.10.1" in text
    assert "ondevice-triage" not in text
    assert "shadow" in page.locator("dl").inner_text()


def test_a_suggestion_is_approved_by_keyboard_alone(page: Page, served: Served) -> None:
    page.goto("/board")
    for name in ("qwen3.5 stops on WebGPU", "Post this comment"):
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.innerText") == name:
                break
        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert (page.evaluate("document.activeElement.innerText"), style) == (name, "solid")
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert page.get_by_role("status").inner_text() == "It is posted as soon as the bot comes to it."
    assert served.woken == [1]
    with Session(served.store.engine) as session:
        (row,) = session.exec(select(Inbox)).all()
    decided = (row.kind, row.payload["action"], row.payload["repo"], row.payload["number"])
    assert decided == ("decided", "post", "owner/repo", 1)


def test_an_issue_that_is_off_can_be_taken_up_again(page: Page) -> None:
    page.goto("/board/issue?key=7%235")
    assert page.get_by_role("button").all_inner_texts() == ["Answer this issue again"]
    page.get_by_role("button").click()
    assert page.get_by_role("status").inner_text() == "The issue is answered again."


def test_hostile_words_stay_words(page: Page) -> None:
    page.goto("/board/issue?key=7%233")
    assert page.get_by_role("heading", level=1).inner_text() == HOSTILE.strip()
    assert HOSTILE.strip() in page.locator("table.deeds").inner_text()
    assert "<b>(unlabeled)</b>" in page.locator("pre").first.inner_text()
    assert page.locator("script, img, b:text('unlabeled')").count() == 0
    assert page.title() == "owner/repo#3 · triage"
    page.goto(f"/board?decided={quote(HOSTILE)}")
    assert page.get_by_role("status").count() == 0


@pytest.mark.parametrize("day", [None, "2026-06-11"])
def test_fixes_and_products_are_those_of_triage_status(page: Page, day: str | None) -> None:
    """Every change with the products that carry it, as the terminal tells it."""
    command = [sys.executable, "-m", "bot", "status", PROBLEM, "--json", *(("--as-of", day) if day else ())]
    environment = {**config.program_environment(), "TRIAGE_DATABASE_URL": ""}
    told = json.loads(subprocess.run(command, capture_output=True, check=True, env=environment, timeout=60).stdout)
    (change,) = told["board"][0]["changes"]

    page.goto("/board/fixes")
    page.get_by_label("As of").fill(day or "")
    page.get_by_role("button", name="Show").click()
    row = page.locator("tr", has=page.get_by_role("link", name=change["change"]))
    assert change["first_release"] in row.locator("[data-label=Component]").inner_text()
    titles = {p.id: p.title for p in load_known(newer=False).knowledge.products}
    for product in change["products"]:
        cell = row.locator(f"[data-label='{titles[product['product']]}']").inner_text()
        assert f"{product['waited']} day" in cell
        assert (product["first_fixed"] or "waiting") in cell
        assert (product["first_fixed_at"] or "not in 0.10.0") in cell
    assert row.locator(".waiting").count() == sum(p["waiting"] for p in change["products"])
    assert row.locator(".waiting").count() == (1 if day else 0)
