"""What the caller hands over, as an issue: a text, a log file, an issue as JSON, or a thread saved as text.

It reads, decodes and names who wrote what; it looks for no failure. Offsets of a diagnosis count characters of the
posts made here: of a JSON string as it stands in the file, of a text file after decoding and with line ends as \\n.
"""

from __future__ import annotations

import os
import sys

from bot.errors import InputError
from bot.input.thread_json import issue_from_json
from bot.input.transcript import has_markdown, transcript
from signatures.model import IssueText, Post, Role
from signatures.text import NotText, decode
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import BinaryIO

LARGEST = 20 * 1024 * 1024  # bytes; a log of this size is already more than a person would paste
_CHUNK = 1 << 20
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
_PATH_ENDINGS = (".log", ".txt", ".json", ".md", ".jsonl", ".out", ".err", ".csv", ".yaml", ".yml", ".toml", ".zip")
# a JSON object that starts like this was meant as an issue, not as a log line
_ISSUE_KEYS = ("issue", "url", "html_url", "repository_url", "id", "node_id", "number", "title", "comments", "user")


class Given(NamedTuple):
    """An issue, and how to name its source to the caller."""

    issue: IssueText
    name: str


def read_input(argument: str, *, text: bool = False) -> Given:
    """The issue behind a TEXT, FILE or `-` argument; `text` takes the argument as text whatever it looks like.

    Raises InputError where there is nothing to read or it cannot be read.
    """
    if text:
        return _from_argument(argument)
    if argument == "-":
        return _from_stdin()
    if os.path.exists(argument):
        return _from_file(argument)
    if _looks_like_path(argument):
        raise InputError(_no_such(argument))
    return _from_argument(argument)


def _from_argument(argument: str) -> Given:
    # bytes that the shell's encoding could not decode arrive as lone surrogates
    text = argument.encode("utf-8", "surrogateescape" if _escaped(argument) else "replace").decode("utf-8", "replace")
    if not text.strip():
        raise InputError("the text is empty; give an error text, a file, or - for standard input.")
    return Given(_issue(text), "the text")


def _escaped(argument: str) -> bool:
    return all(not 0xD800 <= ord(c) < 0xE000 or 0xDC80 <= ord(c) <= 0xDCFF for c in argument)


def _from_stdin() -> Given:
    if sys.stdin is None:
        raise InputError("standard input is closed; give an error text or a file.")
    data = _capped(sys.stdin.buffer, "standard input")
    return _from_bytes(data, "standard input", json_file=False)


def _from_file(path: str) -> Given:
    name = _shown(path)
    if os.path.isdir(path):
        raise InputError(f"{name} is a folder; give one file of it.")
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST:
                raise InputError(_too_large(name, size))
            data = _capped(file, name)
    except OSError as e:
        raise InputError(f"{name} cannot be read: {e.strerror or e}.") from None
    return _from_bytes(data, name, json_file=path.lower().endswith(".json"))


def _capped(file: BinaryIO, name: str) -> bytes:
    """All of `file`. Reading stops as soon as it proves too large, since a pipe tells no size beforehand."""
    chunks: list[bytes] = []
    total = 0
    while chunk := file.read(_CHUNK):
        total += len(chunk)
        if total > LARGEST:
            raise InputError(_too_large(name, None))
        chunks.append(chunk)
    return b"".join(chunks)


def _from_bytes(data: bytes, name: str, *, json_file: bool) -> Given:
    try:
        text = decode(data).translate(_SURROGATES)
    except NotText as e:
        raise InputError(f"{name} is {e}.") from None
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise InputError(f"{name} is empty; there is nothing to look up.")
    if json_file or _opens_json(text):
        found = _json(text, name, must=json_file)
        if found is not None:
            return Given(found, name)
    return Given(transcript(text) or _issue(text), name)


def _json(text: str, name: str, *, must: bool) -> IssueText | None:
    """The issue in a JSON text; None where the text is a log that merely starts like JSON."""
    meant = must or _starts_like_issue(text)
    import json

    try:
        value = json.loads(text)
    except json.JSONDecodeError as e:
        if not meant:
            return None
        raise InputError(f"{name} is broken JSON at line {e.lineno}, column {e.colno}: {e.msg}.") from None
    except RecursionError:
        if not meant:
            return None
        raise InputError(f"{name} is JSON nested too deep to be an issue.") from None
    except ValueError:  # a number with thousands of digits
        if not meant:
            return None
        raise InputError(f"{name} is JSON with a number too long to be an issue.") from None
    return issue_from_json(value, name, must=must)


def _opens_json(text: str) -> bool:
    """Whether it begins as an object does, or as a list of objects."""
    head = text.lstrip()
    return head.startswith("{") or (head.startswith("[") and head[1:80].lstrip().startswith("{"))


def _starts_like_issue(text: str) -> bool:
    head = text.lstrip("[ \r\n\t")[1:80].lstrip()
    return any(head.startswith(f'"{key}"') for key in _ISSUE_KEYS)


def _issue(text: str) -> IssueText:
    return IssueText(title="", posts=(Post(Role.REPORTER, text, markdown=has_markdown(text)),))


def _looks_like_path(argument: str) -> bool:
    if not argument or any(c.isspace() for c in argument):
        return False
    return "/" in argument or "\\" in argument or argument.lower().endswith(_PATH_ENDINGS)


def _no_such(argument: str) -> str:
    name = _shown(argument)
    if argument.startswith(("http://", "https://")):
        return (
            f"{name} is an address, and this command reads no network; save the issue as JSON "
            "(`gh api repos/OWNER/REPO/issues/N > issue.json`) or pass its text."
        )
    return f"there is no file {name}; if it is meant as text, add --text."


def _shown(path: str) -> str:
    return repr(path if len(path) <= 120 else path[:58] + "..." + path[-58:])


def _too_large(name: str, size: int | None) -> str:
    much = f"is {size / 1024 / 1024:.0f} MiB" if size is not None else "is larger than 20 MiB"
    limit = "the limit is 20 MiB; " if size is not None else ""
    return f"{name} {much}; {limit}cut out the part around the failure."
