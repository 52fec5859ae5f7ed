"""`triage artifact`: what a model's own files prove about how it will fail, without its weights.

Exit code 0: read, or repaired where that is needed; 1: something found that `--fail-on` names; 2: an artifact that
cannot be read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from bot.errors import InputError
from bot.terminal import one_line, paper, say, say_machine, warn

if TYPE_CHECKING:
    import argparse

    from bot.artifacts.checked import Checked
    from bot.fetch import Caps, Fetcher
    from signatures.checks.model import Target

FOUND, UNREADABLE = 1, 2

EXAMPLES = """\
  triage artifact model.onnx --runtime onnxruntime=1.20.1
  triage artifact ./my-package --runtime onnxruntime-webgpu=1.27.0 --ep webgpu
  triage artifact hf:onnx-community/Qwen3-0.6B-ONNX/onnx/model_q4f16.onnx --ep webgpu
  triage artifact hf:owner/name@4f1c2d3/cuda/cuda-int4 --runtime onnxruntime-genai=0.18.0 --json
  triage artifact https://github.com/owner/name/releases/download/v1.0/native-win-x64.zip
  triage artifact exported/ --fail-on probable --sarif > triage.sarif
  triage artifact ./my-package --fix ./repaired --runtime onnxruntime-webgpu=1.27.0 --ep webgpu

Remote files are read in ranges: a model of gigabytes takes some megabytes. HF_ENDPOINT names a mirror of the hub;
TRIAGE_FETCH_HOSTS adds hosts that files may be fetched from, as --allow-host does.

--fix writes a repaired copy: baked copy nodes are taken out, and graph capture is switched off in the sections whose
model the runtime would refuse for it. Weights are copied as bytes; what cannot be shown to be safe is refused.

exit code: 0 read, or repaired, or nothing is there to repair; 1 found what --fail-on names; 2 an artifact cannot be
read, or a repair is refused
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "refs",
        metavar="REF",
        nargs="+",
        help="a file, a folder, hf:OWNER/NAME[@REVISION][/FILE], an https address, or a Foundry catalogue id",
    )
    parser.add_argument(
        "--runtime",
        dest="runtimes",
        metavar="NAME=VERSION",
        action="append",
        default=[],
        help="what is to open it, such as onnxruntime=1.20.1 or onnxruntime-genai=0.18.0; may be repeated",
    )
    parser.add_argument("--ep", metavar="NAME", help="the execution provider, such as webgpu, cuda or cpu")
    parser.add_argument(
        "--check", dest="checks", metavar="ID", action="append", default=[], help="run only this check; may be repeated"
    )
    parser.add_argument("--fail-on", choices=("fatal", "probable"), help="exit with 1 for findings of this severity")
    parser.add_argument("--fix", dest="out", metavar="OUT", help="write a repaired copy of one local artifact to OUT")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON for programs, one document per artifact")
    form.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0, for code scanning")
    add_fetching(parser)


def add_fetching(parser: argparse.ArgumentParser) -> None:
    """Options for whatever reads artifacts over the network."""
    parser.add_argument(
        "--allow-host",
        dest="hosts",
        metavar="HOST",
        action="append",
        default=[],
        help="also fetch from this host; written as http://HOST:PORT, whatever its address",
    )
    parser.add_argument("--max-mib", type=int, default=64, metavar="N", help="transfer at most this much (64)")
    parser.add_argument("--max-requests", type=int, default=400, metavar="N", help="send at most so many (400)")
    parser.add_argument("--timeout", type=float, default=120.0, metavar="SECONDS", help="for each artifact (120)")


class _Asked(NamedTuple):
    target: Target
    checks: tuple[str, ...] | None


def run(arguments: argparse.Namespace) -> int:
    asked = _Asked(target_of(arguments.runtimes, arguments.ep), _checks(arguments.checks))
    if arguments.out is not None:
        return _fix(arguments, asked)
    checked: list[Checked] = []
    unreadable = False
    from bot.fetch.opening import fetcher

    with fetcher(arguments.hosts, caps_of(arguments)) as opening:
        for ref in arguments.refs:
            one = _one(opening, ref, asked)
            if one is None:
                unreadable = True
                continue
            checked.append(one)
            if not arguments.sarif:
                _show(one, as_json=arguments.json, several=len(arguments.refs) > 1)
    if arguments.sarif:
        from bot.machine.sarif import sarif

        say_machine(json.dumps(sarif(checked), indent=2, ensure_ascii=False))
    if unreadable:
        return UNREADABLE
    return FOUND if any(_fails(one, arguments.fail_on) for one in checked) else 0


