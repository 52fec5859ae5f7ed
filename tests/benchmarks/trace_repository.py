"""Times a full trace of one repository and counts what plain ancestry gets wrong.

    python tests/benchmarks/trace_repository.py microsoft/onnxruntime-genai DIR [OWNER/REPO=DIR ...] [--since DAY]

Three times are printed: reading the repository with nothing remembered, tracing every pull request that it names, and
reading it once more with nothing new. Then, for the changes merged since a day: how often `git tag --contains` names
the first release, and by which evidence it is known where it does not.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter

from bot.upstream.reading import read_graph
from kb.graph.model import Trace
from kb.graph.trace import Graph
from kb.loader import load_knowledge


def main() -> None:
    parser = argparse.ArgumentParser(description="Time a full trace of one repository.")
    parser.add_argument("repo")
    parser.add_argument("folder")
    parser.add_argument("others", nargs="*", metavar="OWNER/REPO=DIR")
    parser.add_argument("--since", default="2025-02-13", help="count changes merged since this day")
    parser.add_argument("--list", action="store_true", help="name every change that ancestry gets wrong")
    arguments = parser.parse_args()
    mirrors = {arguments.repo: arguments.folder} | dict(o.split("=", 1) for o in arguments.others)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRIAGE_CACHE_DIR"] = cache
        knowledge, _ = load_knowledge(check=False)
        start = time.perf_counter()
        graph = read_graph(knowledge, mirrors).graph
        read = time.perf_counter()
        traces = [graph.trace(f"{arguments.repo}#{n}") for n in numbers(graph, arguments.repo)]
        traced = time.perf_counter()
        again = read_graph(knowledge, mirrors).graph
        again.trace(traces[-1].change)
        end = time.perf_counter()
    say(f"read cold      {read - start:6.2f} s")
    say(f"traced {len(traces):>6}  {traced - read:6.2f} s")
    say(f"re-run, one    {end - traced:6.2f} s")
    report([t for t in traces if (t.merged_at or "") >= arguments.since], named=arguments.list)


def numbers(graph: Graph, repo: str) -> list[int]:
    """The pull requests that commits of the repository bear the numbers of."""
    places = graph.places(repo).by_number
    return sorted(n for n, rows in places.items() if any(p.title.own == n for p, _, _ in rows))


def report(traces: list[Trace], *, named: bool) -> None:
    released = [t for t in traces if t.components and (t.components[0].releases or t.naive)]
    say(f"released       {len(released)} of {len(traces)}")
    counts: Counter[str] = Counter()
    for trace in released:
        component = trace.components[0]
        if component.first_release is None:
            counts["unknown, at the latest in a release" if component.at_latest else "in no release any more"] += 1
        elif component.first_release == trace.naive:
            counts["ancestry is right"] += 1
            continue
        else:
            counts[f"ancestry is wrong, by {component.how.partition(':')[0].partition(' in round')[0]}"] += 1
        if named:
            say(f"  {trace.change}: {trace.naive} -> {component.first_release or component.at_latest}: {component.how}")
    for what, count in sorted(counts.items()):
        say(f"  {count:>5}  {what}")


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
