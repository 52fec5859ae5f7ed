"""Where a path beside a model leads: to a file of the package, to a folder, to nothing, or out of the model's folder.

Of a local artifact the file system is asked, as the runtimes do: links are followed and `..` is taken where they lead.
Nothing outside the model's folder is looked at. Of any other artifact the listing is all there is.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

FILE, FOLDER, MISSING, OUTSIDE, UNKNOWN = "file", "folder", "missing", "outside", "unknown"
HUB_FOLDER = "models--"  # of one model in the cache of Hugging Face's client
MAX_PART = 255  # bytes of one name on the file systems that matter


class Place(NamedTuple):
    """`kind` is one of the words above; `name` the package's own name for a file; `size` in bytes where known.
    `why`: an errno for what is missing. `linked`: a symbolic link led out, not the path itself; `is_link`: the last
    part of the path is one. `in_hub`: what is outside is still in the hub cache's folder of the same model. `through`:
    a part on the way is missing, though the whole path, taken without looking, leads to something."""

    kind: str
    name: str | None = None
    size: int | None = None
    why: int | None = None
    linked: bool = False
    is_link: bool = False
    in_hub: bool = False
    through: bool = False


def on_disk(root: str, model: str, location: str) -> Place:
    """Where `location` leads from the folder of `model`, a name below the folder `root`."""
    base = os.path.join(root, *model.split("/")[:-1])
    path = os.path.join(base, location)
    if any(len(part.encode("utf-8", "surrogateescape")) > MAX_PART for part in location.split("/")):
        return Place(MISSING, why=errno.ENAMETOOLONG)
    try:
        real = os.path.realpath(path)
        allowed = [os.path.realpath(base), os.path.dirname(os.path.realpath(os.path.join(root, *model.split("/"))))]
    except (OSError, ValueError):
        return Place(UNKNOWN)
    if not any(_inside(real, folder) for folder in allowed):
        plain = _inside(os.path.normpath(path), os.path.normpath(base)) and not os.path.isabs(location)
        hub = _hub(base)
        return Place(OUTSIDE, linked=plain, is_link=os.path.islink(path), in_hub=hub is not None and _inside(real, hub))
    try:
        found = os.stat(path)
    except OSError as error:
        through = error.errno in (errno.ENOENT, errno.ENOTDIR) and os.path.lexists(real) and not os.path.islink(path)
        return Place(MISSING, why=error.errno, through=through and "/.." in location)
    if stat.S_ISDIR(found.st_mode):
        return Place(FOLDER)
    if not stat.S_ISREG(found.st_mode):
        return Place(UNKNOWN)
    inside = os.path.relpath(real, os.path.realpath(root))
    given = os.path.relpath(os.path.normpath(path), root)
    name = next((name for name in (given, inside) if not name.startswith(os.pardir)), None)
    return Place(FILE, name.replace(os.sep, "/") if name else None, found.st_size, is_link=os.path.islink(path))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _hub(base: str) -> str | None:
    parts = os.path.abspath(base).split(os.sep)
    at = next((i for i, part in enumerate(parts) if part.startswith(HUB_FOLDER)), None)
    if at is None or parts[at + 1 : at + 2] != ["snapshots"]:
        return None
    return os.path.realpath(os.sep.join(parts[: at + 1]))


def folders(names: Iterable[str]) -> frozenset[str]:
    """Every folder that holds a listed name."""
    return frozenset(name[:at] for name in names for at, letter in enumerate(name) if letter == "/")


def in_listing(sizes: dict[str, int | None], known: frozenset[str], model: str, location: str) -> Place:
    """The same from listed names alone, all of the package; `known` are its `folders`. A path that climbs out of the
    package and has enough parts to come back into it by folder names that are not known here is UNKNOWN."""
    if location.startswith("/"):
        return Place(OUTSIDE)
    home = model.split("/")[:-1]
    at = list(home)
    above = 0  # levels over the top of the package
    missing: int | None = None
    parts = location.split("/")
    for part in parts:
        here = "/".join(at)
        if above == 0 and part and at and here not in known and at != home:
            missing = missing or (errno.ENOTDIR if here in sizes else errno.ENOENT)
        if part in ("", "."):
            continue
        if part != "..":
            at.append(part)
        elif at:
            at.pop()
        else:
            above += 1
    if above:
        return Place(OUTSIDE) if len(at) < above + len(home) + 1 else Place(UNKNOWN)
    if at[: len(home)] != home:
        return Place(OUTSIDE)
    name = "/".join(at)
    if missing is not None or (parts[-1] in ("", ".") and name in sizes):
        through = missing is not None and (name in sizes or name in known or at == home)
        return Place(MISSING, why=missing or errno.ENOTDIR, through=through)
    if name in sizes:
        return Place(FILE, name, sizes[name])
    return Place(FOLDER) if at == home or name in known else Place(MISSING, name, why=errno.ENOENT)
