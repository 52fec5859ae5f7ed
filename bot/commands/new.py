"""`triage new`: a signature, and a problem if wanted, from a failure at hand, as files to be cut to size."""

from __future__ import annotations

import argparse
import os
import shlex

from bot.arguments import add_layers, words
from bot.authoring import authored_files, toml_text
from bot.authoring.drafting import Draft, NothingStable, draft_from_lines, draft_signature
from bot.errors import InputError
from bot.input.issue_file import read_input
from bot.knowledge import Known, load_known
from bot.terminal import one_line, printable, say, warn
from bot.wording import UNKNOWN_CAUSE
from signatures.extract import read_issue
from signatures.linear import linear
from signatures.model import Example
from signatures.validate import Reading

EXAMPLES = """\
  triage new my-loader-error --from error.log --catalogue my-triage
  triage new my-loader-error --from issue.json --catalogue my-triage --problem --cause "The DLL is missing."
  triage new my-loader-error --from-worklist 1a2b3c4d       # in a checkout, where --catalogue may be left out
  triage new my-cause --problem --signature my-loader-error --catalogue my-triage

exit code: 0 written, 2 bad input; nothing is written then
"""

_ID = r"[a-z0-9]+(-[a-z0-9]+)*"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", type=words, help="its name for good, in kebab-case, such as my-loader-error"
    )
    parser.add_argument("--from", dest="source", metavar="TEXT|FILE|-", help="a report that shows the failure")
    parser.add_argument("--text", action="store_true", help="take --from as text even if a file has that name")
    parser.add_argument(
        "--from-worklist", dest="cluster", metavar="ID|PLACE", help="a failure that `triage worklist` shows"
    )
    parser.add_argument(
        "--cases", metavar="CASES.yaml", help="with --from-worklist: the case file that the worklist was made of"
    )
    parser.add_argument(
        "--files", metavar="FILE", nargs="+", default=[], help="with --from-worklist: the files that it was made of"
    )
    parser.add_argument("--title", metavar="TEXT", type=words, help="one line for people; the printed line if left out")
    parser.add_argument(
        "--family",
        metavar="NAME",
        type=words,
        help="folder of the signature; if left out, own with --catalogue, else that of its nearest",
    )
    parser.add_argument(
        "--problem", action="store_true", help="also write a problem of this id that the signature shows"
    )
    parser.add_argument(
        "--signature", metavar="ID", type=words, help="with --problem: an existing signature that shows it"
    )
    parser.add_argument("--cause", metavar="TEXT", type=words, help="with --problem: what causes it, in one sentence")
    add_layers(parser, "the folder of your own to write to; what is in it is known as well")


def run(arguments: argparse.Namespace) -> int:
    id_: str = arguments.id
    _check_names(arguments)
    target = _target(arguments.layers)
    known = load_known(tuple(d for d in arguments.layers if os.path.isdir(d)))
    for error in known.errors:
        warn(f"triage: {error}")
    _check_free(id_, arguments, known)
    texts: dict[str, str] = {}
    if arguments.source is not None or arguments.cluster is not None:
        draft, ref = _draft(arguments, known) if arguments.cluster is None else _draft_of_cluster(arguments, known)
        family = arguments.family or (draft.family if not arguments.layers else None) or "own"
        texts[target.signature(family, id_)] = signature_toml(draft)
    else:
        draft, ref = None, None
    if arguments.problem:
        shown_by = arguments.signature or id_
        title = _text(arguments.title) or (draft.signature.title if draft else _title_of(shown_by, known))
        told = ref or (_origin(arguments) if arguments.source is not None else None)
        texts[target.problem(id_)] = problem_toml(id_, title, shown_by, _text(arguments.cause), told)
    authored_files.write_new(texts)
    for path in texts:
        shown = os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else path
        say(f"wrote {printable(shown)}")
    _next_steps(arguments, draft)
    return 0


