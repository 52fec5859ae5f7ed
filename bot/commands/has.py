"""`triage has`: one product, one version, one problem, one answer with its reason."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_json, add_layers
from bot.commands.explain import nearest
from bot.commands.status import known_product
from bot.errors import InputError
from bot.storage import keep, present
from bot.terminal import BOLD, paper, say, say_machine
from bot.upstream.asking import add_as_of, add_mirrors, checked_day, known_knowledge, read_mirrors
from kb.graph.answer import Answer, has
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.store import Store

EXAMPLES = """\
  triage has foundry-local-cli 0.10.0 webgpu-recurrent-state-buffer-aliasing
  triage has onnxruntime-genai 0.14.1 webgpu-recurrent-state-buffer-aliasing
  triage has "Foundry Local SDK" 1.2.1 webgpu-recurrent-state-buffer-aliasing --json

exit code: 0 answered, be it no or unknown, which the first line says; 2 bad input
"""

_HEADS = {
    "fixed": "yes: it has the fix",
    "affected": "no: it is affected",
    "before": "not affected: it is from before the fault",
    "disputed": "disputed: it should have the fix, and was seen to fail all the same",
    "unknown": "unknown",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("product", metavar="PRODUCT", help="a product or component, by its id or an alias")
    parser.add_argument("version", metavar="VERSION", help="its version, as it prints it")
    parser.add_argument("problem", metavar="PROBLEM", help="a problem; `triage list problems` names them")
    add_as_of(parser)
    add_mirrors(parser)
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    day = checked_day(arguments.as_of)
    with present(arguments.layers) as store:
        answer = _answer(arguments, day, store)
    if arguments.json:
        say_machine(json.dumps({"schema": 1, **answer._asdict()}, indent=2, ensure_ascii=False))
    else:
        _write(answer)
    return 0


def _answer(arguments: argparse.Namespace, day: str | None, store: Store | None) -> Answer:
    knowledge = known_knowledge(arguments.layers)
    product = known_product(knowledge, arguments.product)
    problem = next((p for p in knowledge.problems if p.id == arguments.problem), None)
    if problem is None:
        near = nearest(arguments.problem, [p.id for p in knowledge.problems])
        raise InputError(f"there is no problem {arguments.problem!r}{near}.")
    graph = read_mirrors(knowledge, arguments.mirrors).graph
    keep(store, graph, arguments.layers)
    return has(graph, product, arguments.version, problem, day)


def _write(answer: Answer) -> None:
    page = paper()
    page.text(f"{answer.product} {answer.version}: {_HEADS[answer.answer]}", BOLD)
    page.field("problem", answer.problem)
    if answer.component and answer.component != answer.product:
        page.field("carries", f"{answer.component} {answer.component_version or 'unknown'}")
    page.field("reason", answer.why)
    if answer.source:
        page.field("source", answer.source)
    say(str(page).rstrip("\n"))
