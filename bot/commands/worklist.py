"""`triage worklist`: failures that nothing explains, gathered over issues, what most people meet first."""

from __future__ import annotations

import argparse
import json
import shlex
from typing import Any

from bot.arguments import add_json, add_layers
from bot.authoring.authored_files import checkout
from bot.errors import InputError
from bot.knowledge import Known, load_known
from bot.refs import address
from bot.storage import absence, present, refused
from bot.terminal import BOLD, DIM, Paper, paper, say, say_machine, warn
from bot.worklist.clusters import Cluster, Worklist, worklist
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.worklist.sources import Gathered

_MOST = 200
_FILES = 2_000
_MOST_VERSIONS = 6
_MOST_NAMED = 20  # files that the command to start with names; more are FILE...

EXAMPLES = """\
  triage worklist
  triage worklist --most 20 --json
  triage worklist --cases cases.yaml
  triage worklist issues/*.json
  triage new my-failure --from-worklist 1a2b3c4d --catalogue my-triage

It looks through what `triage record` and the bot have kept; with files it needs no store. A file that cannot be read is
named on standard error and left out.
exit code: 0 listed, also where there is nothing to do; 2 bad input, or no file can be read
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_sources(parser)
    parser.add_argument(
        "--most", metavar="N", type=int, default=10, help=f"how many to show, 10 by default, {_MOST} at most"
    )
    add_json(parser)
    add_layers(parser)


def add_sources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", help="issues as JSON, or logs, in place of the store")
    parser.add_argument("--cases", metavar="CASES.yaml", help="the reports of a case file, in place of the store")


def run(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.most <= _MOST:
        raise InputError(f"--most takes a number from 1 to {_MOST}.")
    known = load_known(tuple(arguments.layers))
    for error in known.errors:
        warn(f"triage: {error}")
    made = gathered(arguments.files, arguments.cases, known)
    origin = _origin(arguments)
    if arguments.json:
        say_machine(json.dumps(worklist_json(made, arguments.most, origin), indent=2, ensure_ascii=False))
    else:
        page = paper()
        _write(page, made, arguments.most, origin)
        say(str(page).rstrip("\n"))
    return 0


def gathered(files: list[str], cases: str | None, known: Known) -> Worklist:
    """The worklist of files, a case file, or without either of the store. Says on stderr which files cannot be read;
    raises InputError where there is nothing to read it from."""
    found = _failures(files, cases, known)
    for why in found.unread:
        warn(f"triage: {why}")
    return worklist(found.failures, found.left_out)


def _failures(files: list[str], cases: str | None, known: Known) -> Gathered:
    from bot.worklist.sources import of_cases, of_files, of_store

    if files and cases:
        raise InputError("give files or --cases, not both.")
    if len(files) > _FILES:
        raise InputError(f"{len(files)} files are given; the limit is {_FILES}.")
    if cases:
        from bot.evaluation.cases import read_cases

        return of_cases(read_cases(cases, (p.id for p in known.knowledge.problems)), known)
    if files:
        return of_files(files, known)
    with present() as store:
        if store is None:
            raise InputError(absence("`triage record` makes one, or give files"))
        with refused():
            return of_store(store, known)


def chosen(made: Worklist, name: str) -> Cluster:
    """The cluster of that id, or at that place of the list. Raises InputError."""
    found = [c for c in made.clusters if c.id == name]
    if not found and name.isascii() and name.isdigit() and 0 < int(name[:6]) <= len(made.clusters):
        found = [made.clusters[int(name[:6]) - 1]]
    if not found:
        raise InputError(f"the worklist has no {name!r}; `triage worklist` shows ids and places.")
    return found[0]


def _origin(arguments: argparse.Namespace) -> str:
    """The options with which `triage new` makes the same worklist."""
    options = ["--cases", arguments.cases] if arguments.cases else []
    if arguments.files:
        options += ["--files", *arguments.files]
    words = [] if len(arguments.files) > _MOST_NAMED else [shlex.quote(o) for o in options]
    words = words or (["--files", "FILE..."] if arguments.files else [])
    if len(arguments.layers) == 1:
        words += ["--catalogue", shlex.quote(arguments.layers[0])]
    elif not arguments.layers and checkout() is None:  # an installed copy holds no files of one's own
        words += ["--catalogue", "my-triage"]
    return "".join(f" {w}" for w in words)


def worklist_json(made: Worklist, most: int, origin: str = "") -> dict[str, Any]:
    """`origin`: what the command to start with takes beside the id of a cluster."""
    return {
        "schema": 1,
        "issues": made.issues,
        "lines": made.lines,
        "lines_left_out": made.left_out,
        "clusters_found": len(made.clusters),
        "templates_found": sum(c.templates for c in made.clusters),
        "clusters": [_json(c, origin) for c in made.clusters[:most]],
    }


def _json(c: Cluster, origin: str) -> dict[str, Any]:
    return {
        "id": c.id,
        "template": c.template,
        "also": list(c.also),
        "templates": c.templates,
        "issues": c.issues,
        "reporters": c.reporters,
        "first_seen": c.first_seen,
        "last_seen": c.last_seen,
        "versions": [{"product": p, "version": v, "issues": n} for p, v, n in c.versions],
        "examples": [{"issue": f.issue, "url": address(f.issue), "line": f.line} for f in c.examples],
        "start": _start(c, origin),
    }


def _start(c: Cluster, origin: str) -> str:
    return f"triage new ID --from-worklist {c.id}{origin}"


def _write(page: Paper, made: Worklist, most: int, origin: str) -> None:
    if not made.clusters:
        count = f"{made.lines} line{_s(made.lines)} that nothing explains"
        page.text(
            f"{count}, too short to tell failures apart: left out." if made.lines else "Nothing is left unexplained.",
            BOLD,
        )
        return
    templates = sum(c.templates for c in made.clusters)
    of = f"{made.lines} line{_s(made.lines)} of {made.issues} issue{_s(made.issues)} that nothing explains"
    kinds = f" ({templates} different lines, those of the same issues taken for one)"
    kinds = kinds if templates > len(made.clusters) else ""
    page.text(f"{len(made.clusters)} failure{_s(len(made.clusters))} in {of}{kinds}", BOLD)
    if made.left_out:
        page.text(f"{made.left_out} more lines were not looked at.", DIM)
    for place, c in enumerate(made.clusters[:most], 1):
        page.blank()
        people = f"{c.reporters} reporter{_s(c.reporters)}" if c.reporters != c.issues else ""
        seen = f"last on {c.last_seen}" if c.last_seen else ""
        page.text(f"{place}. {', '.join(filter(None, (f'{c.issues} issue{_s(c.issues)}', people, seen)))}", DIM)
        page.verbatim("", c.template)
        for other in c.also[:2]:
            page.field("with", other)
        if c.templates > 3:
            page.field("", f"and {c.templates - 3} more of the same issue{_s(c.issues)}")
        if c.versions:
            page.field("seen in", ", ".join(f"{p} {v}" for p, v, _ in c.versions[:_MOST_VERSIONS]))
        for i, f in enumerate(c.examples):
            page.field("" if i else "issues", address(f.issue) or f.issue)
        page.verbatim("start", _start(c, origin))


def _s(count: int) -> str:
    return "" if count == 1 else "s"
