"""`triage proposals`: edits of authored files that watching suggests, as diffs to apply or to refuse."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_json
from bot.errors import InputError
from bot.storage import moment, present, refused, writable
from bot.terminal import BOLD, DIM, paper, say, say_machine, warn
from kb.proposals import short_id
from kb.records import ProposalRecord

EXAMPLES = """\
  triage proposals
  triage proposals --json
  triage proposals show 1a2b3c4d | git apply
  triage proposals refuse 1a2b3c4d
  triage proposals --settled           # those that were taken, refused or superseded
  triage proposals reopen 1a2b3c4d     # takes a refusal back

exit code: 0 done, also where there is nothing to list; 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("list", "show", "refuse", "reopen"), default="list")
    parser.add_argument("id", nargs="?", metavar="ID", help="which one, as the list names it")
    parser.add_argument("--settled", action="store_true", help="list those that are open no more, with their state")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if (arguments.action == "list") != (arguments.id is None):
        raise InputError("`show`, `refuse` and `reopen` want the ID of one proposal; `triage proposals` lists them.")
    if arguments.settled and arguments.action != "list":
        raise InputError("--settled is for the list; leave it out.")
    if arguments.action == "refuse":
        return _refuse(arguments.id)
    if arguments.action == "reopen":
        return _reopen(arguments.id)
    with present() as store, refused():
        rows = store.proposals(None if arguments.settled else "open") if store is not None else ()
    rows = tuple(r for r in rows if (r.state != "open") == arguments.settled)
    if arguments.action == "show":
        row = _found(rows, arguments.id)
        say_machine(json.dumps(_json(row), indent=2, ensure_ascii=False) if arguments.json else row.diff.rstrip("\n"))
        if not row.diff:
            warn(f"triage: this one has no diff: {row.why}")
        return 0
    if arguments.json:
        told = {"schema": 1, "proposals": [_json(r) for r in rows]}
        say_machine(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        _write(rows, "No edit was settled." if arguments.settled else "No edit is proposed.")
    return 0


def _refuse(id_: str) -> int:
    with writable() as store, refused():
        row = _found(store.proposals(), id_)
        store.settle_proposal(row.key, "refused", moment())
    say(f"refused: {row.title}; the same edit is not proposed again.")
    return 0


def _reopen(id_: str) -> int:
    with writable() as store, refused():
        row = next((r for r in store.proposals("refused") if id_ in (short_id(r), r.key)), None)
        if row is None or not store.reopen_proposal(row.key):
            raise InputError(f"no refusal of {id_!r} stands; `triage proposals --settled` lists what was refused.")
    say(f"open again: {row.title}.")
    return 0


def _found(rows: tuple[ProposalRecord, ...], id_: str) -> ProposalRecord:
    row = next((r for r in rows if id_ in (short_id(r), r.key)), None)
    if row is None:
        raise InputError(f"there is no open proposal {id_!r}; `triage proposals` lists them.")
    return row


def _json(p: ProposalRecord) -> dict[str, str]:
    return {"id": short_id(p), **p._asdict()}


def _write(rows: tuple[ProposalRecord, ...], none: str) -> None:
    page = paper()
    for p in rows:
        page.blank()
        page.text(f"{short_id(p)}  {p.title}", BOLD)
        page.text(p.why, DIM, indent=2)
        page.field("file", p.file)
        if p.state != "open":
            page.field("state", p.state)
    if not rows:
        page.text(none)
    say(str(page).rstrip("\n"))
