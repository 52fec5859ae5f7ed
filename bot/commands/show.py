"""`triage show`: all that is known under one id."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_json, add_layers, words
from bot.authoring.rule_life import rules_of
from bot.commands.explain import nearest
from bot.errors import InputError
from bot.knowledge import Known, load_known
from bot.machine.known import problem_json, product_json, signature_json
from bot.terminal import paper, say, say_machine, warn
from bot.terminal.known import write_problem, write_product, write_signature
from bot.terminal.rule_lists import write_upkeep

EXAMPLES = """\
  triage show webgpu-recurrent-state-buffer-aliasing
  triage show duplicate-ep-tensor-name --json
  triage show foundry-local-cli

exit code: 0 shown, 2 nothing is known under that name
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", type=words, help="a signature, problem or product; `triage list` names them"
    )
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    known = load_known(tuple(arguments.layers))
    for error in known.errors:
        warn(f"triage: {error}")
    rules = [r for r in rules_of(tuple(arguments.layers))[0] if r.file.signature.id == arguments.id]
    signatures = [s for s in known.catalogue.signatures if s.id == arguments.id]
    problems = [p for p in known.knowledge.problems if p.id == arguments.id]
    products = [p for p in known.knowledge.products if p.id == arguments.id]
    if not (signatures or problems or products):
        raise InputError(f"nothing is known under {arguments.id!r}{nearest(arguments.id, _ids(known))}.")
    if arguments.json:
        records: dict[str, object] = {"schema": 1}
        # one id may name a signature and a problem; each kind has one record of it at most
        records.update(signature=signature_json(signatures[0], known, *rules) if signatures else None)
        records.update(problem=problem_json(problems[0], known.knowledge) if problems else None)
        records.update(product=product_json(products[0], known.knowledge) if products else None)
        say_machine(json.dumps(records, indent=2, ensure_ascii=False))
        return 0
    page = paper()
    for problem in problems:
        write_problem(page, problem, known.knowledge)
        page.blank()
    for signature in signatures:
        write_signature(page, signature, known)
        for rule in rules:
            write_upkeep(page, rule)
        page.blank()
    for product in products:
        write_product(page, product, known.knowledge)
    say(str(page).rstrip("\n"))
    return 0


def _ids(known: Known) -> list[str]:
    return [
        *(s.id for s in known.catalogue.signatures),
        *(p.id for p in known.knowledge.problems),
        *(p.id for p in known.knowledge.products),
    ]
