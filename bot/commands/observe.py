"""`triage observe`: reads repositories anew into the store, and writes kb/observed.toml from it.

The file is the snapshot that ships with each release.
"""

from __future__ import annotations

import argparse
import os
from difflib import unified_diff

from bot.arguments import add_layers
from bot.errors import InputError
from bot.knowledge import load_known
from bot.storage import export, record_graph, refused, seen_by, writable, write_if_new
from bot.terminal import say, warn
from bot.upstream.asking import SignOfLife, add_mirrors, known_knowledge, read_mirrors
from bot.upstream.git import GitFailed
from bot.upstream.mirrors import bring, refresh
from bot.upstream.observed_text import observed_text
from bot.upstream.reading import read_graph
from kb.authored import Table, Unreadable, observed
from kb.graph.observed import observed_rows
from kb.loader import SHIPPED
from kb.model import Knowledge, Observed
from signatures.loader import LoadError, read_toml

NAME = "observed.toml"

EXAMPLES = """\
  triage observe --mirror ~/src/onnxruntime-genai --mirror ~/src/foundry-local
  triage observe --mirror ~/src/onnxruntime-genai --write
  triage observe --fetch --catalogue my-triage --write

exit code: 0 done, 2 bad input, or a repository could not be read, which stderr names
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_mirrors(parser)
    parser.add_argument(
        "--fetch", action="store_true", help="first bring mirrors of all products' repositories up to date"
    )
    parser.add_argument("--write", action="store_true", help="write the file; without it, only the difference is shown")
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    knowledge = known_knowledge(arguments.layers)
    stated = load_known(tuple(arguments.layers), newer=False).knowledge
    missed = _fetch(knowledge) if arguments.fetch else 0
    file = os.path.join(arguments.layers[-1] if arguments.layers else SHIPPED, NAME)
    graph = read_mirrors(knowledge, arguments.mirrors).graph
    with writable() as store, refused():
        record_graph(store, graph)
        export(store, stated)
        rows = seen_by(store)
    if not (graph.histories or rows.releases or rows.edges):
        raise InputError("there is nothing to read; name a clone with --mirror DIR, or fetch mirrors with --fetch.")
    old = text_of(file)
    kept, elsewhere = kept_rows(file, arguments.layers, stated.observed)
    new = observed_text(observed_rows(stated, kept, elsewhere, rows))
    if old == new:
        say(f"{file} says all of it already.")
    elif arguments.write:
        write_if_new(file, new)
        say(f"{file} is written: {new.count('[[release]]')} releases, {new.count('[[delivery]]')} deliveries.")
    else:
        lines = unified_diff(old.splitlines(), new.splitlines(), file, f"{file} (observed)", lineterm="", n=2)
        say("\n".join(lines))
    return 2 if missed else 0


def _fetch(knowledge: Knowledge) -> int:
    """Refresh the mirror of each product's repository; the number of those that failed."""
    missed: list[str] = []
    fetched: dict[str, str] = {}
    with SignOfLife() as life:
        for repo in dict.fromkeys(p.repo for p in knowledge.products if p.repo and p.layouts):
            try:
                fetched[repo] = refresh(repo, tick=life.tick)
            except GitFailed as e:
                missed.append(str(e))
        missed += read_graph(knowledge, fetched, life.tick, bring).failed
    for words in missed:
        warn(f"triage: {words}")
    return len(missed)


def kept_rows(file: str, layers: list[str], known: Observed) -> tuple[Observed, frozenset[tuple[str, str]]]:
    """The rows of the file itself, and the releases that files of products state."""
    rows = {f: _rows(f) for f in (os.path.join(folder, NAME) for folder in (SHIPPED, *layers)) if os.path.isfile(f)}
    observed_ones = {(r.product, r.version) for seen in rows.values() for r in seen.releases}
    stated = frozenset((r.product, r.version) for r in known.releases) - observed_ones
    return rows.get(file, Observed()), stated


def _rows(file: str) -> Observed:
    data = read_toml(file)
    if isinstance(data, LoadError):
        raise InputError(str(data))
    try:
        return Observed(*observed(Table(data)))
    except Unreadable as e:
        raise InputError(f"{file}: {e}") from None


def text_of(file: str) -> str:
    if not os.path.isfile(file):
        return ""
    with open(file, encoding="utf-8", newline="\n") as f:
        return f.read()
