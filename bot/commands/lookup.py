"""`triage lookup`: from a text to the known failures it shows, and their fix.

Exit code 0: something known was recognised; 1: nothing.
"""

from __future__ import annotations

from types import SimpleNamespace

from bot.errors import InputError
from bot.input.issue_file import Given, read_input
from bot.knowledge import Known, load_known, promoted
from bot.pipeline import diagnose_issue
from bot.terminal import one_line, say, say_machine, warn
from bot.terminal.progress import progress
from kb.model import Diagnosis
from signatures.extract import given_fact
from signatures.model import Fact, Finding
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from bot.artifacts.reported_models import Looked
    from kb.records import Similar

NOTHING_KNOWN = 1

EXAMPLES = """\
  triage lookup "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)"
  triage lookup error.log --with foundry-local-cli=0.10.0 --with ep=webgpu
  triage lookup issue.json --comment
  triage lookup issue.json --check
  journalctl -u my-service | triage lookup - --json

An issue as JSON is {"issue": ..., "comments": [...]} with GitHub's REST objects, or what this gives:
  gh issue view N --repo OWNER/REPO --json title,body,author,url,comments > issue.json

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
    parser.add_argument(
        "--check",
        action="store_true",
        help="open the models that the report names, and let what their files prove count; reads the network",
    )
    parser.add_argument(
        "--model",
        dest="models",
        metavar="REF",
        action="append",
        default=[],
        help="a model to check too, as `triage artifact` takes it, such as the folder of your copy; may be repeated",
    )
    parser.add_argument(
        "--similar",
        action="store_true",
        help="show also what is nearest by its words in the store, which does not make it the same",
    )
    parser.add_argument(
        "--shadow", action="store_true", help="answer as if the signatures in shadow had been promoted already"
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
    return SimpleNamespace(
        input=inputs[0],
        text=text,
        given=[],
        as_of=None,
        json=as_json,
        comment=comment,
        layers=[],
        check=False,
        models=[],
        similar=False,
        shadow=False,
    )


def run(arguments: argparse.Namespace | SimpleNamespace) -> int:
    if arguments.json and arguments.comment:
        raise InputError("--json and --comment are two forms of one answer; give one of them.")
    if arguments.similar and arguments.comment:
        raise InputError("what is merely similar stands in no comment; leave --similar or --comment out.")
    as_of = iso_date(arguments.as_of) if arguments.as_of is not None else None
    given = read_input(arguments.input, text=arguments.text)
    known = load_known(tuple(arguments.layers))
    for error in known.errors:
        warn(f"triage: {error}")
    known = promoted(known) if arguments.shadow else known
    facts = stated(arguments.given, known)
    looked: tuple[Looked, ...] = ()
    if arguments.check or arguments.models:
        diagnosis, looked = _checked(arguments, given, known, facts, as_of)
    else:
        with progress(sum(len(p.text) for p in given.issue.posts), "Reading"):
            diagnosis = diagnose_issue(given.issue, known, given=facts, as_of=as_of)
    if arguments.comment:
        return _comment(diagnosis, known, as_of)
    near = _nearest(given) if arguments.similar else None
    if arguments.json:
        _json(diagnosis, looked, near)
    else:
        _people(diagnosis, known, given, as_of, looked, near)
    return 0 if diagnosis.known or diagnosis.signatures else NOTHING_KNOWN


def _checked(
    arguments: argparse.Namespace | SimpleNamespace,
    given: Given,
    known: Known,
    facts: tuple[Fact, ...],
    as_of: str | None,
) -> tuple[Diagnosis, tuple[Looked, ...]]:
    """The diagnosis with what checks of the models say, and those models."""
    from bot.artifacts.reported_models import check_reported, findings
    from bot.fetch.opening import fetcher
    from bot.terminal.artifact_progress import Reading, watching
    from signatures.checks import REGISTRY

    looked: list[Looked] = []
    reading = Reading(given.name, len(REGISTRY))

    def examine(diagnosis: Diagnosis) -> tuple[Finding, ...]:
        models, named = arguments.models, arguments.check
        looked.extend(check_reported(diagnosis, known.knowledge, opening, models, named=named, reading=reading))
        return findings(looked)

    with fetcher() as opening, watching(reading):
        diagnosis = diagnose_issue(given.issue, known, given=facts, as_of=as_of, examine=examine)
    for one in looked[: len(arguments.models)]:
        if one.checked is None:  # what the caller named, the caller can mend
            raise InputError(f"--model {one_line(one.ref, 120)}: {one.why}")
    return diagnosis, tuple(looked)


def iso_date(text: str) -> str:
    """`text` where it is a day of the calendar as YYYY-MM-DD. Raises InputError otherwise."""
    from datetime import date

    try:
        # only the calendar's own form: others of ISO 8601 have ten characters as well
        if len(text) == 10 and text[4] == text[7] == "-" and text.isascii() and text.replace("-", "").isdigit():
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
            meant = _meant(key.strip(), value.strip(), known) or f"{e}."
            raise InputError(f"--with {one_line(pair, 120)}: {meant}") from None
    return tuple(facts)


def _meant(key: str, value: str, known: Known) -> str:
    """What the caller may have meant by a key or a value that is not known; "" where both are."""
    from difflib import get_close_matches

    vocabulary = known.vocabulary
    if key in vocabulary.keys:
        spellings = [(spelling, canonical) for owner, spelling, canonical in vocabulary.spellings if owner == key]
        short: dict[str, str] = {}  # one short word for each value
        for spelling, canonical in spellings:
            if spelling == canonical.casefold().removesuffix("executionprovider"):
                short[canonical] = spelling
            short.setdefault(canonical, spelling)
        near = [s for s in short.values() if s.startswith(value.casefold())][:3]
        near = near or get_close_matches(value.casefold(), [s for s, _ in spellings], n=1)
        hint = f"did you mean {' or '.join(near)}? It" if near else "it"
        return f"{hint} is one of {', '.join(short.values())}."
    names = [n for p in known.names for n in (p.id, *p.aliases)]
    if key in names or key.startswith("model"):
        return ""
    near = get_close_matches(key, [*vocabulary.keys, *(p.id for p in known.names)], n=3, cutoff=0.5)
    if near:
        return f"there is no key {key!r}; near it: {', '.join(near)}."
    return f"there is no key {key!r}; a key is a product of `triage list products`, or {', '.join(vocabulary.keys)}."


def _comment(diagnosis: Diagnosis, known: Known, as_of: str | None) -> int:
    from bot.comment import write_comment
    from bot.wording import Names

    comment = write_comment(diagnosis, Names(known.knowledge.products), as_of=as_of)
    if comment is None:
        return NOTHING_KNOWN
    say_machine(comment.body)
    return 0


def _nearest(given: Given) -> tuple[Similar, ...]:
    from bot.commands.similar import nearest
    from bot.storage import absence

    found = nearest("\n".join((given.issue.title, *(p.text for p in given.issue.posts))))
    if found is None:
        raise InputError(absence("`triage sync` makes one, which --similar looks through"))
    return found


def _json(diagnosis: Diagnosis, looked: tuple[Looked, ...], near: tuple[Similar, ...] | None) -> None:
    import json

    from bot.machine.report import diagnosis_json

    answer = diagnosis_json(diagnosis)
    if looked:
        from bot.machine.artifact import looked_json

        answer["checked"] = [looked_json(one) for one in looked]
    if near is not None:
        answer["similar"] = [s._asdict() for s in near]
    say_machine(json.dumps(answer, indent=2, ensure_ascii=False))


def _people(
    diagnosis: Diagnosis,
    known: Known,
    given: Given,
    as_of: str | None,
    looked: tuple[Looked, ...],
    near: tuple[Similar, ...] | None,
) -> None:
    from bot.terminal import paper
    from bot.terminal.report import write_diagnosis, write_nothing
    from bot.wording import Names

    page = paper()
    names = Names(known.knowledge.products)
    if diagnosis.known or diagnosis.signatures:
        write_diagnosis(page, diagnosis, names, as_of=as_of)
    else:
        counts = len(known.catalogue.signatures), len(known.knowledge.problems)
        write_nothing(page, diagnosis, names, source=given.name, known=counts)
    if looked:
        from bot.terminal.artifact import write_looked

        page.blank()
        write_looked(page, looked)
    if near is not None:
        from bot.commands.similar import write_similar

        page.blank()
        write_similar(page, near)
    say(str(page).rstrip("\n"))
