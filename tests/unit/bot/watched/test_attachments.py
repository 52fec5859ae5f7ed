"""Attached logs from a server on loopback: what is read, what is said of the rest."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from bot.fetch.guard import policy_of
from bot.watched.attachments import MAX_ATTACHMENTS, MAX_READ, Attachment, Log, Remembering, links, read_attachment
from tests.loopback import Asked, Handler, serving

HOST = "https://github.com"
LOG = "WebGPU validation failed. Größe\n"


def fetched(name: str, answer: Callable[[Handler, Asked], None]) -> Attachment:
    """An attachment of that name, read from a server that stands in for GitHub's file host."""
    url = f"{HOST}/user-attachments/files/1/{name}"
    with serving(answer) as server:
        policy = policy_of(server.url, ())
        return read_attachment(url, policy, address=lambda u: u.replace(HOST, server.url), pause=lambda _: None)


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return made.getvalue()


def listing(files: int) -> bytes:
    """An archive of many empty files."""
    return zipped(**{f"{n:030d}": b"" for n in range(files)})


def locked(data: bytes) -> bytes:
    """An archive that says of its first file that it is encrypted."""
    at = data.index(b"PK\x01\x02")
    return data[: at + 8] + b"\x01" + data[at + 9 :]


def test_links_of_both_kinds_are_found_once() -> None:
    text = """[error.log](https://github.com/user-attachments/files/123/error.log)
    see https://github.com/owner/repo/files/9/trace%20one.TXT and again
    <https://github.com/user-attachments/files/123/error.log>
    ![shot](https://github.com/user-attachments/files/5/shot.png)"""

    assert links(text) == (
        "https://github.com/user-attachments/files/123/error.log",
        "https://github.com/owner/repo/files/9/trace%20one.TXT",
    )


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com.evil.example/user-attachments/files/1/a.log",
        "http://github.com/user-attachments/files/1/a.log",
        "https://github.com/owner/repo/releases/download/v1/a.log",
        "> https://github.com/user-attachments/files/1/a.log",
        "```\nhttps://github.com/user-attachments/files/1/a.log\n```",
        "https://github.com/user-attachments/files/1/../../x.log/",
    ],
)
def test_other_addresses_are_none(text: str) -> None:
    assert links(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "My log: {}.", "the log ({}), and", "see {}, then", "{}!", "<{}>.", "**{}**", "_{}_", "| {} |", "{}?",
        "is it {}?!", "{};", "日志：{}。然后", "{}…", "“{}”", "[log]({}).", "`{}`", "{}: it failed", "{}\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.log", "log.txt", "logs_2.zip", "a%20b.tar.gz"])
def test_the_marks_of_a_sentence_are_no_part_of_an_address(text: str, name: str) -> None:
    url = f"{HOST}/user-attachments/files/1/{name}"
    assert links(text.format(url)) == (url,)


@pytest.mark.parametrize(
    "path",
    [
        "user-attachments/files/1/../../../x/y/raw/main/a.log",
        "user-attachments/files/1/..%2f..%2fx.log",
        "user-attachments/files/1/%2e%2e/%2E./x.log",
        "user-attachments/files/1/%252e%252e%252fx.log",
        "user-attachments/files/1/..%5c..%5cx.log",
        "user-attachments/files/1/..\\..\\x.log",
        "user-attachments/files/1//x.log",
        "user-attachments/files/1/./x.log",
        "user-attachments/files/1/x/a.log",
        "../x/files/1/a.log",
        "./../files/1/a.log",
    ],
)
def test_an_address_that_leads_out_of_the_attachments_is_not_asked_and_said(path: str) -> None:
    asked: list[str] = []
    (url,) = links(f"see {HOST}/{path}.")
    with serving(lambda handler, now: (asked.append(now.path), handler.give(200, LOG.encode()))[1]) as server:
        found = read_attachment(url, policy_of(server.url, ()), address=lambda u: u.replace(HOST, server.url))
    assert (asked, found.logs) == ([], ())
    assert "its address leads elsewhere than to an attachment" in found.why


@pytest.mark.parametrize("location", ["/x/../y.log", "/x/%2e%2e/y.log", "../y.log", "/a%2f..%2fy.log", "/a\\..\\y.log"])
def test_a_redirect_that_leads_up_is_not_followed(location: str) -> None:
    asked: list[str] = []

    def answer(handler: Handler, now: Asked) -> None:
        asked.append(now.path)
        handler.give(302, Location=location) if len(asked) == 1 else handler.give(200, LOG.encode())

    assert fetched("a.log", answer).why == "a.log could not be fetched: its address leads to a place that is not read"
    assert len(asked) == 1


def test_many_links_are_cut() -> None:
    text = " ".join(f"https://github.com/user-attachments/files/{n}/a.log" for n in range(50))
    assert len(links(text)) == MAX_ATTACHMENTS


