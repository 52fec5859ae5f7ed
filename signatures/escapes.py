"""What stands for a character in JSON strings, HTML and Markdown, put back in place at the same length.

A backslash means two things in a log: the escape of a string that was printed raw, and a step of a Windows path.
The word it stands in decides, and a doubt leaves it as it is. Nothing here is validated against a grammar. Plain string
methods only: a hostile text holds millions of marks, and one match of an expression costs twenty of these steps.
"""

from __future__ import annotations

from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DROP = "\x00"
MAX_ESCAPES = 8000  # backslashes of one text; with more it is no log

_HEX = frozenset("0123456789abcdefABCDEF")
_IN_A_FOLDER = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.-\\")  # what may go on a folder's name after "\n"
_PATH = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.\\/:$~+-")
# marks of a line that quotes a string: keys of JSON, a call with a string, Python's bytes
_STRINGS = ('{"', ', "', ',"', '{\\"', ', \\"', ',\\"', "('", '("', "b'", 'b"')

_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " "}
_LONGEST_ENTITY = 8
_LINE_ENDS = frozenset(("br", "p", "pre", "div", "details", "summary", "blockquote", "li", "tr"))
_INLINE = frozenset(("code", "samp", "kbd", "tt", "strong", "em", "span", "font"))
_LONGEST_TAG = 200

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def strings(text: str) -> str:
    r"""Strings that were printed raw: `\n`, `\t`, `\"`, `\u0027` become what they stand for; paths stay."""
    if text.count("\\") > MAX_ESCAPES:
        return text
    lines = text.split("\n")
    changed = False
    for i, line in enumerate(lines):
        if "\\" not in line or not _quotes_a_string(line):
            continue
        depth = 2 if '\\":' in line and ('{\\"' in line or '\\", \\"' in line or '\\",\\"' in line) else 1
        lines[i] = _rewritten(line, lambda word, d=depth: _unescaped(word, d))  # type: ignore[misc]  # binds the loop's value
        changed = changed or lines[i] is not line
    return "\n".join(lines) if changed else text


def _quotes_a_string(line: str) -> bool:
    if '\\"' in line or "\\'" in line or "\\r\\n" in line or "\\u00" in line or "\\x1b[" in line or "\\033[" in line:
        return True
    if any(mark in line for mark in _STRINGS):
        return True
    at = line.find("\\n")
    while at >= 0:
        if line[at + 2 : at + 3] not in _IN_A_FOLDER or line.startswith(("\\n", "\\t"), at + 2):
            return True
        at = line.find("\\n", at + 2)
    return False