def _fix(arguments: argparse.Namespace, asked: _Asked) -> int:
    """Repairs one artifact. Raises InputError for what cannot be repaired."""
    if len(arguments.refs) != 1 or arguments.sarif or asked.checks is not None:
        raise InputError("--fix takes one artifact, and neither --sarif nor --check.")
    from bot.artifacts.repairing import repair

    ref = arguments.refs[0]
    repaired = repair(ref, arguments.out, asked.target)
    if arguments.json:
        from bot.machine.artifact import repaired_json

        say_machine(json.dumps(repaired_json(ref, repaired), indent=2, ensure_ascii=False))
    elif repaired is None:
        say(f"{one_line(ref, 120)} holds nothing that is repaired here; nothing was written.")
    else:
        from bot.terminal.artifact import write_repaired

        page = paper()
        write_repaired(page, repaired)
        say(str(page).rstrip("\n"))
    checked = repaired.checked if repaired is not None else None
    if checked is None and arguments.fail_on is not None:  # what stands as it was may still fail
        from bot.fetch.opening import fetcher

        with fetcher(arguments.hosts, caps_of(arguments)) as opening:
            checked = _one(opening, ref, asked)
        if checked is None:
            return UNREADABLE
    return FOUND if checked is not None and _fails(checked, arguments.fail_on) else 0


def _one(opening: Fetcher, ref: str, asked: _Asked) -> Checked | None:
    """The artifact with its findings; None where it cannot be read, which is said."""
    from bot.artifacts.checked import check
    from bot.terminal.artifact_progress import Reading, watching
    from signatures.artifact.source import SourceError
    from signatures.checks import REGISTRY

    reading = Reading(ref, len(asked.checks) if asked.checks is not None else len(REGISTRY))
    try:
        with watching(reading):
            opened = opening.open(ref, started=reading.started)
            package = opened.package
            if not package.names:
                skipped = "".join(f"; {name} is {what}" for name, what in package.skipped[:3])
                raise SourceError(f"holds no file that can be checked{skipped}", name=ref)
            checked = check(opened, asked.target, asked.checks, progress=reading.check)
            if package.unreadable is not None:
                raise SourceError(f"{package.unreadable.name} {package.unreadable}", name=ref)
            return checked
    except SourceError as error:
        warn(f"triage: {one_line(ref, 120) or repr(ref)}: {one_line(str(error), 400)}")
        return None


def caps_of(arguments: argparse.Namespace) -> Caps:
    """Raises InputError for caps that allow nothing."""
    from bot.fetch import Caps

    if arguments.max_mib < 1 or arguments.max_requests < 1 or not 0 < arguments.timeout < float("inf"):
        raise InputError("--max-mib, --max-requests and --timeout take numbers above 0.")
    return Caps(arguments.max_mib * 1024 * 1024, arguments.max_requests, arguments.timeout)


def target_of(pairs: list[str], ep: str | None) -> Target:
    """What --runtime and --ep say. Raises InputError for a pair without a version."""
    from signatures.checks import runtime
    from signatures.checks.model import Target

    known = (*runtime.ONNXRUNTIME, *runtime.PLUGINS, *runtime.GENAI, *runtime.LITERT_LM)
    runtimes: list[tuple[str, str]] = []
    for pair in pairs:
        name, equals, version = (part.strip() for part in pair.partition("="))
        if not equals or not name or not version:
            raise InputError(f"--runtime {pair!r} is no NAME=VERSION, such as onnxruntime=1.20.1.")
        if name.lower() not in known:
            raise InputError(f"--runtime {one_line(name, 60)!r} is not known; known are {', '.join(known)}.")
        if runtime.numbers(version) is None:
            raise InputError(f"--runtime {name}: {one_line(version, 60)!r} is no version, such as 1.20.1.")
        if any(name.lower() == given for given, _ in runtimes):
            raise InputError(f"--runtime names {name} twice; check for one version at a time.")
        runtimes.append((name.lower(), version))
    return Target(tuple(runtimes), _provider(ep) if ep is not None else None)


def _provider(ep: str) -> str:
    """The execution provider in lower case. Raises InputError for one that neither ONNX Runtime nor GenAI has."""
    from difflib import get_close_matches

    from signatures.artifact.genai import KNOWN_PROVIDERS, fold_provider

    folded = fold_provider(ep)
    if folded not in KNOWN_PROVIDERS:
        near = get_close_matches(folded, KNOWN_PROVIDERS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(KNOWN_PROVIDERS)}."
        raise InputError(f"--ep {one_line(ep, 60)!r} is no execution provider; {hint}")
    return ep.strip().lower()


def _checks(ids: list[str]) -> tuple[str, ...] | None:
    """Raises InputError for an id that is no check's."""
    if not ids:
        return None
    from signatures.checks import REGISTRY

    known = [check.id for check in REGISTRY]
    for id_ in ids:
        if id_ not in known:
            from difflib import get_close_matches

            near = get_close_matches(id_, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}."
            raise InputError(f"there is no check {id_!r}; {hint}")
    return tuple(ids)


def _show(checked: Checked, *, as_json: bool, several: bool) -> None:
    if as_json:
        from bot.machine.artifact import artifact_json

        say_machine(json.dumps(artifact_json(checked), indent=None if several else 2, ensure_ascii=False))
        return
    from bot.terminal.artifact import write_artifact

    page = paper()
    write_artifact(page, checked)
    say(str(page).rstrip("\n") + ("\n" if several else ""))


def _fails(checked: Checked, limit: str | None) -> bool:
    from signatures.checks.model import SEVERITY_ORDER

    if limit is None or checked.severity is None:
        return False
    return SEVERITY_ORDER.index(checked.severity) <= SEVERITY_ORDER.index(type(checked.severity)(limit))
