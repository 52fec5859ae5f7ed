"""`triage explain`: one signature held against one text, clause by clause."""

from __future__ import annotations

import argparse
import json

from bot.arguments import add_facts, add_input, add_json, add_layers, words
from bot.commands.lookup import stated
from bot.errors import InputError
from bot.input.issue_file import read_input
from bot.knowledge import Known, load_known
from bot.terminal import BOLD, DIM, GREEN, RED, YELLOW, Paper, one_line, paper, say, say_machine, warn
from signatures.explain import Explanation, explain
from signatures.extract import read_issue
from signatures.extract.redact import redact
from signatures.model import Reason, Signature

EXAMPLES = """\
  triage explain "Duplicate definition of name (Add_12_output_0)" --signature duplicate-ep-tensor-name
  triage explain issue.json --signature webgpu-buffer-usage-conflict --with ep=webgpu --json

exit code: 0 done, whatever the first line says; 2 bad input
"""

_LONGEST = 300  # characters of one line
_STATE = {True: "held", False: "failed", None: "unknown"}
_SHADE = {True: GREEN, False: RED, None: YELLOW}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument(
        "--signature", metavar="ID", type=words, required=True, help="the signature; `triage list` names them"
    )
    add_facts(parser)
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    given = read_input(arguments.input, text=arguments.text)
    known = load_known(tuple(arguments.layers))
    for error in known.errors:
        warn(f"triage: {error}")
    signature = find_signature(arguments.signature, known)
    report = read_issue(given.issue, known.vocabulary, known.names, stated(arguments.given, known))
    explanation = explain(report, signature)
    if arguments.json:
        say_machine(json.dumps(explanation_json(explanation, signature), indent=2, ensure_ascii=False))
    else:
        page = paper()
        write_explanation(page, explanation, signature)
        say(str(page))
    return 0


def find_signature(id_: str, known: Known) -> Signature:
    """Raises InputError with the nearest ids where there is none of that id."""
    for signature in known.catalogue.signatures:
        if signature.id == id_:
            return signature
    raise InputError(f"there is no signature {id_!r}{nearest(id_, [s.id for s in known.catalogue.signatures])}.")


def nearest(id_: str, ids: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(id_, ids, n=3)
    return f"; near it: {', '.join(near)}" if near else "; `triage list` names what there is"


def detail_words(reason: Reason, signature: Signature) -> str:
    """What became of one clause: what it asks for, as it is written in the signature's file, and whether that is
    there."""
    kind, _, rest = reason.clause.partition("[")
    if kind in ("when", "shared", "beside", "named") or reason.clause.startswith("when."):
        return one_line(redact(reason.detail), _LONGEST)
    texts = getattr(signature, kind)
    wanted = " | ".join(texts) if kind == "any" else texts[int(rest.rstrip("]"))]
    if kind == "none":
        return f"absent, as it must be: {wanted}" if reason.held else f"present, and must not be: {wanted}"
    return wanted if reason.held else f"not found: {wanted}"


def first_failure(explanation: Explanation) -> Reason | None:
    return next((r for r in explanation.reasons if r.held is False), None)


def explanation_json(explanation: Explanation, signature: Signature) -> dict[str, object]:
    failed = first_failure(explanation)
    return {
        "schema": 1,
        "signature": signature.id,
        "matches": explanation.matches,
        "clauses": [
            {"clause": r.clause, "held": r.held, "detail": detail_words(r, signature)} for r in explanation.reasons
        ],
        "failed_first": failed.clause if failed else None,
        "nearest_line": redact(explanation.nearest) if explanation.nearest else None,
        "dismissed": explanation.dismissed,
    }


def write_explanation(page: Paper, explanation: Explanation, signature: Signature) -> None:
    page.text(signature.title, BOLD)
    page.text(signature.id, DIM)
    page.blank()
    failed = first_failure(explanation)
    if explanation.matches:
        page.text("The text shows this signature.", GREEN)
    elif failed is not None:
        page.text(f"The text does not show this signature: {failed.clause} failed first.", RED)
    elif explanation.dismissed:
        page.text("The words are there, but the writer rules them out: such a passage is no evidence.", RED)
    else:
        page.text("The text does not show this signature: it has no block of the reporter's own to search.", RED)
    page.blank()
    width = max((len(r.clause) for r in explanation.reasons), default=0) + 2
    for reason in explanation.reasons:
        state = page.style(f"{_STATE[reason.held]:<9}", _SHADE[reason.held])
        detail = one_line(detail_words(reason, signature), _LONGEST)
        page.lines.append(f"  {reason.clause:<{width}}{state}{detail}")
    if explanation.nearest:
        page.blank()
        page.field("Nearest line", one_line(redact(explanation.nearest), _LONGEST), indent=0)
