"""A comparison of two catalogues, for people and for programs: `triage diff`, schema 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bot.difference.revision import Revision
from bot.difference.sides import Rule
from bot.difference.texts import KINDS
from bot.difference.verdicts import CHANGES, Change, Row, State
from bot.terminal import BOLD, DIM, GREEN, RED, YELLOW, Paper, one_line

SCHEMA = 1
_LONGEST = 200  # characters of one line of a report
_NAMED = 6  # texts that a line names
_SHADE = {"gained": GREEN, "lost": RED, "moved": YELLOW, "raised": GREEN, "lowered": YELLOW}
_WORDS = {"raised": "certainty raised", "lowered": "certainty lowered", "fix": "fix changed", "shadow": "only counted"}


class Difference(NamedTuple):
    """`read`: how many texts of each kind were tried. `changed`: every rule that differs, also without consequence."""

    revision: Revision
    changed: tuple[Rule, ...]
    read: Mapping[str, int]
    rows: Mapping[Rule | None, list[Row]]
    left_out: tuple[str, ...]  # files that this program cannot read, each with its side and the reason

    @property
    def counts(self) -> dict[str, int]:
        found = Counter(row.change.kind for rows in self.rows.values() for row in rows)
        return {kind: found[kind] for kind in CHANGES}


def write_difference(page: Paper, found: Difference) -> None:
    texts = sum(found.read.values())
    rules = f"{len(found.changed)} rule{'' if len(found.changed) == 1 else 's'} changed"
    page.text(f"{found.revision} -> working tree: {rules}, {texts} texts read with both", BOLD)
    page.field("read", ", ".join(f"{found.read[k]} {_plural(k, found.read[k])}" for k in KINDS if found.read.get(k)))
    counted = ", ".join(f"{count} {_WORDS.get(kind, kind)}" for kind, count in found.counts.items() if count)
    page.field("verdicts", counted or "none changed", codes=() if counted else (GREEN,))
    for words in found.left_out:
        page.field("left out", one_line(words, 400), codes=(YELLOW,))
    for rule, rows in found.rows.items():
        page.blank()
        page.text(f"{rule} ({rule.change})" if rule is not None else "No single rule", BOLD)
        for change, own in _alike(rows):
            _write_change(page, change, own)
    quiet = [str(rule) for rule in found.changed if rule not in found.rows]
    if quiet:
        page.blank()
        more = f" and {len(quiet) - 20} more" if len(quiet) > 20 else ""
        page.text(f"Changed without a consequence here: {', '.join(quiet[:20])}{more}", DIM)


def _plural(kind: str, count: int) -> str:
    one = "quiet text" if kind == "quiet" else kind
    return one if count == 1 else f"{one}{'es' if one.endswith('s') else 's'}"


def _alike(rows: Iterable[Row]) -> list[tuple[Change, list[Row]]]:
    """Rows in which the same changed into the same, in the order of what is looked at first."""
    found: dict[Change, list[Row]] = {}
    for row in rows:
        found.setdefault(row.change, []).append(row)
    return sorted(found.items(), key=lambda pair: (CHANGES.index(pair[0].kind), -len(pair[1])))


def _write_change(page: Paper, change: Change, rows: list[Row]) -> None:
    page.field(change.kind, change_words(change), codes=(_shade(change, rows),))
    for kind in KINDS:
        own = [r for r in rows if r.item.kind == kind]
        if own:
            rest = f" and {len(own) - _NAMED} more" if len(own) > _NAMED else ""
            names = ", ".join(_named(r) for r in own[:_NAMED])
            page.field("", f"{len(own)} {_plural(kind, len(own))}: {names}{rest}")
    words = next((r.words for r in rows if r.words), "")
    if words:
        page.field("", f'"{one_line(words, _LONGEST)}"', codes=(DIM,))


def _shade(change: Change, rows: list[Row]) -> str:
    """A gain is good and a loss bad, but where nothing is to be found it is the other way round."""
    barren = [r.item.kind in ("quiet", "near miss") or r.item.expected == ("none",) for r in rows]
    if change.kind == "gained" and any(barren):
        return RED
    return GREEN if change.kind == "lost" and all(barren) else _SHADE.get(change.kind, DIM)


def _named(row: Row) -> str:
    if not row.item.expected:
        return row.item.name
    return f"{row.item.name} (expects {' or '.join(row.item.expected)})"


def change_words(change: Change) -> str:
    """'a: likely, upgrade -> certain, upgrade', or what was gained or lost."""
    before, after = change.before, change.after
    if change.kind == "gained" and after is not None:
        return f"{_state(after)}{', out of shadow' if before is not None else ''}"
    if change.kind == "lost" and before is not None:
        return f"{_state(before)}{', into shadow' if after is not None else ''}"
    if before is None or after is None:
        state = after or before
        return "" if state is None else f"{_state(state)}, {'no more' if after is None else 'anew'}"
    if before.key == after.key:
        return f"{after.id}: {_how(before)} -> {_how(after)}"
    return f"{_state(before)} -> {_state(after)}"


def _state(state: State) -> str:
    kind = {"signature": " (cause unknown)", "shadow": " (in shadow)"}.get(state.kind, "")
    return f"{state.id}{kind}: {_how(state)}"


def _how(state: State) -> str:
    return f"{state.certainty}, {state.fix}" if state.fix else state.certainty


def difference_json(found: Difference) -> dict[str, Any]:
    """`triage diff --json`, schema 1; described by `bot/schemas/diff-1.json`."""
    revision = found.revision
    return {
        "schema": SCHEMA,
        "before": {"revision": revision.sha, "asked": revision.asked, "date": revision.day},
        "after": "working tree",
        "read": {kind: found.read.get(kind, 0) for kind in KINDS},
        "summary": found.counts,
        "rules": [
            {
                **(rule._asdict() if rule is not None else {"kind": "none", "id": "", "change": ""}),
                "verdicts": list(map(_row, rows)),
            }
            for rule, rows in found.rows.items()
        ],
        "without_consequence": [rule._asdict() for rule in found.changed if rule not in found.rows],
        "left_out": list(found.left_out),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "change": row.change.kind,
        "in": row.item.kind,
        "name": row.item.name,
        "before": row.change.before._asdict() if row.change.before is not None else None,
        "after": row.change.after._asdict() if row.change.after is not None else None,
        "words": one_line(row.words, 2 * _LONGEST),
        "expected": list(row.item.expected),
    }
