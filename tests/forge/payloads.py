"""GitHub's own webhook payloads (npm `@octokit/webhooks-examples`), and what can become of one on its way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parent / "node_modules" / "@octokit" / "webhooks-examples" / "api.github.com" / "index.json"
ACTED_ON = ("issues", "issue_comment", "release")

# values that a key may have in place of its own
_STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**63, 2**200, float("nan"), "", "x" * 5000, "\0", "\ud800", "‮", "7", "../..", "a/b/c",
    "owner/..", "@someone", [], {}, [[]], [{"id": 1}], {"id": {}}, {"id": "1"}, {"login": 7}, {"type": "Bot"},
)  # fmt: skip


class Payload(NamedTuple):
    """`event` is what the header X-GitHub-Event says."""

    event: str
    body: bytes


@cache
def examples() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Every example with the name of its event."""
    events = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple((event["name"], example) for event in events for example in event["examples"])


def official(*events: str) -> list[Payload]:
    """The examples of these events, of all where none is named."""
    return [Payload(name, json.dumps(x).encode()) for name, x in examples() if not events or name in events]


def mutated(count: int, seed: int = 0) -> Iterator[Payload]:
    """Examples of the events that are acted on, each with up to four faults in its values or in its bytes."""
    chance = random.Random(seed)  # noqa: S311
    sources = [(name, x) for name, x in examples() if name in ACTED_ON]
    for at in range(count):
        name, example = sources[at % len(sources)]
        changed = deepcopy(example)
        for _ in range(chance.randint(1, 4)):
            _damage(changed, chance)
        body = json.dumps(changed).encode()
        yield Payload(name, chance.choice(_BYTES)(body, chance) if chance.random() < 0.2 else body)


def _damage(payload: dict[str, Any], chance: random.Random) -> None:
    """Removes, renames or replaces one value, near the top more often than deep inside."""
    inside: Any = payload
    while True:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if not keys:
            return
        key = chance.choice(keys)
        value = inside[key]
        if isinstance(value, dict | list) and chance.random() < 0.6:
            inside = value
            continue
        match chance.randrange(3):
            case 0:
                del inside[key]
            case 1 if isinstance(inside, dict):
                inside[f"{key}_"] = inside.pop(key)
            case _:
                inside[key] = chance.choice(_STRANGE)
        return


def _cut(body: bytes, chance: random.Random) -> bytes:
    return body[: chance.randrange(len(body))]


def _flipped(body: bytes, chance: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(3):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _nested(body: bytes, chance: random.Random) -> bytes:
    depth = chance.choice((100, 5_000, 100_000))
    return b'{"a":' * depth + body + b"}" * depth


def _deep_inside(body: bytes, chance: random.Random) -> bytes:
    return body[:-1] + b',"issue":' + b"[" * 50_000 + b"]" * 50_000 + b"}"


def _other_encoding(body: bytes, chance: random.Random) -> bytes:
    return body.decode().encode(chance.choice(("utf-16", "utf-32", "utf-8-sig")))


def _no_object(body: bytes, chance: random.Random) -> bytes:
    return chance.choice((b"", b"null", b"3", b'"text"', b"[" + body + b"]", b"9" * 5_000, b"\xff\xfe"))


_BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut,
    _flipped,
    _nested,
    _deep_inside,
    _other_encoding,
    _no_object,
)