def _check_names(arguments: argparse.Namespace) -> None:
    for what, name in (("ID", arguments.id), ("--family", arguments.family), ("--signature", arguments.signature)):
        if name is not None and (len(name) > 80 or not linear(_ID).fullmatch(name)):
            raise InputError(f"{what} {name!r} is not kebab-case: lower-case letters, digits and single hyphens.")
    if arguments.cause is not None and not arguments.problem:
        raise InputError("--cause belongs to a problem: add --problem.")
    _check_origin(arguments)


def _check_origin(arguments: argparse.Namespace) -> None:
    if arguments.cluster is not None and (arguments.source is not None or arguments.signature is not None):
        raise InputError("--from-worklist names the failure; leave --from and --signature out.")
    for option, given in (("--cases", arguments.cases), ("--files", arguments.files)):
        if given and arguments.cluster is None:
            raise InputError(f"{option} belongs to --from-worklist.")
    if arguments.cluster is not None:
        return
    if arguments.source is None and not arguments.problem:
        raise InputError("--from is missing: give a text, a file or - that shows the failure.")
    if arguments.source is None and arguments.signature is None:
        raise InputError("--problem needs --from (a new signature) or --signature ID (an existing one).")
    if arguments.source is not None and arguments.signature is not None:
        raise InputError("--from makes a signature and --signature names one: give one of the two.")


def _target(layers: list[str]) -> authored_files.Target:
    if len(layers) > 1:
        raise InputError("give one --catalogue: the folder to write to.")
    if layers:
        return authored_files.layer(layers[0])
    checkout = authored_files.checkout()
    if checkout is None:
        how = f"say where to write with --catalogue DIR, a folder of your own; or {authored_files.AS_CHECKOUT}"
        raise InputError(f"this is an installed copy; {how}.")
    return checkout


def _check_free(id_: str, arguments: argparse.Namespace, known: Known) -> None:
    signatures = {s.id for s in known.catalogue.signatures}
    if arguments.source is not None and id_ in signatures:
        raise InputError(f"there is a signature {id_} already (`triage show {id_}`); choose another id.")
    if arguments.problem and id_ in {p.id for p in known.knowledge.problems}:
        raise InputError(f"there is a problem {id_} already (`triage show {id_}`); choose another id.")
    if arguments.signature is not None and arguments.signature not in signatures:
        raise InputError(f"there is no signature {arguments.signature}; `triage list signatures` lists them.")


def _draft(arguments: argparse.Namespace, known: Known) -> tuple[Draft, str | None]:
    given = read_input(arguments.source, text=arguments.text)
    report = read_issue(given.issue, known.vocabulary, known.names)
    files = authored_files.signature_files(tuple(d for d in arguments.layers if os.path.isdir(d)))
    reading = Reading(known.vocabulary, known.names)
    try:
        draft = draft_signature(arguments.id, _text(arguments.title), report, known.catalogue, files, reading)
    except NothingStable:
        why = f"{given.name} has no line with words of its own to recognise"
        raise InputError(f"{why}; give the lines that were printed at the failure.") from None
    for signature in draft.overlaps:
        warn(f"triage: the text already shows {signature}; a signature of its own may not be needed.")
    return draft, given.issue.ref


def _draft_of_cluster(arguments: argparse.Namespace, known: Known) -> tuple[Draft, str | None]:
    from bot.commands.worklist import chosen, gathered

    cluster = chosen(gathered(arguments.files, arguments.cases, known), arguments.cluster)
    files = authored_files.signature_files(tuple(d for d in arguments.layers if os.path.isdir(d)))
    reading = Reading(known.vocabulary, known.names)
    lines = tuple((f.issue, f.line) for f in cluster.examples)
    try:
        draft = draft_from_lines(arguments.id, _text(arguments.title), lines, known.catalogue, files, reading)
    except NothingStable:
        raise InputError(
            f"the issues of {cluster.id} share no words to recognise; start from one with --from."
        ) from None
    for signature in draft.overlaps:
        warn(f"triage: the lines already show {signature}; a signature of its own may not be needed.")
    return draft, cluster.examples[0].issue


