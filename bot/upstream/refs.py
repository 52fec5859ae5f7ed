"""The refs of a git folder, read as the files they are, without asking git to open the folder.

https://git-scm.com/docs/gitrepository-layout ; the newer `reftable` store and shallow clones are refused with a reason,
since half a history would look like a fix that is missing.
"""

from __future__ import annotations

import os

from bot.errors import InputError
from signatures.linear import linear
from signatures.values import NamedTuple

_SHA = r"^[0-9a-f]{40}$"
# what git itself would refuse, and everything that is no plain word of a ref
_NAME = r"^refs/[A-Za-z0-9_./+@#=,!~$%&'()^-]+$"
_UPSTREAM = "refs/remotes/origin/"
_MOST = 500_000
_LARGEST = 256 << 20  # bytes of packed-refs


class Refs(NamedTuple):
    """Refs as the upstream repository has them, whether this is its mirror or somebody's clone of it."""

    named: dict[str, str]  # full name -> object, a tag object for an annotated tag
    main: str  # the name of the main branch
    origin: str | None  # where it was cloned from, as its configuration says


def find_git_folder(path: str) -> str:
    """The folder with the objects: of a bare repository, a clone, or a linked work tree. Raises InputError."""
    here = os.path.abspath(path)
    if not os.path.isdir(here):
        raise InputError(f"{path!r} is no folder.")
    inner = os.path.join(here, ".git")
    if os.path.isfile(inner):
        here = _follow(inner, here)
    elif os.path.isdir(inner):
        here = inner
    shared = os.path.join(here, "commondir")
    if os.path.isfile(shared):
        with open(shared, encoding="utf-8") as f:
            here = os.path.normpath(os.path.join(here, f.readline().strip()))
    if not (os.path.isfile(os.path.join(here, "HEAD")) and os.path.isdir(os.path.join(here, "objects"))):
        raise InputError(f"{path!r} is no git repository: it has no HEAD and no objects.")
    if os.path.isdir(os.path.join(here, "reftable")):
        raise InputError(f"{path!r} keeps its refs as a reftable, which is not read yet; clone it again without.")
    shallow = os.path.join(here, "shallow")
    if os.path.isfile(shallow) and os.path.getsize(shallow):
        raise InputError(f"{path!r} is a shallow clone; `git fetch --unshallow` completes its history.")
    return here


def _follow(file: str, folder: str) -> str:
    with open(file, encoding="utf-8") as f:
        words = f.readline().strip()
    if not words.startswith("gitdir:"):
        raise InputError(f"{file!r} names no git folder.")
    return os.path.normpath(os.path.join(folder, words.removeprefix("gitdir:").strip()))


def read_refs(folder: str) -> Refs:
    """All refs of a git folder. In a clone, the branches of its origin stand for its own."""
    found: dict[str, str] = {}
    packed = os.path.join(folder, "packed-refs")
    if os.path.isfile(packed):
        if os.path.getsize(packed) > _LARGEST:
            raise InputError(f"{packed!r} is larger than {_LARGEST >> 20} MiB.")
        with open(packed, encoding="utf-8", errors="surrogateescape") as f:
            for line in f:
                sha, _, name = line.rstrip("\n").partition(" ")
                _add(found, name, sha)
    for where, _, files in os.walk(os.path.join(folder, "refs")):
        for file in files:
            full = os.path.join(where, file)
            if os.path.isfile(full):  # no pipe, which would never end
                with open(full, encoding="utf-8", errors="surrogateescape") as f:
                    _add(found, os.path.relpath(full, folder).replace(os.sep, "/"), f.readline(1000).strip())
    if len(found) > _MOST:
        raise InputError(f"{folder!r} has {len(found)} refs; more than {_MOST} are not read.")
    head = _symbolic(os.path.join(folder, "HEAD"))
    if any(name.startswith(_UPSTREAM) for name in found):
        head = _symbolic(os.path.join(folder, _UPSTREAM, "HEAD")) or head
        found = _as_upstream(found)
    main = _main(found, (head or "").removeprefix(_UPSTREAM).removeprefix("refs/heads/"))
    return Refs(found, main, _origin(os.path.join(folder, "config")))


def _add(found: dict[str, str], name: str, sha: str) -> None:
    if linear(_SHA).match(sha) and len(name) < 500 and linear(_NAME).match(name) and ".." not in name:
        found[name] = sha


def _as_upstream(found: dict[str, str]) -> dict[str, str]:
    kept = {name: sha for name, sha in found.items() if not name.startswith(("refs/heads/", "refs/remotes/"))}
    for name, sha in found.items():
        if name.startswith(_UPSTREAM):
            short = name.removeprefix(_UPSTREAM)
            number = short.removeprefix("pr/").removesuffix("/head")
            pull = short.startswith("pr/") and number.isascii() and number.isdigit()
            kept.setdefault(f"refs/pull/{number}/head" if pull else f"refs/heads/{short}", sha)
    return kept


def _symbolic(file: str) -> str | None:
    if not os.path.isfile(file):
        return None
    with open(file, encoding="utf-8", errors="surrogateescape") as f:
        line = f.readline(1000).strip()
    return line.removeprefix("ref:").strip() if line.startswith("ref:") else None


def _main(found: dict[str, str], head: str) -> str:
    for name in (head, "main", "master"):
        if name and f"refs/heads/{name}" in found:
            return name
    raise InputError("the repository has no main branch: its HEAD names none, and neither main nor master exists.")


def _origin(file: str) -> str | None:
    """The url of the remote `origin`, read as text; nothing else of a configuration is looked at."""
    if not os.path.isfile(file) or os.path.getsize(file) > 1_000_000:
        return None
    inside = False
    with open(file, encoding="utf-8", errors="replace") as f:
        for line in f:
            words = line.strip()
            if words.startswith("["):
                inside = words.replace(" ", "") == '[remote"origin"]'
            elif inside and words.partition("=")[0].strip().lower() == "url":
                return words.partition("=")[2].strip() or None
    return None
