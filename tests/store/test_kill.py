"""kill -9 in the middle of a write leaves the database as it was before, and usable; so do two writers at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kb.loader import load_knowledge
from kb.store import Store, upgrade
from kb.store.authored import Authored
from kb.store.schema import head
from signatures.loader import load_catalogue

ROOT = Path(__file__).parents[2]
# the child kills itself when the engine is about to run the statement that begins with these words
CHILD = """
import os, signal, sys
from sqlalchemy import Engine, event
url, what, words = sys.argv[1:]

@event.listens_for(Engine, "before_cursor_execute")
def _end(connection, cursor, statement, *rest):
    if statement.strip().startswith(words):
        os.kill(os.getpid(), signal.SIGKILL)

from kb.store import Store, upgrade
if what == "upgrade":
    upgrade(url)
else:
    from kb.loader import load_knowledge
    from signatures.loader import load_catalogue
    store = Store.at(url)
    store.rebuild(load_knowledge(check=False)[0], load_catalogue(check=False)[0].signatures)
sys.exit("it was to be killed")
"""


def _killed(url: str, what: str, words: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COV_")} | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, url, what, words], env=environment, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.mark.parametrize(
    "words", ["INSERT INTO problem_ref", "INSERT INTO searchable", "INSERT INTO product ", "DELETE FROM product"]
)
def test_a_sync_that_is_killed_leaves_the_old_state(store: Store, url: str, words: str) -> None:
    knowledge = load_knowledge(check=False)[0]
    signatures = load_catalogue(check=False)[0].signatures
    few = knowledge._replace(problems=knowledge.problems[:3])
    before = store.rebuild(few, signatures)
    _killed(url, "sync", words)
    assert store.authored() == before
    assert store.check() == ()
    again = store.rebuild(knowledge, signatures)
    assert again == Authored(len(knowledge.problems), len(signatures), len(knowledge.products))
    assert store.similar("DXC DirectX shader compiler dxil.dll")


def test_two_that_rebuild_at_once_wait_for_each_other(store: Store) -> None:
    knowledge = load_knowledge(check=False)[0]
    signatures = load_catalogue(check=False)[0].signatures
    store.rebuild(knowledge, signatures)
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: store.rebuild(knowledge, signatures), range(8)))
    assert set(made) == {store.authored()}
    assert store.check() == ()


@pytest.mark.parametrize("revision", [None, "0001", "0002"])
@pytest.mark.parametrize(
    "words", ["CREATE TABLE searchable", "UPDATE alembic_version", "CREATE VIRTUAL", "ALTER TABLE"]
)
def test_a_migration_that_is_killed_leaves_the_old_revision(url: str, revision: str | None, words: str) -> None:
    only = {"CREATE VIRTUAL": "sqlite", "ALTER TABLE": "postgresql"}.get(words, url.partition(":")[0])
    if only != url.partition(":")[0]:
        return  # the other engine has no such statement
    if revision is not None:
        upgrade(url, revision)
    _killed(url, "upgrade", words)
    assert upgrade(url) == (revision, head())
    store = Store.at(url)
    assert store.check() == ()
    store.close()
