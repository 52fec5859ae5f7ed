"""`triage list`: what is known, one line each."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_json, add_layers, words
from bot.errors import InputError
from bot.knowledge import Known, load_known
from bot.terminal import BOLD, Paper, paper, say, say_machine, warn
from kb.model import PUBLIC
from signatures.model import Stage

KINDS = ("signatures", "problems", "products")

EXAMPLES = """\
  triage list
  triage list problems
  triage list signatures webgpu
  triage list products --json
  triage list --shadow                     # signatures that are counted only, and how they have done
  triage list --stale                      # what somebody should look at again, with its owner
  triage list --stale --unseen 180 --json

exit code: 0 listed, 2 no id or title has these words
"""

Row = dict[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="*",
        type=words,
        metavar="KIND|WORD",
        help="signatures, problems or products; words that must all occur",
    )
    of = parser.add_mutually_exclusive_group()
    of.add_argument(
        "--shadow",
        action="store_true",
        help="signatures in shadow: how often each was seen, and reviewed right or wrong",
    )
    of.add_argument(
        "--stale", action="store_true", help="rules whose day of review has passed, or that no report shows any more"
    )
    parser.add_argument("--unseen", metavar="DAYS", type=int, help="with --stale: not seen for so many days")
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    known = load_known(tuple(arguments.layers))
    for error in known.errors:
        warn(f"triage: {error}")
    if arguments.shadow or arguments.stale or arguments.unseen is not None:
        from bot.terminal.rule_lists import list_rules

        return list_rules(arguments, known)
    asked = [w.lower() for w in arguments.words]
    kinds = [k for k in KINDS if k in asked] or list(KINDS)
    wanted = [w for w in asked if w not in KINDS]
    tables = {kind: _filtered(_rows(kind, known), wanted) for kind in kinds}
    if arguments.json:
        say_machine(json.dumps({"schema": 1, **tables}, indent=2, ensure_ascii=False))
        return 0
    if not any(tables.values()):
        raise InputError(f"nothing in {', '.join(kinds)} has {' and '.join(map(repr, wanted))} in its id or title.")
    page = paper()
    for kind, rows in tables.items():
        _table(page, kind, rows)
    say(str(page).rstrip("\n"))
    return 0


def _rows(kind: str, known: Known) -> list[Row]:
    if kind == "signatures":
        shown_by: dict[str, list[str]] = {}
        for p in known.knowledge.problems:
            for s in p.symptoms:
                shown_by.setdefault(s.signature, []).append(p.id)
        return [
            {"id": s.id, "note": _problems(shown_by.get(s.id, []), s.stage), "title": s.title, "stage": s.stage.value}
            for s in known.catalogue.signatures
        ]
    if kind == "problems":
        return [
            {
                "id": p.id,
                "note": p.status.value if p.status in PUBLIC else f"{p.status.value}, not public",
                "title": p.title,
            }
            for p in known.knowledge.problems
            if p.withdrawn is None
        ]
    releases: dict[str, int] = {}
    for r in known.knowledge.observed.releases:
        releases[r.product] = releases.get(r.product, 0) + 1
    return [
        {"id": p.id, "note": _count(releases.get(p.id, 0), "release"), "title": p.title}
        for p in known.knowledge.products
    ]


def _problems(ids: list[str], stage: Stage) -> str:
    said = _count(len(ids), "problem") if ids else "cause unknown"
    return f"{said}, in shadow" if stage is Stage.SHADOW else said


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _filtered(rows: list[Row], wanted: list[str]) -> list[Row]:
    kept = [r for r in rows if all(any(w in v.lower() for v in r.values()) for w in wanted)]
    return sorted(kept, key=lambda r: r["id"])


def _table(page: Paper, kind: str, rows: list[Row]) -> None:
    if not rows:
        return
    page.blank()
    page.text(f"{len(rows)} {kind if len(rows) != 1 else kind[:-1]}", BOLD)
    page.table([(r["id"], r["note"], r["title"]) for r in rows])
