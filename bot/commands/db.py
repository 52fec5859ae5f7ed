"""`triage db`: brings the store up to date, checks it, copies it, and has what was given up tried again."""

from __future__ import annotations

import argparse
import json
import os

from bot import config
from bot.arguments import add_json
from bot.errors import InputError
from bot.storage import database_address, refused
from bot.terminal import say, say_machine
from kb.store import Store, upgrade

EXAMPLES = """\
  triage db upgrade
  triage db check
  triage db backup /srv/backups/triage-2026-06-11.db
  triage db retry                        # what `triage doctor` says was given up
  TRIAGE_DATABASE_URL=postgresql://triage@db.example.org/triage triage db upgrade

Without TRIAGE_DATABASE_URL the store is an SQLite file in your data folder.
exit code: 0 done, or nothing is wrong; 2 something is wrong, or bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=("upgrade", "check", "backup", "retry"),
        help="upgrade: make the tables, or bring them to this program's revision; check: revision, integrity, "
        "references, shape; backup: copy a live SQLite database to FILE; retry: have what failed too often tried again",
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="where `backup` writes; it must not exist yet")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if (arguments.file is not None) != (arguments.action == "backup"):
        raise InputError("`triage db backup FILE` takes the file to write, and the other actions take none.")
    url = database_address()
    with refused():
        if arguments.action == "upgrade":
            before, after = upgrade(url)
            words = f"is at revision {after}" + ("" if before == after else f", was {before or 'empty'}")
            return _said(arguments, {"revision": after, "before": before}, f"{_name(url)} {words}.")
        file = config.database_file(url)
        if file is not None and not os.path.exists(file):
            raise InputError(f"there is no database {file!r} yet; `triage db upgrade` makes one.")
        store = Store.at(url)
        try:
            if arguments.action == "backup":
                size = store.backup(os.path.abspath(arguments.file))
                words = f"{arguments.file} holds a sound copy, {size / 1024:.0f} KiB."
                return _said(arguments, {"file": arguments.file, "bytes": size}, words)
            if arguments.action == "retry":
                return _retried(arguments, store)
            wrong = store.check()
        finally:
            store.close()
    words = "\n".join(wrong) if wrong else f"{_name(url)}: nothing is wrong."
    _said(arguments, {"wrong": list(wrong)}, words)
    return 2 if wrong else 0


def _retried(arguments: argparse.Namespace, store: Store) -> int:
    refusal = store.refusal()
    if refusal is not None:
        raise InputError(f"{refusal}.")
    failed = store.failed()
    count = store.revive()
    lines = [f"{one.issue} {one.what}: {one.error}" for one in failed]
    words = "\n".join((*lines, f"{count} are tried again by `triage serve` or the next `triage poll`."))
    return _said(arguments, {"retried": count}, words if count else "Nothing was given up.")


def _said(arguments: argparse.Namespace, record: dict[str, object], words: str) -> int:
    if arguments.json:
        say_machine(json.dumps({"schema": 1, **record}, indent=2))
    else:
        say(words)
    return 0


def _name(url: str) -> str:
    """A database for people: never with a password."""
    return config.database_file(url) or url.rpartition("@")[2].partition("?")[0]
