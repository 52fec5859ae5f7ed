"""Graph capture options of a genai_config.json as they must be written, changed in place: every other byte stays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from signatures.artifact.genai import GenAiConfig, providers, sections
from signatures.artifact.genai_json import Item
from signatures.artifact.rewiring import NotProvable

BOM = b"\xef\xbb\xbf"
_ON, _OFF = frozenset(("true", "on", "yes", "1")), frozenset(("false", "off", "no", "0"))


class Option(NamedTuple):
    """One capture option that differs. `path` as 'model.vision: webgpu.enableGraphCapture'; values as they stand in
    the file."""

    path: str
    before: str
    after: str
    start: int
    end: int


def capture_options(config: GenAiConfig, data: bytes, keys: dict[str, str], off: Iterable[str]) -> list[Option]:
    """What to change: values that are not taken become the "1" or "0" that they mean, and the sections of `off` get
    "0". `keys`: the capture option by provider. Raises NotProvable where the file cannot be changed in place."""
    wanted = set(off)
    found: list[Option] = []
    for section in sections(config):
        for given in providers(section):
            key = keys.get(given.name)
            item = given.options.get(key) if key else None
            if item is None or given.name != "webgpu":
                continue
            after = '"0"' if section.path in wanted else _meant(item)
            written, end = _written(data, item)
            if after is not None and written != after:
                where = f"model.{section.path}: {given.written}.{key}"
                found.append(Option(where, written, after, end - len(written.encode()), end))
    return found


def edited(data: bytes, options: Iterable[Option]) -> bytes:
    """The file with these values."""
    for option in sorted(options, key=lambda each: each.start, reverse=True):
        data = data[: option.start] + option.after.encode() + data[option.end :]
    return data


def _meant(item: Item) -> str | None:
    """What was meant by a value that is not taken; None where that cannot be told, and for one that is taken."""
    value = item.value
    if item.kind == "string" and value in ("0", "1"):
        return None
    word = f"{value:g}" if isinstance(value, float) else str(value).strip().lower()
    return '"1"' if word in _ON else '"0"' if word in _OFF else None


def _written(data: bytes, item: Item) -> tuple[str, int]:
    """(the value as it stands, byte position behind it)."""
    mark = len(BOM) if data.startswith(BOM) else 0
    try:
        text = data[mark:].decode()
    except UnicodeDecodeError:
        raise NotProvable("genai_config.json is not UTF-8, so positions in it are not certain") from None
    end = item.at
    if text[end] == '"':
        end += 1
        while text[end] != '"':
            end += 2 if text[end] == "\\" else 1
        end += 1
    else:
        while end < len(text) and (text[end].isalnum() or text[end] in "+-."):
            end += 1
    return text[item.at : end], mark + len(text[:end].encode())
