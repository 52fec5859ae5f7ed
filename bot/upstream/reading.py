"""Mirrors in, delivery graph out: which folder is which repository, what is read again, and what went wrong where.

One repository that cannot be read is named and the rest goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from bot.errors import InputError
from bot.upstream.gather import gather
from bot.upstream.git import Git, GitFailed
from bot.upstream.memory import recall, remember, state_of
from bot.upstream.refs import find_git_folder, read_refs
from kb.graph.model import History, Manifested, Ref
from kb.graph.published import ForgeFacts
from kb.graph.trace import Graph
from kb.model import Knowledge
from signatures.values import NamedTuple

Tick = Callable[[str], None]
_NO_FACTS = ForgeFacts()


class Read(NamedTuple):
    graph: Graph
    failed: tuple[str, ...]  # one sentence for each repository that could not be read


def read_graph(
    knowledge: Knowledge,
    mirrors: dict[str, str],
    tick: Tick = lambda words: None,
    bring: Callable[[str, list[str]], None] | None = None,
    facts: ForgeFacts = _NO_FACTS,
) -> Read:
    """The delivery graph over these mirrors (owner/repo -> folder) and what is recorded of all others.

    `bring` fetches contents that a mirror of owner/repo lacks; `facts` are what the forge says.
    """
    histories: dict[str, History] = {}
    manifests: tuple[Manifested, ...] = ()
    failed: list[str] = []
    for repo, path in mirrors.items():
        try:
            with Git(path) as git:
                history, said = _read(git, repo, path, knowledge, tick, bring)
        except (GitFailed, InputError, OSError) as e:
            failed.append(f"{repo} could not be read from {path}: {e}")
            continue
        histories[repo] = history
        manifests += said
    return Read(Graph(knowledge, histories, manifests, facts), tuple(failed))


def _read(
    git: Git,
    repo: str,
    path: str,
    knowledge: Knowledge,
    tick: Tick,
    bring: Callable[[str, list[str]], None] | None,
) -> tuple[History, tuple[Manifested, ...]]:
    state = state_of(git.refs, repo, knowledge.products)
    known = recall(repo, path)
    if known is not None and known[0] == state and bring is None:
        return known[1]
    earlier: tuple[Ref, ...] = ()
    patches = {}
    if known is not None:
        before = known[1].history
        earlier = tuple(dict.fromkeys((*before.tags, *before.branches, *before.earlier)))
        patches = dict(before.patches)
    gathered = gather(
        git,
        repo,
        knowledge.products,
        earlier=earlier,
        patches=patches,
        tick=tick,
        bring=partial(bring, repo) if bring is not None else None,
    )
    remember(repo, path, state, gathered)
    return gathered


def assign(given: list[str], repos: tuple[str, ...]) -> dict[str, str]:
    """Which repository each folder is: as given (owner/repo=DIR), else by its origin, else by its name.

    `repos` are those that may be meant. Raises InputError where a folder is none of them, or no repository.
    """
    found: dict[str, str] = {}
    for text in given:
        repo, path = _one(text, repos)
        if repo in found:
            raise InputError(f"both {found[repo]!r} and {path!r} are taken for {repo}; give one of them.")
        found[repo] = path
    return found


def _one(text: str, repos: tuple[str, ...]) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if equals and name.count("/") == 1 and not os.path.isdir(text):
        find_git_folder(path)
        return name, path
    origin = (read_refs(find_git_folder(text)).origin or "").removesuffix("/").removesuffix(".git").casefold()
    for repo in repos:
        if origin.endswith(("/" + repo.casefold(), ":" + repo.casefold())):
            return repo, text
    words = os.path.abspath(text).casefold().split(os.sep)
    for repo in sorted(repos, key=len, reverse=True):
        if _named(words, repo.casefold()):
            return repo, text
    raise InputError(f"which repository {text!r} is cannot be seen; write --mirror owner/repo={text}")


def _named(words: list[str], repo: str) -> bool:
    owner, _, name = repo.partition("/")
    for i, word in enumerate(words):
        bare = word.removesuffix(".git")
        if bare in (f"{owner}+{name}", f"{owner}_{name}", f"{owner}-{name}", f"{owner}--{name}"):
            return True
        if bare == name and (i == len(words) - 1 or words[i - 1] == owner):
            return True
    return False
