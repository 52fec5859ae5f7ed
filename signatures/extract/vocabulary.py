"""The closed list of fact keys with their spellings, form labels and printed proofs, as vocabulary.toml tells them.

It holds no product names (each product file tells its own) and decides nothing about a report.
"""

from __future__ import annotations

from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

# Longer than any spelling or label here; keeps a hostile heading from being normalised at length.
MAX_LABEL = 160


class VocabularyError(ValueError):
    """vocabulary.toml breaks its format. The text names the file and the key."""


class Vocabulary(NamedTuple):
    """Plain strings and tuples only, so that it can be written as JSON and read back."""

    keys: tuple[str, ...]
    open_keys: tuple[str, ...]  # keys that take any value
    spellings: tuple[tuple[str, str, str], ...]  # key, spelling in lower case, canonical value
    labels: tuple[tuple[str, str], ...]  # label as `plain_label` writes it, key
    sections: tuple[str, ...]  # headings that state no fact, as `plain_label` writes them
    diagnostics: tuple[str, ...]  # headings of a product's own report about itself
    unknown: tuple[str, ...]  # values that say nothing, in lower case
    printed: tuple[tuple[str, str, str], ...]  # key, value, literal text that proves it
    filed: tuple[tuple[str, str, str], ...]  # key, value, owner/repo in lower case whose reports are of it
    field: tuple[str, ...] = ()  # words, in lower case, that name a runtime which this catalogue is about
    others: tuple[str, ...] = ()  # values of `runtime` that are none of these


