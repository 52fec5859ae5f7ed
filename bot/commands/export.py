"""`triage export`: what is known, for programs that read OSV records or OpenVEX documents."""

from __future__ import annotations

import argparse
import json
import os
from datetime import UTC, datetime

from bot.arguments import add_layers, folder
from bot.commands.explain import nearest
from bot.errors import InputError
from bot.machine.osv import osv_id, osv_json
from bot.machine.vex import vex_json
from bot.terminal import say, say_machine
from bot.upstream.asking import add_mirrors, known_knowledge, read_mirrors
from kb.affected import components_of
from kb.exposure import is_exported
from kb.graph.trace import Graph
from kb.model import Knowledge

EXAMPLES = """\
  triage export osv
  triage export osv webgpu-recurrent-state-buffer-aliasing
  triage export osv onnxruntime-genai --out advisories/
  triage export vex foundry-local-cli --mirror ~/src/foundry-local

exit code: 0 done, also where there is nothing to write; 2 bad input
"""
Json = dict[str, object]
_DATED = ("modified", "withdrawn", "timestamp", "last_updated", "version")
_LARGEST = 16 << 20  # bytes of an earlier file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "format", choices=("osv", "vex"), help="OSV records of problems, or OpenVEX documents of products"
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these problems or products")
    parser.add_argument(
        "--out", metavar="DIR", type=folder, help="a file for each record; one that says the same is left alone"
    )
    add_mirrors(parser)
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    knowledge = known_knowledge(arguments.layers)
    _known_ids(knowledge, arguments.ids)
    graph = read_mirrors(knowledge, arguments.mirrors).graph
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = (_osv if arguments.format == "osv" else _vex)(graph, frozenset(arguments.ids), moment)
    if arguments.out is None:
        say_machine(json.dumps(list(made.values()), indent=2, ensure_ascii=False))
        return 0
    os.makedirs(arguments.out, exist_ok=True)
    written = sum(_write(os.path.join(arguments.out, name), record) for name, record in made.items())
    gone = 0 if arguments.ids or arguments.format == "vex" else _withdraw_rest(arguments.out, made, moment)
    left = f"; {gone} that are told no more are marked withdrawn" if gone else ""
    say(f"{arguments.out}: {len(made)} record{'' if len(made) == 1 else 's'}, {written} of them new or changed{left}.")
    return 0


def _known_ids(knowledge: Knowledge, ids: list[str]) -> None:
    known = [*(p.id for p in knowledge.problems), *(p.id for p in knowledge.products)]
    for id_ in ids:
        if id_ not in known:
            raise InputError(f"there is no problem or product {id_!r}{nearest(id_, known)}.")


def _osv(graph: Graph, ids: frozenset[str], moment: str) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for problem in graph.knowledge.problems:
        wanted = not ids or problem.id in ids or not ids.isdisjoint(components_of(problem, graph.knowledge))
        record = osv_json(graph, problem, moment) if wanted and is_exported(problem) else None
        if record is not None:
            found[f"{osv_id(problem)}.json"] = record
    return found


def _vex(graph: Graph, ids: frozenset[str], moment: str) -> dict[str, Json]:
    problems = tuple(p for p in graph.knowledge.problems if p.id in ids) or graph.knowledge.problems
    products = tuple(p for p in graph.knowledge.products if p.id in ids) or graph.knowledge.products
    made = {f"{p.id}.openvex.json": vex_json(graph, p, problems, moment) for p in products}
    return {name: record for name, record in made.items() if record is not None}


def _write(path: str, record: Json) -> bool:
    """Write one record, unless the file says the same already; its dates and number go on from that file's."""
    before = _read(path)
    if before is not None:
        if _undated(before) == _undated(record) and ("withdrawn" in before) == ("withdrawn" in record):
            return False
        if "withdrawn" in record and isinstance(before.get("withdrawn"), str):
            record["withdrawn"] = before["withdrawn"]
        number = before.get("version")
        if isinstance(number, int) and "version" in record:
            record = record | {"timestamp": before["timestamp"], "last_updated": record["timestamp"]}
            record["version"] = number + 1
    draft = f"{path}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8", newline="\n") as f:
        f.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    os.replace(draft, path)
    return True


def _withdraw_rest(out: str, made: dict[str, Json], moment: str) -> int:
    """Mark the records of earlier exports that are told no more, since readers keep what is not taken back."""
    gone = 0
    for name in sorted(os.listdir(out)):
        if name in made or not (name.startswith("x_TRIAGE-") and name.endswith(".json")):
            continue
        before = _read(os.path.join(out, name))
        if before is None or "withdrawn" in before:
            continue
        before.pop("affected", None)
        gone += _write(os.path.join(out, name), before | {"modified": moment, "withdrawn": moment})
    return gone


def _read(path: str) -> Json | None:
    if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
        return None
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
    except (ValueError, RecursionError):
        raise InputError(f"{path!r} is no JSON; move it away, and export again.") from None
    return data if isinstance(data, dict) else None


def _undated(record: Json) -> Json:
    return {k: v for k, v in record.items() if k not in _DATED}
