"""genai_config.json with the position of every value, read as ONNX Runtime GenAI reads it.

GenAI's own parser is stricter than JSON in places and reports line and index; a value here keeps both, so that a check
can predict the sentence. Nothing is resolved or defaulted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 64
MAX_VALUES = 200_000

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}
_LITERALS: tuple[tuple[str, bool | None], ...] = (("true", True), ("false", False), ("null", None))
_NUMBER = frozenset("0123456789+-.eE")


class Item(NamedTuple):
    """A JSON value. `kind`: object | array | string | number | bool | null. `value` is a dict of Item, a list of Item,
    or the plain value; `line` and `column` are where the value ends (from 1), as GenAI counts; `at` its
    first character."""

    kind: str
    value: object
    at: int
    line: int
    column: int

    def get(self, key: str) -> Item | None:
        return self.value.get(key) if isinstance(self.value, dict) else None

    def members(self) -> Iterator[tuple[str, Item]]:
        if isinstance(self.value, dict):
            yield from self.value.items()

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
    """Why the text does not parse. `what`: bom | trailing-comma | unicode-escape | syntax | size."""

    what: str
    message: str
    line: int
    column: int
    at: int


class GenAiConfig(NamedTuple):
    """`root` is None where `error` says why. `escapes`: (line, index, at) of \\uXXXX escapes, which GenAI refuses."""

    name: str
    root: Item | None
    error: ConfigError | None
    escapes: tuple[tuple[int, int, int], ...]
    duplicates: tuple[str, ...]

    @property
    def model(self) -> Item | None:
        return self.root.get("model") if self.root else None

    def find(self, *path: str) -> Item | None:
        """The value at a path of keys."""
        item = self.root
        for key in path:
            item = item.get(key) if item else None
        return item


class Section(NamedTuple):
    """A part of the package that opens a session of its own: 'decoder', 'vision', 'vision.pipeline[0].name', ..."""

    path: str
    item: Item
    filename: str | None


SECTIONS = ("decoder", "encoder", "embedding", "vision", "speech", "joiner", "vad", "draft")


def sections(config: GenAiConfig) -> list[Section]:
    """Sections under `model`, with pipeline stages behind the section that lists them."""
    found: list[Section] = []
    if config.model is None:
        return found
    for key, item in config.model.members():
        if key not in SECTIONS or item.kind != "object":
            continue
        found.append(Section(key, item, _filename(item)))
        pipeline = item.get("pipeline")
        for position, stage in enumerate(pipeline.items() if pipeline else ()):
            if stage.get("filename"):
                found.append(Section(f"{key}.pipeline[{position}]", stage, _filename(stage)))
                continue
            for name, below in stage.members():
                found.append(Section(f"{key}.pipeline[{position}].{name}", below, _filename(below)))
    return found


def _filename(item: Item) -> str | None:
    value = item.get("filename")
    return value.string() if value else None


class Provider(NamedTuple):
    """One provider of a section's session options. `name` as GenAI folds it ('webgpu', 'cuda', ...)."""

    section: str
    name: str
    written: str
    options: Item


_CANONICAL = {"dml": "dml", "directml": "dml", "js": "webgpu", "webgpu": "webgpu", "nvtensorrtrtx": "nvtensorrtrtx"}


def fold_provider(name: str) -> str:
    """'WebGpuExecutionProvider', 'WebGPU' -> 'webgpu'; 'cuda' -> 'cuda'."""
    folded = name.strip().lower().removesuffix("executionprovider")
    return _CANONICAL.get(folded, folded)


def providers(section: Section) -> list[Provider]:
    """Providers that a section asks for, in order."""
    options = section.item.get("session_options")
    listed = options.get("provider_options") if options else None
    found = []
    for entry in listed.items() if listed else ():
        for name, item in entry.members():
            found.append(Provider(section.path, fold_provider(name), name, item))
    return found


def parse_config(data: bytes, name: str = "genai_config.json") -> GenAiConfig:
    """Never raises: what does not parse is told in `error`."""
    if len(data) > MAX_BYTES:
        return _failed(name, ConfigError("size", f"more than {MAX_BYTES} bytes", 1, 1, 0))
    bom = data.startswith(b"\xef\xbb\xbf")
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")  # GenAI takes any byte in a string
    parser = _Parser(text)
    try:
        root = parser.document()
    except _Stop as stop:
        return _failed(name, stop.error, tuple(parser.escapes))
    mark = ConfigError("bom", 'Unknown value ""', 1, 1, 0) if bom else None
    return GenAiConfig(name, root, mark, tuple(parser.escapes), tuple(parser.duplicates))


def _failed(name: str, error: ConfigError, escapes: tuple[tuple[int, int, int], ...] = ()) -> GenAiConfig:
    return GenAiConfig(name, None, error, escapes, ())


class _Stop(Exception):
    def __init__(self, error: ConfigError) -> None:
        super().__init__(error.message)
        self.error = error


