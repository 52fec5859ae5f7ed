"""The file that keeps compiled knowledge between runs: found by the folders it was made from, trusted by their state.

It is read only where its owner is the caller and nobody else can write it, since marshalled data is trusted like code;
importing json instead would cost a lookup more than its answer does. Every failure to read or write the file is
answered with "there is none".
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
from binascii import crc32

import kb
import signatures
from bot import config
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# what marshal writes differs between interpreters
MAGIC = f"triage known 4 {sys.implementation.cache_tag}\n".encode()
_LARGEST = 64 * 1024 * 1024
_PARTS = ("signatures", "problems", "products")  # what a layer is made of, beside its observed.toml

State = list[list[object]]


def load(layers: tuple[str, ...], snapshot: str | None = None) -> dict[str, Any] | None:
    """What `store` kept for these folders and this snapshot, where none of their files changed since."""
    path = _path(layers, snapshot)
    if path is None:
        return None
    try:
        data = _read(path)
        if isinstance(data, dict) and data.get("state") == _state(layers, snapshot):
            compiled = data.get("compiled")
            return compiled if isinstance(compiled, dict) else None
    except (OSError, ValueError, EOFError, TypeError):
        pass  # the next lines of the caller read the files themselves
    return None


def store(layers: tuple[str, ...], compiled: dict[str, Any], snapshot: str | None = None) -> None:
    """Keep `compiled`, readable by its owner only, in one step; do nothing where that cannot be done."""
    path = _path(layers, snapshot)
    if path is None:
        return
    import json

    # through JSON, since marshal takes no enumerations
    draft = f"{path}.{os.getpid()}"
    try:
        body = marshal.dumps({"state": _state(layers, snapshot), "compiled": json.loads(json.dumps(compiled))})
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(file, "wb") as f:
                f.write(MAGIC + crc32(body).to_bytes(4, "big") + body)
            os.replace(draft, path)
        except OSError:
            os.unlink(draft)
    except OSError:
        return


def _path(layers: tuple[str, ...], snapshot: str | None) -> str | None:
    folder = config.cache_folder()
    if folder is None:
        return None
    # the name only keeps sets of folders apart; what may be used is decided by the state inside
    name = crc32("\0".join((*_shipped(), *layers, snapshot or "")).encode("utf-8", "surrogateescape"))
    return os.path.join(folder, f"known-{name:08x}.bin")


def _read(path: str) -> object:
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(file, "rb") as f:
        about = os.fstat(f.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST:
            return None
        if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & 0o022):
            return None
        data = f.read()
    start = len(MAGIC) + 4
    if not data.startswith(MAGIC) or crc32(data[start:]).to_bytes(4, "big") != data[len(MAGIC) : start]:
        return None
    return marshal.loads(data[start:])  # noqa: S302 - written by this program, for this user alone


def _shipped() -> tuple[str, ...]:
    return tuple(os.path.dirname(os.path.abspath(p.__file__ or "")) for p in (signatures, kb))


def _state(layers: tuple[str, ...], snapshot: str | None) -> State:
    """Path, size and time of every file that the compiled form depends on, this program's own code included."""
    state: State = []
    for folder in _shipped():
        if os.path.exists(os.path.join(os.path.dirname(folder), "pyproject.toml")):
            _scan(folder, (".toml", ".py"), state)
        else:
            # installed: an installer replaces every file at once, so one tells of all
            about = os.stat(os.path.join(folder, "__init__.py"))
            state.append([folder, about.st_ino, about.st_mtime_ns])
    for folder in layers:
        _scan(folder, (".toml",), state, parts=_PARTS)
    if snapshot is not None:
        try:
            about = os.stat(snapshot)
        except OSError:  # nothing newer is known
            return state
        state.append([snapshot, about.st_size, about.st_mtime_ns])
    return state


def _scan(folder: str, endings: tuple[str, ...], state: State, parts: tuple[str, ...] = ()) -> None:
    """Every file below `folder` with one of these endings; of the folders in it only `parts`, where given.

    Links to folders are not followed, as they may lead back up.
    """
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.name.endswith(endings):
                about = entry.stat()
                state.append([entry.path, about.st_size, about.st_mtime_ns])
                continue
            wanted = entry.name in parts if parts else not entry.name.startswith((".", "__"))
            if wanted and entry.is_dir(follow_symlinks=False):
                _scan(entry.path, endings, state)
