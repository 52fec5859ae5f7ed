"""JSON as ONNX Runtime GenAI reads it (src/json.cpp), with the position at which its reader judges each value.

It is stricter than JSON in places and laxer in others: it refuses every \\uXXXX escape, and takes newlines in strings.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 64
MAX_VALUES = 200_000

MAX_DIGITS = 400
EXPECTING_NAME = "Expecting \" to start next object name, possibly due to an extra trailing ',' before this"

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}  # any other character stands for itself
_LITERALS: dict[str, tuple[str, bool | None]] = {"t": ("rue", True), "f": ("alse", False), "n": ("ull", None)}
_SPACE = re.compile(r"[ \t\r\n]*")
_NEWLINE = re.compile(r"\n")
_PLAIN = re.compile(r'[^"\\\0]+')
_NUMBER = re.compile(  # what std::from_chars takes
    r"-?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf(?:inity)?|nan(?:\([0-9a-z_]*\))?))"
)


class Item(NamedTuple):
    """A JSON value. `kind`: object | array | string | number | bool | null | nothing. `value` is a dict of Item, a list
    of Item, or the plain value; `at` is its first byte; `end`, with `line` and `column` as GenAI counts, where GenAI's
    reader stands when it judges it: behind a scalar, behind the bracket that opens a container. `written` are an
    object's members with repeated keys."""

    kind: str
    value: object
    at: int
    line: int
    column: int
    end: int
    written: list[tuple[str, Item]]

    def get(self, key: str) -> Item | None:
        return self.value.get(key) if isinstance(self.value, dict) else None

    def members(self) -> Iterator[tuple[str, Item]]:
        """In file order; a key that is written twice comes twice."""
        yield from self.written

    def items(self) -> Iterator[Item]:
        if isinstance(self.value, list):
            yield from self.value

    def string(self) -> str | None:
        return self.value if isinstance(self.value, str) and self.kind == "string" else None

    def number(self) -> float | None:
        """A finite number, else None."""
        finite = isinstance(self.value, float) and abs(self.value) < 1e300
        return self.value if finite and self.kind == "number" else None  # type: ignore[return-value]  # finite: a float

    def bool(self) -> bool | None:
        return self.value if isinstance(self.value, bool) else None


class ConfigError(NamedTuple):
    """Why the text does not parse. `what`: bom | trailing-comma | number | no-value | syntax | size. `message` is what
    GenAI says, with the keys before it; `at` is the byte at which its reader stands."""

    what: str
    message: str
    line: int
    column: int
    at: int


class Escape(NamedTuple):
    """A \\uXXXX escape, which GenAI refuses: where it stands, where GenAI's reader then is, and what it says."""

    line: int
    column: int
    at: int
    end: int
    message: str


class Stop(Exception):
    def __init__(self, error: ConfigError) -> None:
        super().__init__(error.message)
        self.error = error


class _Open(NamedTuple):
    """A container that is being filled, and the key it stands under."""

    item: Item
    key: str


