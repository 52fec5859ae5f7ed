"""Which files of a folder are looked at: their names, capped, and what of it cannot be looked into.

What runtimes open comes first where the cap bites. Nothing is opened here, and no link to a folder is followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from signatures.artifact import archives
from signatures.artifact.source import SourceError

MAX_LISTED = 20_000
MAX_WALKED = 200_000
MAX_SKIPPED = 100
GENAI_CONFIG = "genai_config.json"
MODELS = (".onnx", ".litertlm", ".tflite", ".gguf", ".ort", ".safetensors")
DATA = (".data", ".onnx_data", ".bin")

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Listing(NamedTuple):
    """`cut`: a sentence where not all files are in `names`. `overlooked`: a file of a kind that is checked may be among
    the others. `skipped`: (name, what it is) of what has such a name and is no file, and of folders not looked into."""

    names: tuple[str, ...]
    cut: str | None = None
    overlooked: bool = False
    skipped: tuple[tuple[str, str], ...] = ()


def is_checked(name: str) -> bool:
    """Whether a file of this name is of a kind that some check opens."""
    return _rank(name) < 2


def _rank(name: str) -> int:
    lowered = name.lower()
    if lowered.endswith((*MODELS, *archives.SUFFIXES, ".dll")) or name.rpartition("/")[2] == GENAI_CONFIG:
        return 0
    return 1 if lowered.endswith(DATA) else 2


def kept(names: Iterable[str], *, more: bool = False) -> Listing:
    """As many as are listed. `more`: there are further names that were not looked at."""
    listed = tuple(names)
    if len(listed) <= MAX_LISTED and not more:
        return Listing(listed)
    ranked = sorted(listed, key=_rank)
    overlooked = more or is_checked(ranked[MAX_LISTED])
    count = MAX_WALKED if more else MAX_LISTED
    rest = "models may be missing in it" if overlooked else "all models and configurations are in it"
    return Listing(tuple(ranked[:MAX_LISTED]), f"more than {count} files, the listing was cut; {rest}", overlooked)


def walked(root: str) -> Listing:
    """All files below a local folder. Raises SourceError where it cannot be listed."""
    skipped: list[tuple[str, str]] = []
    names: list[str] = []
    more = False
    for name in _walk(root, skipped):
        if len(names) >= MAX_WALKED:
            more = True
            break
        names.append(name)
    return kept(names, more=more)._replace(skipped=tuple(skipped[:MAX_SKIPPED]))


def _walk(root: str, skipped: list[tuple[str, str]]) -> Iterator[str]:
    real = os.path.realpath(root)

    def failed(error: OSError) -> None:
        if error.filename is None or os.path.realpath(error.filename) == real:
            raise SourceError(f"cannot be listed: {error.strerror}", name=root) from error
        inside = os.path.relpath(error.filename, root).replace(os.sep, "/")
        skipped.append((inside, f"a folder that cannot be listed: {error.strerror}"))

    for folder, below, names in os.walk(root, onerror=failed):
        below.sort()
        inside = os.path.relpath(folder, root)
        prefix = "" if inside == "." else inside.replace(os.sep, "/") + "/"
        for name in below:
            if name == GENAI_CONFIG:
                skipped.append((prefix + name, "a folder"))
            elif os.path.islink(path := os.path.join(folder, name)) and not _inside(os.path.realpath(path), real):
                skipped.append((prefix + name, "a link to a folder elsewhere"))
        for name in sorted(names):
            what = not_a_file(os.path.join(folder, name))  # a pipe or device would be read for ever
            if what is None:
                yield prefix + name
            elif is_checked(name):
                skipped.append((prefix + name, what))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def neighbours(folder: str) -> list[str]:
    """Names of the files in a folder, as many as are listed and one more. Raises SourceError."""
    try:
        with os.scandir(folder) as found:
            return [item.name for item in found if _is_file(item)][: MAX_LISTED + 1]
    except OSError as error:
        raise SourceError(f"cannot be listed: {error.strerror}", name=folder) from error


def _is_file(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_file()
    except OSError:  # a link that leads to itself
        return False


def not_a_file(path: str) -> str | None:
    """What stands at a path, in words; None for a file."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "a link that leads to itself"
        if error.errno in (errno.ENOENT, errno.ENOTDIR) and os.path.islink(path):
            return "a link to something that is not there"
        return f"not accessible: {error.strerror}"
    if stat.S_ISREG(mode):
        return None
    return next((words for test, words in _KINDS if test(mode)), "no ordinary file")
