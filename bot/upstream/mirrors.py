"""Bare blobless mirrors of repositories, kept in the caller's cache folder and brought up to date over the network.

Time and disk are bounded: a remote that hangs is ended, one that floods is ended and what it sent is thrown away.
Only https is spoken, `file` for a path that the caller gave, and what a server on this computer speaks.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from bot import config
from bot.upstream.git import GitFailed, end_all, environment, find_git, run_bounded
from signatures.linear import linear

PATIENCE = 300.0  # seconds for one fetch
LARGEST = 4 << 30  # bytes of one mirror
_SLOWEST = 1000  # bytes a second, below which a transfer counts as hanging
_HANGING = 30  # seconds below that
_HERE = ("127.0.0.1", "localhost", "::1")
_CONTENTS_A_FETCH = 2000
_REPO = r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$"
_SPECS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+refs/pull/*/head:refs/pull/*/head")
Tick = Callable[[str], None]


def mirror_folder(repo: str) -> str | None:
    """Where the mirror of owner/repo is kept; None where this computer names no cache folder."""
    folder = config.cache_folder()
    if folder is None or not linear(_REPO).match(repo) or ".." in repo:
        return None
    return os.path.join(folder, "mirrors", repo.replace("/", "+"))


def kept_mirrors(repos: tuple[str, ...]) -> dict[str, str]:
    """The repositories of which a mirror is kept."""
    folders = {repo: mirror_folder(repo) for repo in repos}
    return {repo: path for repo, path in folders.items() if path is not None and os.path.isdir(path)}


def refresh(
    repo: str,
    url: str | None = None,
    *,
    patience: float = PATIENCE,
    largest: int = LARGEST,
    tick: Tick = lambda words: None,
) -> str:
    """Bring the mirror of owner/repo up to date, making it where there is none; gives its folder.

    Branches and tags that are gone upstream are kept. Raises GitFailed with a sentence where the remote cannot be
    reached, hangs, or sends more than `largest` bytes; an existing mirror then stays as it was.
    """
    path = mirror_folder(repo)
    if path is None:
        raise GitFailed("there is no cache folder to keep a mirror in; TRIAGE_CACHE_DIR names one")
    remote = url or f"{config.github_server()}/{repo}.git"
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if os.path.isdir(path):
        _git(path, "config", "remote.origin.url", remote)  # which may have moved
        _fetch(path, remote, repo, patience, largest, tick)
        return path
    draft = tempfile.mkdtemp(prefix=".new-", dir=os.path.dirname(path))
    try:
        _lay_out(draft, remote)
        _fetch(draft, remote, repo, patience, largest, tick)
        os.replace(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return path


def bring(repo: str, objects: Iterable[str], *, patience: float = PATIENCE, largest: int = LARGEST) -> None:
    """Fetch these contents into the mirror of owner/repo, which a blobless fetch leaves out. Raises GitFailed."""
    path = mirror_folder(repo)
    if path is None or not os.path.isdir(path):
        raise GitFailed(f"there is no mirror of {repo}")
    remote = _git(path, "config", "remote.origin.url").strip()
    asked = list(dict.fromkeys(objects))
    for at in range(0, len(asked), _CONTENTS_A_FETCH):
        given = "\n".join(asked[at : at + _CONTENTS_A_FETCH]).encode() + b"\n"
        words = ("-c", "fetch.negotiationAlgorithm=noop", *_options(remote), "fetch", "--quiet", "--no-tags")
        words += ("--no-write-fetch-head", "--no-auto-maintenance", "--filter=blob:none", "--stdin", "origin")
        _run(path, words, given, remote, repo, patience, largest, lambda said: None)


def _lay_out(path: str, remote: str) -> None:
    """An empty mirror that promises its missing contents from the remote."""
    _git(path, "init", "--quiet", "--bare", "--initial-branch=main", ".")
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", remote),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialCloneFilter", "blob:none"),
    ):
        _git(path, "config", key, value)


def _scheme(remote: str) -> str:
    """The one protocol that is spoken: https, `file` for a path that was given, others on this computer alone."""
    parts = urlsplit(remote)
    if parts.scheme == "file" or (parts.scheme in ("http", "git") and parts.hostname in _HERE):
        return parts.scheme
    return "https"


def _options(remote: str) -> tuple[str, ...]:
    scheme = _scheme(remote)
    settings = (
        "protocol.allow=never",
        f"protocol.{scheme}.allow=always",
        "core.hooksPath=/dev/null",
        "credential.helper=",
        "gc.auto=0",
        "maintenance.auto=false",
        f"http.lowSpeedLimit={_SLOWEST}",
        f"http.lowSpeedTime={_HANGING}",
        "http.followRedirects=initial",
    )
    return tuple(word for setting in settings for word in ("-c", setting))


def _fetch(path: str, remote: str, repo: str, patience: float, largest: int, tick: Tick) -> None:
    """Fetch what is new, watching the clock and the disk."""
    words = (*_options(remote), "fetch", "--quiet", "--no-auto-maintenance", "--no-write-fetch-head")
    words += ("--no-tags", "--filter=blob:none", "origin", *_SPECS)
    _run(path, words, b"", remote, repo, patience, largest, tick)
    head = _default_branch(path, remote)
    if head:
        _git(path, "symbolic-ref", "HEAD", head)


def _run(
    path: str, words: tuple[str, ...], given: bytes, remote: str, repo: str, patience: float, largest: int, tick: Tick
) -> None:
    """Run git over the network in a mirror; raises GitFailed after removing what it left half done."""
    before = _size(path)
    with tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as asked:
        asked.write(given)
        asked.seek(0)
        process = subprocess.Popen(  # noqa: S603 - git, with arguments made here
            [find_git(), *words],
            cwd=path,
            env=environment(path),
            stdin=asked,
            stdout=subprocess.DEVNULL,
            stderr=err,
            start_new_session=True,
        )
        problem = _watched(process, path, repo, before, patience, largest, tick)
        if problem or process.returncode:
            _drop_unfinished(path)
            err.seek(0)
            raise GitFailed(problem or _reason(err.read(4000), remote))


def _watched(
    process: subprocess.Popen[bytes], path: str, repo: str, before: int, patience: float, largest: int, tick: Tick
) -> str:
    """Wait for a fetch; "" where it ended by itself, else why it was ended."""
    start = time.monotonic()
    try:
        while True:
            try:
                process.wait(0.25)
                return ""
            except subprocess.TimeoutExpired:
                size = _size(path)
            tick(f"fetching {repo}: {(size - before) >> 20} MiB")
            if size > largest:
                end_all(process)
                return f"{repo} is larger than the {largest >> 20} MiB that a mirror may have; nothing was kept"
            if time.monotonic() - start > patience:
                end_all(process)
                return f"fetching {repo} took longer than {patience:.0f} seconds and was ended"
    except BaseException:
        end_all(process)
        raise


def _size(path: str) -> int:
    total = 0
    for where, _, files in os.walk(path):
        for file in files:
            try:
                total += os.lstat(os.path.join(where, file)).st_size
            except OSError:  # git has moved it on meanwhile
                continue
    return total


def _drop_unfinished(path: str) -> None:
    """Remove what an ended fetch left half done, so that it does not add up."""
    pack = os.path.join(path, "objects", "pack")
    for folder in (pack, os.path.join(path, "objects")):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            full = os.path.join(folder, name)
            if name.startswith("tmp_") and os.path.isfile(full):
                os.unlink(full)
            elif name.startswith("tmp_objdir"):
                shutil.rmtree(full, ignore_errors=True)


def _default_branch(path: str, remote: str) -> str | None:
    try:
        text = _git(path, *_options(remote), "ls-remote", "--symref", "origin", "HEAD")
    except GitFailed:
        return None
    found = linear(r"^ref: (refs/heads/[\w./+-]+)\s+HEAD").match(text)
    return found.group(1) if found else None


def _git(path: str, *arguments: str) -> str:
    command = [find_git(), "-C", path, *arguments]
    return run_bounded(command, environment(path), b"", 60.0).decode("utf-8", "replace")


def _reason(said: bytes, remote: str) -> str:
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal:")]
    return f"{remote} cannot be fetched: {(telling or lines or ['git gave no reason'])[0]}"
