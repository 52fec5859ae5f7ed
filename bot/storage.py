"""The store as commands use it: found by the settings, opened, and its observations left where a lookup finds them.

A database is made by what writes to it (`db upgrade`, `sync`, `record`, `observe`), never by what only reads. Whatever
is newer in it than the shipped observed.toml is exported to a file of the same shape: a lookup compiles that file into
its cache like any other and opens no database. The engine is imported where there is a database to open: it comes with
an extra, and commands that only read do without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from tempfile import TemporaryDirectory

from bot import config
from bot.errors import InputError
from bot.knowledge import load_known
from bot.terminal import warn
from bot.upstream.observed_text import observed_text
from kb.graph.model import History
from kb.graph.observed import ObservedRows, named_changes, recorded, sorted_releases
from kb.graph.trace import Graph
from kb.model import Knowledge, Observed
from kb.observations import Recorded, merged, newer
from kb.records import Remembered
from kb.recurrence import disputes
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.store import Store


_READING = "1"  # of how a repository is read: another number makes every one of them recorded anew


def moment() -> datetime:
    return datetime.now(UTC)


def database_address() -> str:
    """The URL of the store. Raises InputError where there is none."""
    url = config.database_url()
    if url is None:
        raise InputError("no database is named; set TRIAGE_DATABASE_URL, such as sqlite:////srv/triage.db.")
    return url


@contextmanager
def refused() -> Iterator[None]:
    """What the store refuses, as bad input."""
    from kb.store import StoreError

    try:
        yield
    except StoreError as e:
        raise InputError(f"{e}.") from None


@contextmanager
def writable() -> Iterator[Store]:
    """The store, made where there is none. Raises InputError where it cannot be used, or has an older revision."""
    from kb.store import Store, upgrade

    url = database_address()
    with refused():
        store = Store.at(url)
        try:
            file = config.database_file(url)
            if file is not None and not os.path.exists(file):
                upgrade(url)
            why = store.refusal()
            if why is not None:
                raise InputError(f"{why}.")
            yield store
        finally:
            store.close()


@contextmanager
def present(layers: list[str] | None = None) -> Iterator[Store | None]:
    """The store where there is one that can be read, else None; why it cannot be is said on stderr.

    With `layers`, what it holds is exported first, so that what another machine wrote to it is known here as well.
    """
    store = _present()
    try:
        usable = store is None or layers is None or _went_well(partial(catch_up, store, layers))
        yield store if usable else None
    finally:
        if store is not None:
            store.close()


def absence(makes: str) -> str:
    """Why `present` gave no store, as a sentence. `makes`: what makes one."""
    url = config.database_url()
    if url is None:
        return "the store is switched off, since TRIAGE_DATABASE_URL is empty."
    file = config.database_file(url)
    if file is not None and not os.path.exists(file):
        return f"there is no store yet; {makes}."
    return "the store cannot be used; `triage db check` looks at it."


@contextmanager
def passing() -> Iterator[Store]:
    """The store, or one that is thrown away where the store is switched off: for what keeps nothing. Raises InputError
    as `writable` does."""
    if config.database_url() is not None:
        with writable() as store:
            yield store
        return
    from kb.store import Store, upgrade

    with TemporaryDirectory(prefix="triage-") as folder, refused():
        url = f"sqlite:///{folder}/triage.db"
        upgrade(url)
        store = Store.at(url)
        try:
            yield store
        finally:
            store.close()


def _went_well(act: Callable[[], object]) -> bool:
    """Whether something with the store could be done; if not, why is said, and whoever only reads goes on."""
    from kb.store import StoreError

    try:
        act()
    except (StoreError, OSError) as e:
        _say_left_out(e)
        return False
    return True


def _present() -> Store | None:
    url = config.database_url()
    if url is None:
        return None
    file = config.database_file(url)
    if file is not None and not os.path.exists(file):
        return None
    from kb.store import Store, StoreError

    try:
        store = Store.at(url)
        why = store.refusal()
    except StoreError as e:
        why = str(e)
    if why is not None:
        _say_left_out(why)
        return None
    return store


_told: set[str] = set()  # reasons that were said already, since one command may open the store twice


def _say_left_out(why: object) -> None:
    words = f"triage: the store is left out: {why}"
    if words not in _told:
        _told.add(words)
        warn(words)


def seen_by(store: Store) -> Recorded:
    """All that the store holds of releases and changes."""
    return Recorded(store.releases(), store.bundles(), store.edges())


def record_graph(store: Store, graph: Graph, *more: str) -> bool:
    """Keep what the repositories of a graph show of the changes that are named, and of `more`; whether any is new.

    A repository that shows what it showed at the last time costs one look at the store.
    """
    changes = tuple(sorted({*named_changes(graph.knowledge), *more}))
    states = {f"git {repo}": _state(history, changes) for repo, history in graph.histories.items()}
    old = {key: said.cursor for key in states if (said := store.etag_of(key)) is not None}
    if all(old.get(key) == state for key, state in states.items()):
        return False
    at = moment()
    rows = recorded(graph, changes)
    written = store.record_releases(rows.releases, at) + store.record_bundles(rows.bundles, at)
    written += store.record_edges(rows.edges, at)
    for key, state in states.items():
        store.remember_etag(key, Remembered(None, None, state), at)
    return written > 0


def _state(history: History, changes: tuple[str, ...]) -> str:
    """What tells one reading of a repository from another one: where its refs are, what was asked of it, and how."""
    refs = (f"{r.name} {r.sha}" for r in (*history.tags, *history.branches))
    return sha256("\n".join((_READING, history.head, *refs, *changes)).encode()).hexdigest()


def export(store: Store, knowledge: Knowledge) -> Observed:
    """Leave the store's observations where lookups find them, and give them. `knowledge` has those of the files."""
    seen, remarks = merged(knowledge, seen_by(store))
    full = knowledge._replace(observed=newer(knowledge, knowledge.observed, seen))
    seen = seen._replace(releases=sorted_releases(knowledge, seen.releases), disputes=disputes(full, store.sightings()))
    file = config.snapshot_file()
    if file is not None:
        write_if_new(file, observed_text(ObservedRows(seen, remarks)))
    return seen


def catch_up(store: Store, layers: list[str]) -> Observed:
    """Export what the store holds over what the files and layers say, and give it."""
    return export(store, load_known(tuple(layers), newer=False).knowledge)


def export_known(store: Store, layers: list[str]) -> None:
    """`catch_up` for who goes on with what it knows where the store cannot be read just then."""
    _went_well(partial(catch_up, store, layers))


def keep(store: Store | None, graph: Graph, layers: list[str], *more: str) -> None:
    """Keep what mirrors show where there is a store, and what is known of `more` changes beside those named."""
    if store is not None and graph.histories:
        _went_well(lambda: record_graph(store, graph, *more) and catch_up(store, layers))


def write_if_new(file: str, text: str) -> None:
    """Write a file in one step, unless it says this already. Raises OSError that names the file; the old one stays."""
    try:
        with open(file, encoding="utf-8", newline="\n") as f:
            if f.read() == text:
                return
    except (OSError, UnicodeDecodeError):
        pass  # there is none, or what it says is of no use
    os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
    draft = f"{file}.{os.getpid()}"
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as f:
            f.write(text)
        os.replace(draft, file)
    except OSError as e:
        with suppress(OSError):
            os.unlink(draft)
        raise OSError(e.errno, e.strerror, file) from e  # a full disk names no file of itself