def test_a_log_behind_a_redirect() -> None:
    def answer(handler: Handler, asked: Asked) -> None:
        if asked.path.startswith("/user-attachments"):
            handler.give(302, Location="/file-host/1")
        else:
            handler.give(200, LOG.encode("utf-16"))

    found = fetched("error.log", answer)

    assert (found.why, [log.text for log in found.logs]) == ("", [LOG])


def test_the_logs_of_an_archive_and_nothing_else() -> None:
    data = zipped(logs__error_log=LOG.encode(), image_png=b"\x89PNG", notes_txt=b"plain")

    found = fetched("logs.zip", lambda handler, _: handler.give(200, data))

    assert [(log.name, log.text) for log in found.logs] == [
        ("logs.zip/error.log", LOG),
        ("logs.zip/notes.txt", "plain"),
    ]
    assert found.why == ""


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.log", b"\x7fELF" + bytes(range(256)) * 20, "a.log is not text"),
        ("a.zip", b"PK\x03\x04 damaged", "a.zip: it cannot be unpacked"),
        ("a.zip", zipped(image_png=b"x"), "a.zip: it holds no .txt or .log"),
        ("a.zip", zipped(bomb_log=b"\0" * (21 << 20)), "a.zip: bomb.log is larger than 20 MiB"),
        ("a.log.gz", b"never asked for", "a.log.gz is packed in a way that is not read; .log, .txt and .zip are"),
        ("a.zip", zipped(inner_zip=b"PK"), "a.zip: 1 file is packed once more and not opened"),
        ("a.zip", listing(30_000), "a.zip: it cannot be unpacked: its list of files is too long"),
    ],
)
def test_what_cannot_be_read_is_said(name: str, data: bytes, why: str) -> None:
    found = fetched(name, lambda handler, _: handler.give(200, data))

    assert found.logs == ()
    assert found.why.startswith(why)


def test_what_the_server_does_is_said() -> None:
    gone = fetched("a.log", lambda h, _: h.give(404))
    assert gone.why == "a.log could not be fetched: the server answers 404"
    assert (gone.fetched, gone.for_now) == (False, False)
    endless = fetched("a.log", lambda h, _: h.give(200, bytes(21 << 20)))
    assert endless.why == "a.log could not be fetched: it is larger than 20 MiB"
    assert endless.size > 20 << 20
    away = fetched("a.log", lambda h, _: h.give(302, Location="https://169.254.169.254/latest/meta-data"))
    assert away.why == "a.log could not be fetched: its address leads to a place that is not read"


def test_of_long_logs_the_telling_parts_are_kept_and_short_ones_beside_them_whole() -> None:
    night = "".join(f"step {n} of the night\n" for n in range(150_000))
    data = zipped(a_log=night.encode(), b_log=(night + LOG + night).encode(), c_log=LOG.encode())

    found = fetched("logs.zip", lambda handler, _: handler.give(200, data))

    assert found.why == ""
    assert found.excerpts == ("logs.zip/a.log", "logs.zip/b.log")
    assert [LOG in log.text for log in found.logs] == [False, True, True]
    assert found.logs[2].text == LOG
    assert sum(len(log.text) for log in found.logs) <= MAX_READ < len(night)
    assert found.size > 3 * len(night)


def test_one_member_that_cannot_be_read_leaves_the_others() -> None:
    made = io.BytesIO(zipped(a_log=b"secret", b_log=LOG.encode()))
    with zipfile.ZipFile(made, "a", zipfile.ZIP_LZMA) as archive:
        archive.writestr("c.log", b"\0" * (1 << 20))
    data = locked(made.getvalue())

    found = fetched("logs.zip", lambda handler, _: handler.give(200, data))

    assert [log.name for log in found.logs] == ["logs.zip/b.log"]
    assert found.why == "logs.zip: 1 file is encrypted; 1 file is packed in a way that is not read"


def test_a_server_in_trouble_is_asked_three_times() -> None:
    asked: list[str] = []

    def answer(handler: Handler, now: Asked) -> None:
        asked.append(now.path)
        handler.give(503) if len(asked) < 3 else handler.give(200, LOG.encode())

    assert fetched("a.log", answer).why == ""
    away = fetched("a.log", lambda handler, _: handler.give(503))
    assert (away.fetched, away.for_now) == (False, True)


def test_what_an_address_said_is_remembered_within_bounds_and_what_did_not_come_is_asked_again() -> None:
    asked: list[str] = []

    def read(url: str) -> Attachment:
        asked.append(url)
        if url == "away":
            return Attachment(url, "a.log", why="a.log could not be fetched: no", fetched=False)
        return Attachment(url, "a.log", (Log("a.log", "x" * 4000),))

    remembering = Remembering(read, 12_000)
    for url in ("1", "2", "1", "3", "1", "2", "away", "away"):
        remembering(url)

    assert asked == ["1", "2", "3", "2", "away", "away"]