class Parser:
    """GenAI's reader (src/json.cpp) with its positions and its leniency. Bytes are read as Latin-1 so that an index
    counts bytes; strings are decoded when they end. It recurses for a first member alone, at most MAX_DEPTH deep."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.values = 0
        self.root: Item | None = None
        self.stack: list[_Open] = []
        self.escapes: list[Escape] = []
        self.line_ends = [end.start() for end in _NEWLINE.finditer(text)]

    def place(self, at: int) -> tuple[int, int]:
        """Line and index as GenAI counts them: bytes since the last newline, that one included."""
        line = bisect_left(self.line_ends, at)
        return line + 1, at - (self.line_ends[line - 1] if line else 0)

    def stop(self, what: str, message: str, key: str = "", at: int | None = None) -> Stop:
        """The error with the keys that lead to it, as GenAI puts them before it. `at`: where its reader stands."""
        here = self.at if at is None else at
        return Stop(ConfigError(what, self.labelled(message, key), *self.place(here), here))

    def labelled(self, message: str, key: str) -> str:
        keys = [each.key for each in self.stack if each.key] + ([key] if key else [])
        return ":".join((*keys, message))

    def space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def take(self, key: str = "") -> str:
        """The next character, which is passed."""
        if self.at >= len(self.text):
            raise self.stop("syntax", "Unexpected end of JSON data", key)
        self.at += 1
        return self.text[self.at - 1]

    def value(self) -> None:
        """Reads the document; what follows it is not read."""
        self._value("")
        while self.stack:
            self._next()

    def _value(self, key: str) -> None:
        self.space()
        start = self.at
        char = self.take(key)
        if char in "{[":
            self._open(key, "object" if char == "{" else "array", start)
            return
        if char == '"':
            self._put(key, "string", self.string(key), start)
        elif char in _LITERALS:
            word, value = _LITERALS[char]
            # GenAI passes over a letter that begins no such word, and over a word at the very end of the file.
            if self.text.startswith(word, self.at) and self.at + len(word) < len(self.text):
                self.at += len(word)
                self._put(key, "null" if value is None else "bool", value, start)
            else:
                self._put(key, "nothing", None, start)
        elif char.isascii() and (char.isdecimal() or char == "-"):
            self.at = start
            self._put(key, "number", self._number(key), start)
        else:
            raise self.stop("no-value", f' Unknown value "{key}"')
        self.space()

    def _number(self, key: str) -> float:
        match = _NUMBER.match(self.text, self.at)
        if match is None or match.end() - self.at > MAX_DIGITS:
            raise self.stop("number", "Expecting number", key)
        digits = match.group()
        value = float(digits.partition("(")[0])
        named = digits.lstrip("-")[0] in "iInN"
        if (math.isinf(value) and not named) or (value == 0 and digits.lower().partition("e")[0].strip("-0.")):
            raise self.stop("number", "Expecting number", key)  # beyond a double
        self.at = match.end()
        return value

    def _open(self, key: str, kind: str, start: int) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise self.stop("size", f"nested deeper than {MAX_DEPTH}")
        item = self._put(key, kind, {} if kind == "object" else [], start)
        self.stack.append(_Open(item, key))
        self.space()
        if self.text.startswith("}" if kind == "object" else "]", self.at):
            self._close()
        elif kind == "object":
            self._member()
        else:
            self._value("")

    def _member(self) -> None:
        if not self.text.startswith('"', self.at):
            trailing = self.text.startswith("}", self.at) and self.stack[-1].item.written
            raise self.stop("trailing-comma" if trailing else "syntax", EXPECTING_NAME)
        self.at += 1
        key = self.string("")
        self.space()
        if self.take() != ":":
            raise self.stop("syntax", "Expecting :")
        self._value(key)

    def _next(self) -> None:
        """What follows a value inside a container."""
        is_object = self.stack[-1].item.kind == "object"
        closing = "}" if is_object else "]"
        char = self.take()
        if char == closing:
            self.at -= 1
            self._close()
        elif char != ",":
            raise self.stop("syntax", "Expecting } or ," if is_object else "Expecting ] or ,")
        elif is_object:
            self.space()
            self._member()
        else:
            self.space()
            if self.text.startswith("]", self.at):
                raise self.stop("trailing-comma", ' Unknown value ""', at=self.at + 1)
            self._value("")

    def _close(self) -> None:
        self.at += 1
        self.stack.pop()
        self.space()

    def _put(self, key: str, kind: str, value: object, start: int) -> Item:
        self.values += 1
        if self.values > MAX_VALUES:
            raise self.stop("size", f"more than {MAX_VALUES} values")
        item = Item(kind, value, start, *self.place(self.at), self.at, [])
        if not self.stack:
            self.root = item
            return item
        above = self.stack[-1].item
        if isinstance(above.value, list):
            above.value.append(item)
            return item
        above.written.append((key, item))
        if isinstance(above.value, dict):
            earlier = above.value.get(key)
            if earlier is not None and earlier.kind == item.kind == "object":
                item.value.update(earlier.value)  # type: ignore[attr-defined]  # GenAI reads both into one
            above.value[key] = item
        return item

    def string(self, key: str) -> str:
        """A string after its opening quote; GenAI ends it at a zero byte too, and takes newlines."""
        parts: list[str] = []
        while True:
            match = _PLAIN.match(self.text, self.at)
            if match:
                parts.append(match.group())
                self.at = match.end()
            char = self.take(key)
            if char in '"\0':
                return "".join(parts).encode("latin-1").decode("utf-8", "replace")
            char = self.take(key)
            parts.append(self._unicode(key) if char == "u" else _ESCAPES.get(char, char))

    def _unicode(self, key: str) -> str:
        """The character of a \\uXXXX escape as UTF-8, noted, since GenAI refuses every one."""
        digits = self.text[self.at : self.at + 4]
        if len(digits) < 4:
            raise self.stop("syntax", "End of file parsing string uXXXX code", key)
        if not all(digit in "0123456789abcdefABCDEF" for digit in digits):
            raise self.stop("syntax", "Error parsing uXXXX code", key)
        self.at += 4
        message = self.labelled("Unsupported uXXXX code used", key)
        self.escapes.append(Escape(*self.place(self.at), self.at - 6, self.at, message))
        code = int(digits, 16)
        return ("\ufffd" if 0xD800 <= code < 0xE000 else chr(code)).encode().decode("latin-1")