class _Open:
    """A container that is being filled."""

    __slots__ = ("at", "key", "kind", "object", "sequence")

    def __init__(self, kind: str, at: int) -> None:
        self.kind = kind
        self.at = at
        self.object: dict[str, Item] = {}
        self.sequence: list[Item] = []
        self.key = ""


class _Parser:
    """JSON with positions and without recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.line_start = 0
        self.values = 0
        self.escapes: list[tuple[int, int, int]] = []
        self.duplicates: list[str] = []

    def stop(self, what: str, message: str) -> _Stop:
        return _Stop(ConfigError(what, message, self.line, self.at - self.line_start + 1, self.at))

    def space(self) -> None:
        text, at = self.text, self.at
        while at < len(text) and text[at] in " \t\r\n":
            if text[at] == "\n":
                self.line += 1
                self.line_start = at + 1
            at += 1
        self.at = at

    def peek(self) -> str:
        self.space()
        return self.text[self.at] if self.at < len(self.text) else ""

    def item(self, kind: str, value: object, at: int) -> Item:
        self.values += 1
        if self.values > MAX_VALUES:
            raise self.stop("size", f"more than {MAX_VALUES} values")
        return Item(kind, value, at, self.line, self.at - self.line_start + 1)

    def document(self) -> Item:
        stack: list[_Open] = []
        done: Item | None = None
        while True:
            if done is None:
                done = self._start(stack)
                continue
            if not stack:
                return done  # GenAI 0.18.0 stops here as well, whatever follows
            done = self._put(stack, done)

    def _start(self, stack: list[_Open]) -> Item | None:
        """Reads a scalar or an empty container, or opens one and gives None."""
        char = self.peek()
        at = self.at
        if char in ("{", "["):
            if len(stack) >= MAX_DEPTH:
                raise self.stop("size", f"nested deeper than {MAX_DEPTH}")
            self.at += 1
            kind, closing = ("object", "}") if char == "{" else ("array", "]")
            if self.peek() == closing:
                self.at += 1
                return self.item(kind, {} if kind == "object" else [], at)
            stack.append(_Open(kind, at))
            if kind == "object":
                self._key(stack[-1])
            return None
        if char == '"':
            return self.item("string", self.string(), at)
        for word, value in _LITERALS:
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return self.item("null" if value is None else "bool", value, at)
        return self._number(at)

    def _number(self, at: int) -> Item:
        end = at
        while end < len(self.text) and end - at < 64 and self.text[end] in _NUMBER:
            end += 1
        try:
            value = float(self.text[at:end])
        except ValueError:
            raise self.stop("syntax", "no JSON value here") from None
        self.at = end
        return self.item("number", value, at)

    def _key(self, container: _Open) -> None:
        if self.peek() != '"':
            if self.peek() == "}" and container.object:
                raise self.stop(
                    "trailing-comma", "Expecting \" to start next object name, possibly due to an extra trailing ','"
                )
            raise self.stop("syntax", 'Expecting " to start a name')
        container.key = self.string()
        if self.peek() != ":":
            raise self.stop("syntax", "Expecting :")
        self.at += 1

    def _put(self, stack: list[_Open], done: Item) -> Item | None:
        """Puts a value into the open container; gives the container where this closes it, None to go on."""
        container = stack[-1]
        if container.kind == "object":
            if container.key in container.object:
                self.duplicates.append(container.key)
            container.object[container.key] = done
        else:
            container.sequence.append(done)
        char = self.peek()
        closing = "}" if container.kind == "object" else "]"
        if char == closing:
            self.at += 1
            stack.pop()
            value: object = container.object if container.kind == "object" else container.sequence
            return self.item(container.kind, value, container.at)
        if char != ",":
            raise self.stop("syntax", f"Expecting , or {closing}")
        self.at += 1
        if container.kind == "object":
            self._key(container)
        elif self.peek() == "]":
            raise self.stop("trailing-comma", "an extra trailing ','")
        return None

    def string(self) -> str:
        self.at += 1
        parts: list[str] = []
        while True:
            end = self.at
            while end < len(self.text) and self.text[end] not in '"\\\n':
                end += 1
            parts.append(self.text[self.at : end])
            self.at = end
            if end >= len(self.text) or self.text[end] == "\n":
                raise self.stop("syntax", "string without an end")
            if self.text[end] == '"':
                self.at += 1
                return "".join(parts)
            parts.append(self._escape())

    def _escape(self) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char == "u":
            self.escapes.append((self.line, self.at + 2 - self.line_start + 1, self.at))
            digits = self.text[self.at + 2 : self.at + 6]
            self.at += 6
            if len(digits) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
                code = int(digits, 16)
                return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
            raise self.stop("syntax", "broken \\u escape")
        if char not in _ESCAPES:
            raise self.stop("syntax", "unknown escape")
        self.at += 2
        return _ESCAPES[char]
