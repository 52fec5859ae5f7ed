"""The stored scorecard: what an earlier run over the same cases came to, and what has become worse since."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

from bot.errors import InputError
from bot.evaluation.scoring import Result, Score, Share
from signatures.model import Certainty

SCHEMA = 1
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


def drops(score: Score, path: str) -> tuple[str, ...]:
    """What is worse than the scorecard at `path` says, one sentence each. Raises InputError for another file."""
    stored = _read(path)
    found = []
    for key in ("precision", "recall", "top1"):
        old, new = stored["figures"].get(key), getattr(score, key)
        if isinstance(old, dict) and new.value is not None and _value(old) > new.value + 1e-9:
            found.append(f"{key} fell from {old['hits']} of {old['of']} to {new.hits} of {new.of}")
    more = score.certain_false - stored["figures"].get("certain_false", 0)
    if more > 0:
        found.append(f"{more} more false claims at certain")
    for name, result in _named(score):
        old = stored["results"].get(name)
        if old in ("found", "silent") and _outcome(result) != old:
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
    """In one step, so that a reader never sees half of it."""
    draft = f"{path}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.replace(draft, path)


def _outcome(result: Result) -> str:
    """found or missed; silent or, of a report that nothing explains, claimed; wrong where anything false is claimed."""
    if result.wrong:
        return "wrong"
    if result.positive:
        return "found" if result.found else "missed"
    return "claimed" if result.claims else "silent"


def _read(path: str) -> dict[str, Any]:
    name = os.path.basename(path)
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as e:
        raise InputError(f"{name} cannot be read: {e.strerror or e}; --write makes it.") from None
    except ValueError as e:
        raise InputError(f"{name} is no scorecard: {e}.") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("results"), dict):
        raise InputError(f"{name} is no scorecard of schema {SCHEMA}; --write makes one.")
    if not isinstance(data.get("figures"), dict):
        raise InputError(f"{name} is a scorecard without figures; --write makes one.")
    return data


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
