"""`triage promote`: a person stands up for a signature, and its file says so."""

from __future__ import annotations

import argparse
import json
import os

from bot.arguments import add_json, add_layers, words
from bot.authoring import authored_files
from bot.authoring.rule_life import life_of
from bot.errors import InputError
from bot.knowledge import load_known
from bot.storage import moment, present
from bot.terminal import one_line, printable, say, say_machine, warn
from kb.proposals import unified
from kb.toml_edit import NotEdited
from kb.upkeep import Tally, named, promote
from signatures.loader import SignatureFile
from signatures.model import Stage

EXAMPLES = """\
  triage promote my-loader-error --by jane --catalogue my-triage
  triage promote webgpu-buffer-usage-conflict --by jane --reason "right in all reports of May"
  triage promote webgpu-buffer-usage-conflict --by jane --diff | git apply     # these two in a checkout

A signature in shadow is recognised and counted, and no answer. Whoever promotes it stands up for it; for one that was
promoted before, this says that it was looked at again, and when it is due next.
exit code: 0 done, 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", type=words, help="the signature; `triage list --shadow` names those")
    parser.add_argument("--by", metavar="NAME", type=words, required=True, help="who stands up for it")
    parser.add_argument("--reason", metavar="TEXT", type=words, help="why, in one sentence")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--diff", action="store_true", help="print the edit, and leave the file as it is")
    add_json(form)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    by, why = one_line(arguments.by, 100), one_line(arguments.reason or "", 400) or None
    if not by:
        raise InputError("--by is empty; give the name of who stands up for it.")
    file = authored_files.editable(tuple(arguments.layers), arguments.id)
    if file.signature.withdrawn is not None:
        raise InputError(f"{arguments.id} is withdrawn: {file.signature.withdrawn}")
    with open(file.file, encoding="utf-8", newline="") as f:
        text = f.read()
    today = moment().date().isoformat()
    try:
        made = promote(text, today, by, why)
    except NotEdited as e:
        raise InputError(
            f"{file.file}: {e}; edit it by hand: `stage` goes, and `reviewed` says who and when."
        ) from None
    if arguments.diff:
        say_machine(unified(_in_checkout(file.file), text, made).rstrip("\n"))
        return 0
    tally = _tally(file, arguments.layers)
    if tally.wrong:
        warn(f"triage: maintainers called it wrong in {named(tally.wrong)}.")
    authored_files.replace(file.file, made)
    _say(arguments, file, tally)
    return 0


def _tally(file: SignatureFile, layers: list[str]) -> Tally:
    """What reports and maintainers said of it, where there is a store."""
    knowledge = load_known(tuple(d for d in layers if os.path.isdir(d))).knowledge
    with present() as store:
        return life_of(store, knowledge).tallies.get(file.signature.id, Tally())


def _say(arguments: argparse.Namespace, file: SignatureFile, tally: Tally) -> None:
    path = _shown(file.file)
    was = file.signature.stage
    if arguments.json:
        told = {"signature": file.signature.id, "was": was.value, "file": path}
        reviewed = {"seen": tally.issues, "right": len(tally.right), "wrong": len(tally.wrong)}
        say_machine(json.dumps({"schema": 1, **told, **reviewed}, indent=2, ensure_ascii=False))
        return
    done = "out of shadow: what it recognises is an answer" if was is Stage.SHADOW else "looked at again"
    say(f"{file.signature.id}: {done}.")
    if tally.issues:
        reports = f"{tally.issues} report{'' if tally.issues == 1 else 's'}"
        say(f"Seen in {reports}; reviewed right in {len(tally.right)}, wrong in {len(tally.wrong)}.")
    say(f"wrote {printable(path)}")


def _shown(file: str) -> str:
    here = os.getcwd() + os.sep
    return file.removeprefix(here).replace(os.sep, "/")


def _in_checkout(file: str) -> str:
    """A path as `git apply` takes it: from the top of its checkout, or from here where there is none."""
    file = os.path.abspath(file)
    top = os.path.dirname(file)
    while not os.path.exists(os.path.join(top, ".git")):
        if top == os.path.dirname(top):
            return os.path.relpath(file).replace(os.sep, "/")
        top = os.path.dirname(top)
    return os.path.relpath(file, top).replace(os.sep, "/")
