"""Lines of many issues as templates, and the templates by how many people meet them.

Two lines are of one template where most of their words stand in the same order: the longest common subsequence of their
words, measured by RapidFuzz. The same lines give the same templates, in whatever order they come.
"""

from __future__ import annotations

import time
from collections import Counter
from hashlib import sha256
from typing import NamedTuple

from rapidfuzz.distance import LCSseq
from rapidfuzz.process import extractOne

from bot.worklist.masking import WILD, identity, mask, telling

ALIKE = 0.7  # of the words of two lines
SHORTEST = 12  # letters of a template that is worth looking for
MOST_LINES = 20_000
MOST_SHAPES = 2_000  # distinct masked lines: each is compared with every template there is
SECONDS = 30.0
EXAMPLES = 3
_MOST_ALSO = 4


class Failure(NamedTuple):
    """One line that nothing explains, and what its issue says beside it."""

    issue: str  # owner/repo#N, or the name of a file
    line: str  # redacted
    reporter: str | None = None
    day: str | None = None  # of the reporter's last post
    versions: tuple[tuple[str, str], ...] = ()  # (product, version) that the issue states


class Cluster(NamedTuple):
    """A template with who meets it. `also`: some templates of the same issues, which are likely the same failure."""

    id: str
    template: str
    issues: int
    reporters: int
    first_seen: str | None
    last_seen: str | None
    versions: tuple[tuple[str, str, int], ...]  # (product, version, issues)
    examples: tuple[Failure, ...]
    also: tuple[str, ...] = ()
    templates: int = 1  # with all of those, also the ones that `also` has no room for


class Worklist(NamedTuple):
    clusters: tuple[Cluster, ...]  # what most people meet comes first
    issues: int
    lines: int
    left_out: int  # lines that were not looked at, for want of time or room


def worklist(failures: tuple[Failure, ...], left_out: int = 0) -> Worklist:
    """The clusters of all failures. `left_out`: lines that are not among them; the answer adds to it what exceeds
    MOST_LINES, MOST_SHAPES or SECONDS."""
    read = sorted(set(failures), key=lambda f: (f.line, f.issue, f.day or ""))
    shapes: dict[tuple[str, ...], list[Failure]] = {}
    left_out += max(0, len(read) - MOST_LINES)
    for failure in read[:MOST_LINES]:
        tokens = mask(failure.line)
        if telling(tokens) >= SHORTEST:
            shapes.setdefault(tokens, []).append(failure)
    # what most issues print makes the templates, and the rest joins them
    order = sorted(shapes, key=lambda t: (-len({f.issue for f in shapes[t]}), t))
    left_out += sum(len(shapes[t]) for t in order[MOST_SHAPES:])
    found, late = _joined(order[:MOST_SHAPES], shapes)
    clusters = _of_one_failure([_cluster(template, rows) for template, rows in found])
    ranked = sorted(clusters, key=lambda c: c.template)
    ranked.sort(key=lambda c: c.last_seen or "", reverse=True)
    ranked.sort(key=lambda c: (-c.reporters, -c.issues))
    return Worklist(tuple(ranked), len({f.issue for f in read}), len(read), left_out + late)


def _joined(
    order: list[tuple[str, ...]], shapes: dict[tuple[str, ...], list[Failure]]
) -> tuple[list[tuple[tuple[str, ...], list[Failure]]], int]:
    """(template, its failures) of every shape in turn, and the number of lines that came too late."""
    kinds: dict[frozenset[str], list[tuple[str, ...]]] = {}  # templates, by the codes and types in them
    rows: dict[frozenset[str], list[list[Failure]]] = {}
    late = 0
    stop = time.monotonic() + SECONDS
    for i, tokens in enumerate(order):
        if time.monotonic() > stop:
            late = sum(len(shapes[t]) for t in order[i:])
            break
        kind = identity(tokens)
        templates, mine = kinds.setdefault(kind, []), rows.setdefault(kind, [])
        near = extractOne(tokens, templates, scorer=LCSseq.normalized_similarity, score_cutoff=ALIKE)
        merged = _merged(templates[near[2]], tokens) if near is not None else ()
        if near is None or telling(merged) < max(SHORTEST, telling(tokens) // 2):
            templates.append(tokens)
            mine.append(list(shapes[tokens]))
        else:
            templates[near[2]] = merged
            mine[near[2]] += shapes[tokens]
    return [pair for kind in kinds for pair in zip(kinds[kind], rows[kind], strict=True)], late


def _merged(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What both have in the same order, with a mark wherever they differ."""
    merged: list[str] = []
    for step in LCSseq.opcodes(one, other):
        part = one[step.src_start : step.src_end] if step.tag == "equal" else (WILD,)
        merged += [t for t in part if not (t == WILD and merged and merged[-1] == WILD)]
    return tuple(merged)


def _cluster(template: tuple[str, ...], rows: list[Failure]) -> Cluster:
    issues = {f.issue: f for f in sorted(rows, key=lambda f: (f.day or "", f.issue, f.line))}
    days = sorted(f.day for f in rows if f.day)
    versions = Counter(v for f in issues.values() for v in dict.fromkeys(f.versions))
    words = " ".join(_trimmed(template))
    # somebody who is not named is one more of them
    people = {f.reporter.casefold() if f.reporter else f"issue {f.issue}" for f in rows}
    newest = sorted(issues.values(), key=lambda f: f.issue)
    newest.sort(key=lambda f: f.day or "", reverse=True)
    return Cluster(
        sha256(words.encode()).hexdigest()[:8],
        words,
        len(issues),
        len(people),
        days[0] if days else None,
        days[-1] if days else None,
        tuple((p, v, n) for (p, v), n in sorted(versions.items(), key=lambda kv: (-kv[1], kv[0]))),
        tuple(newest[:EXAMPLES]),
    )


def _trimmed(template: tuple[str, ...]) -> tuple[str, ...]:
    """Without the marks of what comes before and after all that is alike."""
    first = 1 if template[:1] == (WILD,) else 0
    return template[first : -1 if template[-1:] == (WILD,) else None]


def _of_one_failure(clusters: list[Cluster]) -> list[Cluster]:
    """Templates that exactly the same issues print are one item, under the one that says most."""
    same: dict[tuple[str, ...], list[Cluster]] = {}
    for c in clusters:
        key = tuple(sorted(f.issue for f in c.examples)) if c.issues <= EXAMPLES else (c.id,)
        same.setdefault(key, []).append(c)
    found: list[Cluster] = []
    for group in same.values():
        group.sort(key=lambda c: (-telling(tuple(c.template.split())), c.template))
        also = tuple(c.template for c in group[1 : 1 + _MOST_ALSO])
        found.append(group[0]._replace(also=also, templates=len(group)))
    return found
