"""`triage record`: keeps what an issue shows, so that a failure that comes back is noticed."""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version

from bot.arguments import add_facts, add_json, add_layers
from bot.commands.explain import nearest
from bot.commands.lookup import stated
from bot.errors import InputError
from bot.input.issue_file import Given, read_input
from bot.knowledge import Known, load_known
from bot.pipeline import diagnose_issue
from bot.sighted import Thread, findings, issue_record, read_thread, sightings, unexplained
from bot.storage import catch_up, moment, refused, writable
from bot.terminal import paper, say, say_machine, warn
from kb.model import Dispute
from kb.records import SightingRecord
from signatures.values import NamedTuple

EXAMPLES = """\
  gh issue view 7 --repo OWNER/REPO --json title,body,author,url,state,createdAt,comments > 7.json
  triage record 7.json
  triage record issues/*.json --json
  triage record error.log --issue OWNER/REPO#7 --reporter jane --with foundry-local-cli=0.10.1
  triage record 7.json --maintainer jo --says wrong
  triage record 7.json --maintainer jo --says right --about my-loader-error
  triage record 7.json --maintainer jo --says nothing         # takes their word back

An issue that is recorded again replaces what was kept of it. Two reporters, or one maintainer, who see a problem with
certainty in a version that should have its fix turn it disputed there.
exit code: 0 recorded, also where nothing that is known is in any of them; 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="an issue as JSON, or a log with --issue")
    parser.add_argument("--issue", metavar="OWNER/REPO#N", help="which issue it is, where the file does not say")
    parser.add_argument("--reporter", metavar="LOGIN", help="who reported it, where the file does not say")
    parser.add_argument("--maintainer", metavar="LOGIN", help="a maintainer who judged the answer, with --says")
    parser.add_argument(
        "--says",
        choices=("right", "wrong", "nothing"),
        help="that maintainer's word on the answer: it counts, or it does not; `nothing` takes a word back",
    )
    parser.add_argument(
        "--about", metavar="ID", help="with --says: only of this problem or signature, also of one in shadow"
    )
    add_facts(parser)
    add_json(parser)
    add_layers(parser)


class Kept(NamedTuple):
    issue: str
    sightings: tuple[SightingRecord, ...]
    counted: frozenset[str]  # signatures in shadow


def run(arguments: argparse.Namespace) -> int:
    if (arguments.maintainer is None) != (arguments.says is None):
        raise InputError("--maintainer LOGIN and --says right|wrong|nothing belong together.")
    if arguments.about is not None and arguments.says is None:
        raise InputError("--about ID says what a word is about: add --maintainer LOGIN --says right|wrong|nothing.")
    if len(arguments.files) > 1 and (arguments.issue or arguments.reporter or arguments.maintainer):
        raise InputError("--issue, --reporter and --maintainer are of one issue; give one file.")
    with writable() as store, refused():
        catch_up(store, arguments.layers)
        known = load_known(tuple(arguments.layers))
        for error in known.errors:
            warn(f"triage: {error}")
        about = _about(arguments.about, known)
        facts = stated(arguments.given, known)
        kept: list[Kept] = []
        engine = version("ondevice-triage")
        for file in arguments.files:
            given, thread, ref = _read(file, arguments)
            record = issue_record(ref, given.issue.title, thread, engine)
            diagnosis = diagnose_issue(given.issue, known, given=facts)
            seen = sightings(diagnosis)
            store.record_issue(record, seen, moment(), findings=findings(diagnosis), unexplained=unexplained(diagnosis))
            if arguments.maintainer:
                who, says = arguments.maintainer, arguments.says
                if says == "nothing":
                    store.withdraw_verdict(ref, who, problem=about)
                else:
                    store.record_verdict(ref, who, says, maintainer=True, at=moment(), problem=about)
            kept.append(Kept(ref, seen, frozenset(s.signature for s in diagnosis.shadow)))
        disputes = catch_up(store, arguments.layers).disputes
    _say(arguments, kept, disputes)
    return 0


def _about(id_: str | None, known: Known) -> str:
    """What a maintainer's word is about; "" for all that the issue shows."""
    ids = [*(p.id for p in known.knowledge.problems), *known.titles]
    if id_ is not None and id_ not in ids:
        raise InputError(f"there is no problem or signature {id_!r}{nearest(id_, ids)}.")
    return id_ or ""


def _read(file: str, arguments: argparse.Namespace) -> tuple[Given, Thread, str]:
    if file == "-":
        raise InputError("an issue to keep comes from a file.")
    given = read_input(file)
    with open(file, "rb") as f:
        thread = read_thread(f.read())
    if arguments.reporter:
        thread = thread._replace(reporter=arguments.reporter)
    ref = arguments.issue or given.issue.ref
    if ref is None:
        raise InputError(f"which issue {file!r} is cannot be seen; add --issue owner/repo#N.")
    return given, thread, ref


def _say(arguments: argparse.Namespace, kept: list[Kept], disputes: tuple[Dispute, ...]) -> None:
    mine = {s.problem for k in kept for s in k.sightings}
    doubted = [d for d in disputes if d.problem in mine]
    if arguments.json:
        issues = [{"issue": k.issue, "sightings": [s._asdict() for s in k.sightings]} for k in kept]
        answer = {"schema": 1, "issues": issues, "disputes": [d._asdict() for d in doubted]}
        say_machine(json.dumps(answer, indent=2, ensure_ascii=False))
        return
    page = paper()
    for k in kept:
        page.text(f"{k.issue}: {len(k.sightings) or 'nothing known'}{' kept' if k.sightings else ''}")
        for s in k.sightings:
            where = " ".join(w for w in (s.product or s.component, s.product_version or s.component_version) if w)
            counted = ", in shadow" if s.signature in k.counted else ""
            page.field(
                "", f"{s.problem or s.signature}: {s.certainty}{f', {where}' if where else ''}{counted}", column=2
            )
    for d in doubted:
        page.field("disputed", f"{d.problem} in {d.product} {d.version}: {d.why}")
    say(str(page))
