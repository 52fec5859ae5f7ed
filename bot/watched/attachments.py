"""Logs attached to an issue: found by their links, fetched with caps, read as texts.

GitHub keeps attachments under two kinds of address and answers with a redirect to its file host; what an address holds
never changes. What cannot be read is said, with the reason; nothing is unpacked to a disk. Of a long log an excerpt is
kept: what reading an issue costs does not depend on what somebody attaches to it.
"""

from __future__ import annotations

import io
import sys
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable
from posixpath import basename
from threading import Lock
from time import sleep
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from bot.fetch.budget import Budget
from bot.fetch.client import PASSES, Client, Dropped
from bot.fetch.guard import ForNow, Policy, Refused
from bot.watched.excerpts import excerpt, shares
from signatures.artifact.source import LimitReached, SourceError
from signatures.extract.markdown import stretches
from signatures.linear import linear
from signatures.text import NotText

MIB = 1024 * 1024
MAX_ATTACHMENTS = 5  # of one post
MAX_BYTES = 20 * MIB  # of one attachment, as it is sent
MAX_TEXT = 20 * MIB  # of what one attachment holds, unpacked
MAX_MEMBERS = 20
SECONDS = 30.0
MAX_READ = 3 * MIB // 2  # of one attachment, what is kept as text
MAX_KEPT = 32 * MIB  # of attachments that are remembered, in memory
MAX_DIRECTORY = MIB  # bytes of an archive's list of what it holds

_TEXTS = (".txt", ".log")
_ARCHIVES = (".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".zst", ".7z", ".rar")
_NAMED = (*_TEXTS, *_ARCHIVES)
_PAUSES = (1.0, 4.0)  # seconds before another try
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
# marks that stand behind an address in a sentence, a list or a table are none of it; GitHub's names hold few
_LINK = (
    r"https://github\.com/(?:user-attachments|[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100})/files/\d{1,20}/"
    r"[\pL\pN\pM~+=$^%!#&./\\@_?:-]{1,255}"
)
_BEHIND = "~+=$^!#&.@_?:-"
_DECODED = 3  # times that a path is read behind percent signs


class Log(NamedTuple):
    """One text of an attachment; `name` is a file's name, behind the archive's where it was in one. `gaps` are those of
    a Post."""

    name: str
    text: str
    gaps: tuple[tuple[int, int], ...] = ()


class Attachment(NamedTuple):
    """`why` says in a sentence what could not be read, "" where all of it was. `fetched`: whether its bytes came;
    `for_now`: whether they did not because the network or the server was in trouble. `size`: bytes that were sent, and
    what they unpacked to."""

    url: str
    name: str
    logs: tuple[Log, ...] = ()
    why: str = ""
    fetched: bool = True
    for_now: bool = False
    size: int = 0

    @property
    def excerpts(self) -> tuple[str, ...]:
        """The names of the logs that are not read whole."""
        return tuple(log.name for log in self.logs if log.gaps)


def links(text: str) -> tuple[str, ...]:
    """Addresses of logs and archives that a post attaches, in order and each once: outside its code and quotes, which
    are somebody else's."""
    found = [(m.start(), m.group().rstrip(_BEHIND)) for m in linear(_LINK).finditer(text[: 1 << 20])]
    found = [(at, url) for at, url in found if _name(url).lower().endswith(_NAMED)]
    if not found:
        return ()
    aside = stretches(text)
    own = [url for at, url in found if not any(s.start <= at < s.end for s in aside)]
    return tuple(dict.fromkeys(own))[:MAX_ATTACHMENTS]


class Remembering:
    """Reads attachments, each address once while it is among the last `most` bytes of memory. What did not come is
    asked for again."""

    def __init__(self, read: Callable[[str], Attachment], most: int = MAX_KEPT) -> None:
        self._read = read
        self._most = most
        self._kept: OrderedDict[str, Attachment] = OrderedDict()
        self._at_work = Lock()

    def __call__(self, url: str) -> Attachment:
        with self._at_work:
            held = self._kept.get(url)
            if held is not None:
                self._kept.move_to_end(url)
                return held
        found = self._read(url)
        with self._at_work:
            if found.fetched and _size(found) <= self._most:
                self._kept[url] = found
                while sum(map(_size, self._kept.values())) > self._most:
                    self._kept.popitem(last=False)
        return found


def _size(found: Attachment) -> int:
    return sum(sys.getsizeof(log.text) for log in found.logs) + 1000


def read_attachment(
    url: str,
    policy: Policy,
    *,
    address: Callable[[str], str] = str,
    pause: Callable[[float], None] = sleep,
) -> Attachment:
    """The texts of one attachment; a server in trouble is asked three times. `address` says where an address of
    GitHub's is asked, for an installation behind a mirror. Never raises for what the other side does: that is `why`."""
    name = _name(url)
    low = name.lower()
    if not _is_an_attachment(url):
        return Attachment(url, name, why=f"{name} is not read, since its address leads elsewhere than to an attachment")
    if low.endswith(_ARCHIVES) and not low.endswith(".zip"):
        return Attachment(url, name, why=f"{name} is packed in a way that is not read; .log, .txt and .zip are")
    arrived = 0
    for seconds in (*_PAUSES, None):
        client = Client(policy, Budget(MAX_BYTES + MIB, 10, SECONDS))  # with room for headers
        try:
            data = _fetch(client, address(url))
            break
        except SourceError as error:
            arrived += client.budget.bytes
            in_trouble = isinstance(error, ForNow) or bool(client.budget.trouble)
            if not in_trouble or seconds is None:
                why = f"{name} could not be fetched: {_in_words(error, client.budget)}"
                return Attachment(url, name, why=why, fetched=False, for_now=in_trouble, size=arrived)
        finally:
            client.close()
        pause(seconds)
    if low.endswith(".zip"):
        return _unpacked(url, name, data)
    logs, left_out = _logs([(name, data)], "")
    return Attachment(url, name, logs, "; ".join(left_out), size=len(data))


def _logs(files: list[tuple[str, bytes]], inside: str) -> tuple[tuple[Log, ...], list[str]]:
    """The texts of files, as much of each as is read where they are many, and what is no text."""
    logs: list[Log] = []
    left_out: list[str] = []
    most = shares(tuple(len(raw) for _, raw in files), MAX_READ)
    for (name, raw), share in zip(files, most, strict=True):
        try:
            logs.append(Log(inside + name, *excerpt(raw, share)))
        except NotText as error:
            left_out.append(f"{name} is {error}")
    return tuple(logs), left_out


def _in_words(error: SourceError, budget: Budget) -> str:
    """What a reader of the issue is told, who has none of the operator's options."""
    if isinstance(error, Refused):
        return "its address leads to a place that is not read"
    if isinstance(error, LimitReached):
        return f"it {budget.trouble}" if budget.trouble else f"it is larger than {MAX_BYTES // MIB} MiB"
    return "the connection failed" if isinstance(error, Dropped) else str(error)


def _is_an_attachment(url: str) -> bool:
    """Whether an address names one file where GitHub keeps attachments, however its path is read."""
    path = urlsplit(url).path
    for _ in range(_DECODED):
        path = unquote(path)
    first, *steps = path.split("/")
    length = 4 if steps[:1] == ["user-attachments"] else 5
    return not first and len(steps) == length and not {"", ".", ".."}.intersection(steps) and "\\" not in path


def _fetch(client: Client, url: str) -> bytes:
    response = client.get(url, {})
    try:
        if response.status_code != 200:
            kind = ForNow if response.status_code in PASSES else SourceError
            raise kind(f"the server answers {response.status_code}", name=url)
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
    files: list[tuple[str, bytes]] = []
    left_out: list[str] = []
    try:
        if _lists_too_much(data):
            raise zipfile.BadZipFile("its list of files is too long")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members, left_out = _chosen(archive)
            room = MAX_TEXT
            for member in members:
                inside = basename(member.filename.replace("\\", "/"))[:100]
                try:
                    raw = _member(archive, member, room)
                    room -= len(raw)
                    files.append((inside, raw))
                except _TooLarge:
                    left_out.append(f"{inside} is larger than {MAX_TEXT // MIB} MiB, or all of them are")
                except _DAMAGE as error:
                    left_out.append(f"{inside} cannot be unpacked: {_short(error)}")
    except _DAMAGE as error:
        left_out = [f"it cannot be unpacked: {_short(error)}"]
    unpacked = sum(len(raw) for _, raw in files)
    logs, no_text = _logs(files, f"{name}/")
    left_out += no_text
    if not logs and not left_out:
        left_out.append("it holds no .txt or .log")
    why = f"{name}: {'; '.join(left_out)}" if left_out else ""
    return Attachment(url, name, logs, why, size=len(data) + unpacked)


# what zipfile and zlib raise for archives that are damaged, encrypted, or packed in a way that they do not know
_DAMAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


class _TooLarge(Exception):
    """More than is read of one archive."""


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:100]


