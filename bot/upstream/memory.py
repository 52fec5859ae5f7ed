"""What was read of a repository, kept in the caller's cache folder, so that reading it again reads only what is new.

It is never needed: a missing, broken or foreign file means that everything is read again. What a commit changes never
changes, so its patch is kept; refs as they were are kept as well, which is how a tag that moved is noticed.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import Any

from bot import config
from bot.upstream.gather import Gathered
from bot.upstream.refs import Refs
from kb.graph.model import Commit, History, Manifested, Patch, Ref, Stated
from kb.model import Product

ENGINE = 5  # raised whenever the same repository would be read differently
_LARGEST = 512 * 1024 * 1024


def state_of(refs: Refs, repo: str, products: tuple[Product, ...]) -> str:
    """A digest of everything that reading a repository depends on."""
    mine = [[p.id, p.scheme, p.layouts] for p in products if p.repo == repo]
    made = sha256(json.dumps([ENGINE, refs.main, mine]).encode())
    for name in sorted(refs.named):
        made.update(f"{refs.named[name]} {name}\n".encode("utf-8", "surrogateescape"))
    return made.hexdigest()


def recall(repo: str, path: str) -> tuple[str, Gathered] | None:
    """(state, what was read then) of a repository, or None."""
    file = _file(repo, path)
    if file is None:
        return None
    try:
        if os.path.getsize(file) > _LARGEST:
            return None
        with open(file, encoding="utf-8") as f:
            data = json.load(f)
        return (str(data["state"]), _gathered(data)) if data["engine"] == ENGINE else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def remember(repo: str, path: str, state: str, gathered: Gathered) -> None:
    """Keep what was read, in one step; do nothing where that cannot be done."""
    file = _file(repo, path)
    if file is None:
        return
    draft = f"{file}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        with open(draft, "w", encoding="utf-8", errors="replace") as f:
            f.write(json.dumps(_plain(state, gathered), separators=(",", ":")))
        os.replace(draft, file)
    except OSError:
        if os.path.exists(draft):
            os.unlink(draft)


def _file(repo: str, path: str) -> str | None:
    folder = config.cache_folder()
    if folder is None:
        return None
    place = sha256(os.path.abspath(path).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return os.path.join(folder, "upstream", f"{repo.replace('/', '+')}.{place}.json")


def _plain(state: str, gathered: Gathered) -> dict[str, Any]:
    history = gathered.history
    patches = [
        (sha, sorted(p.touched), p.read, p.id, sorted(p.added), sorted(p.removed), p.marked, p.unmarked)
        for sha, p in history.patches
    ]
    return {
        "engine": ENGINE,
        "state": state,
        "history": history._replace(patches=()),
        "patches": patches,
        "manifests": gathered.manifests,
    }


def _gathered(data: dict[str, Any]) -> Gathered:
    repo, main, head, commits, tags, branches, pulls, stated, _, trees, wrote, earlier = data["history"]
    history = History(
        repo,
        main,
        head,
        tuple(Commit(sha, tuple(parents), *rest) for sha, parents, *rest in commits),
        tuple(map(Ref._make, tags)),
        tuple(map(Ref._make, branches)),
        tuple((int(n), sha) for n, sha in pulls),
        tuple(map(Stated._make, stated)),
        tuple(
            (sha, Patch(frozenset(files), read, id_, frozenset(added), frozenset(removed), tuple(came), tuple(went)))
            for sha, files, read, id_, added, removed, came, went in data["patches"]
        ),
        tuple((a, b) for a, b in trees),
        tuple((a, b) for a, b in wrote),
        tuple(map(Ref._make, earlier)),
    )
    return Gathered(history, tuple(map(Manifested._make, data["manifests"])))
