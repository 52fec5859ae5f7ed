"""What the commands about deliveries share: --mirror and --as-of, the knowledge, and a sign of life while git works."""

from __future__ import annotations

import argparse
import os
import sys
import time
from datetime import date
from threading import Event, Thread

from bot import config
from bot.errors import InputError
from bot.knowledge import load_known
from bot.terminal import is_terminal, warn
from bot.upstream.mirrors import kept_mirrors
from bot.upstream.reading import Read, assign, read_graph
from kb.delivery import carrying_products
from kb.graph.published import ForgeFacts, Publication, PullState
from kb.graph.trace import split_change
from kb.model import Knowledge

_PATIENCE = 1.0  # seconds of silence before a sign of life
_EVERY = 5.0  # seconds between lines where stderr is no terminal


def add_mirrors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mirror",
        dest="mirrors",
        metavar="[OWNER/REPO=]DIR",
        action="append",
        default=[],
        help="a local clone or bare mirror to read; may be repeated",
    )


def add_as_of(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as-of", metavar="DATE", help="answer as of that day, such as 2026-06-11")


def checked_day(text: str | None) -> str | None:
    """An ISO date. Raises InputError for anything else."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise InputError(f"{text!r} is no date; write it like 2026-06-11.") from None


def known_knowledge(layers: list[str]) -> Knowledge:
    known = load_known(tuple(layers))
    for error in known.errors:
        warn(f"triage: {error}")
    return known.knowledge


def repositories(knowledge: Knowledge, *more: str) -> tuple[str, ...]:
    """Every repository that the knowledge names as the home of a product, or that a fix was merged in."""
    named = [p.repo for p in knowledge.products if p.repo]
    changed = [c.partition("#")[0].partition("@")[0] for p in knowledge.problems for f in p.fixes for c in f.all]
    return tuple(dict.fromkeys((*more, *named, *changed)))


def add_online(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--online", action="store_true", help="also ask GitHub, for its pull request and the days of publication"
    )


def read_mirrors(knowledge: Knowledge, given: list[str], *more: str, change: str = "", online: bool = False) -> Read:
    """The delivery graph over the mirrors that were given, and over those kept earlier of other repositories, with what
    GitHub said when it was asked last. `online` asks it of `change` and its repository's releases anew.

    Says on stderr what could not be read. Raises InputError where none of the given ones could.
    """
    repos = repositories(knowledge, *more)
    mirrors = kept_mirrors(repos) | assign(given, repos)
    changes = (change,) if change else ()
    facts = _kept_facts(knowledge, repos, changes)
    if online:
        facts = _asked_facts(knowledge, change).over(facts)
    with SignOfLife() as life:
        read = read_graph(knowledge, mirrors, life.tick, facts=facts)
    for words in read.failed:
        warn(f"triage: {words}")
    if given and not read.graph.histories:
        raise InputError("none of the mirrors could be read.")
    return read


def _kept_facts(knowledge: Knowledge, repos: tuple[str, ...], changes: tuple[str, ...]) -> ForgeFacts:
    """What watching left in the store, where there is one."""
    url = config.database_url()
    file = config.database_file(url) if url is not None else None
    if url is None or (file is not None and not os.path.exists(file)):
        return ForgeFacts()
    from bot.storage import present, refused
    from bot.watching.facts import forge_facts, watched_changes

    with present() as store, refused():
        return forge_facts(store, repos, (*watched_changes(knowledge), *changes)) if store else ForgeFacts()


def _asked_facts(knowledge: Knowledge, change: str) -> ForgeFacts:
    """What GitHub says of a change, and of the releases of its repository and of the products that carry it."""
    from bot.forge import Forge, ForgeError

    forge = Forge(config.github_token(), config.github_api())
    home, number, _ = split_change(change)
    made = tuple(p.id for p in knowledge.products if p.repo == home)
    carrying = (p for c in made for id_ in carrying_products(knowledge, c) for p in knowledge.products if p.id == id_)
    publications: list[Publication] = []
    pulls: list[PullState] = []
    try:
        if number is not None:
            state, _ = forge.pull(home, number)
            pulls += [state] if state is not None else []
        for repo in dict.fromkeys((*(home for _ in made), *(p.repo for p in carrying if p.repo))):
            publications += forge.publications(repo).changed
    except ForgeError as e:
        warn(f"triage: {e}; what was not asked comes from what was known.")
    return ForgeFacts(tuple(publications), tuple(pulls))


class SignOfLife:
    """Says what is being done on stderr, once it has taken over a second."""

    def __init__(self) -> None:
        self._words = ""
        self._done = Event()
        self._watcher = Thread(target=self._watch, daemon=True)

    def tick(self, words: str) -> None:
        self._words = words

    def __enter__(self) -> SignOfLife:
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watcher.join()

    def _watch(self) -> None:
        if self._done.wait(_PATIENCE):
            return
        if is_terminal(sys.stderr):
            from rich.console import Console

            with Console(stderr=True).status(self._words or "reading") as status:
                while not self._done.wait(0.2):
                    status.update(self._words)
            return
        said = 0.0
        while not self._done.wait(0.2):
            if self._words and time.monotonic() - said >= _EVERY:
                warn(f"triage: {self._words}")
                said = time.monotonic()
