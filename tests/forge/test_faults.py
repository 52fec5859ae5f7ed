"""What a GitHub does on a bad day, from a server on loopback: nothing takes long, and everything has bounds."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.forge import Forge, ForgeError, Limited, NotThere, bounded
from tests.loopback import Answer, Asked, Handler, Server, serving

REPO = "acme/engine"


def _item(n: int, **more: Any) -> dict[str, Any]:
    url = f"https://github.com/{REPO}/releases/tag/v1.{n}.0"
    return {"id": n, "tag_name": f"v1.{n}.0", "published_at": "2026-06-04T23:56:47Z", "html_url": url, **more}


def _listing(*items: Any) -> bytes:
    return json.dumps(items).encode()


def _pull(**more: Any) -> bytes:
    base = {"number": 7, "state": "open", "title": "Mend it", "base": {"ref": "main"}, "html_url": "https://x.org/7"}
    return json.dumps({**base, **more}).encode()


class _Naps:
    """Waiting that takes no time, and is remembered."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def _forge(server: Server, naps: Callable[[float], None] | None = None, **more: Any) -> Forge:
    return Forge("secret", server.url, spacing=0, sleep=naps or _Naps(), **more)


def _after(refusals: list[Callable[[Handler], None]], body: bytes) -> Answer:
    """Refuse so many times, then answer."""

    def answer(handler: Handler, _: Asked) -> None:
        if refusals:
            refusals.pop(0)(handler)
        else:
            handler.give(200, body, ETag='"one"')

    return answer


def _refusing(status: int, message: str = "no", **headers: str) -> Callable[[Handler], None]:
    return lambda handler: handler.give(status, json.dumps({"message": message}).encode(), **headers)


def _used_up(seconds: int) -> Callable[[Handler], None]:
    reset = str(int(time.time()) + seconds)
    return _refusing(403, "API rate limit exceeded", X_RateLimit_Remaining="0", X_RateLimit_Reset=reset)


def test_a_list_that_did_not_change_costs_one_small_answer() -> None:
    def answer(handler: Handler, asked: Asked) -> None:
        if asked.headers.get("if-none-match") == '"one"':
            handler.give(304, ETag='"one"')
        else:
            handler.give(200, _listing(_item(1)), ETag='"one"')

    with serving(answer) as server:
        forge = _forge(server)
        first = forge.publications(REPO)
        again = forge.publications(REPO, first.kept)
        assert (again.changed, again.kept) == ((), first.kept)
        whole = forge.publications(REPO, first.kept, whole=True)
        assert "if-none-match" not in server.asked[-1].headers
        assert whole.changed == ()
        assert forge.pull.__doc__
        assert server.asked[0].headers["authorization"].endswith("secret")


def test_a_pull_request_that_did_not_change_is_told_so() -> None:
    def answer(handler: Handler, asked: Asked) -> None:
        handler.give(304) if "if-none-match" in asked.headers else handler.give(200, _pull(), ETag='"seven"')

    with serving(answer) as server:
        state, etag = _forge(server).pull(REPO, 7)
        assert state is not None
        assert etag == '"seven"'
        assert _forge(server).pull(REPO, 7, etag) == (None, etag)


@pytest.mark.parametrize(
    ("refusal", "least", "most"),
    [
        (_refusing(502), 0.4, 1.1),
        (_refusing(500), 0.4, 1.1),
        (_refusing(429, Retry_After="3"), 3, 3),
        (_refusing(403, Retry_After="2"), 2, 2),
    ],
)
def test_what_passes_soon_is_waited_for(refusal: Callable[[Handler], None], least: float, most: float) -> None:
    naps = _Naps()
    with serving(_after([refusal], _listing(_item(1)))) as server:
        assert len(_forge(server, naps).publications(REPO).changed) == 1
    assert len(naps.taken) == 1
    assert least <= naps.taken[0] <= most


@pytest.mark.parametrize(
    ("refusal", "seconds"),
    [
        (_refusing(429), 60),
        (_refusing(429, Retry_After="3600"), 3600),
        (_refusing(403, Retry_After="999999999999"), 86400),
        (_refusing(403, "You have exceeded a secondary rate limit."), 60),
        (lambda handler: _used_up(900)(handler), 900),
    ],
)
def test_a_limit_that_lasts_is_not_slept_through(refusal: Callable[[Handler], None], seconds: float) -> None:
    naps = _Naps()
    with serving(_after([refusal], b"[]")) as server, pytest.raises(Limited, match="limit is reached") as caught:
        _forge(server, naps).publications(REPO)
    assert naps.taken == []
    assert abs((caught.value.until - datetime.now(UTC)).total_seconds() - seconds) < 20