def load_vocabulary(path: str | None = None) -> Vocabulary:
    """Read vocabulary.toml, or the file at `path`. Raises VocabularyError naming the file and the key."""
    import tomllib

    path = path or __file__.removesuffix(".py") + ".toml"
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except OSError as e:
        raise VocabularyError(f"{path}: {e.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise VocabularyError(f"{path}: not TOML: {e}") from None
    return _Reader(path).vocabulary(data)


class _Reader:
    def __init__(self, path: str) -> None:
        self._path = path

    def vocabulary(self, data: dict[str, Any]) -> Vocabulary:
        known = {"schema", "sections", "diagnostics", "unknown", "key", "printed", "filed", "field"}
        self._closed("the file", data, known)
        if data.get("schema") != 1:
            raise self._error("schema", "must be 1")
        keys = self._table("key", data.get("key"))
        spellings: list[tuple[str, str, str]] = []
        labels: list[tuple[str, str]] = []
        open_keys: list[str] = []
        for key, told in keys.items():
            told = self._table(f"key.{key}", told)
            self._closed(f"key.{key}", told, {"about", "open", "labels", "values"})
            if told.get("open"):
                open_keys.append(key)
            labels += ((plain_label(x), key) for x in self._texts(f"key.{key}.labels", told.get("labels", [])))
            for value, ways in self._table(f"key.{key}.values", told.get("values", {})).items():
                ways = self._texts(f"key.{key}.values.{value}", ways)
                spellings += ((key, w.casefold(), value) for w in dict.fromkeys((value, *ways)))
        self._unambiguous(spellings)
        field = self._table("field", data.get("field", {}))
        self._closed("field", field, {"words", "others"})
        return Vocabulary(
            keys=tuple(keys),
            open_keys=tuple(open_keys),
            spellings=tuple(spellings),
            labels=tuple(labels),
            sections=tuple(plain_label(x) for x in self._texts("sections", data.get("sections", []))),
            diagnostics=tuple(plain_label(x) for x in self._texts("diagnostics", data.get("diagnostics", []))),
            unknown=tuple(x.casefold() for x in self._texts("unknown", data.get("unknown", []))),
            printed=tuple(self._proofs("printed", data.get("printed", {}), keys)),
            filed=tuple((k, v, r.casefold()) for k, v, r in self._proofs("filed", data.get("filed", {}), keys)),
            field=tuple(x.casefold() for x in self._texts("field.words", field.get("words", []))),
            others=tuple(self._texts("field.others", field.get("others", []))),
        )

    def _proofs(self, kind: str, told: object, keys: dict[str, Any]) -> list[tuple[str, str, str]]:
        """Rows of key, value and what proves the value."""
        rows: list[tuple[str, str, str]] = []
        for key, values in self._table(kind, told).items():
            if key not in keys:
                raise self._error(f"{kind}.{key}", "is no key of this vocabulary")
            known = self._table(f"key.{key}.values", keys[key].get("values", {}))
            for value, texts in self._table(f"{kind}.{key}", values).items():
                if value not in known and not keys[key].get("open"):
                    raise self._error(f"{kind}.{key}.{value}", f"is no value of {key}")
                rows += ((key, value, t) for t in self._texts(f"{kind}.{key}.{value}", texts))
        return rows

    def _unambiguous(self, spellings: list[tuple[str, str, str]]) -> None:
        seen: dict[tuple[str, str], str] = {}
        for key, spelling, value in spellings:
            if seen.setdefault((key, spelling), value) != value:
                raise self._error(f"key.{key}.values", f"'{spelling}' means both {seen[key, spelling]} and {value}")

    def _table(self, key: str, told: object) -> dict[str, Any]:
        if not isinstance(told, dict):
            raise self._error(key, "must be a table")
        return told

    def _texts(self, key: str, told: object) -> list[str]:
        if not isinstance(told, list) or not all(isinstance(t, str) and t for t in told):
            raise self._error(key, "must be a list of texts, none empty")
        return told

    def _closed(self, key: str, told: dict[str, Any], allowed: set[str]) -> None:
        for name in told:
            if name not in allowed:
                raise self._error(f"{key}: {name}", f"unknown key; known are {', '.join(sorted(allowed))}")

    def _error(self, key: str, why: str) -> VocabularyError:
        return VocabularyError(f"{self._path}: {key}: {why}")


def to_plain(vocabulary: Vocabulary) -> dict[str, Any]:
    """The vocabulary as JSON can hold it."""
    return vocabulary._asdict()


def from_plain(data: dict[str, Any]) -> Vocabulary:
    """The vocabulary that `to_plain` wrote, also after a way through JSON."""
    return Vocabulary._make(
        tuple(tuple(x) if isinstance(x, list) else x for x in data[name]) for name in Vocabulary._fields
    )


def plain_label(text: str) -> str:
    """A form label or heading as it is compared: lower case, no marks around it, no parenthesised tail."""
    text = " ".join(text[:MAX_LABEL].split()).strip(" #*_`:?-–—•●>|").casefold()
    at = text.find(" (")
    return text[:at].rstrip(" *_:?") if at > 0 else text


def canonical(vocabulary: Vocabulary, key: str, value: str) -> str | None:
    """How this vocabulary writes a value: 'webgpu' for `ep` is WebGpuExecutionProvider, 'Windows 11' for `os` windows.

    None for an unknown key, and for a value that a closed key does not know. An unknown value of an open key comes
    back stripped.
    """
    if key not in vocabulary.keys:
        return None
    value = " ".join(value.split()).strip(" `*_\"',.;")
    found = spelled(vocabulary, key, value)
    if found and (key not in vocabulary.open_keys or value.casefold() in _exact(vocabulary, key)):
        return found[0][0]
    if key in vocabulary.open_keys or (key == "ep" and value.endswith("ExecutionProvider")):
        return value or None
    return None


def values_of(vocabulary: Vocabulary, key: str) -> tuple[str, ...]:
    """The canonical values that a key knows."""
    return tuple(dict.fromkeys(v for k, _, v in vocabulary.spellings if k == key))


def spelled(vocabulary: Vocabulary, key: str, text: str) -> list[tuple[str, int, int]]:
    """The values of a key that a text spells as whole words, in order of place: (canonical, start, end).

    Of overlapping spellings the longer one counts. A spelling of one or two characters counts only as a whole field
    value ("C"), since in a sentence it is a letter.
    """
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    hits: list[tuple[int, int, str]] = []
    for k, spelling, value in vocabulary.spellings:
        if k != key:
            continue
        if len(spelling) <= 2 and spelling not in ("c#", "c++"):
            if lower.strip() == spelling:
                hits.append((0, len(text), value))
            continue
        at = lower.find(spelling)
        while at >= 0:
            end = at + len(spelling)
            if _is_word(lower, at, end):
                hits.append((at, end, value))
            at = lower.find(spelling, end)
    hits.sort(key=lambda h: (h[0], h[0] - h[1]))
    chosen: list[tuple[str, int, int]] = []
    done = -1
    for at, end, value in hits:
        if at >= done:
            chosen.append((value, at, end))
            done = end
    return chosen


def _exact(vocabulary: Vocabulary, key: str) -> set[str]:
    return {s for k, s, _ in vocabulary.spellings if k == key}


def _is_word(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    return not (before.isalnum() or before == "_") and not (after.isalpha() or after == "_")