def _unescaped(word: str, depth: int) -> str:
    """A word with its escapes replaced, or the word itself where it may be a path."""
    parts: list[str] = []
    clear = False
    done = 0
    at = word.find("\\")
    while at >= 0:
        end = at
        while word.startswith("\\", end):
            end += 1
        count = end - at
        escape, length = _escape(word, end)
        odd = (count if depth == 1 else -(-count // 2)) % 2 == 1
        if odd and (escape is None or (count == 1 and _is_drive(word[max(at - 3, 0) : at]))):
            return word
        clear = clear or (
            odd and (length > 1 or word[end : end + 1] in "\"'" or word[end + 1 : end + 2] not in _IN_A_FOLDER)
        )
        parts += (word[done:at], _meaning(count, depth, escape or "", word[end : end + length]))
        done = end + length
        at = word.find("\\", done)
    if not clear and _is_quoted_path(word):
        return word
    parts.append(word[done:])
    return "".join(parts)


def _is_drive(before: str) -> bool:
    """Whether "C:" stands at the end, of itself and not of a longer word."""
    return before[-1:] == ":" and before[-2:-1].isalpha() and not before[-3:-2].isalnum()


def _escape(word: str, at: int) -> tuple[str | None, int]:
    """What the letters behind a backslash stand for, and how many they are; None where they are no escape."""
    letter = word[at : at + 1]
    if letter in ("n", "r"):
        return ("\n", 2) if word.startswith("rn", at) else ("\n", 1)
    if letter == "t":
        return " ", 1
    if letter in ('"', "'", "/"):
        return letter, 1
    if letter == "u" and len(word) >= at + 5 and _HEX.issuperset(word[at + 1 : at + 5]):
        return _character(int(word[at + 1 : at + 5], 16)), 5
    for colour in ("x1b", "x1B", "033", "e"):
        if word.startswith(colour + "[", at):
            return "\x1b", len(colour)
    return (None, 0) if letter else ("\\", 0)


def _meaning(count: int, depth: int, escape: str, letters: str) -> str:
    """What an escape reads, at its own length: `depth` strings deep, two backslashes are one for each string."""
    if letters in ('"', "'", "/") and letters:
        return DROP * count + letters
    left, odd = divmod(count if depth == 1 else -(-count // 2), 2)
    if not odd or not letters:
        kept = "\\" * (left + odd)
        return kept + DROP * (count - len(kept)) + letters
    return "\\" * left + DROP * (count + len(letters) - 1 - left) + escape


def _is_quoted_path(word: str) -> bool:
    """Whether the word holds a quoted string without space that is made of a path's characters."""
    at = word.find("\\")
    start = max(word.rfind('"', 0, at), word.rfind("'", 0, at))
    end = word.find(word[start], at) if start >= 0 else -1
    return end > 0 and _PATH.issuperset(word[start + 1 : end])


def _character(code: int) -> str:
    """One character; a space for what is none by itself."""
    return " " if not 0 < code <= 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)


def entities(text: str) -> str:
    """HTML's named and numeric characters."""
    first, *pieces = text.split("&")
    parts = [first]
    for piece in pieces:
        end = piece.find(";", 0, _LONGEST_ENTITY + 1)
        char = _entity(piece[:end]) if end > 0 else None
        parts.append(f"&{piece}" if char is None else char + DROP * (end + 1) + piece[end + 1 :])
    return "".join(parts)


def _entity(name: str) -> str | None:
    if name[0] != "#":
        return _NAMED.get(name)
    if name[1:2] in ("x", "X"):
        return _character(int(name[2:], 16)) if name[2:] and _HEX.issuperset(name[2:]) else None
    return _character(int(name[1:])) if name[1:].isascii() and name[1:].isdecimal() else None


def tags(text: str) -> str:
    """HTML's line ends and the marks of code. Every other bracket is text: "<pad>" is what a model says."""
    first, *pieces = text.split("<")
    parts = [first]
    for piece in pieces:
        end = piece.find(">", 0, _LONGEST_TAG)
        words = piece[:end].strip("/ ").split(None, 1) if end > 0 and not piece[0].isspace() else []
        name = words[0].lower() if words else ""
        if name in _LINE_ENDS:
            parts.append(DROP * (end + 1) + "\n" + piece[end + 1 :])
        elif name in _INLINE:
            parts.append(DROP * (end + 2) + piece[end + 1 :])
        else:
            parts.append(f"<{piece}")
    return "".join(parts)


def markdown(text: str) -> str:
    r"""The backslash before punctuation in Markdown prose: `pad\_x` reads "pad_x". A word with a path stays."""
    if text.count("\\") > MAX_ESCAPES:
        return text
    return "\n".join(_rewritten(line, _plain) if "\\" in line else line for line in text.split("\n"))


def _plain(word: str) -> str:
    parts: list[str] = []
    done = 0
    at = word.find("\\")
    while at >= 0:
        after = word[at + 1 : at + 2]
        if after not in _PUNCTUATION:
            return word
        parts += (word[done:at], DROP, after)
        done = at + 2
        at = word.find("\\", done)
    parts.append(word[done:])
    return "".join(parts)


def _rewritten(line: str, new: Callable[[str], str]) -> str:
    """A line with each of its words that holds a backslash made new."""
    parts: list[str] = []
    done = 0
    for start, end in _words(line):
        word = line[start:end]
        fresh = new(word)
        if fresh != word:
            parts += (line[done:start], fresh)
            done = end
    if not parts:
        return line
    parts.append(line[done:])
    return "".join(parts)


def _words(line: str) -> Iterator[tuple[int, int]]:
    end = 0
    at = line.find("\\")
    while at >= 0:
        start = line.rfind(" ", end, at) + 1 or end
        end = line.find(" ", at)
        end = len(line) if end < 0 else end
        yield start, end
        at = line.find("\\", end)
