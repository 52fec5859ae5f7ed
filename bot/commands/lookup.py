"""`triage lookup`: from a text to the known failures it shows, and their fix.

Exit code 0: something known was recognised; 1: nothing.
"""

from __future__ import annotations

from types import SimpleNamespace

from bot.errors import InputError
from bot.issue_file import Given, read_input
from bot.knowledge import Known, load_known
from bot.pipeline import diagnose_issue
from bot.progress import progress
from bot.terminal import say, say_machine, warn
from kb.model import Diagnosis
from signatures.extract import given_fact
from signatures.model import Fact
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

NOTHING_KNOWN = 1

EXAMPLES = """\
  triage lookup "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)"
  triage lookup error.log --with foundry-local-cli=0.10.0 --with ep=webgpu
  triage lookup issue.json --comment
  journalctl -u my-service | triage lookup - --json

An issue as JSON is {"issue": ..., "comments": [...]} with GitHub's REST objects; one way to make it:
  gh api repos/OWNER/REPO/issues/N > issue.json

exit code: 0 something known was recognised, 1 nothing, 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from bot.arguments import add_facts, add_input, add_json, add_layers

    add_input(parser)
    add_facts(parser)
    parser.add_argument("--as-of", metavar="DATE", help="answer as on this date, such as 2026-06-11")
    add_json(parser)
    parser.add_argument(
        "--comment",
        action="store_true",
        help="print the Markdown that the bot would post; nothing, and exit code 1, where it would stay silent",
    )
    add_layers(parser)


_FLAGS = ("--text", "--json", "--comment")


def read_simple(arguments: list[str]) -> SimpleNamespace | None:
    """The arguments of a call with one input and at most flags, as the parser would give them; else None.

    This is by far the commonest call, and the parser's import and set-up cost as much as the answer does.
    """
    inputs = [a for a in arguments if a not in _FLAGS]
    if len(inputs) != 1 or (inputs[0].startswith("-") and inputs[0] != "-"):
        return None
    text, as_json, comment = (flag in arguments for flag in _FLAGS)
    return SimpleNamespace(input=inputs[0], text=text, given=[], as_of=None, json=as_json, comment=comment, layers=[])


def run(arguments: argparse.Namespace | SimpleNamespace) -> int:
    if arguments.json and arguments.comment:
        raise InputError("--json and --comment are two forms of one answer; give one of them.")
    as_of = iso_date(arguments.as_of) if arguments.as_of is not None else None
    given = read_input(arguments.input, text=arguments.text)
    known = load_known(tuple(arguments.layers))
    for error in known.errors:
        warn(f"triage: {error}")
    facts = stated(arguments.given, known)
    with progress(sum(len(p.text) for p in given.issue.posts), "Reading"):
        diagnosis = diagnose_issue(given.issue, known, given=facts, as_of=as_of)
    if arguments.comment:
        return _comment(diagnosis, known, as_of)
    if arguments.json:
        _json(diagnosis)
    else:
        _people(diagnosis, known, given, as_of)
    return 0 if diagnosis.known or diagnosis.signatures else NOTHING_KNOWN


def iso_date(text: str) -> str:
    """`text` where it is a day of the calendar as YYYY-MM-DD. Raises InputError otherwise."""
    from datetime import date

    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise InputError(f"--as-of {text!r} is no date; write it as YYYY-MM-DD, such as 2026-06-11.")


def stated(pairs: list[str], known: Known) -> tuple[Fact, ...]:
    """The facts of --with. Raises InputError for a pair without `=` or an unknown key."""
    facts: list[Fact] = []
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise InputError(f"--with {pair!r} is no KEY=VALUE, such as os=windows or foundry-local-cli=0.10.0.")
        try:
            facts.append(given_fact(key.strip(), value.strip(), known.vocabulary, known.names))
        except ValueError as e:
            raise InputError(f"--with {pair}: {e}") from None
    return tuple(facts)


def _comment(diagnosis: Diagnosis, known: Known, as_of: str | None) -> int:
    from bot.comment import write_comment
    from bot.wording import Names

    comment = write_comment(diagnosis, Names(known.knowledge.products), as_of=as_of)
    if comment is None:
        return NOTHING_KNOWN
    say_machine(comment.body)
    return 0


def _json(diagnosis: Diagnosis) -> None:
    import json

    from bot.report_json import diagnosis_json

    say_machine(json.dumps(diagnosis_json(diagnosis), indent=2, ensure_ascii=False))


def _people(diagnosis: Diagnosis, known: Known, given: Given, as_of: str | None) -> None:
    from bot.report_text import write_diagnosis, write_nothing
    from bot.terminal import paper
    from bot.wording import Names

    page = paper()
    names = Names(known.knowledge.products)
    if diagnosis.known or diagnosis.signatures:
        write_diagnosis(page, diagnosis, names, as_of=as_of)
    else:
        counts = len(known.catalogue.signatures), len(known.knowledge.problems)
        write_nothing(page, diagnosis, names, source=given.name, known=counts)
    say(str(page).rstrip("\n"))