def _lists_too_much(data: bytes) -> bool:
    """Whether an archive's directory is larger than MAX_DIRECTORY by its own word, or of the kind for huge archives: it
    would be taken in whole. APPNOTE.TXT 4.3.16; a comment of up to 64 KiB may follow the record."""
    tail = data[-(22 + 65_535) :]
    at = tail.find(_END)
    while at >= 0:
        if int.from_bytes(tail[at + 12 : at + 16], "little") > MAX_DIRECTORY or tail[max(0, at - 20) :].startswith(
            _END_64
        ):
            return True
        at = tail.find(_END, at + 1)
    return False


def _chosen(archive: zipfile.ZipFile) -> tuple[list[zipfile.ZipInfo], list[str]]:
    """The logs of an archive that can be read, and what is left out. Methods other than these two are unpacked whole
    before any of it can be counted."""
    files = [m for m in archive.infolist() if not m.is_dir()]
    named = [m for m in files if m.filename.lower().endswith(_TEXTS)]
    locked = [m for m in named if m.flag_bits & 1]
    packed = [m for m in named if m.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) and m not in locked]
    members = [m for m in named if m not in locked and m not in packed]
    nested = [m for m in files if m.filename.lower().endswith(_ARCHIVES)]
    left_out = [
        words
        for found, words in (
            (locked, f"{_files(locked)} encrypted"),
            (packed, f"{_files(packed)} packed in a way that is not read"),
            (nested, f"{_files(nested)} packed once more and not opened"),
        )
        if found
    ]
    if len(members) > MAX_MEMBERS:
        left_out.append(f"only the first {MAX_MEMBERS} of {len(members)} files were read")
    return members[:MAX_MEMBERS], left_out


def _files(found: list[zipfile.ZipInfo]) -> str:
    return "1 file is" if len(found) == 1 else f"{len(found)} files are"


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int) -> bytes:
    """Raises _TooLarge for one that is larger than what is left of the cap."""
    with archive.open(member) as file:
        raw = file.read(room + 1)
    if len(raw) > room:
        raise _TooLarge
    return raw


def _name(url: str) -> str:
    return unquote(basename(urlsplit(url).path))[:100]
