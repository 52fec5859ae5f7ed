"""`triage validate`: whether signatures, problems and products keep their promises."""

from __future__ import annotations

import argparse
import json
import os
import time

from bot.arguments import add_json, add_layers
from bot.commands.explain import nearest
from bot.errors import InputError
from bot.knowledge import product_names
from bot.terminal import BOLD, GREEN, RED, paper, say, say_machine
from bot.terminal.progress import progress
from kb import loader as knowledge_files
from kb.cross_check import cross_check
from kb.model import Knowledge
from signatures import loader as catalogue_files
from signatures.extract.vocabulary import load_vocabulary
from signatures.loader import LoadError, SignatureFile
from signatures.upkeep import check_owners, load_upkeep, upkeep_file
from signatures.validate import Reading, validate
from signatures.values import NamedTuple

FOUND_ERRORS = 2

EXAMPLES = """\
  triage validate
  triage validate duplicate-ep-tensor-name
  triage validate my-loader-error --catalogue my-triage
  triage validate my-triage/signatures/own/my-loader-error.toml --json

exit code: 0 all is well, 2 something is not
"""


class Folder(NamedTuple):
    """One place of authored files."""

    signatures: str
    knowledge: str


class Everything(NamedTuple):
    """What is checked, and what it is checked against."""

    signatures: list[SignatureFile]
    knowledge: Knowledge
    errors: list[LoadError]
    files: dict[str, list[str]]  # file -> ids in it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", nargs="*", metavar="ID|FILE", help="what to check; all of it if left out")
    add_json(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    started = time.monotonic()
    folders = folders_of([*arguments.layers, *_layers_of(arguments.targets)])
    everything = read_everything(folders)
    wanted = _wanted(arguments.targets, everything)
    with progress(1_000_000, "Validating"):
        errors = _check(everything, wanted)
    seconds = time.monotonic() - started
    signatures = sum(1 for s in everything.signatures if wanted is None or s.file in wanted)
    others = sum(1 for f in everything.files if (wanted is None or f in wanted)) - signatures
    if arguments.json:
        say_machine(json.dumps(_json(errors, signatures, others, seconds), indent=2, ensure_ascii=False))
    else:
        _people(errors, signatures, others, seconds)
    return FOUND_ERRORS if errors else 0


def folders_of(layers: list[str]) -> list[Folder]:
    folders = [Folder(catalogue_files.SHIPPED, knowledge_files.SHIPPED)]
    for path in dict.fromkeys(map(os.path.abspath, layers)):
        if not os.path.isdir(path):
            raise InputError(f"--catalogue {path!r} is no folder.")
        folders.append(Folder(os.path.join(path, "signatures"), path))
    return folders


def _layers_of(targets: list[str]) -> list[str]:
    """The folders of one's own that files given by path belong to, so that a path needs no --catalogue beside it."""
    layers: dict[str, None] = {}
    for target in targets:
        path = os.path.abspath(target)
        if not os.path.isfile(path) or path.startswith((catalogue_files.SHIPPED, knowledge_files.SHIPPED)):
            continue
        folder = os.path.dirname(path)
        while os.path.basename(folder) not in ("", "signatures", "problems", "products"):
            folder = os.path.dirname(folder)
        if os.path.basename(folder):
            layers[os.path.dirname(folder)] = None
    return list(layers)


def read_everything(folders: list[Folder]) -> Everything:
    errors: list[LoadError] = []
    signatures: dict[str, SignatureFile] = {}
    files: dict[str, list[str]] = {}
    for folder in folders:
        for file in catalogue_files.signature_files(folder.signatures):
            loaded = catalogue_files.load_file(file)
            if isinstance(loaded, SignatureFile):
                id_ = loaded.signature.id
                files[file] = [id_]
                twin = signatures.get(id_)
                if twin is not None and twin.file.startswith(os.path.join(folder.signatures, "")):
                    errors.append(LoadError(file, "id", None, f"{id_} is also the id of {twin.file}; keep one"))
                    continue
                signatures[id_] = loaded
            else:
                errors += loaded
                files[file] = [_stem(file)]
        for part in ("problems", "products"):
            inside = os.path.join(folder.knowledge, part)
            for name in sorted(os.listdir(inside)) if os.path.isdir(inside) else ():
                if name.endswith(".toml"):
                    files[os.path.join(inside, name)] = [_stem(name)]
        observed = os.path.join(folder.knowledge, "observed.toml")
        if os.path.exists(observed):
            files[observed] = ["observed"]
        upkeep, broken = load_upkeep(folder.signatures)
        own = [s for s in signatures.values() if s.file.startswith(os.path.join(folder.signatures, ""))]
        errors += (*broken, *check_owners(folder.signatures, own, upkeep))
        if os.path.exists(upkeep_file(folder.signatures)):
            files[upkeep_file(folder.signatures)] = ["upkeep"]
    knowledge, also_broken = knowledge_files.load_knowledge(tuple(f.knowledge for f in folders), check=True)
    return Everything(list(signatures.values()), knowledge, [*errors, *also_broken], files)


def _stem(file: str) -> str:
    return os.path.splitext(os.path.basename(file))[0]


def _wanted(targets: list[str], everything: Everything) -> set[str] | None:
    """The files that the targets name; None for all of them."""
    if not targets:
        return None
    wanted: set[str] = set()
    for target in targets:
        path = os.path.abspath(target)
        if path in everything.files:
            wanted.add(path)
            continue
        named = {file for file, ids in everything.files.items() if target in ids}
        if not named and os.path.exists(path):
            raise InputError(f"{target!r} lies below no folder named signatures, problems or products.")
        if not named:
            ids = [i for found in everything.files.values() for i in found]
            raise InputError(f"there is no signature, problem or product {target!r}{nearest(target, ids)}.")
        wanted |= named
    return wanted


def _check(everything: Everything, wanted: set[str] | None) -> list[LoadError]:
    vocabulary = load_vocabulary()
    catalogue = catalogue_files.catalogue_of(
        tuple(s.signature for s in everything.signatures if s.signature.withdrawn is None),
        catalogue_files.load_lines()[0],
    )
    reading = Reading(vocabulary, product_names(everything.knowledge))
    chosen = [s for s in everything.signatures if wanted is None or s.file in wanted]
    errors = [*everything.errors, *validate(chosen, catalogue, reading)]
    ids = frozenset(s.signature.id for s in everything.signatures)
    between = cross_check(everything.knowledge, ids, frozenset(vocabulary.keys))
    errors += (e._replace(file=full_name(e.file, everything)) for e in between)
    return [e for e in errors if wanted is None or os.path.abspath(e.file) in wanted]


def full_name(name: str, everything: Everything) -> str:
    """The path of a file that is named by its place in a folder, such as problems/x.toml; the topmost layer's."""
    found = [file for file in everything.files if file.replace(os.sep, "/").endswith("/" + name)]
    return found[-1] if found else name


def _people(errors: list[LoadError], signatures: int, others: int, seconds: float) -> None:
    page = paper()
    by_file: dict[str, list[LoadError]] = {}
    for error in errors:
        by_file.setdefault(error.file, []).append(error)
    for file, found in by_file.items():
        page.text(_relative(file), BOLD)
        for error in found:
            line = f" (line {error.line})" if error.line is not None else ""
            page.text(f"{error.key + ' ' if error.key else ''}{error.message}{line}", indent=2)
        page.blank()
    checked = f"{signatures} signature{_s(signatures)}, {others} other file{_s(others)}"
    if errors:
        verdict = page.style(f"{len(errors)} error{_s(len(errors))} in {len(by_file)} file{_s(len(by_file))}", RED)
    else:
        verdict = page.style("all well", GREEN)
    page.lines.append(f"{verdict}: {checked}, {seconds:.1f} s")
    say(str(page))


def _json(errors: list[LoadError], signatures: int, others: int, seconds: float) -> dict[str, object]:
    return {
        "schema": 1,
        "errors": [{"file": e.file, "key": e.key, "line": e.line, "message": e.message} for e in errors],
        "signatures": signatures,
        "other_files": others,
        "seconds": round(seconds, 2),
    }


def _relative(file: str) -> str:
    here = os.getcwd() + os.sep
    return file[len(here) :] if file.startswith(here) else file


def _s(count: int) -> str:
    return "" if count == 1 else "s"