def signature_toml(draft: Draft) -> str:
    """The file of a drafted signature."""
    signature = draft.signature
    lines = [
        f"# Cut `all` to the words that every such failure prints; then `triage validate {signature.id}`.",
        "schema = 1",
        f'id     = "{signature.id}"',
        f"title  = {toml_text.string(signature.title)}",
        'stage  = "shadow"  # recognised and counted, no answer yet; `triage promote` takes this line away',
    ]
    if draft.overlaps:
        lines += ["# its first example shows these as well", f"overlaps = {toml_text.strings(draft.overlaps)}"]
    lines += [
        "",
        "[match]  # every text of `all` stands in one block of the report",
        f"all = {toml_text.strings(signature.all)}",
    ]
    if draft.facts:
        lines += [
            "",
            "# Facts of the report. If the failure needs one, uncomment it and add a near miss that contradicts it.",
            "# [when]",
        ]
        lines += [f"# {key} = [{toml_text.string(value)}]" for key, value in draft.facts]
    for example in draft.examples:
        lines += ["", *_example_toml(example)]
    return "\n".join(lines) + "\n"


def _example_toml(example: Example) -> list[str]:
    lines = ["[[example]]", f"match = {'true' if example.match else 'false'}"]
    if example.origin:
        lines.append(f"from  = {toml_text.string(example.origin)}")
    if example.why:
        lines.append(f"why   = {toml_text.string(example.why)}")
    if example.facts:
        lines.append(f"facts = {toml_text.inline_table(example.facts)}")
    text = toml_text.block(example.text) if "\n" in example.text else toml_text.string(example.text)
    return [*lines, f"text  = {text}"]


def problem_toml(id_: str, title: str, signature: str, cause: str | None, ref: str | None) -> str:
    """The file of a problem that one signature shows, as sure as a single report can make it."""
    refs = f"[{toml_text.string(ref)}]" if ref else "[]"
    return "\n".join(
        [
            "# One cause, told in the first of `refs`. Raise `status` to reproduced or confirmed when it is, and add",
            "# [[workaround]], [[affected]] and [[fix]] then, each with its `ref`.",
            "schema = 1",
            f'id     = "{id_}"',
            f"title  = {toml_text.string(title)}",
            f"cause  = {toml_text.string(cause or UNKNOWN_CAUSE)}",
            'status = "reported"',
            f"refs   = {refs}",
            "",
            "[[symptom]]",
            f'signature = "{signature}"',
            "",
        ]
    )


def _origin(arguments: argparse.Namespace) -> str:
    """What a failure was drafted from, where it is no issue: the name of its file."""
    named = not arguments.text and os.path.isfile(arguments.source)
    return one_line(os.path.basename(arguments.source), 200) if named else "the text that it was written from"


def _title_of(signature: str, known: Known) -> str:
    return known.titles[signature]


def _text(argument: str | None) -> str | None:
    """A title or a cause: one line, or None where nothing is said."""
    return one_line(argument) or None if argument is not None else None


def _next_steps(arguments: argparse.Namespace, draft: Draft | None) -> None:
    layer = f" --catalogue {_quoted(arguments.layers[0])}" if arguments.layers else ""
    if arguments.problem and not arguments.cause:
        say(f'The problem says "{UNKNOWN_CAUSE}" for its cause: write what is known, and workarounds.')
    say("Next:")
    say(f"  triage validate {arguments.id}{layer}")
    source = arguments.source if arguments.source is not None else "error.log"
    if draft is not None and (len(source) > 100 or source == "-"):
        shown = "FILE"
    else:
        shown = ("--text " if arguments.text else "") + _quoted(source)
    say(f"  triage lookup {shown} --shadow{layer}")
    if draft is not None:
        say(f"  triage promote {arguments.id} --by YOUR-NAME{layer}")


def _quoted(argument: str) -> str:
    """As a shell takes it, and as a terminal can show it."""
    return printable(shlex.quote(argument)).replace("\n", " ")
