"""Logs attached to an issue: found by their links, fetched with caps, read as texts.

GitHub keeps attachments under two kinds of address and answers with a redirect to its file host. What cannot be read
is said, with the reason; nothing is unpacked to a disk.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from posixpath import basename
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from bot.fetch.budget import Budget
from bot.fetch.client import Client
from bot.fetch.guard import Policy
from signatures.artifact.source import SourceError
from signatures.extract.markdown import stretches
from signatures.linear import linear
from signatures.text import NotText, decode

MIB = 1024 * 1024
MAX_ATTACHMENTS = 5  # of one post
MAX_BYTES = 20 * MIB  # of one attachment, as it is sent
MAX_TEXT = 20 * MIB  # of what one attachment holds, unpacked
MAX_MEMBERS = 20
SECONDS = 30.0

_TEXTS = (".txt", ".log")
_READ = (*_TEXTS, ".zip")
_LINK = r"https://github\.com/(?:user-attachments|[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100})/files/\d{1,20}/[^\s()<>\"'\]]{1,255}"


class Log(NamedTuple):
    """One text of an attachment; `name` is a file's name, behind the archive's where it was in one."""

    name: str
    text: str


class Attachment(NamedTuple):
    """`why` says in a sentence what could not be read, "" where all of it was."""

    url: str
    name: str
    logs: tuple[Log, ...] = ()
    why: str = ""


def links(text: str) -> tuple[str, ...]:
    """Addresses of logs that a post attaches, in order and each once: outside its code and quotes, which are
    somebody else's."""
    found = [m for m in linear(_LINK).finditer(text[: 1 << 20]) if _name(m.group()).lower().endswith(_READ)]
    if not found:
        return ()
    aside = stretches(text)
    own = [m.group() for m in found if not any(s.start <= m.start() < s.end for s in aside)]
    return tuple(dict.fromkeys(own))[:MAX_ATTACHMENTS]


def read_attachment(url: str, policy: Policy, *, address: Callable[[str], str] = str) -> Attachment:
    """The texts of one attachment. `address` says where an address of GitHub's is asked, for an installation behind a
    mirror. Never raises for what the other side does: that is `why`."""
    name = _name(url)
    client = Client(policy, Budget(MAX_BYTES, 10, SECONDS))
    try:
        data = _fetch(client, address(url))
    except SourceError as error:
        return Attachment(url, name, why=f"{name} could not be fetched: {error}")
    finally:
        client.close()
    if name.lower().endswith(".zip"):
        return _unpacked(url, name, data)
    try:
        return Attachment(url, name, (Log(name, decode(data)),))
    except NotText as error:
        return Attachment(url, name, why=f"{name} is {error}")


def _fetch(client: Client, url: str) -> bytes:
    response = client.get(url, {})
    try:
        if response.status_code != 200:
            raise SourceError(f"the server answers {response.status_code}", name=url)
        parts: list[bytes] = []
        size = 0
        for part in response.iter_raw():
            size += len(part)
            if size > MAX_BYTES:
                raise SourceError(f"it is larger than {MAX_BYTES // MIB} MiB", name=url)
            parts.append(part)
        return b"".join(parts)
    finally:
        response.close()


def _unpacked(url: str, name: str, data: bytes) -> Attachment:
    """The logs inside an archive, read up to the caps whatever its directory claims."""
    logs: list[Log] = []
    left_out: list[str] = []
    members: list[zipfile.ZipInfo] = []
    room = MAX_TEXT
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            named = [m for m in archive.infolist() if not m.is_dir() and m.filename.lower().endswith(_TEXTS)]
            # other methods are unpacked whole before any of it can be counted
            members = [m for m in named if m.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
            left_out += [f"{len(named) - len(members)} files are packed in a way that is not read"] * (members != named)
            for member in members[:MAX_MEMBERS]:
                inside = basename(member.filename.replace("\\", "/"))[:100]
                with archive.open(member) as file:
                    raw = file.read(room + 1)
                if len(raw) > room:
                    left_out.append(f"{inside} is larger than {MAX_TEXT // MIB} MiB")
                    continue
                room -= len(raw)
                try:
                    logs.append(Log(f"{name}/{inside}", decode(raw)))
                except NotText as error:
                    left_out.append(f"{inside} is {error}")
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        # encrypted, damaged, or packed in a way that is not read
        left_out.append(f"it cannot be unpacked: {' '.join(str(error).split())[:100]}")
    if not logs and not left_out:
        left_out.append("it holds no .txt or .log")
    if len(members) > MAX_MEMBERS:
        left_out.append(f"only the first {MAX_MEMBERS} of {len(members)} files were read")
    return Attachment(url, name, tuple(logs), f"{name}: {'; '.join(left_out)}" if left_out else "")


def _name(url: str) -> str:
    return unquote(basename(urlsplit(url).path))[:100]
