"""The stored scorecard: what an earlier run over the same cases came to, and what has become worse since."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from bot.errors import InputError
from bot.evaluation.scoring import Result, Score, Share
from signatures.model import Certainty

SCHEMA = 1
_COMPARED = ("precision", "recall", "top1")
_RIGHT = ("found", "silent", "claimed")  # outcomes
_SHARES = ("precision", "recall", "top1", "any", "abstention", "silence")


def score_json(score: Score, name: str) -> dict[str, Any]:
    """`triage eval --json`, schema 1; described by `bot/schemas/eval-1.json`."""
    return {
        "schema": SCHEMA,
        "cases": name,
        "figures": {key: _share(getattr(score, key)) for key in _SHARES} | {"certain_false": score.certain_false},
        "families": {family: _share(share) for family, share in score.families},
        "confusion": [{"expected": e, "claimed": c, "count": n} for e, c, n in score.confusion],
        "results": [_result(r) for r in score.results],
    }


def scorecard_text(score: Score, name: str) -> str:
    """What is stored: the figures and which cases came out right, without a word of any report."""
    whole = score_json(score, name)
    results = {name: _outcome(r) for name, r in _named(score)}
    kept = {key: whole[key] for key in ("schema", "cases", "figures")} | {"results": dict(sorted(results.items()))}
    return json.dumps(kept, indent=2, ensure_ascii=False) + "\n"


class Stored(NamedTuple):
    """What an earlier run came to. `results`: outcome by name of the case."""

    path: str
    cases: str  # name of the case file
    figures: dict[str, Any]
    results: dict[str, str]


def other_cases(score: Score, stored: Stored) -> str | None:
    """In one sentence, how the cases differ from those of a stored scorecard; None where they are the same ones.

    Raises InputError where they have none in common, so that nothing can be compared.
    """
    now = {name for name, _ in _named(score)}
    new, gone = len(now - stored.results.keys()), len(stored.results.keys() - now)
    if new == len(now):
        how = "compare with its own, or store this run with --write"
        raise InputError(f"{stored.path} is of other cases, those of {stored.cases}; {how}.")
    if not new and not gone:
        return None
    came = f"{new} case{'' if new == 1 else 's'} came and {gone} went"
    return f"{stored.path} is of {stored.cases}; since then {came}, which moves figures too"


def drops(score: Score, stored: Stored) -> tuple[str, ...]:
    """What is worse than a stored scorecard says, one sentence each."""
    found = []
    for key in _COMPARED:
        old, new = stored.figures[key], getattr(score, key)
        if new.value is not None and _value(old) > new.value + 1e-9:
            found.append(f"{key} fell from {old['hits']} of {old['of']} to {new.hits} of {new.of}")
    more = score.certain_false - stored.figures["certain_false"]
    if more > 0:
        found.append(f"{more} more false claim{'' if more == 1 else 's'} at certain")
    for name, result in _named(score):
        old = stored.results.get(name)
        if old in _RIGHT and _outcome(result) not in _RIGHT:
            found.append(f"{name} was {old} and is {_outcome(result)}")
    return tuple(found)


def floors(given: list[str]) -> tuple[tuple[str, float], ...]:
    """(figure, least share) of arguments such as `recall=0.85`. Raises InputError."""
    found = []
    for text in given:
        key, _, number = text.partition("=")
        try:
            least = float(number)
        except ValueError:
            least = -1.0
        if key not in _SHARES or not 0 <= least <= 1:
            raise InputError(f"--least {text!r}: write FIGURE=SHARE, a share from 0 to 1 of {', '.join(_SHARES)}.")
        found.append((key, least))
    return tuple(found)


def below(score: Score, least: tuple[tuple[str, float], ...]) -> tuple[str, ...]:
    """Which figures do not reach their least share, one sentence each; one that no case counts for does not."""
    found = []
    for key, floor in least:
        share: Share = getattr(score, key)
        if share.value is None:
            found.append(f"{key} has no case that counts for it, and at least {floor:g} is asked for")
        elif share.value < floor - 1e-9:
            found.append(f"{key} is {share.hits} of {share.of} ({share.value:.3f}), below {floor:g}")
    return tuple(found)


def certain_and_false(score: Score) -> tuple[str, ...]:
    """Each false claim at certain, one sentence each."""
    return tuple(
        f"{r.source} expects {r.expected}, and {c.problem} is claimed at certain"
        for r in score.results
        for c in r.wrong
        if c.certainty == Certainty.CERTAIN
    )


def _named(score: Score) -> Iterator[tuple[str, Result]]:
    """Each result by its source; further cases of one issue are numbered."""
    count: Counter[str] = Counter()
    for result in score.results:
        count[result.source] += 1
        at = count[result.source]
        yield (result.source if at == 1 else f"{result.source} ({at})"), result


def write_scorecard(path: str, text: str) -> None:
    """In one step, so that a reader never sees half of it. Raises InputError where it cannot be written."""
    draft = f"{path}.{os.getpid()}"
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError as e:
        if os.path.isfile(draft):
            os.remove(draft)
        raise InputError(f"{path} cannot be written: {e.strerror or e}.") from None


def _outcome(result: Result) -> str:
    """Right: found; silent, nothing is claimed; claimed, what is acceptable where nothing is expected. Else missed, or
    wrong where anything false is claimed."""
    if result.wrong:
        return "wrong"
    if result.silent:
        return "silent"
    if result.positive:
        return "found" if result.found else "missed"
    return "claimed"


def read_scorecard(path: str) -> Stored:
    """Raises InputError where it cannot be read, or is none."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as e:
        raise InputError(f"{path} cannot be read: {e.strerror or e}; --write makes it.") from None
    except (ValueError, RecursionError) as e:
        raise InputError(f"{path} is no scorecard: {e}.") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("results"), dict):
        raise InputError(f"{path} is no scorecard of schema {SCHEMA}; --write makes one.")
    figures = data.get("figures")
    if not isinstance(figures, dict):
        raise InputError(f"{path} is a scorecard without figures; --write makes one.")
    for key in (*_COMPARED, "certain_false"):
        if not isinstance(figures.get(key), int if key == "certain_false" else dict):
            raise InputError(f"{path}: figures.{key} is none of a scorecard; --write makes it anew.")
    return Stored(path, str(data.get("cases")), figures, data["results"])


def _value(share: dict[str, Any]) -> float:
    hits, of = share.get("hits"), share.get("of")
    return hits / of if isinstance(hits, int) and isinstance(of, int) and of else 0.0


def _share(share: Share) -> dict[str, Any]:
    low, high = share.bounds or (None, None)
    rounded = [None if v is None else round(v, 4) for v in (share.value, low, high)]
    return {"hits": share.hits, "of": share.of, "value": rounded[0], "low": rounded[1], "high": rounded[2]}


def _result(result: Result) -> dict[str, Any]:
    return {
        "source": result.source,
        "expected": result.expected,
        "outcome": _outcome(result),
        "claims": [c._asdict() for c in result.claims],
        "possible": [c._asdict() for c in result.possible],
        "signatures": list(result.signatures),
        "nearest": result.nearest._asdict() if result.nearest else None,
    }
