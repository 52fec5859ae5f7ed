"""Attached logs from a server on loopback: what is read, what is said of the rest."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from bot.fetch.guard import policy_of
from bot.watched.attachments import MAX_ATTACHMENTS, Attachment, links, read_attachment
from tests.loopback import Asked, Handler, serving

HOST = "https://github.com"
LOG = "WebGPU validation failed. Größe\n"


def fetched(name: str, answer: Callable[[Handler, Asked], None]) -> Attachment:
    """An attachment of that name, read from a server that stands in for GitHub's file host."""
    url = f"{HOST}/user-attachments/files/1/{name}"
    with serving(answer) as server:
        policy = policy_of(server.url, ())
        return read_attachment(url, policy, address=lambda u: u.replace(HOST, server.url))


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return made.getvalue()


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
    ],
)
def test_what_cannot_be_read_is_said(name: str, data: bytes, why: str) -> None:
    found = fetched(name, lambda handler, _: handler.give(200, data))

    assert found.logs == ()
    assert found.why.startswith(why)


def test_what_the_server_does_is_said() -> None:
    assert fetched("a.log", lambda h, _: h.give(404)).why == "a.log could not be fetched: the server answers 404"
    endless = fetched("a.log", lambda h, _: h.give(200, bytes(21 << 20)))
    assert "would be needed" in endless.why
    away = fetched("a.log", lambda h, _: h.give(302, Location="https://169.254.169.254/latest/meta-data"))
    assert "bare address" in away.why