def test_limits_that_follow_each_other_end_the_patience() -> None:
    naps = _Naps()
    refusals = [_refusing(429, Retry_After="20") for _ in range(9)]
    with serving(_after(refusals, b"[]")) as server, pytest.raises(Limited):
        _forge(server, naps).publications(REPO)
    assert naps.taken == [20]


@pytest.mark.parametrize(
    ("refusal", "kind", "words"),
    [
        (_refusing(401, "Bad credentials"), ForgeError, "refuses the token: Bad credentials"),
        (_refusing(403, "Resource not accessible by integration"), ForgeError, "not accessible"),
        (_refusing(404, "Not Found"), NotThere, "knows no such thing"),
        (_refusing(451, "Gone for legal reasons"), ForgeError, "451"),
        (lambda h: h.give(200, b"<html>"), ForgeError, "no JSON"),
        (lambda h: h.give(200, b"[" * 100_000), ForgeError, "no JSON"),
        (lambda h: h.give(200, b'{"message": "hello"}'), ForgeError, "are no list"),
        (lambda h: h.give(403, b"\xff\xfe<html>"), ForgeError, "no reason given"),
    ],
)
def test_a_refusal_is_one_sentence(refusal: Callable[[Handler], None], kind: type[ForgeError], words: str) -> None:
    with serving(_after([refusal], b"[]")) as server, pytest.raises(kind, match=words):
        _forge(server).publications(REPO)


def test_a_server_that_keeps_failing_is_given_up() -> None:
    with serving(_after([_refusing(503)] * 9, b"[]")) as server:
        with pytest.raises(ForgeError, match="answers 503"):
            _forge(server).publications(REPO)
        assert len(server.asked) == 3


def test_a_server_that_hangs_is_given_up() -> None:
    with serving(lambda handler, asked: time.sleep(3)) as server, pytest.raises(ForgeError, match="cannot be reached"):
        _forge(server, timeout=1, patience=0.1).publications(REPO)


def test_an_answer_that_drips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "LONGEST", 0.5)

    def answer(handler: Handler, _: Asked) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        for _n in range(15):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)

    with serving(answer) as server, pytest.raises(ForgeError, match="takes longer than"):
        _forge(server, patience=0.1).publications(REPO)


def test_nobody_there_is_said() -> None:
    with serving(lambda handler, asked: None) as server:
        url = server.url
    with pytest.raises(ForgeError, match="cannot be reached"):
        Forge(None, url, spacing=0, sleep=_Naps()).publications(REPO)


@pytest.mark.parametrize("packed", [False, True])
def test_a_body_of_ten_megabytes_is_not_taken_in(packed: bool) -> None:
    body = b"[" + b" " * (10 << 20) + b"]"
    headers = {"Content_Encoding": "gzip"} if packed else {}
    sent = gzip.compress(body) if packed else body
    with serving(lambda h, asked: h.give(200, sent, **headers)) as server, pytest.raises(ForgeError, match="8 MiB"):
        _forge(server, patience=0.1).publications(REPO)


def _paged(last: int, origin: str | None = None) -> Answer:
    def answer(handler: Handler, asked: Asked) -> None:
        page = int(parse_qs(urlsplit(asked.path).query).get("page", ["1"])[0])
        headers: dict[str, str] = {}
        if page < last:
            assert isinstance(handler.server, Server)
            after = page + 1 if page < 50 else 1
            headers["Link"] = f'<{origin or handler.server.url}/repositories/1/releases?page={after}>; rel="next"'
        handler.give(200, _listing(*(_item(page * 100 + n) for n in range(2))), **headers)

    return answer


def test_pages_without_an_end_are_cut_and_said_to_be() -> None:
    with serving(_paged(10**9)) as server:
        listed = _forge(server).publications(REPO)
        assert len(server.asked) == 30
    assert len(listed.changed) == 60
    assert "more than 30 pages" in listed.skipped[0]


