"""`triage sync`: rebuilds the store's authored tables from the files, all or nothing."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_json, add_layers
from bot.commands.validate import folders_of, full_name, read_everything
from bot.errors import InputError
from bot.storage import export, moment, refused, writable
from bot.terminal import say, say_machine
from kb.cross_check import cross_check
from kb.model import Knowledge
from signatures.extract.vocabulary import load_vocabulary
from signatures.model import Signature

EXAMPLES = """\
  triage sync
  triage sync --catalogue my-triage
  triage sync --json

One broken file and nothing is changed: the store keeps what it had, and the file, the key and the reason are named.
exit code: 0 done, 2 a file is broken or the store cannot be used
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    knowledge, signatures = checked(arguments.layers)
    with writable() as store, refused():
        made = store.rebuild(knowledge, signatures)
        store.forget(moment())
        seen = export(store, knowledge)
    if arguments.json:
        say_machine(json.dumps({"schema": 1, **made._asdict(), "disputes": len(seen.disputes)}, indent=2))
    else:
        say(f"The store holds {made.problems} problems, {made.signatures} signatures and {made.products} products.")
    return 0


def checked(layers: list[str]) -> tuple[Knowledge, tuple[Signature, ...]]:
    """All records of the files. Raises InputError that names every broken one, with key and reason."""
    everything = read_everything(folders_of(layers))
    signatures = tuple(s.signature for s in everything.signatures)
    errors = everything.errors
    if not errors:
        ids, keys = frozenset(s.id for s in signatures), frozenset(load_vocabulary().keys)
        between = cross_check(everything.knowledge, ids, keys)
        errors = [e._replace(file=full_name(e.file, everything)) for e in between]
    if errors:
        raise InputError("nothing was changed:\n" + "\n".join(map(str, errors)))
    return everything.knowledge, signatures