def test_pages_are_followed_to_their_end_and_no_further_than_what_is_known() -> None:
    with serving(_paged(3)) as server:
        listed = _forge(server).publications(REPO)
        assert (len(server.asked), len(listed.changed)) == (3, 6)
        server.asked.clear()
        again = _forge(server).publications(REPO, listed.kept)
        assert (len(server.asked), again.changed) == (1, ())
        assert len(again.kept.rows) == 6  # what was not read again is not gone


def test_pages_are_not_followed_to_another_server() -> None:
    with serving(_paged(3, "https://evil.example")) as server, pytest.raises(ForgeError, match="another server"):
        _forge(server).publications(REPO)


@pytest.mark.parametrize("status", [202, 301])
def test_an_answer_that_only_leads_on_ends(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("github.Consts.PROCESSING_202_WAIT_TIME", 0)

    def answer(handler: Handler, asked: Asked) -> None:
        assert isinstance(handler.server, Server)
        handler.give(status, b"{}", Location=f"{handler.server.url}/again{len(handler.server.asked)}")

    with serving(answer) as server:
        with pytest.raises(ForgeError, match="redirections"):
            _forge(server).publications(REPO)
        assert len(server.asked) == 4


def test_a_renamed_repository_is_followed() -> None:
    def answer(handler: Handler, asked: Asked) -> None:
        assert isinstance(handler.server, Server)
        if asked.path.startswith("/repos/"):
            handler.give(301, b"{}", Location=f"{handler.server.url}/repositories/1/releases")
        else:
            handler.give(200, _listing(_item(1)))

    with serving(answer) as server:
        assert len(_forge(server).publications(REPO).changed) == 1


def test_one_release_of_another_shape_is_named_and_the_rest_is_read() -> None:
    body = _listing(
        _item(1), {"id": "x"}, 7, _item(2, published_at=None), _item(3, published_at="2026-06-04T23:30:00-05:00")
    )
    with serving(lambda h, asked: h.give(200, body)) as server:
        listed = _forge(server).publications(REPO)
    assert [(p.tag, p.day) for p in listed.changed] == [("v1.1.0", "2026-06-04"), ("v1.3.0", "2026-06-05")]
    assert len(listed.skipped) == 2
    assert listed.skipped[0].startswith("a release of acme/engine is passed over")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"number": 8}, "answered with #8"),
        ({"base": None}, "shape that is not known"),
        ({"merge_commit_sha": "z"}, "shape"),
    ],
)
def test_a_pull_request_of_another_shape_is_refused(more: dict[str, Any], words: str) -> None:
    with serving(lambda h, asked: h.give(200, _pull(**more))) as server, pytest.raises(ForgeError, match=words):
        _forge(server).pull(REPO, 7)


@pytest.mark.parametrize(
    "more",
    [
        {"html_url": "javascript:alert(1)"},
        {"html_url": "https://x.org/\x1b[31m"},
        {"html_url": 'https://x.org/"'},
        {"html_url": "https://x.org/\u202e"},
        {"tag_name": "v1\n[[release]]"},
        {"tag_name": ""},
        {"tag_name": "v" * 300},
    ],
)
def test_an_address_or_a_tag_that_hides_something_is_passed_over(more: dict[str, Any]) -> None:
    with serving(lambda h, asked: h.give(200, _listing(_item(1, **more), _item(2)))) as server:
        listed = _forge(server).publications(REPO)
    assert [p.tag for p in listed.changed] == ["v1.2.0"]
    assert len(listed.skipped) == 1


def test_a_trial_merge_is_no_merge() -> None:
    with serving(lambda h, asked: h.give(200, _pull(merge_commit_sha="a" * 40))) as server:
        state, _ = _forge(server).pull(REPO, 7)
    assert state is not None
    assert (state.state, state.merge_commit) == ("open", None)


@pytest.mark.parametrize("repo", ["acme", "../x/y", "acme/..", "a/b/c", "acme/eng ine", "acme/x?per_page=1"])
def test_what_is_no_repository_is_not_asked_for(repo: str) -> None:
    with serving(lambda h, asked: h.give(200, b"[]")) as server:
        with pytest.raises(ForgeError, match="is no repository"):
            _forge(server).publications(repo)
        assert server.asked == []
